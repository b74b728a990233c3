"""Finding tools: a client loads the few that it needs instead of all."""

from __future__ import annotations

from fastmcp import Context

from teachmem.errors import InvalidInput
from teachmem.server.acting import ME
from teachmem.server.shown import Shown
from teachmem.server.toolset import TOOLS, found, tool
from teachmem.store import Handle


@tool(entry=True)
def search_tools(query: str = "", limit: int = 10, me: Handle = ME) -> list[Shown]:
    """Find tools by what they do; return name and one line each.

    Use it when no listed tool fits. Then read one with describe_tool and call it by its name: tools
    that are not listed can be called all the same. An empty query lists all of them.
    When you know the name, use describe_tool.
    """
    names = found(query, me.principal.role)[: max(limit, 0)]
    return [{"name": name, "does": TOOLS[name].says} for name in names]


@tool(entry=True)
async def describe_tool(name: str, ctx: Context, me: Handle = ME) -> Shown:
    """Return one tool's whole description and the schema of its arguments.

    Use it before you call a tool that is not listed. To find one, use search_tools.
    """
    listed = TOOLS.get(name)
    if listed is None or not listed.is_for(me.principal.role):
        raise InvalidInput("name", f"there is no tool {name!r}; find one with search_tools")
    described = await ctx.fastmcp.get_tool(name)
    assert described is not None
    return {"name": name, "description": described.description, "arguments": described.parameters}
