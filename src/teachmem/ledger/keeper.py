"""When checkpoints are made: on demand, after every so many entries, and when the store is closed.

Nothing is signed unproved: the log is first walked from the last checkpoint to its end, so that each
one grows out of the one before. Making one is an act like any other and leaves an entry, which is the
last that it covers. A checkpoint that cannot be made never takes a write back, which is done by
then: it warns.

Left out: bringing the file to somebody else. As long as it lies where the log lies, whoever can change
the one can cut the other; they can still not write a line of it.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from teachmem.errors import InvalidInput, StoreError, TeachmemError
from teachmem.ids import RandomIds
from teachmem.ledger import chain, checkpoint, journal, keys, settings, verify
from teachmem.ledger.chain import Head
from teachmem.ledger.checkpoint import Checkpoint
from teachmem.ledger.database import Database
from teachmem.ledger.keys import Signer
from teachmem.ports import Clock, IdMaker
from teachmem.principal import Principal
from teachmem.vocabulary import Role

SYSTEM = "checkpoint"  # the name that stands in the chain
EVERY = 1_000
TRIES = 8


class Checkpoints:
    """Where checkpoints go, how often they are made, and which key signs them.

    `file` is best on another disk, or where somebody else keeps it. `every` counts entries of a tenant.
    `key` is the path of the key; left out, it lies in your folder for settings and is made when needed.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        every: int = EVERY,
        key: str | os.PathLike[str] | None = None,
    ) -> None:
        if type(every) is not int or every < 1:
            raise InvalidInput("every", f"must be a whole number of 1 or more, not {every!r}")
        self.file = Path(file)
        self.every = every
        self.key = Path(key) if key is not None else keys.default_path()


def usual_file(database: Database) -> Path | None:
    """Return where a store's checkpoints go unless told otherwise: beside its file, or beside your key.

    A store on a server has no file; its checkpoints lie with you, under the store's own mark.
    """
    if database.in_memory:
        return None
    if database.file is not None:
        return database.file.with_name(database.file.name + ".checkpoints")
    mark = settings.identity(database, RandomIds().salt().hex())
    return keys.default_path().with_name(f"{mark}.checkpoints")


class Keeper:
    """Makes the checkpoints of one store. Without a place it makes them on demand only."""

    def __init__(
        self, database: Database, clock: Clock, ids: IdMaker, where: Checkpoints | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._where = where
        self._signer: Signer | None = None
        self._made: list[Checkpoint] = []  # of a store in memory, which leaves no file
        self._turn = threading.Lock()
        self._last: dict[str, int] = {}
        if where is not None:
            self._last = self._newest()
            database.after_write = self._passed

    @property
    def file(self) -> Path | None:
        """Where checkpoints go: the place given, or the usual one; None for a store in memory."""
        return self._where.file if self._where is not None else usual_file(self._database)

    def known_key(self) -> str | None:
        """Return the public key of this store's signer, None if there is no key yet."""
        if self._signer is None and not self._ends_with_us() and self._key_path().is_file():
            try:
                self._signer = keys.load(self._key_path())
            except StoreError:
                return None  # whoever wants to sign with it is told
        return self._signer.public if self._signer else None

    def all(self) -> list[Checkpoint]:
        """Return every checkpoint made so far, oldest first; lines that hold none are left out."""
        return checkpoint.read(self.file)[0] if self.file else list(self._made)

    def make(self, tenant: str) -> Checkpoint:
        """Prove that the log has grown out of its last checkpoint, sign where it stands, and keep that.

        Raises `StoreError` if it has not, and then nothing is signed.
        """
        with self._turn:
            return self._make(tenant)

    def make_due(self, tenants: Iterable[str] | None = None) -> list[Checkpoint]:
        """Make one for each tenant whose log has grown since the last."""
        with self._database.read() as tx:
            heads = [chain.head(tx, tenant) for tenant in tenants or chain.tenants(tx)]
        last = self._newest()
        return [self.make(head.tenant) for head in heads if head.seq > last.get(head.tenant, 0)]

    def _newest(self) -> dict[str, int]:
        return {one.tenant: one.seq for one in sorted(self.all(), key=lambda one: one.seq)}

    def close(self) -> None:
        """Make the last ones, if a place for them was given."""
        if self._where is not None:
            self._warned(self.make_due)

    def _passed(self, heads: Iterable[Head]) -> None:
        """Make one where a tenant's log has grown by `every` entries. Called after each commit."""
        due = [head for head in heads if self._where and self._due(head)]
        if due and self._turn.acquire(blocking=False):  # whoever is at it already sees our entries too
            try:
                for head in due:
                    self._warned(partial(self._make, head.tenant))
            finally:
                self._turn.release()

    def _due(self, head: Head) -> bool:
        return self._where is not None and head.seq - self._last.get(head.tenant, 0) >= self._where.every

    def _make(self, tenant: str) -> Checkpoint:
        before = max(
            (one for one in self.all() if one.tenant == tenant), key=lambda one: one.seq, default=None
        )
        after = (before.seq, before.head) if before else None
        signer = self._signed_by()
        system = Principal(tenant, SYSTEM, SYSTEM, Role.SYSTEM)
        for _ in range(TRIES):
            report = verify.verify(self._database, tenant, after=after)
            if report.findings:
                raise StoreError(
                    f"no checkpoint of {tenant} was made, because its log does not hold: entry "
                    f"{report.findings[0].seq}: {report.findings[0].what}; run `teachmem verify`"
                )
            (end,) = report.ends
            if end.seq == 0:
                raise StoreError(f"the log of {tenant!r} is empty; there is nothing to sign")
            with self._database.write() as tx, journal.change(tx, system, self._clock, self._ids) as act:
                if act.head.hash == end.hash:  # nobody has added an entry since it was walked
                    act.entry("checkpoint", tenant, key=signer.public)
                    break
            after = (end.seq, end.hash.hex())
        else:
            raise StoreError(f"other writers were faster {TRIES} times; make the checkpoint again")
        with self._database.read() as tx:
            signed = chain.hash_at(tx, tenant, act.seq) or b""
        one = checkpoint.sign(signer, tenant, act.seq, signed, act.now)
        if self.file is None:
            self._made.append(one)
        else:
            checkpoint.append(self.file, one)
        self._last[tenant] = one.seq
        return one

    def _signed_by(self) -> Signer:
        if self._signer is None:
            self._signer = self._load()
        return self._signer

    def _load(self) -> Signer:
        store = self._database.file
        if self._ends_with_us():  # a store in memory signs with a key that ends with it
            return Signer(self._ids.salt() + self._ids.salt())
        path = self._key_path()
        if store is not None and path.resolve().parent == store.resolve().parent:
            raise StoreError(
                f"the key {str(path)!r} would lie beside the log; whoever can change the one could use the "
                "other; give another place for it"
            )
        chance = RandomIds()  # never counted ones: this key outlives the lesson
        return keys.load_or_make(path, chance.salt() + chance.salt())

    def _ends_with_us(self) -> bool:
        return self._database.in_memory and self._where is None

    def _key_path(self) -> Path:
        return self._where.key if self._where else keys.default_path()

    def _warned(self, act: Callable[[], object]) -> None:
        try:
            act()
        except TeachmemError as error:
            warnings.warn(f"no checkpoint was made: {error}", RuntimeWarning, stacklevel=2)
