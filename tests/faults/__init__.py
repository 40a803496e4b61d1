"""Faults from outside: killed processes, full disks, folders that vanish, no memory."""
