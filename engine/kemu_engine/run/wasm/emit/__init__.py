"""From the kernel to WebAssembly: values, expressions, statements, control."""
