"""The plugin in a lobby, with the fixtures that `rooms` brings to pytest."""

import pytest
import rooms_greeter

from rooms import NotAllowed


def test_a_wake_is_handed_over(rooms_lobby):
    rooms_lobby.register(rooms_greeter)
    ana, eve = rooms_lobby.person("ana"), rooms_lobby.add_agent("eve").conversation()
    room = rooms_lobby.create_room("work", by=ana).join(by=eve)
    room.post("Good morning.", by=ana, to=[eve])

    report = rooms_lobby.deliver()

    assert len(report.delivered) == 1
    assert "Good morning." in rooms_greeter.OUTBOX[-1]


def test_shouting_is_refused(rooms_lobby):
    rooms_lobby.register(rooms_greeter)
    ana = rooms_lobby.person("ana")
    room = rooms_lobby.create_room("work", by=ana)

    with pytest.raises(NotAllowed) as raised:
        room.post("GOOD MORNING", by=ana)

    assert raised.value.code == "draft_refused"
