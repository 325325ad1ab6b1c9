"""What a model or a plugin does, and may not."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["TOOLS"]

TOOLS: Mapping[str, Code] = {
    "unknown_tool": Code(
        "No tool of that name is in the catalogue.",
        "Use the name in `closest`, or one of `rooms.tools.catalog(actor)`.",
        404,
    ),
    "tool_forbidden": Code(
        "The tool is withheld from this actor; nothing ran.",
        "Read `reason`, the code with which the call would be refused.",
        403,
    ),
    "operation_not_dispatchable": Code(
        "The operation is not a model's to call.",
        "Let the host, or whoever runs the agent, make the Python call.",
        403,
    ),
    "hook_failed": Code(
        "A plugin that decides raised, or answered what is no answer.",
        "Look at `plugin` and `hook` in `details`; the plugin has to be mended.",
        500,
    ),
    "unknown_hook": Code(
        "A plugin implements, or a call names, a hook that does not exist.",
        "Use the name in `closest`, or one of those in the reference.",
        400,
    ),
}
