#!/usr/bin/env python3
"""Programs and libraries for an older glibc: they link, need no more than it has, and do what they should. old_glibc.py SOURCE CC CXX

The folder that TESSERA_OLD_GLIBC names, if any, has ld-linux-x86-64.so.2 and the libraries of an older glibc, with which they are run
too (utils/old-glibc.sh makes one).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, CC, CXX = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
HERE = Path(__file__).resolve().parent
OLDEST = "2.28"
NO_DLSYM = "-Ddlsym=noneIsNewer"  # Functions.c finds nothing newer, so that what it has instead is run
failed = []


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


def made(*command):
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")


def expect(holds, what):
    if not holds:
        failed.append(what)
        print(f"wrong: {what}")


def newest(file):
    """By binutils or LLVM's objdump, which utils/glibc.py does not use."""
    table = run("objdump", "-T", file)
    if table.returncode:
        table = run("llvm-objdump-22", "-T", file)
    return max(tuple(map(int, v.split("."))) for v in re.findall(r"\*UND\*.*GLIBC_(\d[\d.]*)", table.stdout))


def main():
    check = lambda *files: run(sys.executable, SOURCE / "utils/glibc.py", "check", OLDEST, *files)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made(sys.executable, SOURCE / "utils/glibc.py", "stubs", OLDEST, folder)
        for part in "Functions", "Start":
            made(CC, "-O2", "-fPIC", "-fvisibility=hidden", "-c", SOURCE / f"cmake/glibc/{part}.c", "-o", folder / f"{part}.o")
        made(CC, "-O2", "-fPIC", "-fvisibility=hidden", NO_DLSYM, "-c", SOURCE / "cmake/glibc/Functions.c", "-o", folder / "Always.o")
        (folder / "none.c").write_text("void *noneIsNewer(void *in, const char *name) { return in = (void *)name, (void *)0; }\n")
        made(CC, "-fPIC", "-c", folder / "none.c", "-o", folder / "none.o")
        old = [f"-L{folder}", "-fuse-ld=lld", "-Wl,--wrap=__libc_start_main", "-static-libgcc", "-static-libstdc++",
               "-Wl,--as-needed", "-lpthread", "-ldl", "-lm"]
        made(CXX, "-std=c++20", "-O1", "-fPIC", "-c", HERE / "Program.cpp", "-o", folder / "Program.o")
        started = folder / "Start.o"
        for name, parts, options in (("position-independent", ["Functions.o"], ["-pie"]), ("fixed", ["Functions.o"], ["-no-pie"]),
                                     ("fallbacks", ["Always.o", "none.o"], ["-no-pie"])):
            program = folder / name
            made(CXX, *options, folder / "Program.o", *(folder / p for p in parts), started, *old, "-o", program)
            expect(newest(program) <= (2, 28), f"{name} needs glibc {newest(program)}")
            expect(check(program).returncode == 0, f"{name}: {check(program).stderr}")
            here = run(program)
            expect(here.stdout == "ok\n" and here.returncode == 0, f"{name}: {here.stdout}{here.stderr} ({here.returncode})")
            if root := os.environ.get("TESSERA_OLD_GLIBC"):
                there = run(Path(root) / "ld-linux-x86-64.so.2", "--library-path", root, program)
                expect(there.stdout == "ok\n" and there.returncode == 0, f"{name} with {root}: {there.stdout}{there.stderr} ({there.returncode})")

        # A library that throws, without a start file, in a program that knows nothing of it.
        (folder / "lib.cpp").write_text('#include <stdexcept>\n#include <string>\n#include <filesystem>\n'
                                        'extern "C" int caught() {\n  try {\n    throw std::runtime_error("x");\n  } catch (std::exception &e) {\n'
                                        '    return e.what() == std::string("x") && std::filesystem::is_directory("/");\n  }\n}\n')
        library = folder / "libthrows.so"
        made(CXX, "-std=c++20", "-shared", "-fPIC", folder / "lib.cpp", folder / "Functions.o", *old, "-o", library)
        expect(newest(library) <= (2, 28), f"the library needs glibc {newest(library)}")
        loaded = run(sys.executable, "-c", f"import ctypes; print(ctypes.CDLL('{library}').caught())")
        expect(loaded.stdout == "1\n", f"the library: {loaded.stdout}{loaded.stderr}")
        shown = run("nm", "-D", "--defined-only", library).stdout
        expect("stat" not in shown.split() and "_dl_find_object" not in shown.split(), "the library exports what it has instead of glibc's")

        # What is not there cannot be linked, and what this machine's linker makes is found out: gettid is of 2.30.
        (folder / "newer.c").write_text("int gettid(void);\nint main(void) { return gettid() == 0; }\n")
        refused = run(CC, folder / "newer.c", folder / "Functions.o", started, *old[:4], "-o", folder / "newer")
        expect(refused.returncode and "gettid" in refused.stderr, f"a link with gettid: {refused.returncode} {refused.stderr}")
        made(CC, folder / "newer.c", "-o", folder / "newer")
        refused = check(folder / "newer")
        expect(refused.returncode and re.search(r"gettid of 2\.30", refused.stderr), f"the check of gettid: {refused.returncode} {refused.stderr}")
        made(CXX, folder / "Program.o", "-lpthread", "-ldl", "-o", folder / "here")
        refused = check(folder / "here")
        expect(refused.returncode and "may lack: libstdc++.so.6" in refused.stderr, f"the check of libstdc++: {refused.stderr}")
    print("old-glibc: " + (f"{len(failed)} wrong" if failed else "ok"))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
