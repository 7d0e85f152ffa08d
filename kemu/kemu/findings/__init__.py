"""What is found out about the gaps of a rulebook: data.py what is kept, gather.py how it is found."""
