"""From data to text: boards, traces, verdicts."""
