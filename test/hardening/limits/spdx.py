#!/usr/bin/env python3
"""The list of what a build is made of: spdx.py FILE.spdx.json SCRIPT. Whole, with a licence for each part, and the same
bytes for the same arguments."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import subprocess
import sys

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
for relation in document["relationships"]:
    if not {relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids:
        wrong.append(f"a relation to what is not there: {relation}")
if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]):
    wrong.append(f"created is {document['creationInfo']['created']}")
command = [sys.executable, sys.argv[2], "--version", "1.2.3", "--commit", "a" * 40, "--date", "2026-01-01T00:00:00Z", "--llvm", "22.1.8", "--static"]
first, second = (subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2))
if first != second or b"zstd" not in first:
    wrong.append("two runs differ, or a static build has no zstd")
print("\n".join(wrong) or f"spdx: {len(names)} packages")
sys.exit(bool(wrong))
