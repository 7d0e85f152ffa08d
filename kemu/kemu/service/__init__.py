"""What the commands do, without words for a terminal."""
