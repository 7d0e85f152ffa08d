"""Questions, goals and verdicts: what is asked, what would answer it, what came out."""
