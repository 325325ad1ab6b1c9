"""The notebooks: each runs from its first cell to its last, and none keeps outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat: Any = pytest.importorskip("nbformat")
nbclient: Any = pytest.importorskip("nbclient")

HERE = Path(__file__).parent.parent / "docs" / "notebooks"
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_no_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [
        ([], None) for _ in cells
    ]


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own parts, about themselves
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )

    client.execute()  # raises where a cell does

    shown = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert not [output for output in shown if output.output_type == "error"]
    if "simulation" in path.stem:
        pictures = [one for one in shown if "text/html" in one.get("data", {})]
        assert all("<svg" in one["data"]["text/html"] for one in pictures)
        assert pictures
