"""Proofs over regions: limits kept and no singularity met, for every position, not for samples."""
