"""Inverse and forward kinematics, paths, assembly modes, singularities."""
