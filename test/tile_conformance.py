#!/usr/bin/env python3
"""NVIDIA's lit tests of the dialect `cuda_tile`, unchanged, with our tools.

    tile_conformance.py BIN [TESTS] [--keep FOLDER]

BIN has cuda-tile-opt and cuda-tile-translate. TESTS is the folder `dialect-tests`; without it, that of $TESSERA_CUTILE. A line for each file that
fails, unless `expected` below says why it may, and a count. Exits with 77, which ctest takes for skipped, where there is no folder.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Files that differ from NVIDIA's tools for a reason. They must fail: one that passes is taken out here.
expected = {
    "Bytecode/unsupportedVersionTest.mlir": "names 13.3 as the newest version; ours is 13.4",
}
# The C API and the Python bindings are other programs than ours.
folders = ["Bytecode", "Dialect", "Transforms"]


def tool(name):
    """The full path of one of LLVM's tools."""
    for candidate in (name, f"/usr/lib/llvm-22/bin/{name}", f"{name}-22"):
        if found := shutil.which(candidate):
            return found
    sys.exit(f"tile_conformance.py: expected {name} on PATH or in /usr/lib/llvm-22/bin (Debian: llvm-22-tools)")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("bin", type=pathlib.Path)
    arguments.add_argument("tests", type=pathlib.Path, nargs="?")
    arguments.add_argument("--keep", type=pathlib.Path, help="a folder for what lit writes")
    options = arguments.parse_args()
    tests = options.tests or pathlib.Path(os.environ.get("TESSERA_CUTILE", "")) / "dialect-tests"
    if not (tests / "lit.cfg.py").is_file():
        print("tile_conformance.py: skipped, as neither an argument nor TESSERA_CUTILE names a folder with dialect-tests")
        sys.exit(77)

    work = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="tile-conformance-"))
    shutil.copytree(tests, work / "test", dirs_exist_ok=True, copy_function=shutil.copyfile)
    for script in (work / "test").rglob("*.sh"):
        script.chmod(0o755)
    tools = pathlib.Path(tool("FileCheck")).resolve().parent
    (work / "test" / "lit.site.cfg.py").write_text(f"""
config.llvm_obj_root = {str(work)!r}
config.llvm_tools_dir = {str(tools)!r}
config.llvm_lib_dir = {str(tools.parent / "lib")!r}
config.llvm_use_sanitizer = ""
config.llvm_shlib_ext = ".so"
config.host_os = "Linux"
config.host_cxx = "c++"
config.python_executable = {sys.executable!r}
config.cuda_tile_tool_dir = {str(options.bin.resolve())!r}
config.cuda_tile_obj_root = {str(work / "out")!r}
config.cuda_tile_lib_dir = {str(options.bin.resolve())!r}
config.cuda_tile_install_dir = ""
config.enable_bindings_python = False
import lit.llvm
lit.llvm.initialize(lit_config, config)
lit_config.load_config(config, {str(work / "test" / "lit.cfg.py")!r})
""")
    run = subprocess.run([tool("lit"), "-v", *(str(work / "test" / folder) for folder in folders)], capture_output=True, text=True)
    outcomes = {name: outcome for outcome, name in re.findall(r"^(PASS|FAIL|UNRESOLVED|UNSUPPORTED|TIMEOUT): \S+ :: (\S+)", run.stdout, re.M)}
    if not outcomes:
        sys.exit(f"tile_conformance.py: lit ran nothing\n{run.stdout}{run.stderr}")
    wrong = files = cases = right = 0
    for name, outcome in sorted(outcomes.items()):
        count = (tests / name).read_text(errors="replace").count("\n// -----") + 1
        cases += count
        if outcome == "PASS":
            files += 1
            right += count
        if outcome == "PASS" and name in expected:
            print(f"{name}: passes, but is listed as: {expected[name]}")
            wrong += 1
        elif outcome != "PASS" and name in expected:
            print(f"{name}: differs: {expected[name]}")
        elif outcome != "PASS":
            print(f"{name}: {outcome.lower()}")
            wrong += 1
    print(f"{files} of {len(outcomes)} files pass, with {right} of {cases} cases; {wrong} are wrong")
    if not options.keep:
        shutil.rmtree(work)
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
