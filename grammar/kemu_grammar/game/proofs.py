"""The file of proofs beside a rules file: claims, lemmas and measures, and smaller models of the game.

Nothing in it changes how the game is played, so whoever plays need not know it. Its options are by default
what the rules file says; with another value, a model of the game is made, of which the checks and the
examples of the rules file say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kemu_grammar.game.beside import PROOFS
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.datafile import decoded
from kemu_grammar.syntax.parser import parse

HOLDS = (
    t.Language, t.Proves, t.Use, t.Option, t.Instance, t.Domain, t.Enum, t.Record, t.Table, t.Const, t.Fun,
    t.Rule, t.Under, t.Check, t.Property, t.Example,
)  # fmt: skip


def text_of(path: Path) -> str:
    """The text of a rules file. Raises RulesError if it is none, OSError."""
    return decoded(path.read_bytes(), str(path), "a rules file")


@dataclass(frozen=True, slots=True)
class Joined:
    """A rules file and its file of proofs; `aside` the file of proofs that lies there and is another game's,
    `unread` what is wrong with the form of one, which is left out then."""

    rules: t.Module
    proofs: t.Module | None
    aside: t.Module | None = None
    unread: tuple[Diagnostic, ...] = ()


def joined(main: t.Module, faults: list[Diagnostic]) -> Joined:
    """The rules file and its file of proofs, whichever of the two was opened. Raises RulesError for faults of
    syntax in the rules file that a file of proofs is about."""
    unread: tuple[Diagnostic, ...] = ()
    aside: t.Module | None = None
    rules: t.Module | None
    proves = _proves(main)
    if proves is None:
        beside = Path(main.file).parent / PROOFS
        try:
            found = parse(text_of(beside), str(beside)) if beside.is_file() else None
        except RulesError as error:
            found, unread = None, error.diagnostics
        other = None if found is None else _proves(found)
        mine = other is not None and _meant(other).resolve() == Path(main.file).resolve()
        rules, proofs = main, found if mine else None
        aside = None if mine else found
    else:
        rules, proofs = _rules(proves, faults), main
    for d in proofs.declarations if proofs else ():
        if not isinstance(d, HOLDS) or (isinstance(d, t.Option) and d.kind != "option"):
            message = "a file of proofs cannot hold this: it says how the game is played"
            faults.append(Diagnostic("E0321", d.span, message))
    return Joined(rules or main, proofs, aside, unread)


def _proves(module: t.Module) -> t.Proves | None:
    return next((d for d in module.declarations if isinstance(d, t.Proves)), None)


def _meant(d: t.Proves) -> Path:
    return Path(d.span.file).parent / d.file


def _rules(d: t.Proves, faults: list[Diagnostic]) -> t.Module | None:
    """The rules file that is meant."""
    path = _meant(d)
    if path.name != d.file:
        faults.append(Diagnostic("E0320", d.span, "the rules file lies beside its file of proofs"))
        return None
    try:
        return parse(text_of(path), str(path))
    except OSError as error:
        faults.append(Diagnostic("E0320", d.span, f'"{d.file}" cannot be read: {error.strerror}'))
    return None


def of_the_game_itself(
    declarations: Iterable[t.Declaration], proofs: t.Module | None
) -> Iterator[t.Declaration]:
    """The declarations of the rules file; where an option of the file of proofs is not as by default, its
    checks and examples do not count."""
    options = [d for d in proofs.declarations if isinstance(d, t.Option)] if proofs else []
    tests = tuple(_by_default(d) for d in options)
    if not tests:
        yield from declarations
        return
    test = tests[0] if len(tests) == 1 else t.Logic("and", tests, span=options[0].span)
    for d in declarations:
        yield where(test, d) if isinstance(d, t.Check | t.Example) else d


def _by_default(option: t.Option) -> t.Expr:
    name = t.Name(option.name, span=option.span)
    default = option.default
    if isinstance(default, bool):
        return name if default else t.Unary("not", name, span=option.span)
    if isinstance(default, int):
        default = t.Number(default, span=option.span)
    elif isinstance(default, str):
        default = t.Name(default, span=option.span)
    return t.Compare(name, (("==", default),), span=option.span)


def where(test: t.Expr, d: t.Check | t.Example | t.Property) -> t.Declaration:
    """A claim or an example that counts only where the test holds."""
    if isinstance(d, t.Check):
        return replace(d, condition=t.Binary("implies", test, d.condition, span=d.condition.span))
    both = test if d.condition is None else t.Logic("and", (test, d.condition), span=d.condition.span)
    return replace(d, condition=both)
