"""What any `flow.consolidate` must obey: each memory is read once, no answer does harm, people decide."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from teachmem import store
from teachmem.course.rebuilding import small
from teachmem.course.rebuilding.law import Contract, ask, examples, show
from teachmem.errors import ModelUnavailable
from teachmem.record import Draft

ID = re.compile(r"^\[([^\s|\]]+) \|", re.MULTILINE)
Answer = Callable[[list[str]], object]


class Model:
    """A language model that answers by a rule; `shown` are the ids that each call showed it."""

    name = "scripted"

    def __init__(self, answer: Answer, while_it_thinks: Callable[[], object] = lambda: None) -> None:
        self.answer, self.while_it_thinks = answer, while_it_thinks
        self.shown: list[list[str]] = []

    def complete(self, instructions: str, text: str, *, most_tokens: int = 1024) -> str:
        """Return what the rule says of the ids in `text`."""
        ids = ID.findall(text)
        self.shown.append(ids)
        self.while_it_thinks()
        told = self.answer(ids)
        if isinstance(told, Exception):
            raise told
        return told if isinstance(told, str) else json.dumps(told)


def one_fact(ids: list[str]) -> object:
    """Say one fact that rests on all that was shown."""
    return {"facts": [{"content": "the arms drift after lunch", "confidence": 0.9, "evidence": ids}]}


USELESS: dict[str, Answer] = {
    "nothing": lambda ids: "",
    "no JSON": lambda ids: "As an assistant I cannot sum this up.",
    "no list": lambda ids: {"facts": "none"},
    "a fact without evidence": lambda ids: {"facts": [{"content": "arms drift", "evidence": []}]},
    "evidence that does not exist": lambda ids: {
        "facts": [{"content": "arms drift", "evidence": ["note-9999"]}]
    },
    "no answer at all": lambda ids: ModelUnavailable("out of reach"),
    "a crash": lambda ids: ZeroDivisionError("a bug of theirs"),
}


@examples(most=12, notes=st.integers(0, 3), runs=st.integers(1, 3))
def each_memory_is_read_once(module: Any, notes: int, runs: int) -> str | None:
    """A run reads what no run has read, however often it is run; where nothing is due, no model is called."""
    with small.opened() as mem:
        _noted(mem, notes)
        model = Model(one_fact)
        outcomes = [_run(module, mem, model).outcome for _ in range(runs)]
        again: list[str] = []
        grown = small.grown(mem, lambda: again.append(_run(module, mem, model).outcome))
        waiting = len(small.lead(mem).review.inbox())
    due = ["proposed" if notes and not run else "nothing due" for run in range(runs)]
    if outcomes != due:
        return f"{notes} notes and {runs} runs: your outcomes were {show(outcomes)}, {show(due)} was due"
    if len(model.shown) != bool(notes):
        return f"{notes} notes and {runs + 1} runs: your module called the model {len(model.shown)} times"
    if again != ["nothing due"] or grown:
        return f"{notes} notes: the run after {runs} runs gave {show(again)} and wrote {show(grown)}"
    if waiting != bool(notes):
        return f"{notes} notes and {runs + 1} runs: {waiting} proposals wait for a person, {int(bool(notes))} was due"
    return None


@examples(most=14, what=st.sampled_from(list(USELESS)))
def a_useless_answer_changes_nothing(module: Any, what: str) -> str | None:
    """An answer that is empty, malformed, unfounded or does not come writes nothing, and the batch stays due."""
    with small.opened() as mem:
        _noted(mem, 2)
        told: list[Any] = []
        grown = small.grown(mem, lambda: told.append(_run(module, mem, Model(USELESS[what]))))
        if grown or told[0].proposed:
            return f"the model answered with {what}; your module wrote {show(grown)} and proposed {show(told[0].proposed)}"
        if told[0].outcome not in ("no answer", "unusable answer") or not told[0].more:
            return f"the model answered with {what}; your outcome is {show(told[0].outcome)}, more due: {told[0].more}"
        after = Model(one_fact)
        if _run(module, mem, after).outcome != "proposed" or after.shown != [["note-0001", "note-0002"]]:
            return (
                f"after an answer of {what}, the next run was shown {show(after.shown)}; both notes were due"
            )
    return None


@examples(
    most=15,
    claims=st.lists(
        st.lists(
            st.sampled_from(["note-0001", "note-0002", "note-0009", "fact-0001"]), max_size=2, unique=True
        ),
        max_size=3,
    ),
)
def a_claim_rests_on_what_was_shown(module: Any, claims: list[list[str]]) -> str | None:
    """A claim without evidence, or with any that is not in the batch, is dropped; the others are proposed."""
    facts = [{"content": f"arm {place} drifts", "evidence": ids} for place, ids in enumerate(claims)]
    founded = [ids for ids in claims if ids and set(ids) <= {"note-0001", "note-0002"}]
    with small.opened() as mem:
        _noted(mem, 2)
        small.lead(mem).semantic.remember("bay two is closed")  # fact-0001: it is there, and was not shown
        report = _run(module, mem, Model(lambda ids: {"facts": facts}))
        waiting = [list(one.draft.evidence) for one in small.lead(mem).review.inbox()]
    if sorted(waiting) != sorted(founded):
        return f"of claims on {show(claims)}, {show(waiting)} wait for a person; {show(founded)} was due"
    if len(report.proposed) != len(founded):
        return f"of claims on {show(claims)}, your report says that {show(report.proposed)} were proposed"
    return None


@examples(most=8, private=st.booleans(), sure=st.sampled_from([0.2, 0.9, None]))
def a_proposal_waits_and_claims_no_more_than_it_rests_on(
    module: Any, private: bool, sure: float | None
) -> str | None:
    """What is proposed is believed by nobody yet, is no wider than its narrowest evidence, and is an inference."""
    with small.opened() as mem:
        tech = small.handle(mem)
        _noted(mem, 1)
        if private:
            tech.episodic.log("observation", "the arms drift, I think", visibility="agent")
        _run(
            module,
            mem,
            Model(
                lambda ids: {"facts": [{"content": "the arms drift", "confidence": sure, "evidence": ids}]}
            ),
        )
        if tech.semantic.search("the arms drift"):
            return "what was proposed is found by a search, and no person has decided"
        person = small.lead(mem, clearance=3)
        (one,) = person.review.inbox()
        due = "agent" if private else "team"
        if one.draft.visibility != due:
            return f"a proposal that rests on {'a private event' if private else 'notes'} is for the {one.draft.visibility}"
        decided = person.review.approve(one.candidate_id).memory
        assert decided is not None
        if not decided.is_inferred or decided.source != "inferred":
            return f"a proposal became a memory with source {decided.source}, inferred: {decided.is_inferred}"
        if decided.confidence != (0.5 if sure is None else sure):
            return f"a claim of confidence {sure} became a memory of confidence {decided.confidence}"
    return None


@examples(most=6, limit=st.integers(1, 3))
def a_run_proposes_no_more_than_it_was_asked_for(module: Any, limit: int) -> str | None:
    """At most `limit` facts are proposed, whatever the model says; it is told the limit."""
    with small.opened() as mem:
        _noted(mem, 4)
        model = Model(
            lambda ids: {"facts": [{"content": f"{one} matters", "evidence": [one]} for one in ids]}
        )
        report = _run(module, mem, model, limit)
        waiting = len(small.lead(mem).review.inbox())
    if (waiting, len(report.proposed)) != (limit, limit):
        return f"with limit={limit} and four claims, {waiting} wait for a person and {show(report.proposed)} are reported"
    return None


@examples(most=6, word=st.sampled_from(["arm 1", "lunch"]))
def a_rejected_value_is_not_brought_up(module: Any, word: str) -> str | None:
    """What `rejected` says of a memory or a claim is heeded: neither shown to the model nor proposed."""

    def rejected(tx: object, who: object, draft: Draft, now: int) -> bool:
        return word in draft.content

    with small.opened() as mem:
        _noted(mem, 2)  # "arm 1 drifts", "arm 2 drifts"
        model = Model(one_fact)  # which speaks of lunch
        report = ask(module, "consolidate", mem._kit, small.handle(mem).principal, model, 5, None, rejected)
        waiting = [one.draft.content for one in small.lead(mem).review.inbox()]
    shown = model.shown[0] if model.shown else []
    due = ["note-0002"] if word == "arm 1" else ["note-0001", "note-0002"]
    if shown != due:
        return f"where everything with {word!r} is rejected, your module showed {show(shown)} to the model; {show(due)} was due"
    if any(word in text for text in waiting):
        return f"where everything with {word!r} is rejected, your module proposed {show(waiting)}"
    if report.skipped_tombstoned != 1:
        return f"one value was left aside; your report says {report.skipped_tombstoned}"
    return None


@examples(most=4, notes=st.integers(1, 2))
def of_two_runs_over_one_batch_one_counts(module: Any, notes: int) -> str | None:
    """While the model thinks, another run reads the same batch: the slower one is overtaken and writes nothing."""
    with small.opened() as mem:
        _noted(mem, notes)
        inner: list[Any] = []
        model = Model(one_fact, lambda: inner.append(_run(module, mem, Model(one_fact))))
        outer = _run(module, mem, model)
        waiting = len(small.lead(mem).review.inbox())
    if (inner[0].outcome, outer.outcome, outer.proposed) != ("proposed", "overtaken", ()):
        return f"two runs read the same {notes} notes; the quick one was {inner[0].outcome!r}, the slow one {outer.outcome!r}"
    if waiting != 1:
        return f"two runs read the same {notes} notes, and {waiting} proposals wait for a person"
    return None


def _noted(mem: store.MemoryStore, notes: int) -> None:
    for number in range(1, notes + 1):
        small.handle(mem).working.write(f"arm-{number}", "observed", "drift", f"arm {number} drifts")


def _run(module: Any, mem: store.MemoryStore, model: Model, limit: int = 5) -> Any:
    return ask(module, "consolidate", mem._kit, small.handle(mem).principal, model, limit)


CONTRACT = Contract(
    "flow.consolidate",
    ("Consolidation", "consolidate"),
    (
        each_memory_is_read_once,
        a_useless_answer_changes_nothing,
        a_claim_rests_on_what_was_shown,
        a_proposal_waits_and_claims_no_more_than_it_rests_on,
        a_run_proposes_no_more_than_it_was_asked_for,
        a_rejected_value_is_not_brought_up,
        of_two_runs_over_one_batch_one_counts,
    ),
)
