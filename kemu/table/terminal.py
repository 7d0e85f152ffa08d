"""Play in a terminal: shows the board, reads what a person wants to do, keeps the game safe."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from textwrap import wrap

import click

from engine import record
from engine.state import FaultError, State
from kemu import saved
from kemu.find import BadInput
from kemu.render.colours import names
from kemu.render.paper import width
from kemu.render.trace import boards, squeezed
from kemu.render.words import counted, ending, fault
from kemu.table.menu import MOST, menu, overview
from kemu.table.session import CannotUndo, Session, Step
from kemu.table.sight import Sight, has_secrets
from kemu.table.typed import NotUnderstood, meant, narrowed, near

FEW = 6  # so many lines of actions are shown without being asked for
UNNAMED = "choose"  # the label of a decision that has no name of its own
HELP = """\
Type an action as it is written, or enough of it: "place((3, 1))", "place 3 1", "3 1"; or its number in the
list, "5" or "#5". What is the beginning of several lists these.
  ?          what is possible now            undo        take back your last decision
  ? TEXT     what of it begins so            save FILE   save the game, and play on
  board      the board again                 quit        leave; the game can be saved before
  history    what has been done so far       help        this
A colon before a word (":undo") makes it a command even if an action has that name; `moves` is `?`."""


class Left(Exception):
    """The person has left the table."""


@dataclass(slots=True)
class Table:
    """`file` is where the game is kept, if that has been said; `kept` how many steps it holds already."""

    session: Session
    rules: str
    file: Path | None = None
    kept: int = -1
    sights: dict[str | None, Sight] = field(default_factory=dict)
    shown: State | None = None  # the position that was drawn last
    facing: str | None = None  # the person who is at the screen

    # ----------------------------------------------------------------------------------- the course of a game

    def play(self) -> int:
        """Plays until the game is over or the people leave; the exit code."""
        listen()
        try:
            while not self.session.state.is_end:
                self.others_play()
                if self.session.waits:
                    self.ask()
            return self.over()
        except Left:
            return 0
        except EOFError:
            click.echo()
            return self.leave_in_haste(0)
        except KeyboardInterrupt:
            click.echo()
            return self.leave_in_haste(130)
        except FaultError as error:
            return self.broken(error)

    def others_play(self) -> None:
        """Chance and the random players, until a person is to decide."""
        before = self.session.state
        for step in self.session.advance():
            click.echo(self.told(len(self.session.steps), step, before))
            before = self.session.state
            self.keep()

    def over(self) -> int:
        self.draw()
        result = self.session.state.result
        assert result is not None
        click.secho(f"The game is over: {ending(result)}.", bold=True)
        if self.file is not None:
            click.echo(f"It is kept in {self.file}: kemu replay {quoted(self.file)}")
        return 0

    def broken(self, error: FaultError) -> int:
        """The rules ran into a fault: its file is to blame, hence 64; the game so far is kept."""
        click.echo("\n".join(["", *fault(error, self.session.game)]))
        click.echo("The rules break down here, so the game cannot go on.")
        return self.leave_in_haste(64)

    # ------------------------------------------------------------------------------------------ one decision

    def ask(self) -> None:
        """Shows a person where the game stands, and does what is asked for until a decision is made."""
        state = self.session.state
        self.turn_to(state.actor)
        self.draw()
        actions = state.actions()
        legal = [action.text for action in actions]
        where = "" if state.label == UNNAMED else f"{state.label}, "
        click.secho(f"{state.actor}: ", bold=True, nl=False)
        click.echo(f"{where}{counted(len(legal), 'action')}", nl=False)
        listed = menu(list(enumerate(actions, 1)), width())
        if len(listed) <= FEW:
            click.echo("\n" + "\n".join(listed))
        else:
            click.echo(f": {overview(actions)}; `?` lists them")
        while self.session.state == state and self.session.waits:
            typed = self.read(f"{state.actor}> ").strip()
            if typed:
                self.obey(typed, legal)

    def obey(self, typed: str, legal: list[str]) -> None:
        """Does what was typed: an action if it is the text of one, else a command, else what may be meant."""
        if typed.startswith("?"):
            self.moves(typed[1:].strip())
            return
        word, _, rest = typed.removeprefix(":").partition(" ")
        commands = self.commands()
        command = commands.get(word.lower())
        if command and (typed not in legal or typed.startswith(":")):
            command(rest.strip())
            return
        try:
            text = meant(typed, legal, [*commands])
        except NotUnderstood as error:
            if error.several:
                self.listed(error.several)
            else:
                say(sentence(str(error)))
            return
        if text != typed:
            click.echo(text)
        self.session.apply(text)
        self.keep()

    def commands(self) -> dict[str, Callable[[str], None]]:
        """What the words do, given the rest of the line."""
        return {
            "board": self.board,
            "exit": self.quit,
            "h": self.help,
            "help": self.help,
            "history": self.history,
            "moves": self.moves,
            "q": self.quit,
            "quit": self.quit,
            "save": self.save,
            "undo": self.undo,
        }

    def read(self, prompt: str) -> str:
        """A line from the person, who can edit it in a terminal. Raises EOFError, KeyboardInterrupt."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            return input(prompt)
        click.echo(prompt, nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    # -------------------------------------------------------------------------------------- what can be typed

    def undo(self, rest: str) -> None:
        try:
            taken = self.session.undo()
        except CannotUndo as error:
            say(f"{error}.")
            return
        say(f"taken back: {', '.join(f'{step.actor} {step.text}' for step in taken)}")
        self.keep()

    def moves(self, rest: str) -> None:
        """What is possible; with `rest`, what of it begins so."""
        texts = [action.text for action in self.session.state.actions()]
        found = narrowed(rest, texts)
        if found:
            self.listed(found)
        else:
            say(sentence(f"nothing possible begins so{near(rest, texts, [])}"))

    def listed(self, texts: Sequence[str]) -> None:
        """Some of what is possible, with the numbers that count."""
        wanted = set(texts)
        actions = self.session.state.actions()
        listed = [(number, action) for number, action in enumerate(actions, 1) if action.text in wanted]
        click.echo("\n".join(menu(listed, width())))
        if len(listed) > MOST:
            say("A beginning, such as the first two words of one, lists less.")

    def help(self, rest: str) -> None:
        click.echo(HELP)

    def history(self, rest: str) -> None:
        if not self.session.steps:
            click.echo("nothing has been done yet")
        for number, (step, before) in enumerate(
            zip(self.session.steps, self.session.states, strict=False), 1
        ):
            click.echo(self.told(number, step, before))

    def board(self, rest: str) -> None:
        self.shown = None
        self.draw()

    def save(self, rest: str) -> None:
        if not rest:
            click.echo("a file's name is needed: save FILE")
            return
        path = Path(rest).expanduser()
        if path.exists() and path != self.file and not self.agrees(f"{path} exists; write over it?", False):
            return
        try:
            self.keep_in(path)
        except BadInput as error:
            say(f"{error}.")
        else:
            say(f"saved; every step from now on is kept there too. {self.resume()}")

    def quit(self, rest: str) -> None:
        if self.file is None and self.session.steps and self.agrees("save the game before leaving?", True):
            self.keep_in(saved.unused(self.stem()))
        if self.file is not None:
            self.keep()
            if self.kept == len(self.session.steps):
                say(f"The game is saved. {self.resume()}")
        raise Left

    def agrees(self, question: str, default: bool) -> bool:
        answer = self.read(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
        return answer.startswith("y") if answer else default

    # ------------------------------------------------------------------------------------------ what is shown

    def turn_to(self, player: str | None) -> None:
        """Makes sure that the person who is to decide is the one at the screen, where others have secrets."""
        people = [name for name, kind in self.session.seats.items() if kind == "human"]
        if player != self.facing and len(people) > 1 and has_secrets(self.session.game):
            if self.facing is not None:
                click.clear()
            self.read(f"{player} to the screen, the others look away; then Enter ")
        self.facing = player

    def sight(self) -> Sight:
        """What the person at the screen may see; if no person plays, everything."""
        people = [name for name, kind in self.session.seats.items() if kind == "human"]
        viewer = self.facing or (people[0] if people else None)
        if viewer not in self.sights:
            self.sights[viewer] = Sight(self.session.game, viewer)
        return self.sights[viewer]

    def told(self, number: int, step: Step, before: State) -> str:
        return f"{number}. {step.actor or f'chance, {before.label}'}: {self.sight().told(before, step.text)}"

    def draw(self) -> None:
        """The board, with what changed since it was last drawn."""
        sight = self.sight()
        players = self.session.game.players
        board = boards(self.session.state, self.shown, sight.pictures, width(), sight.colours)
        lines = [
            *(names(part, players) for line in board for part in squeezed(line, width())),
            *sight.facts(self.session.state),
        ]
        self.shown = self.session.state
        click.echo("\n".join(["", *lines]) if lines else "")

    # --------------------------------------------------------------------------------------- keeping the game

    def stem(self) -> str:
        return Path(self.rules).stem or "game"

    def record(self) -> saved.Saved:
        session = self.session
        steps = [record.Step(step.text, step.actor) for step in session.steps]
        start = None if session.states[0] == session.game.initial() else session.states[0]
        kept = record.record(session.game, steps, start)
        return saved.saved(kept, self.rules, dict(session.seats), session.seed)

    def keep(self) -> None:
        """Writes what has happened to the game's file, if it has one and lacks something."""
        if self.file is not None and self.kept != len(self.session.steps):
            try:
                self.keep_in(self.file)
            except BadInput as error:
                say(f"Not saved: {error}.")

    def keep_in(self, path: Path) -> None:
        """Writes the game to a file, which is the game's file from then on. Raises BadInput."""
        saved.save(self.record(), path)
        self.file, self.kept = path, len(self.session.steps)

    def resume(self) -> str:
        return f"To go on: kemu play --resume {quoted(self.file or Path())}"

    def leave_in_haste(self, code: int) -> int:
        """Nobody can be asked any more: keeps the game, under a new name if need be (unless no person plays
        it), and says how to go on."""
        if self.file is None and self.session.steps and "human" in self.session.seats.values():
            self.file = saved.unused(self.stem())
        if self.file is not None:
            self.kept = -1
            self.keep()
            if self.kept >= 0:
                say(f"The game is saved. {self.resume()}")
        return code


def say(text: str) -> None:
    """A message, in lines that fit."""
    click.echo("\n".join(wrap(text, width(), break_on_hyphens=False)))


def sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def listen() -> None:
    """Makes a closed terminal and a polite kill end play as Ctrl-C does; lets lines be edited where that is
    possible."""
    for name in ("SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    with suppress(ImportError):
        import readline  # noqa: F401


def quoted(path: Path) -> str:
    return quote(str(path))
