"""What everything else uses: errors, arguments, rotations, text for people, tables of numbers."""
