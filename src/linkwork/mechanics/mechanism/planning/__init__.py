"""From a mechanism's numbers to the order in which it is solved."""
