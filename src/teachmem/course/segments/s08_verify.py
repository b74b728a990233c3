"""Exercise 8.1: verify a chain; its laws, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.material import Exercise, Misconception, Wrong, call, is_function, show
from teachmem.ledger import chain

Entry = tuple[bytes, bytes, bytes]
Head = tuple[int, bytes]
Verify = Callable[[list[Entry], Head], "int | None"]

LENGTHS = (1, 2, 5, 8)


def made(entries: int) -> tuple[list[Entry], Head]:
    """Return a whole log of so many entries, and its head."""
    log, last = [], chain.GENESIS
    for seq in range(1, entries + 1):
        body = b'{"action":"working.write","seq":%d}' % seq
        own = chain.link(last, body)
        log.append((body, last, own))
        last = own
    return log, (entries, last)


def _answer(verify: Verify, log: list[Entry], head: Head, what: str) -> int | None:
    got = call(verify, log, head)
    if got is not None and type(got) is not int:
        raise Wrong(f"for {what} your function gave {show(got)}; give a whole number or None")
    return got


def _edited(entries: int, place: int, *, fit: bool) -> tuple[list[Entry], Head]:
    log, head = made(entries)
    body, previous, own = log[place - 1]
    body = body.replace(b"write", b"clear")
    log[place - 1] = (body, previous, chain.link(previous, body) if fit else own)
    return log, head


def a_whole_log_is_whole(verify: Verify) -> str | None:
    """A log that nobody touched gives None."""
    for entries in LENGTHS:
        got = _answer(verify, *made(entries), f"a whole log of {entries} entries")
        if got is not None:
            return f"for a whole log of {entries} entries your function gave {got}"
    return None


def an_edit_is_found_where_it_was_made(verify: Verify) -> str | None:
    """An entry whose bytes were changed is named."""
    for entries in LENGTHS:
        for place in range(1, entries + 1):
            what = f"a log of {entries} in which the bytes of entry {place} were changed"
            got = _answer(verify, *_edited(entries, place, fit=False), what)
            if got != place:
                return f"for {what} your function gave {show(got)}"
    return None


def an_edit_with_its_hash_is_found_behind_it(verify: Verify) -> str | None:
    """If the changed entry's own hash was made to fit, the next one no longer links to it."""
    for entries in LENGTHS[1:]:
        for place in range(1, entries):
            what = f"a log of {entries} in which entry {place} was changed and its own hash made to fit"
            got = _answer(verify, *_edited(entries, place, fit=True), what)
            if got != place + 1:
                return f"for {what} your function gave {show(got)}"
    return None


def the_first_entry_follows_the_genesis(verify: Verify) -> str | None:
    """A log from which the first entries were cut off is wrong from its first entry on."""
    for cut in (1, 3):
        log, head = made(5)
        what = f"a log of 5 from which the first {cut} were cut off"
        got = _answer(verify, log[cut:], head, what)
        if got != 1:
            return f"for {what} your function gave {show(got)}"
    return None


def the_head_knows_the_end(verify: Verify) -> str | None:
    """A log whose end was cut off is wrong behind its last entry: the head says that there was more."""
    for cut in (1, 4):
        log, head = made(5)
        what = f"a log from whose 5 entries the last {cut} were cut off, with the head of all 5"
        got = _answer(verify, log[:-cut], head, what)
        if got != 5 - cut + 1:
            return f"for {what} your function gave {show(got)}"
    return None


def the_head_knows_which_end(verify: Verify) -> str | None:
    """Where the end was written anew and the head was left, number and links agree, and the hash does not."""
    for entries in LENGTHS:
        log, head = made(entries)
        body, previous, _ = log[-1]
        body = body.replace(b"write", b"clear")
        log[-1] = (body, previous, chain.link(previous, body))
        what = f"a log of {entries} whose last entry was changed, its own hash too, with the head as it was"
        got = _answer(verify, log, head, what)
        if got not in (entries, entries + 1):  # the entry that was changed, or what the text asks for
            return f"for {what} your function gave {show(got)}"
    return None


def _believes(verify: Verify) -> bool:
    """Say whether changed bytes are not seen as long as every stored hash is as it was."""
    return call(verify, *_edited(5, 3, fit=False)) is None


def _alone(verify: Verify) -> bool:
    """Say whether a changed entry with a hash of its own is not seen."""
    return call(verify, *_edited(5, 3, fit=True)) is None


EXERCISE = Exercise(
    id="8.1",
    title="Verify a chain",
    concept="hash chain",
    expected="a function of a list of entries and a head",
    fits=is_function,
    laws=(
        a_whole_log_is_whole,
        an_edit_is_found_where_it_was_made,
        an_edit_with_its_hash_is_found_behind_it,
        the_first_entry_follows_the_genesis,
        the_head_knows_the_end,
        the_head_knows_which_end,
    ),
    yes="edits, cuts and a wrong start are each found where they are",
    misconceptions=(
        Misconception(
            "a stored hash can be trusted",
            "Whoever changed the body left the hash as it was. Only a hash that you compute yourself tells.",
            _believes,
        ),
        Misconception(
            "an entry is proved by its own hash",
            "A hash of its own can be made to fit by anybody. What holds an entry is the next one's link to it.",
            _alone,
        ),
        Misconception(
            "the first entry has nothing to be checked against",
            "Then any entry could be the first, and nobody would miss what stood before it.",
            "the_first_entry_follows_the_genesis",
        ),
        Misconception(
            "a log ends where its last entry is",
            "Every beginning of a whole chain is a whole chain. Something else must say how long it was.",
            "the_head_knows_the_end",
        ),
        Misconception(
            "a log is known by its length",
            "Whoever writes the last entry anew leaves as many as there were. The head holds a hash as well.",
            "the_head_knows_which_end",
        ),
    ),
    hints=(
        "Which three things can be wrong about one entry, if you know the hash before it?",
        "What stands before the first entry, and what must be true after the last?",
        "What does your function say of a log whose first entry was cut off?",
    ),
)
