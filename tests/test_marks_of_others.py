"""The probes on other memories: an honest one holds, a spoilt one fails, a void one never holds."""

from datetime import UTC, datetime

import pytest
from plain_system import SPOILT, Plain

from teachmem.marks.probe import Answer, Mark, ask, probes, run
from teachmem.marks.system import Actor, Found, Refused, System

EVERY = {one.name: one for one in probes()}
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Void(System):
    """Accepts everything, keeps nothing, and says that all is well. It offers every operation."""

    name, version, way = "void", "1", "nothing"

    def open(self, folder, *, files=True):
        self.folder = folder

    def reopen(self): ...
    def advance(self, hours): ...
    def harm(self, what): ...

    def beside(self):
        return Void()

    def acting(self, name, **who):
        return VoidActor()

    def now(self):
        return NOW

    def verify(self, held=None):
        return "complete"

    def checkpoint(self):
        return "head"

    def raw_files(self):
        return []

    def backup(self, path):
        path.write_bytes(b"0")

    def process(self, texts, name):
        return lambda: len(list(texts))

    def first_words(self):
        return "word " * 100


class VoidActor(Actor):
    def write(self, text, **how):
        return "1"

    def recall(self, query, **when):
        return []

    def get(self, memory_id, **when):
        return None

    def history(self, memory_id):
        return []

    everything = pending = tools = lambda self: []
    neighbours = trail = history
    log = note = propose = write

    def context(self, query, budget=1500):
        return ""

    def ask(self, question, *, model_says=None):
        return "nothing"

    def events(self, query, k=5):
        return []

    def consolidate(self, facts=None):
        return len(facts or ())

    def distil(self, title):
        return 1

    def revise(self, memory_id, text, **how): ...
    def retract(self, memory_id, reason): ...
    def decide(self, item, verdict): ...
    def edit(self, item_id, text): ...

    reject = forget = retract

    def export(self, path):
        path.write_bytes(b"0")

    def load(self, path): ...

    restore = load


def refusing(*_, **__):
    raise Refused("no")


class Closed(Void):
    """Lets nothing in and nothing out, so nothing bad either."""

    def acting(self, name, **who):
        return type("No", (Actor,), {name: refusing for name in vars(Actor) if not name.startswith("_")})()

    verify = checkpoint = refusing


class Alarmed(Void):
    """Says of every log that it is broken."""

    def verify(self, held=None):
        return "broken"


class Parrot(Void):
    """Gives back whatever it is asked for."""

    def acting(self, name, **who):
        return ParrotActor()


class ParrotActor(VoidActor):
    def recall(self, query, **when):
        return [Found("1", query)]

    events = recall

    def get(self, memory_id, **when):
        return Found(memory_id, "the key hangs behind bay two")

    def context(self, query, budget=1500):
        return query

    def ask(self, question, *, model_says=None):
        return model_says or question


@pytest.mark.parametrize("make", [Void, Closed, Alarmed, Parrot])
def test_a_memory_that_holds_nothing_holds_to_no_probe(make):
    card = run(make)
    assert [str(found) for found in card.findings if found.answer is Answer.HOLDS] == []


def test_an_honest_memory_of_another_make_holds_where_it_offers_something():
    findings = {found.probe: found for found in run(Plain).findings}
    assert [
        str(findings[name]) for name in SPOILT.values() if findings[name].answer is not Answer.HOLDS
    ] == []
    failed = [found for found in findings.values() if found.answer is Answer.FAILS]
    assert {found.mark for found in failed} <= {Mark.NEGATIVE_EVAL}  # its search counts words, and no more
    assert findings["skill_in_other_words"].answer is Answer.NOT_OFFERED


@pytest.mark.parametrize("spoilt", SPOILT)
def test_one_line_gone_wrong_is_found_by_its_probe(spoilt):
    found = ask(EVERY[SPOILT[spoilt]], lambda: Plain(spoilt))
    assert found.answer is Answer.FAILS, found
    assert found.evidence


def test_a_spoilt_memory_still_holds_to_the_other_marks():
    for spoilt, name in SPOILT.items():
        mark = EVERY[name].mark
        others = [one for one in probes() if one.mark in (Mark.VERBATIM, Mark.ERASURE) and one.mark != mark]
        held = [one for one in others if ask(one, lambda told=spoilt: Plain(told)).answer is Answer.HOLDS]
        assert len(held) >= 2, spoilt
