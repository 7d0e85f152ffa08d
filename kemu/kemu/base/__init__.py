"""Games by name, instances by their options, files kept for the user."""
