"""What a caller hands in: wrong types, times, texts, paths and sizes."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["VALUES"]

VALUES: Mapping[str, Code] = {
    "invalid_request": Code(
        "A value has the wrong type, or lies outside what may be there.",
        "Read `details`: it names the field, the problem and what is allowed.",
        400,
    ),
    "naive_time": Code(
        "A datetime carries no time zone.",
        "Pass an aware one, such as `datetime.now(timezone.utc)`.",
        400,
    ),
    "unknown_time_zone": Code(
        "The name is no IANA time zone that this machine knows.",
        "Use a name such as `Europe/Stockholm`; on bare systems install `tzdata`.",
        400,
    ),
    "reserved_identity": Code(
        "The name has a meaning of its own in addresses.",
        "Choose another name.",
        400,
    ),
    "bad_path": Code(
        "A path or pattern leaves the root, or holds what no path may hold.",
        "Write it relative to the root, with forward slashes; a file's path has at"
        " most four segments.",
        400,
    ),
    "no_patterns": Code(
        "Nothing is left of a pattern once it is normalised.",
        "Name at least one path, directory or pattern.",
        400,
    ),
    "too_large": Code(
        "The value, or the file, is larger than it may be.",
        "Shorten it to the limit given in `details`.",
        413,
    ),
    "too_many": Code(
        "There are as many of these as there may be, or more were handed in.",
        "Keep to the `limit` in `details`: remove one first, or hand in fewer.",
        413,
    ),
    "invalid_json": Code(
        "A file is not the JSON or JSON Lines that it should be.",
        "Look at the line that the error names.",
        400,
    ),
    "secret_refused": Code(
        "The words hold what looks like a credential; nothing was stored.",
        "Say it without the credential: where it is kept, not what it is.",
        400,
    ),
    "missing_extra": Code(
        "The call needs a package that is not installed.",
        "Install the package that it names, or a clone with the `extra`.",
        501,
    ),
}
