"""In the process in which the student's module is the package's: its laws are asked, or the marks.

It is asked through the pipes of `course/worker.py`, and answers with one reply a law or probe, so that
who waits knows how far it came. A call that does not return ends the process, after it was named.

Left out: putting the module there. `boot.py` has done that before this file was imported.
"""

from __future__ import annotations

import json
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from hypothesis.configuration import set_hypothesis_home_dir

from teachmem.course import worker
from teachmem.course.laws import Wrong, class_name, fault
from teachmem.course.rebuilding import boot, contracts, law
from teachmem.marks import probe
from teachmem.marks.systems import in_process

Say = Callable[..., None]


def main() -> None:
    """Answer one request and end."""
    inbox, outbox = worker.own_pipes()
    lock = threading.Lock()
    body = worker.read_frame(inbox)
    if body is None:
        return
    request: dict[str, Any] = pickle.loads(body)

    def say(**reply: Any) -> None:
        with lock:
            outbox.write(worker.frame(json.dumps(reply | {"n": request["n"]}).encode()))
            outbox.flush()

    say(started=True)
    finder = boot.installed()
    module = import_module(f"teachmem.{request['module']}")
    say(fault=finder.fault, given=finder.given, taken=finder.taken)
    if request["run"] == "laws":
        worker.limit_memory()
        set_hypothesis_home_dir(request["scratch"])  # it keeps notes there, and not where you work
        _watch(say, request["seconds"])
        for name, broken in laws(module, request["module"]):
            say(law=name, broken=broken)
    else:
        for finding in marks():
            say(**finding)
    say(done=True)
    os._exit(0)  # whatever the student's module has started ends too


def laws(module: Any, name: str) -> Iterator[tuple[str, str | None]]:
    """Yield each law's name and the counter-example that breaks it, or None where it holds."""
    for one in contracts.find(name).laws:
        yield one.__name__, broken(one, module)


def broken(one: law.Law, module: Any) -> str | None:
    """Return how a law is broken, or None; never raises."""
    try:
        return one(module)
    except Wrong as wrong:
        return str(wrong)
    except MemoryError:
        return "your module wanted more memory than it may have; look for a list that grows without end"
    except (SystemExit, KeyboardInterrupt) as error:
        return f"your module tried to leave Python ({class_name(error)})"
    except BaseException as error:  # the law itself stumbled over what it was given
        return f"asking this raised {fault(error)}"


def marks() -> Iterator[dict[str, str]]:
    """Yield what each probe finds of the kit, as it is in this process."""
    for one in probe.probes():
        found = probe.ask(one, in_process.InProcess)
        yield {"probe": one.name, "asks": one.asks, "answer": str(found.answer), "evidence": found.evidence}


def _watch(say: Say, seconds: float) -> None:
    """End the process, once it has said why, where one call of the student's module does not return."""

    def look() -> None:
        while True:
            time.sleep(0.1)
            call, since = law.running.call, law.running.since
            if call is not None and time.monotonic() - since > seconds:
                say(stuck=f"{call()} did not return within {seconds:g} seconds")
                os._exit(worker.BROKEN)

    threading.Thread(target=look, name="teachmem-watch", daemon=True).start()
