#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes virtual environments of the programs that tests/peers compares Dragoman with, and prints the
# folder of each, one per line.
#
#   scripts/peers.sh NAME...         those of tests/peers/requirements/NAME.txt
#   scripts/peers.sh --list          the names there are
#   scripts/peers.sh --made NAME...  makes none: exits 77 where one is not there
#
# They lie in DRAGOMAN_PEERS (~/.cache/dragoman-peers), outside the checkout, and are kept for as
# long as their requirements stay the same. Some take two minutes and gigabytes to make. Exits 77,
# "skipped", where one cannot be made, as without a network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../tests/peers/requirements"

root=${DRAGOMAN_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/dragoman-peers}
python=${DRAGOMAN_PEERS_PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

skip() {
  echo "peers.sh: skipped: $*" >&2
  exit 77
}

# Makes the environment $2 of the requirements $1, unless another process has done so meanwhile.
make_environment() (
  exec 9>"$2.lock"
  flock 9
  [ ! -e "$2.ready" ] || exit 0
  echo "peers.sh: making $2" >&2
  rm -rf "$2"
  "$python" -m venv "$2" >&2 || skip "no virtual environment; on Debian, install python3-venv"
  "$2/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check -r "$1" >&2 ||
    skip "the packages of $1 cannot be installed"
  touch "$2.ready"
)

if [ "${1:-}" = --list ]; then
  printf '%s\n' *.txt | sed 's/\.txt$//'
  exit
fi
makes=true
if [ "${1:-}" = --made ]; then
  makes=false
  shift
fi
[ $# -gt 0 ] || { echo "usage: scripts/peers.sh --list | [--made] NAME..." >&2; exit 2; }

mkdir -p "$root"
# Environments of another Python than Debian's stand beside the others.
suffix=
[ "$python" = /usr/bin/python3 ] ||
  suffix=-$("$python" -c 'import sys; print("py%d.%d" % sys.version_info[:2])')
for name in "$@"; do
  [ -f "$name.txt" ] || { echo "peers.sh: no $name.txt among" *.txt >&2; exit 2; }
  hash=$(sha256sum "$name.txt" | cut -c1-12)
  environment=$root/$name-$hash$suffix
  [ -e "$environment.ready" ] || $makes || skip "$name is not made"
  [ -e "$environment.ready" ] || make_environment "$name.txt" "$environment"
  echo "$environment"
done
