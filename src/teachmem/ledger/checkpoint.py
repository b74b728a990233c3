"""A checkpoint: a signed statement of where a chain stood, kept where the log's keeper cannot reach it.

Whoever holds the database can cut its log or write it anew so that every link fits. They cannot
change what somebody else has kept: a line in a file on another disk, or a code on a blackboard. The
code is short enough to be read aloud; it is made of 80 bits of a hash, so another chain with the
same code takes some 2**80 attempts, and some 2**40 if the writer of the log may choose both chains
beforehand. The whole head has no such weakness.

>>> from teachmem.ledger.keys import Signer
>>> one = sign(Signer(bytes(32)), "northlight", 42, bytes(32), 0)
>>> print(one.code)
northlight 42 N7YH-JSAJ-TE81-5M66-1
>>> held(one.code.lower())[0].fits(bytes(32)), held(one.code)[0].fits(bytes([1] * 32))
(True, False)

Left out: when one is made (`ledger/keeper.py`), and proof of time: the time in it is its maker's word.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from teachmem import private
from teachmem.errors import InvalidInput, StoreError, TeachmemError
from teachmem.ledger import canonical, keys
from teachmem.ledger.keys import Signer
from teachmem.ledger.report import Held
from teachmem.vocabulary import MAX_INTEGER

DOMAIN = b"teachmem/checkpoint/1\n"
BOARD = b"teachmem/board/1\n"
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's 32: no I, L, O, U
CODE_BYTES = 10

_MISREAD = str.maketrans("OIL", "011")
_PLACE = r"(?P<tenant>.+?)\s+(?P<seq>[0-9]+)\s+"
_SPOKEN = re.compile(_PLACE + r"(?P<code>[0-9A-Za-z]{4}(?:-?[0-9A-Za-z]{4}){3}-?[0-9A-Za-z])")
_HEAD = re.compile(_PLACE + r"(?P<head>[0-9a-fA-F]{64})")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Entry `seq` of `tenant` had the hash `head` (hex) at `time` (microseconds), says who holds `key`."""

    tenant: str
    seq: int
    head: str
    time: int
    key: str
    signature: str

    def statement(self) -> bytes:
        """Return the bytes that are signed."""
        return DOMAIN + canonical.encode(
            {"head": self.head, "seq": self.seq, "tenant": self.tenant, "time": self.time}
        )

    def is_signed(self) -> bool:
        """Say whether the signature is that of the key it names; whose key that is, it cannot say."""
        return keys.is_signed(self.key, self.statement(), self.signature)

    @property
    def code(self) -> str:
        """The tenant, the number, and a short code of the head: to be written on a board."""
        return f"{self.tenant} {self.seq} {code_of(self.tenant, self.seq, bytes.fromhex(self.head))}"

    def line(self) -> bytes:
        """Return the checkpoint as a line of its file."""
        return canonical.encode({name: getattr(self, name) for name in self.__slots__}) + b"\n"


Given: TypeAlias = "Checkpoint | str | os.PathLike[str] | Iterable[Checkpoint | str | os.PathLike[str]]"


def sign(signer: Signer, tenant: str, seq: int, head: bytes, time: int) -> Checkpoint:
    """Return the signed statement that entry `seq` of `tenant` has the hash `head`."""
    unsigned = Checkpoint(tenant, seq, head.hex(), time, signer.public, "")
    return Checkpoint(tenant, seq, head.hex(), time, signer.public, signer.sign(unsigned.statement()))


def code_of(tenant: str, seq: int, head: bytes) -> str:
    """Return the short code of a head: 16 signs of 5 bits, and one that tells most misread ones.

    >>> code_of("northlight", 42, bytes(32))
    'N7YH-JSAJ-TE81-5M66-1'
    """
    whole = hashlib.sha256(BOARD + canonical.encode({"seq": seq, "tenant": tenant}) + head).digest()
    number = int.from_bytes(whole[:CODE_BYTES], "big")
    signs = "".join(SIGNS[number >> 5 * place & 31] for place in range(15, -1, -1))
    return "-".join([*(signs[place : place + 4] for place in range(0, 16, 4)), _check_sign(signs)])


def _check_sign(signs: str) -> str:
    return SIGNS[hashlib.sha256(BOARD + signs.encode()).digest()[0] & 31]


def read_line(line: bytes) -> Checkpoint | None:
    """Return the checkpoint that a line of a file holds, None for a line that holds none."""
    try:
        told = json.loads(line)
        one = Checkpoint(**told)
    except (ValueError, TypeError, RecursionError):
        return None
    texts = (one.tenant, one.head, one.key, one.signature)
    whole = type(one.seq) is int and type(one.time) is int and all(isinstance(text, str) for text in texts)
    if not whole or not 1 <= one.seq <= MAX_INTEGER or not re.fullmatch("[0-9a-f]{64}", one.head):
        return None
    try:
        return one if one.line().strip() == line.strip() else None
    except TeachmemError:
        return None


def read(path: Path) -> tuple[list[Checkpoint], list[int]]:
    """Return the checkpoints in a file, and the numbers of lines that hold none. A missing file is empty."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise StoreError(f"the checkpoints {str(path)!r} cannot be read: {error.strerror}") from error
    found = [(number, read_line(line)) for number, line in enumerate(lines, 1) if line.strip()]
    return [one for _, one in found if one], [number for number, one in found if not one]


def append(path: Path, one: Checkpoint) -> None:
    """Add a checkpoint to a file, on the disk before this returns. A line cut in half stays by itself."""
    try:
        with os.fdopen(private.open_file(path), "rb+", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
            torn = size > 0 and file.read(1) != b"\n"
            file.write((b"\n" if torn else b"") + one.line())
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"the checkpoint cannot be added to {str(path)!r}: {error.strerror}") from error


def held(given: Given, key: str | None = None) -> list[Held]:
    """Return what `verify` compares: of one checkpoint, a file of them, a code read aloud, or several.

    `key` is the public key (hex) that you trust. A signature that does not fit is a fault; one by a key
    that you do not know leaves a doubt. A code read aloud needs neither: you held it yourself.
    """
    return list(_held(given, key))


def _held(given: Given, key: str | None) -> Iterator[Held]:
    if isinstance(given, Checkpoint):
        yield _signed(given, key)
    elif isinstance(given, str) and (told := _SPOKEN.fullmatch(given.strip())):
        yield _spoken(told["tenant"], int(told["seq"]), told["code"])
    elif isinstance(given, str) and (told := _HEAD.fullmatch(given.strip())):
        head = bytes.fromhex(told["head"])
        yield Held(told["tenant"], int(told["seq"]), lambda found: found == head)
    elif isinstance(given, str | os.PathLike):
        yield from _of_file(Path(given), key)
    elif isinstance(given, Iterable):
        for one in given:
            yield from _held(one, key)
    else:
        raise InvalidInput("checkpoint", f"must be a checkpoint, a file or a code, not {given!r}")


def _signed(one: Checkpoint, key: str | None) -> Held:
    fault = "" if one.is_signed() else f"the checkpoint of entry {one.seq} is not signed by the key it names"
    doubt = ""
    if one.key != key:
        of_whom = "which is not known here" if key is None else "not by the one that is known"
        doubt = (
            f"the checkpoint of entry {one.seq} of {one.tenant} is signed by the key {one.key[:8]}, {of_whom}"
        )
    head = bytes.fromhex(one.head)
    return Held(one.tenant, one.seq, lambda found: found == head, fault, doubt)


def as_signs(told: str) -> str:
    """Return what was read aloud in the signs of a code, without its dashes."""
    return told.upper().translate(_MISREAD).replace("-", "")


def is_spoken(told: str) -> bool:
    """Say whether a text has the form of a code."""
    return _SPOKEN.fullmatch(told.strip()) is not None


def _spoken(tenant: str, seq: int, told: str) -> Held:
    signs = as_signs(told)
    if signs[-1] != _check_sign(signs[:-1]):
        raise InvalidInput(
            "checkpoint", f"{told!r} was misread: its last sign does not fit; have it read again"
        )
    return Held(tenant, seq, lambda found: code_of(tenant, seq, found).replace("-", "") == signs)


def _of_file(path: Path, key: str | None) -> Iterator[Held]:
    if not path.is_file():
        raise InvalidInput(
            "checkpoint",
            f"{str(path)!r} is neither a file of checkpoints nor a code such as "
            "'northlight 42 N7YH-JSAJ-TE81-5M66-1'",
        )
    found, lost = read(path)
    if not found and not lost:
        raise InvalidInput("checkpoint", f"{str(path)!r} holds no checkpoint")
    for one in found:
        yield _signed(one, key)
    for number in lost:
        yield Held(
            "", 0, lambda _: False, doubt=f"line {number} of {path.name} cannot be read as a checkpoint"
        )
