# Moorage: `make` lists what there is. Needs python3 >= 3.11, make and git; installs the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# uv must use our environment and the Python that made it, whatever shell we were called from.
unexport VIRTUAL_ENV
export UV_PROJECT_ENVIRONMENT := $(VENV)
export UV_PYTHON_DOWNLOADS := never
export UV_HTTP_TIMEOUT ?= 120
# Compiled at installation, so that the first `moorage` is as quick as the next, also where
# PYTHONDONTWRITEBYTECODE is set. The local search takes the better part of a minute.
export UV_COMPILE_BYTECODE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
COMPILE := $(BIN)/python -m compileall -q src && $(BIN)/python -m moorage.solving.local
# --inexact: uv lives in the environment that it fills, and must not sweep itself away.
SYNC := $(BIN)/uv sync --quiet --frozen --inexact --no-default-groups --python $(BIN)/python

# Each stamp is younger than all that it was made from, or its recipe runs again.
UV_STAMP := $(VENV)/.has-uv
RUN_STAMP := $(VENV)/.has-moorage
TEST_STAMP := $(VENV)/.has-tests
LOCKED := pyproject.toml uv.lock src/moorage/_version.py
# What the last test run said: $(OUTCOME)/failed names what failed, $(OUTCOME)/pytest holds the log.
OUTCOME := build/test

.PHONY: help demo test checks lint style layers sizes format types bench docs services soak clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- setting up --------------------------------------------------------------------------------

$(UV_STAMP): tools/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Moorage needs Python 3.11 or newer; say which: make PYTHON=python3.12' >&2; exit 1; }
	@# Debian splits ensurepip off into python3-venv.
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'installing python3-venv'; \
	  $(SUDO) apt-get update -qq; \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -qq -y --no-install-recommends python3-venv >/dev/null; }
	@echo 'making $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r tools/uv.txt
	@touch $@

$(RUN_STAMP): $(UV_STAMP) $(LOCKED)
	@echo 'installing Moorage as locked'
	@$(SYNC)
	@$(COMPILE)
	@touch $@

$(TEST_STAMP): $(UV_STAMP) $(LOCKED)
	@echo 'installing Moorage and its tests as locked'
	@$(SYNC) --group test --group lint
	@$(COMPILE)
	@touch $(RUN_STAMP) $@

# --- using -------------------------------------------------------------------------------------

demo: $(RUN_STAMP)  ## show the main job on an embedded fleet
	@$(BIN)/moorage demo

bench: $(RUN_STAMP)  ## measure named workloads against peers and bounds: over an hour
	@$(BIN)/moorage bench $(NAMES)

docs: $(RUN_STAMP)  ## write the reference pages anew from the code
	@if [ -e tools/docs.py ]; then $(BIN)/python tools/docs.py; \
	else echo 'this version has no generated pages'; fi

services:  ## install the services that tests run against
	@echo 'this version needs no services: nothing to install'

# --- proving -----------------------------------------------------------------------------------

# `error` makes the counts the last line of a failed run too: make's own complaint would hide them.
test: checks  ## lint, types, layers, sizes and all tests; the last line tells the counts
	@$(if $(wildcard $(OUTCOME)/failed),$(error $(shell cat $(OUTCOME)/failed $(OUTCOME)/counts)))
	@:

checks: $(TEST_STAMP)
	@rm -rf $(OUTCOME); mkdir -p $(OUTCOME)
	@for step in style layers sizes types; do \
	  $(MAKE) --no-print-directory $$step || printf '%s failed; ' $$step >>$(OUTCOME)/failed; done
	@if [ -t 1 ]; then color=yes; else color=no; fi; \
	$(BIN)/pytest -n 2 --color=$$color | tee $(OUTCOME)/pytest \
	  || printf 'tests failed: ' >>$(OUTCOME)/failed
	@tail -n 1 $(OUTCOME)/pytest | sed 's/\x1b\[[0-9;]*m//g; s/^=* *//; s/ *=*$$//' >$(OUTCOME)/counts

lint: style layers sizes  ## all that looks at the code without running it, but for the types

style: $(TEST_STAMP)  ## ruff: rules and format
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

layers: $(TEST_STAMP)  ## import-linter: who may import whom
	@$(BIN)/lint-imports --no-logo

sizes: $(TEST_STAMP)  ## modules over 400 lines, functions over 50
	@$(BIN)/python tools/check_sizes.py

format: $(TEST_STAMP)  ## put the code into the house's format
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format

types: $(TEST_STAMP)  ## mypy --strict
	@$(BIN)/mypy

soak: $(TEST_STAMP)  ## the tests that take minutes, with many more random examples
	@$(BIN)/pytest -n 2 -m soak --hypothesis-profile=soak || [ $$? = 5 ] # 5: none marked yet

clean:  ## remove all that make made
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find src tests tools -name __pycache__ -prune -exec rm -rf {} +
