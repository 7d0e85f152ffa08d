"""`kemu table`: a game in the browser."""

from __future__ import annotations

import socket
import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from kemu.base.library import BadInput, find, games
from kemu.base.words import counted, listed
from kemu.cli.common import instance_options

HERE = "127.0.0.1"


@click.command("table")
@click.argument("game", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: any that is free]"
)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
@click.option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write GAME as a page that needs no server of ours; then these options choose what is written.",
)
@click.option("--serve", "served", metavar="HOST:PORT", help="Serve tables over a network, by secret links.")
@click.option("--public", metavar="URL", help="With --serve: the address that people type, if it is another.")
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("kemu-tables.sqlite"),
    show_default=True,
    help="With --serve: where games are kept.",
)
@instance_options
def command(
    game: str | None,
    port: int,
    browser: bool,
    folder: Path | None,
    served: str | None,
    public: str | None,
    journal: Path,
    instance: str | None,
    players: int | None,
    sets: tuple[str, ...],
) -> None:
    """Play GAME, or any game that you choose there, on a drawn board in the browser. The page is served
    to this machine only, unless --serve says otherwise; Ctrl-C ends it."""
    if folder is not None and served is not None:
        raise BadInput("a page is written (--export) or served (--serve), not both at once")
    if folder is not None:
        written(game, folder, instance, players, sets)
    elif instance or players or sets:
        raise BadInput("options are chosen on the page; here they go with --export DIR only")
    else:
        _needs_web()
        if game is not None:
            path = find(game)
            game = next((name for name, each in games().items() if each == path), str(path.resolve()))
        if served is not None:
            serve(game, served, public, journal)
        else:
            open_here(game, port, browser)


def written(
    game: str | None, folder: Path, instance: str | None, players: int | None, sets: tuple[str, ...]
) -> None:
    """The page as files."""
    if game is None:
        raise BadInput("say which game is to be written: kemu table GAME --export DIR")
    from kemu.web.export import export

    made = export(game, folder, sets, players, instance)
    counts = listed([str(each) for each in made.players], "or")
    size = f"{made.size // 1000:,} KB"
    if made.first < made.size:
        size += f" (a first visit loads {made.first // 1000:,})"
    click.echo(
        f"{folder} holds {counted(made.files, 'file')}, {size}: put it on any web server "
        f"(to try it: python3 -m http.server -d {folder}). For {counts} player{'s' * (counts != '1')}."
    )


def _needs_web() -> None:
    """Raises BadInput where what serves pages is not installed."""
    if not all(map(find_spec, ("starlette", "uvicorn"))):
        raise BadInput("the table needs the extra `web`: pip install 'kemu[web]', or '.[web]' in a checkout")


def serve(game: str | None, served: str, public: str | None, journal: Path) -> None:
    """Tables for many, until Ctrl-C."""
    from kemu.web.serving import run, where

    place = where(served, public)
    words = f"Tables are served at {place.address}, kept in {journal} (Ctrl-C ends it)"
    run(game, place, journal, begun=lambda: click.echo(words))


def open_here(game: str | None, port: int, browser: bool) -> None:
    """The page on this machine, until Ctrl-C. While the browser begins, what serves it is read."""
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
        import uvicorn

        from kemu.web.server import application

        server = uvicorn.Server(uvicorn.Config(application(game, hosts), log_level="warning"))
        server.run(sockets=[listening])
