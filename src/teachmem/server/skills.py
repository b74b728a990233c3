"""Skills as MCP prompts: what a caller may use is what their client lists, in the version believed now.

Prompts are usually fixed in a server's source. These are memories: a skill that a person lets in is
listed at the next question, a retracted one is gone, and a use is logged and counted.

Left out: choosing one for a task (`procedural.choose`, and the tool skills_choose).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp_types as mt
from anyio import to_thread
from fastmcp.exceptions import NotFoundError, PromptError
from fastmcp.prompts import Prompt, PromptArgument, PromptResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from teachmem import errors
from teachmem.server.acting import Serving
from teachmem.server.guard import told
from teachmem.tiers.procedural import Skill

SESSION = "mcp"  # the session that a use is logged under


class Skills(Middleware):
    """Lists the caller's skills as prompts, and fills one in."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def on_list_prompts(
        self,
        context: MiddlewareContext[mt.ListPromptsRequest],
        call_next: CallNext[mt.ListPromptsRequest, Any],
    ) -> Sequence[Prompt]:
        """List every skill that the caller may use."""
        me = self._serving.handle()
        return [_prompt(skill) for skill in await to_thread.run_sync(me.procedural.list)]

    async def on_get_prompt(
        self,
        context: MiddlewareContext[mt.GetPromptRequestParams],
        call_next: CallNext[mt.GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """Fill a skill in and log its use."""
        me, asked = self._serving.handle(), context.message
        given = {str(name): str(value) for name, value in (asked.arguments or {}).items()}
        try:
            used = await to_thread.run_sync(lambda: me.procedural.use(asked.name, SESSION, **given))
        except errors.InvalidInput as error:
            if error.field == "name":
                raise NotFoundError(f"Unknown prompt: {asked.name!r}") from error
            raise PromptError(told(error)) from error
        except errors.TeachmemError as error:
            raise PromptError(told(error)) from error
        return PromptResult(used.text, description=_description(used.skill))


def _prompt(skill: Skill) -> Prompt:
    arguments = [PromptArgument(name=name, required=True) for name in skill.arguments]
    return Prompt(
        name=skill.name,
        title=skill.title,
        version=str(skill.version),
        description=_description(skill),
        arguments=arguments,
    )


def _description(skill: Skill) -> str:
    """Return when a skill is for and how far it is believed: a prompt tells a model what to do."""
    memory = skill.memory
    return (
        f"For when: {skill.trigger}. Version {skill.version}, {memory.status}, source {memory.source}, "
        f"by {memory.agent}, {memory.memory_id}."
    )
