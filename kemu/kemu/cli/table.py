"""`kemu table`: a game in the browser."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path

import click

from kemu.base.library import BadInput, find, games

HERE = "127.0.0.1"


@click.command("table")
@click.argument("game", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: any that is free]"
)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@click.option("--serve", metavar="HOST:PORT", help="Serve tables over a network, by secret links.")
@click.option("--public", metavar="URL", help="With --serve: the address that people type, if it is another.")
@click.option(
    "--journal", type=click.Path(dir_okay=False, path_type=Path), default=Path("kemu-tables.sqlite"),
    show_default=True, help="With --serve: where games are kept.",
)  # fmt: skip
def command(
    game: str | None, port: int, browser: bool, serve: str | None, public: str | None, journal: Path
) -> None:
    """Play GAME, or any game that you choose there, on a drawn board in the browser. The page is served
    to this machine only, unless --serve says otherwise; Ctrl-C ends it."""
    try:
        import uvicorn

        from kemu.web.games import Shelf
        from kemu.web.server import application
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("uvicorn", "starlette"):
            raise
        raise BadInput(
            "the table needs the extra `web`: pip install 'kemu[web]', or '.[web]' in a checkout"
        ) from None
    if game is not None:
        path = find(game)
        game = next((name for name, each in games().items() if each == path), str(path.resolve()))
    if serve is not None:
        from kemu.web.serving import run, where

        place = where(serve, public)
        click.echo(f"Tables are served at {place.address}, kept in {journal} (Ctrl-C ends it)")
        run(game, place, journal)
        return
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HERE, port))
        except OSError as error:
            raise BadInput(f"port {port} cannot be used: {error.strerror or error}") from None
        listening.listen()
        port = listening.getsockname()[1]
        hosts = frozenset({f"{HERE}:{port}", f"localhost:{port}"})
        address = f"http://{HERE}:{port}/"
        click.echo(f"The table stands at {address} (Ctrl-C ends it)")
        if browser:
            webbrowser.open(address)
        server = uvicorn.Server(uvicorn.Config(application(Shelf(game), hosts), log_level="warning"))
        server.run(sockets=[listening])
