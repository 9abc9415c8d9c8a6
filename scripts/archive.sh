#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes dist/dragoman-VERSION-linux-x86_64.tar.gz of what is built in BUILD (build/release): the
# program, the library with its headers, and all shared libraries that they need but for those of the
# C and C++ compiler. It runs where it is unpacked, on Debian 12 and newer.
#
#   scripts/archive.sh [BUILD]
#
# The same commit gives the same bytes on the same system. Needs patchelf.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release}
command -v patchelf >/dev/null || PATH="$(scripts/peers.sh wheel)/bin:$PATH"
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
version=$("$build/dragoman" --version | cut -d' ' -f2)
name=dragoman-$version-linux-$(uname -m)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/$name

for component in program library; do
  cmake --install "$build" --prefix "$root" --component "$component" >/dev/null
done
library=$(dirname "$(find "$root" -name 'libdragoman.so')")
bundle=$root/lib/dragoman
mkdir -p "$bundle" "$root/onednn/lib" "$root/onednn/include"

# Libraries that programs need, by ldd, but for the system's own.
ldd "$root/bin/dragoman" | awk '$3 ~ "^/" { print $1, $3 }' | while read -r soname path; do
  case $soname in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | libpthread.so.* | libdl.so.*) ;;
    # Apart, so that programs that are compiled on the spot find it, and its headers.
    libdnnl.so.*) cp -L "$path" "$root/onednn/lib/$soname" ;;
    *) cp -L "$path" "$bundle/$soname" ;;
  esac
done
cp -r /usr/include/oneapi /usr/include/dnnl.hpp "$root/onednn/include/"

# relink FILE: makes FILE look for its libraries in the archive.
relink() {
  local folder
  folder=$(dirname "$1")
  patchelf --set-rpath "\$ORIGIN/$(realpath --relative-to="$folder" "$bundle"):\$ORIGIN/$(
    realpath --relative-to="$folder" "$root/onednn/lib")" "$1"
}
relink "$root/bin/dragoman"
relink "$(realpath "$library/libdragoman.so")"
for file in "$bundle"/* "$root/onednn/lib"/*; do
  chmod 755 "$file"
  relink "$file"
done
scripts/bundled_licences.sh "$build/dragoman" "$root/share/doc/dragoman/libraries"

mkdir -p dist
tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -C "$scratch" -cf - "$name" |
  gzip -n -9 >"dist/$name.tar.gz"
(cd dist && sha256sum -- *.whl *.tar.gz 2>/dev/null >SHA256SUMS || true)
echo "dist/$name.tar.gz"
