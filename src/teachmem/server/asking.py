"""Asking the client for something, in both generations of the protocol: its model, or its person.

Since 2026-07-28 a server cannot call its client. A tool that needs an answer returns what it needs, and
the client calls it again with the answer: the body runs anew from the top. Before that, a server asked
in the middle of a call. One function serves both: it returns the answer, or what the tool is to return.

    given = await sample(ctx, "model", instructions, text)
    if isinstance(given, Needed): return given
    ... only from here on may anything change ...

Nothing with a side effect may stand before the answer, and the answer is bound to its question by a
digest: if the question has changed between two rounds, the answer is not used.

Left out: trust. What comes back is text from a client, whoever typed it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import anyio
import mcp_types as mt
from fastmcp import Context

from teachmem.errors import InvalidInput, ModelUnavailable

Needed = mt.InputRequiredResult  # what a tool returns to be called again with an answer

GUARDED = "2026-07-28"  # from this version on, a tool returns what it needs
PATIENCE = 120  # seconds that a client of the older protocol may take
MOST_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said to a form: `action` is accept, decline or cancel."""

    action: str
    content: dict[str, Any]


async def sample(ctx: Context, key: str, instructions: str, text: str) -> str | Needed:
    """Return the answer of the client's model, or what the tool is to return first.

    Raises `ModelUnavailable` if the client has no model, refuses or takes too long.
    """
    message = mt.SamplingMessage(role="user", content=mt.TextContent(type="text", text=text))
    bound = _digest(instructions, text)
    if _is_guarded(ctx):
        given = (ctx.input_responses or {}).get(key)
        if given is None:
            params = mt.CreateMessageRequestParams(
                messages=[message], max_tokens=MOST_TOKENS, system_prompt=instructions
            )
            return Needed(input_requests={key: mt.CreateMessageRequest(params=params)}, request_state=bound)
        _check_bound(ctx, bound)
        return _text_of(given)
    try:
        with anyio.fail_after(PATIENCE):
            given = await ctx.session.create_message(
                messages=[message],
                max_tokens=MOST_TOKENS,
                system_prompt=instructions,
                related_request_id=ctx.request_id,
            )
    except TimeoutError as error:
        raise ModelUnavailable(f"the client's model gave no answer in {PATIENCE} seconds") from error
    except Exception as error:  # whatever a client answers that is no answer
        raise ModelUnavailable(f"the client has no model to ask: {error}") from error
    return _text_of(given)


async def elicit(ctx: Context, key: str, message: str, schema: dict[str, Any]) -> Answer | Needed:
    """Return what the client's person said to a form, or what the tool is to return first."""
    bound = _digest(message, repr(schema))
    if _is_guarded(ctx):
        given = (ctx.input_responses or {}).get(key)
        if given is None:
            params = mt.ElicitRequestFormParams(message=message, requested_schema=schema)
            return Needed(input_requests={key: mt.ElicitRequest(params=params)}, request_state=bound)
        _check_bound(ctx, bound)
    else:
        try:
            with anyio.fail_after(PATIENCE):
                given = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        except TimeoutError as error:
            raise InvalidInput(
                "answer", f"nobody answered in {PATIENCE} seconds; nothing was changed"
            ) from error
    return Answer(str(getattr(given, "action", "cancel")), dict(getattr(given, "content", None) or {}))


def _is_guarded(ctx: Context) -> bool:
    return str(ctx.session.protocol_version or "") >= GUARDED


def _check_bound(ctx: Context, bound: str) -> None:
    if ctx.request_state != bound:
        raise InvalidInput("answer", "belongs to another question: what it was about has changed; call again")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _text_of(given: Any) -> str:
    content = getattr(given, "content", None)
    blocks = content if isinstance(content, list) else [content]
    said = "".join(str(getattr(block, "text", "")) for block in blocks)
    if not said.strip():
        raise ModelUnavailable("the client's model gave an empty answer")
    return said
