#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds both fuzz targets (README.md) and runs each for FUZZ_SECONDS; with FUZZ_RUNS=N, about N
# programs from FUZZ_SEED: the same every time, which is what CI wants. Exit code 77 says that
# something is missing that cannot be had here (no network, not root), so a part was skipped.
set -eu
cd "$(dirname "$0")/../.."
build=${FUZZ_BUILD:-build-fuzz}

skip() {
  echo "skipped: $1"
  exit 77
}

sh deploy/setup.sh deploy/fuzz-packages.txt || skip "both targets: no clang 14 with libFuzzer here"
if [ -n "${FUZZ_RUNS:-}" ]; then
  evaluate="-seed=${FUZZ_SEED:-1} -runs=$FUZZ_RUNS"
  # Inputs that do not follow from what they cover: the same programs whatever changes in the code.
  inputs=$build/inputs-${FUZZ_SEED:-1}
  rm -rf "$inputs"
  mkdir -p "$inputs"
  i=0
  while [ $((i * 24)) -lt "$FUZZ_RUNS" ]; do # up to 24 programs of each
    echo "${FUZZ_SEED:-1} $i" >"$inputs/$i"
    i=$((i + 1))
  done
  differential="-runs=0 $inputs"
else
  evaluate="-max_total_time=${FUZZ_SECONDS:-60}"
  differential=$evaluate
fi

# -O1: quick to build, and nearly as quick to run under the sanitizers.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Fuzz -DCMAKE_CXX_FLAGS_FUZZ="-O1 -g1" \
  -DJAQUE_FUZZ=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 >/dev/null
ninja -C "$build" --quiet fuzz_differential fuzz_evaluate

# Where a target finds something it leaves the input in the build folder. Not exit code 77, which
# is libFuzzer's own: here it means skipped.
run() {
  name=$1
  shift
  echo "$name: $*"
  "$build/tests/fuzz/$name" -error_exitcode=1 -timeout=20 -entropic=0 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$build/$name-" "$@" 2>&1 ||
    { echo "$name found something: see above, and $build/$name-*" && exit 1; }
}
# A stack for each allocation costs more than the program under test.
export ASAN_OPTIONS="malloc_context_size=2:${ASAN_OPTIONS:-}"
rm -rf "$build/corpus"
mkdir -p "$build/corpus"
# shellcheck disable=SC2086
run fuzz_evaluate $evaluate -dict=tests/fuzz/jq.dict "$build/corpus" tests/fuzz/seeds

command -v npm >/dev/null || sh deploy/setup.sh deploy/npm-packages.txt ||
  skip "the comparison with jq: no npm here"
[ -d tests/fuzz/node_modules/jq-wasm ] || (cd tests/fuzz && timeout 300 npm ci --silent) ||
  skip "the comparison with jq: its package jq-wasm cannot be fetched here"
# shellcheck disable=SC2086
run fuzz_differential $differential -len_control=0 -max_len=2000
