"""What any `rules.gate` must obey: every check in its order, the first no ends it, and a no writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from teachmem import store
from teachmem.course.rebuilding import small
from teachmem.course.rebuilding.law import Contract, Wrong, ask, examples, show, yours
from teachmem.errors import MemoryRefused
from teachmem.principal import Principal
from teachmem.record import Draft, Memory, Receipt, Step
from teachmem.rules.case import Case, Check
from teachmem.vocabulary import Outcome, Role, Tier, Verdict

ENDS = (Outcome.REFUSED, Outcome.DUPLICATE)
ALL = ("passed", "noted", "staged", "duplicate", "refused")
DOCK = Principal("northlight", "dock", "dock-1")
NOTE = Draft(
    tier=Tier.WORKING, kind="note", content="arm 1 drifts", session="s1",
    subject="arm-1", predicate="observed", object="drift",
)  # fmt: skip


@examples(most=40, outcomes=st.lists(st.sampled_from(ALL), max_size=4))
def the_first_no_ends_it(module: Any, outcomes: list[str]) -> str | None:
    """Checks are asked one after the other; a refusal or a duplicate ends it, and nothing of it is written.

    A check that stages lets the others be asked; then a person decides. The receipt has every step, in order.
    """
    asked: list[int] = []
    due = next((place + 1 for place, one in enumerate(outcomes) if Outcome(one) in ENDS), len(outcomes))
    last = outcomes[due - 1] if outcomes else "passed"
    verdict = last if last in ("refused", "duplicate") else "staged" if "staged" in outcomes else "accepted"
    grows = {"accepted": {"memories": 1, "audit": 1}, "staged": {"candidates": 1, "audit": 1}}.get(
        verdict, {}
    )
    told = f"of checks that say {show(outcomes)}, your gate"
    with small.opened() as mem:
        gate = _gate(module, mem, [_check(place, one, asked) for place, one in enumerate(outcomes)])
        receipts: list[Receipt] = []
        grown = small.grown(mem, lambda: receipts.append(_written(gate, NOTE)))
    if asked != list(range(due)):
        return f"{told} asked number {show([place + 1 for place in asked])}; {show(list(range(1, due + 1)))} was due"
    if receipts[0].verdict != verdict:
        return f"{told} gave {show(str(receipts[0].verdict))}, {verdict!r} was due"
    names = [step.check for step in receipts[0].steps]
    steps = [
        "shape",
        "clearance",
        *(f"check {place + 1}" for place in range(due)),
        *(["write"] if grows else []),
    ]
    if names != steps:
        return f"{told} left the trail {show(names)}, {show(steps)} was due"
    if grown != grows:
        return f"{told} gave {verdict!r} and wrote {show(grown)}, {show(grows)} was due"
    return None


@examples(
    most=20, content=st.sampled_from(["arm 1 drifts", " two  spaces\n", "Ünïcode é", "x" * 900, "Do NOT!"])
)
def what_is_accepted_is_kept_word_for_word(module: Any, content: str) -> str | None:
    """An accepted text is kept as it was given, by who gave it, with the entry of the receipt."""
    with small.opened() as mem:
        receipt = _written(_gate(module, mem), replace(NOTE, content=content))
        kept = small.handle(mem).working.read()
        if [memory.content for memory in kept] != [content]:
            return f"{show(content)} was written through your gate, {show([one.content for one in kept])} is read"
        if receipt.memory is None or receipt.memory.memory_id != kept[0].memory_id:
            return f"your receipt names {show(receipt.memory)}, not {kept[0].memory_id}"
        if (kept[0].agent, kept[0].seq) != ("dock-1", receipt.audit_seq):
            return (
                f"{kept[0].memory_id} is by {kept[0].agent}, entry {kept[0].seq}; your receipt says {receipt}"
            )
    return None


@examples(most=20, times=st.integers(1, 3), other=st.booleans())
def a_retry_writes_nothing(module: Any, times: int, other: bool) -> str | None:
    """The same request again is answered by its first receipt; another text under its id is refused."""
    with small.opened() as mem:
        gate = _gate(module, mem)
        first = _written(gate, NOTE, "request-1")
        for _ in range(times):
            again: list[Receipt] = []
            grown = small.grown(mem, lambda: again.append(_written(gate, NOTE, "request-1")))  # noqa: B023
            if grown or again[0].memory is None or again[0].memory != first.memory:
                return (
                    f"the same request again gave {again[0]} and wrote {show(grown)}; the first gave {first}"
                )
        if other:
            told: list[Receipt] = []
            changed = replace(NOTE, content="arm 2 drifts")
            grown = small.grown(mem, lambda: told.append(_written(gate, changed, "request-1")))
            if told[0].verdict is not Verdict.REFUSED or grown:
                return (
                    f"another text under the id of a request was {told[0].verdict}, and {show(grown)} written"
                )
    return None


@examples(
    most=40,
    role=st.sampled_from([Role.AGENT, Role.PERSON]),
    clearance=st.integers(0, 3),
    content=st.sampled_from(["arm 1 drifts", "", "a\x00b"]),
    visibility=st.sampled_from(["team", "agent", "org"]),
    request=st.sampled_from([None, "r1", "", "r" * 300]),
)
def shape_and_clearance_come_first(
    module: Any, role: Role, clearance: int, content: str, visibility: str, request: str | None
) -> str | None:
    """A text or an id of a bad shape, then a clearance that is too low, is refused before any check is asked.

    What is for the whole organisation, by an agent or a person below clearance 2, waits for a person.
    """
    who = Principal("northlight", "dock", "somebody", role, clearance)  # type: ignore[arg-type]
    bad = not content.isprintable() or content == "" or request == "" or len(request or "") > 200
    wide = visibility == "org" and not (role is Role.PERSON and clearance >= 2)
    due = "refused" if bad or clearance == 0 else "staged" if wide else "accepted"
    asked: list[int] = []
    draft = replace(NOTE, tier=Tier.SEMANTIC, kind="fact", content=content, visibility=visibility,
                    session="", subject=None, predicate=None, object=None)  # fmt: skip
    told = f"a text {show(content)} for the {visibility} by {role} of clearance {clearance}, request {show(request)},"
    with small.opened() as mem:
        gate = _gate(module, mem, [_check(0, "passed", asked)])
        receipt = _written(gate, draft, request, who)
    if receipt.verdict != due:
        return f"{told} was {receipt.verdict} by your gate; {due!r} was due"
    if bool(asked) is (due == "refused"):
        return f"{told} is {due}, and your gate asked {len(asked)} of its checks"
    names = [step.check for step in receipt.steps][: 1 if bad else 2]
    if names != (["shape"] if bad else ["shape", "clearance"]):
        return f"{told} left a trail that begins {show(names)}"
    return None


@examples(most=20, whose=st.lists(st.sampled_from(["dock-1", "dock-2"]), max_size=4))
def withdrawing_is_all_or_nothing(module: Any, whose: list[str]) -> str | None:
    """Withdrawing several is one act with one entry; if one of them is not yours to change, none is changed."""
    with small.opened() as mem:
        found: list[Memory] = []
        for number, name in enumerate(whose):
            note = small.handle(mem, name).working.write(
                f"arm-{number}", "observed", "drift", f"arm {number} drifts"
            )
            assert note.memory is not None
            found.append(note.memory)
        gate, receipts = _gate(module, mem), []
        find = lambda tx, now: list(found)  # noqa: E731
        act = lambda: receipts.append(_refusable(lambda: gate.withdraw(DOCK, find, action="working.clear")))  # noqa: E731
        grown = small.grown(mem, act)
        left = len(small.handle(mem).working.read())
    mine = "dock-2" not in whose
    due = {"memories": len(whose), "audit": 1} if whose and mine else {}
    told = f"dock-1 withdraws notes of {show(whose)}: your gate"
    if receipts[0].verdict != ("accepted" if mine else "refused"):
        return f"{told} gave {show(str(receipts[0].verdict))}"
    if grown != due or left != (0 if mine else len(whose)):
        return f"{told} wrote {show(grown)} and left {left}; {show(due)} was due"
    return None


@examples(request=st.none() | st.sampled_from(["", "r1", "r" * 200, "r" * 201, "a\x00", 7]))
def a_requests_id_is_a_name(module: Any, request: object) -> str | None:
    """A request's id is a text of 1 to 200 characters, or None; for anything else there is a sentence."""
    told = ask(module, "request_fault", request)
    good = request is None or (
        isinstance(request, str) and 1 <= len(request) <= 200 and "\x00" not in request
    )
    if (told is None) is not good or not isinstance(told, str | None):
        return f"{yours('request_fault', request)} gave {show(told)}"
    return None


def _gate(module: Any, mem: store.MemoryStore, checks: Sequence[Check] | None = None) -> Any:
    """Return the student's gate on a store, with the kit's checks or others."""
    kit = mem._kit.gate
    more: dict[str, Any] = {} if checks is None else {"checks": checks}
    return ask(module, "Gate", kit.database, kit.clock, kit.ids, **more)


def _check(place: int, outcome: str, asked: list[int]) -> Check:
    def check(case: Case) -> Step:
        asked.append(place)
        return Step(f"check {place + 1}", Outcome(outcome), f"says {outcome}")

    return check


def _written(gate: Any, draft: Draft, request: str | None = None, who: Principal = DOCK) -> Receipt:
    return _refusable(lambda: gate.write(who, draft, request))


def _refusable(act: Callable[[], Receipt]) -> Receipt:
    try:
        receipt = act()
    except MemoryRefused as refused:
        receipt = refused.receipt
    if not hasattr(receipt, "verdict"):
        raise Wrong(f"your gate gave {show(receipt)}, and no receipt")
    return receipt


CONTRACT = Contract(
    "rules.gate",
    ("Gate", "before", "request_fault"),
    (
        the_first_no_ends_it,
        what_is_accepted_is_kept_word_for_word,
        a_retry_writes_nothing,
        shape_and_clearance_come_first,
        withdrawing_is_all_or_nothing,
        a_requests_id_is_a_name,
    ),
)
