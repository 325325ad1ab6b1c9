"""The templates in examples/: copied out, installed, and their own tests run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("template", ["plugin_template", "storage_template"])
def test_a_template_that_is_copied_out_installs_and_passes(
    template: str, tmp_path: Path
) -> None:
    copied = tmp_path / "mine"
    shutil.copytree(
        ROOT / "examples" / template,
        copied,
        ignore=shutil.ignore_patterns("__pycache__", ".*"),
    )
    site = tmp_path / "site"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=copied,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    run(
        *("pip", "install", "-q", "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--target", str(site), "."),
    )
    tested = run("pytest", "-q", "-p", "no:cacheprovider", "tests")
    listed = run("rooms", "plugins", "--load")

    assert " passed" in tested.stdout
    assert "failed" not in tested.stdout
    assert {"plugin_template": "rooms_carry", "storage_template": "rooms_storages"}[
        template
    ] in listed.stdout
