"""What any `recall.lexical` must obey: counts and scores are those of what is held now, whatever was before."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from teachmem.course.rebuilding.law import Contract, ask, close, examples, show
from teachmem.recall import text

WORDS = "arm bay cat dog".split()
names = st.sampled_from(["e1", "e2", "e3"])
contents = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
#: What happens to the postings, in order: a text put in under a name, or (None) taken out.
histories = st.lists(st.tuples(names, st.none() | contents), max_size=7)
moments = st.none() | st.integers(0, 9)


@examples(history=histories)
def what_is_held_now_is_counted(module: Any, history: list[tuple[str, str | None]]) -> str | None:
    """How many events there are, how long they are on average, and how many hold a word: of those held now."""
    postings, held = _after(module, history)
    terms = {name: text.terms(content) for name, content in held.items()}
    mean = sum(map(len, terms.values())) / len(terms) if terms else 0.0
    if (postings.events, set(postings.row_of)) != (len(held), set(held)):
        told = f"{postings.events} events, in {show(sorted(postings.row_of))}"
        return f"after {show(history)}, your postings hold {told}; {show(sorted(held))} was due"
    if not close(postings.mean_length, mean):
        return (
            f"after {show(history)}, your mean_length is {show(postings.mean_length)}, {show(mean)} was due"
        )
    for word in WORDS:
        count = sum(word in found for found in terms.values())
        if postings.holding(word) != count:
            return (
                f"after {show(history)}, your holding({word!r}) is {postings.holding(word)}, {count} was due"
            )
    return None


@examples(history=histories)
def a_score_is_bm25(module: Any, history: list[tuple[str, str | None]]) -> str | None:
    """Every event held now scores, word by word, its rarity times its saturation (k1 = 0.9, b = 0.4)."""
    postings, held = _after(module, history)
    said = " ".join(held.values())
    rarity = {word: idf for word, idf in {"arm": 2.0, "bay": 0.5}.items() if word in said}  # as is asked
    mean = postings.mean_length
    scores = postings.scores(rarity, mean)
    for name, content in held.items():
        terms, due = text.terms(content), 0.0
        for word, idf in rarity.items():
            if count := terms.count(word):
                due += idf * count * 1.9 / (count + 0.9 * (0.6 + 0.4 * len(terms) / mean))
        got = float(scores[postings.row_of[name]])
        if not close(got, due):
            return f"after {show(history)}, your scores give {name} {show(got)}, {show(due)} was due"
    return None


@examples(history=histories)
def the_past_leaves_nothing(module: Any, history: list[tuple[str, str | None]]) -> str | None:
    """An event put in again is replaced, one taken out is gone: as if what is held now had been put in alone."""
    postings, held = _after(module, history)
    fresh, _ = _after(module, list(held.items()))
    for word in WORDS:
        found = {postings.ids[row] for row in postings.rows_with(word) if postings.column("alive")[row]}
        due = {fresh.ids[row] for row in fresh.rows_with(word)}
        if found != due:
            return f"after {show(history)}, {word!r} is found in {show(sorted(found))}, {show(sorted(due))} was due"
    for name, row in postings.row_of.items():
        if postings.ids[row] != name or not postings.column("alive")[row]:
            return f"after {show(history)}, your row_of says {row} for {name}, and there it is not"
    alive = sum(bool(one) for one in postings.column("alive"))
    if alive != len(held):
        return f"after {show(history)}, {alive} of your rows are alive, {len(held)} was due"
    return None


@examples(history=histories)
def every_change_is_counted(module: Any, history: list[tuple[str, str | None]]) -> str | None:
    """`changes` grows with every change and with nothing else: what is kept of the postings goes by it."""
    postings, held = ask(module, "Postings"), set[str]()
    for step, (name, content) in enumerate(history):
        before = postings.changes
        if content is None:
            postings.remove(name)
        else:
            postings.add(_entry(module, name, content))
        due = content is not None or name in held
        held = held | {name} if content is not None else held - {name}
        if (postings.changes > before) is not due:
            told = "did not change" if due else "changed"
            return f"at step {step + 1} of {show(history)}, your `changes` {told}"
    return None


@examples(happened_at=st.integers(0, 9), valid_from=moments, valid_to=moments, expires_at=moments)
def times_are_numbers(
    module: Any, happened_at: int, valid_from: int | None, valid_to: int | None, expires_at: int | None
) -> str | None:
    """An open start is ALWAYS, an open end NEVER; where there are two ends, the first one counts."""
    postings = ask(module, "Postings")
    times = {"valid_from": valid_from, "valid_to": valid_to, "expires_at": expires_at}
    postings.add(ask(module, "Entry", "e1", "arm", 0.5, happened_at, **times))
    ends = [end for end in (valid_to, expires_at) if end is not None]
    due = (
        happened_at,
        module.ALWAYS if valid_from is None else valid_from,
        min(ends, default=module.NEVER),
    )
    got = tuple(int(postings.column(name)[0]) for name in ("happened_at", "start", "end"))
    if got != due:
        return f"of an event at {happened_at} with {show(times)}, your columns say {show(got)}, {show(due)} was due"
    if not module.ALWAYS < 0 < module.NEVER or postings.newest != happened_at:
        return f"your newest is {postings.newest}, ALWAYS {module.ALWAYS}, NEVER {module.NEVER}"
    return None


@examples(
    filed=st.lists(st.tuples(st.sampled_from("st"), st.sampled_from("kl")), max_size=4),
    kind=st.sampled_from("klm"),
)
def sessions_and_kinds_are_told_apart(module: Any, filed: list[tuple[str, str]], kind: str) -> str | None:
    """Each row knows its session by a number and its kind; a session that no event has is -1."""
    postings = ask(module, "Postings")
    for number, (session, of) in enumerate(filed):
        postings.add(ask(module, "Entry", f"e{number}", "arm", 0.5, 0, session=session, kind=of))
    for number, (session, _) in enumerate(filed):
        if int(postings.column("session")[number]) != postings.session_code(session):
            return (
                f"of the events {show(filed)}, number {number} is not under the code of session {session!r}"
            )
    if postings.session_code("nowhere") != -1 or {session for session, _ in filed} != set(
        postings.sessions()
    ):
        return f"of the events {show(filed)}, your sessions() are {show(postings.sessions())}"
    got = [bool(one) for one in postings.of_kinds([kind])]
    if got != [of == kind for _, of in filed]:
        return f"of the events {show(filed)}, your of_kinds([{kind!r}]) gave {show(got)}"
    return None


@examples(most=5, kept=st.integers(0, 20))
def room_is_given_back(module: Any, kept: int) -> str | None:
    """Of six hundred events of which few are left, few rows are left, and each is where it should be."""
    postings = ask(module, "Postings")
    for number in range(600):
        postings.add(_entry(module, f"e{number}", f"arm {'bay ' * (number % 3)}"))
    for number in range(kept, 600):
        postings.remove(f"e{number}")
    if len(postings) > 256 + 2 * kept:
        return f"600 events were put in and all but {kept} taken out; your postings have {len(postings)} rows"
    scores = postings.scores({"bay": 1.0}, postings.mean_length or 1.0)
    for number in range(kept):
        row = postings.row_of[f"e{number}"]
        if postings.ids[row] != f"e{number}" or bool(scores[row]) is not bool(number % 3):
            return (
                f"600 events were put in and all but {kept} taken out; e{number} is not in its row any more"
            )
    return None


def _entry(module: Any, name: str, content: str) -> Any:
    return ask(module, "Entry", name, content, 0.5, 0)


def _after(module: Any, history: list[tuple[str, str | None]]) -> tuple[Any, dict[str, str]]:
    """Return the student's postings after a history, and what they should hold."""
    postings, held = ask(module, "Postings"), dict[str, str]()
    for name, content in history:
        held.pop(name, None)
        if content is None:
            postings.remove(name)
        else:
            postings.add(_entry(module, name, content))
            held[name] = content
    return postings, held


CONTRACT = Contract(
    "recall.lexical",
    ("ALWAYS", "NEVER", "Floats", "Entry", "Postings"),
    (
        what_is_held_now_is_counted,
        a_score_is_bm25,
        the_past_leaves_nothing,
        every_change_is_counted,
        times_are_numbers,
        sessions_and_kinds_are_told_apart,
        room_is_given_back,
    ),
)
