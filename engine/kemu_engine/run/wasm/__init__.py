"""The third reader of the kernel: a program as a WebAssembly module (docs/webassembly.md)."""
