"""Play in a terminal: shows the board, reads what a person wants to do, keeps the game safe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from textwrap import wrap

import click
from kemu_engine.play.state import FaultError, State

from kemu.base.library import BadInput, looked_up
from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.colours import names
from kemu.render.console import width
from kemu.render.going_round import may_go_on
from kemu.render.refusal import end
from kemu.render.trace import boards, squeezed
from kemu.render.turn import who
from kemu.render.words import endings, fault, ranked_by
from kemu.table.advice import Advice
from kemu.table.events import Event, runs, told
from kemu.table.input import NotUnderstood, completions, meant, narrowed, near
from kemu.table.keeper import Keeper
from kemu.table.knowledge import known
from kemu.table.menu import fewer, menu, one_by_one, overview
from kemu.table.prompt import listen, read, say, sentence
from kemu.table.session import CannotUndo, Session
from kemu.table.visibility import Sight, has_secrets

MOST_ALONE = 10_000  # steps of a game without people
UNFINISHED = 3  # the exit code of a game that is left so
FEW = 6  # so many lines of actions are shown without being asked for
UNNAMED = "choose"  # the label of a decision that has no name of its own
HELP = """\
Type the number of an action in the list, "5", or the action itself, or enough of it: "place((3, 1))", \
"place 3 1", "3 1". A number alone means the list: an action whose argument is a number needs its name \
too, "take 5". If several actions begin with what you typed, they are listed; in a terminal, the Tab key \
completes words."""
WORDS = {
    "?": "list the possible actions", "? TEXT": "those that begin with TEXT", "board": "show the board again",
    "places": "mark on the board what is possible; TEXT may follow", "why": "the rule that was in the way",
    "why TEXT": "the rule about that action", "history": "what has happened so far",
    "undo": "take back your last decision", "save FILE": "save the game, and play on",
    "quit": "leave; the game can be saved", "help": "show this",
}  # fmt: skip
MORE_HELP = """\
A colon in front of a word (":undo") makes it a command even if an action has that name; `moves` is the \
same as `?`. In a terminal, a game that you leave in any other way (Ctrl-C, Ctrl-D) is saved, and you are \
told how to continue it."""


class Left(Exception):
    """The person has left the table."""


class TooLong(Exception):
    """Nobody is there who could leave, and the game goes on and on."""


@dataclass(slots=True)
class Table:
    """The game, who keeps it in a file, and what the person at the screen has been shown."""

    session: Session
    keeper: Keeper
    sights: dict[str | None, Sight] = field(default_factory=dict)
    shown: State | None = None  # the position that was drawn last
    facing: str | None = None  # the person who is at the screen
    watched: bool = False  # whether a person types at a terminal, or did before it was closed
    numbered: bool = False  # whether the actions now possible were listed with their numbers
    refused: str = ""  # what was typed last that was not legal
    met: dict[State, int] = field(default_factory=dict)  # after which step a position was there first
    round: bool = False  # whether it was said that the game goes round

    # ----------------------------------------------------------------------------------- the course of a game

    def play(self) -> int:
        """Plays until the game is over or the people leave; the exit code."""
        listen(self.completions)
        self.watched = bool(sys.stdin) and sys.stdin.isatty()
        try:
            self.greet()
            self.notice(0)
            while not self.session.state.is_end:
                self.others_play()
                if self.session.waits:
                    self.ask()
            return self.over()
        except Left:
            return 0
        except TooLong:
            say(f"The game is left after {MOST_ALONE:,} steps.")
            return UNFINISHED
        except FaultError as error:
            return self.broken(error)
        except EOFError:
            code = 0
        except KeyboardInterrupt:
            code = 130
        try:
            return self.keeper.leave_in_haste(code, self.watched)
        except KeyboardInterrupt:  # of a closed terminal, after the end of its input
            return self.keeper.leave_in_haste(130, self.watched)

    def greet(self) -> None:
        game = self.session.game
        seats = ", ".join(f"{player} ({kind})" for player, kind in self.session.seats.items())
        say(f"{game.title}, players={len(game.players)}, seed {self.session.seed}: {seats}")
        if game.settings:
            say(", ".join(f"{name}={value}" for name, value in game.settings.items()))
        if self.session.people:
            say("`?` lists the possible actions, `help` explains what else can be typed.")

    def others_play(self) -> None:
        """Chance and the random players, until a person is to decide; where no person plays, boards too."""
        untold: list[Event] = []  # outcomes of chance, which are told together
        drawn = None
        for step in self.session.advance():
            number = len(self.session.steps)
            event = self.event(number)
            if untold and not event.joins(untold[-1]):
                click.echo(told(untold, width()))
                untold.clear()
            untold.append(event)
            if step.actor is not None or not self.session.state.is_chance:
                click.echo(told(untold, width()))
                untold.clear()
            self.keeper.keep()
            self.reveal()
            self.notice(number)
            state = self.session.state
            if not self.session.people and state.program.views and state.actor not in (None, drawn):
                drawn = state.actor
                self.draw()
            if not self.session.people and number >= MOST_ALONE:
                raise TooLong

    def notice(self, number: int) -> None:
        """Says once that a position is there again: the game can go round."""
        state = self.session.state
        if state.is_decision and self.met.setdefault(state, number) != number and not self.round:
            self.round = True
            again = f"This position was there before, after step {self.met[state]}: the game can go round."
            say(" ".join([again, *may_go_on(state.program)]))

    def over(self) -> int:
        self.draw()
        state = self.session.state
        assert state.result is not None
        places = endings(state.result, ranked_by(state))
        told = f"The game is over: {', '.join(places)}."
        click.secho(told if len(told) <= width() else "\n".join(["The game is over:", *places]), bold=True)
        for line in end(state.program, state.stop, width()):
            click.echo(line)
        if self.keeper.file is not None:
            click.echo(self.keeper.replay())
        return 0

    def broken(self, error: FaultError) -> int:
        """The rules ran into a fault: the rules file is to blame, hence 64; the game so far is saved."""
        click.echo("\n".join(["", *fault(error, self.session.game)]))
        click.echo("The rules break down here, so the game cannot go on.")
        return self.keeper.leave_in_haste(64, self.watched)

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
        self.numbered = len(listed) <= FEW and one_by_one(list(enumerate(actions, 1)), width())
        self.refused = ""
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
                self.refuse(typed, sentence(str(error)))
            return
        if text != typed:
            click.echo(text)
        self.session.apply(text)
        self.notice(len(self.session.steps))
        self.keeper.keep()
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
            "places": self.places,
            "q": self.quit,
            "quit": self.quit,
            "save": self.save,
            "undo": self.undo,
            "why": self.why,
        }

    def completions(self, begun: str) -> Sequence[str]:
        """The words that may come next in the line that a person types."""
        return completions(
            begun, [action.text for action in self.session.state.actions()], [*self.commands()]
        )

    def refuse(self, typed: str, otherwise: str) -> None:
        """Says why what was typed cannot be done."""
        told = self.advice.against(typed)
        self.refused = typed if len(told) > 1 else ""
        for each in told or [otherwise]:
            say(each)

    @property
    def advice(self) -> Advice:
        return Advice(self.session.state, self.sight())

    def read(self, prompt: str) -> str:
        """A line from the person, who can edit it in a terminal. Raises EOFError, KeyboardInterrupt."""
        return read(prompt, self.watched and sys.stdout.isatty())

    # -------------------------------------------------------------------------------------- what can be typed

    def undo(self, rest: str) -> None:
        try:
            taken = self.session.undo()
        except CannotUndo as error:
            say(f"{error}.")
            return
        say(f"taken back: {', '.join(f'{step.actor} {step.text}' for step in taken)}")
        self.keeper.keep()

    def moves(self, rest: str) -> None:
        """The possible actions; with `rest`, those that begin with it."""
        texts = [action.text for action in self.session.state.actions()]
        found = narrowed(rest, texts)
        if found:
            self.listed(found)
        else:
            otherwise = sentence(f"no possible action begins like that{near(rest, texts, [])}")
            say(" ".join(self.advice.elsewhere(rest) or [otherwise]))

    def listed(self, texts: Sequence[str]) -> None:
        """Some of what is possible, with the numbers that count."""
        wanted = set(texts)
        actions = self.session.state.actions()
        listed = [(number, action) for number, action in enumerate(actions, 1) if action.text in wanted]
        click.echo("\n".join(menu(listed, width())))
        if one_by_one(listed, width()):
            self.numbered = True
        else:
            say(f"`? {fewer([action for _, action in listed])}` lists those that begin so.")

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
        events = [self.event(number + 1, found.get(number)) for number in range(len(session.steps))]
        for run in runs(events):
            click.echo(told(run, width()))

    def board(self, rest: str) -> None:
        self.shown = None
        self.draw()

    def places(self, rest: str) -> None:
        """The board with the places marked that the possible actions speak of first; with `rest`, those that
        come after it."""
        offered = self.advice.places(rest)
        if offered:
            self.draw(offered)
        else:
            say("The boards do not show what is possible; `?` lists it.")

    def why(self, rest: str) -> None:
        """The rule about an action: the one that is named, or the last that was refused, or all that are
        offered."""
        click.echo("\n".join(self.advice.why(rest or self.refused, width())))

    def save(self, rest: str) -> None:
        try:
            path, there = looked_up(rest or str(self.keeper.file or self.keeper.free))
            over = there and path != self.keeper.file
            if over and not self.agrees(f"{path} already exists; overwrite it?", False):
                return
            self.keeper.keep_in(path)
        except BadInput as error:
            say(f"{error}.")
        else:
            say("saved; every step from now on is saved there too.")
            click.echo(self.keeper.resume())

    def quit(self, rest: str) -> None:
        keeper = self.keeper
        path = keeper.free
        if keeper.file is None and self.session.begun and self.agrees(f"save the game as {path}?", True):
            keeper.file = path
        if keeper.file is not None:
            if not keeper.keep():
                return
            click.echo(f"The game is saved.\n{keeper.resume()}")
        raise Left

    def agrees(self, question: str, default: bool) -> bool:
        answer = self.read(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
        return answer.startswith("y") if answer else default

    # ------------------------------------------------------------------------------------------ what is shown

    def turn_to(self, player: str | None) -> None:
        """Makes sure that the person who is to decide is the one at the screen, where others have secrets."""
        people = self.session.people
        if player != self.facing and len(people) > 1 and has_secrets(self.session.game):
            if self.facing is not None:
                click.clear()
            self.read(f"{player} to the screen, the others look away; then press Enter ")
        self.facing = player

    def sight(self) -> Sight:
        """What the person at the screen may see; if no person plays, everything."""
        people = self.session.people
        viewer = self.facing or (people[0] if people else None)
        if viewer not in self.sights:
            self.sights[viewer] = Sight(self.session.game, viewer)
        return self.sights[viewer]

    def event(self, number: int, known: str | None = None) -> Event:
        """What the person at the screen is told of step `number`, counted from 1. `known`: what it was,
        if more can be known than was told."""
        step, before = self.session.steps[number - 1], self.session.states[number - 1]
        earlier = self.session.states[number - 2] if number > 1 else None
        opened = self.session.opened(number - 1)
        text = step.text if opened else known or self.sight().told(before, step.text)
        first = self.session.together(number - 1).start + 1 if opened else 0
        return Event(number, who(before, earlier), text, before.label if before.is_chance else "", first)

    def reveal(self) -> None:
        """Tells what was chosen together once all have chosen."""
        last = len(self.session.steps) - 1
        several = [self.session.steps[number] for number in self.session.together(last)]
        if len(several) > 1 and self.session.opened(last) and self.sight().viewer is not None:
            say(f"all have chosen: {', '.join(f'{step.actor} {step.text}' for step in several)}")

    def draw(self, offered: Set[str] = frozenset()) -> None:
        """The board, with what changed since it was last drawn; if something is `offered`, with that."""
        sight = self.sight()
        players = self.session.game.players
        earlier = None if offered else self.shown
        board = boards(self.session.state, earlier, sight.pictures, width(), sight.colours, offered)
        lines = [
            *(names(part, players) for line in board for part in squeezed(line, width())),
            *sight.facts(self.session.state),
        ]
        self.shown = self.session.state
        click.echo("\n".join(["", *lines]) if lines else "")
