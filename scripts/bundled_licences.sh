#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies into FOLDER what Debian's packages say of the copyright of the libraries that a program or
# library needs, one file a package.
#
#   scripts/bundled_licences.sh FILE FOLDER
set -euo pipefail

# The package of a file, which may be listed without the /usr that /lib now leads to.
package_of() {
  { dpkg -S "$1" || dpkg -S "${1#/usr}"; } 2>/dev/null | head -n 1 | cut -d: -f1
}

mkdir -p "$2"
ldd "$1" | awk '$3 ~ "^/" { print $3 }' | while read -r library; do
  package=$(package_of "$(realpath "$library")")
  case $package in
    libc6 | libstdc++6 | libgcc-s1) ;;  # the system's own, which are not shipped
    *) cp "/usr/share/doc/$package/copyright" "$2/$package.txt" ;;
  esac
done
