"""WebAssembly itself: its text and binary forms, and the host that runs it."""
