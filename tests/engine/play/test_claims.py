"""What is claimed of a program, as others read it: claims, assertions, and the places of statements."""

from kemu_engine.kernel import nodes as k
from kemu_engine.play.claims import Place, claims
from kemu_engine.play.steps import lines_of

from tests.rules import game_in

TEXT = """
game "Places"
players ann, bob
state:
    heap: 0..9 = 9
    odd: bool
rules:
    for p in turns():
        choose:
            take(n in 1..3) if n <= heap:
                assert enough: n <= heap
                heap -= n
                if heap % 2 == 1: odd = true
                else: odd = false
            stop:
                for q in Player: odd = false
                end win(p)
property low: always heap < 10
"""


def at(program: k.Program, place: Place) -> k.Stmt | k.Exit:
    """What stands at a place, by what docs/program-text.md says of them."""
    block, *rest = place
    if not rest:
        return program.blocks[block].exit
    statement = program.blocks[block].code[rest.pop(0)]
    while rest:
        if isinstance(statement, k.When):
            code = statement.other if rest.pop(0) else statement.then
        else:
            assert isinstance(statement, k.For | k.Loop)
            code = statement.body
        statement = code[rest.pop(0)]
    return statement


def test_every_place_is_a_statement_or_an_end_on_its_line() -> None:
    program = game_in(TEXT).program
    made = claims(program)
    assert [line.line for line in made.lines] == [line for _, line in lines_of(program)]
    for line in made.lines:
        assert line.file == "test.kemu" and line.places
        for place in line.places:
            found = at(program, place)
            assert isinstance(found, k.Assign | k.Writing | k.End)
            assert program.origins[found.origin].span.line == line.line
    depths = {len(place) for line in made.lines for place in line.places}
    assert {1, 2} < depths


def test_claims_and_assertions_are_named() -> None:
    program = game_in(TEXT).program
    made = claims(program)
    assert [one.name for one in made.claimed] == ["low"]
    (enough,) = made.assertions
    assert enough.name == "enough" and {program.faults[at].code for at in enough.faults} == {"assertion"}
