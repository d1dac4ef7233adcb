#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make fuzz`: both fuzz targets (README.md) for FUZZ_SECONDS each.
set -eu
command -v clang++-14 >/dev/null || {
  echo 'fuzzing needs clang: apt-get install clang libclang-rt-14-dev' >&2
  exit 1
}
cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DJAQUE_FUZZ=ON \
  -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 >/dev/null
ninja -C build-fuzz --quiet fuzz_differential fuzz_evaluate
mkdir -p build-fuzz/corpus
build-fuzz/tests/fuzz/fuzz_evaluate -max_total_time="${FUZZ_SECONDS:-60}" \
  -dict=tests/fuzz/jq.dict build-fuzz/corpus tests/fuzz/seeds
if command -v npm >/dev/null; then
  [ -d tests/fuzz/node_modules ] || (cd tests/fuzz && npm ci --silent)
fi
build-fuzz/tests/fuzz/fuzz_differential -max_total_time="${FUZZ_SECONDS:-60}" -len_control=0 \
  -max_len=2000
