"""A lesson as a notebook meets it: a store with a story, predictions, checks, hints.

>>> lesson = open_lesson("02")
>>> lesson.check("2.1", ...)
2.1: not tried yet
>>> lesson.check("2.9", ...)
There is no exercise '2.9' in segment 02. It has 2.1...
>>> lesson.close()

Every method that speaks to the student prints and returns None, so that a cell is one line and its
output is the same on every machine. Left out: what is taught. That is in `segments/` and in the notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import EllipsisType
from typing import Any

from teachmem import store
from teachmem.clock import LessonClock
from teachmem.course import checker, handing, journal, predictions, segments, words
from teachmem.course.judge import Verdict, untried
from teachmem.course.material import Segment, show
from teachmem.course.stage import Stage


class Lesson:
    """One segment, opened. `lesson.memory` is its store, `lesson.clock` its clock, `lesson.tech` a handle."""

    stands_for_stage = True  # an answer that holds the lesson is checked with the checker's own stage

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self._stage = Stage(segment)
        self._journal = journal.current()
        self._hints: dict[str, int] = {}

    @property
    def memory(self) -> store.MemoryStore:
        """The store, with the segment's story in it."""
        return self._stage.memory

    @property
    def clock(self) -> LessonClock:
        """The clock, which stands where the segment starts until you move it."""
        return self._stage.clock

    @property
    def ids(self) -> dict[str, str]:
        """The ids that the rows of the data files have in the store."""
        return dict(self._stage.ids)

    def agent(
        self, name: str, fleet: str = "dock", tenant: str = "northlight", clearance: int = 1
    ) -> store.Agent:
        """Return the handle of an agent."""
        return self._stage.agent(name, fleet, tenant, clearance)

    def person(
        self, name: str, fleet: str = "dock", tenant: str = "northlight", clearance: int = 1
    ) -> store.Person:
        """Return the handle of a person."""
        return self._stage.person(name, fleet, tenant, clearance)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # half made, or asked by a tool
            raise AttributeError(name)
        return getattr(self._stage, name)

    def __repr__(self) -> str:
        return f"<segment {self.segment.number}, {self.segment.title}>"

    def rewind(self) -> None:
        """Put store and clock back to the start. The store and the handles that you hold go on working."""
        self._stage.rewind()

    def close(self) -> None:
        """Close the store."""
        self._stage.close()

    def __enter__(self) -> Lesson:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Checks and hints

    def check(self, exercise_id: str, answer: object) -> None:
        """Say whether `answer` obeys the laws of an exercise; `...` is an answer not tried yet."""
        exercise = self.segment.exercise(exercise_id)
        if exercise is None:
            self._unknown(words.NO_EXERCISE, exercise_id, (one.id for one in self.segment.exercises))
            return
        verdict = self.verdict(exercise_id, answer)
        print(verdict.line(exercise_id))
        if verdict.outcome in ("yes", "not yet"):
            more = {"misconception": verdict.misconception} if verdict.misconception else {}
            self._record("check", exercise_id, outcome=verdict.outcome, **more)

    def verdict(self, exercise_id: str, answer: object) -> Verdict:
        """Return what `check` prints, as an object, and record nothing."""
        if untried(answer):
            return Verdict("untried")
        return checker.shared().check(self.segment, exercise_id, answer, self._stage)

    def hint(self, exercise_id: str, level: int | None = None) -> None:
        """Print the next hint of an exercise, or the one of `level`; the last one is repeated."""
        exercise = self.segment.exercise(exercise_id)
        if exercise is None:
            self._unknown(words.NO_HINTS, exercise_id, (one.id for one in self.segment.exercises))
            return
        last = len(exercise.hints)
        chosen = min(self._hints.get(exercise_id, 0) + 1, last) if level is None else level
        if type(chosen) is not int or not 1 <= chosen <= last:
            print(words.HINT_LEVEL.format(id=exercise_id, levels=last, given=show(level)))
            return
        self._hints[exercise_id] = chosen
        print(words.HINT.format(id=exercise_id, level=chosen, levels=last, hint=exercise.hints[chosen - 1]))
        self._record("hint", exercise_id, level=chosen)

    # Predictions

    def predict(
        self,
        prediction_id: str,
        answer: object = ...,
        sure: str | int | EllipsisType | None = None,
    ) -> None:
        """Ask, and keep the student's answer before it is revealed; `...` is an answer not given yet."""
        prediction = self.segment.prediction(prediction_id)
        if prediction is None:
            self._unknown(words.NO_PREDICTION, prediction_id, (one.id for one in self.segment.predictions))
            return
        events, number = self._journal.events(), self.segment.number
        made = predictions.commitment(events, number, prediction.id)
        shown = predictions.was_shown(events, number, prediction.id)
        line, kept = predictions.commit(prediction, answer, sure, made, shown)
        print(predictions.asked(prediction))
        print(line)
        if kept is not None:
            self._record("predict", prediction.id, **kept)
        self._tell()

    def reveal(self, prediction_id: str) -> None:
        """Say how the prediction turned out. From here on a changed answer does not count."""
        prediction = self.segment.prediction(prediction_id)
        if prediction is None:
            self._unknown(words.NO_PREDICTION, prediction_id, (one.id for one in self.segment.predictions))
            return
        events, number = self._journal.events(), self.segment.number
        made = predictions.commitment(events, number, prediction.id)
        if made is None:
            print(words.REVEAL_UNANSWERED.format(id=prediction.id))
            if not predictions.was_shown(events, number, prediction.id):  # the output stands above this
                self._record("shown", prediction.id)
            return
        print(predictions.revealed(prediction, made))
        if not made.revealed:
            self._record("reveal", prediction.id, right=prediction.holds(made.answer))

    def review(self) -> None:
        """Say how often, and where, you were sure and wrong in this segment."""
        print(predictions.review(self._journal.events(), self.segment))

    def code(self) -> None:
        """Print the code of where your journal stands: for the board, or for your instructor's list."""
        handing.code()

    def _record(self, kind: str, which: str, **more: Any) -> None:
        self._journal.add(self.segment.number, kind, which, **more)
        self._tell()

    def _tell(self) -> None:
        for trouble in self._journal.told():
            print(trouble)

    def _unknown(self, template: str, given: object, known: Iterable[str]) -> None:
        print(template.format(given=show(given), number=self.segment.number, known=words.listed(known)))


def open_lesson(number: str | int | Segment) -> Lesson:
    """Open a segment at its start: `open_lesson("02")`. Raises `InvalidInput` for one that there is not.

    A `Segment` of your own is opened as it is; it names its module in `home`.

    The process that checks answers starts in the background, so that the first check is quick too.
    """
    lesson = Lesson(number if isinstance(number, Segment) else segments.find(number))
    if not journal.is_static():  # a stored notebook has no answers to check
        checker.shared().warm(lesson.segment)
    lesson._journal.events()
    lesson._tell()
    return lesson
