#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make lint`: clang-format and clang-tidy on the C++ files that differ from the main branch, or on
# all with LINT_ALL=1. LINT_BASE names another base.
set -eu
base=${LINT_BASE:-main}
build=${BUILD_DIR:-build}

if [ -n "${LINT_ALL:-}" ] || ! git rev-parse -q --verify "$base" >/dev/null; then
  files=$(git ls-files '*.cc' '*.h')
else
  from=$(git merge-base HEAD "$base")
  # On the main branch itself: the last commit and what is not committed.
  [ "$from" != "$(git rev-parse HEAD)" ] || from=$(git rev-parse -q --verify HEAD~1 || echo HEAD)
  files=$(git diff --name-only --diff-filter=d "$from" -- '*.cc' '*.h')
  files="$files $(git ls-files --others --exclude-standard '*.cc' '*.h')"
fi
files=$(echo $files)
[ -n "$files" ] || { echo 'lint: nothing changed'; exit 0; }

echo "clang-format: $(echo "$files" | wc -w) files"
clang-format --dry-run -Werror $files

sources=
for file in $files; do
  case $file in *.cc) sources="$sources $file" ;; esac
done
[ -n "$sources" ] || exit 0
echo "clang-tidy: $(echo "$sources" | wc -w) files"
ninja -C "$build" --quiet jaque_proto
echo "$sources" | tr ' ' '\n' | grep . |
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build"
