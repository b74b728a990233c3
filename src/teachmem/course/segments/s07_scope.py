"""Exercises 7.3 and 7.4: the clause, and the path that does not use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show
from teachmem.principal import Principal
from teachmem.rules import scope
from teachmem.vocabulary import Clearance, Role


class Reader(NamedTuple):
    """Who asks."""

    tenant: str
    fleet: str
    name: str
    clearance: int


class Row(NamedTuple):
    """What of a memory says who may read it."""

    tenant: str
    fleet: str
    agent: str
    visibility: str


May = Callable[[Reader, Row], Any]
NAMES = ("dock-1", "dock-10", "Dock-1", "d%")
FLEETS = ("dock", "dock2", "line")


def _due(reader: Reader, row: Row) -> bool:
    who = Principal(reader.tenant, reader.fleet, reader.name, Role.AGENT, Clearance(reader.clearance))
    return scope.may_read(who, *row)


def _wrong(may: May, reader: Reader, row: Row) -> str | None:
    got = call(may, reader, row)
    if type(got) is not bool:
        raise Wrong(f"may_read({_said(reader)}, {_said(row)}) gave {show(got)}; True or False was due")
    due = _due(reader, row)
    return None if got is due else f"may_read({_said(reader)}, {_said(row)}) gave {got}; {due} was due"


def _said(given: tuple[Any, ...]) -> str:
    return f"{type(given).__name__}({', '.join(repr(part) for part in given)})"


def _first(found: Iterable[str | None]) -> str | None:
    return next((wrong for wrong in found if wrong), None)


def _rows(**fixed: str) -> list[Row]:
    every = product(("northlight", "southgate"), FLEETS, NAMES, ("org", "team", "agent"))
    rows = (Row(*parts) for parts in every)
    return [row for row in rows if all(getattr(row, name) == value for name, value in fixed.items())]


READER = Reader("northlight", "dock", "dock-1", 1)


def no_tenant_reads_another(may: May) -> str | None:
    """Nothing of another tenant is read, by whomever and whatever it is."""
    readers = (READER._replace(clearance=level) for level in range(4))
    return _first(_wrong(may, who, row) for who in readers for row in _rows(tenant="southgate"))


def org_is_for_all_of_the_tenant(may: May) -> str | None:
    """What is written for the organisation is read in every fleet of the tenant."""
    return _first(_wrong(may, READER, row) for row in _rows(tenant="northlight", visibility="org"))


def team_is_for_the_fleet(may: May) -> str | None:
    """A team row is read in its own fleet, and from clearance 2 on in every fleet of the tenant."""
    readers = [READER._replace(clearance=level) for level in range(4)]
    return _first(
        _wrong(may, who, row) for who in readers for row in _rows(tenant="northlight", visibility="team")
    )


def private_is_private(may: May) -> str | None:
    """A private row is read by its writer alone: same fleet, same name, whatever the clearance."""
    readers = [READER._replace(clearance=level) for level in range(4)]
    return _first(
        _wrong(may, who, row) for who in readers for row in _rows(tenant="northlight", visibility="agent")
    )


def an_unknown_visibility_is_nobodys(may: May) -> str | None:
    """A visibility that is none of the three is read by nobody."""
    return _first(
        _wrong(may, READER, Row("northlight", "dock", "dock-1", word)) for word in ("", "public", "ORG")
    )


def _by_prefix(may: May) -> bool:
    own = call(may, READER, Row("northlight", "dock", "dock-10", "agent"))
    other = call(may, READER, Row("northlight", "dock", "line-3", "agent"))
    return bool(own and not other) or bool(call(may, READER, Row("northlight", "dock2", "x", "team")))


def _fleet_is_enough(may: May) -> bool:
    return bool(call(may, READER, Row("northlight", "dock", "line-3", "agent")))


def _clearance_opens_all(may: May) -> bool:
    high = READER._replace(clearance=3)
    return bool(call(may, high, Row("northlight", "line", "line-3", "agent"))) or bool(
        call(may, high, Row("southgate", "dock", "dock-1", "team"))
    )


def _tenant_last(may: May) -> bool:
    return bool(call(may, READER, Row("southgate", "line", "x", "org"))) or bool(
        call(may, READER, Row("southgate", "dock", "dock-1", "team"))
    )


CLAUSE = Exercise(
    id="7.3",
    title="The clause",
    concept="scope",
    expected="a function of a reader and a row",
    fits=is_function,
    laws=(
        no_tenant_reads_another,
        org_is_for_all_of_the_tenant,
        team_is_for_the_fleet,
        private_is_private,
        an_unknown_visibility_is_nobodys,
    ),
    yes="tenant first, then one of three ways, and every name compared whole",
    misconceptions=(
        Misconception(
            "names match by their beginning",
            "dock-10 begins with dock-1 and is somebody else. Compare names whole, byte for byte.",
            _by_prefix,
        ),
        Misconception(
            "the fleet is enough",
            "A private row has a fleet too: its writer's. Who wrote it for itself did not write it for the fleet.",
            _fleet_is_enough,
        ),
        Misconception(
            "clearance opens everything",
            "Clearance 2 opens team rows of every fleet of one's own tenant. Private rows and other tenants stay shut.",
            _clearance_opens_all,
        ),
        Misconception(
            "org means everybody",
            "The organisation is the tenant. The tenant is compared first, and every way in begins with it.",
            _tenant_last,
        ),
    ),
    hints=(
        "Which comparison comes first, whatever the visibility says?",
        "There are three visibilities. Which names does each of them compare?",
        "What does your function say of a visibility that is none of the three?",
    ),
)

# ---- 7.4 -------------------------------------------------------------------------------------------

Shown = dict[str, dict[str, set[str]]]
Find = Callable[[Shown, dict[str, set[str]]], Any]
ALLOWED = {"dock-1": {"a", "b"}, "dock-2": {"b"}, "line-3": {"c"}}
TIGHT: Shown = {"list": ALLOWED, "search": {"dock-1": {"a"}, "dock-2": set(), "line-3": {"c"}}}
LEAKY: Shown = {**TIGHT, "graph": {"dock-1": {"a", "b"}, "dock-2": {"a", "b"}, "line-3": {"c"}}}
SWAPPED: Shown = {"list": ALLOWED, "stats": {"dock-1": {"b"}, "dock-2": {"a"}, "line-3": {"c"}}}
BOTH: Shown = {"graph": {"dock-1": {"c"}, "dock-2": {"b"}}, "export": {"line-3": {"a"}}, "list": ALLOWED}
EMPTY: Shown = {"list": {}, "graph": {"dock-1": set()}}


def _found(find: Find, shown: Shown) -> set[str]:
    got = call(find, shown, ALLOWED)
    if not isinstance(got, set | frozenset | list | tuple):
        raise Wrong(f"leaking_paths gave {show(got)}; a set of names was due")
    return {str(name) for name in got}


def _judge(find: Find, shown: Shown, due: set[str], because: str) -> str | None:
    got = _found(find, shown)
    return None if got == due else f"you named {show(sorted(got))}; {show(sorted(due))} was due: {because}"


def names_the_path_that_shows_too_much(find: Find) -> str | None:
    """A path leaks if it shows one reader one memory that this reader may not see."""
    return _judge(find, LEAKY, {"graph"}, "graph shows 'a' to dock-2, who may see 'b' alone") or _judge(
        find, BOTH, {"graph", "export"}, "graph shows 'c' to dock-1, export shows 'a' to line-3"
    )


def showing_less_is_no_leak(find: Find) -> str | None:
    """A search that returns few of what may be seen leaks nothing."""
    return _judge(find, TIGHT, set(), "search shows less than may be seen, and nothing else")


def each_reader_is_asked_alone(find: Find) -> str | None:
    """The same number of rows, or the same rows over all readers, can still be a leak."""
    return _judge(find, SWAPPED, {"stats"}, "stats shows 'a' to dock-2; that others may see it is no excuse")


def nothing_shown_is_nothing_leaked(find: Find) -> str | None:
    """A path that shows nothing leaks nothing."""
    return _judge(find, EMPTY, set(), "neither path shows anything")


def _counts(find: Find) -> bool:
    return "stats" not in _found(find, SWAPPED) and "graph" in _found(find, LEAKY)


def _any_difference(find: Find) -> bool:
    return "search" in _found(find, TIGHT)


def _stops_at_first(find: Find) -> bool:
    return len(_found(find, BOTH)) == 1


LEAKS = Exercise(
    id="7.4",
    title="The leaking path",
    concept="admissible clause",
    expected="a function of what each path shows and what each reader may see",
    fits=is_function,
    laws=(
        names_the_path_that_shows_too_much,
        showing_less_is_no_leak,
        each_reader_is_asked_alone,
        nothing_shown_is_nothing_leaked,
    ),
    yes="for each path and each reader, what is shown is a part of what may be seen",
    misconceptions=(
        Misconception(
            "the total is right",
            "One row too many for one reader and one too few for another give the same total. Ask for each reader alone.",
            _counts,
        ),
        Misconception(
            "every difference is a leak",
            "A search shows the best few. Showing less is another fault, or none. A leak is what may not be seen and is shown.",
            _any_difference,
        ),
        Misconception(
            "one leak is all there is",
            "A filter that was copied once was copied twice. Look at every path.",
            _stops_at_first,
        ),
    ),
    hints=(
        "For one path and one reader: which rows are shown, and which of them should not be?",
        "What does Python say for `shown - allowed` of two sets?",
        "What is the least that makes a path a leaking one: one reader, all of them, or the sum?",
    ),
)
