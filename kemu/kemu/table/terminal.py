"""Play in a terminal: shows the board, reads what a person wants to do, keeps the game safe."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from textwrap import wrap
from types import FrameType

import click
from kemu_engine.play import record
from kemu_engine.play.state import FaultError, State

from kemu.base import save_files
from kemu.base.library import BadInput
from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.colours import names
from kemu.render.console import width
from kemu.render.trace import boards, squeezed
from kemu.render.turn import who
from kemu.render.words import endings, fault, ranked_by
from kemu.table.autosave import aside, here
from kemu.table.input import NotUnderstood, meant, narrowed, near
from kemu.table.knowledge import known
from kemu.table.menu import MOST, menu, overview
from kemu.table.session import CannotUndo, Session
from kemu.table.visibility import Sight, has_secrets

FEW = 6  # so many lines of actions are shown without being asked for
UNNAMED = "choose"  # the label of a decision that has no name of its own
HELP = """\
Type the number of an action in the list, "5", or the action itself, or enough of it: "place((3, 1))", \
"place 3 1", "3 1". A number alone means the list: an action whose argument is a number needs its name \
too, "take 5". If several actions begin with what you typed, they are listed."""
WORDS = {
    "?": "list the possible actions", "? TEXT": "those that begin with TEXT", "board": "show the board again",
    "history": "what has happened so far", "undo": "take back your last decision",
    "save FILE": "save the game, and play on", "quit": "leave; the game can be saved", "help": "show this",
}  # fmt: skip
MORE_HELP = """\
A colon in front of a word (":undo") makes it a command even if an action has that name; `moves` is the \
same as `?`. In a terminal, a game that you leave in any other way (Ctrl-C, Ctrl-D) is saved, and you are \
told how to continue it."""


class Left(Exception):
    """The person has left the table."""


@dataclass(slots=True)
class Table:
    """`file`: where the game is saved, if that has been said; `kept`: how many steps it already holds."""

    session: Session
    rules: str
    file: Path | None = None
    kept: int = -1
    sights: dict[str | None, Sight] = field(default_factory=dict)
    shown: State | None = None  # the position that was drawn last
    facing: str | None = None  # the person who is at the screen
    watched: bool = False  # whether a person types at a terminal, or did before it was closed
    numbered: bool = False  # whether the actions now possible were listed with their numbers

    # ----------------------------------------------------------------------------------- the course of a game

    def play(self) -> int:
        """Plays until the game is over or the people leave; the exit code."""
        listen()
        self.watched = bool(sys.stdin) and sys.stdin.isatty()
        try:
            self.greet()
            while not self.session.state.is_end:
                self.others_play()
                if self.session.waits:
                    self.ask()
            return self.over()
        except Left:
            return 0
        except FaultError as error:
            return self.broken(error)
        except EOFError:
            code = 0
        except KeyboardInterrupt:
            code = 130
        try:
            return self.leave_in_haste(code)
        except KeyboardInterrupt:  # of a closed terminal, after the end of its input
            return self.leave_in_haste(130)

    def greet(self) -> None:
        game = self.session.game
        seats = ", ".join(f"{player} ({kind})" for player, kind in self.session.seats.items())
        say(f"{game.title}, players={len(game.players)}, seed {self.session.seed}: {seats}")
        if game.settings:
            say(", ".join(f"{name}={value}" for name, value in game.settings.items()))
        if "human" in self.session.seats.values():
            say("`?` lists the possible actions, `help` explains what else can be typed.")

    def others_play(self) -> None:
        """Chance and the random players, until a person is to decide."""
        for _ in self.session.advance():
            last = len(self.session.steps)
            click.echo(self.line(range(last - 1, last), {}))
            self.keep()
            self.reveal()

    def over(self) -> int:
        self.draw()
        state = self.session.state
        assert state.result is not None
        places = endings(state.result, ranked_by(state))
        told = f"The game is over: {', '.join(places)}."
        click.secho(told if len(told) <= width() else "\n".join(["The game is over:", *places]), bold=True)
        if self.file is not None:
            click.echo(f"It is saved in {self.file}: kemu replay {quoted(self.file)}")
        return 0

    def broken(self, error: FaultError) -> int:
        """The rules ran into a fault: the rules file is to blame, hence 64; the game so far is saved."""
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
        asked = f"{who(state)}: {where}{counted(len(legal), 'action')}"
        listed = menu(list(enumerate(actions, 1)), width())
        self.numbered = len(listed) <= FEW and len(legal) <= MOST
        more = [] if len(listed) <= FEW else wrap(f"{asked}{overview(actions)}; `?` lists them", width())
        click.secho(f"{who(state)}: ", bold=True, nl=False)
        click.echo("\n".join(more or [asked, *listed]).removeprefix(f"{who(state)}: "))
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
            text = meant(typed, legal, [*commands], self.numbered)
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
        self.reveal()

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
        if self.watched and sys.stdout.isatty():
            return input(prompt)
        click.echo(prompt, nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin else ""
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
        """The possible actions; with `rest`, those that begin with it."""
        texts = [action.text for action in self.session.state.actions()]
        found = narrowed(rest, texts)
        if found:
            self.listed(found)
        else:
            say(sentence(f"no possible action begins like that{near(rest, texts, [])}"))

    def listed(self, texts: Sequence[str]) -> None:
        """Some of what is possible, with the numbers that count."""
        wanted = set(texts)
        actions = self.session.state.actions()
        listed = [(number, action) for number, action in enumerate(actions, 1) if action.text in wanted]
        click.echo("\n".join(menu(listed, width())))
        self.numbered |= len(listed) <= MOST
        if len(listed) > MOST:
            say("To list fewer, type how they begin, for example their first two words.")

    def help(self, rest: str) -> None:
        say(HELP)
        words = [[f"  {word:<10} {meaning}"] for word, meaning in WORDS.items()]
        click.echo("\n".join(line for line in beside(words, width()) if line))
        say(MORE_HELP)

    def history(self, rest: str) -> None:
        if not self.session.steps:
            click.echo("nothing has happened yet")
        session, sight = self.session, self.sight()
        texts = [step.text for step in session.steps]
        found = {} if sight.viewer is None else known(session.states, texts, sight.viewer, sight.told)
        at = 0
        while at < len(self.session.steps):
            several = self.session.together(at)
            if not self.session.opened(at):
                several = range(at, at + 1)
            click.echo(self.line(several, found))
            at = several.stop

    def board(self, rest: str) -> None:
        self.shown = None
        self.draw()

    def save(self, rest: str) -> None:
        path = Path(rest).expanduser() if rest else self.file or here(self.stem())
        if (
            path.exists()
            and path != self.file
            and not self.agrees(f"{path} already exists; overwrite it?", False)
        ):
            return
        try:
            self.keep_in(path)
        except BadInput as error:
            say(f"{error}.")
        else:
            say("saved; every step from now on is saved there too.")
            click.echo(self.resume())

    def quit(self, rest: str) -> None:
        path = here(self.stem())
        if self.file is None and self.session.begun and self.agrees(f"save the game as {path}?", True):
            self.file = path
        if self.file is not None:
            if not self.keep():
                return
            click.echo(f"The game is saved.\n{self.resume()}")
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
            self.read(f"{player} to the screen, the others look away; then press Enter ")
        self.facing = player

    def sight(self) -> Sight:
        """What the person at the screen may see; if no person plays, everything."""
        people = [name for name, kind in self.session.seats.items() if kind == "human"]
        viewer = self.facing or (people[0] if people else None)
        if viewer not in self.sights:
            self.sights[viewer] = Sight(self.session.game, viewer)
        return self.sights[viewer]

    def line(self, several: range, found: Mapping[int, str]) -> str:
        """A line of history: a step, or those that were chosen together; `found`: of which more is known than
        was told."""
        numbers = "-".join(str(at + 1) for at in sorted({several.start, several.stop - 1}))
        return f"{numbers}. {', '.join(self.told(at, found) for at in several)}"

    def told(self, at: int, found: Mapping[int, str]) -> str:
        """Who did what, as the person at the screen may know it."""
        step, before = self.session.steps[at], self.session.states[at]
        earlier = self.session.states[at - 1] if at else None
        told = step.text if self.session.opened(at) else self.sight().told(before, step.text)
        told = found.get(at, told)
        return f"{who(before, earlier)}: {told}"

    def reveal(self) -> None:
        """Tells what was chosen together once all have chosen."""
        last = len(self.session.steps) - 1
        several = [self.session.steps[number] for number in self.session.together(last)]
        if len(several) > 1 and self.session.opened(last) and self.sight().viewer is not None:
            say(f"all have chosen: {', '.join(f'{step.actor} {step.text}' for step in several)}")

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

    def record(self) -> save_files.Saved:
        session = self.session
        steps = [record.Step(step.text, step.actor) for step in session.steps]
        start = None if session.states[0] == session.game.initial() else session.states[0]
        kept = record.record(session.game, steps, start)
        return save_files.saved(kept, self.rules, dict(session.seats), session.seed)

    def keep(self) -> bool:
        """Writes what has happened to the game's file, if it has one and lacks something; whether it could.
        If not, that is said, and the game has no file any more."""
        if self.file is not None and self.kept != len(self.session.steps):
            try:
                self.keep_in(self.file)
            except BadInput as error:
                say(f"Not saved: {error}. `save FILE` saves the game elsewhere.")
                self.file = None
                return False
        return True

    def keep_in(self, path: Path) -> None:
        """Writes the game to a file, which is the game's file from then on. Raises BadInput."""
        save_files.save(self.record(), path)
        self.file, self.kept = path, len(self.session.steps)

    def resume(self) -> str:
        return f"To continue: kemu play --resume {quoted(self.file or Path())}"

    def leave_in_haste(self, code: int) -> int:
        """Nobody can be asked any more, perhaps nobody reads any more either: first keeps the game, if a
        person has played in a terminal aside if need be, then says how to go on."""
        told = ""
        try:
            if self.file is None and self.session.begun and self.watched:
                self.file = aside(self.stem())
            if self.file is not None:
                self.keep_in(self.file)
                told = f"The game is saved.\n{self.resume()}"
            elif self.session.begun:
                told = "The game was not saved; --save FILE would have saved it."
        except BadInput as error:
            told = f"Not saved: {error}."
        with suppress(OSError):  # the terminal may be gone
            click.echo()
            if told:
                click.echo(told)
        return code


def say(text: str) -> None:
    """A message, in lines that fit."""
    click.echo("\n".join(wrap(text, width(), break_on_hyphens=False)))


def sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


CLOSED = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]


def listen() -> None:
    """Makes a closed terminal and a polite kill end play as Ctrl-C does; lets lines be edited where that is
    possible."""
    for each in CLOSED:
        signal.signal(each, closed)
    with suppress(ImportError):
        import readline  # noqa: F401


def closed(number: int, frame: FrameType | None) -> None:
    """Such a signal, which may come twice: once is enough."""
    for each in CLOSED:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def quoted(path: Path) -> str:
    return quote(str(path))
