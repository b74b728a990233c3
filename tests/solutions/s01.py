"""Solutions of segment 01."""

from solutions.entry import Entry

SOLUTIONS = {
    "1.1": Entry(
        cell="exercise-1-1",
        answer="pack_notes",
        model="""\
def pack_notes(lengths, budget):
    chosen = []
    for place, needed in enumerate(lengths):
        if needed <= budget:
            chosen.append(place)
            budget -= needed
    return chosen
""",
        accepted=(
            """\
def pack_notes(lengths, budget):
    def rest(place, left):
        if place == len(lengths):
            return ()
        if lengths[place] > left:
            return rest(place + 1, left)
        return (place, *rest(place + 1, left - lengths[place]))

    return rest(0, budget)
""",
        ),
        wrong={
            "stop at the first that does not fit": """\
def pack_notes(lengths, budget):
    chosen = []
    for place, needed in enumerate(lengths):
        if needed > budget:
            break
        chosen.append(place)
        budget -= needed
    return chosen
""",
            "the shortest first": """\
def pack_notes(lengths, budget):
    chosen = []
    for needed, place in sorted((needed, place) for place, needed in enumerate(lengths)):
        if needed <= budget:
            chosen.append(place)
            budget -= needed
    return sorted(chosen)
""",
            "the budget is a wish": """\
def pack_notes(lengths, budget):
    return list(range(len(lengths)))
""",
        },
    ),
    "1.2": Entry(
        cell="exercise-1-2",
        answer="line",
        model="""\
import json


def line(author, source, content):
    return f"[by {author}, source {source}] {json.dumps(content)}"
""",
        accepted=(
            """\
def line(author, source, content):
    return f"{content!r} (says {author}, by way of {source})"
""",
            """\
def line(author, source, content):
    safe = content.replace("\\\\", "\\\\\\\\").replace('"', '\\\\"')
    safe = "".join(sign if sign.isprintable() else f"\\\\u{ord(sign):04x}" for sign in safe)
    return f'{author} ({source}): "{safe}"'
""",
        ),
        wrong={
            "everybody knows who writes here": """\
import json


def line(author, source, content):
    return "- " + json.dumps(content)
""",
            "shorter is safer": """\
import json


def line(author, source, content):
    return f"[by {author}, source {source}] {json.dumps(content[:100])}"
""",
            "a note is one line": """\
def line(author, source, content):
    return f"[by {author}, source {source}] {content}"
""",
            "cleaning does no harm": """\
def line(author, source, content):
    return f"[by {author}, source {source}] {' '.join(content.split())}"
""",
        },
    ),
    "1.3": Entry(
        cell="exercise-1-3",
        answer="may_replace",
        model="""\
def may_replace(note, rewrite):
    return note == rewrite
""",
        accepted=(
            """\
def may_replace(note, rewrite):
    return note.split() == rewrite.split()
""",
        ),
        wrong={
            "a rewrite is a rewrite": """\
def may_replace(note, rewrite):
    return True
""",
            "shorter will do": """\
def may_replace(note, rewrite):
    return len(rewrite) <= len(note)
""",
            "nothing added, nothing wrong": """\
def may_replace(note, rewrite):
    return set(rewrite.split()) <= set(note.split())
""",
            "nothing lost, nothing wrong": """\
def may_replace(note, rewrite):
    return rewrite.startswith(note)
""",
            "a text is a bag of words": """\
def may_replace(note, rewrite):
    return sorted(note.split()) == sorted(rewrite.split())
""",
        },
    ),
}
