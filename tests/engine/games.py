"""Little games as kernel programs: one with decisions only, one with dice, one with a secret."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k

from tests.engine.build import Builder, num, op


def nim(stones: int = 7, taken: int = 3) -> k.Program:
    """Two players take one to three from a heap; whoever takes the last wins."""
    b = Builder("Nim")
    heap = b.var("heap", k.Int(0, stones), stones)
    result = b.var("result", k.Int(0, 1), (0, 0))
    p = b.local("p", k.Int(0, 1), texts=("north", "south"))
    n = b.local("n", k.Int(0, taken - 1), texts=tuple(str(i + 1) for i in range(taken)))
    number = b.domain(*(str(i + 1) for i in range(taken)))
    amount = op("add", b.get(n), num(1))
    here = b.origin(5, "N2")

    choose, act, after, over, done = b.hole(), b.hole(), b.hole(), b.hole(), b.hole()
    start = b.block([k.Assign(p, num(0))], k.Goto(choose))
    take = b.arm("take", act, b.param("n", n, number, where=op("le", amount, b.load(heap))))
    b.block([], b.decide("take", b.get(p), take), choose, live=(p,), name="play.take")
    left = b.fit(op("sub", b.load(heap), amount), 0, stones)
    b.block([k.Store(heap, left, here)], k.Split(op("eq", b.load(heap), num(0)), over, after), act)
    b.block([k.Assign(p, op("sub", num(1), b.get(p)))], k.Goto(choose), after)
    b.block([k.Put(result, b.get(p), num(1), b.origin(7, "N3"))], k.Goto(done), over)
    b.block([], k.End("win"), done, name="end")
    return b.program(start, result)


def pig(goal: int = 10) -> k.Program:
    """Two players in turn roll a die as often as they dare; a one loses the turn's total; first to the
    goal wins."""
    b = Builder("Pig")
    score = b.var("score", k.Int(0, goal + 5), (0, 0), labels=("north", "south"))
    total = b.var("total", k.Int(0, goal + 5), 0)
    result = b.var("result", k.Int(0, 1), (0, 0))
    p = b.local("p", k.Int(0, 1), texts=("north", "south"))
    die = b.local("die", k.Int(0, 5), texts=tuple("123456"))
    faces = b.domain(*"123456")
    pips = op("add", b.get(die), num(1))
    mine = b.at(score, b.get(p))
    reached = op("le", num(goal), op("add", mine, b.load(total)))

    choose, roll, rolled, more, lost = b.hole(), b.hole(), b.hole(), b.hole(), b.hole()
    hold, turn, won, done = b.hole(), b.hole(), b.hole(), b.hole()
    start = b.block([k.Assign(p, num(0))], k.Goto(choose))
    menu = (b.arm("roll", roll), b.arm("hold", hold, guard=op("lt", num(0), b.load(total))))
    b.block([], b.decide("turn", b.get(p), *menu), choose, live=(p,), name="turn.choose")
    b.block([], b.chance("roll", die, faces, rolled), roll, live=(p,), name="turn.roll")
    b.block([], k.Split(op("eq", b.get(die), num(0)), lost, more), rolled)
    grown = b.fit(op("add", b.load(total), pips), 0, goal + 5)
    b.block([k.Store(total, grown)], k.Split(reached, won, choose), more)
    b.block([k.Store(total, num(0))], k.Goto(turn), lost)
    banked = b.fit(op("add", mine, b.load(total)), 0, goal + 5)
    b.block([k.Put(score, b.get(p), banked), k.Store(total, num(0))], k.Goto(turn), hold)
    b.block([k.Assign(p, op("sub", num(1), b.get(p)))], k.Goto(choose), turn)
    b.block([k.Put(result, b.get(p), num(1))], k.Goto(done), won)
    b.block([], k.End("win"), done, name="end")
    return b.program(start, result)


def hidden_coin() -> k.Program:
    """North sees a coin that fell, three times in four heads, and says heads or tails; south believes or
    doubts."""
    b = Builder("Hidden coin")
    coin = b.var("coin", k.Int(-1, 1), -1, texts=("none", "heads", "tails"), seen=(0b01,))
    said = b.var("said", k.Int(-1, 1), -1, texts=("none", "heads", "tails"))
    result = b.var("result", k.Int(-2, 2), (0, 0))
    side = b.local("side", k.Int(0, 1), texts=("heads", "tails"), secret=True)
    word = b.local("word", k.Int(0, 1), texts=("heads", "tails"))
    sides = b.domain("heads", "tails")
    weight = k.If(k.Int(1, 3), op("eq", b.get(side), num(0)), num(3), num(1))
    true = op("eq", b.load(coin), b.load(said))

    say, heard, answer, believed, doubted = b.hole(), b.hole(), b.hole(), b.hole(), b.hole()
    fallen, done = b.hole(), b.hole()
    start = b.block([], b.chance("coin", side, sides, fallen, weight), name="coin")
    b.block([k.Store(coin, b.get(side))], k.Goto(say), fallen)
    b.block([], b.decide("say", num(0), b.arm("say", heard, b.param("word", word, sides))), say, name="say")
    b.block([k.Store(said, b.get(word))], k.Goto(answer), heard)
    arms = (b.arm("believe", believed), b.arm("doubt", doubted))
    b.block([], b.decide("answer", num(1), *arms), answer, name="answer")
    for block, north in ((believed, num(1)), (doubted, k.If(k.Int(-2, 2), true, num(2), num(-2)))):
        pays = [k.Put(result, num(0), north), k.Put(result, num(1), op("neg", b.at(result, num(0))))]
        b.block(pays, k.Goto(done), block)
    b.block([], k.End("pays"), done, name="end")
    return b.program(start, result)
