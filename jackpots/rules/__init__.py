"""The pure rules: cards, hands, pay tables and what they pay. Nothing here reads a file, a clock or a database."""
