"""What `import kemu` gives, for people who write Python: games, states and actions over the engine's own."""
