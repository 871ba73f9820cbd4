#!/usr/bin/env python3
"""Runs the commands that the documents show: utils/check-docs.py BIN [FILE.md ...]

Every line of a ```text block that begins with `tessera`, `tessera-opt` or `build/dev/bin/` is run in a folder of its own, where kernel.mlir
and twice.mlir are the README's kernel (y = 2 x for 256 f32), X.npy its input, Y.npy another and REF.npy what it is to
compute, and add.tilebc is the tile program of examples/tile. A ```python block
that begins with `# sums.py` is such a file, and what it writes is there where TESSERA_CUTILE names a folder with cuTile Python, and Python has its typing_extensions; elsewhere
commands on that are left out. Right is exit code 0; a command that needs a GPU may answer that there is none (3). What a command prints is not
compared. Files that a document makes with one command are there for the next.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def npy(values, shape=None, descr="f4"):
    header = f"{{'descr': '<{descr}', 'fortran_order': False, 'shape': {shape or (len(values),)}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{'i' if descr == 'i4' else 'f'}", *values)


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def front_end(folder):
    """The folder of cuTile Python's sources, unpacked, with the stand-in for its extension that needs no GPU; None without TESSERA_CUTILE, or the
    one package that the sources need."""
    if not (cutile := os.environ.get("TESSERA_CUTILE")) or not importlib.util.find_spec("typing_extensions"):
        return None
    subprocess.run(["tar", "-xf", f"{cutile}/cutile-python.tar.xz", "-C", folder], check=True)
    sources = folder / "cutile-python/src"
    shutil.copy(f"{cutile}/tools/_cext_standin.py", sources / "cuda/tile/_cext.py")
    return str(sources)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.splitlines()[0])
    programs = Path(sys.argv[1]).resolve()
    documents = [Path(p) for p in sys.argv[2:]] or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/kernels").glob("*.md")),
                                                       *sorted((ROOT / "examples").glob("*/README.md"))]
    with tempfile.TemporaryDirectory(prefix="tessera-docs.") as folder:
        check(documents, Path(folder), programs)


def check(documents, folder, programs):
    kernel = blocks((ROOT / "README.md").read_text(), "mlir")[0]
    for name in ("kernel.mlir", "twice.mlir"):
        (folder / name).write_text(kernel)
    (folder / "add.tilebc").write_bytes((ROOT / "examples/tile/add.tilebc").read_bytes())
    x = [0.5 * i - 60 for i in range(256)]
    (folder / "X.npy").write_bytes(npy(x))
    (folder / "REF.npy").write_bytes(npy([2 * v for v in x]))
    for name, heads in (("q", 4), ("kv", 2)):  # scales of docs/kernels/attention.md
        (folder / f"{name}.npy").write_bytes(npy([1.0] * heads, (1, heads)))
    for name, values, shape in (("lengths", [60, 33], (2,)), ("pages", range(8), (2, 4))):  # of docs/kernels/decode.md
        (folder / f"{name}.npy").write_bytes(npy(values, shape, "i4"))
    ran = failures = 0
    python = front_end(folder)
    for document in documents:
        made = set()  # by Python, which may not be there
        unsaved = set()  # by a command that found no GPU
        for block in blocks(document.read_text(), "python"):
            if named := re.match(r"# (\w+)\.py\n", block):
                (folder / f"{named[1]}.py").write_text(block)
                made.add(f"{named[1]}.tilebc")
                if python:
                    subprocess.run([sys.executable, f"{named[1]}.py"], cwd=folder, check=True, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": python})
        for block in blocks(document.read_text(), "text"):
            for line in block.splitlines():
                command = re.sub(r"\s+#.*", "", line).removeprefix("build/dev/bin/")
                program = command.split(" ")[0]
                if not line.startswith("build/dev/bin/") and (program not in ("tessera", "tessera-opt")
                                                              or command.split()[1:2] in ([], ["COMMAND"])):
                    continue
                if not python and made & set(command.split()):
                    print(f"{document.name}: left out without TESSERA_CUTILE and typing_extensions: {command}")
                    continue
                done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True,
                                      env={"PATH": f"{programs}:/usr/local/cuda/bin:/usr/bin:/bin"})
                ran += 1
                if done.returncode == 3:
                    unsaved.update(re.findall(r"--save \d+=(\S+)", command))
                if done.returncode == 2 and unsaved & set(command.split()):
                    continue
                needs_gpu = command.startswith(("tessera run", "tessera devices", "tessera tune", "tessera calibrate"))
                if done.returncode != 0 and not (needs_gpu and done.returncode == 3):
                    failures += 1
                    print(f"{document.name}: {command}\n  exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-600:]}")
    print(f"check-docs: {ran} commands run, {failures} failed")
    sys.exit(1 if failures or not ran else 0)


if __name__ == "__main__":
    main()
