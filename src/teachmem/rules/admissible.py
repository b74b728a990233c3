"""The one clause that every read is filtered by: scope AND trust AND time.

A read that builds its own filter is a leak waiting for its day. So there is one function, and
the reads below use it: whole rows by address, and one row by its key, which has the last word on
whatever an index proposes.

Looking back does not undo governance: a version of the past is judged by its status and times of
then, and by the scope of the memory's newest version. What may not be seen today is not seen by asking
about yesterday.

>>> dock = Principal("northlight", "dock", "dock-1")
>>> sorted(binds(dock, at=10, known_at=None))
['at', 'reader_fleet', 'reader_name', 'reader_tenant']

Left out: ranking, and what a reader may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, literal_column, or_, select

from teachmem.clock import to_micros
from teachmem.ledger import rows
from teachmem.ledger.database import Prepared, Transaction
from teachmem.ledger.schema import memories
from teachmem.principal import Principal, checked_name, name_fault
from teachmem.record import Memory
from teachmem.rules import hindsight, scope, trust, validity
from teachmem.rules.scope import Reach
from teachmem.vocabulary import CATALOGUE_KINDS, Tier

_newest = memories.alias("newest")


def clause(far: Reach, past: bool = False, lapsed: bool = False) -> ColumnElement[bool]:
    """Return scope AND trust AND time, its values unbound; `binds()` gives them for a reader.

    `far` is how far the reader sees, `past` whether a `known_at` is asked for, `lapsed` whether what
    held once and is over counts too.
    """
    return and_(
        _looking_back(far) if past else scope.clause(far),
        trust.clause(),
        validity.valid_clause(lapsed),
        validity.known_clause(past),
    )


def _looking_back(far: Reach) -> ColumnElement[bool]:
    """Return who may see a version of the past: whoever may see the memory's newest version today.

    What was rejected since is hidden in hindsight as well, from all but people (`rules/hindsight.py`).
    """
    return and_(
        memories.c.tenant == bindparam("reader_tenant"),
        _newest.c.memory_id == memories.c.memory_id,
        _newest.c.superseded_at.is_(None),
        scope.clause(far, _newest),
    )


def _of_tier(past: bool, name: str | None) -> ColumnElement[bool]:
    """Return the filter by tier; one is said in any case, for the index has the tier before the fleet."""
    if name is None:
        return memories.c.tier.in_([literal_column(f"'{tier}'") for tier in Tier])
    wanted = memories.c.tier == bindparam(name)
    return and_(wanted, _newest.c.tier == bindparam(name)) if past else wanted  # a tier never changes


def binds(reader: Principal, at: int, known_at: int | None) -> dict[str, Any]:
    """Return the values of the clause: who reads, and the two times in microseconds."""
    times = {"at": at} if known_at is None else {"at": at, "known_at": known_at}
    return {**scope.binds(reader), **times}


FEW = 2_000  # memories of a scope that are sorted rather than looked for among all the latest of a tenant
FILTERS = ("tier", "session", "subject", "predicate", "object", "kind", "agent")


_happened = func.coalesce(memories.c.valid_from, memories.c.recorded_at)  # as `Memory.happened_at`
_EXTRA: dict[str, ColumnElement[bool]] = {
    "since": _happened >= bindparam("since"),
    "after": or_(
        memories.c.seq < bindparam("after_seq"),
        and_(memories.c.seq == bindparam("after_seq"), memories.c.memory_id > bindparam("after_id")),
    ),
    "no_documents": memories.c.kind.not_in([literal_column(f"'{kind}'") for kind in CATALOGUE_KINDS]),
    "keystones": and_(  # the tenant once more, for the index that has keystones alone
        memories.c.tenant == bindparam("reader_tenant"), memories.c.keystone == literal_column("1")
    ),
    "triples": and_(memories.c.subject != literal_column("''"), memories.c.predicate != literal_column("''")),
}


@cache
def _prepared(
    far: Reach,
    past: bool,
    lapsed: bool,
    filters: tuple[str, ...],
    extra: tuple[str, ...],
    page: bool,
    by_event: bool,
    latest: bool,
) -> Prepared:
    query: Select[Any] = select(*rows.SHOWN).where(clause(far, past, lapsed))
    for name in (name for name in filters if name != "tier"):
        query = query.where(memories.c[name] == bindparam(f"of_{name}"))
    query = query.where(_of_tier(past, "of_tier" if "tier" in filters else None))
    for name in extra:
        query = query.where(_EXTRA[name])
    if latest:  # said once more, for the index that has the latest events of a tenant first
        query = query.where(memories.c.tenant == bindparam("reader_tenant"))
    time = _happened if by_event else memories.c.recorded_at
    query = query.order_by(time.desc(), memories.c.seq.desc(), memories.c.memory_id)
    if page:
        query = query.limit(bindparam("limit"))
    return Prepared(query)


@cache
def _more_than_few(far: Reach) -> Prepared:
    of_tier = memories.c.tier == bindparam("tier")
    few: Select[Any] = select(literal_column("1")).select_from(memories).where(scope.clause(far), of_tier)
    return Prepared(few.limit(1).offset(FEW))


def _is_large(tx: Transaction, reader: Principal, tier: str) -> bool:
    """Say whether a scope is better looked for among the tenant's latest events than sorted."""
    return tx.one(_more_than_few(scope.reach(reader)), tier=tier, **scope.binds(reader)) is not None


def newest(
    tx: Transaction,
    reader: Principal,
    at: int,
    known_at: int | None = None,
    limit: int | None = None,
    *,
    by_event: bool = False,
    since: int | None = None,
    after: tuple[int, str] | None = None,
    no_documents: bool = False,
    triples: bool = False,
    keystones: bool = False,
    lapsed: bool = False,
    filters: Mapping[str, str | None] | None = None,
    **more: str | None,
) -> list[Memory]:
    """Return what `reader` may believe, newest record first; a filter left None does not filter.

    `by_event` sorts by when it happened instead; `since` leaves out what happened earlier; `after` is
    the (seq, id) that the page before ended with; `triples` and `keystones` leave out what is none;
    `lapsed` leaves in what is over.
    Raises `InvalidInput` for a filter that could be no name.
    """
    chosen = {name: value for name, value in {**(filters or {}), **more}.items() if value is not None}
    unknown = set(chosen) - set(FILTERS)
    if unknown:
        raise TypeError(f"no such filter: {', '.join(sorted(unknown))}")
    values: dict[str, Any] = {f"of_{name}": checked_name(name, value) for name, value in chosen.items()}
    if limit is not None:
        values["limit"] = limit
    if since is not None:
        values["since"] = since
    if after is not None:
        values["after_seq"], values["after_id"] = after
    asked = {
        "since": since is not None,
        "after": after is not None,
        "no_documents": no_documents,
        "triples": triples,
        "keystones": keystones,
    }
    kept = hindsight.prints(tx, reader) if known_at is not None else ()
    statement = _prepared(
        scope.reach(reader),
        known_at is not None,
        lapsed,
        tuple(sorted(chosen)),
        tuple(name for name, wanted in asked.items() if wanted),
        limit is not None and not kept,
        by_event,
        by_event and limit is not None and _is_large(tx, reader, str(chosen.get("tier", ""))),
    )
    found = [rows.to_memory(row) for row in tx.all(statement, **binds(reader, at, known_at), **values)]
    return hindsight.without(kept, found)[:limit] if kept else found


@cache
def _tallied(far: Reach, past: bool, columns: tuple[str, ...]) -> Prepared:
    by = [memories.c[name] for name in columns]
    counts = (func.count(), func.min(_happened), func.max(_happened))
    query = select(*by, *counts).where(clause(far, past), _of_tier(past, "tier"))
    return Prepared(query.group_by(*by))


def tally(
    tx: Transaction, reader: Principal, tier: str, columns: tuple[str, ...], at: int, known_at: int | None
) -> list[tuple[Any, ...]]:
    """Count what `reader` may believe of a tier, by the database, without reading a row.

    Returns, for each combination of values in `columns`: these values, how many memories have them, and
    when the oldest and the newest of these happened (microseconds).
    """
    if known_at is not None and hindsight.prints(tx, reader):  # only their texts tell which are hidden
        times: dict[tuple[str, ...], list[int]] = {}
        for row in newest(tx, reader, at, known_at, tier=str(tier)):
            values = tuple(str(getattr(row, name)) for name in columns)
            times.setdefault(values, []).append(to_micros(row.happened_at))
        return [(*values, len(some), min(some), max(some)) for values, some in times.items()]
    statement = _tallied(scope.reach(reader), known_at is not None, columns)
    groups = tx.all(statement, tier=str(tier), **binds(reader, at, known_at))
    for *said, _, oldest, latest in groups:
        rows.check((*said, oldest, latest), (*columns, "recorded_at", "recorded_at"))
    return groups


@cache
def _by_id(far: Reach, past: bool, only_scope: bool) -> Prepared:
    condition = and_(scope.clause(far), validity.known_clause(past)) if only_scope else clause(far, past)
    return Prepared(select(*rows.SHOWN).where(memories.c.memory_id == bindparam("id"), condition))


def by_id(
    tx: Transaction, reader: Principal, memory_id: str, at: int, known_at: int | None = None
) -> Memory | None:
    """Return one admissible memory by its key, or None: absent and out of scope are the same."""
    if not could_be_id(memory_id):
        return None
    statement = _by_id(scope.reach(reader), known_at is not None, only_scope=False)
    row = tx.one(statement, id=memory_id, **binds(reader, at, known_at))
    if row is None:
        return None
    found = rows.to_memory(row)
    if known_at is not None and not hindsight.without(hindsight.prints(tx, reader), [found]):
        return None
    return found


def by_ids(tx: Transaction, reader: Principal, ids: Iterable[str], at: int) -> list[Memory]:
    """Return those of `ids` that are admissible now, in their order; a server is asked for all at once."""
    statement = _by_id(scope.reach(reader), past=False, only_scope=False)
    found = tx.one_each(statement, "id", ids, **binds(reader, at, None))
    return [rows.to_memory(row) for row in found if row is not None]


def in_scope(tx: Transaction, reader: Principal, memory_id: str) -> Memory | None:
    """Return the current version if `reader` may see that it exists, whatever its status or time."""
    if not could_be_id(memory_id):
        return None
    statement = _by_id(scope.reach(reader), past=False, only_scope=True)
    row = tx.one(statement, id=memory_id, **scope.binds(reader))
    return rows.to_memory(row) if row else None


def of_tenant(tx: Transaction, tenant: str, memory_id: str) -> Memory | None:
    """Return the current version whoever may see it: for what a steward does to it, which is audited."""
    row = tx.one(_of_tenant, id=memory_id, tenant=tenant) if could_be_id(memory_id) else None
    return rows.to_memory(row) if row else None


def versions(tx: Transaction, reader: Principal, memory_id: str) -> list[Memory]:
    """Return every version of a memory, oldest first, if `reader` may see the newest one; else nothing."""
    if in_scope(tx, reader, memory_id) is None:
        return []
    found = [rows.to_memory(row) for row in tx.all(_versions, id=memory_id, tenant=reader.tenant)]
    return hindsight.without(hindsight.prints(tx, reader), found)


_of_tenant = Prepared(
    select(*rows.SHOWN).where(
        memories.c.memory_id == bindparam("id"),
        memories.c.tenant == bindparam("tenant"),
        memories.c.superseded_at.is_(None),
    )
)
_versions = Prepared(
    select(*rows.SHOWN)
    .where(memories.c.memory_id == bindparam("id"), memories.c.tenant == bindparam("tenant"))
    .order_by(memories.c.version)
)


def could_be_id(value: object) -> bool:
    """Say whether a database could hold `value` as an id; what could be none is absent like any other."""
    return isinstance(value, str) and name_fault(value) is None
