"""The strategy: which method is tried when, with what share of the time. One table, and its numbers.

Time is what the verifier itself computes. A question has `--seconds`; what questions share has up to SHARES
times that, of which each row has its part. The cheap comes first: a few thousand states, random games, then
what the author says (lemmas, claims, measures) by plain induction; all states, if they may be few enough;
only for what is left parts of the state and guessed invariants, then the methods that search.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Row:
    """A method, by name, and its time: a `share` of what is left to the question (of what all share, for
    shared work), `most` so many seconds."""

    method: str
    share: float = 1.0
    most: float = inf


STRATEGY = (
    # what is known at once
    Row("not applicable"),
    Row("exploration"),
    Row("symbolic reading", most=20.0),
    Row("exhaustive search"),
    Row("secrets nobody has"),
    Row("simulation", 0.5, 3.0),
    # before all the rest, if there are more
    Row("games that break a claim"),
    Row("induction before exploration"),
    Row("inductive proofs"),
    Row("exploration of all states"),
    Row("exhaustive search"),
    Row("witnesses"),
    # more games, then parts of the state, where the whole is too large to begin with
    Row("sampling of what cannot be read", 0.25),
    Row("witnesses"),
    Row("claims that laps keep", 0.25),
    Row("localized proofs"),
    Row("claims that actions keep", 2.0),
    Row("localized proofs"),
    Row("localized endings", 0.5),
    Row("conservation", 0.5),
    Row("localization of large readings", 1.7),
    Row("localized proofs"),
    # what the author says
    Row("induction of claims"),
    Row("inductive proofs"),
    Row("faults before steps", 0.5),
    Row("loops", 0.3),
    Row("measure of the author", 0.5),
    Row("games that are hoped for", 0.3, 6.0),
    # guesses, for what is left
    Row("localization of small readings", 2.0),
    Row("localized proofs"),
    Row("induction with guesses: what is the same"),
    Row("inductive proofs"),
    Row("measure of the author"),
    Row("induction with guesses: of the whole state"),
    Row("inductive proofs"),
    Row("measure of the author", 0.5),
    Row("induction with guesses: all others"),
    Row("inductive proofs"),
    Row("faults before steps"),
    Row("induction case by case", 2.0),
    Row("inductive proofs"),
    Row("endings"),
    Row("secrets"),
    Row("what players know"),
    Row("always possible"),
    Row("greatest values"),
    Row("first visits"),
    Row("rules by themselves"),
    # one by one
    Row("what play shows"),
    Row("games that go on"),
    Row("hill climbing", 0.125, 4.0),
    Row("windowed search of what is hoped for", 1.0, 12.0),
    Row("more simulation", 0.5),
    Row("k-induction", 0.25),
    Row("property-directed reachability", 0.25),
    Row("k-induction of what is hoped for", 0.25),
    Row("windowed search", 1.0, 12.0),
    Row("bounded model checking", 0.2),
    Row("windowed search", 0.8),
    Row("longer k-induction"),
    Row("sampling of what can be read", 0.1, 10.0),
    Row("witnesses"),
    Row("nothing decided"),
)

# ------------------------------------------------------------------------------------------ all questions

SHARES = 4  # times the time of one question, at most, has what they share
SHARED = 0.3  # of a limit for everything, at most, have they as what they share
TOGETHER = 10  # times the time of one question: for all of them
ALONE = 1.7  # times that time, at most, for one question with all that it needs; each more has one more
FAIR, LEAST = 3, 0.5  # a question has so many times its share of what is left, and at least so many seconds
LONG = 6  # a question about an ending has so many shares, and comes first
MEASURED = 3  # times the time of another question, for one of these with a measure of the author's
OVERDRAWN = 15.0  # seconds beyond that, after which a question has hardly any

# -------------------------------------------------------------------------------------------- plays, states

STATES, STATE_SECONDS = 200_000, 20.0
FEW_STATES = 20_000  # up to which nothing else comes before
EXPLORING = (0.5, 0.25)  # of the time of one question, or of what all share: for exploring the states
PLAYS, PLAY_SECONDS = 100, 3.0
MORE_PLAYS = 200  # where there is nothing else to go by
GAMES, MORE_GAMES = 1_000, 50_000  # of simulation: at first, and where a game is hoped for
MOST_GAMES = 10_000_000  # where nothing else decides
FURTHER, MOST_FURTHER = 8, 64  # random games that go on from one that was found; from all
GOING_ON = 1.0  # seconds for those of one
LOOK = 0.4  # seconds for looking through random games for one goal, where there are other ways to find one
GLANCE = 0.1  # the same where simulation has looked for it in more of them
LOOKING = 2  # times the time of one question: for looking through them for all goals
DEEPEST = 10_000  # decisions of a game that is looked for by its length
SHORTEN, SHORTEN_LONG = 2.0, 0.25  # seconds for making a game that was found shorter; a long one
FAR = 30  # steps, beyond which a shortest game is hardly found
MEASURING = 1.0  # seconds for trying a measure of the author's on random games
CLIMB = 2.0  # seconds for climbing, before thousands of random games are tried

# ------------------------------------------------------------------------------------------------ induction

FIRST = 0.6  # of the time for invariants: for what the author says, before anything is guessed
RELATING = 0.2  # of the time that is left for invariants: for claims about sums, with linear relations
IDLE = 0.25  # of such a share, where no claim is left that is hoped to hold
GUESSES = 0.5  # times what all share: for guessed invariants at least, if time is not short
GUESSED = {"equal": 0.2, "telling": 0.4, "other": 0.6}  # of the time that is left, by kind of guess
GUESSING = 0.3  # of the time that is left for invariants: for guessing some
FOLLOWING = 0.3  # of the time that is left for invariants: for claims that follow from what is known of sums
QUERY, QUARTER = 6.0, 0.25  # seconds for a query about one claim; of the time that is left, so much at most
LOST = 1.0  # seconds for a query about a claim of which one failed
FEW = 40  # guesses that held together, which later proofs may rest on without its being known
NAMED = 4  # of what a proof rests on, so much is named
LENGTHS, LONGER = (1, 2), 3  # of windows for k-induction
SPACER = 0.8  # of the time for property-directed reachability: for finding an invariant, before it is proved
FINDING = 3.0  # seconds for that at least, if that is no more than a quarter of what is left
STEP = 10.0  # seconds for asking whether a step may do what is asked for, in one of several ways
AT_ONCE, SEVERAL = 32, 0.25  # so many ways at most in one question; of the time that is left, so much for it

# -------------------------------------------------------------------------------------- parts of the state

LESS, SMALL = 2, 50_000  # times as large has the reading of the whole state to be, if it has so few terms
NEARLY = 0.95  # of as many terms as the whole, beyond which a part is no help
MOST, SOME = 0.7, 0.1  # of the time that is left: for all that hangs together, for a part of it
RELATED = 0.3  # the same for all parts in which linear relations are guessed
NOTED = 0.4  # the same for a part that showed something in another instance
MANY = 8  # literals in a sum, beyond which relations with others are looked for
LONG_SUM = 64  # literals in a sum: claims that speak of longer ones come last
PART = 0.8  # of the time that is left of a part of the state: for what comes next
UNSURE, UNSURE_MOST = 0.3, 0.5  # the same for guesses there; times the time of one question, at most
MISSED = 12  # faults that were not excluded there, after which others are asked for briefly
BRIEF = 300  # terms of what is known: that is tried first
STEP_THERE = 5.0  # seconds for asking whether steps at one stop can meet a fault
PARTS = 100  # of a claim, so many are proved one by one
PATIENCE = 2.0  # seconds for a query where sums cancel: it takes no more
PATIENT = (1.0, 12.0)  # seconds for a query about what actions keep: at first, then
FLOWING = 0.25  # of the time for that: for a reading with what closures work out
AGAIN = 3  # times the time of a question are for showing what cancels again, where loops are cut
COPIES = 10.0  # seconds for finding locals that hold the same
WIDE = 4_000  # symbols of a variable, beyond which it stays hidden
FEW_RELATED = 400  # symbols of the variables among which linear relations are looked for
FED = 64  # symbols of a variable that is looked at because it is put into others, at most
LITTLE = 8  # symbols of a small variable, and elements of a small domain

# --------------------------------------------------------------------------------------------------- endings

GIVEN = 0.9  # of what time is left, for the author's measure as a whole
LASSO = 0.25  # of what time is left, for loops that no random game went through
NEAR = 3_000  # states round a loop that a random game went through
LOOPING = 6.0  # seconds for looking for a loop among states
BOUND = 0.2  # seconds for whether there are at most so many decisions
WALKS, WALK = 20, 2_000  # random walks from a loop, and their steps
WALKING = 10.0  # seconds for all of them

# -------------------------------------------------------------------------------------------------- extremes

SIDE = 10.0  # seconds for the extreme behind a bound that has its verdict
MORE = 0.3  # of the time left, for one search for more
RANKING = 0.6  # of the time of `always possible`: for a ranking; the rest for a play that ends too soon

# ------------------------------------------------------------------------------------------ secrets

LOOK_ALIKES = 400_000  # states, each as often as there are sets of look-alikes that it is in
SEARCHING = 0.6  # of the time for `informed`: for going through all such sets
ALIKE = 10.0  # seconds for whether two states that look alike to a player differ in what is legal

# ----------------------------------------------------------------------------------- rules by themselves

ABSTRACT = 0.7  # of the time, if functions are forgotten: for any functions; the rest for those of the rules
EXHAUSTIVE = 0.6  # of the time that is left: for all starts one by one
DEFINED = 0.1  # the same for whether the condition meets no fault
STARTING, MAKING = 0.1, 10.0  # the same for starts that the solver makes up; so many seconds at most
VACUOUS = 0.2  # the same for whether there is a start
PARTS_KEPT, ARGUED = 0.3, 0.3  # the same for invariants; for proofs from them
BOUNDED = 0.3  # the same for bounded search
ALL_STARTS = 20_000_000  # ways to fill the variables, up to which all are tried
SOLVED_STARTS = 2_000  # starts that the solver is asked for one by one
SAMPLED_STARTS = 40  # starts whose aftermath is looked at
AFTER_ALL, AFTER_ONE = 300_000, 3_000  # states that follow from all starts, from one that is sampled
SHOWING, CIRCLING = 60.0, 2.0  # seconds to see again all that follows from one start; for a loop in it
RUN_DEPTH = 60  # steps of bounded search
RUN_QUERY = 6.0  # seconds for whether a step can go wrong
