"""Exercise 9.1: mend a test that cannot fail; the memories it is run on, and the wrong ideas about it."""

from __future__ import annotations

from collections.abc import Callable

from teachmem.course.laws import fault
from teachmem.course.material import Exercise, Misconception, Wrong, is_function

Test = Callable[["Memory"], object]


class Memory:
    """Ten lines that keep texts: `add`, `search` by a word, `delete`."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.count = 0

    def add(self, text: str) -> int:
        """Keep a text; return its key."""
        self.count += 1
        self.texts[self.count] = text
        return self.count

    def search(self, word: str) -> list[str]:
        """Return the texts that hold the word, in any case, oldest first."""
        return [text for text in self.texts.values() if word.casefold() in text.casefold()]

    def delete(self, key: int) -> None:
        """Take a text out."""
        del self.texts[key]


class Nothing(Memory):
    """It was never plugged in: whatever it is told, it keeps nothing."""

    def add(self, text: str) -> int:
        """Keep nothing."""
        return 1

    def delete(self, key: int) -> None:
        """Delete nothing."""


class Keeps(Memory):
    """It says that it deletes, and keeps everything."""

    def delete(self, key: int) -> None:
        """Delete nothing."""


class Sweeps(Memory):
    """It deletes everything at once."""

    def delete(self, key: int) -> None:
        """Delete everything."""
        self.texts.clear()


class Masks(Memory):
    """Once something was deleted, no search finds anything."""

    off = False

    def delete(self, key: int) -> None:
        """Delete it, and never search again."""
        super().delete(key)
        self.off = True

    def search(self, word: str) -> list[str]:
        """Find nothing after a deletion."""
        return [] if self.off else super().search(word)


class Fast(Memory):
    """A sound memory that begins to count at 100 and finds the newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 100

    def search(self, word: str) -> list[str]:
        """Return what is found, newest first."""
        return super().search(word)[::-1]


def passes(test: Test, memory: Memory) -> str:
    """Run a test on a memory: "" if it passes, otherwise the error by which it fails."""
    try:
        said = test(memory)
    except (SystemExit, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        return fault(error)
    if said is not None:
        raise Wrong("it returned something; a test says nothing where it passes, and raises where it fails")
    return ""


def a_sound_memory_passes(test: Test) -> str | None:
    """What works passes, however it counts and in whatever order it finds."""
    for memory, what in ((Memory(), "the ten lines"), (Fast(), "a sound memory that finds the newest first")):
        if error := passes(test, memory):
            return f"{what} fail{'' if what.startswith('the') else 's'} your test: {error}"
    return None


def what_keeps_nothing_fails(test: Test) -> str | None:
    """A memory that keeps nothing fails."""
    return None if passes(test, Nothing()) else "a memory that keeps nothing passes your test"


def what_does_not_delete_fails(test: Test) -> str | None:
    """A memory whose delete does nothing fails."""
    return None if passes(test, Keeps()) else "a memory that deletes nothing passes your test"


def what_deletes_more_fails(test: Test) -> str | None:
    """A memory that deletes the others too, or finds nothing any more, fails."""
    for memory, what in (
        (Sweeps(), "a memory that deletes everything at once"),
        (Masks(), "a memory that finds nothing any more after a deletion"),
    ):
        if not passes(test, memory):
            return f"{what} passes your test"
    return None


def _knows_one_memory(test: Test) -> bool:
    return not passes(test, Memory()) and bool(passes(test, Fast()))


EXERCISE = Exercise(
    id="9.1",
    title="A test that can fail",
    concept="positive control",
    expected="a function of a memory",
    fits=is_function,
    laws=(
        a_sound_memory_passes,
        what_keeps_nothing_fails,
        what_does_not_delete_fails,
        what_deletes_more_fails,
    ),
    yes="it fails where nothing is kept, where nothing is deleted, and where too much is",
    misconceptions=(
        Misconception(
            "silence is a pass",
            "Nothing is found where nothing was kept. First show that the same search finds it.",
            "what_keeps_nothing_fails",
        ),
        Misconception(
            "an error is caught, so it is handled",
            "An assertion is an error, too. Whoever catches everything has caught the one that was to be seen.",
            "what_does_not_delete_fails",
        ),
        Misconception(
            "gone is all that counts",
            "An empty shelf has nothing wrong on it. What was not deleted must still be found.",
            "what_deletes_more_fails",
        ),
        Misconception(
            "as it is today is as it must be",
            "Which key, and which order, was promised to nobody. Ask for what must hold, and for no more.",
            _knows_one_memory,
        ),
    ),
    hints=(
        "What does your test say of a memory into which nothing was ever plugged?",
        "Which search gave something before the deletion, so that its silence afterwards says something?",
        "What else was in the memory, and where is it now?",
    ),
)
