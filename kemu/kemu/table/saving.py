"""Where a person at the terminal wants the game to be saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from kemu.base.library import BadInput, looked_up, shown
from kemu.table.keeper import Keeper
from kemu.table.prompt import say

AGREED = {"": True, "y": True, "yes": True, "n": False, "no": False}

Reads = Callable[[str], str]
"""A line from the person, after a prompt. Raises EOFError, KeyboardInterrupt."""


def save(keeper: Keeper, name: str, read: Reads) -> None:
    """Saves the game in the file of that name; without one in its own, or in a new one."""
    try:
        path = may_be_written(keeper, name or str(keeper.file or keeper.free), read)
        if path is None:
            click.echo("Not saved.")
            return
        keeper.keep_in(path)
    except BadInput as error:
        say(f"Not saved: {error}.")
    else:
        say("saved; every step from now on is saved there too.")
        click.echo(keeper.resume())


def saved_at_last(keeper: Keeper, read: Reads) -> bool:
    """Saves a game that is left, if the person wants that; False if it could not be, and so is not left."""
    if keeper.file is None and keeper.session.begun:
        keeper.file = asked_for(keeper, read)
        if keeper.file is None:
            click.echo("The game is not saved.")
    if keeper.file is not None:
        if not keeper.keep():
            return False
        click.echo(f"The game is saved.\n{keeper.resume()}")
    return True


def asked_for(keeper: Keeper, read: Reads) -> Path | None:
    """Where the person wants the game to be saved, if anywhere."""
    free = keeper.free
    while True:
        answer = read(f"save the game as {free}? [Y/n, or another file name] ").strip()
        agreed = AGREED.get(answer.casefold())
        if agreed is not None:
            return free if agreed else None
        if not (Path(answer).suffix or os.sep in answer):
            say(f"{shown(answer)} is neither yes nor no; a file name is written like `my-{free.name}`.")
            continue
        try:
            path = may_be_written(keeper, answer, read)
        except BadInput as error:
            say(f"{error}.")
        else:
            if path is not None:
                return path


def may_be_written(keeper: Keeper, name: str, read: Reads) -> Path | None:
    """The path of that name, if nothing is lost by writing there, or the person agrees. Raises BadInput."""
    path, there = looked_up(name)
    if not there or path == keeper.file:
        return path
    answer = read(f"{path} already exists; overwrite it? [y/N] ").strip()
    return path if answer and AGREED.get(answer.casefold(), False) else None
