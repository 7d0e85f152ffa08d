"""Changes a room's code a little, and asks whether the room's own tests notice; see docs/mutation.md."""
