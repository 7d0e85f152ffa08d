"""Games of spec/classics against models in plain Python, published counts and known values."""
