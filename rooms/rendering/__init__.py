"""
Text for models that nobody can forge.

A wake's mail and a participant's catch-up quote what others wrote, so that no text,
name or reason can pass for another speaker's line or for one of the library's own; and
what was rendered can be read back, value for value. Long texts come in parts and with
an outline. Pure: nothing but the standard
library and attrs.
"""

from rooms.rendering.catching_up import parse_catch_up, render_catch_up
from rooms.rendering.frames import CatchUpFrame, Datum, MailFrame, Notice, Quoted
from rooms.rendering.mail import parse_mail, render_mail
from rooms.rendering.texts import (
    Heading,
    Outline,
    TextPart,
    outline,
    saved_name,
    text_part,
)
from rooms.rendering.wording import WORDING, Wording

__all__ = [
    "WORDING",
    "CatchUpFrame",
    "Datum",
    "Heading",
    "MailFrame",
    "Notice",
    "Outline",
    "Quoted",
    "TextPart",
    "Wording",
    "outline",
    "parse_catch_up",
    "parse_mail",
    "render_catch_up",
    "render_mail",
    "saved_name",
    "text_part",
]
