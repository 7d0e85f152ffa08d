"""Loops nested too deeply for Python, cut into functions inside the function in which they stand."""

from __future__ import annotations

import ast

from kemu_engine.run.python.text import Block, rendered

DEEPEST = 16
"""Loops within each other; Python takes 20, of which some are needed for what stands in the last."""
OPENING = ("for ", "while ", "try:", "with ")


def shallow(definition: Block) -> Block:
    """The text of a function, in which no more than DEEPEST loops are nested."""
    return definition if _deepest(definition) <= DEEPEST else _cut(definition, frozenset(), 0)


def _deepest(block: Block) -> int:
    found, header = 0, ""
    for item in block:
        if isinstance(item, str):
            header = item
        else:
            found = max(found, header.startswith(OPENING) + _deepest(item))
    return found


def _cut(function: Block, around: frozenset[str], depth: int) -> Block:
    """`around`: the names that belong to the functions around it."""
    loops: list[tuple[Block, Block]] = []
    made = _without(function, 0, loops)
    own = around | _set(made)
    for at, (place, loop) in enumerate(loops):
        name, shared = f"further_{depth}_{at}", sorted(own & _set(loop))
        known = [f"nonlocal {', '.join(shared)}"] if shared else []
        place[:] = [f"def {name}():", [*known, *_cut(loop, own, depth + 1)], f"{name}()"]
    return made


def _without(block: Block, depth: int, loops: list[tuple[Block, Block]]) -> Block:
    """The block without its deepest loops; each of them is in `loops`, with the place where it stood."""
    made: Block = []
    for item in block:
        header = made[-1] if made else ""
        if isinstance(item, str) or not isinstance(header, str):
            made.append(item)
            continue
        within = depth + header.startswith(OPENING)
        if within <= DEEPEST or not header.startswith("for ") or _returns(item):
            made.append(_without(item, within, loops))
        else:
            place: Block = ["pass"]
            loops.append((place, [header, item]))
            made[-1:] = ["if True:", place]
    return made


def _returns(block: Block) -> bool:
    return any(line.lstrip().startswith("return") for line in rendered(block))


def _set(block: Block) -> frozenset[str]:
    """The names that get a value."""
    found: set[str] = set()
    for node in ast.walk(ast.parse("\n".join(rendered(block)))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return frozenset(found)
