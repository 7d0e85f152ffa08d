"""`kemu table`: a game in the browser; the messages between page and rules, a local server, the page."""
