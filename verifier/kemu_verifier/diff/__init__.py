"""Two games side by side: proofs that they are the same, or a game in which play shows them to differ."""
