"""Every door of every handle, found by introspection: none lets a rejected value in, none is forgotten.

A new public method has to be named here: as a door, with a way to try a value at it, or as one that brings
no new text into memory.
"""

import ast
import inspect
import json

import pytest
from helpers import SRC, opened
from spellings import spellings

import teachmem
from teachmem import MemoryRefused
from teachmem.flow.models import ScriptedModel
from teachmem.principal import Principal
from teachmem.tiers import catalogue

VALUE = "Café door has status ﬁxed open"
TRIPLE = {"subject": "Café door", "predicate": "has_status", "object": "ﬁxed open"}
VARIANTS = spellings(VALUE)

QUIET = {
    # they read
    *(f"working.{name}" for name in ("read", "context", "stats")),
    *(f"episodic.{name}" for name in ("recall", "recent", "since", "stats")),
    *(f"semantic.{name}" for name in ("get", "history", "list", "search", "search_documents", "stats")),
    *(f"graph.{name}" for name in ("edges", "neighbours", "path", "stats")),
    *(f"procedural.{name}" for name in ("choose", "get", "list", "uses")),
    *("context", "keystones", "trail", "tombstones", "review.inbox", "export"),
    # they withdraw, decide or pin, and write no text of the caller's as a memory
    *("working.clear", "semantic.retract", "graph.unlink", "retract_skill", "lift", "keystone"),
    *("semantic.reject", "review.reject", "review.defer", "review.quarantine", "forget"),
    # they write words of their own
    *("procedural.use", "insights"),
}


class World:
    """A store with the people and agents that the doors need."""

    def __init__(self, mem, folder):
        self.mem, self.folder = mem, folder
        self.tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        self.mate = mem.agent("dock-2", fleet="dock", tenant="northlight")
        self.lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        self.steward = mem.person("officer", fleet="dock", tenant="northlight", clearance=3)


def each(act):
    """A door that needs no preparation: try `act(world, text)` for every text."""
    return lambda world, texts: [lambda text=text: act(world, text) for text in texts]


def many(world, texts):
    def act(text):
        (receipt,) = world.tech.semantic.remember_many([{"content": text}])
        if receipt.verdict == "refused":
            raise MemoryRefused(receipt)
        return receipt

    return [lambda text=text: act(text) for text in texts]


def revisions(world, texts):
    fact = world.tech.semantic.remember("the yard is wide").memory.memory_id
    return [lambda text=text: world.tech.semantic.revise(fact, content=text) for text in texts]


def returns(world, texts):
    """Memories that were withdrawn before the value was rejected, and are to come back."""
    acts = []
    for number, text in enumerate(texts):
        words = {"session": f"s{number}"}
        note = world.tech.working.write("door", "observed", f"{number}", text, **words).memory.memory_id
        acts.append(lambda note=note: world.lead.set_status(note, "active", "needed again"))
    world.tech.working.clear(everything=True)
    return acts


def candidates(world, texts):
    """Candidates that were staged before the value was rejected."""
    for number, text in enumerate(texts):
        world.tech.working.write("door", "observed", f"{number}", text, session=f"s{number}", source="web")
    return world.lead.review.inbox()


def approvals(world, texts):
    return [
        lambda item=item: world.lead.review.approve(item.candidate_id) for item in candidates(world, texts)
    ]


def bulk_approvals(world, texts):
    def act(item):
        (receipt,) = world.lead.review.bulk("approve", [item])
        if receipt.verdict == "refused":
            raise MemoryRefused(receipt)
        return receipt

    return [lambda item=item: act(item) for item in candidates(world, texts)]


def edits(world, texts):
    world.tech.semantic.remember("the yard is narrow", source="web")
    item = world.lead.review.inbox()[0].candidate_id
    return [lambda text=text: world.lead.review.edit(item, text) for text in texts]


def dreams(world, texts):
    """A model that says the value again, whatever it is shown."""

    def act(text):
        seen = world.tech.episodic.log("observation", "the yard was swept", happened_at=world.mem.clock.now())
        world.mem.clock.advance(minutes=1)
        told = {"facts": [{"content": text, "evidence": [seen.memory.memory_id]}]}
        report = world.tech.consolidate(ScriptedModel(json.dumps(told)))
        assert not report.proposed
        assert report.skipped_tombstoned == 1
        raise MemoryRefused(_refused_by_tombstone())

    return [lambda text=text: act(text) for text in texts]


def skills_from_experience(world, texts):
    """A rejected skill in other words, and a skill whose step is the rejected value."""
    for number in range(6):
        seen, done = ("gripper slipped", "cleaned pads") if number < 3 else ("belt squeaked", "oiled rollers")
        world.tech.episodic.log("observation", f"{seen} on unit {number}", f"d{number}")
        world.tech.episodic.log("tool_call", f"{done} of unit {number}", f"d{number}")
    world.tech.distil(limit=1)
    world.lead.review.reject(world.lead.review.inbox()[0], "it makes things worse")

    def act(text):
        told = {"title": "Open it", "trigger": "a door", "steps": ["look", text]}
        model = ScriptedModel(json.dumps(told))
        report = world.tech.distil(model)
        assert not report.proposed
        assert (report.skipped_tombstoned, report.counts["refused"], len(model.calls)) == (1, 1, 1)
        raise MemoryRefused(_refused_by_tombstone())

    return [lambda text=text: act(text) for text in texts]


def questions(world, texts):
    """A question is answered all the same; that it was asked is not kept."""

    def act(text):
        answer = world.tech.ask(text)
        assert answer.state.logged is None
        assert any("a person rejected this value" in remark for remark in answer.state.remarks)
        raise MemoryRefused(_refused_by_tombstone())

    return [lambda text=text: act(text) for text in texts]


def imports(world, texts):
    """An export of another store, in which the value is live."""
    with opened() as there:
        person = there.person("officer", fleet="dock", tenant="northlight", clearance=3)
        for number, text in enumerate(texts):
            person.working.write("door", "observed", f"{number}", text, session=f"s{number}")
        person.export(world.folder / "there.jsonl")

    def act():
        report = world.steward.load_export(world.folder / "there.jsonl")
        assert (report.accepted, report.staged, len(report.refused)) == (0, 0, len(texts))
        assert all(why.startswith("tombstone") for _, _, why in report.refused)
        raise MemoryRefused(_refused_by_tombstone())

    return [act]


def restores(world, texts):
    """A backup of another day, in which the value is live."""
    path = world.folder / "backup.db"
    with teachmem.open_memory(path, clock=world.mem.clock) as there:
        agent = there.agent("dock-1", fleet="dock", tenant="northlight")
        for number, text in enumerate(texts):
            agent.working.write("door", "observed", f"{number}", text, session=f"s{number}")

    def act():
        report = world.steward.restore(path)
        assert (report.accepted, report.staged, len(report.refused)) == (0, 0, len(texts))
        assert all(why.startswith("tombstone") for _, _, why in report.refused)
        raise MemoryRefused(_refused_by_tombstone())

    return [act]


def skills(world, texts):
    head = "---\nname: open-door\ntitle: Open\ntrigger: a door\narguments:\n---\n"
    return [lambda text=text: world.lead.load_skills([head + text]) for text in texts if text.strip() == text]


def documents(world, texts):
    """A catalogue row whose sentence is the value; only its own words can be spelled otherwise."""
    row = {"id": "NL-1", "name": "Café door", "model": "Tern 2", "category": "door", "summary": "Opens ﬁrst."}
    receipt = world.steward.load_catalogue([row])[0]
    world.steward.semantic.reject(receipt.memory.memory_id, "recalled")
    rows = [
        {name: spell(value) for name, value in row.items()}
        for spell in (str.upper, str.lower, str.title, lambda text: "\u200b".join(text))
    ]
    assert catalogue.text_of(rows[0]) != catalogue.text_of(row)
    return [lambda row=row: world.steward.load_catalogue([row]) for row in rows]


def _refused_by_tombstone():
    from teachmem import Outcome, Receipt, Step, Verdict

    return Receipt(Verdict.REFUSED, steps=(Step("tombstone", Outcome.REFUSED),))


DOORS = {
    "working.write": each(lambda w, text: w.tech.working.write("door", "observed", "state", text)),
    "working.write (rewrites)": each(
        lambda w, text: w.tech.working.write("door", "observed", "x", "see it", rewrites={"enriched": text})
    ),
    "episodic.log": each(lambda w, text: w.tech.episodic.log("observation", text)),
    "semantic.remember": each(lambda w, text: w.mate.semantic.remember(text)),
    "semantic.remember (the claim)": each(
        lambda w, text: w.mate.semantic.remember(f"in other words {len(text)} times", **TRIPLE)
    ),
    "semantic.remember (a person)": each(lambda w, text: w.lead.semantic.remember(text)),
    "semantic.remember (web)": each(lambda w, text: w.tech.semantic.remember(text, source="web")),
    "semantic.remember_many": many,
    "semantic.revise": revisions,
    "semantic.revise (another's)": lambda world, texts: revisions(
        type("Other", (), {"tech": world.lead})(), texts
    ),
    "graph.link": each(lambda w, text: w.tech.graph.link("yard", "located_in", "dock", text)),
    "graph.link (the claim)": each(lambda w, text: w.tech.graph.link(*TRIPLE.values())),
    "report_outcome": each(lambda w, text: w.tech.report_outcome("success", text)),
    "set_status": returns,
    "review.approve": approvals,
    "review.bulk": bulk_approvals,
    "review.edit": edits,
    "consolidate": dreams,
    "distil": skills_from_experience,
    "ask": questions,
    "load_export": imports,
    "restore": restores,
    "load_skills": skills,
    "load_catalogue": documents,
}


def methods(handle):
    """Yield the path of every public method of a handle and of what it holds."""
    for name in dir(handle):
        value = getattr(handle, name)
        if name.startswith("_") or isinstance(value, Principal):
            continue
        if inspect.ismethod(value):
            yield name
        elif type(value).__module__.startswith("teachmem."):
            yield from (
                f"{name}.{inner}"
                for inner, _ in inspect.getmembers(value, inspect.ismethod)
                if inner[0] != "_"
            )


def test_every_public_method_is_a_door_that_is_walked_or_brings_no_text_in(tmp_path):
    with opened() as mem:
        world = World(mem, tmp_path)
        found = {*methods(world.tech), *methods(world.steward)}
    named = {door.partition(" ")[0] for door in DOORS} | QUIET
    assert found - named == set(), "new methods: are they doors? then tombstones must hold at them"
    assert named - found == set()


@pytest.mark.parametrize("door", DOORS)
def test_no_spelling_of_a_rejected_value_comes_in(tmp_path, door):
    assert len(VARIANTS) >= 100
    with opened() as mem:
        world = World(mem, tmp_path)
        acts = DOORS[door](world, VARIANTS)
        said = world.tech.semantic.remember(VALUE, **TRIPLE).memory.memory_id
        world.lead.semantic.reject(said, "not so")
        for act in acts:
            with pytest.raises(MemoryRefused) as caught:
                act()
            assert caught.value.receipt.steps[-1].check == "tombstone"
        held = [*world.steward.semantic.list(), *world.tech.working.read(), *world.tech.episodic.recent(500)]
        assert not {"café", "CAFÉ"} & {word for one in held for word in one.content.split()}
        assert (
            not any("door" in item.content.casefold() for item in world.lead.review.inbox())
            or "review" in door
        )
        assert mem.audit.verify(deep=True).status == "complete"


def modules():
    for path in sorted((SRC / "teachmem").rglob("*.py")):
        yield (
            path.relative_to(SRC / "teachmem").with_suffix("").as_posix(),
            ast.parse(path.read_text("utf-8")),
        )


def test_a_new_memory_is_added_by_the_gate_and_by_nobody_else():
    """So every door there is, or will be, in process or over a network, leads through the checks."""
    found = {
        module
        for module, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("act", "change")
    }
    assert found == {"rules/gate", "bench/fill"}  # a benchmark fills its own store


def test_a_server_tool_and_a_command_act_through_a_handle_only():
    for module, tree in modules():
        if module.startswith(("server/", "commands/")):
            imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            names = {f"{node.module}.{alias.name}" for node in imported for alias in node.names}
            assert not {name for name in names if name.startswith("teachmem.rules.gate")}, module
