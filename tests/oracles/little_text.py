"""Little games as rules files."""

from __future__ import annotations

from tests.oracles.little import BAG, DRAW, LIST, MAP, PLACES, RECORD, Action, Claim, Expr, Little

VARIABLES = {
    "o": "o: Place?",
    "m": f"m: map[Place, 0..{MAP} = 0]",
    "l": f"l: list[0..{LIST[0]}, {LIST[1]}]",
    "b": f"b: bag[Place, {BAG}] = {{{', '.join(f'{i}: 1' for i in range(PLACES))}}}",
    "r": "r: Pair = Pair(0, false)",
}


def rules(game: Little) -> str:
    """The game as a rules file."""
    lines = ['game "Little"', f"players {', '.join(game.players)}", f"domain Place = 0..{PLACES - 1}"]
    lines += [f"record Pair(n: 0..{RECORD}, t: bool)", "state:"]
    lines += [f"    {name}: {low}..{high} = {at}" for name, (low, high, at) in game.ranges.items()]
    low, high, at = game.own
    lines += [f"    own: map[Player, {low}..{high} = {at}]", "    s: set[Place]"]
    lines += [f"    {VARIABLES[name]}" for name in game.has]
    lines += ["rule bump():", *_code(game.bump, 4)]
    lines += ["rules:", "    for p in turns():", *_menu(game.actions, 8)]
    if game.dice:
        lines.append("        o = draw from b" if game.dice == DRAW else f"        d = roll 1..{game.dice}")
    lines += _code(game.after, 8) if game.after else []
    lines += [f"        if {text(game.over)}:", f"            end {'tie' if game.tie else 'win(p)'}"]
    if game.winding is not None:
        lines += [
            "rule wind():",
            f"    while {text(game.winding.test)}:",
            *_menu(game.winding.arms, 8, " by ann"),
        ]
        lines += [
            f"property {claim.name}: from any if {text(claim.e)}: run wind() {claim.form}"
            for claim in game.winding.claims
        ]
    return "\n".join(lines + [_claim(claim) for claim in game.claims]) + "\n"


def _claim(claim: Claim) -> str:
    sort, form = "lemma" if claim.lemma else "property", claim.form
    if form == "terminates":
        form = "terminates by"
    bound = f" {claim.bound}" if form in ("at most", "at least") else ""
    return f"{sort} {claim.name}: {form}{bound} {text(claim.e)}"


def _menu(actions: tuple[Action, ...], by: int, who: str = "") -> list[str]:
    lines = [" " * by + f"choose{who}:"]
    for action in actions:
        head = f"{action.name}({action.param} in Place)" if action.param else action.name
        lines += [f"{' ' * by}    {head} if {text(action.guard)}:", *_code(action.code, by + 8)]
        if action.require is not None:
            lines.append(f"{' ' * by}        require {text(action.require)}")
        lines += _menu(action.then, by + 8, " by p") if action.then else []
    return lines


def _code(code: tuple[Expr, ...], by: int) -> list[str]:
    found = []
    for statement in code:
        match statement:
            case ("set", name, e):
                found.append(f"{name} = {text(e)}")
            case ("set own", e):
                found.append(f"own[p] = {text(e)}")
            case ("put", e):
                found.append(f"s |= {{{text(e)}}}")
            case ("take", e):
                found.append(f"s = s - {{{text(e)}}}")
            case ("if", test, *then):
                found += [f"if {text(test)}:", *_code(tuple(then), 4)]
            case ("set o", e):
                found.append(f"o = {'none' if e is None else text(e)}")
            case ("set m", at, e):
                found.append(f"m[{text(at)}] = {text(e)}")
            case ("append", e):
                found.append(f"l += [{text(e)}]")
            case ("clear",):
                found.append("l = []")
            case ("more", at):
                found.append(f"b[{text(at)}] += 1")
            case ("less", at):
                found.append(f"move {text(at)} from b to box")
            case ("set r.n", e):
                found.append(f"r.n = {text(e)}")
            case ("set r.t", e):
                found.append(f"r.t = {text(e)}")
            case ("set r", e, t):
                found.append(f"r = Pair({text(e)}, {text(t)})")
            case _:
                raise AssertionError(statement)
    return [" " * by + line for line in found] or [" " * by + "pass"]


def text(e: Expr) -> str:
    """An expression as rules write it."""
    match e:
        case ("number" | "name", it):
            return str(it)
        case ("own",):
            return "own[p]"
        case ("own of", p):
            return f"own[{('ann', 'bob', 'eve')[p]}]"
        case ("size",):
            return "len(s)"
        case ("in", a):
            return f"({text(a)} in s)"
        case ("not", a):
            return f"(not {text(a)})"
        case ("some",):
            return "(o is some)"
        case ("o is", n):
            return f"(o == {n})"
        case ("in l", n):
            return f"({n} in l)"
        case ("m" | "b" as name, at):
            return f"{name}[{text(at)}]"
        case ("l", n):
            return f"l[{n}]"
        case ("len l" | "len b" as name,):
            return f"len({name[-1]})"
        case ("o" | "r.n" | "r.t" as name,):
            return name
        case ("can", name):
            return f"(can {name} by p)"
        case ("after", a):
            return f"({text(a)} after bump())"
        case (sign, a, b):
            return f"({text(a)} {sign} {text(b)})"
    raise AssertionError(e)
