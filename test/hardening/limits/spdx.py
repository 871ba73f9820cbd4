#!/usr/bin/env python3
"""The list of what a build is made of: spdx.py FILE.spdx.json SCRIPT. Whole, with a licence for each part and each library that a program or
library beside it asks for, and the same bytes for the same arguments."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

document = json.load(open(sys.argv[1]))
wrong = []
ids = {p["SPDXID"] for p in document["packages"]} | {document["SPDXID"]}
names = {p["name"] for p in document["packages"]}
if not {"tessera", "googletest", "libstdc++", "glibc"} <= names:
    wrong.append(f"packages are missing: {sorted(names)}")
for one in document["packages"]:
    for field in ("SPDXID", "name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
        if not one.get(field):
            wrong.append(f"{one.get('name')} has no {field}")
    if one["licenseDeclared"] == "NOASSERTION" or not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one["SPDXID"]):
        wrong.append(f"{one['name']}: {one['licenseDeclared']}, {one['SPDXID']}")
    # What is linked is known when the build is made; what is found at run time may be of any version.
    if one["name"] not in ("ptxas", "libcuda") and not re.match(r"\d+(\.\d+)*\b", one["versionInfo"]):
        wrong.append(f"{one['name']} has no version: {one['versionInfo']}")
for relation in document["relationships"]:
    if not {relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids:
        wrong.append(f"a relation to what is not there: {relation}")
if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]):
    wrong.append(f"created is {document['creationInfo']['created']}")
# What the loader brings in says what was linked.
PACKAGES = {"libMLIR": "mlir", "libLLVM": "llvm", "libstdc++": "libstdc++", "libgcc_s": "libstdc++", "libc": "glibc", "libm": "glibc", "libdl": "glibc",
            "libpthread": "glibc", "libresolv": "glibc", "librt": "glibc", "ld-linux-x86-64": "glibc", "ld-linux-aarch64": "glibc", "libz": "zlib", "libzstd": "zstd", "libcuda": "tessera",
            "libtessera": "tessera", "libtessera_cuda": "tessera"}
build = Path(sys.argv[1]).parent
files = [*build.glob("bin/tessera*"), *build.glob("bin/cuda-tile-*"), *build.glob("lib/*.so*"), *build.glob("lib/cuda/*.so*")]
asked = 0
for file in {file.resolve() for file in files if file.is_file() and not file.name.endswith("-test") and "-hardening-" not in file.name}:
    listed = subprocess.run([shutil.which("readelf") or "llvm-readelf-22", "-d", file], capture_output=True, text=True)
    for needed in re.findall(r"NEEDED.*\[(.*)\]", listed.stdout):
        asked += 1
        package = PACKAGES.get(re.sub(r"\.so.*", "", needed))
        if not package and not needed.startswith("libtessera"):
            wrong.append(f"{file.name} asks for {needed}, of which this test does not know the package")
        elif package and package not in names:
            wrong.append(f"{file.name} asks for {needed}, but the list has no {package}")
if not asked:
    wrong.append(f"{build} has no program that asks for a library")
command = [sys.executable, sys.argv[2], "--version", "1.2.3", "--commit", "a" * 40, "--date", "2026-01-01T00:00:00Z", "--llvm", "22.1.8", "--static"]
first, second = (subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2))
if first != second or b"zstd" not in first:
    wrong.append("two runs differ, or a static build has no zstd")
print("\n".join(wrong) or f"spdx: {len(names)} packages")
sys.exit(bool(wrong))
