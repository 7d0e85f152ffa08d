"""Methods that look for a play: explicit-state, bounded model checking, simulation, hill climbing."""
