"""Every method of proof, by the name that it has in the table (strategy.py)."""

from __future__ import annotations

from kemu_verifier.strategy.contracts import settle_run
from kemu_verifier.strategy.extremes import settle_maximize
from kemu_verifier.strategy.first_visits import settle_first
from kemu_verifier.strategy.method import Method, Work
from kemu_verifier.strategy.noninterference import settle_informed, settle_leak
from kemu_verifier.strategy.portfolio_ag_ef import settle_always_possible
from kemu_verifier.strategy.portfolio_by_kind import (
    ByKind,
    EndingProofs,
    GivenMeasure,
    LocalizedEndings,
    LoopSearch,
    NotApplicable,
    NothingHidden,
)
from kemu_verifier.strategy.portfolio_safety import (
    BoundedModelChecking,
    Breaches,
    Exhaustive,
    FaultsBeforeSteps,
    GamesThatGoOn,
    HillClimbing,
    InductiveProofs,
    KInduction,
    LocalizedProofs,
    MoreSimulation,
    PropertyDirected,
    Undecided,
    WhatPlayShows,
    WindowedSearch,
    Witnesses,
    WitnessSearch,
)
from kemu_verifier.strategy.work import (
    Actions,
    Conservation,
    Exploration,
    FullExploration,
    InductionBeforeExploration,
    InductionByCases,
    InductionOfClaims,
    InductionWithGuesses,
    Laps,
    Localization,
    Sampling,
    Simulating,
    SymbolicReading,
)

WORKS: dict[str, Work] = {
    "exploration": Exploration(),
    "exploration of all states": FullExploration(),
    "induction before exploration": InductionBeforeExploration(),
    "symbolic reading": SymbolicReading(),
    "simulation": Simulating(),
    "claims that actions keep": Actions(),
    "sampling of what cannot be read": Sampling(readable=False),
    "sampling of what can be read": Sampling(readable=True),
    "claims that laps keep": Laps(),
    "conservation": Conservation(),
    "localization of large readings": Localization(large=True),
    "localization of small readings": Localization(large=False),
    "induction of claims": InductionOfClaims(),
    "induction with guesses: what is the same": InductionWithGuesses("equal"),
    "induction with guesses: of the whole state": InductionWithGuesses("telling"),
    "induction with guesses: all others": InductionWithGuesses("other"),
    "induction case by case": InductionByCases(),
}
"""What questions share."""

METHODS: dict[str, Method] = {
    "not applicable": NotApplicable(),
    "exhaustive search": Exhaustive(),
    "games that break a claim": Breaches(),
    "witnesses": Witnesses(),
    "localized proofs": LocalizedProofs(),
    "localized endings": LocalizedEndings(),
    "inductive proofs": InductiveProofs(),
    "faults before steps": FaultsBeforeSteps(),
    "loops": LoopSearch(),
    "measure of the author": GivenMeasure(),
    "secrets nobody has": NothingHidden(),
    "games that are hoped for": WitnessSearch(),
    "endings": EndingProofs(),
    "secrets": ByKind("leak", settle_leak),
    "what players know": ByKind("informed", settle_informed),
    "always possible": ByKind("always possible", settle_always_possible),
    "greatest values": ByKind("maximize", settle_maximize),
    "first visits": ByKind("first", settle_first),
    "rules by themselves": ByKind("run", settle_run),
    "what play shows": WhatPlayShows(),
    "games that go on": GamesThatGoOn(),
    "hill climbing": HillClimbing(),
    "windowed search of what is hoped for": WindowedSearch(hoped=True),
    "more simulation": MoreSimulation(),
    "k-induction": KInduction(hoped=False),
    "k-induction of what is hoped for": KInduction(hoped=True),
    "property-directed reachability": PropertyDirected(),
    "windowed search": WindowedSearch(hoped=False),
    "bounded model checking": BoundedModelChecking(),
    "longer k-induction": KInduction(hoped=None, longer=True),
    "nothing decided": Undecided(),
}
"""What settles a question."""
