"""The forms that values take while rules are lowered, and how they lie in the state."""
