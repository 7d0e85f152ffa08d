"""What passes and writers ask of a program: what is equal, what may fault, which numbers are possible."""
