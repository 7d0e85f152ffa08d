"""The methods, a file each: what answers some kinds of question about a program."""
