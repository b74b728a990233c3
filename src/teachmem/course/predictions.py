"""Commitments: what a student said before the answer was shown, how sure, and how that turned out.

A prediction may be changed until its reveal; the last one before it counts. What comes after is
kept as late and counts for nothing, so the calibration at the end of a segment is honest. So does one
that was first answered when its output had been shown already: the cell that reveals had been run.

>>> events = [{"segment": "02", "event": "predict", "id": "2.a", "answer": "a", "sure": "sure"},
...           {"segment": "02", "event": "reveal", "id": "2.a", "right": False},
...           {"segment": "02", "event": "predict", "id": "2.a", "answer": "b", "sure": "sure"}]
>>> commitment(events, "02", "2.a")
Commitment(answer='a', sure='sure', revealed=True, right=False, late=False, at='')
>>> commitment([{"segment": "02", "event": "shown", "id": "2.a"}, *events], "02", "2.a").late
True

Left out: where events are kept (`journal.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from teachmem.course import words
from teachmem.course.laws import show
from teachmem.course.material import Prediction, Segment

MOST = 200  # characters of a free answer


@dataclass(frozen=True, slots=True)
class Commitment:
    """The answer that stands; `right` is None until it was revealed.

    `late` says that the output had been shown when it was first answered: it counts for nothing. `at` is
    when it was given.
    """

    answer: Any
    sure: str
    revealed: bool = False
    right: bool | None = None
    late: bool = False
    at: str = ""

    @property
    def counts(self) -> bool:
        """Whether it was made before it was shown, and has been revealed since."""
        return self.revealed and not self.late


def commitment(events: Iterable[Mapping[str, Any]], segment: str, which: str) -> Commitment | None:
    """Return the commitment that stands for one prediction, or None."""
    found: Commitment | None = None
    shown = False
    for event in events:
        if event["segment"] != segment or event["id"] != which:
            continue
        if event["event"] == "predict" and "answer" in event:
            late = found.late if found is not None else shown
            found = Commitment(
                event["answer"], str(event.get("sure", "")), late=late, at=str(event.get("at", ""))
            )
        elif event["event"] == "reveal" and found is not None:
            return replace(found, revealed=True, right=bool(event.get("right")))
        elif event["event"] == "shown":
            shown = True
    return found


def was_shown(events: Iterable[Mapping[str, Any]], segment: str, which: str) -> bool:
    """Say whether the output of a prediction was shown while it was unanswered."""
    return any((one["segment"], one["event"], one["id"]) == (segment, "shown", which) for one in events)


def asked(prediction: Prediction) -> str:
    """Return the question and its choices, as the student reads them."""
    choices = [words.CHOICE.format(key=key, text=text) for key, text in (prediction.choices or {}).items()]
    return "\n".join([f"{prediction.id}  {prediction.question}", *choices])


def commit(
    prediction: Prediction, answer: object, sure: object, made: Commitment | None, shown: bool = False
) -> tuple[str, dict[str, Any] | None]:
    """Return the line that says what becomes of an answer, and what is to be recorded, if anything.

    `made` is the commitment that stands so far; `shown` says that its output was shown before there was
    any. The line does not tell whether the answer is right.
    """
    wanted = (
        words.one_of(f'"{key}"' for key in prediction.choices) if prediction.choices else words.WANTED_FREE
    )
    if answer is ...:
        return words.NOT_ANSWERED.format(id=prediction.id, wanted=wanted), None
    given = _choice(prediction, answer)
    if given is None:
        template = words.NO_CHOICE if prediction.choices else words.NOT_FREE
        return template.format(id=prediction.id, given=show(answer), wanted=wanted), None
    level = _sureness(sure)
    if level is None:
        return words.NOT_SURE_WORD.format(id=prediction.id, given=show(sure)), None
    said = _said(prediction, given)
    if made is not None and made.revealed and (made.answer, made.sure) != (given, level):
        first = _said(prediction, made.answer)
        if made.answer == given:  # only how sure has changed
            said, first = (f"{said}, {words.SURE_PHRASES[one]}" for one in (level, made.sure))
        line = words.LATE.format(id=prediction.id, answer=said, first=first)
        return line, {"answer": given, "sure": level, "late": True}
    template = words.KEPT if level else words.KEPT_UNSURE
    if made.late if made is not None else shown:
        template = words.KEPT_LATE
    line = template.format(id=prediction.id, answer=said, sure=words.SURE_PHRASES[level])
    known = made is not None and (made.revealed or (made.answer, made.sure) == (given, level))
    return line, None if known else {"answer": given, "sure": level}


def revealed(prediction: Prediction, made: Commitment) -> str:
    """Return the line that says how a commitment turned out, and why."""
    template = words.REVEAL_RIGHT if prediction.holds(made.answer) else words.REVEAL_WRONG
    sure = words.SURE_PHRASES.get(made.sure, words.SURE_PHRASES[""])
    said = _said(prediction, made.answer)
    line = template.format(id=prediction.id, answer=said, sure=sure, because=prediction.because)
    return line + ("\n" + words.REVEAL_LATE if made.late else "")


def review(events: Iterable[Mapping[str, Any]], segment: Segment) -> str:
    """Say how often, and where, the student was sure and wrong; `sure` is asked word by word."""
    events = list(events)
    kept = [(one, commitment(events, segment.number, one.id)) for one in segment.predictions]
    done = [(one, made) for one, made in kept if made is not None and made.counts]
    late = [one.id for one, made in kept if made is not None and made.late]
    too_late = [words.REVIEW_LATE.format(which=words.listed(late))] if late else []
    if not done:
        return "\n".join([words.REVIEW_NONE.format(number=segment.number), *too_late])
    lines = [
        words.REVIEW_TOTAL.format(
            number=segment.number,
            answered=len(done),
            all=len(segment.predictions),
            right=sum(bool(made.right) for _, made in done),
        )
    ]
    for sure in (*reversed(words.SURE_WORDS), ""):
        level = [made for _, made in done if made.sure == sure]
        if level:
            right = sum(bool(made.right) for made in level)
            phrase = words.SURE_PHRASES[sure]
            lines.append(words.REVIEW_LEVEL.format(sure=phrase, right=right, answered=len(level)))
    wrong = [f"{one.id} ({one.concept})" for one, made in done if made.sure == "sure" and not made.right]
    lucky = [f"{one.id} ({one.concept})" for one, made in done if made.sure == "guess" and made.right]
    lines.append(
        words.REVIEW_SURE_WRONG.format(which=words.listed(wrong)) if wrong else words.REVIEW_NO_SURE_WRONG
    )
    if lucky:
        lines.append(words.REVIEW_GUESS_RIGHT.format(which=words.listed(lucky)))
    return "\n".join([*lines, *too_late])


def _choice(prediction: Prediction, answer: object) -> str | float | None:
    """Return the answer as it is kept: a key of the choices, or a number or a text."""
    if not prediction.choices:
        if type(answer) is str and answer.strip():
            return answer.strip()[:MOST]
        return answer if type(answer) in (int, float, bool) else None  # type: ignore[return-value]
    if type(answer) is not str:
        return None
    keys = {key.casefold(): key for key in prediction.choices}
    keys |= {text.casefold(): key for key, text in prediction.choices.items()}
    return keys.get(answer.strip().rstrip(")").casefold())


def _sureness(sure: object) -> str | None:
    """Return one of the words for how sure, "" where it was left open, or None for anything else."""
    if sure is None or sure is ...:
        return ""
    if type(sure) is int and 1 <= sure <= len(words.SURE_WORDS):
        return words.SURE_WORDS[sure - 1]
    if type(sure) is str and sure.strip().casefold() in words.SURE_WORDS:
        return sure.strip().casefold()
    return None


def _said(prediction: Prediction, answer: object) -> str:
    return str(answer) if prediction.choices else show(answer)
