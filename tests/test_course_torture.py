"""Whatever an answer is or does: one sentence comes back, soon, and the kernel lives on."""

import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import sample_segment

from teachmem.course import words
from teachmem.course.checker import Checker, within
from teachmem.course.process import TookTooLong
from teachmem.course.stage import Stage

SEGMENT = sample_segment.SEGMENT
SECONDS = 1.0  # instead of two, as the tests wait for it


@pytest.fixture(scope="module")
def checker():
    with Checker(SECONDS) as checker:
        checker.warm(SEGMENT)
        yield checker


@pytest.fixture(scope="module")
def stage():
    with Stage(SEGMENT) as stage:
        yield stage


def made(source: str) -> object:
    """Return `answer` of a source, as a notebook would define it."""
    space = {"__name__": "__main__"}
    exec(textwrap.dedent(source), space)
    return space["answer"]


LOOPS = words.TOO_LONG.format(seconds="1")

# What an answer does when it is called, and what is said of it.
CALLED = {
    "loop": ("while True: pass", LOOPS),
    "loop that catches everything": (
        """
        while True:
            try:
                while True: pass
            except BaseException: pass
        """,
        LOOPS,
    ),
    "sleep": ("import time; time.sleep(60)", LOOPS),
    "loop inside C": ("import itertools; return sum(itertools.count())", LOOPS),
    "regular expression that never ends": ("import re; return re.match('(a+)+$', 'a' * 40 + 'b')", LOOPS),
    "power that never ends": ("return 9 ** 9 ** 9", LOOPS),
    "lock taken twice": ("import threading; k = threading.Lock(); k.acquire(); k.acquire()", LOOPS),
    "output flood": ("while True: print('x' * 10_000)", LOOPS),
    "question to the keyboard": ("return input('?')", "answer(0) raised EOFError: EOF when reading a line"),
    "exit": ("import sys; sys.exit(3)", words.LEFT_PYTHON.format(error="SystemExit")),
    "hard exit": ("import os; os._exit(3)", words.ENDED.format(code=3)),
    "interrupt": ("raise KeyboardInterrupt", words.LEFT_PYTHON.format(error="KeyboardInterrupt")),
    "recursion": (
        "return answer(n)",
        "answer(0) raised RecursionError: maximum recursion depth exceeded",
    ),
    "exception": ("return 1 / n", "answer(0) raised ZeroDivisionError: division by zero"),
    "exception that cannot be shown": (
        """
        class Odd(Exception):
            def __str__(self): raise ValueError
        raise Odd
        """,
        "answer(0) raised Odd",
    ),
    "exception of many lines": (
        "raise ValueError('a\\nb\\x1b[31m\\ud800')",
        "answer(0) raised ValueError: a b [31m ",
    ),
    "generator's end": ("raise StopIteration", "answer(0) raised StopIteration"),
    "closed output": ("import os\nfor n in range(64): os.close(n)", words.CRASHED),
    "garbage into every pipe": (
        """
        import os
        for n in range(3, 20):
            try: os.write(n, b'zzzzzzzzzzzzzzzz')
            except OSError: pass
        """,
        words.CRASHED,
    ),
    "prints a little": ("print('hello'); return 2 * n", ""),
    "writes past Python": ("import os; os.write(1, b'hello'); os.write(2, b'hello'); return 2 * n", ""),
    "thread left behind": (
        "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); return 2 * n",
        "",
    ),
    "returns nothing": ("pass", "answer(0) gave None, which is no number"),
    "returns itself": ("return answer", "answer(0) gave <function answer>, which is no number"),
    "returns not a number": ("return float('nan')", "answer(0) gave nan, which is not finite"),
    "returns a number that lies": (
        """
        class Liar(float):
            def __eq__(self, other): return True
            __hash__ = None
        return Liar(n)
        """,
        "answer(0) gave 0.0, which is no number",
    ),
    "returns what cannot be shown": (
        """
        class Shy:
            def __repr__(self): raise RuntimeError
        return Shy()
        """,
        "answer(0) gave <Shy instance>, which is no number",
    ),
    "changes numbers of the lesson": (
        "from teachmem.course import laws; laws.number = lambda *a: 2 * n; return 2 * n",
        "",
    ),
    "moves away": ("import os; os.chdir('/'); return 2 * n", ""),
    "a lower limit": ("import sys; sys.setrecursionlimit(60); return 2 * n", ""),
}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("print(n); return n", True),
        ("print(); return n", False),
        ("return n", False),
        ("print(n); 1 / 0", True),
    ],
)
def test_that_a_wrong_answer_printed_is_told_and_what_it_printed_is_not(checker, stage, body, told):
    verdict = checker.check(SEGMENT, "77.1", made(f"def answer(n): {body}"), stage)
    assert verdict.outcome == "not yet"
    assert verdict.line("77.1").endswith(words.PRINTED) is told


def test_a_right_answer_that_prints_is_told_nothing_more(checker, stage):
    verdict = checker.check(SEGMENT, "77.1", made("def answer(n): print(n); return 2 * n"), stage)
    assert verdict.line("77.1").startswith("77.1: yes")
    assert "\n" not in verdict.line("77.1")


@pytest.mark.parametrize("name", CALLED)
def test_a_function_that_misbehaves_is_told_so_in_one_sentence(checker, stage, name):
    body, said = CALLED[name]
    answer = made("def answer(n):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    start = time.monotonic()
    verdict = checker.check(SEGMENT, "77.1", answer, stage)
    assert verdict.outcome == ("not yet" if said else "yes"), verdict
    assert said in verdict.text
    assert "\n" not in verdict.text
    assert verdict.text.isprintable()
    assert time.monotonic() - start < SECONDS + 10  # a new process may have to start
    # the next answer, a right one, is judged as if nothing had been
    assert checker.check(SEGMENT, "77.1", made("def answer(n): return n + n"), stage).outcome == "yes"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited where the system can")
@pytest.mark.parametrize(
    "body",
    [
        "return [0] * 10**10",
        "return 'x' * 10**11",
        "return bytearray(10**12)",
        "x = []\n    while True: x.append(bytes(10**8))",
    ],
)
def test_an_answer_that_wants_all_memory_gets_a_sentence(checker, stage, body):
    verdict = checker.check(SEGMENT, "77.1", made(f"def answer(n):\n    {body}"), stage)
    assert verdict.text == words.NO_MEMORY


# Answers that are odd already before anybody calls them.
VALUES = {
    "a lock": "import threading; answer = threading.Lock()",
    "a generator": "answer = (n for n in range(3))",
    "an open file": "import os; answer = open(os.devnull, 'w')",
    "a thread": "import threading; answer = threading.Thread()",
    "a frame": "import sys; answer = sys._getframe()",
    "a function that holds a lock": "import threading; k = threading.Lock()\ndef answer(n): return k",
    "an own way to be copied": """
        class Odd:
            def __reduce__(self):
                import os; os._exit(9)
        answer = Odd()
        """,
    "an own way to be copied, inherited": """
        class Odd:
            def __getstate__(self): raise SystemExit
        class Odder(Odd): pass
        answer = [Odder()]
        """,
    "a store of one's own": "import teachmem; answer = teachmem.open_memory()",
    "too large": "answer = bytes(21 * 2**20)",
    "too deep": "answer = []\nfor _ in range(100_000): answer = [answer]",
}


@pytest.mark.parametrize("name", VALUES)
def test_what_cannot_travel_is_said_with_the_reason(checker, stage, name):
    answer = made(VALUES[name])
    verdict = checker.check(SEGMENT, "77.4", answer, stage)
    assert verdict.outcome == "not yet"
    assert "hand over" in verdict.text
    assert "\n" not in verdict.text
    if hasattr(answer, "close"):
        answer.close()


def test_copying_without_end_is_given_up(checker, stage):
    endless = """
        class Endless:
            def __getattribute__(self, name):
                while True: pass
        answer = Endless()
        """
    verdict = checker.check(SEGMENT, "77.4", made(endless), stage)
    assert verdict.text == words.COPY_TOO_LONG.format(seconds="1")
    assert checker.check(SEGMENT, "77.4", 1, stage).outcome == "yes"


def test_a_crash_while_it_is_rebuilt_is_the_answers_own(checker, stage):
    bomb = """
        class Bomb:
            def __setstate__(self, state):
                import os; os._exit(7)
        answer = Bomb(); answer.fuse = 1
        """
    assert checker.check(SEGMENT, "77.4", made(bomb), stage).text == words.ENDED.format(code=7)
    error = bomb.replace("import os; os._exit(7)", "raise ValueError('no')")
    told = checker.check(SEGMENT, "77.4", made(error), stage).text
    assert told == words.UNPACKED.format(reason="ValueError: no")


@pytest.mark.parametrize(
    "source",
    [
        "class Liar:\n    def __eq__(self, other): return True\nanswer = Liar()",
        "class Liar:\n    def __eq__(self, other): raise SystemExit\nanswer = Liar()",
        "class Liar:\n    __class__ = property(lambda self: 1 / 0)\nanswer = Liar()",
        "class Meta(type):\n    __name__ = property(lambda cls: 1 / 0)\nanswer = Meta('L', (), {})()",
        "answer = []; answer.append(answer)",
        "import numpy; answer = numpy.arange(3)",
        "class Number(int): __slots__ = ()\nanswer = Number(3)",
    ],
)
def test_values_that_lie_are_no_numbers(checker, stage, source):
    verdict = checker.check(SEGMENT, "77.2", made(source), stage)
    assert verdict.outcome == "not yet", verdict
    assert verdict.text.startswith(("expected a number, got", "your answer gave", "it cannot be handed"))


def test_numbers_of_any_library_are_numbers(checker, stage):
    for source in ("answer = 3", "import numpy; answer = numpy.float64(0.5)"):
        assert checker.check(SEGMENT, "77.2", made(source), stage).outcome == "yes"


def test_an_answer_may_use_the_lessons_handles_and_finds_the_story_at_its_start(checker, stage):
    space = {"tech": stage.tech, "mem": stage.memory, "clock": stage.clock, "__name__": "__main__"}
    exec("def answer(): return len(tech.episodic.recent(1000))", space)
    assert checker.check(SEGMENT, "77.3", space["answer"], stage).outcome == "yes"
    exec(
        "def answer():\n"
        "    mem.agent('dock-1', fleet='dock', tenant='northlight').episodic.log('observation', 'new')\n"
        "    clock.advance(hours=5)\n"
        "    return tech.episodic.stats()['events']",
        space,
    )
    first = checker.check(SEGMENT, "77.3", space["answer"], stage)
    assert first.outcome == "not yet"
    assert checker.check(SEGMENT, "77.3", space["answer"], stage) == first  # it was put back in between
    assert stage.clock.now() == sample_segment.START  # and nothing of this happened here
    assert first.text.startswith(f"{stage.tech.episodic.stats()['events'] + 1} events")


def test_work_is_waited_for_and_no_longer():
    assert within(5, lambda: 3) == 3
    with pytest.raises(KeyError):
        within(5, lambda: {}["x"])
    with pytest.raises(TookTooLong):
        within(0.05, lambda: time.sleep(0.5))


def test_two_threads_of_a_kernel_may_check_at_once(stage):
    import concurrent.futures

    with Checker(5) as checker, concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = [made(f"def answer(n): return n * {k}") for k in (1, 2, 3, 2, 1, 2)]
        told = list(pool.map(lambda answer: checker.check(SEGMENT, "77.1", answer, stage).outcome, answers))
    assert told == ["not yet", "yes", "not yet", "yes", "not yet", "yes"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("ending", ["raise SystemExit", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_no_process_is_left_behind(ending):
    code = f"""
        import os
        from teachmem.course.checker import shared
        import sample_segment
        shared().check(sample_segment.SEGMENT, "77.2", 1)
        print(shared()._process._popen.pid, flush=True)
        {ending}
        """
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=env, check=False
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 5
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:  # noqa: PTH110
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{pid}")  # noqa: PTH110


def test_a_machine_that_cannot_start_the_process_says_so(stage, monkeypatch):
    monkeypatch.setattr(sys, "executable", os.devnull)
    with Checker(1) as checker:
        checker.warm(SEGMENT)
        verdict = checker.check(SEGMENT, "77.2", 1, stage)
    assert verdict.line("77.2") == words.NO_CHECKER.format(id="77.2")


def test_a_students_own_file_is_read_anew(stage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "homework_77.py"
    with Checker(5) as checker:
        for factor, outcome in (
            ("3 + 0", "not yet"),
            ("2", "yes"),
            ("4 - 1 - 1", "yes"),
            ("7.125", "not yet"),
        ):
            file.write_text(f"def double(n):\n    return ({factor}) * n\n", encoding="utf-8")
            sys.modules.pop("homework_77", None)
            importlib.invalidate_caches()
            double = importlib.import_module("homework_77").double
            assert checker.check(SEGMENT, "77.1", double, stage).outcome == outcome
    sys.modules.pop("homework_77")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a wait is interrupted at its end")
def test_an_interrupted_kernel_goes_on_and_so_do_checks(stage):
    endless = made("def answer(n):\n    while True: pass")
    with Checker(20) as checker:
        assert checker.check(SEGMENT, "77.2", 1, stage).outcome == "yes"
        start = time.monotonic()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            checker.check(SEGMENT, "77.1", endless, stage)
        assert time.monotonic() - start < 10
        timer.join()
        assert checker.check(SEGMENT, "77.2", 1, stage).outcome == "yes"


def test_a_process_that_died_in_between_is_replaced_without_a_word(stage):
    with Checker(5) as checker:
        assert checker.check(SEGMENT, "77.2", 1, stage).outcome == "yes"
        checker._process._popen.kill()
        checker._process._popen.wait()
        assert checker.check(SEGMENT, "77.2", 1, stage).outcome == "yes"


def test_a_cold_check_waits_for_its_process_and_not_longer_than_it_must(stage):
    with Checker(0.5) as checker:  # starting takes longer than the limit, and does not count
        answer = made("import pandas\ndef answer(n): return n * len(pandas.Series([1, 2]))")
        assert checker.check(SEGMENT, "77.1", answer, stage).outcome == "yes"
