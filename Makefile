# Parley. Every target but clean installs what is missing first. See README.md.
SHELL := /bin/bash
PORT ?= 8080
DATA ?= data
SWIFT ?= swift
# Of make kill-loop.
ROUNDS ?= 200
SEED ?= 1
# Arguments of the benchmark command, for instance BENCH='--rounds 1 --seconds 4'.
BENCH ?=

.PHONY: help run build test test-swift test-groups test-apps test-programs test-interop pictures kill-loop bench bench-browser instructions simulate docs lint format clean

help: ## Show this list.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: build ## Build and serve on http://localhost:8080, with a live meeting at /hello (PORT=…, DATA=…).
	exec .build/release/parley demo --port $(PORT) --data $(DATA)

build: ## Set up and build the release, .build/release/parley.
	@Scripts/setup build
	$(SWIFT) build -c release --static-swift-stdlib --product parley

test: ## Set up and run every test.
	@rm -rf .build/test-times
	@$(MAKE) --no-print-directory test-swift
	@$(MAKE) --no-print-directory test-interop
	@Scripts/slowest-tests

test-swift: ## The Swift tests.
	@Scripts/setup test
	Scripts/swift-test build
	@# The examples in the documentation must compile, and each public name of the SDK have one.
	Scripts/check-examples
	Scripts/test-check-porting
	Scripts/check-porting docs/porting-skype-for-business.md Sources/DropIn/SkypeForBusiness Tests/DropIn/SkypeForBusinessTests
	Scripts/check-porting docs/porting-bbm.md Sources/DropIn/BBMEnterprise Tests/DropIn/BBMEnterpriseTests
	Scripts/check-porting docs/porting-opentok.md Sources/DropIn/OpenTok Tests/DropIn/OpenTokTests
	@# Nothing is built beside them: on a slow machine tests of layers would judge the build.
	@$(MAKE) --no-print-directory test-groups

test-groups:
	for groups in "logic clients" "server media opentok"; do Scripts/swift-test group $$groups || exit 1; done

# The example apps, built as for the Swift tests.
test-apps:
	@Scripts/setup test
	Scripts/swift-test apps

# The programs of the interop tests, as releases.
test-programs:
	@Scripts/setup test
	for program in parley router-bench impairment-proxy; do \
	  $(SWIFT) build -c release --static-swift-stdlib --product $$program || exit 1; done

test-interop: test-programs test-apps ## Real browsers and other stacks against the release build.
	@# Forwarding a packet counts no references and allocates nothing, in the build that is used.
	.build/release/router-bench --check
	.build/release/router-bench --voices 10 --check
	.venv/bin/python Tests/Interop/run.py

pictures: build ## Make the pictures of the pages that the guides show (docs/images), to be looked at.
	@Scripts/setup test
	.venv/bin/python Tests/Interop/documentation.py

kill-loop: build ## Kill the server 200 times under load, and check that nothing acknowledged is lost (ROUNDS=…, SEED=…).
	@Scripts/setup test
	KILL_ROUNDS=$(ROUNDS) KILL_SEED=$(SEED) .venv/bin/python Tests/Interop/run.py test_kill.

bench: ## Measure beside Janus and a bare loop; tables and plots go to docs/benchmarks (BENCH=options).
	@Scripts/setup bench
	$(SWIFT) build -c release --static-swift-stdlib --product parley
	$(SWIFT) build -c release --static-swift-stdlib --product parley-bench
	clang -shared -fPIC -O2 -o .build/allocation-counter.so Benchmarks/AllocationCounter/counter.c
	rm -f .build/bench-results.json
	BENCH_COMMIT=$$(git rev-parse --short HEAD) Benchmarks/in-namespace .build/release/parley-bench $(BENCH)
	BENCH_COMMIT=$$(git rev-parse --short HEAD) Benchmarks/in-namespace .build/release/parley-bench $(BENCH) --gro --report docs/benchmarks
	Benchmarks/in-namespace .build/release/parley-bench $(BENCH) --allocations --servers parley --rounds 1 --results .build/allocations.json
	$(SWIFT) build -c release --static-swift-stdlib --product client-bench
	.build/release/client-bench
	.build/release/client-bench --encrypted --people 10
	$(SWIFT) build -c release --static-swift-stdlib --product codec-bench
	.build/release/codec-bench
	$(SWIFT) build -c release --static-swift-stdlib --product service-bench
	.build/release/service-bench

bench-browser: build ## Measure Chromium's joins, and what encryption costs it (BENCH=options).
	@Scripts/setup test
	.venv/bin/python Benchmarks/chromium-join.py $(BENCH)
	.venv/bin/python Benchmarks/chromium-join.py --encrypted --people 10 --joins 20 --seconds 10 $(BENCH)

instructions: ## Count the instructions of a forwarded packet, function by function (BENCH=options).
	@Scripts/setup build
	$(SWIFT) build -c release --static-swift-stdlib --product router-bench
	python3 Benchmarks/instructions.py $(BENCH)

simulate: ## A meeting of 10,000 over 32 simulated workers; prints the tables of docs/scale.md.
	@Scripts/setup build
	$(SWIFT) build -c release --static-swift-stdlib --product meeting-simulator
	.build/release/meeting-simulator

docs: ## Build the client SDK's documentation into .build/docs (DocC); a warning fails it.
	@Scripts/setup build
	Scripts/docs

lint: ## Check the prose of comments and documents, and the format of every Swift file.
	@Scripts/setup test
	Scripts/check-prose
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Examples Benchmarks Package.swift

format: ## Format every Swift file in place.
	@Scripts/setup build
	$(SWIFT) format --in-place --recursive --parallel Sources Tests Examples Benchmarks Package.swift

clean: ## Remove what was built.
	rm -rf .build .venv Tests/Interop/output
