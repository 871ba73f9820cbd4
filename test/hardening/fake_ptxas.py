#!/usr/bin/env python3
"""A ptxas that makes cubins without machine code, or lies: fake_ptxas.py -arch=... -o OBJECT SOURCE.

$FAKE_PTXAS says how it lies (a key of LIES); $FAKE_PTXAS_NOTES names a folder for what it saw. The cubin has the kernels of
the source, each with $FAKE_PTXAS_TEXT as its code, or "machine code" and a hash of the source.
Layout: ELF-64 Object File Format 1.5, figures 2, 8 and 16; EM_CUDA is 190.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import hashlib
import json
import os
import re
import signal
import struct
import sys
import time
from pathlib import Path

ENTRY = re.compile(r"\.entry\s+([\w$]+)")


def cubin(kernels, text):
    names, symbols, sections, body = b"\0", [b"\0" * 24], [(b"", 0, b"", 0)], b""

    def name(word):
        nonlocal names
        names += word.encode() + b"\0"
        return len(names) - len(word) - 1

    rows = []  # name, type, content, link
    for kernel in kernels:
        rows.append((name(f".text.{kernel}"), 1, text, 0))
        symbols.append(struct.pack("<IBBHQQ", name(kernel), 0x12, 0x10, len(rows), 0, len(text)))
        rows.append((name(f".nv.constant0.{kernel}"), 1, b"\0" * 16, 0))
    strings = len(rows) + 2
    rows.append((name(".symtab"), 2, b"".join(symbols), strings))
    rows.append((name(".strtab"), 3, names, 0))
    headers, at = b"\0" * 64, 64
    for word, kind, content, link in rows:
        headers += struct.pack("<IIQQQQIIQQ", word, kind, 0, 0, at, len(content), link, 0, 1, 24 if kind == 2 else 0)
        body += content
        at += len(content)
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, at, 0x5A, 64, 56, 0, 64, len(rows) + 1, strings)
    return head + body + headers


def hang(path, made, kernels):
    Path("left-over").write_text("something")
    Path(os.environ.get("TMPDIR", "/tmp"), "another").write_text("something")
    note("pid", os.getpid())
    time.sleep(60)


LIES = {
    "": lambda path, made, kernels: path.write_bytes(made),
    "half": lambda path, made, kernels: path.write_bytes(made[:len(made) // 2]),
    "all but a byte": lambda path, made, kernels: path.write_bytes(made[:-1]),
    "empty": lambda path, made, kernels: path.write_bytes(b""),
    "nothing": lambda path, made, kernels: path.unlink(missing_ok=True),
    "text": lambda path, made, kernels: path.write_text("machine code"),
    "other kernel": lambda path, made, kernels: path.write_bytes(cubin(["another"], b"machine code")),
    "one kernel": lambda path, made, kernels: path.write_bytes(cubin(kernels[:1], b"machine code")),
    "holes": lambda path, made, kernels: path.write_bytes(cubin(kernels, bytes(12))),
    "link": lambda path, made, kernels: (path.unlink(missing_ok=True), path.symlink_to("/etc/passwd")),
    "hang": hang,
    "killed": lambda path, made, kernels: os.kill(os.getpid(), signal.SIGKILL),
}


def note(name, value):
    if folder := os.environ.get("FAKE_PTXAS_NOTES"):
        Path(folder, name).write_text(json.dumps(value))


def main(words):
    object, source = Path(words[words.index("-o") + 1]), Path(words[-1])
    folder = source.absolute().parent
    note("folder", [str(folder), folder.stat().st_mode & 0o7777])
    note("files", {path.name: path.stat().st_mode & 0o7777 for path in [source, *folder.iterdir()] if path.is_file()})
    content = source.read_text()
    text = os.environ.get("FAKE_PTXAS_TEXT") or "machine code of " + hashlib.sha256(content.encode()).hexdigest()
    kernels = ENTRY.findall(content)
    LIES[os.environ.get("FAKE_PTXAS", "")](object, cubin(kernels, text.encode()), kernels)


if __name__ == "__main__":
    main(sys.argv[1:])
