#!/usr/bin/env bash
# Runs a portable program, and a wheel, with a glibc as old as they promise: utils/old-glibc.sh PROGRAM [WHEEL]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian 11 is the oldest whose packages the mirrors still have: glibc 2.31, which still has libpthread and libdl. Its packages are
# unpacked in build/old-glibc, through apt with lists of its own, and nothing is installed. What came after 2.28 is then renamed in a
# copy of its libraries, so that the loader refuses who asks for it. What is not shown: that 2.28's own code does the same.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

program=$(realpath "${1:?usage: utils/old-glibc.sh PROGRAM [WHEEL]}")
wheel=${2:+$(realpath "$2")}
oldest=2.28
folder=$PWD/build/old-glibc
root=$folder/root
libraries=$folder/$oldest

if [ ! -f "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,root}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye main" >"$folder/sources.list"
  options=(-q -y -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/nonexistent -o "Dir::State=$folder/state"
    -o Dir::State::status=/dev/null -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
  log=$folder/apt.log
  { apt-get "${options[@]}" update &&
    apt-get "${options[@]}" --no-install-recommends --download-only install libc6 python3-minimal python3-numpy; } >"$log" 2>&1 ||
    fail "Debian 11 cannot be had; all that apt said is in $log"
  for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  mkdir -p "$root"/{tmp,proc,dev} "$libraries"
  cp -L "$root"/lib/x86_64-linux-gnu/{ld-linux-x86-64,libc,libm,libdl,libpthread,librt}.so.* "$libraries"
  # Libraries and what they ask of each other are renamed alike, so that they still fit.
  sed -i -E 's/GLIBC_2\.(29|3[0-9])/GLIBC_9.\1/g' "$libraries"/*.so.*
  # What the packages' scripts would do: numpy asks for these two by name, and they are choices of the system.
  for library in blas/libblas.so.3 lapack/liblapack.so.3; do ln -sf $library "$root/usr/lib/x86_64-linux-gnu"; done
  touch "$folder/complete"
fi
# with_old COMMAND...: this command with the old libraries, all of its symbols looked up at once.
with_old() { LD_BIND_NOW=1 "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$@"; }
# in_old COMMAND...: this command in the old system, which has the devices and processes of this one.
in_old() {
  unshare --map-root-user --mount bash -c 'mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && exec env -i "$(command -v chroot)" "$0" "$@"' "$root" "$@"
}

# The means are fit for it: this machine's own programs are refused, those of 2.28 are not.
if with_old /bin/true 2>"$folder/refused"; then fail "$libraries runs a program of this machine's glibc"; fi
grep -q "version .GLIBC_2.3[0-9]. not found" "$folder/refused" || fail "the old loader says: $(cat "$folder/refused")"

work=$(mktemp -d -t tessera-glibc.XXXXXX)
trap 'rm -rf "$work"' EXIT
TESSERA_OLD_GLIBC=$libraries test/hardening/glibc/old_glibc.py "$PWD" clang-22 clang++-22
for arch in sm_80 sm_90a; do
  for run in "" with_old; do $run "$program" compile examples/gemm.mlir --arch $arch --emit ptx --no-cache -o "$work/${run:-here}.ptx"; done
  cmp "$work/here.ptx" "$work/with_old.ptx" || fail "$program compiles to another text with glibc $oldest"
done
with_old "$program" layout 'composition((4,8):(8,1), 16:2)' >"$work/old"
"$program" layout 'composition((4,8):(8,1), 16:2)' | cmp - "$work/old" || fail "$program computes another layout with glibc $oldest"
for run in "" with_old; do
  $run "$program" run examples/program/twice.mlir --device sim --arch sm_90a --arg rand:f32:256:seed=1 --arg out:f32:256 --save "1=$work/${run:-here}.npy" >/dev/null
done
cmp "$work/here.npy" "$work/with_old.npy" || fail "$program simulates to other numbers with glibc $oldest"
if with_old "$program" compile /dev/null --emit ptx --no-cache 2>"$work/error"; then fail "$program compiles nothing"; fi
echo "old glibc  $program: PTX, a layout, a run on the simulator and an error are the same as here"

cp "$program" "$root/tmp/tessera"
in_old /tmp/tessera --version >/dev/null || fail "$program does not run in Debian 11"
if [ -n "$wheel" ]; then
  rm -rf "$root/tmp/site" && mkdir "$root/tmp/site"
  python3 -m zipfile -e "$wheel" "$root/tmp/site"
  chmod +x "$root/tmp/site/tessera/tessera-worker"
  cp examples/program/twice.mlir "$root/tmp"
  cat >"$root/tmp/wheel.py" <<'PYTHON'
import sys
sys.path.insert(0, "/tmp/site")
import numpy, tessera
x, y = numpy.arange(256, dtype="f4"), numpy.zeros(256, "f4")
tessera.load("/tmp/twice.mlir", device="sim", cache=False, compile_timeout=600)(x, y)
assert (y == 2 * x).all(), y
print("old glibc  the wheel computes in Python %d.%d with numpy %s" % (*sys.version_info[:2], numpy.__version__))
PYTHON
  in_old /usr/bin/python3.9 /tmp/wheel.py || fail "$wheel does not work in Debian 11"
fi
echo "old glibc: ok ($(in_old /lib/x86_64-linux-gnu/libc.so.6 | head -n 1))"
