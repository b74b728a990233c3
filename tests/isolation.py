"""A population of memories, ten lines that say who may see what, and every public read of every handle.

Rows go into the table past the gate, so that every status, address and interval occurs. `READS` says for
each read what it shows; `WRITES` names what is no read. A public name that is in neither fails the test.
A further surface (the tools of a server) joins by adding to `SURFACES`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from helpers import connection

from teachmem import InvalidInput, MemoryStore, Role
from teachmem.clock import from_micros
from teachmem.ledger.schema import memories
from teachmem.store import Handle

HOUR = 3_600_000_000
TICKS = 8  # moments of a population's little world
LIVE = ("active", "pending", "confirmed")
INJECTION = "x'; DROP TABLE memories; --"
# Names that a careless filter takes for one another, for a pattern, or for a piece of SQL.
NAMES = [
    "dock",
    "Dock",
    "dock-1",
    "dock-10",
    "d%",
    "%",
    "_ock",
    "*",
    "o'c",
    'o"c',
    "do\nck",
    "dock ",
    "dоck",
    "é",
    "a/b",
    "..",
    "\\",
    INJECTION,
    '" OR 1=1 --',
    "NULL",
    "0",
]
WORDS = "gripper dryer hoist gate belt".split()
STATUSES = [*LIVE, *LIVE, "cancelled", "outdated", "conflicted", "archived", "deleted"]
KINDS = {
    "working": ["note"],
    "episodic": ["observation"],
    "semantic": ["fact", "fact", "plan", "document"],
    "procedural": ["skill"],
}
Version = dict[str, Any]
Shown = set[tuple[str, int]]


def moment(tick: int | None) -> int | None:
    return None if tick is None else tick * HOUR


def may_see(reader: Any, versions: list[Version], at: int, known_at: int | None) -> Version | None:
    """The reference: which version of a memory a reader may see, or None."""
    newest = versions[-1]
    if newest["tenant"] != reader.tenant:
        return None
    if newest["visibility"] == "team" and newest["fleet"] != reader.fleet and reader.clearance < 2:
        return None
    own = reader.widened or (newest["fleet"], newest["agent"]) == (reader.fleet, reader.name)
    if newest["visibility"] == "agent" and not own:
        return None
    known = [row for row in versions if known_at is None or row["recorded_at"] <= known_at]
    then = known[-1] if known else None
    if then is None or then["status"] not in LIVE or (then["valid_from"] or -HOUR) > at:
        return None
    return (
        None if any(then[end] is not None and then[end] <= at for end in ("valid_to", "expires_at")) else then
    )


def population(rng: random.Random, size: int) -> list[list[Version]]:
    """Return `size` memories of two tenants, each as its versions; some change their visibility later."""
    names = rng.sample(NAMES, 3)
    tenants = rng.sample(NAMES, 2)
    return [_versions(rng, number, tenants, names) for number in range(size)]


def _versions(rng: random.Random, number: int, tenants: list[str], names: list[str]) -> list[Version]:
    tier = rng.choice(list(KINDS))
    triple = rng.random() < 0.5 and tier == "semantic"
    fixed = {
        "memory_id": f"{tier}-{number}",
        "tenant": tenants[rng.random() < 0.2],
        "fleet": rng.choice(names),
        "agent": rng.choice(names),
        "session": rng.choice(names),
        "tier": tier,
        "kind": rng.choice(KINDS[tier]),
        "subject": f"skill-{number}"
        if tier == "procedural"
        else rng.choice(WORDS)
        if triple or tier == "working"
        else "",
        "predicate": "depends_on" if triple else "observed" if tier == "working" else "",
        "object": rng.choice(NAMES) if triple or tier == "working" else "",
        "source": "agent",
        "keystone": int(rng.random() < 0.3),
    }
    if fixed["kind"] == "document":  # as the catalogue writes them
        told = ("id", "model", "name", "category", "status", "component", "version", "summary")
        fixed["detail"] = json.dumps({"row": dict.fromkeys(told, fixed["memory_id"])})
    starts = sorted(rng.sample(range(TICKS), rng.choice([1, 1, 1, 2, 3])))
    visibility = rng.choice(["agent", "team", "team", "org"])
    found = []
    for version, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        if rng.random() < 0.2:
            visibility = rng.choice(["agent", "team", "org"])
        first, last = sorted(rng.sample(range(TICKS), 2))
        found.append(
            {
                **fixed,
                "version": version,
                "visibility": visibility,
                "status": rng.choice(STATUSES),
                "content": f"{' '.join(rng.sample(WORDS, 3))} {rng.choice(NAMES)} {number}",
                "importance": rng.choice([None, 0.0, 0.5, 1.0]),
                "valid_from": moment(rng.choice([None, None, first])),
                "valid_to": moment(rng.choice([None, None, last])),
                "expires_at": moment(rng.choice([None, None, None, last])),
                "recorded_at": moment(start),
                "superseded_at": moment(end),
                "seq": start * 1000 + number + 1,  # a later record has a later entry
            }
        )
    return found


REST = {
    "content_digest": "",
    "salt": b"",
    "confidence": None,
    "is_inferred": 0,
    "qualifiers": "{}",
    "detail": "{}",
}


def insert(mem: MemoryStore, everyone: Iterable[list[Version]]) -> None:
    """Put rows into the table as they are, past the gate; twins are nobody's concern here."""
    columns = memories.c.keys()
    marks = ", ".join("?" * len(columns))
    with connection(mem) as raw:
        for row in (row for versions in everyone for row in versions):
            whole = {**REST, **row}
            raw.execute(f"INSERT INTO memories VALUES ({marks})", [whole.get(name) for name in columns])


def chain_begins(mem: MemoryStore, tenant: str) -> None:
    """Leave one audit entry, so that the indexes have a chain to follow; nobody is told anything."""
    clerk = mem.person("a clerk of nobody's fleet", fleet="clerks", tenant=tenant, clearance=3)
    clerk.semantic.stats(widen="tenant")


@dataclass
class Asked:
    """One reader's question: the handle, the two times, and what else a read is told."""

    who: Handle
    times: dict[str, Any]
    ids: list[str]
    names: list[str] = field(default_factory=list)


def _ids(found: Iterable[Any]) -> Shown:
    rows = [getattr(item, "memory", item) for item in found]
    assert len({row.memory_id for row in rows}) == len(rows), "a memory was shown twice"
    return {(row.memory_id, row.version) for row in rows}


def _got(asked: Asked) -> Iterator[Any]:
    for memory_id in asked.ids:
        try:
            yield asked.who.semantic.get(memory_id, **asked.times)
        except LookupError:
            continue


def _told(answer: Any) -> str:
    """Return all that an answer says, what its nodes were given and gave included."""
    return f"{answer} {answer.trace}"


def _skills(asked: Asked) -> Iterator[Any]:
    for name in (f"skill-{memory_id.rpartition('-')[2]}" for memory_id in asked.ids):
        with suppress(InvalidInput):
            yield asked.who.procedural.get(name, **asked.times)


def _pages(asked: Asked) -> Iterator[Any]:
    for kind in (None, "document"):
        cursor = None
        while True:
            page = asked.who.semantic.list(kind=kind, limit=3, cursor=cursor, **asked.times)
            yield from page
            if page.cursor is None:
                break
            cursor = page.cursor


def _every_edge(asked: Asked) -> Iterator[Any]:
    seen = {}
    for name in [*WORDS, *NAMES]:
        for edge in asked.who.graph.neighbours(name, **asked.times):
            seen[edge.memory.memory_id] = edge
    return iter(seen.values())


def _paths(asked: Asked) -> Iterator[Any]:
    seen = {}
    for start in WORDS:
        for goal in NAMES:
            for edge in asked.who.graph.path(start, goal, **asked.times) or ():
                seen[edge.memory.memory_id] = edge
    return iter(seen.values())


QUESTION, MANY = " ".join(WORDS), 10_000
# What a read shows of which rows: "all" of a tier is compared as equal, "some" as a part of it.
READS: dict[str, tuple[str, Callable[[Asked], Any], Callable[[Version], bool]]] = {}


def read(name: str, how: str, rows: Callable[[Version], bool]) -> Callable[[Callable[[Asked], Any]], None]:
    def keep(shows: Callable[[Asked], Any]) -> None:
        READS[name] = (how, shows, rows)

    return keep


def of(tier: str, *kinds: str) -> Callable[[Version], bool]:
    return lambda row: row["tier"] == tier and (not kinds or row["kind"] in kinds)


def edges(row: Version) -> bool:
    return row["tier"] == "semantic" and row["predicate"] != ""


FACTS = of("semantic", "fact", "plan")
read("working.read", "all", of("working"))(lambda a: _ids(a.who.working.read(limit=MANY, **a.times)))
read("working.context", "all", of("working"))(
    lambda a: _ids([*(c := a.who.working.context(QUESTION, budget=10**6, **a.times)).lines, *c.skipped])
)
read("working.stats", "count", of("working"))(lambda a: a.who.working.stats(**a.times)["notes"])
read("episodic.recent", "all", of("episodic"))(lambda a: _ids(a.who.episodic.recent(MANY, **a.times)))
read("episodic.since", "all", of("episodic"))(
    lambda a: _ids(a.who.episodic.since(from_micros(-HOUR), **a.times))
)
read("episodic.stats", "count", of("episodic"))(lambda a: a.who.episodic.stats(**a.times)["events"])
read("episodic.recall", "all", of("episodic"))(
    lambda a: _ids(a.who.episodic.recall(QUESTION, MANY, **a.times))
)
read("semantic.search", "all", FACTS)(lambda a: _ids(a.who.semantic.search(QUESTION, MANY, **a.times)))
read("semantic.search_documents", "all", of("semantic", "document"))(
    lambda a: _ids(a.who.semantic.search_documents(QUESTION, MANY, **a.times))
)
read("semantic.get", "all", of("semantic"))(lambda a: _ids(_got(a)))
read("semantic.list", "all", of("semantic"))(lambda a: _ids(_pages(a)))
read("semantic.stats", "count", of("semantic"))(
    lambda a: (s := a.who.semantic.stats(**a.times))["facts"] + s["documents"]
)
read("graph.edges", "all", edges)(lambda a: _ids(a.who.graph.edges(**a.times)))
read("graph.neighbours", "all", edges)(lambda a: _ids(_every_edge(a)))
read("graph.path", "some", edges)(lambda a: _ids(_paths(a)))
read("graph.stats", "count", edges)(lambda a: a.who.graph.stats(**a.times)["edges"])
SKILLS = of("procedural")
read("procedural.list", "all", SKILLS)(lambda a: _ids(a.who.procedural.list(**a.times)))
read("procedural.choose", "all", SKILLS)(lambda a: _ids(a.who.procedural.choose(QUESTION, MANY, **a.times)))
read("procedural.get", "all", SKILLS)(lambda a: _ids(_skills(a)))
read("procedural.uses", "count", lambda row: False)(lambda a: a.who.procedural.uses("nobody's", **a.times))
read("keystones", "all", lambda row: row.get("keystone") == 1)(lambda a: _ids(a.who.keystones(**a.times)))
# What a model is handed: some lines of every tier, by their ids. No wider read is ever handed to a model.
read("context", "ids", lambda row: True)(
    lambda a: {
        line.id for line in a.who.context(QUESTION, 10**6, **a.times).lines if line.section != "untrusted"
    }
)
read("ask", "ids", lambda row: True)(
    lambda a: set(
        re.findall(r"\b(?:working|episodic|semantic|procedural)-\d+", _told(a.who.ask(QUESTION, **a.times)))
    )
)
NEVER_WIDENED = {"context", "ask"}
# The same read another way: other code answers it, so it is held to the same rows.
read("episodic.recall relevance=hybrid", "all", of("episodic"))(
    lambda a: _ids(a.who.episodic.recall(QUESTION, MANY, relevance="hybrid", **a.times))
)

# Reads without times, which tests ask on their own: a history shows any status or time (below), and what
# waits for a person, or was rejected, is no memory (tests/test_review.py and its neighbours).
ASKED_ELSEWHERE = {"trail", "semantic.history", "review.inbox", "tombstones", "export"}
WRITES = set(
    """working.write working.clear episodic.log semantic.remember semantic.remember_many semantic.revise
    semantic.retract semantic.reject forget graph.link graph.unlink procedural.use set_status keystone lift
    consolidate report_outcome load_catalogue load_export load_skills retract_skill review.approve
    review.reject review.edit review.defer review.quarantine review.bulk distil restore insights""".split()
)


def public_names(handle: Handle) -> set[str]:
    """Return every public method of a handle and of what hangs on it, by introspection."""
    found = set()
    for name in (name for name in dir(handle) if not name.startswith("_")):
        value = getattr(handle, name)
        if callable(value):
            found.add(name)
        elif type(value).__module__.startswith("teachmem.") and name != "principal":
            found |= {
                f"{name}.{inner}"
                for inner in dir(value)
                if not inner.startswith("_") and callable(getattr(value, inner))
            }
    return found


def known_names() -> set[str]:
    return {name.partition(" ")[0] for name in READS} | ASKED_ELSEWHERE | WRITES


# A surface lists its public names, and says which of them this kit knows.
SURFACES: dict[str, Callable[[MemoryStore], tuple[set[str], set[str]]]] = {
    "agent": lambda mem: (public_names(mem.agent("a", fleet="f", tenant="t")), known_names()),
    "person": lambda mem: (public_names(mem.person("p", fleet="f", tenant="t", clearance=3)), known_names()),
}


def handles(mem: MemoryStore, rng: random.Random, everyone: list[list[Version]], many: int) -> list[Handle]:
    """Return readers whose names are among those of the population, of every clearance."""
    tenants = sorted({versions[0]["tenant"] for versions in everyone})
    names = sorted({versions[0][part] for versions in everyone for part in ("fleet", "agent")})
    found, roles = [], {}
    for number in range(many):
        place = rng.choice(names), rng.choice(names), rng.choice(tenants)
        role = roles.setdefault(place, rng.choice([Role.AGENT, Role.PERSON]))  # a name is one author's
        make = mem.agent if role is Role.AGENT else mem.person
        found.append(make(place[0], fleet=place[1], tenant=place[2], clearance=number % 4))
    return found
