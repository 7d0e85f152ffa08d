"""Games, states and actions as objects; records, traces and views of them."""
