"""Explanations E0744 to E0765: ends, claims, views, tables, parts of values."""

from __future__ import annotations

from kemu_grammar.explain.entry import Explanation, explanation

PARTS: dict[str, Explanation] = {
    "E0744": explanation(
        "a player without a score",
        "Everybody is ranked or paid: a map has a number for every player who plays along.",
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
        "a stop that is not there",
        """In this instance no decision has such an action, or play never comes there. Say for which
        instances the claim is meant, with `if` before the colon.""",
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
        "a name at a stop",
        """A claim or example at a stop may use the names that have a value there and are still needed
        afterwards; others are forgotten, so that equal positions are equal. An example gives them
        values that they can have.""",
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
        """In this instance fewer sit down than the rules name. Say for which instances the example is
        meant, with `if` before the colon.""",
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
        "where a view runs",
        "A view runs through what is known before play, and says with `if` what is to be seen.",
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
        "A glyph has at most three characters, so that the places of a board lie side by side.",
        """
        view v:
            cell x in 1..3 at (x, 1): "free"
        """,
        """
        view v:
            cell x in 1..3 at (x, 1): "fr"
        """,
    ),
    "E0750": explanation(
        "what a view can write",
        """A view writes values that can be counted through, and sets, lists and bags of them. Of a map
        or tuple write the parts one by one.""",
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
        "a map made in play",
        """A map of values known in play has keys known before: `{k: value for k in D}`, without a
        condition.""",
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
        "a cell",
        """A cell of a table does not fit its column. In a file, `-` or nothing stands for `none` and
        the empty set, a set is written as words, truth values as `yes` and `no`.""",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,count\natoll,many\n", "name,count\natoll,3\n"),
    ),
    "E0753": explanation(
        "the columns of a file",
        """The first line of a table's file names the columns: first that of the names, called as you
        like, then those that the table declares, in any order.""",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,size\natoll,3\n", "name,count\natoll,3\n"),
    ),
    "E0754": explanation(
        "the number of players",
        """`players low..high:` is followed by a name for every seat, at least as many as can sit down.""",
        "players 2..3: ann, ben",
        "players 2..3: ann, ben, cid",
    ),
    "E0755": explanation(
        "replaced too late",
        """The condition of an `under` has looked at what an `under` replaces: then two answers would
        hold in one instance. Let conditions speak of options.""",
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
    "E0756": explanation(
        "a check fails",
        "The rules say that this holds in every instance, and it does not.",
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
        "`secret to` is followed by a player.",
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
    "E0758": explanation(
        "twice in a unique map",
        "A `unique` map holds no value under two keys, in the beginning neither.",
        """
        state:
            seat: map[Player, 1..4] unique = {ann: 1, ben: 1}
        """,
        """
        state:
            seat: map[Player, 1..4] unique = {ann: 1, ben: 2}
        """,
    ),
    "E0759": explanation(
        "a map of collections",
        "A map of lists, bags or maps is changed one key at a time.",
        """
        state:
            m: map[1..3, list[1..3, 2]]
            n: 1..3
        rules:
            m = {k: [n] for k in 1..3}
            end tie
        """,
        """
        state:
            m: map[1..3, list[1..3, 2]]
            n: 1..3
        rules:
            for k in 1..3:
                m[k] = [n]
            end tie
        """,
    ),
    "E0760": explanation(
        "the length of a row",
        "Every row of a table's file has as many cells as the first line.",
        'table Tile from "tiles.csv": count: 1..20',
        'table Tile from "tiles.csv": count: 1..20',
        ("name,count\natoll\n", "name,count\natoll,3\n"),
    ),
    "E0761": explanation(
        "a list of unknown length",
        """A list that is made in play has as many elements as are known before: of what a condition
        lets through make a set, or fill a state variable.""",
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
        "Going through a map goes through its keys. Say what is added up.",
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
        """Lists and tuples are indexed by numbers, maps and bags by their keys; slices are of lists.
        Sets have no order and no index.""",
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
        """A list, tuple or map that is assigned once is a value: no part of it changes. Declare the
        local with its type.""",
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
        """A rule that changes a variable through an `inout` parameter does not also use it by its own name:
        it would be unclear which value is meant.""",
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
        that the file declares is run and proved by nobody. Declare the instance for which it is meant.""",
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
        "a state that cannot be any",
        """`from any` speaks of every state of the types declared. Of maps that are `unique` and hold lists,
        and of lists that hold collections, it is not said which states those are.""",
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
        """A function is forgotten by putting a table of unknown values in its place. For that it has to say
        what it takes and what it gives.""",
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
        """As long as a game goes on nobody is ahead: `winners` is everybody, and `winner` is none if there
        are two players or more. A claim about them that this settles says nothing about how games end. Ask it
        `at_end`, or add what is the case only then.""",
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
