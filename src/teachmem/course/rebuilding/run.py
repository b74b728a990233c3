"""Rebuild mode, as a student calls it: hand in a module, and see whether the kit still keeps its word on it.

    course.rebuild("recall.score", "score.py")              # a file
    course.rebuild("recall.score", score)                   # a module, or a class that holds its names
    course.rebuild("recall.score", score, part=True)        # what is not in it stays the package's
    course.rebuild("recall.score", score, laws_only=True)   # neither notebooks nor marks

The laws come first; while one is broken, nothing else is run. Then every notebook is run with the
student's module in the kernel, and what it shows is compared with what is stored; then the marks.

>>> print(rebuild("score", ...))
recall.score: not tried yet

Left out: safety. What is handed in runs with the rights of whoever calls this.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import EllipsisType
from typing import Any

from teachmem.course import journal
from teachmem.course.process import Process, TookTooLong
from teachmem.course.rebuilding import boot, contracts, notebooks, own
from teachmem.course.rebuilding.report import Rebuilt, Ruling

SEGMENT = "09"  # where the record files it
CALL = 5.0  # seconds, for one call of the student's module
LAW = 60.0  # for one law, on a slow machine
STARTING = 60.0
PROBE = 120.0
STOPPED = "your module ran on without end, or brought its process down"

Tell = Callable[[str], None]

_BOOT = """\
import sys; sys.path[:] = {path!r}
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("teachmem_boot", BOOT)
boot = module_from_spec(spec); spec.loader.exec_module(boot)
boot.install(**WHAT)
try:
    from teachmem.course.rebuilding import inside
except BaseException as error:
    boot.fail(error)
inside.main()
"""


def rebuild(
    module: str,
    mine: object = ...,
    *,
    part: bool = False,
    laws_only: bool = False,
    segments: tuple[str, ...] = (),
    tell: Tell | None = None,
) -> Rebuilt:
    """Run the kit on your own module in the place of the package's `module`; return the report.

    `mine` is the path of a file, a module, or a class or namespace that holds the names; `...` is an
    answer not tried yet. A name that is missing is refused, unless `part` says that what you have not
    written stays the package's. `laws_only` leaves notebooks and marks out, `segments` all notebooks but
    these. `tell` hears how far it came.
    """
    name = contracts.full_name(module)
    if isinstance(mine, EllipsisType):
        return Rebuilt(name, "", untried=True)
    given = own.taken(mine)
    tell = tell or (_silent if journal.is_static() else print)
    nested = boot.installed() is not None  # called by a notebook that is itself run on a rebuilt module
    with tempfile.TemporaryDirectory(prefix="teachmem-rebuild-") as folder:
        what = {
            "module": f"teachmem.{name}",
            "file": str(given.saved(Path(folder))),
            "pickled": given.pickled,
        }
        found = _laws(Rebuilt(name, given.called, digest=given.digest), what, part, tell)
        if found.lawful and (laws_only or nested):
            found = replace(found, not_run="the laws alone were asked for")
        elif found.lawful:
            seen = tuple(notebooks.run(what, given.sources, segments, tell))
            not_run = "a notebook shows something else"
            found = replace(found, notebooks=seen, some=bool(segments), not_run=not_run)
            if not any(one.seen for one in seen):
                found = replace(found, marks=tuple(_marks(what, tell)))
    if not nested:
        journal.current().add(SEGMENT, "rebuild", name, **found.as_event())
    return found


def _silent(line: str) -> None:
    """Where every output is stored and compared, nobody is told how far it came."""


def _laws(found: Rebuilt, what: dict[str, Any], part: bool, tell: Tell) -> Rebuilt:
    """Ask the laws, one after the other, and return the report with what they said."""
    contract = contracts.find(found.module)
    rulings: list[Ruling] = []
    waiting = {law.__name__: law for law in contract.laws}
    request = {"run": "laws", "module": found.module, "seconds": CALL}
    for reply in _asked(request | {"scratch": str(Path(what["file"]).parent)}, what, LAW):
        if reply.get("fault"):
            return replace(found, fault=reply["fault"])
        if "taken" in reply:
            missing = [name for name in contract.names if name not in reply["given"]]
            found = replace(found, names=tuple(reply["taken"]), kept=tuple(missing))
            if fault := _amiss(found, part):
                return replace(found, fault=fault)
        if "law" in reply:
            law = waiting.pop(reply["law"])
            tell(f"{'✕' if reply['broken'] else '✓'} {contracts.sentence(law)}")
            rulings.append(Ruling(law.__name__, contracts.sentence(law), reply["broken"] or ""))
        if "stuck" in reply:
            if not found.names:  # it never came to be
                return replace(found, fault=STOPPED)
            name = next(iter(waiting))
            rulings.append(Ruling(name, contracts.sentence(waiting.pop(name)), reply["stuck"]))
            rulings += [
                Ruling(name, "", unjudged=f"not asked any more: {contracts.sentence(law)}")
                for name, law in waiting.items()
            ]
    return replace(found, laws=tuple(rulings))


def _amiss(found: Rebuilt, part: bool) -> str:
    """Say what keeps the module from being asked at all, or ""."""
    if not found.names:
        return (
            "it defines none of the names that the module offers; "
            f"course.contract({found.module!r}) lists them"
        )
    if found.kept and not part:
        return (
            f"it does not define {', '.join(found.kept)}; write them (course.contract({found.module!r}) says "
            "what they take), or say part=True (--part on the command line) to keep the package's"
        )
    return ""


def _marks(what: dict[str, Any], tell: Tell) -> Iterator[Ruling]:
    """Put every probe to the kit as it is on the student's module; one that it does not offer says nothing.

    A probe whose control fails could not run, and that counts: the kit on its own module runs them all.
    """
    tell("the marks ...")
    for reply in _asked({"run": "marks", "module": what["module"][9:]}, what, PROBE):
        if reply.get("answer", "not offered") != "not offered":
            seen = "" if reply["answer"] == "holds" else f"It {reply['answer']}: {reply['evidence']}"
            yield Ruling(reply["probe"], reply["asks"], seen)
        elif "stuck" in reply:
            yield Ruling("marks", "The marks come to an end.", reply["stuck"])


def _asked(request: dict[str, Any], what: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """Yield what a process says in which the module is the student's, up to its end or `seconds` of silence.

    An end that was not announced is told as `stuck`. The process and all that it started are gone afterwards.
    """
    process = Process(_BOOT.replace("BOOT", repr(boot.__file__)).replace("WHAT", repr(what)))
    try:
        n = process.ask(**request)
        limit = STARTING
        while (reply := process.hear(n, time.monotonic() + limit)) is not None:
            if "done" in reply:
                return
            yield reply
            if "stuck" in reply:
                return
            limit = seconds
        yield {"stuck": STOPPED}
    except (TookTooLong, OSError):
        yield {"stuck": STOPPED}
    finally:
        process.end()
