"""What a robot is: frozen descriptions, and the files they are read from."""
