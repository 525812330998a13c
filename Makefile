# The targets of the project; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Where the toolchain is unpacked when it is not in PATH.
export PATH := $(PATH):/opt/swift/usr/bin

PREFIX ?= /usr/local
DESTDIR ?=
BIN := $(DESTDIR)$(PREFIX)/bin
LIBEXEC := $(DESTDIR)$(PREFIX)/libexec/garner
SHARE := $(DESTDIR)$(PREFIX)/share
# The distributor of zsh decides where it looks for completions.
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions

# Makes it an error if a target imports what Package.swift does not list for it.
CHECKED := --explicit-target-dependency-import-check error

RELEASE_DIRECTORY := .build/release
BINARY := $(RELEASE_DIRECTORY)/garner
TRANSPORT := $(RELEASE_DIRECTORY)/garner-transport
IDN := $(RELEASE_DIRECTORY)/garner-idn
PSL := $(RELEASE_DIRECTORY)/garner-psl

# docs/decisions says what each of these saves at start-up.
RELEASE_FLAGS := -c release $(CHECKED) --static-swift-stdlib --disable-local-rpath \
  -Xswiftc -Xfrontend -Xswiftc -function-sections \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xswiftc -Xfrontend -Xswiftc -disable-type-layout \
  -Xswiftc -Xfrontend -Xswiftc -reflection-metadata-for-debugger-only \
  -Xswiftc -static-executable -Xswiftc -use-ld=lld -Xcc -DCPLATFORM_STATIC -Xlinker --wrap=__libc_start_main \
  -Xlinker -O2 -Xlinker --gc-sections -Xlinker --icf=all -Xlinker --strip-all \
  -Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker '$(CURDIR)/Scripts/sections.ld' \
  -Xlinker '--symbol-ordering-file=$(CURDIR)/Scripts/hit.order' -Xlinker --no-warn-symbol-ordering \
  -Xlinker --wrap=_swift_stdlib_getScalarName -Xlinker --wrap=_swift_stdlib_getAge \
  -Xlinker --wrap=_swift_stdlib_getGeneralCategory \
  -Xlinker --wrap=_swift_stdlib_getScript -Xlinker --wrap=_swift_stdlib_getScriptExtensions \
  -Xlinker --wrap=_swift_stdlib_getBinaryProperties -Xlinker --wrap=_swift_stdlib_getNameAlias \
  -Xlinker --wrap=_swift_stdlib_getNumericType -Xlinker --wrap=_swift_stdlib_getNumericValue \
  -Xlinker --wrap=_swift_stdlib_getWordBreakProperty -Xlinker --wrap=_swift_stdlib_getMapping \
  -Xlinker --wrap=_swift_stdlib_getSpecialMapping -Xlinker --wrap=_swift_stdlib_getCaseMapping \
  -Xlinker --wrap=_dl_get_origin -Xlinker --wrap=__cxa_demangle \
  -Xlinker --wrap=_ZN5swift8Demangle9__runtime12nodeToStringB5cxx11EPNS1_4NodeERKNS1_15DemangleOptionsE

# The programs over libcurl, libidn2 and libpsl are ordinary C programs: linked dynamically, and position-independent.
PART_FLAGS := -std=gnu17 -O2 -Wall -Wextra -Werror -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE -pie \
  -Wl,-z,relro -Wl,-z,now -Wl,--strip-all
# libcrypto comes first, because it has half of the symbols that the dynamic linker looks for in thirty libraries.
TRANSPORT_LIBRARIES := -Wl,--push-state,--no-as-needed -lcrypto -Wl,--pop-state -Wl,--as-needed -lcurl -lnghttp2
TRANSPORT_SOURCES := $(wildcard Sources/garner-transport/*.c Sources/garner-transport/*.h Sources/CTransport/include/*.h)

FORMATTED := Package.swift Sources Tests
MANUAL_PAGES := $(wildcard docs/*.[1-8])

# The Debian packages for building, running, testing and measuring.
BUILD_PACKAGES := make git libc6-dev libstdc++-12-dev libcurl4-openssl-dev libidn2-dev libpsl-dev libnghttp2-dev \
  libssl-dev libxxhash-dev zlib1g-dev libbrotli-dev libzstd-dev libyajl-dev
RUN_PACKAGES := libcurl4 libidn2-0 libpsl5 libssl3 ca-certificates
TEST_PACKAGES := curl shellcheck strace valgrind groff mandoc zsh fish
# With this, a test whose program is missing fails instead of being skipped.
COMPLETE := GARNER_TESTS_COMPLETE=1
# How many faults `make check` injects; `make torture` injects all.
TORTURE_SAMPLE := 3100
# The number of inputs for each fuzz target, which take less than half a minute for most targets.
FUZZ_RUNS := 200000
BENCH_PACKAGES := curl gcc 'nginx-light|nginx|nginx-core' openssl
# The peers of Tests/Interop/cases, and what their cases need.
INTEROP_PACKAGES := curl openssl 'nginx-light|nginx|nginx-core' wget python3-venv debootstrap man-db groff mandoc \
  zsh fish
# The packages for making the Debian package, and for checking it.
DEB_PACKAGES := dpkg-dev lintian

.PHONY: help setup setup-build setup-test setup-bench setup-interop build debug test test-release check format lint docs bench \
  bench-scale costs hit-order conformance demo torture torture-sample mutants fuzz fuzz-sample sanitize herd interop install \
  uninstall setup-deb deb dist release-check clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: setup-test ## Install the Debian packages that are missing for building and testing

setup-build:
	@Scripts/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES)

setup-test:
	@Scripts/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)

setup-bench:
	@Scripts/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES)

setup-interop:
	@Scripts/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) $(INTEROP_PACKAGES)

setup-deb:
	@Scripts/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES) $(DEB_PACKAGES)

build: setup-build ## Build the release binaries, .build/release/garner and the programs that are parts of it
	@# The build does not notice changes to files that only the linker reads.
	@for script in Scripts/sections.ld Scripts/hit.order; do \
	  if [ $(BINARY) -ot $$script ]; then rm -f $(BINARY); fi; done
	swift build $(RELEASE_FLAGS) --product garner
	@$(MAKE) --no-print-directory $(TRANSPORT) $(IDN) $(PSL)

$(IDN): Sources/garner-idn/main.c Makefile
	clang $(PART_FLAGS) $< -lidn2 -o $@

$(PSL): Sources/garner-psl/main.c Makefile
	clang $(PART_FLAGS) $< -lpsl -o $@

$(TRANSPORT): $(TRANSPORT_SOURCES) Makefile
	clang $(PART_FLAGS) -ISources/CTransport/include $(filter %.c,$^) $(TRANSPORT_LIBRARIES) -o $@

debug: setup-build
	swift build $(CHECKED)

test: setup-test ## Run all tests
	swift test $(CHECKED)

check: setup-test lint ## What must hold before a commit: lint, both builds, tests, documents, costs, a clean tree
	@mkdir -p .build && git status --porcelain > .build/status-before && git diff >> .build/status-before
	swift build $(CHECKED) --build-tests
	$(COMPLETE) swift test $(CHECKED) --skip-build
	@$(MAKE) --no-print-directory docs torture-sample test-release costs
	@{ git status --porcelain && git diff; } | cmp --silent .build/status-before - \
	  || { echo 'check: the tree has changed; commit the generated files, or ignore what is not to be kept'; exit 1; }

test-release: build setup-test ## Run what drives the binary with the release binary, which is compiled and linked otherwise
	@Scripts/check-left-out
	$(COMPLETE) GARNER_BINARY=$(CURDIR)/$(BINARY) swift test $(CHECKED) --filter 'ToolTests|ConformanceTests'

format: ## Format every Swift file
	swift format --in-place --parallel --recursive --configuration .swift-format $(FORMATTED)

lint: setup-test ## Report what the formatter would change, and what shellcheck says of the scripts
	swift format lint --strict --parallel --recursive --configuration .swift-format $(FORMATTED)
	git grep --files-with-matches -E '^#!.*(bash|/sh)$$' -- ':!docs' | \
	  xargs shellcheck --external-sources --severity=warning

docs: debug ## Write the manual pages and the completions from the table of flags
	@Scripts/generate-documents .build/debug/garner

bench: build setup-bench ## Measure garner beside cat, curl and others, in one run (ROWS="hit many", RECORD=1 keeps it)
	@Benchmarks/bench $(BINARY) $(if $(RECORD),--record)

costs: build setup-test ## Count instructions, system calls and bytes beside the record (RECORD=1 writes the first two)
	@Benchmarks/costs $(BINARY) $(if $(RECORD),--record)

# The binary keeps its symbols, because the order is a list of them.
hit-order: setup-test ## List anew what the linker lays side by side, because a hit calls or touches it
	swift build $(subst --strip-all,--strip-debug,$(RELEASE_FLAGS)) --product garner \
	  -Xlinker --no-demangle -Xlinker -Map=$(CURDIR)/.build/hit.map
	Benchmarks/hit-order $(BINARY) .build/hit.map > .build/hit.order
	mv .build/hit.order Scripts/hit.order

torture: debug ## Inject every fault into runs of the debug binary, and look for wrong answers (some 100,000 of them)
	.build/debug/torture $(TORTURE)

# The seed is fixed, so that a failure is due to the change that is checked. SEED draws other faults.
torture-sample: debug
	.build/debug/torture --sample $(TORTURE_SAMPLE) --seed $(or $(SEED),20261121)

mutants: setup-test ## Seed known bugs, one after the other, and show that a test catches each
	@Scripts/mutants $(MUTANTS)

bench-scale: build setup-bench setup-test ## Measure what a large store costs (SCALE="10 100000 1000000", under TMPDIR: 4 to 6 GB)
	swift build -c release $(CHECKED) --product store-maker
	swift build -c release $(CHECKED) --product origin
	@Benchmarks/scale $(BINARY) $(RELEASE_DIRECTORY)/store-maker $(RELEASE_DIRECTORY)/origin

# An optimised debug build: the fuzz targets can see the internals of the modules, and overflow still traps.
FUZZ_FLAGS := $(CHECKED) --scratch-path .build/fuzz --product fuzz --sanitize fuzzer \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -O -Xswiftc -DFUZZING

fuzz: setup-test ## Fuzz what reads hostile bytes, FUZZ_SECONDS (60) each target (MINIMISE=1 keeps what was found)
	swift build $(FUZZ_FLAGS)
	@Tests/Fuzz/run $(if $(MINIMISE),--minimise) $(TARGETS)

# The seed is fixed as in torture-sample, so that each check of a change tries the same inputs. SEED draws others.
fuzz-sample: setup-test
	swift build $(FUZZ_FLAGS)
	@FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SEED=$(or $(SEED),20261121) Tests/Fuzz/run $(TARGETS)

# These suites leave no room for what the sanitizers need of memory, descriptors and /proc.
SANITIZED := .build/sanitized
UNFIT_TO_SANITIZE := ArchiveMemoryTests|MemoryOnlyTests|OutputTests|ParallelMemoryTests|ProcessTests|TransportProgramTests

sanitize: setup-test ## Run what drives the binary with ThreadSanitizer in it, and garner-transport with those of memory
	swift build $(CHECKED) --scratch-path $(SANITIZED) --sanitize thread --product garner
	clang $(PART_FLAGS) -U_FORTIFY_SOURCE -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	  -ISources/CTransport/include Sources/garner-transport/*.c $(TRANSPORT_LIBRARIES) -o $(SANITIZED)/debug/garner-transport
	clang $(PART_FLAGS) Sources/garner-idn/main.c -lidn2 -o $(SANITIZED)/debug/garner-idn
	clang $(PART_FLAGS) Sources/garner-psl/main.c -lpsl -o $(SANITIZED)/debug/garner-psl
	swift build $(CHECKED) --build-tests
	GARNER_BINARY=$(CURDIR)/$(SANITIZED)/debug/garner swift test $(CHECKED) --skip-build \
	  --filter 'ToolTests|ConformanceTests' --skip '$(UNFIT_TO_SANITIZE)'

herd: build ## Many processes on one store, and an origin that counts (ARGUMENTS="--processes 16 --only killed")
	swift build $(CHECKED) --product herd
	@.build/debug/herd $(ARGUMENTS) $(BINARY)

conformance: setup-test ## Run the conformance cases and print the totals (RECORD=1 writes the expected outcomes)
	@GARNER_CONFORMANCE_RECORD=$(RECORD) swift test $(CHECKED) --filter ConformanceTests

# The case about Debian needs the package.
interop: $(if $(filter deb,$(or $(CASES),deb)),deb)
interop: debug setup-interop ## Run garner beside other people's programs: nginx, Debian and more (CASES="nginx")
	@$(COMPLETE) Tests/Interop/run .build/debug/garner $(CASES)

demo: build ## Show what garner does, with an origin of its own
	@swift build -c release $(CHECKED) --product origin
	@Scripts/demo $(BINARY) $(RELEASE_DIRECTORY)/origin

# Under sudo, the binaries that the user has built are installed without a build, so that root leaves no files in
# .build.
install: $(if $(and $(SUDO_UID),$(wildcard $(BINARY))),,build) ## Install under PREFIX (/usr/local), within DESTDIR
	install -D -m 755 $(BINARY) "$(BIN)/garner"
	install -D -m 755 $(TRANSPORT) "$(LIBEXEC)/garner-transport"
	install -D -m 755 $(IDN) "$(LIBEXEC)/garner-idn"
	install -D -m 755 $(PSL) "$(LIBEXEC)/garner-psl"
	for page in $(MANUAL_PAGES); do install -D -m 644 "$$page" "$(SHARE)/man/man$${page##*.}/$${page##*/}"; done
	install -D -m 644 completions/garner.bash "$(SHARE)/bash-completion/completions/garner"
	install -D -m 644 completions/_garner "$(DESTDIR)$(ZSH_COMPLETIONS)/_garner"
	install -D -m 644 completions/garner.fish "$(SHARE)/fish/vendor_completions.d/garner.fish"

uninstall: ## Remove what install put there
	rm -f "$(BIN)/garner" "$(LIBEXEC)/garner-transport" "$(LIBEXEC)/garner-idn" "$(LIBEXEC)/garner-psl" \
	  "$(SHARE)/bash-completion/completions/garner" \
	  "$(DESTDIR)$(ZSH_COMPLETIONS)/_garner" "$(SHARE)/fish/vendor_completions.d/garner.fish"
	for page in $(MANUAL_PAGES); do rm -f "$(SHARE)/man/man$${page##*.}/$${page##*/}"; done
	rmdir "$(LIBEXEC)" 2> /dev/null || true

deb: build setup-deb ## Make a Debian package, .build/deb/garner_VERSION-1_ARCHITECTURE.deb (MAINTAINER="NAME <ADDRESS>")
	@Scripts/make-deb

dist: ## Pack the sources of the last commit, .build/dist/garner-VERSION.tar.gz
	@Scripts/make-dist

release-check: ## What must hold before a version is tagged; says what is to be done then, and does nothing of it
	@Scripts/release-check

clean: ## Remove everything that was built
	rm -rf .build
