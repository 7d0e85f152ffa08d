"""Little games as rules files."""

from __future__ import annotations

from tests.oracles.little import BAG, LIST, MAP, PLACES, RECORD, Action, Claim, Expr, Little

FILE = "little.kemu"
TYPES = {
    "s": ("set[Place]", ""),
    "o": ("Place?", ""),
    "m": (f"map[Place, 0..{MAP}]", ""),
    "l": (f"list[0..{LIST[0]}, {LIST[1]}]", ""),
    "b": (f"bag[Place, {BAG}]", f"{{{', '.join(f'{i}: 1' for i in range(PLACES))}}}"),
    "r": ("Pair", "Pair(0, false)"),
}
PLAYERS = ("ann", "bob", "eve")
Line = tuple[str, tuple[int, int] | None]  # and which statement stands there


def rules(game: Little) -> str:
    """The game as a rules file."""
    return "".join(f"{line}\n" for line, _ in _written(game))


def lines(game: Little) -> dict[int, tuple[int, int]]:
    """In which lines which statements of the game itself stand: all but an `if`."""
    return {at: here for at, (_, here) in enumerate(_written(game), 1) if here is not None}


def _written(game: Little) -> list[Line]:
    head = ['game "Little"', f"players {', '.join(game.players)}", f"domain Place = 0..{PLACES - 1}"]
    head += [f"record Pair(n: 0..{RECORD}, t: bool)", "state:"]
    kinds = {name: (f"{low}..{high}", str(at)) for name, (low, high, at) in game.ranges.items()} | {
        name: TYPES[name] for name in ("s", *game.has)
    }
    head += [f"    {_variable(game, name, *kind)}" for name, kind in kinds.items()]
    low, high, at = game.own
    head += ["    each p in Player:", f"        {_variable(game, 'own', f'{low}..{high}', str(at))}"]
    head += ["rule bump():", *(line for line, _ in _code(game.bump, 4))]
    written: list[Line] = [(line, None) for line in [*head, "rules:", *_deals(game)]]
    written += [("    for p in turns():", None), *_menu(game.actions, 8, sealed=game.sealed)]
    written += [(f"        {line}", None) for line in _chance(game)]
    written += _code(game.after, 8) if game.after else []
    ending = f"            end {'tie' if game.tie else 'win(p)'}"
    written += [(f"        if {text(game.over)}:", None), (ending, None)]
    tail: list[Line] = []
    if game.winding is not None:
        tail = [("rule wind():", None), (f"    while {text(game.winding.test)}:", None)]
        tail += _menu(game.winding.arms, 8, " by ann")
        tail += [
            (f"property {claim.name}: from any if {text(claim.e)}: run wind() {claim.form}", None)
            for claim in game.winding.claims
        ]
    tail += [(_claim(claim), None) for claim in game.claims]
    return written + [(line, None) for line, _ in tail]


def _variable(game: Little, name: str, kind: str, begin: str) -> str:
    match game.secrets.get(name):
        case None:
            seen = ""
        case ("hidden",):
            seen = " hidden"
        case ("to", who):
            seen = f" secret to {PLAYERS[who]}"
        case ("others", who):
            seen = f" secret to others({PLAYERS[who]})"
        case (whose,):
            seen = " secret to p" if whose == "own" else " secret to others(p)"
    return f"{name}: {kind}{seen}" + (f" = {begin}" if begin else "")


def _deals(game: Little) -> list[str]:
    found = []
    for name in game.dealt:
        low, high, _ = game.own if name == "own" else game.ranges[name]
        if name == "own":
            found += ["    for p in Player:", f"        own[p] = roll {low}..{high}"]
        else:
            found.append(f"    {name} = roll {low}..{high}")
    return found


def _chance(game: Little) -> list[str]:
    match game.chance:
        case ("roll", sides):
            return [f"d = roll 1..{sides}"]
        case ("draw",):
            return ["o = draw from b"]
        case ("reveal", what, to):
            named = "" if what == ("o",) else "d = "
            return [f"{named}reveal {text(what)}" + ("" if to is None else f" to {PLAYERS[to]}")]
    return []


def _claim(claim: Claim) -> str:
    sort, form = "lemma" if claim.lemma else "property", claim.form
    if form == "terminates":
        form = "terminates by"
    bound = f" {claim.bound}" if form in ("at most", "at least") else ""
    at = f"at {claim.at} " if claim.at else ""
    return f"{sort} {claim.name}: {at}{form}{bound} {text(claim.e)}"


def _menu(actions: tuple[Action, ...], by: int, who: str = "", sealed: bool = False) -> list[Line]:
    found: list[Line] = [(f"{' ' * by}{'sealed ' if sealed else ''}choose{who}:", None)]
    for action in actions:
        head = f"{action.name}({action.param} in Place)" if action.param else action.name
        found += [(f"{' ' * by}    {head} if {text(action.guard)}:", None), *_code(action.code, by + 8)]
        if action.require is not None:
            found.append((f"{' ' * by}        require {text(action.require)}", None))
        found += _menu(action.then, by + 8, " by p") if action.then else []
    return found


def _code(code: tuple[Expr, ...], by: int, begin: int = 0) -> list[Line]:
    found: list[Line] = []
    for at in range(begin, len(code)):
        match code[at]:
            case ("if", test, *_):
                found += [(f"{' ' * by}if {text(test)}:", None), *_code(code[at], by + 4, 2)]
            case statement:
                found.append((" " * by + _statement(statement), (id(code), at)))
    return found or [(" " * by + "pass", None)]


def _statement(statement: Expr) -> str:
    match statement:
        case ("set", name, e):
            return f"{name} = {text(e)}"
        case ("set own", e):
            return f"own[p] = {text(e)}"
        case ("put", e):
            return f"s |= {{{text(e)}}}"
        case ("take", e):
            return f"s = s - {{{text(e)}}}"
        case ("set o", e):
            return f"o = {'none' if e is None else text(e)}"
        case ("set m", at, e):
            return f"m[{text(at)}] = {text(e)}"
        case ("append", e):
            return f"l += [{text(e)}]"
        case ("clear",):
            return "l = []"
        case ("more", at):
            return f"b[{text(at)}] += 1"
        case ("less", at):
            return f"move {text(at)} from b to box"
        case ("set r.n", e):
            return f"r.n = {text(e)}"
        case ("set r.t", e):
            return f"r.t = {text(e)}"
        case ("set r", e, t):
            return f"r = Pair({text(e)}, {text(t)})"
    raise AssertionError(statement)


def text(e: Expr) -> str:
    """An expression as rules write it."""
    match e:
        case ("number" | "name", it):
            return str(it)
        case ("own",):
            return "own[p]"
        case ("own of", p):
            return f"own[{PLAYERS[p]}]"
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
