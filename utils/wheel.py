#!/usr/bin/env python3
"""Packs python/tessera, a library and the program beside it into a wheel: utils/wheel.py LIBRARY [FOLDER]

A wheel is a zip file with a list of what is in it (PEP 427), so that nothing but Python is needed. One wheel serves Python 3.9 and
later: the library knows nothing of Python, and the module that makes calls short has Python's limited API and may be missing.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKER = "tessera-worker"  # which the library starts
SHORT_CALL = "tessera_call.abi3.so"  # of python/call.c, where there were headers of Python


def version():
    return re.search(r'__version__ = "([^"]+)"', (ROOT / "python/tessera/__init__.py").read_text())[1]


def platform(library):
    """The oldest glibc whose symbols are enough, as PEP 600 writes it."""
    symbols = subprocess.run(["readelf", "--version-info", library], capture_output=True, text=True, check=True).stdout
    newest = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", symbols))
    return "manylinux_{}_{}_x86_64".format(*newest)


def needs(library):
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"NEEDED.*\[(.*)\]", dynamic)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n")[0])
    library, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2] if len(sys.argv) == 3 else ROOT / "dist")
    folder.mkdir(parents=True, exist_ok=True)
    soname = re.search(r'NAME = "([^"]+)"', (ROOT / "python/tessera/_library.py").read_text())[1]
    tag = f"py3-none-{platform(library)}"
    info = f"tessera-{version()}.dist-info"
    summary = "Kernels of CuTe DSL, tile programs and PTX, called from Python on GPUs and on the CPU"
    files = {f"tessera/{p.name}": p.read_bytes() for p in sorted((ROOT / "python/tessera").glob("*.py"))}
    files[f"tessera/{soname}"] = library.read_bytes()
    files[f"tessera/{WORKER}"] = (library.parent / WORKER).read_bytes()
    if (library.parent / SHORT_CALL).exists():
        files[f"tessera/{SHORT_CALL}"] = (library.parent / SHORT_CALL).read_bytes()
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
    foreign = [n for n in needs(library) if not re.match(r"(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so", n)]
    print(f"wheel: {wheel}, {wheel.stat().st_size / 1e6:.1f} MB" + (f"; it needs {', '.join(foreign)} of this machine" if foreign else ""))


if __name__ == "__main__":
    main()
