"""The checked game: a rules file and the libraries it uses, merged into one value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from kemu_grammar.check.check import check
from kemu_grammar.check.scope import symbols_of
from kemu_grammar.game.absent import in_a_library, without_players
from kemu_grammar.game.faults import proven, told
from kemu_grammar.game.proofs import joined, of_the_game_itself, text_of, where
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.versions import LANGUAGE, changed_since
from kemu_grammar.syntax.ast import (
    Check,
    Const,
    Declaration,
    Domain,
    Enum,
    Example,
    Fun,
    Instance,
    Language,
    Module,
    Needs,
    Option,
    Players,
    Property,
    Proves,
    Record,
    Rule,
    Rules,
    Span,
    State,
    StateVariable,
    Table,
    Title,
    Under,
    Use,
    View,
)
from kemu_grammar.syntax.datafile import Refused, file_of, rows
from kemu_grammar.syntax.datafile import text_of as text_of_table
from kemu_grammar.syntax.parser import parse
from kemu_grammar.syntax.parser import read as read_form
from kemu_grammar.syntax.walk import names_in

T = TypeVar("T", bound=Declaration)
LACKING = "E0220"  # that an essential part is missing hides nothing else
NAMED = (Domain, Enum, Record, Table, Const, Fun, Rule)
LIBRARY = (Language, Domain, Enum, Record, Table, Const, Fun, Check, Use)


@dataclass(frozen=True, slots=True)
class Game:
    """A game whose names are known to be sound. `options` holds options, edition and readings in the
    order of the text; `names` the base definition of every domain, enum, record, table, const, fun and
    rule, libraries included; `citations` file -> line -> the rulebook statements named there; `versioned`
    the files that say which version of the language they are written for; `doc` what the comment above `game`
    says, or that above `language` if there is none; `proofs` the file of proofs, empty if there is none.
    `sources` are the texts by file, `aside` that of a file of proofs that is another game's."""

    title: str
    file: str
    players: Players
    options: dict[str, Option]
    needs: tuple[Needs, ...]
    instances: dict[str, Instance]
    names: dict[str, Declaration]
    unders: tuple[Under, ...]
    state: tuple[StateVariable, ...]
    rules: Rules
    checks: tuple[Check, ...]
    properties: tuple[Property, ...]
    examples: tuple[Example, ...]
    views: tuple[View, ...]
    sources: dict[str, str]
    citations: dict[str, dict[int, tuple[str, ...]]]
    versioned: frozenset[str] = frozenset()
    doc: str = ""
    proofs: str = ""
    aside: dict[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, str]:
        """The texts of the files that hold the rows of tables."""
        found = (d for d in self.names.values() if isinstance(d, Table))
        return {str(file_of(d)): d.text for d in found if d.text is not None}


def read(path: Path, library: Path) -> Game:
    """The game in a rules file, with the file of proofs beside it; `use x` takes in all of
    `library/x/*.kemu`. Raises RulesError, OSError."""
    return read_text(text_of(path), str(path), library)


def read_text(text: str, file: str, library: Path) -> Game:
    """The game in a text; `file` is its name in diagnostics. Raises RulesError."""
    module, found = read_form(text, file)
    if found is None:
        assert module is not None
        return read_parsed(module, library)
    raise RulesError(found.faults if module is None else told(module, found, examine(library)))


def read_parsed(module: Module, library: Path) -> Game:
    """The game in a syntax tree. Raises RulesError."""
    game, faults = _examine(module, library)
    if game is None or faults:
        raise RulesError(tuple(proven(faults, module, examine(library))))
    return game


def examine(library: Path) -> Callable[[Module], list[Diagnostic]]:
    """What is wrong with the game in a syntax tree."""

    def faults(module: Module) -> list[Diagnostic]:
        try:
            return _examine(module, library)[1]
        except RulesError as error:
            return list(error.diagnostics)

    return faults


def _examine(main: Module, library: Path) -> tuple[Game | None, list[Diagnostic]]:
    """The game, if it has its essential parts, and what is wrong with it. Raises RulesError for faults of
    syntax in a library."""
    faults: list[Diagnostic] = []
    both = joined(main, faults)
    rules, proofs = both.rules, both.proofs
    modules = [rules, *_behind(rules, list(_libraries(rules, library, faults)))]
    if proofs is not None:
        _only(proofs.declarations, Proves, faults)
        known = {m.file for m in modules}
        modules += [m for m in _libraries(proofs, library, faults) if m.file not in known]
        modules.append(proofs)
    for module in modules:
        _version(module, faults)
    if faults:
        return None, faults
    modules = [_with_rows(module, faults) for module in modules]
    if faults:
        return None, faults
    game = _merge(modules, proofs, faults)
    if game is not None and both.aside is not None:
        game = replace(game, aside={both.aside.file: both.aside.text})
    seats = game.players if game else None
    for some in (modules[:-1], modules) if proofs else (modules,):  # the rules are complete without
        if all(d.code == LACKING for d in faults):
            declarations = tuple(d for m in some for d in m.declarations)
            texts = {m.file: m.text for m in some}
            found = check(declarations, seats, texts, proofs.file if proofs else "")
            faults += without_players(found) if seats is None else found
    faults = [in_a_library(d, rules, library) for d in faults]
    return game, [*faults, *both.unread]


def _libraries(module: Module, library: Path, faults: list[Diagnostic]) -> Iterator[Module]:
    """The files that a module uses, and those that these use; each once."""
    waiting = [d for d in module.declarations if isinstance(d, Use)]
    taken: set[str] = set()
    while waiting:
        use = waiting.pop(0)
        if use.module in taken:
            continue
        taken.add(use.module)
        files = sorted((library / use.module).glob("*.kemu"))
        if not files:
            known = sorted(d.name for d in library.iterdir() if d.is_dir()) if library.is_dir() else []
            near = closest(use.module, known)
            fix = (_last_word(use.span, use.module), near) if near else None
            faults.append(
                Diagnostic(
                    "E0305", _last_word(use.span, use.module), f"there is no library `{use.module}`", fix=fix
                )
            )
            continue
        for file in files:
            found = _of_a_library(text_of(file), str(file))
            for d in found.declarations:
                if not isinstance(d, LIBRARY):
                    message = (
                        "a library can hold only domains, enums, records, tables, consts, funs and checks"
                    )
                    faults.append(Diagnostic("E0306", d.span, message))
            waiting += [d for d in found.declarations if isinstance(d, Use)]
            yield found


@lru_cache(maxsize=64)
def _of_a_library(text: str, file: str) -> Module:
    """The syntax tree of a file that many games use, and one game again and again while its errors are
    looked into."""
    return parse(text, file)


def _behind(own: Module, libraries: list[Module]) -> list[Module]:
    """The libraries without what the game's own file gives a meaning to, unless another part of a library
    needs it."""
    names = {symbol.name for d in own.declarations for symbol in symbols_of(d)}
    read = [(d, names_in(d)) for m in libraries for d in m.declarations]

    def kept(d: Declaration) -> bool:
        if not isinstance(d, Const | Fun) or d.name not in names:
            return True
        return any(d.name in inside for other, inside in read if other is not d)

    return [replace(m, declarations=tuple(d for d in m.declarations if kept(d))) for m in libraries]


def _version(module: Module, faults: list[Diagnostic]) -> None:
    """That this version of the language is read."""
    written = _only(module.declarations, Language, faults)
    if written is None or written.version == LANGUAGE:
        return
    if written.version > LANGUAGE:
        message = f"version {written.version} of the language needs a newer Kemu: this one reads {LANGUAGE}"
    else:
        message = (
            f"version {written.version} of the language is no longer read: {changed_since(written.version)}"
        )
    note = f"when the rules are right for version {LANGUAGE}, write `language {LANGUAGE}`"
    notes = ((None, note),) if written.version < LANGUAGE else ()
    faults.append(Diagnostic("E0226", written.span, message, notes))


def _with_rows(module: Module, faults: list[Diagnostic]) -> Module:
    """With the names of the rows of tables that stand in files of their own, and their places there."""
    found: list[Declaration] = []
    for d in module.declarations:
        if isinstance(d, Table) and d.file is not None:
            try:
                d = replace(d, text=text_of_table(d))
                names = [row[0] for row in rows(d)[1]]
            except RulesError as error:
                faults += error.diagnostics
                return module
            except (OSError, Refused) as error:
                reason = error.strerror or "there is no such file" if isinstance(error, OSError) else error
                faults.append(Diagnostic("E0315", _named(d, module), f'"{d.file}" cannot be read: {reason}'))
                return module
            places = tuple(name.span for name in names)
            d = replace(d, rows=tuple((name.text, ()) for name in names), places=places)
        found.append(d)
    return replace(module, declarations=tuple(found))


def _named(d: Table, module: Module) -> Span:
    """Where a table names its file."""
    line = module.text.split("\n")[d.span.line - 1]
    at = line.find('"', d.span.column)
    end = line.find('"', at + 1)
    return Span(d.span.file, d.span.line, at + 1, d.span.line, end + 2) if 0 <= at < end else d.span


def _last_word(span: Span, word: str) -> Span:
    return Span(span.file, span.line, span.column + 4, span.line, span.column + 4 + len(word))


def _merge(modules: list[Module], proofs: Module | None, faults: list[Diagnostic]) -> Game | None:
    """The game; the file of proofs, if there is one, is the last of the modules."""
    main = modules[0]
    own = tuple(of_the_game_itself(_claims_out(main.declarations), proofs))
    beside = tuple(_claims_out(modules[-1].declarations)) if proofs else ()
    libraries = modules[1:-1] if proofs else modules[1:]
    everything = [*own, *(d for m in libraries for d in m.declarations), *beside]
    title = _only(own, Title, faults)
    players = _only(own, Players, faults)
    rules = _only(own, Rules, faults)
    start = Span(main.file, 1, 1, 1, 1)
    missing = [w for w, d in (('game "..."', title), ("players", players), ("rules:", rules)) if d is None]
    if missing:
        words = " and ".join(f"`{w}`" for w in missing)
        faults.append(Diagnostic(LACKING, start, f"a game needs {words}, which this file lacks"))
        return None
    assert title and players and rules
    own += beside
    return Game(
        title=title.text,
        doc=title.doc or next((d.doc for d in own if isinstance(d, Language)), ""),
        file=main.file,
        players=players,
        options={d.name: d for d in own if isinstance(d, Option)},
        needs=tuple(d for d in own if isinstance(d, Needs)),
        instances=_resolved({d.name: d for d in own if isinstance(d, Instance)}),
        names=_first(d for d in everything if isinstance(d, NAMED)),
        unders=tuple(d for d in own if isinstance(d, Under)),
        state=tuple(v for d in own if isinstance(d, State) for v in d.variables),
        rules=rules,
        checks=tuple(d for d in everything if isinstance(d, Check)),
        properties=tuple(d for d in own if isinstance(d, Property)),
        examples=tuple(d for d in own if isinstance(d, Example)),
        views=tuple(d for d in own if isinstance(d, View)),
        sources={m.file: m.text for m in modules},
        citations={m.file: m.citations for m in modules},
        versioned=frozenset(m.file for m in modules if any(isinstance(d, Language) for d in m.declarations)),
        proofs=proofs.file if proofs else "",
    )


def _claims_out(declarations: tuple[Declaration, ...]) -> Iterator[Declaration]:
    """The declarations, with the claims of an `under` block behind it, each under the block's condition."""
    for d in declarations:
        yield d
        for inner in d.declarations if isinstance(d, Under) else ():
            if isinstance(inner, Property | Example | Check):
                yield where(d.condition, inner)  # type: ignore[attr-defined]


def _resolved(instances: dict[str, Instance]) -> dict[str, Instance]:
    """The instances, each with all its settings: those that it takes over, then its own."""

    def settings(one: Instance, above: frozenset[str]) -> dict[str, str | int | bool]:
        base = instances.get(one.like)
        taken = {} if base is None or base.name in above else settings(base, above | {base.name})
        return taken | dict(one.settings)

    return {
        name: replace(one, settings=tuple(settings(one, frozenset({name})).items()))
        for name, one in instances.items()
    }


def _only(declarations: tuple[Declaration, ...], kind: type[T], faults: list[Diagnostic]) -> T | None:
    found = [d for d in declarations if isinstance(d, kind)]
    for d in found[1:]:
        message = f"a game can have only one `{kind.__name__.lower().replace('title', 'game')}`"
        faults.append(Diagnostic("E0302", d.span, message, ((found[0].span, "the first one is here"),)))
    return found[0] if found else None


def _first(declarations: Iterable[Any]) -> dict[str, Declaration]:
    """By name; of several with one name the first."""
    out: dict[str, Declaration] = {}
    for d in declarations:
        out.setdefault(d.name, d)
    return out
