"""What runs a program: the interpreter, generated Python, WebAssembly."""
