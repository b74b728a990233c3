"""The LoCoMo path: a small made-up file in its format, read, asked and measured; and files that are none."""

import copy
import json

import pytest
from typer.testing import CliRunner

from teachmem import cli
from teachmem.bench import conversations, locomo
from teachmem.errors import InvalidInput, TeachmemError
from teachmem.recall.embed import HashingEmbedder

SAID = [
    [
        ("dock-lead", "Has the hoist in bay three been looked at?"),
        ("fitter", "Yes, the drum bearing was worn, so I put in a new one."),
        ("dock-lead", "Good. And the canteen has a new menu."),
    ],
    [
        ("fitter", "The blue forklift pulls to the left since the rain."),
        ("dock-lead", "Then take it out of service until the tyres are here."),
        ("fitter", "Done. The tyres came with the morning truck."),
    ],
]
QA = [
    ("Which bearing of the hoist was replaced?", 4, ["D1:2"]),
    ("What has to do with the forklift and its tyres?", 1, ["D2:1; D2:2", "D2:03"]),
    ("When did the tyres come?", 2, ["D2:3", "D9:9"]),
    ("Who sang in the canteen?", 5, ["D1:3"]),
    ("What is nowhere?", 3, ["D"]),
    ("What was never said?", 3, []),
]


def sample():
    talk = {"speaker_a": "dock-lead", "speaker_b": "fitter", "session_7_date_time": "7:00 am on 9 May, 2026"}
    for number, turns in enumerate(SAID, 1):
        talk[f"session_{number}_date_time"] = f"1:0{number} pm on {number} May, 2026"
        talk[f"session_{number}"] = [
            {"speaker": speaker, "dia_id": f"D{number}:{place}", "text": text}
            for place, (speaker, text) in enumerate(turns, 1)
        ]
    talk["session_2"][0]["blip_caption"] = "a forklift beside a puddle"
    asked = [
        {"question": words, "category": category, "evidence": evidence, "answer": "as was said"}
        for words, category, evidence in QA
    ]
    return {"sample_id": "talk-1", "conversation": talk, "qa": asked}


@pytest.fixture
def given(tmp_path):
    def put(content):
        path = tmp_path / "locomo.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return put


def test_the_file_is_read_with_its_slips_mended_or_told(given):
    (found,), faults = conversations.read(given([sample()]))
    assert [turn.dia_id for turn in found.turns] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D2:3"]
    assert found.turns[0].said == "dock-lead (1 May, 2026): Has the hoist in bay three been looked at?"
    assert found.turns[3].said.endswith("since the rain. [picture: a forklift beside a puddle]")
    assert {turn.session for turn in found.turns} == {"session_1", "session_2"}
    assert [question.evidence for question in found.questions] == [
        ("D1:2",),
        ("D2:1", "D2:2", "D2:3"),
        ("D2:3",),
        ("D1:3",),
    ]
    assert [fault.partition(", ")[2] for fault in faults] == [
        "question 2: no turn is called D9:9",
        "question 4: 'D' names no turn",
        "question 4: nothing is left of its evidence, so it is not asked",
        "question 5: nothing is left of its evidence, so it is not asked",
    ]


def test_every_question_is_asked_in_every_way_and_the_figures_are_the_means(given):
    path = given([sample(), {**sample(), "sample_id": "talk-2"}])
    report = locomo.run(path, HashingEmbedder())
    told = report.as_json()
    assert told["questions"] == {"multi-hop": 2, "temporal": 2, "single-hop": 2, "adversarial": 2}
    assert set(told["figures"]) == set(locomo.WAYS)
    for figures in told["figures"].values():
        assert set(figures) == {"1 to 4", *told["questions"]}
        for values in figures.values():
            assert 0 <= values["R@5"] <= values["R@10"] <= values["R@20"] <= 1
        graded = [figures[kind]["N@10"] for kind in ("multi-hop", "temporal", "single-hop")]
        assert figures["1 to 4"]["N@10"] == pytest.approx(sum(graded) / 3)
    assert told["figures"]["recall"]["1 to 4"]["R@10"] == 1  # six turns: all are found
    assert told["figures"]["words"]["single-hop"]["R@5"] == 1
    lines = "\n".join(report.lines())
    assert "Recall against its better half" in lines
    assert "no turn is called D9:9" in lines
    assert all(len(line) <= 160 for line in report.lines())


def test_words_in_surroundings_equal_a_plain_loop(given):
    (talk,), _ = conversations.read(given([sample()]))
    words = {"D1:1": 0.4, "D1:2": 0.1, "D1:3": 0.0, "D2:1": 0.0, "D2:2": 0.8, "D2:3": 0.2}
    own = {name: value / 0.8 for name, value in words.items()}
    plain = {}
    for session in ("session_1", "session_2"):
        names = [turn.dia_id for turn in talk.turns if turn.session == session]
        best = sum(sorted((own[name] for name in names), reverse=True)[:3]) / 3
        for place, name in enumerate(names):
            beside = [own[other] for other in names[max(0, place - 1) : place] + names[place + 1 : place + 2]]
            plain[name] = (own[name] + 0.5 * sum(beside) / len(beside) + 0.5 * best) / 2
    assert locomo._in_surroundings(talk, words) == pytest.approx(plain)


def broken(change):
    whole = copy.deepcopy([sample()])
    change(whole)
    return whole


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "list of conversations"),
        ("[]", "list of conversations"),
        ("[3]", "conversation 0: 'conversation' is missing"),
        (broken(lambda w: w[0].pop("conversation")), "'conversation' is missing"),
        (broken(lambda w: w[0].pop("qa")), "'qa' is missing"),
        (broken(lambda w: w[0].update(qa={})), "'qa' must be a list"),
        (broken(lambda w: w[0].update(conversation={"speaker_a": "x"})), "has no session_1"),
        (broken(lambda w: w[0]["conversation"].update(session_1="x")), "'session_1' must be a list"),
        (broken(lambda w: w[0]["conversation"]["session_2"][1].pop("text")), "session_2, turn 1: 'text'"),
        (broken(lambda w: w[0]["conversation"]["session_2"][1].update(dia_id="x")), "must look like 'D1:3'"),
        (broken(lambda w: w[0]["conversation"]["session_2"][1].update(dia_id="D1:1")), "two turns are"),
        (broken(lambda w: w[0]["qa"][1].update(category=7)), "question 1: 'category' must be 1 to 5"),
        (broken(lambda w: w[0]["qa"][1].update(category=True)), "whole number"),
        (broken(lambda w: w[0]["qa"][1].pop("evidence")), "question 1: 'evidence' is missing"),
        (broken(lambda w: w[0].update(qa=w[0]["qa"][4:])), "no question with evidence"),
    ],
)
def test_a_file_that_is_none_is_refused_with_where_and_what(given, content, said):
    with pytest.raises(InvalidInput) as refused:
        conversations.read(given(content))
    assert said in str(refused.value)


def test_a_file_that_is_not_there_or_not_wanted_is_said_at_the_command_line(tmp_path):
    missing = tmp_path / "none.json"
    for words, said in (
        (["bench", "retrieval", "--locomo", str(missing)], "cannot be read"),
        (["bench", "recall", "--locomo", str(missing)], "goes with"),
    ):
        answer = CliRunner().invoke(cli.app, words)
        assert isinstance(answer.exception, TeachmemError)
        assert said in str(answer.exception)
