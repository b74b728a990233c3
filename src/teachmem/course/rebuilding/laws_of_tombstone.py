"""What any `rules.tombstone` must obey: a rejected value is known again, in any spelling, and another is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from teachmem import store
from teachmem.clock import from_micros, to_micros
from teachmem.course.rebuilding import small
from teachmem.course.rebuilding.law import Contract, ask, examples, show, yours
from teachmem.ledger.schema import tombstones
from teachmem.normal import normal_form
from teachmem.principal import Principal
from teachmem.record import Draft
from teachmem.vocabulary import Role, Tier, Visibility

KEYS = ("00" * 32, "01" * 32)
texts = st.sampled_from(
    ["The door code is 4411", "arm 7 may run unguarded", "Die Tür öffnet um 9", "дверь закрыта"]
)
others = st.sampled_from(
    ["The door code is 4412", "The door code is not 4411", "the window code is 4411", "arm"]
)
SPELLINGS: dict[str, Callable[[str], str]] = {
    "in capitals": str.upper,
    "with spaces": lambda text: f"  {text.replace(' ', '   ')}\n",
    "with a full stop": lambda text: f"{text}.",
    "with its accents apart": lambda text: text.replace("ü", "u\u0308").replace("ö", "o\u0308"),
    "with a hidden sign": lambda text: text[:2] + "\u200b" + text[2:],
    "as it is": lambda text: text,
}
spellings = st.sampled_from(list(SPELLINGS))
moments = st.none() | st.integers(0, 9)
ids = st.lists(st.sampled_from("abcd"), max_size=4)


@examples(text=texts, other=others, way=spellings)
def a_value_has_one_print(module: Any, text: str, other: str, way: str) -> str | None:
    """Every spelling of a value has the same print; another number, a "not" or another word has another."""
    kept, asked = ask(module, "value_print", KEYS[0], text), SPELLINGS[way](text)
    if ask(module, "value_print", KEYS[0], asked) != kept:
        return f"your value_print tells {show(text)} from {show(asked)}, which is the same value {way}"
    if normal_form(other) != normal_form(text) and ask(module, "value_print", KEYS[0], other) == kept:
        return f"your value_print does not tell {show(text)} from {show(other)}"
    return None


@examples(text=texts)
def a_print_is_nothing_without_its_key(module: Any, text: str) -> str | None:
    """Under another key a value has another print, and a claim's print is none of a text."""
    prints = [ask(module, "value_print", key, text) for key in KEYS]
    prints += [ask(module, "triple_print", key, (text, "has_status", "open")) for key in KEYS]
    prints.append(ask(module, "value_print", KEYS[0], f"{text} has_status open"))
    if len(set(prints)) != len(prints) or not all(isinstance(one, str) and len(one) >= 32 for one in prints):
        return f"your prints of {show(text)} under two keys, as a text and in a claim, are {show(prints)}"
    return None


@examples(subject=texts, way=spellings)
def a_claim_has_one_print(module: Any, subject: str, way: str) -> str | None:
    """A claim's print takes any spelling of subject and object, keeps the three apart, and the predicate whole."""
    kept = ask(module, "triple_print", KEYS[0], (subject, "located_in", "bay two"))
    same = (SPELLINGS[way](subject), "located_in", SPELLINGS[way]("bay two"))
    if ask(module, "triple_print", KEYS[0], same) != kept:
        return f"your triple_print does not know {show(same)} again"
    for other in (
        (subject, "has_status", "bay two"),
        ("bay two", "located_in", subject),
        (f"{subject} located_in bay", "located_in", "two"),
        (subject, "LOCATED_IN", "bay two"),
    ):
        if ask(module, "triple_print", KEYS[0], other) == kept:
            return f"your triple_print does not tell {show(other)} from {show(same)}"
    return None


@examples(tier=st.sampled_from(list(Tier)), predicate=st.sampled_from(["", "located_in"]))
def a_claim_is_of_the_world(module: Any, tier: Tier, predicate: str) -> str | None:
    """A semantic memory with a predicate claims something of the world; a note's triple only files the note."""
    got = ask(module, "claim_of", tier, "arm 7", predicate, "bay two")
    due = ("arm 7", predicate, "bay two") if tier is Tier.SEMANTIC and predicate else ()
    if tuple(got) != due:
        return f"{yours('claim_of', str(tier), 'arm 7', predicate, 'bay two')} gave {show(got)}, {show(due)} was due"
    return None


@examples(until=moments, lifted_at=moments, now=st.integers(0, 9))
def it_stands_until_its_end_or_until_it_is_lifted(
    module: Any, until: int | None, lifted_at: int | None, now: int
) -> str | None:
    """Without an end it stands for good; at its end it has lapsed; once lifted it is lifted, whatever its end."""
    one = ask(module, "to_tombstone", _row(until=until, lifted_at=lifted_at), now)
    due = (
        "lifted" if lifted_at is not None else "lapsed" if until is not None and until <= now else "standing"
    )
    if one.state != due:
        return f"at {now}, a tombstone until {until}, lifted at {lifted_at}, is {show(one.state)}; {due!r} was due"
    if one.name != ("tombstone" if until is None else "moratorium"):
        return f"a tombstone until {until} is called {show(one.name)}"
    return None


@examples(one=ids, other=ids)
def overlap_is_a_share_of_the_smaller(module: Any, one: list[str], other: list[str]) -> str | None:
    """The overlap of two sets is what they share, as a part of the smaller one; of nothing it is 0."""
    least = min(len(set(one)), len(set(other)))
    due = len(set(one) & set(other)) / least if least else 0.0
    if (got := ask(module, "overlap", one, other)) != due:
        return f"{yours('overlap', one, other)} gave {show(got)}, {show(due)} was due"
    return None


@examples(
    fleets=st.sampled_from([(), ("dock",), ("line",), ("dock", "line")]),
    fleet=st.sampled_from(["dock", "line"]),
    clearance=st.integers(0, 3),
)
def who_sees_it_and_who_lifts_it(
    module: Any, fleets: tuple[str, ...], fleet: str, clearance: int
) -> str | None:
    """People see what holds for their fleet, and lift what holds for it alone; a steward sees and lifts all."""
    who = Principal("northlight", fleet, "lead", Role.PERSON, clearance)  # type: ignore[arg-type]
    one = SimpleNamespace(fleets=fleets)
    for name, due in (
        ("may_see", clearance == 3 or not fleets or fleet in fleets),
        ("may_lift", clearance == 3 or fleets == (fleet,)),
    ):
        if bool(ask(module, name, who, one)) is not due:
            told = "all" if not fleets else " and ".join(fleets)
            return f"your {name} says {not due} of a person of {fleet}, clearance {clearance}, and one for {told}"
    return None


@examples(most=20, text=texts, other=others, way=spellings, fleet=st.sampled_from(["dock", "line"]))
def a_rejected_value_is_found_in_the_store(
    module: Any, text: str, other: str, way: str, fleet: str
) -> str | None:
    """What a person rejected is found again where they rejected it, in any spelling, and nothing else is."""
    with small.opened() as mem:
        said = small.lead(mem).semantic.remember(text)
        assert said.memory is not None
        small.lead(mem).semantic.reject(
            said.memory.memory_id, "wrong", until=small.START + timedelta(hours=1)
        )
        asked = SPELLINGS[way](text)
        at_home, told = fleet == "dock", f"after {show(text)} was rejected for dock, your exact in {fleet}"
        if _found(module, mem, fleet, asked) is not at_home:
            return f"{told} {'lets in' if at_home else 'stops'} {show(asked)}"
        if normal_form(other) != normal_form(text) and _found(module, mem, fleet, other):
            return f"{told} stops {show(other)}, which nobody rejected"
        if _found(module, mem, fleet, asked, tenant="southgate"):
            return f"{told} stops {show(asked)} in another company"
        if _found(module, mem, fleet, asked, hours=1):
            return f"{told} stops {show(asked)} at the end of its moratorium"
    return None


def _found(
    module: Any, mem: store.MemoryStore, fleet: str, text: str, tenant: str = "northlight", hours: int = 0
) -> bool:
    who = Principal(tenant, fleet, f"{fleet}-9")
    draft = Draft(tier=Tier.SEMANTIC, kind="fact", content=text, visibility=Visibility.TEAM)
    with mem._database.read() as tx:
        now = to_micros(small.START + timedelta(hours=hours))
        found = ask(module, "exact", tx, who, fleet, draft, ("", "", ""), now) is not None
        if bool(ask(module, "rejected", tx, who, draft, now)) is not found:
            raise AssertionError("`rejected` says another thing than `exact`")
        return found


def _row(**changed: Any) -> dict[str, Any]:
    """Return the row of a tombstone as the table has it."""
    row: dict[str, Any] = dict.fromkeys(tombstones.c.keys(), "")
    row |= {"kind": "value", "triple": None, "evidence": "[]", "made_at": to_micros(from_micros(0))}
    return row | {"lifted_by": None, "lifted_because": None} | changed


CONTRACT = Contract(
    "rules.tombstone",
    tuple(
        "ALL SAME_CLUSTER Tombstone value_print triple_print claim_of keys exact rejected near cluster overlap "
        "may_see may_lift every row_of to_tombstone fleets_of".split()
    ),
    (
        a_value_has_one_print,
        a_print_is_nothing_without_its_key,
        a_claim_has_one_print,
        a_claim_is_of_the_world,
        it_stands_until_its_end_or_until_it_is_lifted,
        overlap_is_a_share_of_the_smaller,
        who_sees_it_and_who_lifts_it,
        a_rejected_value_is_found_in_the_store,
    ),
)
