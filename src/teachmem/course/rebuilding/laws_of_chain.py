"""What any `ledger.chain` must obey: each entry covers the one before it, and nothing is between two numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import bindparam, select

from teachmem.clock import EARLIEST
from teachmem.course.rebuilding.law import Contract, ask, examples, show, yours
from teachmem.ledger.database import Database, Prepared, Transaction
from teachmem.ledger.schema import audit

hashes = st.sampled_from([bytes(32), b"\x01" * 32])
bodies = st.sampled_from([b"{}", b'{"seq":1}', '{"a":"é"}'.encode()])
tenants = st.sampled_from(["north", "south"])
acts = st.lists(st.tuples(tenants, st.sampled_from(["write", "forget"]), st.sampled_from("xyz")), max_size=6)

_bodies = Prepared(
    select(audit.c.seq, audit.c.body).where(audit.c.tenant == bindparam("tenant")).order_by(audit.c.seq)
)


@examples(previous=hashes, body=bodies)
def a_hash_covers_the_one_before_and_every_byte(module: Any, previous: bytes, body: bytes) -> str | None:
    """An entry's hash is SHA-256 of the domain tag, the hash before it and its exact bytes, in this order."""
    got, due = ask(module, "link", previous, body), _link(previous, body)
    if got != due:
        return f"{yours('link', previous, body)} gave {_hex(got)}, {_hex(due)} was due"
    return None


@examples(most=1, nothing=st.none())
def a_chain_begins_at_a_fixed_place(module: Any, nothing: None) -> str | None:
    """The domain tag and the genesis hash are those of the format; a tenant without entries stands there."""
    if module.DOMAIN != b"teachmem/audit/1\n":
        return f"your DOMAIN is {show(module.DOMAIN)}"
    if module.GENESIS != _GENESIS:
        return f"your GENESIS is {_hex(module.GENESIS)}, {_hex(_GENESIS)} was due"
    with _opened() as tx:
        found = ask(module, "head", tx, "north")
    if (found.tenant, found.seq, found.hash, found.time) != ("north", 0, _GENESIS, EARLIEST):
        return f"your head of a tenant without entries is {show(found)}"
    return None


@examples(most=25, acts=acts)
def entries_are_linked_and_numbered_without_a_gap(module: Any, acts: list[tuple[str, ...]]) -> str | None:
    """Entry after entry, each tenant's chain goes 1, 2, 3, each hash from the bytes stored and the hash before."""
    with _opened() as tx:
        _appended(module, tx, acts)
        for tenant in ("north", "south"):
            previous, count = _GENESIS, sum(act[0] == tenant for act in acts)
            stored = tx.all(_bodies, tenant=tenant)
            if [row[0] for row in stored] != list(range(1, count + 1)):
                return f"after {show(acts)}, the entries of {tenant} are numbered {show([row[0] for row in stored])}"
            for seq, body in stored:
                said = json.loads(body)
                if (said["tenant"], said["seq"]) != (tenant, seq):
                    return f"entry {seq} of {tenant} says that it is {show(said.get('seq'))} of {said.get('tenant')}"
                previous = _link(previous, body.encode())
                got = ask(module, "hash_at", tx, tenant, seq)
                if got != previous:
                    return f"after {show(acts)}, entry {seq} of {tenant} has the hash {_hex(got)}, not {_hex(previous)}"
            found = ask(module, "head", tx, tenant)
            if (found.seq, found.hash) != (count, previous):
                return f"after {show(acts)}, your head of {tenant} is entry {found.seq}, {_hex(found.hash)}"
            if ask(module, "hash_at", tx, tenant, count + 1) is not None:
                return f"your hash_at(tx, {tenant!r}, {count + 1}) gave a hash; there is no such entry"
        if (named := list(ask(module, "tenants", tx))) != sorted({act[0] for act in acts}):
            return f"after {show(acts)}, your tenants(tx) gave {show(named)}"
    return None


@examples(most=25, acts=acts, seen=st.integers(0, 4))
def a_cache_is_told_what_came_after(module: Any, acts: list[tuple[str, ...]], seen: int) -> str | None:
    """Who has followed up to an entry is told every later one of its tenant, and each memory they touched once."""
    later = [act for act in acts if act[0] == "north"][seen:]
    with _opened() as tx:
        _appended(module, tx, acts)
        entries, touched = ask(module, "passed_since", tx, "north", seen)
        if [seq for seq, _ in entries] != list(range(seen + 1, seen + 1 + len(later))):
            return f"after {show(acts)}, your passed_since(tx, 'north', {seen}) told {show(entries)}"
        if touched != list(dict.fromkeys(act[2] for act in later)):
            return f"after {show(acts)}, your passed_since(tx, 'north', {seen}) said {show(touched)} were touched"
        got = ask(module, "has_since", tx, "north", seen, "forget")
        if bool(got) is not any(act[1] == "forget" for act in later):
            return f"after {show(acts)}, your has_since(tx, 'north', {seen}, 'forget') gave {show(got)}"
    return None


@examples(stored=st.sampled_from(["ab", None, 7, b"ab", memoryview(b"ab")]))
def what_is_no_bytes_is_none_at_all(module: Any, stored: object) -> str | None:
    """Stored bytes come back as they are; whatever else somebody put in their place is b""."""
    got = ask(module, "raw", stored)
    due = bytes(stored) if isinstance(stored, bytes | memoryview) else b""
    if type(got) is not bytes or got != due:
        return f"{yours('raw', stored)} gave {show(got)}, {show(due)} was due"
    return None


_GENESIS = hashlib.sha256(b"teachmem/audit/1/genesis").digest()


def _link(previous: bytes, body: bytes) -> bytes:
    """Compute a hash once more: the oracle."""
    return hashlib.sha256(b"teachmem/audit/1\n" + previous + body).digest()


class _Undone(Exception):
    """Nothing of these entries is committed: no memory stands behind them."""


@contextmanager
def _opened() -> Iterator[Transaction]:
    with Database.open(":memory:") as database, suppress(_Undone), database.write() as tx:
        yield tx
        raise _Undone


def _appended(module: Any, tx: Transaction, acts: list[tuple[str, ...]]) -> None:
    for number, (tenant, action, memory) in enumerate(acts):
        body = {
            "time": number,
            "actor": "dock-1",
            "action": action,
            "resource": memory,
            "event": f"act-{number}",
            "touched": [{"id": memory, "version": 1}],
        }
        before = ask(module, "head", tx, tenant, lock=True)
        after = ask(module, "append", tx, before, body)
        if tx.appended[-1:] != [after]:
            raise AssertionError("append did not leave the new head in tx.appended")


def _hex(value: object) -> str:
    return value.hex()[:12] + "..." if isinstance(value, bytes) else show(value)


CONTRACT = Contract(
    "ledger.chain",
    tuple(
        "DOMAIN GENESIS Head Finding link head raw tenants latest hash_at passed_since has_since append".split()
    ),
    (
        a_hash_covers_the_one_before_and_every_byte,
        a_chain_begins_at_a_fixed_place,
        entries_are_linked_and_numbered_without_a_gap,
        a_cache_is_told_what_came_after,
        what_is_no_bytes_is_none_at_all,
    ),
)
