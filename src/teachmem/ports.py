"""What the lower floors need from the higher ones, as protocols: whoever fits may be handed in.

Left out: implementations, and protocols that nothing uses yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from teachmem.ledger.database import Transaction
    from teachmem.principal import Principal
    from teachmem.record import Draft


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present moment, aware."""
        ...


class IdMaker(Protocol):
    """Names new things and salts digests."""

    def new(self, prefix: str) -> str:
        """Return an id that begins with `prefix`, never used before."""
        ...

    def salt(self) -> bytes:
        """Return 16 bytes for one digest."""
        ...


class TokenCounter(Protocol):
    """Counts what a language model would be charged for a text."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. `name` tells one embedder's vectors from another's."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row a text (zeros for a text without a token), shape (texts, dimensions)."""
        ...


class VectorIndex(Protocol):
    """Finds the nearest vectors among the partitions that it is told to search, and no others.

    A partition is named by a string; the caller decides which memory belongs to which. An index is a
    cache: `seen` says up to which audit entry of a tenant it has followed. `notice` is a sentence for
    the next answer, such as that the index had to be built anew. `out_of_reach` names what `forget`
    leaves behind, "" for nothing.
    """

    notice: str
    out_of_reach: str

    def seen(self, tenant: str) -> tuple[int, bytes]:
        """Return number and hash of the last audit entry followed, (0, b"") if none."""
        ...

    def put(self, tenant: str, partition: str, ids: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Add or replace vectors; an id that was elsewhere in this tenant moves here."""
        ...

    def drop(self, tenant: str, ids: Sequence[str]) -> None:
        """Take vectors out; unknown ids are no error."""
        ...

    def passes(self, tenant: str, seq: int, entry_hash: bytes) -> None:
        """Note that everything up to this entry is in."""
        ...

    def search(
        self, tenant: str, partitions: Sequence[str], vector: NDArray[np.float32], k: int
    ) -> list[tuple[str, float]]:
        """Return up to k (id, cosine) of these partitions, nearest first."""
        ...

    def size(self, tenant: str, partitions: Sequence[str]) -> int:
        """Return how many vectors these partitions hold."""
        ...

    def holds(self, tenant: str) -> bool:
        """Say whether anything of this tenant is in, even what was never followed to its end."""
        ...

    def forget(self, tenant: str | None = None) -> None:
        """Throw one tenant's vectors away, or all; they are built again from the table."""
        ...

    def close(self) -> None:
        """Give back what is held open."""
        ...


class LanguageModel(Protocol):
    """Answers in words. Whoever calls it treats the answer as text from a stranger.

    It is called outside every transaction, so it may take its time; it bounds that time itself.
    """

    name: str

    def complete(self, instructions: str, text: str, *, most_tokens: int = 1024) -> str:
        """Return the answer to `text` under `instructions`; raise `ModelUnavailable` if there is none."""
        ...


class Enricher(Protocol):
    """Suggests what a text is about. What it says is checked, marked as inferred, and never acted on."""

    name: str

    def suggest(self, content: str, kinds: Sequence[str]) -> Mapping[str, Any]:
        """Return any of title, tags, kind (one of `kinds`), dates and triple; raise if it cannot."""
        ...


class RejectedValue(Protocol):
    """Says whether people have rejected a value, so that a loop need not bring it up again."""

    def __call__(self, tx: Transaction, who: Principal, draft: Draft, now: int) -> bool:
        """Say whether the value of `draft` is rejected where `who` works, at `now` (microseconds)."""
        ...
