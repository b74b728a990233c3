"""The course without chromadb and fastmcp, as the extra `core` installs it: what differs is what must."""

import json
import os
import re

import pytest

from notebooks import FOLDER, as_text, execute, prepare_kernels

HIDE = """\
import sys


class Without:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("chromadb", "fastmcp", "mcp"):
            return None
        return self.finder.find_spec(name, path, target)


sys.meta_path = [Without(finder) for finder in sys.meta_path]
"""
# By cell, a pattern that stands in what it prints, and what stands there without the parts that are missing.
INDEX = {"explore-index": (r"\['facts.db', 'facts.db.chroma'\]\n", "['facts.db']\n")}
SERVER = {
    "break-tools": (r"listed at first: .*\nfoil: .*\n", ""),
    "build-find": (r"(?s)graph_neighbours .*", ""),
    "run-mcp": (r'(?s)"Yard carrier .*', ""),
}
DIFFERS = {
    "03-semantic-memory-and-graph.ipynb": INDEX,
    "04-procedural-memory-and-pipeline.ipynb": SERVER,
    "05-consolidation-and-trust.ipynb": {},
    "06-tombstones-and-review.ipynb": {},
}


def shown(notebook):
    """Return what each cell of code prints or displays, by its id."""
    return {
        cell["id"]: ["".join(out["text"]) if "text" in out else out.get("data") for out in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    }


@pytest.mark.parametrize("name", DIFFERS)
def test_a_notebook_shows_the_same_on_the_core_alone(name, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(HIDE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", "")  # put back afterwards; the next line sets it
    prepare_kernels(tmp_path / "ipython")
    found = shown(json.loads(as_text(execute(FOLDER / name))))
    stored = shown(json.loads((FOLDER / name).read_text(encoding="utf-8")))
    for cell, (whole, core) in DIFFERS[name].items():
        said, times = re.subn(whole, core, stored[cell][0])
        assert times == 1
        stored[cell] = [said] if said else []
    assert found == stored
