"""A position as a picture: first as data, shapes that lie somewhere and show something; then as SVG."""
