"""Exercise 9.2: a probe of one's own; the memories it is put to, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from teachmem.course.material import Exercise, Misconception, is_function
from teachmem.marks import foil
from teachmem.marks.hidden import Quick
from teachmem.marks.probe import Finding, Mark, Probe, ask
from teachmem.marks.system import Actor, Found, Refused, System

Test = Callable[[System], str]


class Shelf(System):
    """A list of texts for everybody. It has no way to reject: what is not offered is no fault."""

    name = "a shelf"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def open(self, folder: Path, *, files: bool = True) -> None:
        """Begin empty."""

    def acting(self, name: str, **who: Any) -> Actor:
        """Return the shelf, whoever one is."""
        return OnShelf(self)

    def advance(self, hours: float) -> None:
        """Nothing on a shelf knows the time."""


class OnShelf(Actor):
    """Writes to the shelf and finds by a shared word."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def write(self, text: str, **how: Any) -> str:
        """Put a text on the shelf."""
        self.shelf.texts.append(text)
        return str(len(self.shelf.texts))

    def recall(
        self, query: str, *, at: datetime | None = None, known_at: datetime | None = None, k: int = 10
    ) -> list[Found]:
        """Return what shares a word with the query."""
        asked = set(query.casefold().split())
        found = enumerate(self.shelf.texts, 1)
        return [Found(str(key), text) for key, text in found if asked & set(text.casefold().split())]


class Empty(Shelf):
    """A memory into which nothing was ever plugged: it takes everything and keeps nothing."""

    name = "a memory that keeps nothing"

    def acting(self, name: str, **who: Any) -> Actor:
        """Return what agrees to everything."""
        return Agrees(self)


class Agrees(OnShelf):
    """Takes every call, and keeps nothing."""

    def write(self, text: str, **how: Any) -> str:
        """Keep nothing."""
        return "1"

    def reject(self, memory_id: str, reason: str) -> None:
        """Agree."""


class Refuses(Shelf):
    """A memory that refuses every write."""

    name = "a memory that refuses everything"

    def acting(self, name: str, **who: Any) -> Actor:
        """Return what says no."""
        return SaysNo(self)


class SaysNo(OnShelf):
    """Refuses every write."""

    def write(self, text: str, **how: Any) -> str:
        """Say no."""
        raise Refused("nothing is written here")


class Shut(Shelf):
    """A memory that takes nothing any more once something was rejected."""

    name = "a memory that is shut after the first rejection"
    shut = False

    def acting(self, name: str, **who: Any) -> Actor:
        """Return the shelf with its lock."""
        return Locks(self)


class Locks(OnShelf):
    """Works until the first rejection; then it refuses every write."""

    shelf: Shut

    def write(self, text: str, **how: Any) -> str:
        """Put a text on the shelf, unless it is shut."""
        if self.shelf.shut:
            raise Refused("nothing is written here any more")
        return super().write(text)

    def reject(self, memory_id: str, reason: str) -> None:
        """Take the text out, and shut."""
        self.shelf.texts[int(memory_id) - 1] = ""
        self.shelf.shut = True


def put(test: Test, make: Callable[[], System], switched_on: Sequence[str] = ()) -> Finding:
    """Put a student's probe to a fresh memory, perhaps with a foil."""
    one = Probe("your probe", Mark.TOMBSTONE, "yours", lambda system: str(test(system)))
    with foil.foil(switched_on[0]) if switched_on else nullcontext():
        return ask(one, make)


def _must(test: Test, due: str, make: Callable[[], System], what: str, *foils: str) -> str | None:
    found = put(test, make, foils)
    if found.answer == due:
        return None
    return f"put to {what}, your probe says {found.answer} ({found.evidence}); {due} was due"


def the_whole_kit_holds(test: Test) -> str | None:
    """The kit without a foil holds."""
    return _must(test, "holds", Quick, "the kit")


def what_keeps_nothing_cannot_be_asked(test: Test) -> str | None:
    """A memory that agrees to everything and keeps nothing has not been asked anything."""
    return _must(test, "could not run", Empty, Empty.name)


def what_is_not_offered_is_said(test: Test) -> str | None:
    """A memory that has no rejection does not offer it, and that is neither good nor bad."""
    return _must(test, "not offered", Shelf, "a memory that has no rejection")


def a_memory_that_is_shut_proves_nothing(test: Test) -> str | None:
    """A memory that refuses every write after a rejection has no rule about values."""
    found = put(test, Shut)
    if found.answer == "holds":
        return f"put to {Shut.name}, your probe says holds; it refuses every other text, too"
    return None


def a_new_row_with_the_old_words_is_found(test: Test) -> str | None:
    """The foil that remembers a row and not a value is caught."""
    what = "a kit that remembers which row was rejected, and not which value"
    return _must(test, "fails", Quick, what, "id_keyed_tombstone")


def a_rejection_that_wears_off_is_found(test: Test) -> str | None:
    """The foil that forgets a rejection after a month is caught."""
    what = "a kit that forgets a rejection after thirty days"
    return _must(test, "fails", Quick, what, "moratorium_in_disguise")


def _holds_on(test: Test, make: Callable[[], System], foil_on: str = "") -> bool:
    return put(test, make, (foil_on,) if foil_on else ()).answer == "holds"


EXERCISE = Exercise(
    id="9.2",
    title="A probe of your own",
    concept="probe",
    expected="a function of a system",
    fits=is_function,
    laws=(
        the_whole_kit_holds,
        what_keeps_nothing_cannot_be_asked,
        what_is_not_offered_is_said,
        a_memory_that_is_shut_proves_nothing,
        a_new_row_with_the_old_words_is_found,
        a_rejection_that_wears_off_is_found,
    ),
    yes="the kit holds, two foils are caught, and neither silence nor a shut door is taken for a rule",
    misconceptions=(
        Misconception(
            "no control is needed",
            "Without one your probe says the same of a memory that keeps nothing. Show first that it keeps something.",
            partial(_holds_on, make=Empty),
        ),
        Misconception(
            "any control will do",
            "A memory that keeps nothing passed yours. Show that what you reject was there to be found.",
            "what_keeps_nothing_cannot_be_asked",
        ),
        Misconception(
            "what is not there is at fault",
            "A memory without rejections breaks no promise. Let NotOffered through; it is an answer of its own.",
            "what_is_not_offered_is_said",
        ),
        Misconception(
            "a refusal proves the rule",
            "Whoever refuses everything refuses this as well. Another text must still be taken afterwards.",
            "a_memory_that_is_shut_proves_nothing",
        ),
        Misconception(
            "the row is the value",
            "The row is gone, and the same words come in a new one. Write them again, and look.",
            partial(_holds_on, make=Quick, foil_on="id_keyed_tombstone"),
        ),
        Misconception(
            "once is for good",
            "You asked within the minute. Move the clock on, and ask again.",
            "a_rejection_that_wears_off_is_found",
        ),
    ),
    hints=(
        "What must work before a rejection says anything, and with which call do you show that it does?",
        "After the rejection, which text must be refused, and which must not?",
        "How long do you wait before you believe that it is for good?",
    ),
)
