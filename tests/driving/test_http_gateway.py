"""The gateway over HTTP: what is posted is stored, answered once, and read by pages."""

from __future__ import annotations

import asyncio
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
httpx: Any = pytest.importorskip("httpx2")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "http_gateway.py"


def example() -> Any:
    spec = spec_from_file_location("http_gateway", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def talk(where: Path) -> list[tuple[str, str]]:
    """Who said what in the end, as a client reads it; and how it is refused."""
    app = example().application(str(where))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as web:
            token = app.state.token
            known = {"authorization": f"Bearer {token}", "idempotency-key": "one"}
            first = await web.post("/messages", json={"text": "Hello."}, headers=known)
            again = await web.post("/messages", json={"text": "Hello."}, headers=known)
            assert (first.status_code, first.json()["duplicate"]) == (201, False)
            assert again.json() == first.json() | {"duplicate": True}

            await asyncio.gather(*app.state.gateway.driving)
            said = (await web.get("/messages", headers=known)).json()
            later = await web.get("/messages?after=2", headers=known)
            assert [one["seq"] for one in later.json()] == [3]

            for asked, status, code in (
                (web.get("/messages"), 401, "unauthorized"),
                (web.get("/messages?after=x", headers=known), 400, "invalid_request"),
                (
                    web.post("/messages", content="[", headers=known),
                    400,
                    "invalid_request",
                ),
                (web.post("/messages", json={}, headers=known), 400, "invalid_request"),
                (web.post("/messages", json=5, headers=known), 400, "invalid_request"),
            ):
                answer = await asked
                assert answer.status_code == status
                assert answer.json()["error"]["code"] == code
    return [(one["from"], one["text"]) for one in said]


def test_people_post_and_read_and_agents_answer(tmp_path: Path) -> None:
    assert asyncio.run(talk(tmp_path / "chat.db")) == [
        ("person:ana", "Hello."),
        ("agent:ada", "ada has read 'Hello.'."),
        ("agent:bo", "bo has read 'Hello.'."),
    ]
