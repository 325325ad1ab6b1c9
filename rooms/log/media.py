"""
Media: what a file is, by its first bytes and its name.

Law: of an image the bytes decide, whatever it is called; of a text its name and every
byte of it do (L-ATT-02).
"""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["BEGINS", "TEXT_NAMES", "is_known", "is_text_name", "media_type"]

BEGINS = 16
"""How many bytes of a file's beginning tell what image it is."""

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
TEXT_NAMES = {
    "md": "text/markdown",
    "txt": "text/plain",
    "csv": "text/csv",
    "json": "application/json",
    "log": "text/plain",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
    "js": "text/javascript",
    "ts": "text/x-typescript",
    "py": "text/x-python",
    "sh": "text/x-shellscript",
    "swift": "text/x-swift",
}
"""How a file is named that is text, by the ending of its name, and what it is then."""


def media_type(path: str, begins: bytes, *, text: bool) -> str:
    """
    What a file is, as a media type.

    Args:
        path: Its path.
        begins: Its first `BEGINS` bytes.
        text: Whether all of it is text: UTF-8 without a NUL.

    >>> media_type("chart.txt", b"GIF89a...", text=True)
    'image/gif'
    >>> media_type("notes.md", b"# Notes", text=True)
    'text/markdown'
    """
    for sign, kind in _IMAGES:
        if begins.startswith(sign):
            return kind
    if begins[:4] == b"RIFF" and begins[8:12] == b"WEBP":
        return "image/webp"
    if not text:
        return "application/octet-stream"
    return TEXT_NAMES.get(_ending(path), "text/plain")


def is_text_name(path: str) -> bool:
    """Whether a file is named as one of the texts."""
    return _ending(path) in TEXT_NAMES


def is_known(path: str, kind: str, *, text: bool) -> bool:
    """
    Whether a file is one of the images under another name than a text's, or a text that
    is named as one.
    """
    if kind.startswith("image/"):
        return not is_text_name(path)
    return text and is_text_name(path)


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix[1:].lower()
