"""Explanations E0744 to E0765: ends, claims, views, tables, parts of values."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

PARTS: dict[str, Explanation] = {
    "E0744": explanation(
        "a player without a score",
        "Everybody is ranked or paid, so a map needs a number for every player in the game.",
        """
        rules:
            end pays({ann: 1})
        """,
        """
        rules:
            end pays({ann: 1, ben: 0})
        """,
    ),
    "E0745": explanation(
        "a decision that is not there",
        """In this instance no decision has such an action, or play never gets there. Say which instances
        the claim is meant for, with `if` before the colon.""",
        """
        option storms: bool = false
        rules:
            if storms:
                choose wait by ann
            end tie
        property calm: at wait always true
        """,
        """
        option storms: bool = false
        instance rough: storms = true
        rules:
            if storms:
                choose wait by ann
            end tie
        property calm if storms: at wait always true
        """,
    ),
    "E0746": explanation(
        "a name that is not known there",
        """A claim, an example or a line of a view about a decision may use the names that have a
        value there and are still needed afterwards; others are forgotten, so that equal positions are
        equal. An example must give them values that they can have.""",
        """
        state:
            n: 0..9
        rules:
            k = n
            n = k
            choose go by ann
            end tie
        property low: at go always k < 5
        """,
        """
        state:
            n: 0..9
        rules:
            choose go by ann
            end tie
        property low: at go always n < 5
        """,
    ),
    "E0747": explanation(
        "a player who does not play",
        """This instance has fewer players than the rules name. Say which instances the example is meant
        for, with `if` before the colon.""",
        """
        players 2..3: ann, ben, cid
        rules:
            for p in turns():
                choose go
                end tie
        example "third":
            do: cid go
            expect: winner is none
        """,
        """
        players 2..3: ann, ben, cid
        instance three: players = 3
        rules:
            for p in turns():
                choose go
                end tie
        example "third" if len(Player) == 3:
            do: ann go
            expect: winner is none
        """,
    ),
    "E0748": explanation(
        "what a view goes through",
        """A view goes through values that are known before play, and says with `if` which of them are
        shown.""",
        """
        state:
            n: 0..9
        view v:
            line "{k}" for k in 0..n
        """,
        """
        state:
            n: 0..9
        view v:
            line "{k}" for k in 0..9 if k <= n
        """,
    ),
    "E0749": explanation(
        "a long glyph",
        """A glyph has at most three characters, so that the cells of a board line up. Where a value may be
        `none`, which has four, say what is shown instead, as below, or leave such cells out:
        `cell x in 1..3 if stone[x] is some at (x, 1): stone[x]`.""",
        """
        state:
            stone: map[1..3, Player?]
        view v:
            cell x in 1..3 at (x, 1): stone[x]
        """,
        """
        state:
            stone: map[1..3, Player?]
        view v:
            cell x in 1..3 at (x, 1): stone[x] if stone[x] is some else "."
        """,
    ),
    "E0750": explanation(
        "what a view can write",
        """A view can write values of finite types, and sets, lists and bags of them. Write the parts of
        a map or tuple one by one.""",
        """
        state:
            m: map[1..3, 0..9]
        view v:
            line "{m}"
        """,
        """
        state:
            m: map[1..3, 0..9]
        view v:
            line "{k}: {m[k]}" for k in 1..3
        """,
    ),
    "E0751": explanation(
        "a map made during play",
        """The keys of a map that is made during play must be known before play: `{k: value for k in D}`,
        without a condition.""",
        """
        state:
            m: map[1..3, 0..9]
        rules:
            m = {k: m[k] + 1 for k in 1..3 if m[k] > 1}
            end tie
        """,
        """
        state:
            m: map[1..3, 0..9]
        rules:
            m = {k: m[k] + 1 if m[k] > 1 else 0 for k in 1..3}
            end tie
        """,
    ),
    "E0752": explanation(
        "a cell that does not fit",
        """A cell of a table does not fit its column. In a file, `-` or an empty cell stands for `none`
        or the empty set; a set is written as words, and truth values as `yes` and `no`.""",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,count\natoll,many\n", "name,count\natoll,3\n"),
    ),
    "E0753": explanation(
        "the columns of a file",
        """The first line of a table's file names the columns: first that of the row names, called
        whatever you like, then those that the table declares, in any order.""",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,size\natoll,3\n", "name,count\natoll,3\n"),
    ),
    "E0754": explanation(
        "the number of players",
        """`players low..high:` is followed by a name for every seat, at least as many as there can be
        players.""",
        "players 2..3: ann, ben",
        "players 2..3: ann, ben, cid",
    ),
    "E0755": explanation(
        "replaced too late",
        """The condition of an `under` depends on something that an `under` replaces, so that it would
        have two answers in one instance. Let conditions depend on options.""",
        """
        const most = 3
        under most == 3:
            const most = 4
        """,
        """
        option wide: bool = true
        const most = 3
        under wide:
            const most = 4
        """,
    ),
    "E0782": explanation(
        "a file of proofs that changes the game",
        """A file of proofs replaces what the rules file declares only `under` a condition on options of its
        own, and only where one of them is not as by default.""",
        "const stones = 5",
        "const stones = 5",
        files=(
            """
            proves "test.kemu"
            option few: 2 | 5 = 5
            under few == 5:
                const stones = 4
            """,
            """
            proves "test.kemu"
            option few: 2 | 5 = 5
            under few == 2:
                const stones = 2
            """,
        ),
        name="proofs.kemu",
    ),
    "E0756": explanation(
        "a check fails",
        "The rules say that this holds in every instance, but it does not.",
        """
        const sizes = [1, 2]
        check sum(sizes) == 4
        """,
        """
        const sizes = [1, 2]
        check sum(sizes) == 3
        """,
    ),
    "E0757": explanation(
        "who sees a secret",
        "`secret to` must be followed by a player or a set of players.",
        """
        fun one(x): x
        state:
            n: 0..9 secret to one(3)
        """,
        """
        fun one(x): x
        state:
            n: 0..9 secret to one(ann)
        """,
    ),
    "E0783": explanation(
        "what can be revealed",
        """`reveal` tells a value, and of a set, bag or list one thing after the other. What may be `none`, or
        is a set or list itself, cannot be told like that: reveal each.""",
        """
        state:
            hand: list[Player?, 2] hidden = [none, none]
        rules:
            reveal hand
            end tie
        """,
        """
        state:
            hand: list[Player?, 2] hidden = [none, none]
        rules:
            for p in hand: reveal p
            end tie
        """,
    ),
    "E0784": explanation(
        "an unknown colour or symbol",
        """What is drawn is filled with the colour of a player, or with one that has a name: docs/drawing.md
        lists them, and the symbols.""",
        """
        view v:
            draw disc x in 1..3 at (x, 1) fill "rde"
        """,
        """
        view v:
            draw disc x in 1..3 at (x, 1) fill "red"
        """,
    ),
    "E0758": explanation(
        "twice in a unique map",
        "A `unique` map cannot hold the same value under two keys, not even initially.",
        """
        state:
            seat: map[Player, 1..4] unique = {ann: 1, ben: 1}
        """,
        """
        state:
            seat: map[Player, 1..4] unique = {ann: 1, ben: 2}
        """,
    ),
    "E0760": explanation(
        "the length of a row",
        "Every row of a table's file needs as many cells as the first line.",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,count\natoll\n", "name,count\natoll,3\n"),
    ),
    "E0761": explanation(
        "a list of unknown length",
        """The length of a list made during play must be known before play. For the elements that satisfy
        a condition, make a set, or fill a state variable.""",
        """
        state:
            m: map[1..3, 0..9]
        rules:
            if len(list([m[k] for k in 1..3 if m[k] > 1])) == 2:
                end win(ann)
            end tie
        """,
        """
        state:
            m: map[1..3, 0..9]
        rules:
            if len({k for k in 1..3 if m[k] > 1}) == 2:
                end win(ann)
            end tie
        """,
    ),
    "E0762": explanation(
        "the sum of a map",
        "Going through a map means going through its keys, so say what is to be added up.",
        """
        const price = {1: 5, 2: 8}
        const all_of = sum(price)
        """,
        """
        const price = {1: 5, 2: 8}
        const all_of = sum(price[k] for k in price)
        """,
    ),
    "E0763": explanation(
        "an index",
        """Lists and tuples are indexed by numbers, maps and bags by their keys; only lists and texts can
        be sliced. Sets have no order and no index.""",
        """
        fun top(xs): xs[0]
        const t = top({3, 4})
        """,
        """
        fun top(xs): xs[0]
        const t = top([3, 4])
        """,
    ),
    "E0764": explanation(
        "not a variable",
        """A list, tuple or map that is assigned once is a value, and no part of it can change. Declare
        the local with its type.""",
        """
        state:
            n: 0..9
        rules:
            pair = (n, 2)
            pair[0] = 3
            if pair[0] == 3:
                end tie
            end tie
        """,
        """
        state:
            n: 0..9
        rules:
            first_: 0..9 = n
            first_ = 3
            if first_ == 3:
                end tie
            end tie
        """,
    ),
    "E0765": explanation(
        "a variable under two names",
        """A rule that changes a variable through an `inout` parameter cannot also use it by its own
        name: it would be unclear which value is meant.""",
        """
        state:
            n: 0..9
        rule more(inout u: 0..9):
            u += n
        rules:
            more(n)
            end tie
        """,
        """
        state:
            n: 0..9
        rule more(inout u: 0..9, by: 0..9):
            u += by
        rules:
            more(n, n)
            end tie
        """,
    ),
    "E0766": explanation(
        "never looked at",
        """An example or a property whose `if` holds neither in the game as it stands nor in any instance
        that the file declares is never run or proved. Declare the instance that it is meant for.""",
        """
        option level: easy | hard = easy
        property two if level == hard: always len(Player) == 2
        """,
        """
        option level: easy | hard = easy
        instance tough: level = hard
        property two if level == hard: always len(Player) == 2
        """,
    ),
    "E0767": explanation(
        "a state that `from any` cannot cover",
        """`from any` is about every state of the declared types. For `unique` maps that hold lists, and
        for lists that hold collections, it is not defined which states those are; and a history belongs
        to a play, not to any state.""",
        """
        state:
            seat: map[Player, list[0..3, 2]] unique
            n: 0..9
        rule lower():
            n = 0
        property low: from any: run lower() returns
        """,
        """
        state:
            seat: map[Player, list[0..3, 2]]
            n: 0..9
        rule lower():
            n = 0
        property low: from any: run lower() returns
        """,
    ),
    "E0768": explanation(
        "a function that cannot be forgotten",
        """Forgetting a function puts a table of unknown values in its place. For that, its parameters
        and its result need types, it depends on its arguments alone and reads no state, and it has a
        value for all of them, without a fault.""",
        """
        state:
            n: 0..9 = 3
        fun after(k): (k + 1) % 10
        rule step():
            n = after(n)
        property down forgetting after: from any: run step() returns
        """,
        """
        state:
            n: 0..9 = 3
        fun after(k: 0..9) -> 0..9: (k + 1) % 10
        rule step():
            n = after(n)
        property down forgetting after: from any: run step() returns
        """,
    ),
    "E0769": explanation(
        "settled by the first position",
        """While a game goes on nobody is ahead: `winners` is everybody, and `winner` is `none` if there
        are two players or more. A claim about them that this alone settles says nothing about how
        games end. Ask it `at_end`, or add a condition that holds only then.""",
        """
        state:
            paid: 0..9
        property shared: possible len(winners) > 1
        rules:
            choose pay(n in 0..9) by ann
            paid = n
            end rank({ann: paid, ben: 4})
        """,
        """
        state:
            paid: 0..9
        property shared: possible paid > 0 and len(winners) > 1
        property best: at_end ann in winners implies paid >= 4
        rules:
            choose pay(n in 0..9) by ann
            paid = n
            end rank({ann: paid, ben: 4})
        """,
    ),
}
