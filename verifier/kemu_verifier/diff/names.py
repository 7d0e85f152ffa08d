"""Programs that are the same but for what their authors call things."""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.kernel.sight import secret


def same_program(left: k.Program, right: k.Program) -> bool:
    """Whether the two are one program, except for names that play does not show: those of the game, its
    options, variables, functions and rules; and what chance is called, where that may not tell a secret."""
    return program_hash(bare(left)) == program_hash(bare(right))


def bare(program: k.Program) -> k.Program:
    """The program without these names. Those of players, actions and outcomes stay."""
    secrets = secret(program)
    return replace(
        program,
        game="",
        settings=(),
        vars=tuple(replace(var, name="", labels=(), texts=()) for var in program.vars),
        locals=tuple(replace(local, name="", texts=()) for local in program.locals),
        tables=tuple(replace(table, name="") for table in program.tables),
        domains=tuple(replace(domain, name="") for domain in program.domains),
        functions=tuple(replace(function, name="") for function in program.functions),
        blocks=tuple(
            replace(block, name="", exit=unlabelled(block.exit, secrets)) for block in program.blocks
        ),
        faults=tuple(replace(fault, name="") for fault in program.faults),
    )


def unlabelled(leave: k.Exit, secrets: bool) -> k.Exit:
    match leave:
        case k.Decide(arms=arms):
            plain = tuple(
                replace(arm, params=tuple(replace(param, name="") for param in arm.params)) for arm in arms
            )
            return replace(leave, label="", arms=plain)
        case k.Chance():
            return leave if secrets else replace(leave, label="")
    return leave
