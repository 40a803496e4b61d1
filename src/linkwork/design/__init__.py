"""Machines compared: sweeps over many variants, and the best of them."""
