"""The lifecycle board: counted like the table, moves like the vocabulary, trials like the real thing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import ipywidgets
import pytest
from helpers import connection, everything, opened
from show_world import cells, parsed, text_rows, words_in

from teachmem import InvalidInput, show
from teachmem.errors import MemoryRefused, NotFound
from teachmem.principal import Principal
from teachmem.rules import standing
from teachmem.show import explore_board, live_board, trails
from teachmem.vocabulary import LIVE, TRANSITIONS, WITHHELD, Role, Status

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
SECRET = "the code of the side door"


def world():
    """Return a store with a memory in every state, one that has lapsed, and one that is another's own."""
    mem = opened(start=NOON)
    tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
    lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
    ids = {}
    for number, status in enumerate(Status):
        held = tech.semantic.remember(f"gate {number}: {SECRET if status in WITHHELD else 'open'}")
        ids[status] = held.memory.memory_id
        if status is not Status.ACTIVE:
            lead.set_status(ids[status], status, "as seen")
    tech.semantic.remember("the permit holds", expires_at=NOON + timedelta(minutes=1))
    tech.working.write("gate", "observed", "shut", "gate nine is shut")
    mem.agent("dock-2", fleet="dock", tenant="northlight").semantic.remember("mine alone", visibility="agent")
    mem.agent("cold-1", fleet="cold", tenant="northlight").semantic.remember("room three is cold")
    mem.clock.advance(hours=1)
    return mem, tech, ids


@pytest.fixture
def store():
    mem, tech, ids = world()
    yield mem, tech, ids
    mem.close()


def drawn(given):
    return [row for row in cells(parsed(show.html(given))) if len(row) == 5]


def test_the_counts_are_those_of_the_table_three_times(store):
    mem, tech, _ = store
    with connection(mem) as raw:
        statement = (
            "SELECT status, count(*), sum(status IN ('active', 'pending', 'confirmed') AND "
            "(expires_at IS NULL OR expires_at > ?)) FROM memories WHERE superseded_at IS NULL AND "
            "fleet = 'dock' AND (visibility != 'agent' OR agent = 'dock-1') GROUP BY status"
        )
        now = int(mem.clock.now().timestamp()) * 1_000_000
        true = {row[0]: [str(row[1]), str(row[2])] for row in raw.execute(statement, [now])}
    given = explore_board.gather(tech)
    assert {row[0]: row[2:4] for row in drawn(given)} == true
    told = text_rows(show.text(given), ["state", "recall", "memories", "returned"])[: len(Status)]
    assert {row[0]: row[2:4] for row in told} == true
    frame = show.table(given)
    assert {row[0]: [str(cell) for cell in row[2:4]] for row in frame.to_numpy()} == true
    boxes = [each.text.split(": ") for each in parsed(show.html(given)).iter("text") if ": " in each.text]
    assert {name.strip(): number.strip() for name, number in boxes if name.strip() in true} == {
        name: numbers[0] for name, numbers in true.items()
    }


def test_what_a_read_returns_is_what_it_counts_as_returned(store):
    _, tech, _ = store
    given = explore_board.gather(tech)
    admitted = {each.memory_id for each in given.held if each.admitted}
    assert admitted == {memory.memory_id for memory in [*tech.semantic.list(), *tech.working.read()]}
    assert "1 active has lapsed" in show.text(given)


@pytest.mark.parametrize(("role", "status"), list(product(Role, Status)))
def test_the_arrows_and_the_table_are_the_moves_of_the_vocabulary(store, role, status):
    _, tech, _ = store
    given = explore_board.gather(tech, role, status)
    due = {
        before: [str(a) for a, who in moves.items() if role in who] for before, moves in TRANSITIONS.items()
    }
    assert {row[0]: row[4] for row in drawn(given)} == {
        str(before): ", ".join(moves) or "nothing" for before, moves in due.items()
    }
    arrows = [path for path in parsed(show.html(given)).iter("path") if path.get("class") == "tm-line"]
    assert len(arrows) == len(due[status])
    assert f"may move what is {status} to: {', '.join(due[status]) or 'nothing'}" in show.text(given)


def test_every_state_is_named_and_the_live_alone_are_filled(store):
    _, tech, _ = store
    tree = parsed(show.html(explore_board.gather(tech)))
    filled = [rect for rect in tree.iter("rect") if "fill:" in rect.get("style", "")]
    assert len(filled) == len(LIVE) + 1  # the double edge is a second frame
    assert all(f" {status}: 1 " in words_in(tree) or status is Status.ACTIVE for status in Status)


def test_no_text_of_a_withheld_memory_and_no_foreign_id_gets_out(store):
    mem, tech, ids = store
    foreign = mem.agent("cold-1", fleet="cold", tenant="northlight").semantic.list()[0].memory_id
    panel = live_board.build(ipywidgets, tech)
    for twin in (*(child.value for child in panel.children[-2:]), show.text(explore_board.gather(tech))):
        assert SECRET not in twin
        assert foreign not in twin
    assert ids[Status.DELETED] in show.html(explore_board.gather(tech))


def test_an_empty_store_has_an_empty_board_and_no_widget():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        given = explore_board.gather(tech)
        assert "0 memories in the reach of dock-1, of which a read returns 0" in show.text(given)
        with pytest.raises(InvalidInput, match=r"^handle: "):
            live_board.build(ipywidgets, tech)


@pytest.mark.parametrize(("field", "said"), [("role", "nobody"), ("status", "draft")])
def test_a_bad_argument_is_refused_by_name(store, field, said):
    with pytest.raises(InvalidInput, match=f"^{field}:"):
        show.states(store[1], **{field: said})


# Trials


def outcome(act):
    try:
        receipt = act()
    except MemoryRefused as refused:
        receipt = refused.receipt
    return receipt.verdict, receipt.steps, None if receipt.memory is None else receipt.memory.status


@pytest.mark.parametrize(
    "name", ["dock-1 (agent)", "another agent", "a person of the fleet", "the system, by rule"]
)
def test_a_trial_is_told_what_the_real_move_is_told_and_changes_nothing(name):
    mem, tech, ids = world()
    who = explore_board.actors(tech.principal)[name]
    before = everything(mem)
    told = {
        pair: outcome(lambda pair=pair: explore_board.tried(tech, who, ids[pair[0]], pair[1]))
        for pair in product(Status, Status)
    }
    assert everything(mem) == before
    assert mem.audit.verify(deep=True).status == "complete"
    mem.close()
    for status in Status:
        real, real_tech, real_ids = world()
        true = outcome(
            lambda status=status, gate=real_tech._kit.gate, ids=real_ids: standing.set_status(
                gate, who, ids[Status.ACTIVE], status, explore_board.REASON
            )
        )
        trial = told[Status.ACTIVE, status]
        assert trial[0] == true[0]
        assert [step.outcome for step in trial[1]] == [step.outcome for step in true[1]]
        assert trial[2] == true[2]
        real.close()
    for (source, target), (verdict, *_) in told.items():
        legal = source is target or who.role in TRANSITIONS[source].get(target, ())
        assert (verdict != "refused") == legal


def test_after_trials_the_next_real_ids_and_entries_are_as_if_nothing_had_been_tried(store):
    mem, tech, ids = store
    mate = Principal("northlight", "dock", "another-agent", Role.AGENT)
    assert explore_board.tried(tech, mate, ids[Status.ACTIVE], "archived").verdict == "staged"
    receipt = tech.semantic.remember("gate ten is new")
    twin, twin_tech, _ = world()
    assert twin_tech.semantic.remember("gate ten is new").memory == replace(receipt.memory)
    assert mem.audit.verify().head == twin.audit.verify().head
    twin.close()


def test_what_the_actor_may_not_see_is_not_found(store):
    _, tech, _ = store
    own = tech.semantic.remember("for me alone", visibility="agent").memory.memory_id
    mate = explore_board.actors(tech.principal)["another agent"]
    with pytest.raises(NotFound):
        explore_board.tried(tech, mate, own, "archived")


# The widget


def test_every_step_of_the_widget_is_what_a_trial_says(store):
    mem, tech, _ = store
    before = everything(mem)
    box = live_board.build(ipywidgets, tech)
    _, who, what, where, picture, text = box.children
    assert [control.description for control in (who, what, where)] == ["who acts", "memory", "moves it to"]
    seen = set()
    for name, label, status in product(who.options, what.options, where.options):
        if len(seen) > 40 and status not in ("active", "confirmed"):
            continue
        who.value, what.value, where.value = name, label, status
        memory_id, state = label.split(", ")
        actor = explore_board.actors(tech.principal)[name]
        receipt = explore_board.tried(tech, actor, memory_id, status)
        given = replace(explore_board.gather(tech, actor.role, state), chosen=memory_id, to=Status(status))
        assert picture.value.endswith(show.html(given))
        words_of = explore_board.content(tech, memory_id)
        assert (words_of is None) != next(one.admitted for one in given.held if one.memory_id == memory_id)
        told = live_board.told(receipt, state, status, words_of)
        assert told.text() in parsed(text.value).find(".//pre").text
        assert trails.receipt(receipt).title in told.title
        seen.add(picture.value)
    assert len(seen) > 80
    assert everything(mem) == before


def test_a_memory_that_the_actor_cannot_see_is_a_sentence(store):
    _, tech, _ = store
    tech.semantic.remember("for me alone", visibility="agent")
    for held in list(tech.semantic.list()):
        if held.visibility == "team" and held.agent == "dock-1" and held.status == "active":
            tech.semantic.retract(held.memory_id, "to make room")
    box = live_board.build(ipywidgets, tech)
    _, who, what, _, picture, _ = box.children
    who.value = "another agent"
    told = set()
    for label in what.options:
        what.value = label
        told.add(
            "not found: another agent may not see this memory" in words_in(parsed(f"<p>{picture.value}</p>"))
        )
    assert told == {True, False}
