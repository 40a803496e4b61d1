"""Tests of linkwork. One thread of linear algebra each: several workers share the processor, and the
small matrices of tests take a tenth of the time when no thread waits for another."""

import os

for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
