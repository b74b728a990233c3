"""The server's log is never waited for, whoever fills it; and no library takes over the log of a process."""

import http.client
import json
import logging
import os
import sys
import threading
import time

import pytest
from helpers import run_python
from test_server_http import DOCK, LINE, serving

from teachmem.server.identity import TokenBook
from teachmem.server.log import Unhindered

posix = pytest.mark.skipif(os.name == "nt", reason="pipes cannot be asked for room there")


@posix
def test_a_full_pipe_is_not_waited_for_and_what_was_left_out_is_told():
    reader, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        handler = Unhindered(stream)

        def fill():
            for number in range(500):
                handler.handle(
                    logging.makeLogRecord({"msg": f"{number} " + "x" * 1000, "levelname": "WARNING"})
                )

        thread = threading.Thread(target=fill, daemon=True)
        thread.start()
        thread.join(30)
        assert not thread.is_alive(), "it waits for a reader"
        lost = handler.dropped
        assert lost > 300
        while len(os.read(reader, 65536)) == 65536:
            pass
        handler.handle(logging.makeLogRecord({"msg": "again", "levelname": "WARNING"}))
        assert f"{lost} lines before this one were left out" in os.read(reader, 65536).decode()
    os.close(reader)
    handler.handle(logging.makeLogRecord({"msg": "nobody is there"}))
    assert handler.dropped == 1


def test_the_end_of_a_long_record_is_kept(capsys):
    handler = Unhindered(sys.stderr)
    try:
        raise RuntimeError("the name of the fault")
    except RuntimeError as error:
        told = (type(error), error, error.__traceback__)
    handler.handle(logging.makeLogRecord({"msg": "é" * 9000, "levelname": "ERROR", "exc_info": told}))
    said = capsys.readouterr().err
    assert len(said.encode()) <= 4100
    assert said.startswith("teachmem: ERROR")
    assert said.endswith("RuntimeError: the name of the fault\n")


def test_word_vectors_leave_the_log_of_the_process_alone():
    pytest.importorskip("wordllama")
    code = """
import logging, sys
from teachmem.recall.embed import WordEmbedder
WordEmbedder().embed(["hoist"])
assert "wordllama" in sys.modules
print(logging.getLogger().handlers, logging.getLogger().level)
"""
    assert run_python(code).strip() == f"[] {logging.WARNING}"


def test_warnings_that_anybody_can_cause_do_not_stop_the_server(tmp_path):
    """Nobody reads the standard error here; each refused session is a line of it."""
    book = TokenBook(tmp_path / "tokens.json")
    mine, other = book.make(DOCK, now=time.time()), book.make(LINE, now=time.time())
    start = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "0"},
    }

    with serving(tmp_path / "northlight.db", book.path, "--rate", "100000") as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

        def post(token, method, **more):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": start})
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            connection.request("POST", "/mcp", body, {**headers, "Authorization": f"Bearer {token}", **more})
            answer = connection.getresponse()
            answer.read()
            return answer

        session = post(mine, "initialize").headers["Mcp-Session-Id"]
        for _ in range(700):  # a line has more than a hundred signs, and a pipe room for 65,536
            assert post(other, "ping", **{"Mcp-Session-Id": session}).status == 404
        assert post(mine, "ping", **{"Mcp-Session-Id": session}).status == 200
        connection.close()
