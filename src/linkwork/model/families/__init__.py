"""Arms, Stewart platforms and parallel robots as mechanisms: the same numbers, drawn at home."""
