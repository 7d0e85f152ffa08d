"""What runs a program fast: generated Python, WebAssembly."""
