"""One module per paper: its experiments, reproduced."""
