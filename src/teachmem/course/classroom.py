"""What an instructor sees of a class: where the room is stuck, and which predictions went wrong.

Each student hands in their `progress.jsonl` under a name of its own, or in a folder of its own; names
are shown only where a file is damaged. Nothing is sent anywhere.

>>> from tempfile import TemporaryDirectory
>>> from teachmem.course.journal import Journal
>>> with TemporaryDirectory() as folder:
...     for name, outcome in (("a", "yes"), ("b", "not yet")):
...         diary = Journal(Path(folder) / name)
...         diary.add("02", "check", "2.1", outcome=outcome)
...     print(roster(folder).exercises[0])
2.1  done 1, stuck 1, not tried 0

Left out: a ranking of students.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachmem import frames
from teachmem.course import eventfile, handed, predictions, segments, standing, words
from teachmem.course.laws import one_line
from teachmem.course.material import Exercise, Segment
from teachmem.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

Events = list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ExerciseRow:
    """One exercise over the class; `cards` counts the wrong ideas that were met."""

    id: str
    done: int
    stuck: int
    untried: int
    cards: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        seen = ", ".join(f"{name} ({count})" for name, count in self.cards)
        cards = words.ROSTER_CARDS.format(cards=seen) if seen else ""
        return words.ROSTER_EXERCISE.format(
            id=self.id, done=self.done, stuck=self.stuck, untried=self.untried, cards=cards
        )


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """One prediction over the class."""

    id: str
    right: int
    wrong: int
    sure_wrong: int

    def __str__(self) -> str:
        return words.ROSTER_PREDICTION.format(
            id=self.id, right=self.right, wrong=self.wrong, sure_wrong=self.sure_wrong
        )


@dataclass(frozen=True, slots=True, repr=False)
class Roster:
    """The class: where most are stuck comes first, and what went wrong most often."""

    students: int
    exercises: tuple[ExerciseRow, ...]
    predictions: tuple[PredictionRow, ...]
    troubles: tuple[str, ...]

    def __str__(self) -> str:
        rows = (*self.exercises, *self.predictions, *self.troubles)
        return "\n".join([words.ROSTER_HEAD.format(students=self.students), *map(str, rows)])

    __repr__ = __str__

    def frame(self) -> pd.DataFrame:
        """Return one table of exercises and predictions; `troubled` is stuck or wrong."""
        columns = ["id", "kind", "fine", "troubled", "untried"]
        rows: list[tuple[str, str, int, int, int]] = []
        rows += [(row.id, "exercise", row.done, row.stuck, row.untried) for row in self.exercises]
        rows += [
            (row.id, "prediction", row.right, row.wrong, self.students - row.right - row.wrong)
            for row in self.predictions
        ]
        return frames.frame(rows, columns)


def roster(folder: str | Path) -> Roster:
    """Read the students' files in `folder` (`*.jsonl`, also one folder down) and sum them up."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InvalidInput("folder", words.NO_ROSTER_FOLDER.format(folder=folder))
    files = sorted(path for pattern in ("*.jsonl", "*/*.jsonl") for path in folder.glob(pattern))
    files = [path for path in files if not path.name.startswith("progress-damaged-")]
    students: list[Events] = []
    troubles = [] if files else [words.ROSTER_EMPTY.format(folder=folder)]
    for file in files:
        name = one_line(file.relative_to(folder).as_posix(), handed.LONG)
        try:
            events, damaged, newer = eventfile.read(file)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            troubles.append(words.ROSTER_UNREADABLE.format(name=name, reason=reason))
            continue
        if newer:
            troubles.append(words.ROSTER_UNREADABLE.format(name=name, reason=words.ROSTER_NEWER))
            continue
        if damaged:
            lines = words.lines(damaged)
            troubles.append(words.ROSTER_DAMAGED.format(name=name, count=damaged, lines=lines))
        students.append(list(events))
    every = [segments.find(number) for number in segments.numbers()]
    exercises = [row for segment in every for row in _exercises(segment, students)]
    foreseen = [row for segment in every for row in _predictions(segment, students)]
    exercises.sort(key=lambda row: -row.stuck)
    foreseen.sort(key=lambda row: (-row.sure_wrong, -row.wrong))
    return Roster(len(students), tuple(exercises), tuple(foreseen), tuple(troubles))


def _exercises(segment: Segment, students: list[Events]) -> list[ExerciseRow]:
    """Return the segment's exercises that anybody has tried."""
    tried = [standing.outcomes(events, segment) for events in students]
    rows = []
    for exercise in segment.exercises:
        results = [found[exercise.id] for found in tried if exercise.id in found]
        if results:
            cards = Counter(name for events in students for name in _met(exercise, events))
            order = tuple(sorted(cards.items(), key=lambda card: (-card[1], card[0])))
            done = sum(results)
            rows.append(
                ExerciseRow(exercise.id, done, len(results) - done, len(students) - len(results), order)
            )
    return rows


def _met(exercise: Exercise, events: Events) -> set[str]:
    """Return the wrong ideas of an exercise that one student was told, each once."""
    told = [event.get("misconception") for event in events if event["id"] == exercise.id]
    return {wrong.name for wrong in exercise.misconceptions if wrong.name in told}


def _predictions(segment: Segment, students: list[Events]) -> list[PredictionRow]:
    """Return the segment's predictions that anybody has answered before they saw."""
    rows = []
    for prediction in segment.predictions:
        kept = [predictions.commitment(events, segment.number, prediction.id) for events in students]
        made = [one for one in kept if one is not None and one.counts]
        if made:
            right = sum(bool(one.right) for one in made)
            sure_wrong = sum(one.sure == "sure" and not one.right for one in made)
            rows.append(PredictionRow(prediction.id, right, len(made) - right, sure_wrong))
    return rows
