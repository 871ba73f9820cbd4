#!/usr/bin/env python3
"""Packs python/tessera, a library and the program beside it into a wheel: utils/wheel.py LIBRARY [FOLDER]

A wheel is a zip file with a list of what is in it (PEP 427), so that nothing but Python is needed. One wheel serves Python 3.9 and
later: the library knows nothing of Python, and the module that makes calls short has Python's limited API and may be missing.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

import glibc

ROOT = Path(__file__).resolve().parent.parent
WORKER = "tessera-worker"  # which the library starts
SHORT_CALL = "tessera_call.abi3.so"  # of python/call.c, where there were headers of Python


def version():
    return re.search(r'__version__ = "([^"]+)"', (ROOT / "python/tessera/__init__.py").read_text())[1]


def platform(files):
    """The oldest glibc that has what all of them need, as PEP 600 writes it; nothing older than 2.28, which is what we promise."""
    return "manylinux_{}_{}_x86_64".format(*max([(2, 28), *(glibc.needs(f)[0] for f in files)]))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n")[0])
    library, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2] if len(sys.argv) == 3 else ROOT / "dist")
    folder.mkdir(parents=True, exist_ok=True)
    soname = re.search(r'NAME = "([^"]+)"', (ROOT / "python/tessera/_library.py").read_text())[1]
    binaries = {soname: library, **{name: library.parent / name for name in (WORKER, SHORT_CALL)}}
    binaries = {name: path for name, path in binaries.items() if name != SHORT_CALL or path.exists()}
    tag = f"py3-none-{platform(binaries.values())}"
    info = f"tessera-{version()}.dist-info"
    summary = "Kernels of CuTe DSL, tile programs and PTX, called from Python on GPUs and on the CPU"
    files = {f"tessera/{p.name}": p.read_bytes() for p in sorted((ROOT / "python/tessera").glob("*.py"))}
    files.update({f"tessera/{name}": path.read_bytes() for name, path in binaries.items()})
    files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: tessera\nVersion: {version()}\nSummary: {summary}\nRequires-Python: >=3.9\n"
                                 "License: Apache-2.0 WITH LLVM-exception\n").encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: utils/wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    wheel = folder / f"tessera-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes from the same files
            entry.external_attr = (0o100755 if name.endswith(f"/{WORKER}") else 0o100644) << 16
            out.writestr(entry, data, zipfile.ZIP_DEFLATED)
    foreign = sorted({n for path in binaries.values() for n in glibc.needs(path)[1] if not glibc.OF_GLIBC.fullmatch(n) and n not in binaries})
    print(f"wheel: {wheel}, {wheel.stat().st_size / 1e6:.1f} MB" + (f"; it needs {', '.join(foreign)} of this machine" if foreign else ""))


if __name__ == "__main__":
    main()
