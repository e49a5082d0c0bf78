# Every chore of the project. `make` alone lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Where a toolchain that was only unpacked lies.
export PATH := $(PATH):/opt/swift/usr/bin

# WERROR=1 makes warnings errors, as in CI. It is a flag of the compiler, so that turning it on or
# off builds everything again.
FLAGS := $(if $(WERROR),-Xswiftc -warnings-as-errors)
SELECTION := $(if $(FILTER),--filter '$(FILTER)') $(if $(SKIP),--skip '$(SKIP)')

# Mutex is a false positive of ThreadSanitizer on Linux, so that -DTSAN puts a pthread mutex in its
# place; and loaded plugins must use the sanitizer's runtime of the program that loads them.
TSAN := --scratch-path .build/tsan --sanitize=thread -Xswiftc -DTSAN -Xlinker --export-dynamic
ASAN := --scratch-path .build/asan --sanitize=address -Xlinker --export-dynamic

# Tests let plugins crash, and look for the signal: under a sanitizer neither it (handle_segv) nor
# Swift's backtracer may turn the signal into an exit status. They also time how fast the command
# ends, and ThreadSanitizer adds a second of sleep to that (atexit_sleep_ms).
CRASHES := SWIFT_BACKTRACE=enable=no

# Without a limit all tests start at once, and the time limit of each runs while it waits for the
# others.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup setup-test
setup: ## Install the Debian packages that a build needs and that are missing
	@scripts/setup build

setup-test:
	@scripts/setup build test
	@scripts/python

.PHONY: run
run: build ## Read location and acceleration together, from simulated sensors [COUNT=20]
	.build/debug/sensorium join simulated/location simulated/acceleration \
	    $(if $(COUNT),--count $(COUNT))

.PHONY: build
build: setup ## Build the command, the libraries and the plugins
	swift build $(FLAGS)

.PHONY: build-tests
build-tests: setup-test
	swift build --build-tests $(FLAGS)

.PHONY: test
test: build-tests ## Run all tests, those against real daemons included [FILTER=suite SKIP=suite]
	swift test --skip-build $(FLAGS) $(SELECTION)

.PHONY: test-vm
test-vm: ## Run the tests that need a real kernel, in a virtual machine [FILTER=suite]
	@scripts/setup test vm
	swift build --build-tests $(FLAGS)
	Tests/SystemTests/VM/machine -t 900 .build/debug/sensoriumPackageTests.xctest \
	    --testing-library swift-testing --no-parallel --filter '$(or $(FILTER),Kernel[A-Za-z]+Tests)'

# PREFIX, DESTDIR and TRAITS reach the script as they were given to make.
.PHONY: install
install: setup ## Install the command, the plugins and their runtime [PREFIX=/usr/local DESTDIR= TRAITS=]
	@scripts/install install $(FLAGS)

.PHONY: uninstall
uninstall: ## Remove what install has put there [PREFIX=/usr/local DESTDIR=]
	@scripts/install uninstall

.PHONY: check-install
check-install: setup ## Prove that an installation works without the toolchain, and leaves nothing
	@scripts/check-install $(FLAGS)

.PHONY: minimal
minimal: setup ## Build without any trait, that is, without any plugin's C library
	swift build --disable-default-traits --scratch-path .build/minimal $(FLAGS)

.PHONY: tsan
tsan: setup-test ## Run the tests under ThreadSanitizer
	$(CRASHES) TSAN_OPTIONS="handle_segv=0:atexit_sleep_ms=0:suppressions='$(CURDIR)/scripts/tsan.supp'" \
	    swift test $(TSAN) $(SELECTION)

.PHONY: asan
asan: setup-test ## Run the tests under AddressSanitizer
	$(CRASHES) ASAN_OPTIONS=handle_segv=0:detect_leaks=0 swift test $(ASAN) $(SELECTION)

.PHONY: third-party
third-party: build ## Build, test and load a plugin package that depends on this one by version
	scripts/third-party

.PHONY: soak
soak: build-tests ## Run the unit tests many times on a busy machine [N=200]
	scripts/soak $(N)

.PHONY: fuzz
fuzz: build-tests ## Feed hostile input to every reader, all of it, which takes a minute [FILTER=suite]
	SENSORIUM_CAMPAIGN=long swift test --skip-build $(FLAGS) \
	    --filter '$(or $(FILTER),Fuzz|Damage|Hostile|Endless|Leak|MCAPRecording)'

.PHONY: bench
bench: setup ## Measure the speeds that the design promises, beside the rivals [JSON=1]
	@scripts/setup bench
	@scripts/python
	@swift build --package-path Benchmarks -c release >&2
	@swift build --package-path Benchmarks -c release --product FixturePlugin >&2
	@swift build --package-path Benchmarks -c release --product ScriptedCameraPlugin >&2
	@Benchmarks/.build/release/Bench $(if $(JSON),--json) $(ROWS)

.PHONY: lint
lint: setup ## Check the style of the sources
	@scripts/lint

.PHONY: format
format: setup ## Format the sources in place
	find . -name .build -prune -o -name '*.swift' -print0 | xargs -0 swift format --in-place --parallel

.PHONY: fresh
fresh: ## Prove that run and test work on a bare Debian 12, in a chroot
	@scripts/setup fresh
	scripts/fresh

.PHONY: clean
clean: ## Remove what was built
	rm -rf .build Benchmarks/.build .venv
