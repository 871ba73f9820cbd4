#!/usr/bin/env bash
# Installs what building and testing Tessera takes, from the Debian repositories that are configured: utils/setup.sh [PACKAGES besides]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A second run only asks dpkg. TESSERA_SETUP=skip leaves the packages alone, for machines that get them otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

label="${SETUP_LABEL:-packages  }"

packages=(
  # compiler, linker, LLVM and MLIR: libraries, tools, lit and FileCheck
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libclang-rt-22-dev
  # layout and mistakes of C++
  clang-format-22 clang-tidy-22
  # what LLVM's archives refer to
  libzstd-dev zlib1g-dev libxml2-dev
  # build
  cmake ninja-build ccache make
  # libraries of tests, benchmarks and command lines
  libgtest-dev libbenchmark-dev libcli11-dev
  # scripts: references of the demo, the portable binary, cuTile Python for examples of docs/tile.md
  python3 python3-numpy python3-typing-extensions xz-utils
  # headers of Python, for python/call.c
  libpython3-dev
  "$@"
)

if [ "${TESSERA_SETUP:-}" = skip ]; then
  echo "$label skipped (TESSERA_SETUP=skip)"
  exit 0
fi
command -v dpkg-query >/dev/null ||
  fail "no dpkg here: set-up is written for Debian 12. With LLVM and MLIR 22 installed, TESSERA_SETUP=skip goes on without it"

# missing: those of `packages` that are not installed.
missing() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

mapfile -t needed < <(missing)
if [ ${#needed[@]} -eq 0 ]; then
  echo "$label ok (${#packages[@]} installed: LLVM and MLIR $(dpkg-query -W -f '${source:Upstream-Version}' libmlir-22-dev), clang, cmake, ninja, …)"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "missing packages: ${needed[*]}. Run as root, or install sudo, or have them installed"
  as_root=(sudo)
fi

log=$(mktemp -t tessera-setup.XXXXXX.log)
started=$SECONDS
export DEBIAN_FRONTEND=noninteractive

# apt STEP ARGS...: runs apt-get with its output in the log; prints how far it is at most every 5 seconds.
apt() {
  local step=$1 last=-5 kind percent
  shift
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
    apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=1 "$@" 2>&1 </dev/null |
    tee -a "$log" |
    while IFS=: read -r kind _ percent _; do
      case $kind in dlstatus) kind=download ;; pmstatus) kind=install ;; *) continue ;; esac
      if [ $((SECONDS - last)) -ge 5 ]; then
        last=$SECONDS
        printf '%s %s %s %s%% (%s)\n' "$label" "$step" "$kind" "${percent%%.*}" "$(duration $((SECONDS - started)))"
      fi
    done; then
    tail -n 20 "$log" >&2
    fail "apt-get $1 failed; all it said is in $log"
  fi
}

echo "$label ${#needed[@]} of ${#packages[@]} are missing: ${needed[*]}"
apt "package lists:" update
for package in "${needed[@]}"; do
  [ -n "$(apt-cache madison "$package" 2>/dev/null)" ] ||
    fail "no configured repository has $package. Debian 12 has it: main of bookworm, or of bookworm-security for LLVM 22"
done
apt "packages:" install --no-install-recommends "${needed[@]}"

mapfile -t needed < <(missing)
[ ${#needed[@]} -eq 0 ] || fail "apt-get said it installed everything, but these are missing: ${needed[*]}; see $log"
rm -f "$log"
echo "$label ok (installed in $(duration $((SECONDS - started))))"
