"""What stands between a client and the tools: who has which, and how a refusal is worded.

A tool that a role does not have is neither listed nor callable; calling it answers as for one that
does not exist. An error of teachmem becomes its kind and its sentence, which says what to do. A bug
stays a bug: its words are not sent to the client.

>>> told(errors.InvalidInput("k", "must be a whole number of 1 or more, not 0"))
'invalid_input: k: must be a whole number of 1 or more, not 0'

Left out: the checks of the gate, which hold whoever calls.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import mcp_types as mt
from fastmcp.exceptions import FastMCPError, NotFoundError, ResourceError, ToolError
from fastmcp.resources import Resource, ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool, ToolResult
from pydantic import ValidationError as ShapeError

from teachmem import errors
from teachmem.server.acting import Serving
from teachmem.server.toolset import TOOLS
from teachmem.vocabulary import Role

KINDS: tuple[tuple[type[Exception], str], ...] = (
    (errors.MemoryRefused, "refused"),
    (errors.NotFound, "not_found"),
    (errors.InvalidInput, "invalid_input"),
    (errors.IndexUnavailable, "index_unavailable"),
    (errors.StoreError, "store"),
    (errors.TeachmemError, "error"),
)
BUG = "internal: something failed inside; nothing was half written. The server's log has the details"


LOG = logging.getLogger("teachmem.server")  # bugs only: a refusal is the caller's to read, not the log's
MOST_SAID = 600  # characters of an error: it may quote an argument, and an argument may be a megabyte


def told(error: errors.TeachmemError) -> str:
    """Return an error of ours as its kind and its sentence, cut in the middle if it is very long."""
    kind = next(name for known, name in KINDS if isinstance(error, known))
    return short(f"{kind}: {error}")


def short(text: str) -> str:
    """Return a text with its middle left out if it has more than `MOST_SAID` characters.

    >>> short("x" * 100_000) == "x" * 300 + " [...] " + "x" * 300
    True
    """
    half = MOST_SAID // 2
    return text if len(text) <= MOST_SAID else f"{text[:half]} [...] {text[-half:]}"


def misshapen(error: ShapeError) -> str:
    """Return what is wrong with the arguments of a call, one clause an argument."""
    clauses = []
    for fault in error.errors(include_url=False, include_input=False)[:5]:
        place = ".".join(str(step) for step in fault["loc"]) or "arguments"
        words = {
            "missing_argument": "is missing",
            "unexpected_keyword_argument": "is no argument of this tool",
        }
        clauses.append(f"{place} {words.get(fault['type'], ': ' + fault['msg'])}".replace(" : ", ": "))
    return short("invalid_input: " + "; ".join(clauses) + "; describe_tool shows the arguments")


class Guard(Middleware):
    """Keeps each role to its tools, and words every refusal."""

    def __init__(self, serving: Serving, *, everything: bool, people_only: Sequence[str]) -> None:
        self._serving = serving
        self._everything = everything
        self._people_only = frozenset(people_only)

    def _has(self, name: str) -> bool:
        listed = TOOLS.get(name)
        return listed is not None and listed.is_for(self._serving.who().role)

    async def on_list_tools(
        self, context: MiddlewareContext[mt.ListToolsRequest], call_next: CallNext[mt.ListToolsRequest, Any]
    ) -> Sequence[Tool]:
        """List the entry set, or everything where the server was told to; nothing of another role."""
        tools: Sequence[Tool] = await call_next(context)
        return [
            each for each in tools if self._has(each.name) and (self._everything or TOOLS[each.name].entry)
        ]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mt.CallToolRequestParams],
        call_next: CallNext[mt.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call a tool that the caller has; turn what goes wrong into a kind and a sentence."""
        name = context.message.name
        if not self._has(name):
            raise ToolError(short(f"not_found: there is no tool {name!r}; find one with search_tools"))
        try:
            return await call_next(context)
        except Exception as error:
            raise ToolError(_words(error)) from error

    async def on_list_resources(
        self,
        context: MiddlewareContext[mt.ListResourcesRequest],
        call_next: CallNext[mt.ListResourcesRequest, Any],
    ) -> Sequence[Resource]:
        """List what the caller's role may open."""
        return [each for each in await call_next(context) if self._may_open(str(each.uri))]

    async def on_read_resource(
        self,
        context: MiddlewareContext[mt.ReadResourceRequestParams],
        call_next: CallNext[mt.ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Read a resource; one for people is for others as if it did not exist."""
        uri = str(context.message.uri)
        if not self._may_open(uri):
            raise NotFoundError(short(f"Unknown resource: {uri!r}"))
        try:
            return await call_next(context)
        except NotFoundError:
            raise
        except Exception as error:
            raise ResourceError(_words(error)) from error

    def _may_open(self, uri: str) -> bool:
        return uri not in self._people_only or self._serving.who().role is Role.PERSON


def _words(error: BaseException) -> str:
    """Return what a client is told of an error, wherever in a chain of causes ours stands."""
    while True:
        if isinstance(error, errors.TeachmemError):
            return told(error)
        if isinstance(error, ShapeError):
            return misshapen(error)
        if error.__cause__ is None:
            if isinstance(error, FastMCPError):
                return short(str(error))
            LOG.error("a call failed inside", exc_info=error)
            return BUG
        error = error.__cause__
