"""Whether the proof conditions of a bundle make up a proof: none is missing, each asks what it says it shows,
and what is assumed in one is what is shown in another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from kemu_engine.kernel import nodes as k

from kemu.recheck.flow import Edge, components, ways
from kemu.recheck.manifest import Condition
from kemu.recheck.plays import Wrong
from kemu.recheck.smtlib import File, asserted, excluded, primed, symbols

LASTING = ("known at ", "bad for ", "measure ")
"""How the parts begin that speak of states, not of steps: they say nothing about what is hidden."""
DEFINED = re.compile(r"\(define-fun (\|(?:k(\d+)#\d+'?|m(\d+)'?|(bad|taken))\|) ")
"""The symbols that questions are about."""
MADE = re.compile(r"\(define-fun (\|[^|]*\|) ")
HOMES = {"bad": "bad for ", "taken": "step from "}


@dataclass(slots=True)
class Proof:
    """The conditions of one section. `partial`: some variables are hidden. `parts`: title to lines, the same
    in every file that has it."""

    program: k.Program
    symbols: Mapping[str, Mapping[str, Any]]
    conditions: Mapping[str, Condition]
    files: Mapping[str, File]
    partial: bool
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, file in self.files.items():
            for title, lines in file.parts:
                if title not in ("declarations", "types", "equations", "question"):
                    self._same(name, title, lines)
        for title in self.parts:
            if title.startswith(LASTING) and " in a step from " not in title and self.loose(title):
                raise Wrong(f"the part {title!r} rests on something that the section does not look at")

    def _same(self, name: str, title: str, lines: tuple[str, ...]) -> None:
        if self.parts.setdefault(title, lines) != lines:
            raise Wrong(f"{name} has another text for the part {title!r} than other conditions")
        plain = title.removesuffix(", after")
        if title != plain and plain in self.parts and tuple(map(primed, self.parts[plain])) != lines:
            raise Wrong(
                f"{name} says something else of the state after a step than of the one before: {plain}"
            )
        later = self.parts.get(f"{title}, after")
        if later is not None and tuple(map(primed, lines)) != later:
            raise Wrong(
                f"{name} says something else of the state before a step than of the one after: {title}"
            )

    def loose(self, title: str) -> bool:
        """Whether a part, or a sum in it, speaks of what is hidden."""
        spoken = set().union(*(symbols_in(self.parts[each]) for each in (title, *self.sums(title))))
        return any("unknown" in self.symbols.get(symbol, {}) for symbol in spoken)

    def sums(self, title: str) -> list[str]:
        """The parts on the sums in a part, the inner ones first."""
        found, waiting = set[str](), [title]
        while waiting:
            inside = {symbol.strip("|") for symbol in symbols_in(self.parts[waiting.pop()])}
            new = {each for each in inside if each.startswith("sum ") and each in self.parts} - found
            found |= new
            waiting += new
        return sorted(found - {title}, key=lambda each: int(each.split()[1]))

    def given(self, block: int) -> int:
        """How many invariants of a stop, the first ones, are shown in other sections. Raises Wrong."""
        roles = [c.role for c in self.conditions.values() if c.role.get("shows") == "carried"]
        found = sorted(role["clause"] for role in roles if role["stop"] == block)
        if found != list(range(len(found))):
            raise Wrong(
                f"the invariants at {self.stop(block)} that are shown elsewhere are not the first ones"
            )
        return len(found)

    # ------------------------------------------------------------------------------------------ whole proofs

    def invariants(self) -> None:
        """The invariants hold from the opening on. Raises Wrong."""
        shown: dict[Edge, list[tuple[int, int]]] = {}
        typed: dict[Edge, set[tuple[int, int]]] = {}
        never: set[Edge] = set()
        for condition in self.conditions.values():
            role = condition.role
            match role.get("shows"):
                case "keeps":
                    shown.setdefault(edge_of(role), []).append((role["first"], role["last"]))
                case "types":
                    typed.setdefault(edge_of(role), set()).add((role["part"], role["of"]))
                case "never":
                    never.add(edge_of(role))
        for edge in sorted(ways(self.program) - never):
            words = f"from {self.stop(edge[0])}, arm {edge[1]}, to {self.stop(edge[2])}"
            count, at = len(self.clauses(edge[2])), self.given(edge[2])
            for first, last in sorted(shown.get(edge, [])):
                at = last if first == at else at
            if at < count:
                raise Wrong(f"no condition says that the step {words} keeps the invariants")
            found = typed.get(edge, set())
            if not found or found != {(part, len(found)) for part in range(len(found))}:
                raise Wrong(f"no condition says that the step {words} keeps the types")

    def excluded(self, verdict: str, names: Iterable[str], stops: Iterable[int], shows: str) -> None:
        """These conditions exclude what is bad for a verdict at all these stops. Raises Wrong."""
        roles = [self.condition(name).role for name in names]
        found = {role["stop"] for role in roles if role.get("shows") == shows and role["verdict"] == verdict}
        for stop in sorted(set(stops) - found):
            raise Wrong(f"no condition covers {self.stop(stop)}")

    def ranking(self, names: Iterable[str]) -> None:
        """The measures make every play end. Raises Wrong."""
        self._bounded_below()
        falls: dict[tuple[Edge, int], int] = {}
        for name in names:
            role = self.condition(name).role
            if role.get("shows") != "falls":
                raise Wrong(f"{name} says nothing about a measure")
            key = (edge_of(role), role["measure"])
            falls[key] = max(role["by"], falls.get(key, 0))
        never = {edge_of(c.role) for c in self.conditions.values() if c.role.get("shows") == "never"}
        remaining = {edge for edge in ways(self.program) - never if edge[0] >= 0}
        measures = sorted({measure for _, measure in falls})
        while remaining := set().union(*components(remaining)):
            lowered: set[Edge] = set()
            for part in components(remaining):
                for measure in measures:
                    down = {edge for edge in part if falls.get((edge, measure), 0) > 0}
                    if down and all((edge, measure) in falls for edge in part):
                        lowered |= down
                        break
            if not lowered:
                source = self.stop(min(remaining)[0])
                raise Wrong(f"no measure is said to fall on every cycle through {source}")
            remaining -= lowered

    def _bounded_below(self) -> None:
        """Measures are made of what has a least value: variables and locals, which keep to their types, and
        sums of them; not the number of decisions, nor what the symbols do not name. Raises Wrong."""
        for title in self.parts:
            if title.startswith("measure ") and not title.endswith(", after"):
                sums = self.sums(title)
                lines = [line for each in (title, *sums) for line in self.parts[each]]
                made = {match.group(1) for match in map(MADE.match, lines) if match}
                for symbol in sorted(symbols_in(lines) - made - {f"|{each}|" for each in sums}):
                    meaning = self.symbols.get(symbol, {})
                    if "var" not in meaning and "local" not in meaning:
                        raise Wrong(f"nothing bounds the {title} from below: it rests on {symbol}")

    # ------------------------------------------------------------------------------------------ single files

    def condition(self, name: str) -> Condition:
        if name not in self.conditions:
            raise Wrong(f"the condition {name} is missing")
        return self.conditions[name]

    def asks(self, name: str) -> None:
        """The condition asks what its role says, and assumes only what may be assumed. Raises Wrong."""
        condition, file = self.condition(name), self.files[name]
        role = condition.role
        question = file.part("question")
        shows = role.get("shows")
        if shows in ("keeps", "types", "falls"):
            source, arm, target = edge_of(role)
            self._has(name, file, f"step from {self.way(source, arm)} to {self.stop(target)}, for ")
            start = [*self._assumed(source), "(assert |taken|)"]
            if shows == "keeps":
                clauses = [primed(symbol) for symbol in self.clauses(target)]
                first, last = role["first"], role["last"]
                granted = [f"(assert {clause})" for clause in clauses[:first]]
                wanted = [*start, *granted, f"(assert (not {both(clauses[first:last])}))"]
            elif shows == "falls":
                value = f"|m{role['measure']}"
                wanted = [*start, f"(assert (not (<= (+ {value}'| {role['by']}) {value}|)))"]
            else:
                self._typed(name, file, question)
                start = start if question[:-1] == tuple(start) else ["(assert |taken|)"]
                wanted = [*start, *question[len(start) :]]
                if len(question) != len(start) + 1 or not question[-1].startswith("(assert (not "):
                    raise Wrong(f"{name} does not ask what it says it shows")
            self._is(name, question, wanted)
        elif shows in ("excludes", "avoids"):
            where = (
                f"at {self.stop(role['stop'])}"
                if shows == "excludes"
                else f"in a step from {self.stop(role['stop'])}"
            )
            self._has(name, file, f"bad for {role['verdict']} {where}", whole=True)
            if "faults" in role and role["verdict"] != about_faults(role["faults"]):
                raise Wrong(f"{name} is about other faults than it says")
            self._is(name, question, [*self._assumed(role["stop"]), "(assert |bad|)"])
        elif shows == "carried":
            self._has(name, file, f"bad for {role['verdict']} at {self.stop(role['stop'])}", whole=True)
            clause = self.clauses(role["stop"])[role["clause"]]
            self._is(name, question, [f"(assert (not {clause}))", "(assert (not |bad|))"])
        elif shows in ("changes", "identity"):
            self._lemmas(name, file, question, shows == "changes" and role["part"] == "lemmas")
        elif shows == "some":
            if len(question) != 1 or not re.fullmatch(r"\(assert \(not \|some \d+\|\)\)", question[0]):
                raise Wrong(f"{name} does not ask what it says it shows")
        elif shows == "sum":
            if not re.fullmatch(r"\(assert \(not \(and \(<= [^|]* \|sum \d+\|\).*\)\)\)", question[-1]):
                raise Wrong(f"{name} does not ask what it says it shows")
        elif shows != "never":
            raise Wrong(f"{name} claims to show something unknown")
        self._own(name, file)
        self._equations(name, file)
        self._types(name, file)

    def _typed(self, name: str, file: File, question: tuple[str, ...]) -> None:
        """The condition asks for all that types say of the variables that its step speaks of."""
        asked = (
            set(conjuncts(question[-1].removeprefix("(assert (not ").removesuffix("))")))
            if question
            else set()
        )
        together = {frozenset(symbols(text)) for text in asked if text.startswith("(or ")}
        apart = {frozenset(pair) for text in asked for pair in product(*excluded(text))}
        step = "\n".join(
            line for title, lines in file.parts if title.startswith("step from ") for line in lines
        )
        groups: dict[object, list[str]] = {}
        for symbol, meaning in self.symbols.items():
            if meaning.get("is") == "value":
                groups.setdefault(place(meaning), []).append(primed(symbol))
            elif meaning.get("is") == "int" and f"(define-fun {primed(symbol)} " in step:
                low, high = self._bounds(symbol) or (0, 0)
                later = primed(symbol)
                if not {f"(<= {number(low)} {later})", f"(<= {later} {number(high)})"} <= asked:
                    raise Wrong(f"{name} does not ask whether {symbol} keeps to its bounds")
        for group in groups.values():
            if len(group) > 1 and f"(define-fun {group[0]} " in step:
                pairs = {frozenset(pair) for pair in combinations(group, 2)}
                if frozenset(group) not in together or not pairs <= apart:
                    raise Wrong(f"{name} does not ask whether {group[0]} and its like exclude each other")

    def _lemmas(self, name: str, file: File, question: tuple[str, ...], step: bool) -> None:
        """The first of two files asks whether the lemmas hold, the second assumes the same lemmas."""
        lemmas = [
            line.split(" () ")[0].removeprefix("(define-fun ")
            for _, lines in file.parts
            for line in lines
            if line.startswith("(define-fun |lemma ")
        ]
        if self.condition(name).role["part"] == "lemmas":
            taken = ["(assert |taken|)"] if step else []
            self._is(name, question, [*taken, f"(assert (not {both(lemmas)}))"])
            return
        first = name.removesuffix("-adding") + "-lemmas"
        if first not in self.files:
            raise Wrong(f"the condition {first} is missing")
        here = [line for _, lines in file.parts for line in lines if line.startswith("(define-fun |lemma ")]
        there = [
            line
            for _, lines in self.files[first].parts
            for line in lines
            if line.startswith("(define-fun |lemma ")
        ]
        self._is(name, tuple(here), there)
        self._is(name, question[:-1], [f"(assert {lemma})" for lemma in lemmas])

    def _is(self, name: str, found: Iterable[str], wanted: Iterable[str]) -> None:
        if list(found) != list(wanted):
            raise Wrong(f"{name} does not ask what it says it shows")

    def _has(self, name: str, file: File, title: str, whole: bool = False) -> None:
        if not any(each == title if whole else each.startswith(title) for each, _ in file.parts):
            raise Wrong(f"{name} has no part {title!r}")

    def _own(self, name: str, file: File) -> None:
        """What is asked about is defined under its own title, and choices are those of the stop itself."""
        role = self.condition(name).role
        here = role.get("source", role.get("stop"))
        for title, lines in file.parts:
            if title.startswith("choice at ") and (here is None or title != f"choice at {self.stop(here)}"):
                raise Wrong(f"{name} assumes something of the {title}")
            for line in lines:
                defined = DEFINED.match(line)
                if defined is not None and not self._home(defined, title, role):
                    raise Wrong(f"{name} defines {defined.group(1)} under {title!r}")

    def _home(self, defined: re.Match[str], title: str, role: Mapping[str, Any]) -> bool:
        """Whether that is the title under which a symbol belongs."""
        symbol, known, measure, other = defined.groups()
        after = ", after" if symbol.endswith("'|") else ""
        if known is not None:
            return title == f"known at {self.stop(int(known))}{after}"
        if measure is not None:
            at = role.get("target" if after else "source")
            return at is not None and title == f"measure {measure} at {self.stop(at)}{after}"
        return title.startswith(HOMES[other])

    def _assumed(self, block: int) -> list[str]:
        return [f"(assert {clause})" for clause in self.clauses(block)]

    def _equations(self, name: str, file: File) -> None:
        """Equations between sums are assumed only where another condition shows them."""
        found = list(asserted(file.part("equations")))
        if not found:
            return
        role, granted = self.condition(name).role, set[str]()
        for other, condition in self.conditions.items():
            goals = self._goals(other)
            if condition.role.get("shows") == "changes" and "source" in role:
                granted |= goals if edge_of(condition.role) == edge_of(role) else set()
            elif condition.role.get("shows") in ("identity", "some"):
                granted |= goals | set(map(primed, goals))
        for equation in found:
            if equation not in granted:
                raise Wrong(f"{name} assumes something of sums that no condition shows")

    def _goals(self, name: str) -> set[str]:
        """What a condition on sums shows."""
        question = self.files[name].part("question")
        goal = question[-1].removeprefix("(assert (not ").removesuffix("))") if question else ""
        return set(conjuncts(goal))

    def _types(self, name: str, file: File) -> None:
        """What is assumed of types are their bounds, or that of several values there is just one."""
        values: dict[str, tuple[object, ...]] = {}
        for symbol, meaning in self.symbols.items():
            if meaning.get("is") == "value":
                values[symbol] = place(meaning)
        groups: dict[tuple[object, ...], list[str]] = {}
        for symbol, spot in values.items():
            groups.setdefault(spot, []).append(symbol)
        for text in asserted(file.part("types")):
            inside, (some, others) = symbols(text), excluded(text)
            places = {values.get(symbol) for symbol in inside}
            if some and not set(some) & set(others) and len(places) == 1 and None not in places:
                continue
            if text.startswith("(or |") and places and None not in places and len(places) == 1:
                if set(inside) == set(groups[values[inside[0]]]):
                    continue
            elif self._bound(text):
                continue
            raise Wrong(f"{name} assumes something false of types: {text[:80]}")

    def _bound(self, text: str) -> bool:
        """Whether the text is a bound that the type of a number, or the items of a sum, give it."""
        low = re.fullmatch(r"\(<= (\d+|\(- \d+\)) (\|[^|]*\|)\)", text)
        high = re.fullmatch(r"\(<= (\|[^|]*\|) (\d+|\(- \d+\))\)", text)
        if low is None and high is None:
            return False
        symbol = low.group(2) if low is not None else high.group(1) if high is not None else ""
        value = low.group(1) if low is not None else high.group(2) if high is not None else ""
        bounds = self._bounds(symbol.replace("'|", "|"))
        if bounds is None:
            return False
        number = -int(value[3:-1]) if value.startswith("(") else int(value)
        return number <= bounds[0] if low is not None else number >= bounds[1]

    def _bounds(self, symbol: str) -> tuple[int, int] | None:
        meaning = self.symbols.get(symbol)
        if meaning is not None:
            if "clock" in meaning:
                return 0, 1 << 62
            if "unknown" in meaning:
                if meaning["is"] == "int" and meaning["low"] > meaning["high"]:
                    raise Wrong(f"{symbol} has no value")
                return (meaning["low"], meaning["high"]) if meaning["is"] == "int" else None
            local = "local" in meaning
            type_ = (
                self.program.locals[meaning["local"]].type
                if local
                else self.program.vars[meaning["var"]].type
            )
            return (type_.low, type_.high) if isinstance(type_, k.Int) else None
        lines = self.parts.get(symbol.strip("|"), ())
        items = re.findall(r" (\d+|\(- \d+\)) 0\)", lines[-1]) if lines else []
        coefs = [-int(item[3:-1]) if item.startswith("(") else int(item) for item in items]
        return (sum(min(c, 0) for c in coefs), sum(max(c, 0) for c in coefs)) if coefs else None

    # ------------------------------------------------------------------------------------------ names

    def stop(self, block: int) -> str:
        return "the opening" if block < 0 else self.program.blocks[block].name

    def way(self, source: int, arm: int) -> str:
        return self.stop(source) + (f", arm {arm}" if arm >= 0 else "")

    def clauses(self, block: int) -> list[str]:
        """The symbols of the invariants of a stop."""
        title = f"known at {self.stop(block)}"
        lines = self.parts.get(title)
        if lines is None:
            later = self.parts.get(f"{title}, after", ())
            lines = tuple(re.sub(r"\|([^|]*)'\|", r"|\1|", line) for line in later)
        return [found.group(1) for line in lines if (found := re.match(r"\(define-fun (\|k\d+#\d+\|)", line))]


def symbols_in(lines: Iterable[str]) -> set[str]:
    return {found for line in lines for found in symbols(line)}


def about_faults(codes: Iterable[int]) -> str:
    """What conditions call the question whether a step meets one of these faults."""
    return f"faults {', '.join(map(str, codes))}"


def place(meaning: Mapping[str, Any]) -> tuple[Any, ...]:
    """The variable, or element of one, that a symbol speaks of."""
    return tuple(meaning.get(key) for key in ("var", "element", "local"))


def number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def edge_of(role: Mapping[str, Any]) -> Edge:
    return role["source"], role["arm"], role["target"]


def both(parts: list[str]) -> str:
    return f"(and {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "true"


def conjuncts(text: str) -> list[str]:
    """The parts of a conjunction, as texts."""
    if not text.startswith("(and "):
        return [text]
    found, level, start = [], 0, 5
    inside = False
    for at in range(5, len(text) - 1):
        sign = text[at]
        inside ^= sign == "|"
        if inside:
            continue
        level += (sign == "(") - (sign == ")")
        if level == 0 and sign in ")| " and text[start : at + 1].strip():
            if sign != " ":
                found.append(text[start : at + 1].strip())
            start = at + 1
    return found
