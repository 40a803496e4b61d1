# Every target makes its own environment: Python 3.11+ and make are all that a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto
OTHER_VENV = $(VENV)-$(notdir $(PYTHON))
# What depends on the version of Python most: object layouts, calls, files.
QUICK_TESTS := tests/core tests/kernels/abi tests/kernels/test_kernel.py tests/kernels/test_bound.py \
  tests/kernels/test_batches.py tests/robot/test_calls.py tests/robot/test_robot.py tests/test_public.py

.PHONY: demo test test-all test-python test-package check docs bench benchmark-figures clean
.DEFAULT_GOAL := demo

$(VENV)/core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Linkwork needs Python 3.11 or later; set PYTHON=/path/to/python3")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/bench: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

demo: $(VENV)/core            ## the papers' platform and a PUMA under control, in one HTML report
	@$(BIN)/python -m linkwork demo

test: $(VENV)/dev             ## the tests, in a few minutes
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

test-all: $(VENV)/dev         ## the long tests too, with coverage; then all others without the direct entry
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m '' --cov --cov-report=term
	LINKWORK_ABI=off $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
	$(MAKE) test-package

test-python:                  ## a quick part of the tests with another Python: make test-python PYTHON=python3.13
	@$(PYTHON) -m venv $(OTHER_VENV)
	$(OTHER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[logs]' 'pytest!=9.2.0' pytest-xdist hypothesis
	$(OTHER_VENV)/bin/python -m pytest -p no:cacheprovider -n $(WORKERS) --dist loadgroup $(QUICK_TESTS)

test-package: $(VENV)/dev     ## source distribution and wheel, each in an empty environment
	$(BIN)/python -m tools.try_package

check: $(VENV)/dev            ## lint, format, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs            ## the documentation as a site, in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo 'open docs/_build/html/index.html'

bench: $(VENV)/bench          ## ours and peers side by side, all goals in one table, all numbers in benchmarks.json
	$(BIN)/python -m benchmarks

benchmark-figures: $(VENV)/bench  ## the same, stored in docs/benchmarks.json, and the figures of all pages written from it
	$(BIN)/python -m benchmarks -o docs/benchmarks.json
	$(BIN)/python -m tools.benchmark_figures

clean:
	rm -rf $(VENV) $(VENV)-* .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build
