"""The protocol and the running of probes: which answer a system gets, and what is told of it."""

import pytest

from teachmem.errors import InvalidInput
from teachmem.marks.probe import Answer, Mark, ask, control, expect, probe, probes, run
from teachmem.marks.system import Actor, CouldNotRun, NotOffered, Refused, System
from teachmem.marks.systems.in_process import InProcess


class Simple(System):
    """Keeps what it is told in a list, or does what a test wants instead."""

    name, version, way = "simple", "1", "a list"

    def __init__(self, write=None):
        self.kept, self.instead = [], write

    def open(self, folder, *, files=True):
        self.folder = folder

    def acting(self, name, **who):
        return SimpleActor(self)


class SimpleActor(Actor):
    def __init__(self, system):
        self.system = system

    def write(self, text, **how):
        if self.system.instead:
            raise self.system.instead
        self.system.kept.append(text)
        return str(len(self.system.kept))


@probe("verbatim", name="of this test", asks="Is it kept?", keep=False)
def kept(system):
    actor = system.acting("dock-1")
    actor.write("a")
    control(system.kept == ["a"], "it is kept")
    actor.write("b")
    expect(system.kept == ["a", "b"], "the second one is not")
    return "both are kept"


def answer(one, make=Simple):
    return ask(one, make).answer


def test_what_holds_says_what_was_seen():
    assert str(ask(kept, Simple)) == "of this test: holds (both are kept)"


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NotOffered("write"), "could not run"),
        (NotOffered("source"), "not offered"),
        (Refused("no"), "could not run"),
        (CouldNotRun("not installed"), "could not run"),
        (KeyError("a bug"), "could not run"),
    ],
)
def test_what_was_raised_decides_what_is_said(raised, expected):
    assert answer(kept, lambda: Simple(raised)) == expected


def test_a_system_that_cannot_be_opened_could_not_run():
    assert ask(kept, System).answer is Answer.COULD_NOT_RUN


def test_a_probe_without_a_control_never_holds_nor_fails():
    for test in (lambda system: "well", lambda system: expect(False, "bad")):
        one = probe("poison", name="x", asks="?", keep=False)(test)
        assert answer(one) is Answer.COULD_NOT_RUN


def test_a_probe_that_fails_tells_its_evidence():
    @probe("poison", name="y", asks="?", keep=False)
    def one(system):
        control(True, "it is there")
        expect(False, "seven of eight")

    assert str(ask(one, Simple)) == "y: fails (seven of eight)"


def test_a_card_counts_apart_and_names_the_version_that_ran():
    heard = []
    card = run(Simple, [kept], heard.append)
    assert (card.system, card.version, card.way) == ("simple", "1", "a list")
    assert card.counts() == card.counts(Mark.VERBATIM) == {Answer.HOLDS: 1}
    assert card.counts(Mark.POISON) == {}
    assert heard == list(card.findings)


def test_probes_are_listed_by_mark_and_an_unknown_mark_is_refused():
    every = probes()
    assert [one for mark in Mark for one in probes(mark)] == list(every)
    with pytest.raises(InvalidInput, match="tombstone"):
        probes("tombstones")


ASKED_ELSEWHERE = ["few_words_first"]  # a library has no first words; the server is asked (test_matrix.py)


@pytest.mark.parametrize("one", probes(), ids=lambda one: one.name)
def test_the_kit_holds(one):
    found = ask(one, InProcess)
    if one.name in ASKED_ELSEWHERE:
        assert found.answer is Answer.NOT_OFFERED
    else:
        assert found.answer is Answer.HOLDS, found


def test_every_mark_has_several_probes_that_ask_in_a_sentence_each():
    for mark in Mark:
        assert len(probes(mark)) >= 5, mark
    for one in probes():
        assert one.asks.endswith("?"), one
        assert one.test.__doc__, one
