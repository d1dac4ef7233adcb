#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make fuzz`: both fuzz targets (README.md) for FUZZ_SECONDS each. With FUZZ_RUNS=N, that many
# runs from one seed: the same every time, which is what CI wants.
set -eu
sh deploy/setup.sh deploy/fuzz-packages.txt
if [ -n "${FUZZ_RUNS:-}" ]; then
  bound="-seed=1 -runs=$FUZZ_RUNS"
else
  bound="-max_total_time=${FUZZ_SECONDS:-60}"
fi
launcher=$(command -v ccache || true)
cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DJAQUE_FUZZ=ON \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
  -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 >/dev/null
ninja -C build-fuzz --quiet fuzz_differential fuzz_evaluate
rm -rf build-fuzz/corpus
mkdir -p build-fuzz/corpus
# shellcheck disable=SC2086
build-fuzz/tests/fuzz/fuzz_evaluate $bound -dict=tests/fuzz/jq.dict build-fuzz/corpus \
  tests/fuzz/seeds
command -v npm >/dev/null || sh deploy/setup.sh deploy/npm-packages.txt
[ -d tests/fuzz/node_modules ] || (cd tests/fuzz && npm ci --silent)
# shellcheck disable=SC2086
build-fuzz/tests/fuzz/fuzz_differential $bound -len_control=0 -max_len=2000
