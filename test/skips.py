#!/usr/bin/env python3
"""Tests that need files which an environment variable names: skips.py BUILD

Asks ctest for its tests. One that fails or skips itself with a code of its own has SKIP_RETURN_CODE, and each script whose text reads such a
variable to find its input, and has no other work, ends with that code where the variable is not set. Exit code 1 if one does not.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import subprocess
import sys
from pathlib import Path

VARIABLES = ("TESSERA_CORPUS", "TESSERA_CUTILE", "TESSERA_CONFORMANCE", "TESSERA_ORACLE")
# These read such files beside what they do without.
PARTLY = {"sim-kernels", "sim-mutants", "mutate-dumps", "quality", "check-docs"}


def script_of(test):
    """The Python file that a test runs, if it is one."""
    command = test.get("command", [])
    folder = Path(next((p["value"] for p in test["properties"] if p["name"] == "WORKING_DIRECTORY"), "."))
    for word in command[:4]:
        if word.endswith(".py"):
            return Path(word)
    if "unittest" in command:
        return folder / f"{command[-1]}.py"
    return None


def main():
    told = json.loads(subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout)
    wrong, asked = [], 0
    for test in told["tests"]:
        script = script_of(test)
        if test["name"] in PARTLY or not script or not script.is_file():
            continue
        if not re.search(r"environ[^\n]*(" + "|".join(VARIABLES) + ")", script.read_text()):
            continue
        properties = {p["name"]: p["value"] for p in test["properties"]}
        asked += 1
        if properties.get("SKIP_RETURN_CODE") != 77:
            wrong.append(f"{test['name']}: expected SKIP_RETURN_CODE 77, but it has {properties.get('SKIP_RETURN_CODE')}")
        environment = {**os.environ, **dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))}
        for name in VARIABLES:
            environment.pop(name, None)
        done = subprocess.run(test["command"], env=environment, cwd=properties.get("WORKING_DIRECTORY"), capture_output=True, text=True, timeout=600)
        if done.returncode != 77:
            wrong.append(f"{test['name']}: exit code {done.returncode} without its files, expected 77: {(done.stdout + done.stderr)[-300:]}")
    if asked < 5:
        wrong.append(f"only {asked} tests read one of {', '.join(VARIABLES)}: has their spelling changed?")
    for line in wrong:
        print(line)
    print(f"skips: {asked} tests without their files, {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
