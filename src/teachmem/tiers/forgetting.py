"""Forgetting to the last byte: the rows by rule, then the caches, then the file.

The order matters. A crash after the rows leaves a mark, and everything after it may be done twice:
caches are thrown away and built again from the table, the file is written anew. So whoever opens the
store next finishes what was begun.

Left out: what lies out of reach. The certificate names it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from teachmem.errors import IndexUnavailable, TeachmemError
from teachmem.ledger import chain, scrub, shape
from teachmem.principal import Principal
from teachmem.recall import place
from teachmem.rules import certificate, erasure
from teachmem.rules.certificate import Certificate
from teachmem.tiers.kit import Kit


def forget(who: Principal, kit: Kit, memory_id: str, reason: str) -> Certificate:
    """Erase a memory wherever this store holds it; return the certificate, or raise as `erasure.forget`."""
    done = erasure.forget(kit.gate, who, memory_id, reason)
    beyond = list(certificate.BEYOND)
    if kit.database.file and (copies := shape.copies(kit.database.file)):
        beyond.insert(
            0, f"{', '.join(map(str, copies))}: kept when the store was upgraded; delete it yourself"
        )
    if kit.database.dialect != "sqlite":
        beyond.append(certificate.BEYOND_SERVER)
    if elsewhere := getattr(kit.near.index, "out_of_reach", "whatever the vector index keeps elsewhere"):
        beyond.append(elsewhere)
    return replace(done, state=finish(kit), out_of_reach=tuple(beyond))


def finish(kit: Kit) -> str:
    """Take out of caches and file what erased rows have left there; return the state of it.

    Never raises: what is in the way is said, and the mark stays for the next opener.
    """
    try:
        erasure_of = scrub.pending(kit.database)
        if erasure_of is None:
            return scrub.ERASED if kit.database.dialect == "sqlite" else scrub.LOGICALLY
        kit.index.forget_everything()
        left = _clear_vectors(kit)
        state = scrub.clean(kit.database)
        if left or state.startswith(scrub.PENDING):
            return state if not left else f"{scrub.PENDING}{left}"
        scrub.settle(kit.database, erasure_of)
        return state
    except TeachmemError as error:
        return f"{scrub.PENDING}{error}"


def _clear_vectors(kit: Kit) -> str:
    """Throw away the vector index if an erased memory was in it; say what is in the way, or ""."""
    try:
        with kit.database.read() as tx:
            for tenant in chain.tenants(tx):
                kit.near.let_go(tx, tenant)
        beside = kit.database.file and place.beside(kit.database.file)
        if beside and str(beside) != getattr(kit.near.index, "place", ""):
            place.delete(beside)  # left by whoever opened the store with Chroma
        folders = {str(beside or ""), getattr(kit.near.index, "place", "")} - {""}
        kept = [str(each) for folder in folders for each in place.sweep(Path(folder))]
        return f"{', '.join(sorted(kept))} cannot be deleted" if kept else ""
    except IndexUnavailable as error:
        return str(error)
    except OSError as error:
        return f"the folder of the vector index cannot be deleted: {error}"
