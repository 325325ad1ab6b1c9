"""
A thread of two scripted participants and their operator: `python examples/thread.py`.

It needs no network. To put a model behind a participant, let `speak` hand
`view.render()` to your client; docs/how-to/drive-a-planned-room.md has the lines.
"""

from __future__ import annotations

from rooms import Conversation, Lobby
from rooms.driving import Reply, Thread, TurnFailed, View, cast_of

LINES: dict[str, list[str | Reply | TurnFailed]] = {
    "proto": ["The session cookie has no path.", Reply(passed=True)],
    "reviewer": ["Agreed, and it is set twice.", "pass"],
    "docs": [TurnFailed("no route to docs.example", kind="unreachable"), "Noted."],
}


def speak(conversation: Conversation, view: View) -> str | Reply:
    """Says a participant's next line, whatever it is shown."""
    del view
    line = LINES[conversation.agent].pop(0)
    if isinstance(line, TurnFailed):
        raise line
    return line


def main() -> None:
    """Opens a thread, and prints each address with its answer."""
    with Lobby.in_memory() as lobby:
        ana = lobby.person("ana")
        room = lobby.create_room("login", by=ana, policy="thread")
        for name in LINES:
            room.join(by=lobby.add_agent(name).conversation())
        thread = Thread(room)
        for text in (
            "@proto @reviewer what broke?",
            "@prato why?",
            "@docs write it down",
            "@docs again, please",
        ):
            print(f"ana> {text}")
            print(thread.address(text, by=ana, speak=speak).render(), end="\n\n")
        print("in the cast:", ", ".join(cast_of(room)))


if __name__ == "__main__":
    main()
