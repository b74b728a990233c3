"""Probes of the tombstone: what a person said no to stays out, through every door and for good."""

from __future__ import annotations

import tempfile
import unicodedata
from pathlib import Path

from teachmem.marks.probe import control, expect, probe, refused, texts
from teachmem.marks.system import Actor, System

CODE = "The door code of the café is 4411"
SPELLINGS = (
    CODE,
    CODE.upper(),
    "  the door   code of the CAFÉ is 4411. ",
    unicodedata.normalize("NFD", CODE),
    "Ｔhe door code of the café is ４４１１",
)


def rejected(system: System, text: str = CODE) -> tuple[Actor, Actor]:
    """Let an agent write a text and a person reject it; return both."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    held = agent.write(text)
    control(text in texts(agent.recall(text)), "the value is found before it is rejected")
    person.reject(held, "not to be kept")
    control(text not in texts(agent.recall(text)), "rejecting it takes it out")
    agent.write("the yard is wide")
    control("the yard is wide" in texts(agent.recall("the yard is wide")), "another text is taken after")
    return agent, person


def expect_out(actor: Actor, text: str, door: str) -> None:
    """Expect that the value is found in no spelling."""
    found = [one for one in texts(actor.recall(text)) if "4411" in unicodedata.normalize("NFKC", one)]
    expect(not found, f"{door}, it is back: {found[:1]!r}")


@probe(
    "tombstone", name="written_again", asks="Is a rejected text kept out if another agent writes it again?"
)
def written_again(system: System) -> str:
    """Reject, then write the same words as somebody else."""
    agent, _ = rejected(system)
    other = system.acting("dock-2")
    why = refused(other.write, CODE)
    expect_out(agent, CODE, "written again by another agent")
    return f"it stayed out ({why or 'without a word'})"


@probe(
    "tombstone",
    name="other_spellings",
    asks="Is a rejected text kept out in capitals, with other spaces, an é coded otherwise, wide letters?",
)
def other_spellings(system: System) -> str:
    """Reject, then write it in five spellings."""
    agent, _ = rejected(system)
    for text in SPELLINGS:
        refused(agent.write, text)
        expect_out(agent, text, f"written as {text!r}")
    return f"{len(SPELLINGS)} spellings stayed out"


@probe(
    "tombstone",
    name="through_revision",
    asks="Is a rejected text kept out if another memory is changed to say it?",
)
def through_revision(system: System) -> str:
    """Reject, then revise something else."""
    agent, _ = rejected(system)
    other = agent.write("gate four is open")
    agent.revise(other, "gate four is shut")
    control("gate four is shut" in texts(agent.recall("gate four is shut")), "a memory can be changed")
    refused(agent.revise, other, CODE)
    expect_out(agent, CODE, "by changing another memory")
    return "no memory could be changed to say it"


@probe(
    "tombstone",
    name="through_an_event_or_note",
    asks="Is a rejected text kept out of the context if it is logged as an event or noted?",
)
def through_an_event_or_note(system: System) -> str:
    """Reject, then log it and note it."""
    agent, _ = rejected(system)
    agent.log("somebody typed the code at the door")
    agent.note("the door of the café sticks")
    context = agent.context("the door of the café")
    control("typed the code" in context and "sticks" in context, "events and notes are in the context")
    for door, act in {"logged": agent.log, "noted": agent.note}.items():
        refused(act, CODE)
        expect("4411" not in agent.context("the door code of the café"), f"{door}, it is in the context")
    return "neither an event nor a note brought it back"


@probe(
    "tombstone",
    name="through_an_edit",
    asks="Is a rejected text kept out if something that waits for approval is edited to say it?",
)
def through_an_edit(system: System) -> str:
    """Reject, then edit what waits, and approve it."""
    agent, person = rejected(system)
    agent.propose("belt two was oiled")
    item = next(one for one in person.pending() if one.text == "belt two was oiled")
    person.edit(item.id, "belt two was oiled twice")
    control("belt two was oiled twice" in texts(person.pending()), "what waits can be edited")
    refused(person.edit, item.id, CODE)
    refused(person.decide, item.id, "approve")
    expect_out(agent, CODE, "by an edit")
    return "what waits could not be edited to say it"


@probe(
    "tombstone",
    name="through_an_import",
    asks="Is a rejected text kept out if yesterday's export is imported?",
)
def through_an_import(system: System) -> str:
    """Export, reject one of two, withdraw the other, and import."""
    agent, steward = system.acting("dock-1"), system.acting("data-officer", steward=True)
    held = agent.write(CODE)
    agent.write("the yard is wide")
    with tempfile.TemporaryDirectory(prefix="teachmem-probe-") as folder:
        path = Path(folder) / "yesterday"
        steward.export(path)
        control(path.stat().st_size > 0, "an export is written")
        steward.reject(held, "not to be kept")
        refused(steward.load, path)
    control("the yard is wide" in texts(agent.recall("the yard is wide")), "what was not rejected is there")
    expect_out(agent, CODE, "by an import")
    return "the import brought it not back"


@probe(
    "tombstone",
    name="through_a_restore",
    asks="Is a rejected text kept out if yesterday's backup is restored?",
    files=True,
)
def through_a_restore(system: System) -> str:
    """Back up, reject, lose nothing else, and restore."""
    agent, steward = system.acting("dock-1"), system.acting("data-officer", steward=True)
    held = agent.write(CODE)
    agent.write("the yard is wide")
    with tempfile.TemporaryDirectory(prefix="teachmem-probe-") as folder:
        path = Path(folder) / "backup"
        system.backup(path)
        control(path.exists(), "a backup is made")
        steward.reject(held, "not to be kept")
        refused(steward.restore, path)
    control("the yard is wide" in texts(agent.recall("the yard is wide")), "what was not rejected is there")
    expect_out(agent, CODE, "by a restore")
    return "the restore brought it not back"


@probe(
    "tombstone",
    name="through_a_summary",
    asks="Is a rejected text kept out if a model sums it up from events again?",
)
def through_a_summary(system: System) -> str:
    """Reject, then let a model conclude it, and approve what is proposed."""
    agent, person = rejected(system)
    first = agent.log("somebody typed at the door")
    made = agent.consolidate([("The door was used.", [first]), (CODE, [first])])
    for item in person.pending():
        refused(person.decide, item, "approve")
    control(
        made >= 1 and "The door was used." in texts(agent.recall("The door was used.")),
        "another summary is held",
    )
    expect_out(agent, CODE, "by a summary")
    expect(made == 1, f"it was proposed again, with {made - 1} more")
    return "the model's other fact was proposed, this one was not"


@probe(
    "tombstone",
    name="through_approval",
    asks="Is a rejected text kept out if it was waiting for approval when it was rejected?",
)
def through_approval(system: System) -> str:
    """Let a text wait, reject the same value elsewhere, and approve."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    for text in (CODE, "belt two was oiled"):
        agent.write(text, source="web")
    waiting = {item.text: item for item in person.pending()}
    control(set(waiting) == {CODE, "belt two was oiled"}, "both texts wait")
    person.decide(waiting["belt two was oiled"].id, "approve")
    control("belt two was oiled" in texts(agent.recall("belt two was oiled")), "approving works")
    person.reject(agent.write(CODE + "!"), "not to be kept")
    refused(person.decide, waiting[CODE].id, "approve")
    expect_out(agent, CODE, "by approval")
    return "approving asked the tombstone"


@probe(
    "tombstone", name="after_two_months", asks="Is a rejected text still kept out after 31 and after 62 days?"
)
def after_two_months(system: System) -> str:
    """Reject, let the time pass, and write it again."""
    agent, _ = rejected(system)
    for days in (31, 62):
        system.advance(31 * 24)
        refused(agent.write, CODE)
        expect_out(agent, CODE, f"after {days} days")
    return "after two months it is still out"


@probe(
    "tombstone",
    name="another_claim_passes",
    asks="Can another claim be written: another number, a negation, another sentence in the same script?",
)
def another_claim_passes(system: System) -> str:
    """Reject two texts, then write some that are like them and say something else."""
    agent, _ = rejected(system)
    rejected(system, "電壓過高")
    for text in (
        "The door code of the café is 4412",
        "The door code of the café is not 4411",
        "三號碼頭已關閉",
    ):
        why = refused(agent.write, text)
        expect(text in texts(agent.recall(text)), f"{text!r} is kept out too: {why}")
    return "three other claims were taken"


@probe(
    "tombstone",
    name="skill_in_other_words",
    asks="Is a rejected skill kept out if a model words the same experience otherwise?",
)
def skill_in_other_words(system: System) -> str:
    """Let a skill be proposed, reject it, and let it be worded anew."""
    agent, person = system.acting("dock-1"), system.acting("shift-lead", person=True)
    for number in range(3):
        for text in (f"gripper of unit {number} slipped", f"sprayed unit {number} with oil"):
            system.advance(0.02)
            agent.log(text, session=f"s{number}")
    control(agent.distil("Oil the gripper") == 1, "a skill is proposed")
    person.decide(person.pending()[0], "reject")
    again = agent.distil("Grease the jaws")
    expect(again == 0 and not person.pending(), "the same experience was proposed again as 'Grease the jaws'")
    return "no other title brought it back"
