"""The MCP Inspector's command line, a client of other makers in another language, lists and calls the tools.

It is a package of npm, @modelcontextprotocol/inspector, and nothing here fetches it: the test is skipped
where neither `mcp-inspector` nor the file that TEACHMEM_INSPECTOR names is there.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest
from helpers import opened

from teachmem.server import app

SECONDS = 120


@pytest.fixture(scope="module")
def inspector():
    """Return the command line of the Inspector."""
    found = os.environ.get("TEACHMEM_INSPECTOR") or shutil.which("mcp-inspector")
    if found and shutil.which("node"):
        return found
    said = "the MCP Inspector is not installed: npm install -g @modelcontextprotocol/inspector"
    if "inspector" in os.environ.get("TEACHMEM_REQUIRE", ""):
        pytest.fail(f"TEACHMEM_REQUIRE asks for it: {said}")
    pytest.skip(said)


@pytest.fixture
def asked(inspector, tmp_path):
    """Ask a server over stdio for dock-1, on a store with one fact; return what it answers, read."""
    path = tmp_path / "northlight.db"
    with opened(path) as mem:
        mem.agent("dock-1", fleet="dock", tenant="northlight").semantic.remember("Gate four is open")
    whom = ["--tenant", "northlight", "--fleet", "dock", "--agent", "dock-1"]
    server = [sys.executable, "-m", "teachmem", "serve", "--store", str(path), *whom]

    def ask(*what):
        line = [inspector, "--cli", *server, *what]
        ended = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == 0, ended.stderr[-2000:]
        return json.loads(ended.stdout)

    return ask


def test_the_inspector_lists_the_entry_set_and_calls_a_tool(asked):
    listed = {tool["name"]: tool for tool in asked("--method", "tools/list")["tools"]}
    assert set(listed) == {name for name, tool in app.TOOLS.items() if tool.entry and not tool.people}
    assert listed["semantic_search"]["annotations"]["readOnlyHint"] is True
    found = asked("--method", "tools/call", "--tool-name", "semantic_search", "--tool-arg", "query=gate four")
    assert found["structuredContent"]["hits"][0]["content"] == "Gate four is open"


def test_the_inspector_opens_a_resource(asked):
    told = asked("--method", "resources/read", "--uri", "memory://me")["contents"][0]["text"]
    assert json.loads(told)["name"] == "dock-1"
