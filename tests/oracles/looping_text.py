"""Little games with loops as rules files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.oracles.looping import Code, Expr, Looping


def rules(game: Looping) -> str:
    """The game as a rules file."""
    lines = ['game "Looping"', "players ann, bob", f"domain Place = 0..{game.places - 1}", "state:"]
    lines += [f"    {name}: {low}..{high} = {at}" for name, (low, high, at) in game.ranges.items()]
    lines += [f"    m: map[Place, 0..{game.most}]", "    s: set[Place]"]
    for name, body in game.funs.items():
        lines += [f"fun {name}():", *_code(body, 4, game, "ann")]
    for name, body in game.rules.items():
        lines += [f"rule {name}():", *_code(body, 4, game, "ann")]
    lines += ["rules:", *(_code(game.begin, 4, game, "ann") if game.begin else ())]
    lines += ["    for p in turns():", *_code(game.turn, 8, game, "p")]
    for claim in game.claims:
        form = {"terminates": "terminates by"}.get(claim.form, claim.form)
        bound = f" {claim.bound}" if form in ("at most", "at least") else ""
        at, sort = f"at {claim.at} " if claim.at else "", "lemma" if claim.lemma else "property"
        lines.append(f"{sort} {claim.name}: {at}{form}{bound} {text(claim.e)}")
    for claim in game.alone:
        lines.append(f"property {claim.name}: from any if {text(claim.e)}: run {claim.at}() {claim.form}")
    return "".join(f"{line}\n" for line in lines)


def _code(code: Code, by: int, game: Looping, who: str) -> Iterator[str]:
    pad = " " * by
    inner: Callable[[Code], Iterator[str]] = lambda body: _code(body, by + 4, game, who)  # noqa: E731
    for statement in code or (("pass",),):
        match statement:
            case ("if", test, then, other):
                yield f"{pad}if {text(test)}:"
                yield from inner(then)
                if other:
                    yield f"{pad}else:"
                    yield from inner(other)
            case ("for", name, over, cond, body):
                told = {"places": "Place", "s": "s"}.get(over[0]) or f"{over[1]}..{text(over[2])}"
                yield f"{pad}for {name} in {told}{'' if cond is None else f' if {text(cond)}'}:"
                yield from inner(body)
            case ("while", test, body):
                yield f"{pad}while {text(test)}:"
                yield from inner(body)
            case ("repeat", n, body):
                yield f"{pad}repeat at most {n}:"
                yield from inner(body)
            case ("choose", arms, other):
                yield f"{pad}choose by {who}:"
                for arm in arms:
                    head = f"{arm.name}({arm.param} in Place)" if arm.param else arm.name
                    yield f"{pad}    {head} if {text(arm.guard)}:"
                    yield from _code(arm.before, by + 8, game, who) if arm.before else ()
                    if arm.require is not None:
                        yield f"{pad}        require {text(arm.require)}"
                    yield from _code(arm.code, by + 8, game, who)
                if other is not None:
                    yield f"{pad}else:"
                    yield from inner(other)
            case _:
                yield pad + _short(statement, game)


def _short(statement: Expr, game: Looping) -> str:
    match statement:
        case ("set", name, e):
            return f"{name} = {text(e)}"
        case ("local", name, e):
            low, high = game.bounds[name]
            return f"{name}: {low}..{high} = {text(e)}"
        case ("set m", at, e):
            return f"m[{text(at)}] = {text(e)}"
        case ("put", e):
            return f"s |= {{{text(e)}}}"
        case ("take", e):
            return f"s = s - {{{text(e)}}}"
        case ("call", name):
            return f"{name}()"
        case ("give", e):
            return f"return {text(e)}"
        case ("assert", name, e):
            return f"assert {name}: {text(e)}"
        case ("roll", name, sides):
            return f"{name} = roll 1..{sides}"
        case ("end", how):
            return f"end {how}"
        case (word,):
            return word
    raise AssertionError(statement)


def text(e: Expr) -> str:
    """An expression as rules write it."""
    match e:
        case ("n" | "v", it):
            return str(it)
        case ("m", at):
            return f"m[{text(at)}]"
        case ("len s",):
            return "len(s)"
        case ("sum m",):
            return "sum(m[y] for y in Place)"
        case ("most m",):
            return "max(m[y] for y in Place)"
        case ("any m", n):
            return f"any(m[y] > {n} for y in Place)"
        case ("in s", a):
            return f"({text(a)} in s)"
        case ("not", a):
            return f"(not {text(a)})"
        case ("fun", name):
            return f"{name}()"
        case ("after", name, a):
            return f"({text(a)} after {name}())"
        case (sign, a, b):
            return f"({text(a)} {sign} {text(b)})"
    raise AssertionError(e)
