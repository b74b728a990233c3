"""Solutions of segment 09."""

from solutions.entry import Entry

MENDED = """\
def deleted_is_gone(memory):
    memory.add("gate four sticks when it is cold")
    key = memory.add("the code of the side door is 4711")
    assert "the code of the side door is 4711" in memory.search("4711")
    {deletes}
    assert memory.search("4711") == []
    assert memory.search("gate") == ["gate four sticks when it is cold"]
"""

PROBE = """\
from teachmem.marks.probe import control, expect, refused, texts


def stays_out(system):
    agent, lead = system.acting("dock-1"), system.acting("shift-lead", person=True)
    text = "the side door opens with 4711"
    key = agent.write(text)
{found}{reject}
{again}{later}{other}    return "refused at once and forty days later, and another text was taken"
"""
FOUND = '    control(text in texts(agent.recall("side door")), "it is found before")\n'
REJECT = '    lead.reject(key, "nobody is to know it")'
AGAIN = '    expect(refused(agent.write, text), "it was written again at once")\n'
LATER = """\
    system.advance(24 * 40)
    expect(refused(agent.write, text), "it was written again forty days later")
"""
OTHER = """\
    agent.write("lamp six is green")
    control("lamp six is green" in texts(agent.recall("lamp six")), "another text is taken")
"""


def a_probe(**parts):
    whole = {"found": FOUND, "reject": REJECT, "again": AGAIN, "later": LATER, "other": OTHER}
    return PROBE.format(**{**whole, **parts})


CAUGHT = """\
caught = dict(zip(cases, ({one!r}, {two!r}, {three!r})))
"""
RIGHT = {"one": "odd_questions", "two": "half_open", "three": "exact_number_first"}


def caught(**wrong):
    return CAUGHT.format(**{**RIGHT, **wrong})


FUSE = """\
from teachmem import course


class mine:
    def stretched(scores, lowest=0.0):
        best = max([lowest, *scores.values()])
        if best == lowest:
            return dict.fromkeys(scores, 0.0)
        return {{name: {stretched} for name, value in scores.items()}}

    def fuse(lists, weights):
        lists = {{which: {scaled} for which, scores in lists.items()}}
        names = [name for scores in lists.values() for name in scores]
        return {{
            name: {{which: weights[which] * scores.get(name, 0.0) for which, scores in lists.items()}}
            for name in names
        }}

    def reciprocal_ranks(rankings, k=60):
        found = {{}}
        for ranking in rankings:
            for rank, name in enumerate(ranking{first}):
                found[name] = found.get(name, 0.0) + 1 / (k + rank)
        return found

    def ranks(scores):
        hits = [name for name in scores{hit}]
        best = sorted(hits, key=lambda name: (-scores[name], name))
        return {{name: place for place, name in enumerate(best, 1)}}


report = course.rebuild("recall.fuse", mine, laws_only=True)
"""
OWN = {
    "stretched": "max(0.0, (value - lowest) / (best - lowest))",
    "scaled": "mine.stretched(scores)",
    "first": ", 1",
    "hit": " if scores[name] > 0",
}


def own(**parts):
    return FUSE.format(**{**OWN, **parts})


SOLUTIONS = {
    "9.1": Entry(
        cell="exercise-9-1",
        answer="deleted_is_gone",
        model=MENDED.format(deletes="memory.delete(key)"),
        accepted=(
            """\
def deleted_is_gone(memory):
    texts = [f"pallet {number} is in row {number}" for number in range(3)]
    keys = [memory.add(text) for text in texts]
    if sorted(memory.search("pallet")) != texts:
        raise AssertionError("it does not keep what it is told")
    memory.delete(keys[1])
    if sorted(memory.search("pallet")) != [texts[0], texts[2]]:
        raise AssertionError("it deletes too little or too much")
""",
        ),
        wrong={
            "silence is a pass": """\
def deleted_is_gone(memory):
    key = memory.add("the code of the side door is 4711")
    memory.delete(key)
    assert memory.search("4711") == []
""",
            "an error is caught, so it is handled": """\
def deleted_is_gone(memory):
    memory.add("gate four sticks when it is cold")
    key = memory.add("the code of the side door is 4711")
    assert memory.search("4711")
    try:
        memory.delete(key)
        assert memory.search("4711") == []
    except Exception:
        pass
    assert memory.search("gate")
""",
            "gone is all that counts": """\
def deleted_is_gone(memory):
    key = memory.add("the code of the side door is 4711")
    assert memory.search("4711")
    memory.delete(key)
    assert memory.search("4711") == []
""",
            "as it is today is as it must be": """\
def deleted_is_gone(memory):
    memory.add("gate four sticks when it is cold")
    key = memory.add("the code of the side door is 4711")
    assert key == 2
    memory.delete(2)
    assert memory.texts == {1: "gate four sticks when it is cold"}
""",
        },
    ),
    "9.2": Entry(
        cell="exercise-9-2",
        answer="stays_out",
        model=a_probe(),
        accepted=(
            """\
from teachmem.marks.probe import control, expect
from teachmem.marks.system import Refused


def stays_out(system):
    agent = system.acting("dock-2")
    wrong, right = "gate four opens at six", "gate four opens at seven"
    key = agent.write(wrong)
    control([one for one in agent.recall("gate four opens") if one.id == key], "what was written is found")
    system.acting("safety-officer", person=True).reject(key, "the plan was misread")
    for days in (0, 31, 62):
        system.advance(24 * days)
        try:
            agent.write(wrong)
        except Refused:
            pass
        found = [one.text for one in agent.recall("gate four opens")]
        expect(wrong not in found, f"after {days} days it is back")
    agent.write(right)
    control(right in [one.text for one in agent.recall("gate four opens")], "the right time is taken")
    return "the wrong time stays out for three months"
""",
        ),
        wrong={
            "no control is needed": """\
from teachmem.marks.probe import control, expect, texts


def stays_out(system):
    agent, lead = system.acting("dock-1"), system.acting("shift-lead", person=True)
    text = "the side door opens with 4711"
    key = agent.write(text)
    control(key, "it was written")
    lead.reject(key, "nobody is to know it")
    expect(text not in texts(agent.recall("side door")), "it is still found")
    return "it is not found"
""",
            "any control will do": a_probe(
                found='    control(not refused(agent.write, "lamp six is green"), "another text is taken")\n',
                other="",
            ),
            "what is not there is at fault": a_probe(
                reject="""\
    try:
        lead.reject(key, "nobody is to know it")
    except Exception:
        pass"""
            ),
            "a refusal proves the rule": a_probe(other=""),
            "the row is the value": a_probe(
                again='    expect(text not in texts(agent.recall("side door")), "it is still found")\n',
                later="",
            ),
            "once is for good": a_probe(later=""),
        },
    ),
    "9.3": Entry(
        cell="exercise-9-3",
        answer="caught",
        needs=("break-cases",),
        given="from teachmem.marks import hidden\n\ncases = hidden.draw(3)\n",
        model=caught(),
        accepted=(
            """\
caught = {
    case: next(one for one in names if case.ask(one).answer == "fails")
    for case in cases
    for names in [("odd_questions", "half_open", "exact_number_first")]
}
""",
        ),
        wrong={
            "one probe for the whole house": caught(one="half_open", three="half_open"),
            "no answer is a no": caught(one="awkward_texts"),
            "the mark is enough": caught(two="held_then"),
        },
    ),
    "9.4": Entry(
        cell="exercise-9-4",
        answer="report",
        model=own(),
        accepted=(
            """\
from types import SimpleNamespace

from teachmem import course
from teachmem.recall import fuse


def reciprocal_ranks(rankings, k=60):
    names = {name for ranking in rankings for name in ranking}
    return {name: sum(1 / (k + 1 + r.index(name)) for r in rankings if name in r) for name in names}


mine = SimpleNamespace(
    reciprocal_ranks=reciprocal_ranks, fuse=fuse.fuse, stretched=fuse.stretched, ranks=fuse.ranks
)
report = course.rebuild("recall.fuse", mine, laws_only=True)
""",
        ),
        wrong={
            "the worst hit is no hit": own(
                stretched="(value - min(scores.values())) / (best - min(scores.values()) or 1.0)"
            ),
            "two lists count in one coin": own(scaled="scores"),
            "the first has rank 0": own(first=""),
            "what scored nothing has a place": own(hit=""),
        },
    ),
}
