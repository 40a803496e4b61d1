# Every target makes its own environment: Python 3.11+ and make are all that a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo test test-all check docs bench clean
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

test-all: $(VENV)/dev         ## the long tests too, with coverage
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m '' --cov --cov-report=term

check: $(VENV)/dev            ## lint, format, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs            ## the documentation as a site, in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo 'open docs/_build/html/index.html'

bench: $(VENV)/bench          ## ours and peers side by side, from one run
	$(BIN)/python -m benchmarks.arms
	$(BIN)/python -m benchmarks.urdf_arms
	$(BIN)/python -m benchmarks.long_chains
	$(BIN)/python -m benchmarks.platforms
	$(BIN)/python -m benchmarks.parallel
	$(BIN)/python -m benchmarks.mechanisms
	$(BIN)/python -m benchmarks.derivatives
	$(BIN)/python -m benchmarks.design
	$(BIN)/python -m benchmarks.kinematics
	$(BIN)/python -m benchmarks.simulation
	$(BIN)/python -m benchmarks.optimiser
	$(BIN)/python -m benchmarks.export
	$(BIN)/python -m benchmarks.live
	$(BIN)/python -m benchmarks.command_line
	$(BIN)/python -m benchmarks.studio

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build
