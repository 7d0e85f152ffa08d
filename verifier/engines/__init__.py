"""The engines: each a method that answers some kinds of question about a program."""
