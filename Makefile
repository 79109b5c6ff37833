# What a newcomer needs: `make demo`. What a contributor needs: `make test`. `make help` lists the rest.
#
# Set-up is incremental: each step leaves a stamp in .venv and runs again only when what it depends on changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml $(wildcard Cargo.lock)
PYTHON_SCRIPTS := $(sort $(shell grep -d skip -lE '^\#!.*python3' scripts/*) $(wildcard scripts/*.py))
# PyO3 asks this interpreter what to build for; without it, it would take the first one on the PATH.
export PYO3_PYTHON := $(abspath $(BIN)/python)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Each process of a test would compile all that it imports: a second, where polars is among it.
unexport PYTHONDONTWRITEBYTECODE
# What a program imports is compiled then: to compile all libraries takes half a minute.
PIP_INSTALL := $(BIN)/pip install --quiet --no-compile
# Nothing is built twice on CI, so what a second build would need is not written.
ifdef CI
export CARGO_INCREMENTAL := 0
endif
# Where make runs several targets at a time, cargo and rustdoc may not look for jobs that it has not lent them.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
# The profile and the features of the tests, whose crates serve here too, and whose assertions are checked.
BUILD_FOR_TESTS := cargo build --quiet --locked --profile test --workspace
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal
BUILT_FOR_TESTS := $(abspath $(or $(CARGO_TARGET_DIR),target))/debug

.PHONY: help setup prototype pgo wasm wire lab docs wheel demo test build-tests build-structops test-fast test-rust test-example test-python test-nightly test-fuzz test-soak soak build-soak lint lint-rust lint-python format bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.core ## make .venv, install the locked libraries, build the simulator core in release mode
	@:

prototype: $(VENV)/.runtime ## build the core to try something out, in minutes and then in seconds; half as fast as what `make setup` builds
	@# A fresh environment gets the package too, with the command `ackclock`; later only the core changes.
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop $(if $(wildcard $(BIN)/ackclock),--skip-install) --profile prototype --locked
	@# The release build is now stale whatever the sources' times say.
	@rm -f $(VENV)/.core

pgo: $(VENV)/.runtime ## build the core as the wheels have it, guided by a profile of what studies do: faster, in five minutes
	scripts/need-profdata
	@# Until it is done a core that counts is installed: if it fails, `make setup` is to build another.
	@rm -f $(VENV)/.core
	CARGO_TARGET_DIR=target/pgo VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --pgo --locked
	@touch $(VENV)/.core

wasm: $(VENV)/.wasm ## build the simulator for web pages; where Rust cannot, say what is missing and leave it out
	@:

wire: $(VENV)/.python ## build what offers controls to the sockets of Linux (`ackclock control`); installs clang, libelf and zlib as root
	scripts/need-clang
	cargo build --release --locked -p ackclock-kernel --bin ackclock-structops --features bpf
	install $${CARGO_TARGET_DIR:-target}/release/ackclock-structops $(BIN)

lab: wasm ## write the laboratory as one HTML page to dist/lab.html, which needs no installation to open
	@# Any core will do: the page has one of its own. That of the prototype is built in a fraction of the time.
	@[ -x $(BIN)/ackclock ] || $(MAKE) prototype
	@mkdir -p dist
	@$(BIN)/ackclock lab --no-open --out dist/lab.html

docs: $(VENV)/.dev ## build the documentation site in `site`, without warnings; with the laboratory after `make wasm`
	@# Any core will do: pages show records.
	@[ -x $(BIN)/ackclock ] || $(MAKE) prototype
	$(BIN)/python scripts/build-docs

wheel: $(VENV)/.dev ## build a wheel and a source archive in `dist`; with the page's module after `make wasm`
	@[ -f python/ackclock/web/ackclock.wasm ] || \
		echo "note: the wheel will be without the WebAssembly module of pages, so without \`ackclock lab\`; \`make wasm\` builds it" >&2
	scripts/need-profdata
	CARGO_TARGET_DIR=target/pgo $(BIN)/maturin build --release --pgo --locked --out dist
	$(BIN)/maturin sdist --out dist

demo: setup ## reproduce Table 4.1 of the RBCC thesis and write the report
	@$(BIN)/ackclock reproduce rbcc/table-4.1

test: $(VENV)/.python ## run the tests, but those of `make test-nightly`: Rust, Python, the report in a browser, captures in tshark
	scripts/need-browser
	scripts/need-tshark
	@# The core's release build ends in a link that takes one processor for a minute; the tests' build has the other. The
	@# tools of Python are fetched meanwhile.
	$(MAKE) --jobs=3 --output-sync=target setup wasm build-tests $(VENV)/.dev
	@# mypy takes one processor.
	$(MAKE) --jobs=3 --output-sync=target lint-rust lint-python build-structops
	@# The example builds the crates once more, with other features, while the tests of one crate end on one processor.
	$(MAKE) --jobs=2 --output-sync=target test-rust test-example
	$(MAKE) test-soak
	$(MAKE) test-python

test-fast: setup $(VENV)/.dev ## the tests without a browser, without tshark, and without those that take long
	@# In crates/lab, modules whose names end in `peers` compare with other simulators. Each example in a comment is a program to link.
	cargo test --workspace --lib --bins --tests --locked -- --skip peers::
	$(PYTEST) -m "not browser and not tshark and not slow and not nightly"

build-tests: $(VENV)/.python
	$(CARGO) test --workspace --locked --no-run

build-structops: $(VENV)/.python
	scripts/build-structops

test-rust: $(VENV)/.python ## unit, property and documentation tests of the crates
	$(CARGO) test --workspace --locked

test-example: ## build and test the crate of a control outside of the workspace
	$(CARGO) test --quiet --locked --manifest-path examples/own-control/Cargo.toml --target-dir target

test-fuzz: ## build the fuzz targets, replay their corpus and mutate it for some seconds
	scripts/fuzz

test-soak: build-soak ## run random scenarios in every way in which a run can be observed, 2,000 of a fixed seed
	$(BUILT_FOR_TESTS)/soak --scenarios 2000 --seed 1

soak: build-soak setup ## the same for MINUTES=60, then all quick runs of all studies through the verifier
	$(BUILT_FOR_TESTS)/soak --minutes $(or $(MINUTES),60)
	$(BIN)/python scripts/verify-studies

build-soak: $(VENV)/.python
	$(BUILD_FOR_TESTS) --bin soak

test-python: setup $(VENV)/.dev ## the Python tests alone, on all cores
	@# Where `make wire` has not installed one, the program that controls need under the kernel's TCP is that of build-structops.
	PATH="$(BUILT_FOR_TESTS):$$PATH" $(PYTEST) -m "not nightly"

test-nightly: setup $(VENV)/.dev ## what `make test` leaves out: fuzz targets, property tests with other inputs, more notebooks, the searches and evaluations that pages show, more records, instructions per packet
	$(MAKE) test-fuzz
	seed=$$RANDOM; echo "property tests with PROPTEST_RNG_SEED=$$seed"; PROPTEST_RNG_SEED=$$seed PROPTEST_CASES=10000 \
		$(CARGO) test --locked -p ackclock-sim -p ackclock-cc -p ackclock-aqm --tests
	$(PYTEST) -m nightly
	$(CARGO) test --locked -p ackclock-lab --test scenarios -- --ignored

lint: lint-rust lint-python ## formatting, clippy, ruff, mypy, what crates we depend on, words and lengths of texts: no warnings
	@:

lint-rust: $(VENV)/.python
	cargo fmt --all --check
	cargo fmt --check --manifest-path examples/own-control/Cargo.toml
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps --locked
	$(BIN)/python scripts/check-dependencies

lint-python: $(VENV)/.dev
	$(BIN)/ruff format --check python $(PYTHON_SCRIPTS)
	$(BIN)/ruff check python $(PYTHON_SCRIPTS)
	$(BIN)/mypy
	$(BIN)/mypy --scripts-are-modules $(PYTHON_SCRIPTS)
	$(BIN)/python scripts/check-text

format: $(VENV)/.dev ## format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format python $(PYTHON_SCRIPTS)
	$(BIN)/ruff check --fix-only --quiet python $(PYTHON_SCRIPTS)

bench: setup ## packets per CPU second on three dumbbells and over radio, CPU time of each discipline; ARGS="--peers" compares with ns-2 and ns-3, ARGS="--commands" measures commands
	@$(BIN)/python scripts/bench $(ARGS)

lock: $(VENV)/.python ## pin the newest library versions for all supported Pythons
	scripts/lock

clean: ## remove everything that was built (results stay)
	rm -rf target $(VENV) .mypy_cache .pytest_cache .ruff_cache python/ackclock/_core*.so python/ackclock/web/ackclock.wasm
	find python -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.python:
	scripts/make-venv $(VENV)
	@touch $@

$(VENV)/.runtime: requirements.txt requirements-dev.txt $(VENV)/.python
	@# maturin builds the core; its version is locked with the other tools.
	scripts/pinned maturin tomli >$(VENV)/maturin.txt
	$(PIP_INSTALL) -r requirements.txt -r $(VENV)/maturin.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.runtime
	$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.core: $(RUST) pyproject.toml $(VENV)/.runtime
	@command -v cargo >/dev/null || { echo "error: cargo is missing; https://rustup.rs installs Rust" >&2; exit 1; }
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --locked
	@touch $@

$(VENV)/.wasm: $(RUST) scripts/build-wasm scripts/need-wasm $(VENV)/.python
	@echo "building the simulator for web pages: about a minute at first"
	scripts/build-wasm
	@# Without a module it is tried again: somebody may have got the target meanwhile.
	@if [ -e python/ackclock/web/ackclock.wasm ]; then touch $@; fi
