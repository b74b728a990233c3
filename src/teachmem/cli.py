"""The command line: `teachmem COMMAND`. One module a command; this one only lists and starts them.

An error of teachmem is one sentence on stderr and the exit code 2. A bug stays a traceback.

Left out: what the commands do (`commands/`), and their manual (`docs/cli.md`).
"""

from __future__ import annotations

import io
import sys

import typer

from teachmem import errors
from teachmem.commands import (
    backup,
    bench,
    checkpoint,
    connect,
    console,
    demo,
    doctor,
    exchange,
    forget,
    grade,
    inbox,
    lab,
    lint,
    marks,
    rebuild,
    reindex,
    reset,
    serve,
    tidy,
    token,
    verify,
)
from teachmem.commands import version as versions
from teachmem.commands.tell import tell

app = typer.Typer(
    name="teachmem",
    help="How an AI agent's memory works, and how it is kept honest.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(versions.options)
for command in (
    doctor.doctor,
    demo.demo,
    lab.lab,
    verify.verify,
    inbox.inbox,
    checkpoint.checkpoint,
    forget.forget,
    backup.backup,
    backup.restore,
    exchange.export,
    rebuild.rebuild,
    reindex.reindex,
    tidy.tidy,
    lint.lint,
    lint.runsheet,
    grade.grade,
    bench.bench,
    marks.marks,
    serve.serve,
    connect.connect,
    console.console,
    reset.reset,
):
    app.command()(command)
app.add_typer(token.app, name="token")

app.command("import")(exchange.load)


def main() -> None:
    """Run one command and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):  # a sign that the terminal lacks is escaped, not a crash
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except errors.TeachmemError as error:
        tell(f"teachmem: {error}", err=True)
        sys.exit(2)
