"""Stewart platforms by the names of the field: pose, twist, leg forces."""
