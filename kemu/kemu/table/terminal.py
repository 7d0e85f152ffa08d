"""Play in a terminal: shows the board, reads what a person wants to do, keeps the game safe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from textwrap import wrap

import click
from kemu_engine.play.action import Action
from kemu_engine.play.state import FaultError, State
from kemu_grammar.game.game import Game

from kemu.api.game import State as Position
from kemu.base.opening import opened
from kemu.base.words import counted
from kemu.findings.phrases import Phrases, moves_in_words
from kemu.render.board import Element
from kemu.render.colours import names
from kemu.render.console import width
from kemu.render.ending import end
from kemu.render.told_rules import rules_told
from kemu.render.trace import boards, squeezed
from kemu.render.turn import who
from kemu.render.words import endings, fault, ranked_by
from kemu.table.advice import Advice
from kemu.table.ending import behind, decided
from kemu.table.events import Event, runs, told
from kemu.table.input import NotUnderstood, completions, exactly, meant, narrowed, near
from kemu.table.keeper import Keeper
from kemu.table.knowledge import known
from kemu.table.manual import greeting, legends, manual, options
from kemu.table.menu import fewer, menu, one_by_one, overview
from kemu.table.prompt import listen, read, say, sentence, wipe
from kemu.table.saving import save, saved_at_last
from kemu.table.session import CannotUndo, Session
from kemu.table.visibility import WATCHING, Sight, has_secrets, legend

MOST_ALONE = 10_000  # steps of a game without people
UNFINISHED = 3  # the exit code of a game that is left so
FEW = 6  # so many lines of actions are shown without being asked for
UNNAMED = "choose"  # the label of a decision that has no name of its own


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
    numbered: set[int] = field(default_factory=set)  # the numbers with which actions now possible were listed
    explained: set[tuple[str, ...]] = field(default_factory=set)  # rules that were shown unasked
    acquainted: set[str | None] = field(default_factory=set)  # to whom the legend was shown
    refused: str = ""  # what was typed last that was not legal
    met: dict[State, int] = field(default_factory=dict)  # after which step a position was there first
    round: bool = False  # whether it was said that the game goes round
    said: Phrases | None = None  # of moves, once it was looked up
    advised: Callable[[Position], list[str]] | None = None  # by whom, once a hint was asked for

    # ----------------------------------------------------------------------------------- the course of a game

    def play(self) -> int:
        """Plays until the game is over or the people leave; the exit code."""
        listen(self.completions, lambda: f"{self.session.state.actor}> ")
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
            say(options(self.rules(), game, self.keeper.rules))
        if self.session.people:
            say(greeting(self.rules()))

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
        """Says once that a position is there again: the game can go round. With secrets that is nobody's
        business."""
        if has_secrets(self.session.game):
            return
        state = self.session.state
        if state.is_decision and self.met.setdefault(state, number) != number and not self.round:
            from kemu.render.going_round import may_go_on  # makes instances, to see which option decides

            self.round = True
            again = f"This position was there before, after step {self.met[state]}: the game can go round."
            say(" ".join([again, *may_go_on(state.program)]))

    def over(self) -> int:
        found = behind(self.session, self.rules())
        self.draw(decided(self.session, self.sight(), found), self.shown)
        state = self.session.state
        assert state.result is not None
        places = endings(state.result, ranked_by(state))
        told = f"The game is over: {', '.join(places)}."
        click.secho(told if len(told) <= width() else "\n".join(["The game is over:", *places]), bold=True)
        if self.sight().shows_rule(state):
            for line in end(state.program, state.stop, found, width()):
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
        every = list(enumerate(actions, 1))
        lines = [asked, *menu(every, width(), self.in_words, self.sign)]
        self.numbered.clear()
        if len(lines) <= 1 + FEW:
            self.seen(every)
        else:
            lines = wrap(f"{asked}{overview(actions, self.in_words)}; `?` lists them", width())
        self.refused = ""
        click.secho(f"{who(state)}: ", bold=True, nl=False)
        click.echo("\n".join(lines).removeprefix(f"{who(state)}: "))
        self.explain(self.advice.only(width()))
        while self.session.state == state and self.session.waits:
            typed = self.read(f"{state.actor}> ").strip()
            if typed:
                self.obey(typed, legal)

    def explain(self, rule: list[str]) -> None:
        """Shows a rule, if this person has not been shown it."""
        if rule and tuple(rule) not in self.explained:
            self.explained.add(tuple(rule))
            click.echo("\n".join(rule))

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
            text = meant(typed, legal, [*commands], self.numbered, self.advice.numbers)
        except NotUnderstood as error:
            if error.several:
                self.listed(error.several)
            else:
                self.refuse(typed, sentence(str(error)))
            return
        if not typed.startswith("#") and not exactly(typed, text) and self.advice.forbids(typed):
            self.refuse(typed, "")
            return
        self.session.apply(text)
        number = len(self.session.steps)
        click.echo(told([self.event(number)], width()))
        self.notice(number)
        self.keeper.keep()
        self.reveal()

    def commands(self) -> dict[str, Callable[[str], None]]:
        """What the words do, given the rest of the line."""
        return {
            "board": self.board,
            "exit": self.quit,
            "h": self.help,
            "help": self.help,
            "hint": self.hint,
            "history": self.history,
            "legend": self.legend,
            "moves": self.moves,
            "places": self.places,
            "q": self.quit,
            "quit": self.quit,
            "rules": self.told_rules,
            "save": self.save,
            "undo": self.undo,
            "why": self.why,
        }

    def completions(self, begun: str) -> Sequence[str]:
        """The words that may come next in the line that a person types; none while another one looks."""
        if self.facing != self.session.state.actor:
            return []
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

    @property
    def sign(self) -> str:
        """What stands before the number of an action where a number alone is something else."""
        return "#" if self.advice.numbers else ""

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
        click.echo("\n".join(menu(listed, width(), self.in_words, self.sign)))
        if not self.seen(listed):
            say(f"`? {fewer([action for _, action in listed])}` lists those that begin so.")

    def seen(self, listed: Sequence[tuple[int, Action]]) -> bool:
        """Whether these were few enough to be listed with their numbers, which count from now on."""
        few = one_by_one(listed, width())
        self.numbered.update(number for number, _ in listed if few)
        return few

    def help(self, rest: str) -> None:
        click.echo("\n".join(manual(self.rules(), self.session.state.actions(), width())))

    def told_rules(self, rest: str) -> None:
        """What the rulebook says, or what of it speaks of the rest."""
        told = rules_told(self.rules(), rest, width())
        click.echo("\n".join(told or ["There is no rulebook beside the rules file; `why` shows its lines."]))

    def rules(self) -> Game:
        """The rules file that is played by."""
        return opened(self.keeper.rules)

    def phrases(self) -> Phrases:
        """What is said of moves beside the rules file."""
        if self.said is None:
            self.said = moves_in_words(self.rules().file)
        return self.said

    def in_words(self, text: str) -> str:
        """What an action is, as the rulebook would say it, if that is known."""
        return self.phrases().said("", text)

    def history(self, rest: str) -> None:
        if not self.session.steps:
            click.echo("nothing has happened yet")
        session, sight = self.session, self.sight()
        texts = [step.text for step in session.steps]
        begun = session.states[0] == session.game.initial()
        found = known(session.states, texts, sight.viewer) if sight.viewer and begun else {}
        events = [self.event(number + 1, found.get(number)) for number in range(len(session.steps))]
        for run in runs(events):
            click.echo(told(run, width()))

    def board(self, rest: str) -> None:
        self.shown = None
        self.draw()

    def legend(self, rest: str) -> None:
        """What the signs on the boards mean."""
        told = [line for view in self.session.state.program.views for line in legend(view)]
        click.echo(
            "\n".join(legends(self.rules(), told, width()) or ["Nothing is said of the signs on the board."])
        )

    def hint(self, rest: str) -> None:
        """What a search thinks is best, and what the others are worth, from what the player sees."""
        if self.advised is None:
            from kemu.table.hint import Adviser  # what searches is not needed by those who do not ask

            self.advised = Adviser().hints
        click.echo("\n".join(self.advised(self.session.position)))

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
        save(self.keeper, rest, self.read)

    def quit(self, rest: str) -> None:
        if saved_at_last(self.keeper, self.read):
            raise Left

    # ------------------------------------------------------------------------------------------ what is shown

    def turn_to(self, player: str | None) -> None:
        """Makes sure that the person who is to decide is the one at the screen, where others have secrets."""
        people = self.session.people
        if player != self.facing and len(people) > 1 and has_secrets(self.session.game):
            if self.facing is not None:
                wipe()
            self.facing = None
            self.read(f"{player} to the screen, the others look away; then press Enter ")
        self.facing = player

    def sight(self) -> Sight:
        """What the person at the screen may see; if no person plays, everything."""
        people = self.session.people
        watching = WATCHING if people else None
        viewer = self.facing or (people[0] if len(people) == 1 else watching)
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
        label = before.label if before.is_chance else ""
        return Event(number, who(before, earlier), text, label, first, self.phrases().said(label, text))

    def reveal(self) -> None:
        """Tells what was chosen together once all have chosen."""
        last = len(self.session.steps) - 1
        several = [self.session.steps[number] for number in self.session.together(last)]
        if len(several) > 1 and self.session.opened(last) and self.sight().viewer is not None:
            say(f"all have chosen: {', '.join(f'{step.actor} {step.text}' for step in several)}")

    def draw(self, offered: Set[Element] = frozenset(), earlier: State | None = None) -> None:
        """The board, with what changed since it was last drawn; if something is `offered`, with that, and
        what changed since an `earlier` position."""
        sight = self.sight()
        players = self.session.game.players
        earlier = earlier if offered else self.shown
        look = sight.board if sight.viewer in self.acquainted else sight.pictures
        self.acquainted.add(sight.viewer)
        board = boards(self.session.state, earlier, look, width(), sight.colours, offered)
        lines = [
            *(names(part, players) for line in board for part in squeezed(line, width())),
            *sight.facts(self.session.state),
        ]
        self.shown = self.session.state
        click.echo("\n".join(["", *lines]) if lines else "")
