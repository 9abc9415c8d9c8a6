#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Dragoman needs to build and to be tested, on Debian 12 or 13; only what is missing.
# Runs as root, or through sudo.
set -euo pipefail

packages=(
  ca-certificates git ccache cmake dpkg-dev file g++ lld make ninja-build clang
  libbrotli-dev libcli11-dev libdnnl-dev libfmt-dev libgtest-dev libgmock-dev libjemalloc-dev libonnx-dev
  libonnx-testdata libprotobuf-dev libssl-dev libxxhash-dev libzip-dev nlohmann-json3-dev
  protobuf-compiler locales
  libjpeg-dev libopenjp2-7-dev libpng-dev libtiff-dev libwebp-dev
  chromium chromium-driver  # to test pages: 133 MB to download, 440 MB installed
  python3 python3-dev python3-numpy python3-onnx python3-protobuf python3-venv
)

die() {
  echo "install-deps.sh: $*" >&2
  exit 1
}

# The Debian release this machine runs: a number, or "sid".
debian_release() {
  [ -r /etc/os-release ] || return 0
  (. /etc/os-release && [ "${ID:-}" = debian ] && echo "${VERSION_ID:-sid}") || true
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

release=$(debian_release)
case $release in
  12) packages+=(clang-format-14 clang-tidy-14) ;;
  13 | sid) ;;
  *)
    echo "install-deps.sh: not Debian 12 or 13: nothing installed; needed: ${packages[*]}" >&2
    exit 0
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install-deps.sh: everything is installed"
  exit 0
fi

run=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || die "run this as root, or install sudo; missing: ${missing[*]}"
  run=(sudo "${run[@]}")
fi
echo "install-deps.sh: installing ${missing[*]}"
"${run[@]}" apt-get update -q </dev/null
"${run[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
