"""Asks the table's server as a page does, without a network."""

import asyncio
import json
from typing import Any

from kemu.web.server import application

HOST = "127.0.0.1:8000"


class Page:
    """A page that is open; `status` of the last answer."""

    def __init__(self, game: str | None = None) -> None:
        self.app = application(game, frozenset({HOST}))
        self.status = 0

    def ask(self, what: str, **message: object) -> Any:
        return json.loads(self.send(f"/do/{what}", json.dumps(message).encode()))

    def send(self, path: str, body: bytes, method: str = "POST", **headers: str) -> bytes:
        """The body of the answer; `headers` with underscores for hyphens."""
        told = {"host": HOST, "content_type": "application/json", **headers}
        pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in told.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": pairs, "query_string": b""}
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))  # type: ignore[arg-type]
        self.status = sent[0]["status"]
        return b"".join(each.get("body", b"") for each in sent[1:])
