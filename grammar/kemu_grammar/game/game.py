"""The checked game: a rules file and the libraries it uses, merged into one value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from kemu_grammar.check.check import check
from kemu_grammar.check.scope import symbols_of
from kemu_grammar.source.diagnostics import Diagnostic, Edit, RulesError, apply
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.keywords import words
from kemu_grammar.source.versions import LANGUAGE, changed_since
from kemu_grammar.syntax.ast import (
    Binary,
    Check,
    Const,
    Declaration,
    Domain,
    Enum,
    Example,
    Fun,
    Instance,
    Language,
    Logic,
    Module,
    Needs,
    Option,
    Players,
    Property,
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
from kemu_grammar.syntax.datafile import decoded, rows
from kemu_grammar.syntax.parser import parse
from kemu_grammar.syntax.parser import read as read_form
from kemu_grammar.syntax.recovery import Recovered
from kemu_grammar.syntax.walk import names_in

T = TypeVar("T", bound=Declaration)
WORD = re.compile(r"\w+")
FOLLOWING = words("E0302 E0504 E0506 E0507 E0509 E0511 E0601 E0602 E0603")
UNKNOWN = words("E0301 E0303 E0310 E0311 E0604 E0605")
MOST_TRIED = 3  # suggestions that are tried out
NAMED = (Domain, Enum, Record, Table, Const, Fun, Rule)
LIBRARY = (Language, Domain, Enum, Record, Table, Const, Fun, Check, Use)


@dataclass(frozen=True, slots=True)
class Game:
    """A game whose names are known to be sound. `options` holds options, edition and readings in the
    order of the text; `names` the base definition of every domain, enum, record, table, const, fun and
    rule, libraries included; `citations` file -> line -> the rulebook statements named there; `versioned`
    the files that say which version of the language they are written for; `doc` what the comment above `game`
    says, or that above `language` if there is none."""

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


def read(path: Path, library: Path) -> Game:
    """The game in a rules file; `use x` takes in all of `library/x/*.kemu`. Raises RulesError, OSError."""
    return read_text(_text(path), str(path), library)


def read_text(text: str, file: str, library: Path) -> Game:
    """The game in a text; `file` is its name in diagnostics. Raises RulesError."""
    module, found = read_form(text, file)
    if found is None:
        assert module is not None
        return read_parsed(module, library)
    raise RulesError(found.faults if module is None else _all_faults(module, found, library))


def read_parsed(module: Module, library: Path) -> Game:
    """The game in a syntax tree. Raises RulesError."""
    game, faults = _examine(module, library)
    if game is None or faults:
        raise RulesError(tuple(_proven(faults, module.text, module.file, library)))
    return game


def _all_faults(module: Module, found: Recovered, library: Path) -> tuple[Diagnostic, ...]:
    """The faults of form, and what else is wrong with the text once these are mended. What may only follow
    from lines that were left out is not said."""
    _, faults = _examine(module, library)
    further = [d for d in faults if not _follows(d, found)]
    proven = _proven(further, module.text, module.file, library)
    told = [*found.faults, *(found.original.diagnostic(d, found.draft) for d in proven)]
    order = {module.file: 0}
    return tuple(sorted(told, key=lambda d: (order.get(d.span.file, 1), d.span.line, d.span.column)))


def _follows(d: Diagnostic, found: Recovered) -> bool:
    """Whether a fault may come from what was left out: it speaks of the same names, or of what was around."""
    if found.left_out == "nothing":
        return False
    if d.code < "E03":  # of form; E0220 misses a declaration
        return d.code == "E0220"
    unknown = found.left_out == "declarations" and d.code in UNKNOWN
    return unknown or d.code in FOLLOWING or not found.lost.isdisjoint(WORD.findall(d.message))


def _examine(main: Module, library: Path) -> tuple[Game | None, list[Diagnostic]]:
    """The game, if it has its essential parts, and what is wrong with it. Raises RulesError for faults of
    syntax in a library."""
    modules = [main]
    faults: list[Diagnostic] = []
    modules += _behind(main, list(_libraries(main, library, faults)))
    for module in modules:
        _version(module, faults)
    if faults:
        return None, faults
    modules = [_with_rows(module, faults) for module in modules]
    if faults:
        return None, faults
    game = _merge(modules, faults)
    if not faults:
        declarations = tuple(d for m in modules for d in m.declarations)
        faults += check(declarations, game.players if game else None, {m.file: m.text for m in modules})
    return game, faults


def _proven(faults: list[Diagnostic], text: str, file: str, library: Path) -> Iterator[Diagnostic]:
    """Keeps the suggestions that mend what they are made for. One that mends only this place of several
    becomes a note; of the later ones of many nothing is known, and they are notes as well."""
    tried = 0
    every = [edit for d in faults for edit in d.mend]
    if len(faults) > 1 and every and not _left(every, text, file, library):
        yield from faults
        return
    for d in faults:
        if d.fix is None:
            yield d
            continue
        left = None
        if tried < MOST_TRIED and d.fix[0].file == file:
            tried += 1
            left = _left(d.mend, text, file, library)
        others = {x.message for x in faults if x is not d}
        if left is not None and left <= others:
            yield d
        elif left is None or left <= others | {d.message}:
            note = (None, f"did you mean `{d.fix[1].strip()}`?")
            yield replace(d, fix=None, also=(), notes=(*d.notes, note))
        else:
            yield replace(d, fix=None, also=())


def _left(edits: Iterable[Edit], text: str, file: str, library: Path) -> set[str]:
    """What is still wrong after a suggestion."""
    try:
        return {d.message for d in _examine(parse(apply(edits, text), file), library)[1]}
    except RulesError as error:
        return {d.message for d in error.diagnostics}


def _text(path: Path) -> str:
    return decoded(path.read_bytes(), str(path), "a rules file")


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
            found = parse(_text(file), str(file))
            for d in found.declarations:
                if not isinstance(d, LIBRARY):
                    message = (
                        "a library can hold only domains, enums, records, tables, consts, funs and checks"
                    )
                    faults.append(Diagnostic("E0306", d.span, message))
            waiting += [d for d in found.declarations if isinstance(d, Use)]
            yield found


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
                names = [row[0] for row in rows(d)[1]]
            except RulesError as error:
                faults += error.diagnostics
                return module
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or "there is no such file"
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


def _merge(modules: list[Module], faults: list[Diagnostic]) -> Game | None:
    main = modules[0]
    own = tuple(_claims_out(main.declarations))
    everything = [*own, *(d for m in modules[1:] for d in m.declarations)]
    title = _only(own, Title, faults)
    players = _only(own, Players, faults)
    rules = _only(own, Rules, faults)
    start = Span(main.file, 1, 1, 1, 1)
    missing = [w for w, d in (('game "..."', title), ("players", players), ("rules:", rules)) if d is None]
    if missing:
        words = " and ".join(f"`{w}`" for w in missing)
        faults.append(Diagnostic("E0220", start, f"a game needs {words}, which this file lacks"))
        return None
    assert title and players and rules
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
    )


def _claims_out(declarations: tuple[Declaration, ...]) -> Iterator[Declaration]:
    """The declarations, with the claims of an `under` block behind it, each under the block's condition."""
    for d in declarations:
        yield d
        for inner in d.declarations if isinstance(d, Under) else ():
            test = d.condition  # type: ignore[attr-defined]
            if isinstance(inner, Property | Example):
                own = inner.condition
                both = test if own is None else Logic("and", (test, own), span=own.span)
                yield replace(inner, condition=both)
            elif isinstance(inner, Check):
                yield replace(
                    inner, condition=Binary("implies", test, inner.condition, span=inner.condition.span)
                )


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
