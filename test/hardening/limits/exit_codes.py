#!/usr/bin/env python3
"""docs/exit-codes.md says what tessera/cli/Exits.def has, in the same order: exit_codes.py ROOT."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import sys

root = sys.argv[1]
rows = re.findall(r'^EXIT\((\d+), (\w+), "(.*)"\)$', open(os.path.join(root, "tessera/cli/Exits.def")).read(), re.M)
said = re.findall(r"^\| (\d+) \| (\w+) \| (.*) \|$", open(os.path.join(root, "docs/exit-codes.md")).read(), re.M)
if not rows or rows != said:
    print("docs/exit-codes.md has other rows than tessera/cli/Exits.def:")
    for row in sorted(set(rows) ^ set(said)):
        print("  only in", "the table:" if row in rows else "the page:", row)
    sys.exit(1)
print(f"exit codes: {len(rows)} rows agree")
