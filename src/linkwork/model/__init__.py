"""What a robot is: bodies, joints, rods, cylinders; families that expand into them; their files."""
