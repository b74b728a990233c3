"""What is said of an answer: its exercise's laws in order, the first one broken, and the wrong idea behind.

The laws decide alone whether an answer is right; a misconception only gives a broken law its name.

>>> from teachmem.course import segments
>>> exercise = segments.find("00").exercise("0.1")
>>> judge(exercise, lambda parts: sum(parts.values())).outcome
'yes'
>>> judge(exercise, "0.71").text
'expected a function of the parts of a score, got a str'

Left out: protection from an answer that never returns or ends Python (`checker.py`).
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import CodeType, FunctionType
from typing import Any, Literal

from teachmem.course import words
from teachmem.course.laws import Law, Wrong, class_name, fault, one_line
from teachmem.course.material import Exercise, Misconception
from teachmem.course.stage import Stage

Outcome = Literal["untried", "yes", "not yet", "unchecked"]
SHOWN = 400  # characters of a counter-example


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an answer: why, the name and card of the wrong idea it shows, and if it printed."""

    outcome: Outcome
    text: str = ""
    misconception: str = ""
    card: str = ""
    printed: bool = False

    def line(self, exercise_id: str) -> str:
        """Return what the student reads."""
        template = {
            "untried": words.NOT_TRIED,
            "yes": words.YES,
            "not yet": words.NOT_YET,
            "unchecked": words.NO_CHECKER,
        }[self.outcome]
        line = template.format(id=exercise_id, why=self.text)
        if self.misconception:
            line += "\n" + words.MISCONCEPTION.format(name=self.misconception, card=self.card)
        if self.printed and self.outcome == "not yet":
            line += "\n" + words.PRINTED
        return line

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for the way from one process to the other."""
        return asdict(self)


def judge(exercise: Exercise, answer: object, stage: Callable[[], Stage] | None = None) -> Verdict:
    """Run the laws on `answer`; `stage` opens the segment's story for the laws that want it."""
    if not _true(exercise.fits, answer):
        name = "Lesson" if isinstance(answer, Stage) else class_name(answer)  # which it stands for
        got = f"an {name}" if name[:1].lower() in "aeio" else f"a {name}"
        return _not_yet(exercise, answer, words.EXPECTED.format(expected=exercise.expected, got=got), "")
    for law in exercise.laws:
        broken, by_law = _broken(law, answer, stage)
        if broken is not None:
            return _not_yet(exercise, answer, broken, law.__name__ if by_law else "")
    return Verdict("yes", exercise.yes)


def untried(answer: object) -> bool:
    """Say whether an answer is still the placeholder: `...`, a function that returns it, or only those.

    >>> def later(age, half_life):
    ...     return ...
    >>> untried(...), untried(later), untried({"a": ..., "b": ...}), untried({"a": ..., "b": 1})
    (True, True, True, False)
    """
    if isinstance(answer, FunctionType):
        code = answer.__code__
        return any(_does(code) == _does(empty.__code__) for empty in _EMPTY)
    if type(answer) is dict:
        answer = list(answer.values())
    if type(answer) in (list, tuple):
        return bool(answer) and all(one is ... for one in answer)  # type: ignore[attr-defined]
    return answer is ...


def _gives_dots() -> object:
    return ...


def _gives_described_dots() -> object:
    """Docstrings move constants about."""
    return ...


_EMPTY = (_gives_dots, _gives_described_dots)


def _does(code: CodeType) -> tuple[object, ...]:
    """Return a function's instructions with what they work on, wherever its constants lie."""
    return tuple((step.opname, step.argval) for step in dis.get_instructions(code))


def _broken(law: Law, answer: object, stage: Callable[[], Stage] | None) -> tuple[str | None, bool]:
    """Return the counter-example by which `answer` breaks `law`, or None, and whether the law itself said so.

    An answer that raised, or gave what is no answer at all, shows no idea about the law it met first.
    """
    arguments: list[Any] = [answer]
    if getattr(law, "on_stage", False):
        if stage is None:
            raise ValueError(f"the law {law.__name__} wants a stage")
        arguments.append(stage())
    try:
        return law(*arguments), True
    except Wrong as wrong:
        return str(wrong), False
    except MemoryError:
        return words.NO_MEMORY, False
    except (SystemExit, KeyboardInterrupt) as error:
        return words.LEFT_PYTHON.format(error=class_name(error)), False
    except BaseException as error:
        return words.RAISED_ALONE.format(error=fault(error)), False


def _not_yet(exercise: Exercise, answer: object, text: str, law: str) -> Verdict:
    known: Misconception | None = None
    for wrong in exercise.misconceptions:
        if wrong.shows == law if isinstance(wrong.shows, str) else _true(wrong.shows, answer):
            known = wrong
            break
    return Verdict("not yet", one_line(text, SHOWN), known.name if known else "", known.card if known else "")


def _true(test: Callable[[Any], bool], answer: object) -> bool:
    """Return what a test of the answer says; an answer that cannot be tested does not pass."""
    try:
        return bool(test(answer))
    except BaseException:
        return False
