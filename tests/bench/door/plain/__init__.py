"""The same work as an ordinary Django application would do it, for comparison. Its tables are made by the bench, in SQL."""
