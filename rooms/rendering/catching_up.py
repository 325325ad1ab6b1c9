"""
A catch-up: what a participant of a thread receives when it is addressed.

Two laws. `parse_catch_up(render_catch_up(frame)) == frame` for every frame. And the
order is fixed (R-DISPATCH-03): the catch-up or that nothing is new, the name by which
it was addressed, the offer to pass, the message to answer.
"""

from __future__ import annotations

from rooms.rendering.frames import CatchUpFrame, check_frame
from rooms.rendering.lines import (
    END,
    Lines,
    frame_line,
    read_again,
    read_names,
    read_number,
    said_after,
    token,
)
from rooms.rendering.messages import message_lines, read_message, read_messages
from rooms.rendering.wording import WORDING, Wording, check_wording

__all__ = ["parse_catch_up", "render_catch_up"]


def render_catch_up(frame: CatchUpFrame, *, wording: Wording = WORDING) -> str:
    """
    The text to hand to a model, without a line break at its end.

    Where nothing is new and declining is no option, there is no catch-up in it
    (R-DISPATCH-04). Linear in the text.

    Raises:
        InvalidInput: `invalid_request` for anything but a frame and a wording.

    Source: R-DISPATCH-03, R-CATCHUP-10, R-PASS-01, R-PASS-06, R-RECORD-07.

    >>> from rooms.rendering import CatchUpFrame, Quoted
    >>> asked = Quoted(None, "operator", at=None, text="What broke?")
    >>> frame = CatchUpFrame(message=asked, addressed_as="proto", pass_offered=True)
    >>> print(render_catch_up(frame))
    [catch-up · nothing new: Nothing new has been said since you last spoke.]
    [addressed as @proto: You were addressed by this name.]
    [pass allowed: You may decline: reply with the word pass and nothing else.]
    [message · from operator: This is the message to answer.]
    | What broke?
    [end]
    """
    check_frame(frame, CatchUpFrame)
    check_wording(wording)
    lines = _catch_up_lines(frame, wording)
    if frame.addressed_as is not None:
        name = token(frame.addressed_as)
        lines.append(frame_line(f"addressed as @{name}", says=wording.addressed))
    if frame.pass_offered:
        lines.append(frame_line("pass allowed", says=wording.declining))
    lines += message_lines(frame.message, "message", says=wording.message)
    return "\n".join([*lines, END])


def parse_catch_up(text: str, *, wording: Wording = WORDING) -> CatchUpFrame:
    """
    The frame that a text was rendered from, with the same wording.

    Raises:
        InvalidInput: `invalid_request` for any text that `render_catch_up` does not
            make, with the first `line` that differs in its details.
    """
    check_wording(wording)
    return read_again(
        text, _read, lambda frame: render_catch_up(frame, wording=wording)
    )


def _catch_up_lines(frame: CatchUpFrame, wording: Wording) -> list[str]:
    count = len(frame.messages)
    if not count and not frame.omitted:
        if not frame.pass_offered:
            return []
        return [frame_line("catch-up", "nothing new", says=wording.nothing_new)]
    head = ["catch-up", f"{count} message{'' if count == 1 else 's'}"]
    if frame.omitted:
        head.append(f"{frame.omitted} left out")
    missing = wording.earlier_missing if frame.omitted else ""
    lines = [frame_line(*head, says=missing)]
    lines.append(frame_line("quoted", says=wording.catch_up))
    for message in frame.messages:
        lines += message_lines(message)
    return lines


def _read(lines: Lines) -> CatchUpFrame:
    head = lines.frame() if lines.begins("[catch-up") else ()
    if head and ("nothing", "new") not in head:
        lines.skip()  # the reminder
    messages = read_messages(lines)
    addressed = lines.frame() if lines.begins("[addressed ") else ()
    written = said_after(addressed, "addressed", "as")
    name = "".join(read_names(token.removeprefix("@") for token in written))
    if addressed and not name:
        lines.refuse()
    pass_offered = lines.begins("[pass ")
    if pass_offered:
        lines.skip()
    left_out = (read_number(f) or 0 for f in head if f[1:] == ("left", "out"))
    return CatchUpFrame(
        messages=messages,
        omitted=next(left_out, 0),
        addressed_as=name or None,
        pass_offered=pass_offered,
        message=read_message(lines),
    )
