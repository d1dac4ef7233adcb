#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs those of the listed Debian packages that are missing: deploy/setup.sh LIST...
# Quick where nothing is missing; as root, or with sudo. "package@command" is only wanted where the
# command is missing: Node.js from elsewhere brings an npm that Debian's conflicts with.
set -eu

packages=
for package in $(sed -e 's/#.*//' "$@"); do
  case "$package" in
    *@*) command -v "${package#*@}" >/dev/null || packages="$packages ${package%@*}" ;;
    *) packages="$packages $package" ;;
  esac
done
missing=
# One query: dpkg answers with a line for each package that it knows.
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $packages 2>/dev/null |
  sed -n 's/ installed$//p') || true
for package in $packages; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "Not root and no sudo here: please install as root:$missing" >&2
    exit 1
  }
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
