"""
Packages that come with extras: an import that finds none says what to install.

Law: a package is installed by its own name, as `rooms` itself is on no index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rooms.errors import MissingExtra

__all__ = ["REQUIREMENTS", "needed"]

REQUIREMENTS = {
    "dulwich": ("git", "dulwich>=0.22"),
    "hypothesis": ("testing", "hypothesis>=6.100"),
    "mcp": ("mcp", "mcp>=2.3"),
    "opentelemetry-api": ("otel", "opentelemetry-api>=1.25"),
    "pytest": ("testing", "pytest>=8.2"),
}
"""Each package's extra, and how the extra asks for it."""


@contextmanager
def needed(package: str, *, by: str) -> Iterator[None]:
    """
    Around the imports of a package that comes with an extra.

    Args:
        package: A key of `REQUIREMENTS`.
        by: What needs it, as a user knows it.

    Raises:
        MissingExtra: `missing_extra`, where one of the imports finds nothing.
    """
    try:
        yield
    except ImportError as missing:
        extra, requirement = REQUIREMENTS[package]
        raise MissingExtra(
            "missing_extra",
            f"{by} needs the package {package}, of the extra {extra}:"
            f" pip install '{requirement}'",
            extra=extra,
        ) from missing
