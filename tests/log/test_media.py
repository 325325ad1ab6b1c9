"""What a file is: of an image the bytes decide, of a text its name and its bytes."""

from __future__ import annotations

import pytest

from rooms.log.media import is_known, media_type

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.rule("L-ATT-02")
@pytest.mark.parametrize(
    ("path", "begins", "text", "kind", "known"),
    [
        ("a.png", PNG, False, "image/png", True),
        ("photo.png", b"\xff\xd8\xff\xe0", False, "image/jpeg", True),
        ("no-ending", b"GIF89a", True, "image/gif", True),
        ("old.gif", b"GIF87a", False, "image/gif", True),
        ("x/y.webp", b"RIFF\0\0\0\0WEBPVP8 ", False, "image/webp", True),
        (
            "sound.wav",
            b"RIFF\0\0\0\0WAVEfmt ",
            False,
            "application/octet-stream",
            False,
        ),
        ("a.bmp", b"BM", False, "application/octet-stream", False),
        ("notes.md", b"# Notes", True, "text/markdown", True),
        ("NOTES.MD", b"", True, "text/markdown", True),
        ("table.csv", b"a,b", True, "text/csv", True),
        ("x.json", b"{}", True, "application/json", True),
        ("tool.py", b"import os", True, "text/x-python", True),
        ("tool.swift", b"let a = 1", True, "text/x-swift", True),
        # A text's name with something else in it, and other texts.
        ("notes.md", PNG, False, "image/png", False),
        ("notes.md", b"\xff\xfe", False, "application/octet-stream", False),
        ("page.html", b"<p>", True, "text/plain", False),
        ("Makefile", b"all:", True, "text/plain", False),
        ("md", b"no ending", True, "text/plain", False),
        (".md", b"hidden", True, "text/plain", False),
    ],
)
def test_the_table_of_types(
    path: str, begins: bytes, text: bool, kind: str, known: bool
) -> None:
    assert media_type(path, begins, text=text) == kind
    assert is_known(path, kind, text=text) is known
