"""What a student meets: the exact lines of predictions, checks and hints, and a store that rewinds."""

import subprocess
import sys

import pytest
import sample_segment
from hypothesis import given, settings
from hypothesis import strategies as st

from teachmem import course
from teachmem.course import checker, journal, predictions, segments
from teachmem.course.judge import untried
from teachmem.course.laws import fault, number, one_line, show, shown
from teachmem.course.material import Exercise, Misconception, Prediction
from teachmem.errors import InvalidInput, NotFound

SEGMENT = sample_segment.SEGMENT


@pytest.fixture
def lesson():
    journal._opened.cache_clear()  # as a new kernel begins
    with course.open_lesson(SEGMENT) as lesson:
        yield lesson


@pytest.fixture(scope="module", autouse=True)
def no_process_left():
    yield
    checker.shared().close()


def says(capsys, call, *arguments, **named) -> str:
    capsys.readouterr()
    assert call(*arguments, **named) is None
    return capsys.readouterr().out.removesuffix("\n")


QUESTION = "77.a  Which one?\n  a) the first\n  b) the second\n"


def test_an_unanswered_prediction_prints_its_question_and_one_fixed_line(lesson, capsys):
    line = '77.a: not answered yet. Put "a" or "b" in place of the dots and run this cell again.'
    assert says(capsys, lesson.predict, "77.a", ...) == QUESTION + line
    assert says(capsys, lesson.predict, "77.a", answer=..., sure=...) == QUESTION + line
    free = "77.b: not answered yet. Put your answer in place of the dots and run this cell again."
    assert says(capsys, lesson.predict, "77.b") == f"77.b  How many?\n{free}"


def test_a_commitment_is_kept_and_tells_nothing(lesson, capsys):
    lines = [
        says(capsys, lesson.predict, "77.a", answer, sure="sure").removeprefix(QUESTION) for answer in "ab"
    ]
    assert lines == ["77.a: kept: a, sure. The next cell tells.", "77.a: kept: b, sure. The next cell tells."]
    unsaid = says(capsys, lesson.predict, "77.a", "a").removeprefix(QUESTION)
    assert (
        unsaid == '77.a: kept: a. Add sure="guess", "fairly" or "sure", and the end of the segment counts it.'
    )


@pytest.mark.parametrize("given", ["B", " b ", "b)", "the second", "The Second"])
def test_a_choice_may_be_written_as_people_write_it(lesson, capsys, given):
    assert "kept: b, fairly sure" in says(capsys, lesson.predict, "77.a", given, 2)


@pytest.mark.parametrize("given", ["c", "", None, 1, ["a"], object(), b"a", "a or b"])
def test_what_is_no_choice_is_said_and_not_kept(lesson, capsys, given):
    told = says(capsys, lesson.predict, "77.a", given, "sure").removeprefix(QUESTION)
    assert told.endswith(' is no choice here. Put "a" or "b" in its place and run this cell again.')
    assert says(capsys, lesson.reveal, "77.a").startswith("77.a: no prediction to compare")


@pytest.mark.parametrize("sure", ["very", 0, 4, 2.0, True, object(), ""])
def test_how_sure_is_one_of_three_words(lesson, capsys, sure):
    told = says(capsys, lesson.predict, "77.a", "a", sure).removeprefix(QUESTION)
    assert told.startswith('77.a: sure is one of "guess", "fairly", "sure" (or 1, 2, 3), not ')
    assert says(capsys, lesson.reveal, "77.a").startswith("77.a: no prediction to compare")


def test_the_reveal_compares_and_a_change_of_mind_afterwards_does_not_count(lesson, capsys):
    lesson.predict("77.a", "b", "guess")
    lesson.predict("77.a", "a", "sure")  # before the reveal one may think again
    wrong = "77.a: you said a, sure; it is otherwise. The second stands after the first."
    assert says(capsys, lesson.reveal, "77.a") == wrong
    assert says(capsys, lesson.reveal, "77.a") == wrong
    late = says(capsys, lesson.predict, "77.a", "b", "sure").removeprefix(QUESTION)
    assert late == "77.a: b is noted. It comes after the answer was shown, so a stays the one that counts."
    assert says(capsys, lesson.reveal, "77.a") == wrong
    again = says(capsys, lesson.predict, "77.a", "a", "sure").removeprefix(QUESTION)
    assert again == "77.a: kept: a, sure. The next cell tells."
    assert [event.get("late") for event in journal.current().events() if "late" in event] == [True]


def test_an_answer_that_comes_first_when_it_was_shown_is_kept_as_that_and_counts_for_nothing(lesson, capsys):
    fixed = "77.a: no prediction to compare. Answer it above, then run this cell again."
    assert says(capsys, lesson.reveal, "77.a") == fixed
    assert says(capsys, lesson.reveal, "77.a") == fixed
    assert [event["event"] for event in journal.current().events()] == ["shown"]  # once
    told = says(capsys, lesson.predict, "77.a", "b", "sure").removeprefix(QUESTION)
    assert told == "77.a: kept: b. Its output was shown before, so it counts for nothing."
    told = says(capsys, lesson.reveal, "77.a")
    assert told.startswith("77.a: right (b, sure).")
    assert told.endswith(
        "\n  You answered when it had been shown, so this counts for nothing. Make the next one first."
    )
    lesson.predict("77.b", 3, "sure")
    lesson.reveal("77.b")
    told = says(capsys, lesson.review)
    assert "1 of 2 predictions answered, 1 right." in told
    assert told.endswith("  Answered when it had been shown, and left out: 77.a.")


def test_a_free_answer_is_a_number_or_a_text(lesson, capsys):
    assert "kept: 3, as a guess" in says(capsys, lesson.predict, "77.b", 3, 1)
    assert says(capsys, lesson.reveal, "77.b") == "77.b: right (3, as a guess). Three, more or less."
    told = says(capsys, lesson.predict, "77.b", [3])
    assert "[3] cannot be kept. Answer with a number or a text and run this cell again." in told


def test_an_answer_that_the_key_cannot_read_is_wrong(lesson, capsys):
    lesson.predict("77.b", "many", "sure")
    assert says(capsys, lesson.reveal, "77.b").startswith("77.b: you said 'many', sure; it is otherwise.")


def test_the_review_says_where_one_was_sure_and_wrong(lesson, capsys):
    empty = "Segment 77: no prediction answered yet, so there is nothing to compare."
    assert says(capsys, lesson.review) == empty
    lesson.predict("77.a", "a", "sure")
    lesson.predict("77.b", 3, "guess")
    assert says(capsys, lesson.review) == empty  # nothing was revealed
    lesson.reveal("77.a")
    lesson.reveal("77.b")
    assert says(capsys, lesson.review).splitlines() == [
        "Segment 77: 2 of 2 predictions answered, 1 right.",
        "  sure: 0 of 1 right",
        "  as a guess: 1 of 1 right",
        "  Sure and wrong: 77.a (order). Read these again first.",
        "  Guessed and right: 77.b (counting). You know more here than you think.",
    ]


acts = st.lists(
    st.one_of(
        st.tuples(
            st.just("predict"), st.sampled_from("ab"), st.sampled_from(["guess", "fairly", "sure", ""])
        ),
        st.tuples(st.just("reveal"), st.booleans()),
    )
)


@given(acts)
@settings(max_examples=300)
def test_what_counts_is_the_last_answer_before_the_first_reveal(acts):
    """The oracle cuts the list instead of walking it."""
    events = [
        {"segment": "77", "id": "77.a", "event": "predict", "answer": act[1], "sure": act[2]}
        if act[0] == "predict"
        else {"segment": "77", "id": "77.a", "event": "reveal", "right": act[1]}
        for act in acts
    ]
    kinds = [event["event"] for event in events]
    start = kinds.index("predict") if "predict" in kinds else len(kinds)
    reveals = [place for place, kind in enumerate(kinds) if kind == "reveal" and place > start]
    answers = [event for event in events[: reveals[0] if reveals else None] if event["event"] == "predict"]
    made = predictions.commitment(events, "77", "77.a")
    assert (made is not None) == bool(answers)
    if made is not None:
        assert (made.answer, made.sure) == (answers[-1]["answer"], answers[-1]["sure"])
        assert made.revealed == bool(reveals)


def test_checks_say_one_fixed_line(lesson, capsys):
    assert says(capsys, lesson.check, "77.1", ...) == "77.1: not tried yet"
    assert says(capsys, lesson.check, "77.1", lambda n: n * 2) == "77.1: yes - twice the number"
    told = says(capsys, lesson.check, "77.1", lambda n: n**2)
    card = "  This has a name, twice is squared: They agree at 0 and 2 only."
    assert told == f"77.1: not yet - your function(1) gave 1\n{card}"
    told = says(capsys, lesson.check, "77.1", 4)
    assert told == "77.1: not yet - expected a function of a number, got an int"


def test_an_answer_may_hold_the_lesson(lesson, capsys):
    space = {"lesson": lesson, "__name__": "__main__"}
    exec("def answer(): return lesson.tech.episodic.stats()['events']", space)
    assert says(capsys, lesson.check, "77.3", space["answer"]) == "77.3: yes - as many as there are"


@pytest.mark.parametrize(
    "source",
    [
        "...",
        "{'a': ..., 'b': ...}",
        "(..., ...)",
        "def f(n, *, k=1) -> float:\n    return ...",
        "def f(n):\n    'What it does.'\n    return ...",
        "f = lambda n: ...",
    ],
)
def test_a_placeholder_is_not_tried_yet(source):
    space: dict[str, object] = {}
    exec(source if "f" in source.split("(")[0] else f"f = {source}", space)
    assert untried(space["f"])


def test_a_function_that_returns_nothing_has_been_tried_and_is_told_so(lesson, capsys):
    def nothing(n):
        pass

    told = says(capsys, lesson.check, "77.1", nothing)
    assert told.startswith("77.1: not yet - nothing(")
    assert "gave None" in told


def test_an_answer_that_raises_shows_no_wrong_idea(lesson, capsys):
    def broken(n):
        raise KeyError(n)

    assert "This has a name" not in says(capsys, lesson.check, "77.1", broken)


@pytest.mark.parametrize(
    "source",
    [
        "lambda: 1",
        "lambda: None",
        "lambda n: n",
        "[]",
        "{}",
        "[..., 1]",
        "print",
        "lambda: [...]",
        "''",
        "lambda: {}",
    ],
)
def test_anything_else_is_tried(source):
    assert not untried(eval(source))


def test_hints_come_one_by_one_and_the_last_is_repeated(lesson, capsys):
    told = [says(capsys, lesson.hint, "77.1") for _ in range(4)]
    assert told == [
        "77.1, hint 1 of 3: What is two times two?",
        "77.1, hint 2 of 3: And three times two?",
        "77.1, hint 3 of 3: Which sign is that?",
        "77.1, hint 3 of 3: Which sign is that?",
    ]
    assert says(capsys, lesson.hint, "77.1", level=1) == told[0]
    assert says(capsys, lesson.hint, "77.1") == told[1]
    assert says(capsys, lesson.hint, "77.1", level=7) == "77.1: hints are numbered 1 to 3, not 7"
    with course.open_lesson(SEGMENT) as again:
        assert says(capsys, again.hint, "77.1") == told[0]


@pytest.mark.parametrize("wrong", ["77.9", "", None, 77.1, ["77.1"]])
def test_an_unknown_id_names_the_known_ones(lesson, capsys, wrong):
    assert says(capsys, lesson.check, wrong, 1).endswith("in segment 77. It has 77.1, 77.2, 77.3 and 77.4.")
    assert says(capsys, lesson.hint, wrong).endswith("It has 77.1, 77.2, 77.3 and 77.4.")
    assert says(capsys, lesson.predict, wrong, 1).endswith("in segment 77. It has 77.a and 77.b.")
    assert says(capsys, lesson.reveal, wrong).endswith("in segment 77. It has 77.a and 77.b.")
    assert journal.current().events() == []


@pytest.mark.parametrize("wrong", ["2b", "", "99", None, 1.0, True, -1, "../00", ["02"]])
def test_an_unknown_lesson_names_the_known_ones(wrong):
    with pytest.raises(InvalidInput, match="there is 00, 01"):
        course.open_lesson(wrong)


@pytest.mark.parametrize("number", ["02", "2", 2, " 02 "])
def test_a_lesson_is_found_by_its_number(number):
    assert segments.find(number).number == "02"


# The store


def test_the_same_objects_go_on_after_a_rewind(lesson):
    mem, tech, clock, audit = lesson.memory, lesson.tech, lesson.clock, lesson.memory.audit
    own = mem.agent("line-3", fleet="line", tenant="northlight")
    notes, recall = tech.working, tech.episodic.recall
    before = [hit.memory for hit in recall("shift", k=50)]
    written = tech.semantic.remember("the arm is mended").memory.memory_id
    notes.write("arm", "observed", "drift", "it drifts")
    own.episodic.log("observation", "belt squeaks")
    clock.advance(days=3)
    entries = mem.audit.verify().entries
    lesson.rewind()
    assert lesson.memory is mem
    assert lesson.tech is tech
    assert lesson.clock is clock
    assert clock.now() == SEGMENT.start
    assert [hit.memory for hit in recall("shift", k=50)] == before
    assert audit.verify() == mem.audit.verify()
    assert mem.audit.verify().entries == entries - 3
    assert mem.audit.verify().status == "complete"
    with pytest.raises(NotFound):
        tech.semantic.get(written)
    assert tech.semantic.remember("the arm is mended").memory.memory_id == written  # ids count anew
    assert own.episodic.log("observation", "belt squeaks").verdict == "accepted"
    assert notes.write("arm", "observed", "drift", "it drifts").verdict == "accepted"


def test_a_persons_inbox_goes_on_after_a_rewind():
    with course.open_lesson("05") as lesson:
        page = lesson.tech.semantic.remember("a page", source="web")
        assert [item.candidate_id for item in lesson.lead.review.inbox()] == [page.candidate_id]
        inbox = lesson.lead.review
        lesson.rewind()
        assert lesson.lead.review.inbox() == []
        assert inbox is not lesson.lead.review


def test_rewinding_twice_or_after_closing_is_fine(lesson):
    lesson.close()
    lesson.rewind()
    lesson.rewind()
    assert lesson.tech.episodic.log("observation", "still here").verdict == "accepted"


def test_handles_are_those_of_the_story_and_any_other(lesson):
    assert repr(lesson.lead) == "<person shift-lead of northlight/dock, clearance 1>"
    assert repr(lesson.agent("cold-1", "cold", "southgate")).startswith("<agent cold-1 of southgate/cold")
    assert repr(lesson.person("safety-officer", clearance=3)).endswith("clearance 3>")
    with pytest.raises(AttributeError, match="the handles of this segment are tech and lead"):
        _ = lesson.nobody
    assert repr(lesson) == "<segment 77, A sample>"


@pytest.mark.parametrize("number", segments.numbers())
def test_every_segment_opens_alike_twice(number):
    def all_of(lesson):
        return [
            handle.episodic.recent(1000) + handle.working.read(limit=1000)
            for handle in lesson._stage.handles.values()
        ], lesson.memory.audit.verify()

    with course.open_lesson(number) as one, course.open_lesson(number) as two:
        assert all_of(one) == all_of(two)
        one.rewind()
        assert all_of(one) == all_of(two)


def test_opening_a_lesson_loads_nothing_heavy():
    code = (
        "import sys; from teachmem import course; course.open_lesson('02');"
        "print(*sorted({'pandas', 'matplotlib', 'ipywidgets', 'chromadb', 'fastmcp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# What a segment is written with


def test_a_misconception_that_names_no_law_is_a_mistake():
    with pytest.raises(ValueError, match="exercise 1: 'x' names no law of it: 'y'"):
        Exercise(
            id="1", title="", concept="", expected="", fits=bool, laws=(), yes="",
            misconceptions=(Misconception("x", "", "y"),), hints=("", "", ""),
        )  # fmt: skip


def test_a_prediction_has_its_right_answer_among_its_choices():
    with pytest.raises(ValueError, match="prediction 1: 'c' is none of its choices"):
        Prediction(id="1", question="", choices={"a": ""}, right="c", because="", concept="")


@given(st.floats(allow_nan=False) | st.integers() | st.text() | st.lists(st.floats()) | st.binary())
def test_what_is_shown_is_one_short_printable_line(value):
    assert len(show(value)) <= 160
    assert show(value).isprintable()
    assert one_line(show(value), 20) == one_line(show(value), 20)[:20]


@given(st.floats(0.001, 1e5))
def test_a_shown_float_reads_as_a_float(value):
    assert "." in show(value) or "e" in show(value)
    assert float(show(value)) == pytest.approx(value, rel=1e-3)


def test_calls_are_shown_as_they_are_written():
    def later(): ...

    assert shown(later, 1, "a", key=[2.0]) == "later(1, 'a', key=[2.0])"
    assert shown(lambda: 0) == "your function()"
    assert fault(KeyError("x")) == "KeyError: 'x'"


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9))
def test_numbers_pass_unchanged(value):
    assert number(value, "f()") == value
