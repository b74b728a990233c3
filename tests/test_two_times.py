"""The two times, against a replay: every event is kept in a plain list, and asked again for every moment.

Random writes, revisions, retractions and corrections that come late; then each read at each pair of valid
and known time must say what the list says. And what was answered at a moment is answered for that
`known_at` for ever, whatever came after.
"""

import random
from datetime import timedelta

import isolation
import pytest
from helpers import opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from isolation import READS, Asked, may_see, moment
from test_isolation import START

from teachmem import NotFound
from teachmem.clock import from_micros, to_micros

STEPS, TICKS = 14, 6


class Replay:
    """The events in order, and what they come to at a pair of moments. It shares no code with the store."""

    def __init__(self):
        self.events = []  # (tick, id, tier, kind, fields)

    def versions(self, until):
        found = {}
        for tick, memory_id, fields in self.events:
            if until is None or tick <= until:
                found.setdefault(memory_id, []).append({**fields, "recorded_at": moment(tick)})
        return found

    def held(self, reader, at, known_tick, rows):
        shown = set()
        for memory_id, versions in self.versions(known_tick).items():
            row = may_see(reader, versions, at, None)
            if row is not None and rows(row):
                shown.add((memory_id, len(versions)))
        return shown


def history(seed):
    """Act at random; return store, actor, replay, what was answered at the end of each tick, and all ids."""
    rng = random.Random(seed)
    mem, replay, answered = opened(start=START), Replay(), {}
    tech = mem.agent("dock-1", fleet="dock", tenant="north")
    address = {"tenant": "north", "fleet": "dock", "agent": "dock-1", "visibility": "team"}
    live = {}

    def note(memory, **changed):
        fields = {**live.get(memory.memory_id, {}), **changed}
        live[memory.memory_id] = fields
        replay.events.append((tick, memory.memory_id, fields))

    for tick in range(TICKS):
        mem.clock.set(from_micros(moment(tick)))
        for _ in range(rng.randrange(STEPS // 2)):
            first, last = sorted(
                rng.sample(range(TICKS), 2)
            )  # often before now: a correction that comes late
            times = {"valid_from": rng.choice([None, first]), "valid_to": rng.choice([None, None, last])}
            said = {name: None if at is None else from_micros(moment(at)) for name, at in times.items()}
            micros = {name: moment(at) for name, at in times.items()}
            text = " ".join(rng.sample(isolation.WORDS, 3)) + f" {len(replay.events)}"
            facts = [
                name
                for name, row in live.items()
                if row["tier"] == "semantic"
                and row["status"] == "active"
                and may_see(tech.principal, [{**row, "recorded_at": 0}], moment(tick), None)
            ]
            act = rng.choice(["remember", "remember", "revise", "revise", "retract", "log", "write", "clear"])
            if act == "log":
                event = tech.episodic.log("observation", text, happened_at=from_micros(moment(first))).memory
                note(
                    event,
                    **address,
                    tier="episodic",
                    kind="observation",
                    predicate="",
                    status="active",
                    valid_from=moment(first),
                    valid_to=None,
                    expires_at=None,
                )
            elif act == "write":
                written = tech.working.write("gripper", "observed", "belt", text).memory
                note(
                    written,
                    **address,
                    tier="working",
                    kind="note",
                    predicate="observed",
                    status="active",
                    valid_from=None,
                    valid_to=None,
                    expires_at=None,
                )
            elif act == "clear":
                for memory_id in tech.working.clear(everything=True).touched:
                    row = live[memory_id]
                    live[memory_id] = {**row, "status": "deleted"}
                    replay.events.append((tick, memory_id, live[memory_id]))
            elif act == "remember" or not facts:
                triple = {
                    "subject": "gripper",
                    "predicate": "depends_on",
                    "object": rng.choice(isolation.WORDS),
                }
                triple = triple if rng.random() < 0.5 else {}
                kind = rng.choice(["fact", "plan"])
                fact = tech.semantic.remember(text, kind=kind, **triple, **said).memory
                note(
                    fact,
                    **address,
                    tier="semantic",
                    kind=kind,
                    predicate=triple.get("predicate", ""),
                    status="active",
                    expires_at=None,
                    **micros,
                )
            elif act == "revise":
                receipt = tech.semantic.revise(rng.choice(facts), content=text, **said)
                note(receipt.memory, **micros)
            else:
                note(tech.semantic.retract(rng.choice(facts), "misread").memory, status="cancelled")
        answered[tick] = told(tech, moment(tick), None, list(live))
    return mem, tech, replay, answered, list(live)


def told(who, at, known_at, ids):
    times = {"at": from_micros(at), "known_at": None if known_at is None else from_micros(known_at)}
    return {name: shows(Asked(who, times, ids)) for name, (_, shows, _) in READS.items()}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_each_read_at_each_pair_of_moments_is_what_a_replay_of_all_events_says(seed):
    mem, tech, replay, answered, ids = history(seed)
    with mem:
        for known_tick in (None, *range(TICKS)):
            for at in range(TICKS):
                shown = told(tech, moment(at), moment(known_tick), ids)
                for name, (how, _, rows) in READS.items():
                    wanted = replay.held(tech.principal, moment(at), known_tick, rows)
                    case = (name, at, known_tick)
                    if how == "count":
                        assert shown[name] == len(wanted), case
                    elif how == "ids":
                        assert shown[name] <= {memory_id for memory_id, _ in wanted}, case
                    elif how == "some":
                        assert shown[name] <= wanted, case
                    else:
                        assert shown[name] == wanted, case
        for tick, then in answered.items():
            assert told(tech, moment(tick), moment(tick), ids) == then
        for memory_id in ids:
            if memory_id.startswith("fact"):
                ticks = [tick for tick, name, _ in replay.events if name == memory_id]
                found = tech.semantic.history(memory_id)
                assert [to_micros(version.recorded_at) for version in found] == [
                    moment(tick) for tick in ticks
                ]
                ends = [None if row.superseded_at is None else to_micros(row.superseded_at) for row in found]
                assert ends == [moment(tick) for tick in [*ticks[1:], None]]


def test_a_late_correction_changes_today_and_nothing_that_was_answered_before():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        fact = tech.semantic.remember(
            "bay two is run by the night lead",
            subject="bay two",
            predicate="manager",
            object="night lead",
            valid_from="2026-03-01",
        ).memory.memory_id
        then = mem.clock.now()
        asked = {
            "get": lambda **times: tech.semantic.get(fact, **times).object,
            "search": lambda **times: tech.semantic.search("who runs bay two", **times)[0].memory.object,
            "list": lambda **times: [row.object for row in tech.semantic.list(**times)],
            "edges": lambda **times: [edge.object for edge in tech.graph.neighbours("bay two", **times)],
            "path": lambda **times: tech.graph.path("bay two", "day lead", **times) is None,
            "stats": lambda **times: tech.graph.stats(**times),
        }
        before = {name: ask() for name, ask in asked.items()}
        mem.clock.advance(days=3)
        tech.semantic.revise(fact, content="bay two is run by the day lead", object="day lead")
        assert {name: ask(known_at=then, at=then) for name, ask in asked.items()} == before
        assert asked["get"]() == "day lead"
        assert asked["get"](at=then) == "day lead"  # we now know better what held then


@pytest.mark.parametrize("back", [1, 400])
def test_a_clock_that_jumps_back_loses_nothing_on_either_axis(back):
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        fact = tech.semantic.remember("gate four is open").memory
        mem.clock.advance(days=-back)
        after = tech.semantic.revise(fact.memory_id, content="gate four is shut").memory
        assert after.recorded_at >= fact.recorded_at
        assert tech.semantic.get(fact.memory_id).content == "gate four is shut"
        assert [version.version for version in tech.semantic.history(fact.memory_id)] == [1, 2]


# ---- what governance hides in hindsight --------------------------------------------------------------


def test_a_rejected_value_is_shown_in_the_past_to_people_only():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        lead = mem.person("shift-lead", fleet="dock", tenant="northlight")
        code = tech.semantic.remember("the door code is 4411").memory.memory_id
        changed = tech.semantic.remember("The DOOR code is 4411.", kind="plan").memory.memory_id
        other = tech.semantic.remember("the door code is not 4411").memory.memory_id
        mem.clock.advance(hours=1)
        then = mem.clock.now()
        tech.semantic.revise(changed, content="the door is painted green")
        assert [hit.memory.memory_id for hit in tech.semantic.search("door code", known_at=then)]
        mem.clock.advance(hours=1)
        grave = lead.semantic.reject(code, "never share codes")
        assert grave.verdict == "accepted"
        mem.clock.advance(hours=1)
        before = {code, changed, other}
        for who, wanted in ((tech, {other}), (lead, before)):
            past = {"known_at": then - timedelta(microseconds=1)}
            assert {row.memory_id for row in who.semantic.list(**past)} == wanted
            assert {hit.memory.memory_id for hit in who.semantic.search("door code", **past)} == wanted
            assert who.semantic.stats(**past)["facts"] == len(wanted)
            assert {row.memory_id for row in who.semantic.list(limit=1, **past)} <= wanted
            assert len(who.semantic.list(limit=1, **past)) == 1
            for memory_id in before - wanted:
                with pytest.raises(NotFound):
                    who.semantic.get(memory_id, **past)
        assert [version.content for version in tech.semantic.history(changed)] == [
            "the door is painted green"
        ]
        assert len(lead.semantic.history(changed)) == 2
        lead.lift(lead.tombstones()[0].tombstone_id, "the code was changed")
        assert {
            row.memory_id for row in tech.semantic.list(known_at=then - timedelta(microseconds=1))
        } == before
