"""The rule for an importance that nobody gave, and the sentence by which the receipt owns up to it."""

from __future__ import annotations

import pytest
from helpers import opened

from teachmem import MemoryRefused
from teachmem.recall.importance import BASE, importance_of
from teachmem.vocabulary import KINDS, Tier


@pytest.mark.parametrize(
    ("kind", "content", "value", "why"),
    [
        ("observation", "belt three runs", 0.4, ["observation 0.4"]),
        ("tool_call", "read_probes(room=1)", 0.2, ["tool_call 0.2"]),
        ("observation", "The gripper STOPPED", 0.7, ["observation 0.4", "danger or failure 0.3"]),
        ("user_turn", "may I restart?", 0.4, ["user_turn 0.3", "asks or decides 0.1"]),
        ("user_turn", "we decided: never restart after an alarm", 0.7, ["danger", "decides"]),
        ("outcome", "alarm, must stop", 0.9, ["outcome 0.5", "danger", "decides"]),
        ("observation", "把持部が滑った", 0.4, ["observation 0.4"]),
    ],
)
def test_the_rule_and_its_sentence(kind, content, value, why):
    found, said = importance_of(kind, content)
    assert found == value
    assert said.startswith(f"importance {value} by rule: ")
    assert all(reason in said for reason in why)


def test_every_kind_of_event_has_a_base_and_no_sum_leaves_the_scale():
    assert set(BASE) == set(KINDS[Tier.EPISODIC])
    assert all(0 <= importance_of(kind, "alarm, must decide?")[0] <= 1 for kind in BASE)


@pytest.mark.parametrize(
    ("kind", "content"), [("dream", "x"), (None, "x"), (["a"], "x"), ("observation", None)]
)
def test_what_the_gate_will_refuse_is_left_to_the_gate(kind, content):
    assert importance_of(kind, content) == (0.0, "")
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        with pytest.raises(MemoryRefused):
            tech.episodic.log(kind, content)
        assert tech.episodic.stats()["events"] == 0


def test_the_receipt_says_which_rule_was_used_and_keeps_quiet_about_a_given_number():
    with opened() as mem:
        tech = mem.agent("dock-1", fleet="dock", tenant="northlight")
        by_rule = tech.episodic.log("observation", "alarm on belt three")
        given = tech.episodic.log("observation", "alarm on belt four", importance=0.0)
        assert any("importance 0.7 by rule" in step.reason for step in by_rule.steps)
        assert by_rule.memory.importance == 0.7
        assert "by rule" in by_rule.memory.detail["importance_by"]
        assert given.memory.importance == 0
        assert not any("by rule" in step.reason for step in given.steps)
        assert not given.memory.detail
