"""Robots from MuJoCo's models."""
