"""What every generated module begins with: masks, faults, random numbers. This is Python text, kept as such
so that a written module needs nothing of ours."""

from inspect import getsource

from kemu_engine.kernel.snapshots import Snapshots


def snapshots() -> str:
    """What a program with a history needs."""
    imports = "from collections.abc import Hashable, Iterator\nfrom typing import Any, Self\n"
    return f"{imports}\n\n{getsource(Snapshots)}\n\nEMPTY = Snapshots()\n"


MASKS = '''
@lru_cache(maxsize=1 << 16)
def elements(mask):
    """The elements of a set, ascending."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def element_table(size):
    """The elements of every set over 0..size-1."""
    return tuple(elements(mask) for mask in range(1 << size))


def masks(cells, number):
    """For every value the set of the places that hold it; those of -1 last."""
    found = [0] * number
    for place, value in enumerate(cells):
        found[value] |= 1 << place
    return found


def rows(table):
    """For every value of a table the set of the rows that have it."""
    found = {}
    for row, value in enumerate(table):
        found[value] = found.get(value, 0) | 1 << row
    return found


def chunks(table, width, number):
    """For every piece of a mask, so many bits wide, a table: which of these sets it has an element of."""
    found = []
    for piece in range(number):
        touched = [0] * (1 << width)
        for bit in range(width):
            element = piece * width + bit
            sets = sum(1 << row for row, mask in enumerate(table) if mask >> element & 1)
            for lower in range(1 << bit):
                touched[lower | 1 << bit] = touched[lower] | sets
        found.append(tuple(touched))
    return found


def nth(mask, number):
    """The element of a set with so many elements below it."""
    base = 0
    width = mask.bit_length()
    while width > 8:
        width = width + 1 >> 1
        low = mask & (1 << width) - 1
        below = low.bit_count()
        if number < below:
            mask = low
        else:
            number -= below
            mask >>= width
            base += width
    return base + BYTES[mask][number]


BYTES = element_table(8)
'''

RANDOM = '''
WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    """Scatters a 64-bit word (SplitMix64)."""
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
    return z ^ z >> 31


def absorb(h, part):
    """One more part of what tells a stream of random words from others."""
    return mix((h ^ part & WORD) + GOLDEN & WORD)


LANES = 32
EACH = sum(1 << 128 * lane for lane in range(LANES))
LOW = WORD * EACH
STEPS = sum(((lane + 1) * GOLDEN & WORD) << 128 * lane for lane in range(LANES))
LAP = (LANES * GOLDEN & WORD) * EACH


def halves(key):
    """The upper halves of a stream's random words, LANES at once: each word in the lower half of 128 bits of
    one long number."""
    counts = key * EACH + STEPS & LOW
    while True:
        z = (counts ^ counts >> 30 & LOW) * 0xBF58476D1CE4E5B9 & LOW
        z = (z ^ z >> 27 & LOW) * 0x94D049BB133111EB & LOW
        z ^= z >> 31
        yield from unpack(z.to_bytes(16 * LANES, "little"))
        counts = counts + LAP & LOW


unpack = Struct("<" + "4xI8x" * LANES).unpack


def draw_below(draw, limit):
    """A number below a limit that may be large."""
    if limit <= 1 << 32:
        while (product := draw() * limit) & 0xFFFFFFFF < (1 << 32) % limit:
            pass
        return product >> 32
    while (word := draw() << 32 | draw()) < (-limit & WORD) % limit:
        pass
    return word % limit
'''

FAULTS = '''
class Faulted(Exception):
    """The rules ran into a fault: its number in FAULTS, -1 for a run that would never stop."""

    def __init__(self, index):
        super().__init__(index)
        self.index = index


def fault(index):
    """The rules fault here."""
    raise Faulted(index)
'''

WATCH = '''
def watch(laps, kept, held):
    """Called at every lap of a run without a stop: a fault if all is as it was some laps ago."""
    here = {
        name: value[:] if type(value) is list else value
        for name, value in held.items()
        if name != "laps" and name != "kept"
    }
    if here == kept:
        fault(-1)
    return here if laps & laps - 1 == 0 else kept
'''

STOPS = '''
class Choice(NamedTuple):
    """A way on: the arm of a decision, the values of its parameters; at a chance node the outcome."""

    arm: int
    values: tuple
    weight: int = 1


class Stop(NamedTuple):
    """Where play waits: the stop (see STOPS), the variables and locals kept there, who acts (-1: nobody), and
    what can be chosen (nothing at an end)."""

    block: int
    vars: tuple
    locals: tuple
    actor: int
    choices: tuple
'''

DRIVER = '''
def start():
    """The first stop of a game."""
    return run(unpacked(INITIAL), begin)


def follow(stop, choice):
    """The stop after one of the choices at a stop."""
    s = unpacked(stop.vars)
    for name, value in zip(LIVE[stop.block], stop.locals):
        setattr(s, name, value)
    part, names = WAYS[stop.block, choice.arm]
    for name, value in zip(names, choice.values):
        setattr(s, name, value)
    return run(s, part)


def run(s, part):
    """From function to function until play stops."""
    while type(part) is not Stop:
        part = part(s)
    return part
'''

SCRIPT_IMPORTS = """import argparse
from collections import Counter
"""

SCRIPT = '''

def playouts(games, seed, longest=10_000, first=0):
    """Random games, one by one: what `play` gives for each."""
    for game in range(first, first + games):
        yield play(seed, game, longest)


def places(keys):
    """The place of every player; 1 is best, equals share the better one."""
    rows = [keys[at * WIDTH : (at + 1) * WIDTH] for at in range(len(PLAYERS))]
    return [1 + sum(other > row for other in rows) for row in rows]


def main():
    """Plays random games and says how they ended."""
    parser = argparse.ArgumentParser(description=f"Plays {GAME} at random.")
    parser.add_argument("--games", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same games (0)")
    parser.add_argument("--longest", type=int, default=10_000, help="decisions of a game at most (10000)")
    given = parser.parse_args()
    endings, decisions = Counter(), 0
    for made, _, _, ending, told in playouts(given.games, given.seed, given.longest):
        decisions += made
        if ending == "end":
            first = [name for name, place in zip(PLAYERS, places(told[1])) if place == 1]
            some = " and ".join(first) + (" wins" if len(first) == 1 else " win")
            endings["tie" if len(first) == len(PLAYERS) > 1 else some] += 1
        elif ending == "fault":
            code, message = FAULTS[told]
            endings[f"broke down ({code}: {message})"] += 1
        else:
            endings["cut off"] += 1
    print(f"{GAME}, {given.games} random games, seed {given.seed}: {decisions} decisions")
    for ending, number in sorted(endings.items()):
        print(f"{number:>8}  {ending}")


if __name__ == "__main__":
    main()
'''
