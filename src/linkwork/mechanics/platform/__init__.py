"""Stewart platforms: the exact model and the papers' models."""
