"""The normal form of a notebook: a law on any notebook, and what it must remove."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import notebooks

TEXT = st.text(max_size=40)
OUTPUT = st.one_of(
    st.fixed_dictionaries(
        {"output_type": st.just("stream"), "name": st.sampled_from(["stdout", "stderr"]), "text": TEXT}
    ),
    st.fixed_dictionaries(
        {
            "output_type": st.just("execute_result"),
            "data": st.dictionaries(st.sampled_from(["text/plain", "text/html", notebooks.LIVE]), TEXT),
            "execution_count": st.integers(1, 99),
            "metadata": st.just({}),
        }
    ),
)
METADATA = st.dictionaries(st.sampled_from(["tags", "minutes", *notebooks.FLEETING]), st.integers())
CODE = st.fixed_dictionaries(
    {
        "cell_type": st.just("code"),
        "id": st.uuids().map(str),
        "source": TEXT,
        "metadata": METADATA,
        "execution_count": st.one_of(st.none(), st.integers(1, 99)),
        "outputs": st.lists(OUTPUT, max_size=4),
    }
)
WORDS = st.fixed_dictionaries(
    {"cell_type": st.just("markdown"), "id": st.uuids().map(str), "source": TEXT, "metadata": METADATA}
)
NOTEBOOK = st.fixed_dictionaries(
    {
        "cells": st.lists(st.one_of(CODE, WORDS), max_size=5),
        "metadata": METADATA,
        "nbformat": st.just(4),
        "nbformat_minor": st.just(5),
    }
)


def said(notebook, name):
    """All that a notebook's streams of one name say, cell by cell."""
    return [
        "".join("".join(output["text"]) for output in cell.get("outputs", []) if output.get("name") == name)
        for cell in notebook["cells"]
    ]


@given(NOTEBOOK)
def test_the_normal_form_is_its_own_normal_form_and_loses_no_word(notebook):
    before = json.dumps(notebook)
    once = notebooks.as_text(notebook)
    tidy = json.loads(once)
    assert notebooks.as_text(tidy) == once
    assert json.dumps(notebook) == before
    assert [cell["id"] for cell in tidy["cells"]] == [cell["id"] for cell in notebook["cells"]]
    assert ["".join(cell["source"]) for cell in tidy["cells"]] == [
        cell["source"] for cell in notebook["cells"]
    ]
    for name in ("stdout", "stderr"):
        assert said(tidy, name) == said(notebook, name)
    counts = [cell["execution_count"] for cell in tidy["cells"] if cell.get("execution_count")]
    assert counts == list(range(1, len(counts) + 1))
    assert not any(key in once for key in (f'"{notebooks.LIVE}":', '"ExecuteTime":', '"widgets":'))


def test_a_traceback_names_no_file_of_this_machine():
    error = {
        "output_type": "error",
        "ename": "MemoryRefused",
        "evalue": "no",
        "traceback": ["File /somewhere"],
    }
    cell = {
        "cell_type": "code",
        "id": "a",
        "source": "",
        "metadata": {},
        "execution_count": 1,
        "outputs": [error],
    }
    tidy = notebooks.normalise({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    assert tidy["cells"][0]["outputs"][0]["traceback"] == ["MemoryRefused: no"]


def test_check_says_which_notebook_would_change_and_writes_nothing(tmp_path, capsys):
    path = tmp_path / "01.ipynb"
    path.write_text(
        json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    before = path.read_bytes()
    assert notebooks.main(["--no-run", "--check", str(path)]) == 1
    assert "01.ipynb: would change" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert notebooks.main(["--no-run", str(path)]) == 0
    assert notebooks.main(["--no-run", "--check", str(path)]) == 0


@pytest.mark.parametrize("path", sorted(notebooks.FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_every_committed_notebook_is_in_its_normal_form_and_has_run(path):
    stored = path.read_text(encoding="utf-8")
    assert notebooks.as_text(json.loads(stored)) == stored
    code = [cell for cell in json.loads(stored)["cells"] if cell["cell_type"] == "code" and cell["source"]]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
