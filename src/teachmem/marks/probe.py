"""A probe asks a memory one question that can be answered wrong, and its control makes it answerable.

A memory that holds nothing leaks nothing, and one that refuses everything lets nothing bad in. So each
probe has its positive control in the same case: it first shows, or shows at the end, that the same call
gives what it should. A probe whose control fails has asked nothing, and says so.

>>> from teachmem.marks.system import Actor, System
>>> class Empty(System):
...     def open(self, folder, *, files=True): ...
...     def acting(self, name, **who): return Silent()
>>> class Silent(Actor):
...     def write(self, text, **how): return "1"
...     def recall(self, query, **when): return []
>>> @probe("scope_enforced", name="example", asks="Is a private memory kept from others?", keep=False)
... def example(system):
...     writer, other = system.acting("dock-1"), system.acting("dock-2")
...     writer.write("the key hangs at bay two", private=True)
...     control("the key" in str(writer.recall("the key")), "the writer finds it")
...     expect("the key" not in str(other.recall("the key")), "another agent found it")
...     return "its writer finds it, another agent does not"
>>> print(ask(example, Empty))
example: could not run (the control failed: the writer finds it)

Left out: the probes (`marks/probes_of_*.py`). The answers are never made one number: a system that offers
no log and one whose log lies would be the same to it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from teachmem.errors import InvalidInput
from teachmem.marks.system import Actor, CouldNotRun, Found, NotOffered, Refused, System

LEAST = ("open", "acting", "write", "recall")  # who does not offer these cannot be asked
UNWRITTEN = "nobody has ever written this sentence down"
LONGEST = 300  # characters of another system's words in the evidence


class Mark(StrEnum):
    """The twelve questions that a memory is asked."""

    VERBATIM = "verbatim"
    TRUST_STATE = "trust_state"
    TOMBSTONE = "tombstone"
    BITEMPORAL = "bitemporal"
    SCOPE_ENFORCED = "scope_enforced"
    AUDIT_LOG = "audit_log"
    HUMAN_REVIEW = "human_review"
    NEGATIVE_EVAL = "negative_eval"
    CONSOLIDATION = "consolidation"
    CONCURRENCY = "concurrency"
    POISON = "poison"
    ERASURE = "erasure"


QUESTIONS = {
    Mark.VERBATIM: "Does what comes back say exactly what was written?",
    Mark.TRUST_STATE: "Is what was withdrawn, doubted or outdone left out of every answer?",
    Mark.TOMBSTONE: "Does a value that a person rejected stay out, through every door and for good?",
    Mark.BITEMPORAL: "Can it say what held then, and what was believed then?",
    Mark.SCOPE_ENFORCED: "Does a reader get what they may read, and nothing else, on every path?",
    Mark.AUDIT_LOG: "Does the log show what was done to the memory, and to itself?",
    Mark.HUMAN_REVIEW: "Do people decide, on what they have seen?",
    Mark.NEGATIVE_EVAL: "Does it stay silent where nothing answers, and put the right thing first?",
    Mark.CONSOLIDATION: "Is what was experienced summed up once, and founded?",
    Mark.CONCURRENCY: "Is every acknowledged write there, whoever else is writing?",
    Mark.POISON: "Is a stranger's text kept from being believed or obeyed?",
    Mark.ERASURE: "Is what was erased gone to the last byte, and the log whole?",
}


class Answer(StrEnum):
    """What a probe found."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_OFFERED = "not offered"
    COULD_NOT_RUN = "could not run"


@dataclass(frozen=True, slots=True, repr=False)
class Probe:
    """One question of a mark. `asks` says it in a sentence; `files` whether it looks at files.

    A probe that starts processes is `slow`.
    """

    name: str
    mark: Mark
    asks: str
    test: Callable[[System], str]
    files: bool = False
    slow: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({self.mark}): {self.asks}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """The answer of one system to one probe, what was asked and what was seen, in words."""

    probe: str
    mark: Mark
    answer: Answer
    evidence: str
    asks: str = ""

    def __str__(self) -> str:
        return f"{self.probe}: {self.answer} ({self.evidence})"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True)
class Card:
    """What one system answered to the probes, at one version, used in one way."""

    system: str
    version: str
    way: str
    findings: tuple[Finding, ...]

    def counts(self, mark: Mark | None = None) -> Counter[Answer]:
        """Return how often each answer was given, for one mark or for all."""
        return Counter(found.answer for found in self.findings if mark in (None, found.mark))


class Failed(Exception):
    """What was expected did not come about; the message is the evidence."""


class Uncontrolled(Exception):
    """The control failed, so the probe has asked nothing."""


_controls: ContextVar[list[str]] = ContextVar("controls")
_PROBES: dict[str, Probe] = {}
MODULES = (
    "probes_of_words",
    "probes_of_trust",
    "probes_of_rejection",
    "probes_of_time",
    "probes_of_scope",
    "probes_of_log",
    "probes_of_review",
    "probes_of_silence",
    "probes_of_sleep",
    "probes_of_writers",
    "probes_of_strangers",
    "probes_of_erasure",
)


def control(came_about: object, words: str) -> None:
    """Go on only if the same call does what it should where it should; `words` say what that is."""
    _controls.get([]).append(words)
    if not came_about:
        raise Uncontrolled(words)


def expect(came_about: object, evidence: str) -> None:
    """Go on only if it did; otherwise `evidence` says what was seen instead."""
    if not came_about:
        raise Failed(evidence)


def refused(act: Callable[..., object], *given: object, **how: object) -> str:
    """Return why the system refuses to `act`, or "" if it does it."""
    try:
        act(*given, **how)
    except Refused as no:
        return str(no) or "refused"
    return ""


def kept(actor: Actor, text: str) -> bool:
    """Say whether a search for a text finds it, and one for a text that nobody wrote does not find that.

    The second half is for a system that gives back whatever it is asked for.
    """
    return text in texts(actor.recall(text)) and UNWRITTEN not in texts(actor.recall(UNWRITTEN))


def texts(found: Iterable[Found]) -> list[str]:
    """Return what the found memories say, in order."""
    return [one.text for one in found]


def probe(
    mark: str, *, name: str, asks: str, files: bool = False, slow: bool = False, keep: bool = True
) -> Callable[[Callable[[System], str]], Probe]:
    """Make the decorated function the probe `name` of a mark.

    It is handed a fresh, empty system, calls `control` at least once and `expect` for what it asks, and
    returns in words what was seen. One of your own, with `keep=False`, is not put on the list.
    """

    def made(test: Callable[[System], str]) -> Probe:
        one = Probe(name, Mark(mark), asks, test, files, slow)
        if keep and name in _PROBES:
            raise ValueError(f"there is a probe {name!r} already")
        if keep:
            _PROBES[name] = one
        return one

    return made


def probes(mark: str | None = None) -> tuple[Probe, ...]:
    """Return every probe, or those of one mark, in the order of the marks."""
    for module in MODULES:  # importing one registers its probes
        import_module(f"teachmem.marks.{module}")
    if mark is not None and mark not in tuple(Mark):
        raise InvalidInput("mark", f"{mark!r} is none of: {', '.join(Mark)}")
    ordered = sorted(_PROBES.values(), key=lambda one: list(Mark).index(one.mark))
    return tuple(one for one in ordered if mark in (None, one.mark))


def ask(one: Probe, make: Callable[[], System]) -> Finding:
    """Put one probe to a fresh system out of `make`; never raises."""
    answer, evidence = Answer.COULD_NOT_RUN, ""
    controls: list[str] = []
    token = _controls.set(controls)
    try:
        with tempfile.TemporaryDirectory(prefix="teachmem-probe-") as folder:
            system = make()
            try:
                system.open(Path(folder), files=one.files)
                evidence = one.test(system)
                answer = Answer.HOLDS if controls else Answer.COULD_NOT_RUN
                evidence = evidence if controls else "the probe has no control, so it could not fail"
            finally:
                system.close()
    except Failed as failed:
        # Without a control nothing was shown to work, so a failure is none of what was asked.
        answer = Answer.FAILS if controls else Answer.COULD_NOT_RUN
        evidence = str(failed) if controls else f"no control came before this was seen: {failed}"
    except Uncontrolled as failed:
        evidence = f"the control failed: {failed}"
    except NotOffered as missing:
        basic = str(missing) in LEAST
        answer = Answer.COULD_NOT_RUN if basic else Answer.NOT_OFFERED
        evidence = f"there is no {missing}"
    except Refused as no:
        evidence = f"refused what it should do: {no}"
    except CouldNotRun as why:
        evidence = str(why)
    except Exception as error:  # another system may fail in any way, and the others are still to be asked
        evidence = f"{type(error).__name__}: {error}"
    finally:
        _controls.reset(token)
    return Finding(one.name, one.mark, answer, evidence[:LONGEST], one.asks)


def run(
    make: Callable[[], System],
    asked: Iterable[Probe] | None = None,
    progress: Callable[[Finding], None] | None = None,
) -> Card:
    """Put the probes to a system, each to a fresh one, and return its card; `progress` hears of each."""
    found: list[Finding] = []
    last = make()  # what is said of the system is said by the one that ran last

    def kept() -> System:
        nonlocal last
        last = make()
        return last

    for one in probes() if asked is None else asked:
        found.append(ask(one, kept))
        if progress:
            progress(found[-1])
    return Card(last.name, last.version, last.way, tuple(found))
