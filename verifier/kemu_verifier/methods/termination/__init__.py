"""Methods that prove that play ends, or show that it need not: rankings and lassos."""
