# SPDX-License-Identifier: Apache-2.0
# What people and CI call; `make help` lists it. Each target sets up what it needs: on Debian 12, as
# root or with sudo, nothing has to be installed before.

SANITIZE ?=
BUILD_DIR := build
ifeq ($(SANITIZE),address,undefined)
BUILD_DIR := build-asan
else ifeq ($(SANITIZE),thread)
BUILD_DIR := build-tsan
else ifneq ($(SANITIZE),)
BUILD_DIR := build-$(SANITIZE)
endif

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS ?= 2
LISTEN ?= 127.0.0.1:8080
DATA ?= .jaque-data
ENGINES ?= 3
TTL ?= 3s
KEEP ?=
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?=

# Folders with test data of others (README, "Tests"); tests run in other folders, so absolute.
TEST_DATA := JAQUE_JQ_TESTS JAQUE_CTK_DIR JAQUE_DSL_DIR JAQUE_CASES
$(foreach name,$(TEST_DATA),$(if $($(name)),$(eval export $(name) := $(abspath $($(name))))))

# Compiled objects are found again whatever folder the project lies in.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

CONFIGURE = cmake -S . -B $(BUILD_DIR) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DSANITIZE=$(SANITIZE) \
  $(shell command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache) \
  $(shell command -v mold >/dev/null && echo -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)

.PHONY: help run cluster test build all lint bench fuzz setup clean

help:
	@echo 'make run     set up, build, serve the samples; what it does is kept in DATA=.jaque-data'
	@echo 'make cluster a cluster on this machine to play with; ENGINES=3, TTL=3s, KEEP=1'
	@echo 'make test    set up, build, every test; SANITIZE=address,undefined or thread'
	@echo 'make build   the binary alone: build/jaque'
	@echo 'make lint    clang-format and clang-tidy on what changed; LINT_ALL=1 for everything'
	@echo 'make bench   measure: workflows a second, start-up, memory, size, expressions'
	@echo 'make fuzz    fuzz the expression language for FUZZ_SECONDS (60)'
	@echo 'make setup   install the Debian packages that are missing'
	@echo 'make clean   remove the build folders'

setup:
	@sh deploy/setup.sh deploy/packages.txt

$(BUILD_DIR)/build.ninja: CMakeLists.txt cmake/room.cmake
	@$(CONFIGURE) >$(BUILD_DIR).configure.log 2>&1 || { cat $(BUILD_DIR).configure.log; exit 1; }
	@mkdir -p $(BUILD_DIR) && mv $(BUILD_DIR).configure.log $(BUILD_DIR)/configure.log
	@touch $@

# The packages come first, also where make runs several targets at once.
build: setup
	@$(MAKE) -s --no-print-directory $(BUILD_DIR)/build.ninja
	@ninja -C $(BUILD_DIR) -j$(JOBS) --quiet jaque

all: setup
	@$(MAKE) -s --no-print-directory $(BUILD_DIR)/build.ninja
	@ninja -C $(BUILD_DIR) -j$(JOBS)

run: build
	@sh deploy/greeting.sh $(LISTEN)
	@exec $(BUILD_DIR)/jaque -target all -http-listen $(LISTEN) -data-dir $(DATA) \
	  -samples deploy/samples

# Runs beside what else is here: free ports, a folder of its own, loopback.
cluster: build
	@exec env JAQUE_BINARY=$(BUILD_DIR)/jaque LISTEN=$(LISTEN) ENGINES=$(ENGINES) TTL=$(TTL) \
	  KEEP=$(KEEP) python3 deploy/cluster.py

test: all
	@ctest --test-dir $(BUILD_DIR) --output-on-failure -j$(TEST_JOBS)

lint: setup
	@sh deploy/setup.sh deploy/lint-packages.txt
	@$(MAKE) -s --no-print-directory $(BUILD_DIR)/build.ninja
	@BUILD_DIR=$(BUILD_DIR) sh tests/tidy/lint.sh

bench: all
	@python3 tests/bench/bench.py $(BUILD_DIR)

fuzz: setup
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_RUNS=$(FUZZ_RUNS) sh tests/fuzz/run.sh

clean:
	rm -rf build build-*
