# `make demo` runs the main job; `make test` passes the tests. Both need Rust, a C compiler,
# Python 3.11 or newer and make; everything else comes from package registries.

SHELL := bash
.DEFAULT_GOAL := help
CARGO ?= cargo
STEP := .ci/step
SOLIO := $(or $(CARGO_TARGET_DIR),target)/release/solio
DEBUG_SOLIO := $(or $(CARGO_TARGET_DIR),target)/debug/solio

# The newest suitable interpreters: any Python from 3.11 on for the package, exactly 3.13 for
# Blender as a module. Empty when there is none.
find-python = $(firstword $(foreach p,$(1),$(shell $(p) -c 'import sys; sys.exit(not $(2))' 2>/dev/null && echo $(p))))
PYTHON ?= $(call find-python,python3 python3.14 python3.13 python3.12 python3.11 $(wildcard $(HOME)/.pyenv/versions/3.1[1-4]*/bin/python),sys.version_info >= (3, 11))
PYTHON313 ?= $(call find-python,python3.13 $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python),sys.version_info[:2] == (3, 13))
# All of them, one a version: the wheel is tried in each.
PYTHONS := $(foreach v,3.11 3.12 3.13 3.14,$(firstword $(foreach p,$(shell command -v python$(v)) $(wildcard $(HOME)/.pyenv/versions/$(v)*/bin/python),$(shell $(p) -c 'import venv; print("$(p)")' 2>/dev/null))))

# ZFP in `solio lab`: its library is built with cmake, its header read with libclang.
LIBCLANG := $(wildcard $(foreach d,/usr/lib/llvm*/lib /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /usr/local/lib,$(d)/libclang.so* $(d)/libclang-[0-9]*.so*))
HAS_ZFP := $(and $(shell command -v cmake),$(or $(LIBCLANG_PATH),$(LIBCLANG)))
ZFP := $(if $(HAS_ZFP),--features solio-cli/zfp)
# With the same features everywhere, the command and the wheel for tests take what the Rust tests have built.
TESTED := --features solio-cli/as-tested $(ZFP)
WHEEL_TESTED := --features as-tested $(if $(HAS_ZFP),--features zfp)

# Equal source makes equal bytes: of the time that outputs name, too.
BUILT_AT = $(shell git log -1 --format=%ct 2>/dev/null || echo 1700000000)

.PHONY: help demo test test-rust test-python test-web test-blender test-arm test-windows check-macos test-slow test-tiers test-asan doc-count soak deny sbom bench bench-table dist static c site clean
.PHONY: instructions third-party wheel try-wheel try-oldest extension binary sdist source sums recipes docker release-check lint-workflows ci set-version check-tag publish-crates publish-python publish-release publish-docker docker-context notes

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: ## Export, read back and convert a 2-million-vertex mesh; print the table (ARGS="--input FILE")
	$(CARGO) build --release -p solio-cli $(ZFP)
	$(SOLIO) demo $(ARGS)

test: test-rust test-python test-web test-blender ## All tests

test-rust: ## Format, lints, Rust tests, the repository's own rules
	@$(STEP) "format" $(CARGO) fmt --all --check
	@$(STEP) "lints" $(CARGO) clippy --workspace --all-targets --quiet $(TESTED) -- -D warnings
	@$(STEP) "rust tests" $(CARGO) test --workspace --quiet $(TESTED)

test-python: .venv/ready .venv/oracle ## The Python package: tests, types, stubs
	@rm -rf dist/test # of two versions pip takes none
	@$(STEP) "python wheel" .venv/bin/maturin build --quiet --out dist/test --interpreter .venv/bin/python $(WHEEL_TESTED)
	@$(STEP) "python install" .venv/bin/pip install --quiet --force-reinstall --no-deps dist/test/solio-*.whl
	@$(STEP) "python tests" env SOLIO_COMMAND=$(abspath $(DEBUG_SOLIO)) .venv/bin/python -m pytest -q python/tests
	@$(STEP) "python types" .venv/bin/python -m mypy --strict python/solio python/solio_command python/tests
	@$(STEP) "python stubs" .venv/bin/python -m mypy.stubtest --mypy-config-file pyproject.toml solio

test-web: .venv/ready ## The pages that Solio makes, in a headless browser (needs Chromium)
	@$(STEP) "command" $(CARGO) build --quiet -p solio-cli -p solio-bench $(TESTED)
	@$(STEP) "page in a browser" env SOLIO_COMMAND=$(abspath $(DEBUG_SOLIO)) .venv/bin/python -m pytest -q web/tests

test-windows: ## The Rust tests on Windows (x86-64, a shell of MSYS2), elsewhere with wine (needs mingw-w64 and wine64)
	@$(STEP) "windows" .ci/windows

test-blender: ## Blender 5.2.3 and Solio write the same bytes (needs Python 3.13)
ifeq ($(PYTHON313),)
	@echo "== blender: skipped (no Python 3.13, which Blender as a module needs)"
else
	@$(STEP) "blender" .ci/blender $(PYTHON313) $(WHEEL_TESTED)
endif

check-macos: ## All crates checked, linted and linked for macOS, both CPUs (a Mac, or zig)
	@$(STEP) "macos" .ci/macos

test-slow:
	@$(STEP) "slow rust tests" $(CARGO) test --release --workspace $(ZFP) -- --ignored
	@$(STEP) "fuzz" .ci/fuzz
	@$(STEP) "instructions" $(MAKE) instructions
	@test ! -x .venv-blender/bin/python || $(STEP) "random scenes" .venv-blender/bin/python blender/tests/generated.py
	@$(STEP) "peers" $(MAKE) bench

# The crates with kernels, and what stands on them.
KERNELS := $(foreach c,base codec color exr mesh scene,-p solio-$(c)) -p solio

test-tiers: ## The tests of kernels and what uses them, on each tier of CPUs (minutes)
	@for tier in scalar sse2 avx2 avx512; do \
		case $$tier in avx2|avx512) grep -qw "$${tier/512/512f}" /proc/cpuinfo \
			|| { echo "== tests on $$tier: skipped (this CPU has none)"; continue; };; esac; \
		$(STEP) "tests on $$tier" env SOLIO_CPU=$$tier $(CARGO) test --quiet $(KERNELS) || exit 1; done

test-arm: ## The tests on AArch64, elsewhere under qemu's emulation; writes data/platforms (minutes; ARGS=CRATE…)
	@$(STEP) "tests on AArch64" .ci/arm $(ARGS)

# libdeflate has tables of one name in several files, which are no fault; memory that is given back
# stays with the sanitizer for a while, which one test of peaks counts.
test-asan: ## AddressSanitizer over the crates with unsafe code and those on them (nightly; minutes)
	@$(STEP) "tests with AddressSanitizer" env RUSTFLAGS=-Zsanitizer=address \
		ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 \
		$(CARGO) +nightly test --quiet --tests --target $$(rustc -vV | sed -n 's/^host: //p') \
		-p solio-base -p solio-codec -p solio-measure -p solio-io -p solio-exr -p solio-photo $(ARGS) \
		-- --skip the_peak_begins_anew

soak: ## Half an hour of work and kills (SECONDS_EACH=…, ARGS="--seed N")
	$(CARGO) build --release -p solio-cli $(ZFP)
	@$(STEP) "soak" .ci/soak $(SOLIO) --seconds $(or $(SECONDS_EACH),1800) $(ARGS)

doc-count: ## How much of the public interface is documented, and with examples, by rustdoc (nightly)
	@.ci/doc-count

deny: ## Licences, bans, sources and known faults of all dependencies
	@$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install --quiet --locked cargo-deny
	@$(STEP) "cargo deny" $(CARGO) deny check licenses bans sources
	@if $(CARGO) deny fetch db >/dev/null 2>&1; then $(STEP) "advisories" $(CARGO) deny check advisories; \
		else echo "== advisories: skipped (their database cannot be reached)"; fi

sbom: ## What the command is made of, as CycloneDX, in dist/solio.cdx.json
	@mkdir -p dist
	@$(CARGO) cyclonedx --version >/dev/null 2>&1 || $(CARGO) install --quiet --locked cargo-cyclonedx
	@$(STEP) "sbom" env SOURCE_DATE_EPOCH=$(BUILT_AT) $(CARGO) cyclonedx --quiet --format json \
		--override-filename solio.cdx --manifest-path crates/solio-cli/Cargo.toml
	@# Our own crates are named by the folder of the build; that is no news to anybody.
	@sed -E 's#path[+]file://[^"#]*/crates/#path+crates/#; s#[?]download_url=file://[^"#]*##' \
		crates/solio-cli/solio.cdx.json >dist/solio.cdx.json; rm -f crates/*/solio.cdx.json patched/*/solio.cdx.json
	@! grep -n 'file://' dist/solio.cdx.json

bench: ## Compare with the peers that are installed; write bench/record
	@$(STEP) "bench" $(PYTHON) bench/run $(ARGS)

bench-table: ## Write the tables of README.md and bench/RESULTS.md from the newest records
	$(PYTHON) bench/table.py

# The wheel is for the glibc of the VFX reference platform. Zig links it, which knows what every glibc had; C is
# compiled by the machine's compiler all the same, so nothing gets slower.
OLD_GLIBC := 2.28
HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
# What a release is built for, a Rust target, or universal2-apple-darwin for wheels; this machine's unless said.
TARGET ?= $(HOST)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
OWN_COMPILER = $(if $(filter $(HOST),$(TARGET)),CC_$(subst -,_,$(HOST))=cc CXX_$(subst -,_,$(HOST))=c++)
# No Windows has the library of C++ of mingw-w64, which is linked in.
OWN_LIBRARY = $(if $(findstring windows-gnu,$(TARGET)),CXXSTDLIB_STATIC_$(subst -,_,$(TARGET))=1)
WHEEL_FOR = $(if $(findstring linux-gnu,$(TARGET)),--zig --compatibility manylinux_$(subst .,_,$(OLD_GLIBC)) --target $(TARGET),\
	$(if $(findstring linux-musl,$(TARGET)),--zig --compatibility musllinux_1_2 --target $(TARGET),\
	$(if $(filter-out $(HOST),$(TARGET)),--target $(TARGET))))
# Of another system none is here; the wheel is for all from 3.11 on.
WHEEL_PYTHON = $(if $(or $(filter $(HOST),$(TARGET)),$(findstring linux,$(TARGET))),--interpreter .venv/bin/python)
# `PROFILE=dev` builds in a fraction of the time what tries the way, and is not handed out.
PROFILE ?= dist
BUILT = dist/$(TARGET)

dist: ## The wheel, with the command, and Blender's extension, in dist/; both are tried
	rm -f dist/solio-*.whl dist/solio_io-*.zip
	$(MAKE) wheel
	$(MAKE) extension
	$(MAKE) try-wheel

third-party: # the licences of what is linked in, which every archive and wheel holds
	@mkdir -p dist
	$(CARGO) about --version >/dev/null 2>&1 || $(CARGO) install --quiet --locked cargo-about --features cli
	$(CARGO) about generate --manifest-path crates/solio-python/Cargo.toml --fail about.hbs -o dist/THIRD-PARTY.txt

wheel: .venv/ready third-party ## The wheel for TARGET (a Rust target; this machine), packed, in dist/
	rm -rf $(BUILT)
	.venv/bin/pip install --quiet --disable-pip-version-check ziglang deflate stream-zip
	SOURCE_DATE_EPOCH=$(BUILT_AT) $(OWN_COMPILER) $(OWN_LIBRARY) PATH=$(abspath .venv/bin):$$PATH \
		.venv/bin/maturin build --profile $(PROFILE) --out $(BUILT) $(WHEEL_PYTHON) $(WHEEL_FOR)
	$(if $(findstring linux-gnu,$(TARGET)),.venv/bin/python .ci/glibc $(OLD_GLIBC) $(BUILT)/solio-*.whl)
	$(if $(findstring windows-gnu,$(TARGET)),.ci/dlls $(BUILT)/solio-*.whl)
	.venv/bin/python .ci/pack-wheel $(BUILT)/solio-*.whl dist/THIRD-PARTY.txt
	mv $(BUILT)/solio-*.whl dist/

try-wheel: ## The wheel in dist/ in a fresh environment of each Python, and Blender's extension in Blender
	.ci/try-dist dist $(PYTHONS)

try-oldest: .venv/ready ## The wheel in dist/ in the oldest system it is for (a container), or by its symbols
	.ci/oldest dist $(OLD_GLIBC)

# Blender's own programs are for glibc, and for one kind of processor each.
EXTENSION_WHEELS = $(or $(wildcard dist/solio-*-manylinux*_x86_64.whl dist/solio-*-win_amd64.whl \
	dist/solio-*-macosx_*_arm64.whl dist/solio-*-macosx_*_x86_64.whl),$(wildcard dist/solio-*.whl))

extension: ## Blender's extension with the wheels in dist/, one a platform
	$(PYTHON) blender/build.py --wheel $(EXTENSION_WHEELS) --out dist

binary: .venv/ready third-party ## The command and the C interface for TARGET in archives, in dist/
	.venv/bin/pip install --quiet --disable-pip-version-check cargo-zigbuild ziglang pyelftools
	SOURCE_DATE_EPOCH=$(BUILT_AT) $(OWN_COMPILER) $(OWN_LIBRARY) PATH=$(abspath .venv/bin):$$PATH .ci/binary $(TARGET) $(PROFILE) $(OLD_GLIBC)

sdist: .venv/ready ## The source of the Python package, as an index gets it, in dist/
	rm -f dist/solio-$(VERSION).tar.gz
	.venv/bin/maturin sdist --out dist

source: ## The whole source of this commit in an archive, in dist/
	@mkdir -p dist
	git archive --format tar --prefix solio-$(VERSION)/ HEAD | gzip -9n >dist/solio-$(VERSION)-source.tar.gz

sums: ## SHA256SUMS of what is in dist/
	cd dist && sha256sum -- $$(ls | grep -E '^solio.*\.(whl|zip|gz|json)$$') >SHA256SUMS && cat SHA256SUMS

recipes: ## The recipes of packaging/ for this version and dist/SHA256SUMS, in dist/recipes
	$(PYTHON) packaging/fill --sums dist/SHA256SUMS --out dist/recipes

docker-context: # the static commands of the archives in dist/, by docker's names of processors
	rm -rf dist/docker && mkdir -p dist/docker
	for cpu in x86_64=amd64 aarch64=arm64; do \
		archive=dist/solio-$(VERSION)-$${cpu%=*}-unknown-linux-musl.tar.gz; test -f $$archive || continue; \
		mkdir dist/docker/$${cpu#*=} && tar -xzf $$archive -C dist/docker/$${cpu#*=} --strip-components 1; done

docker: docker-context ## The image of this machine (needs docker and make binary TARGET=…-unknown-linux-musl)
	docker build --file packaging/docker/Dockerfile --tag solio:$(VERSION) dist/docker

IMAGE := ghcr.io/solio-io/solio
publish-docker: docker-context ## The image, for both processors, to $(IMAGE) (GH_TOKEN)
	@printf %s "$$GH_TOKEN" | docker login ghcr.io --username "$${GITHUB_ACTOR:-solio-io}" --password-stdin
	docker buildx create --use
	docker buildx build --file packaging/docker/Dockerfile --platform linux/amd64,linux/arm64 --push \
		--tag $(IMAGE):$(VERSION) --tag $(IMAGE):latest dist/docker

# Which crates an index gets; the others are `publish = false`.
release-check: .venv/ready ## Packages as they would be published, installed where nothing else is (PROFILE=dev; ARGS=--allow-dirty)
	.venv/bin/pip install --quiet --disable-pip-version-check twine pyelftools
	PROFILE=$(if $(filter file,$(origin PROFILE)),dev,$(PROFILE)) OLD_GLIBC=$(OLD_GLIBC) .venv/bin/python .ci/release-check $(ARGS)

lint-workflows: ## Workflows, recipes and the Dockerfile by the linters that are there
	@.ci/lint-workflows

ci: ## What continuous integration runs: what is missing is installed, then `make test`
	bash .ci/run

set-version: ## VERSION=1.2.3 wherever the version stands
	@.ci/version $(VERSION)

check-tag: ## That TAG is the tag of this version, and that its changes have a date
	@.ci/version --check $(TAG)

publish-crates: ## All crates to crates.io, each after those it needs (CARGO_REGISTRY_TOKEN)
	$(CARGO) publish --workspace --locked

publish-python: .venv/ready ## The wheels and the source in dist/ to PyPI (in a workflow: by trusted publishing)
	.venv/bin/pip install --quiet --disable-pip-version-check uv
	.venv/bin/uv publish dist/solio-*.whl dist/solio-$(VERSION).tar.gz

publish-release: ## What is in dist/ as the release of tag v$(VERSION) on GitHub (needs gh)
	gh release create v$(VERSION) --verify-tag --title "Solio $(VERSION)" --notes-file dist/NOTES.md \
		$$(cut -c67- dist/SHA256SUMS | sed 's#^#dist/#') dist/SHA256SUMS

notes: ## What changed in this version, for its release, in dist/NOTES.md
	@mkdir -p dist
	awk '/^## /{ on = ($$2 == "$(VERSION)"); next } on' CHANGELOG.md >dist/NOTES.md && test -s dist/NOTES.md

instructions: ## What sixty small works cost in instructions, against bench/instructions.tsv (ARGS=--bless; needs valgrind)
	$(CARGO) build --release --quiet -p solio-cli
	bench/instructions $(ARGS)

c: ## The C interface: header, library, pkg-config and CMake files in PREFIX (dist/c)
	$(CARGO) build --profile dist -p solio-c
	.ci/install-c $(or $(CARGO_TARGET_DIR),target)/dist $(or $(PREFIX),dist/c)

static: .venv/ready ## The command as one static file, dist/solio-static, tried in an empty root (Linux)
	.venv/bin/pip install --quiet --disable-pip-version-check cargo-zigbuild ziglang
	@$(STEP) "static command" .ci/musl

site: .venv-site/ready ## The guide and the references as a site, in dist/site
	@$(STEP) "command" $(CARGO) build --quiet -p solio-cli $(ZFP)
	@$(STEP) "site" env SOLIO_COMMAND=$(abspath $(DEBUG_SOLIO)) NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --quiet --strict --clean

clean: ## Remove what make made
	$(CARGO) clean
	rm -rf .venv .venv-site .venv-blender .venv-bench dist fuzz/target bench/*/target

.venv/ready:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found; set PYTHON=/path/to/python"; exit 1; }
	@$(STEP) "python environment" sh -c '$(PYTHON) -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check "maturin>=1.9.4,<2" numpy pytest mypy playwright pyelftools'
	@touch $@

.venv-site/ready: docs/requirements.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found; set PYTHON=/path/to/python"; exit 1; }
	@$(STEP) "environment of the site" sh -c '$(PYTHON) -m venv .venv-site && .venv-site/bin/pip install --quiet --disable-pip-version-check -r docs/requirements.txt'
	@touch $@

# The references that images, colours, sequences and tables are compared with; without them those
# tests are skipped.
.venv/oracle: .venv/ready
	@.venv/bin/pip install --quiet --disable-pip-version-check OpenEXR==3.5.3 \
		|| echo "== OpenEXR of the reference: skipped (it cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check Pillow==12.0.0 tifffile==2026.3.3 imagecodecs==2026.3.6 \
		|| echo "== Pillow and tifffile: skipped (they cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check coloraide==8.13.1 \
		|| echo "== coloraide: skipped (it cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check pyarrow \
		|| echo "== pyarrow: skipped (it cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check jsonschema \
		|| echo "== jsonschema: skipped (it cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check Fileseq==3.4.0 \
		|| echo "== Fileseq: skipped (it cannot be installed)"
	@.venv/bin/pip install --quiet --disable-pip-version-check "moto[s3,server]" \
		|| echo "== moto, the store of the reference: skipped (it cannot be installed)"
	@for engine in ray "dask[dataframe]" daft pyspark; do \
		.venv/bin/pip install --quiet --disable-pip-version-check "$$engine" \
			|| echo "== $$engine: skipped (it cannot be installed)"; done
	@touch $@
