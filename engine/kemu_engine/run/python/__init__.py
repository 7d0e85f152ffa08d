"""Generated Python: a second reader of the kernel, which writes a program as a Python module."""
