#!/usr/bin/env python3
"""Programs for an older glibc than this machine's: libraries to link with, and what a file needs.

utils/glibc.py stubs VERSION FOLDER     libc.so, libm.so and others in FOLDER, which have what glibc VERSION had of this machine's
                                        symbols and no code: for -L. cmake/glibc has what such a link needs besides
utils/glibc.py check VERSION FILE...    fails if a file needs a symbol that is newer, or a library that is not of glibc or beside it
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import shutil
import subprocess
import sys
from pathlib import Path

# What libc.so.6 took over from other libraries in 2.32 to 2.34, by the beginning of names. Programs for older versions have to name
# the library where the symbol was; newer ones still have it, empty.
MOVED = {
    "libdl.so.2": ("dladdr", "dlclose", "dlerror", "dlinfo", "dlmopen", "dlopen", "dlsym", "dlvsym"),
    "libpthread.so.0": ("pthread_", "__pthread_", "sem_", "call_once", "cnd_", "mtx_", "thrd_", "tss_"),
    "librt.so.1": ("aio_", "lio_", "mq_", "shm_", "timer_"),
}
OF_GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[a-z0-9-]+)\.so\.\d+")
LD = "ld-linux-x86-64.so.2"


def fail(text):
    sys.exit(f"error: {text}")


def program(*names):
    """The first of these programs that is here."""
    for name in names:
        if found := shutil.which(name):
            return found
    fail(f"none of {', '.join(names)} is installed")


def run(*command, text=None):
    done = subprocess.run(command, capture_output=True, text=True, input=text)
    if done.returncode:
        fail(f"{' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def number(version):
    """GLIBC_2.28 or 2.28 as (2, 28); None for others, as GLIBC_PRIVATE."""
    found = re.fullmatch(r"(?:GLIBC_)?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, found[1].split("."))) if found else None


def symbols(library):
    """{name: [(version, is the default, type, size)]} of the symbols that a library defines."""
    out = {}
    for line in run(program("llvm-readelf-22", "readelf"), "--dyn-syms", "--wide", library).splitlines():
        found = re.match(r"\s*\d+: [0-9a-f]+\s+(\w+) (\w+)\s+(?:GLOBAL|WEAK|UNIQUE)\s+\S+\s+(?!UND)\w+ ([^@\s]+)(@@?)(\S+)", line)
        if found and (version := number(found[5])):
            out.setdefault(found[3], []).append((version, found[4] == "@@", found[2], int(found[1], 0)))
    return out


def home(library, name, versions, newest):
    """The library that had a symbol of `library` in glibc `newest`."""
    if library != "libc.so.6" or max(versions)[0] <= newest:
        return library
    return next((old for old, names in MOVED.items() if name.startswith(names)), library)


def stubs(newest, folder):
    """Writes the libraries: each symbol that programs may link with now, in the newest version that `newest` had."""
    folder.mkdir(parents=True, exist_ok=True)
    clang = program("clang-22", "clang", "gcc")
    find = lambda name: Path(run(clang, f"-print-file-name={name}").strip()).resolve()
    had = {name: {} for name in ("libc.so.6", "libm.so.6", LD, *MOVED)}  # library: {name: (version, type, size)}
    for library in ("libc.so.6", "libm.so.6", LD):
        for name, versions in symbols(find(library)).items():
            old = [v for v in versions if v[0] <= newest]
            if old and any(default for _, default, _, _ in versions):
                version, _, kind, size = max(old)
                had[home(library, name, versions, newest)][name] = (version, kind, size)
    for library, its in had.items():
        code, nodes = [".section .note.GNU-stack,\"\",@progbits"], {}
        for name, (version, kind, size) in sorted(its.items()):
            nodes.setdefault(version, []).append(name)
            if kind == "OBJECT":  # as long as it is, because a program has a copy; TLS is nothing that programs link with
                code.append(f".bss\n.balign 32\n.globl {name}\n.type {name}, @object\n.size {name}, {size}\n{name}: .zero {max(size, 1)}")
            elif kind != "TLS":
                code.append(f".text\n.globl {name}\n.type {name}, @function\n{name}: .byte 0")
        versions = "".join(f"GLIBC_{'.'.join(map(str, v))} {{ {' '.join(n + ';' for n in names)} }};\n" for v, names in sorted(nodes.items()))
        short = folder / library
        short.with_suffix(".s").write_text("\n".join(code) + "\n")
        short.with_suffix(".map").write_text(versions.replace("{", "{ global:", 1).replace("}", "local: *; }", 1))
        run(clang, "-shared", "-nostdlib", "-fuse-ld=lld", f"-Wl,-soname,{library},--version-script,{short.with_suffix('.map')}",
            short.with_suffix(".s"), "-o", short)
        plain = folder / re.sub(r"\.so\.\d+$", ".so", library)
        if library == "libc.so.6":
            plain.write_text(f"GROUP ( {library} {find('libc_nonshared.a')} AS_NEEDED ( {LD} ) )\n")
        elif library != LD:
            plain.unlink(missing_ok=True)
            plain.symlink_to(library)


def needs(file):
    """(the newest version of glibc that a file needs, the libraries, [(version, name)] of its symbols, its name for others)."""
    readelf = program("llvm-readelf-22", "readelf")
    versions = [v for v in re.findall(r"Name: GLIBC_(\S+)", run(readelf, "--version-info", "--wide", file)) if v != "PRIVATE"]
    # One without a number, as ABI_DT_RELR, is asked of loaders since 2.36.
    newest = max((number(v) or (2, 36) for v in versions), default=(0,))
    dynamic = run(readelf, "--dynamic", "--wide", file)
    libraries = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    own = re.findall(r"SONAME.*\[(.*)\]", dynamic)
    table = run(readelf, "--dyn-syms", "--wide", file)
    used = sorted((number(v), name) for name, v in re.findall(r" UND ([^@\s]+)@GLIBC_(\d[\d.]*)", table))
    return newest, libraries, used, own[0] if own else Path(file).name


def check(newest, files):
    text = lambda version: ".".join(map(str, version))
    all_needs = {file: needs(file) for file in files}
    beside = {own for _, _, _, own in all_needs.values()}
    wrong = []
    for file, (its, libraries, used, _) in all_needs.items():
        foreign = [n for n in libraries if not OF_GLIBC.fullmatch(n) and n not in beside]
        if foreign:
            wrong.append(f"{file} needs shared libraries that a host may lack: {', '.join(foreign)}")
        if its > newest:
            newer = ", ".join(f"{name} of {text(v)}" for v, name in used if v > newest)
            wrong.append(f"{file} needs glibc {text(its)}, but hosts with {text(newest)} are to run it: {newer or 'no symbol'}")
        print(f"glibc      {Path(file).name} needs {text(its)}, {' '.join(libraries)}")
    if wrong:
        fail("\n".join(wrong))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("stubs", "check") or not number(sys.argv[2]):
        sys.exit(__doc__)
    if sys.argv[1] == "stubs":
        stubs(number(sys.argv[2]), Path(sys.argv[3]))
    else:
        check(number(sys.argv[2]), sys.argv[3:])


if __name__ == "__main__":
    main()
