"""Files that people write: YAML with lines, faults, quantities with units."""
