#!/usr/bin/env python3
"""Damaged bytecode of MLIR: bytecode.py BIN [--mutants N] [--seed S] FILE.mlir...

Writes each file as bytecode, damages it in N ways in all, and gives it to tessera and tessera-opt. Each run has to end by
itself, with an exit code of its own; a signal, or more than 60 s, is an error. Whole bytecode has to become what the text
becomes. The language server, where it is built, is asked to convert all of them in one session, and to open each as a text: it
refuses, and goes on."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("bin")
parser.add_argument("files", nargs="+")
parser.add_argument("--mutants", type=int, default=100)
parser.add_argument("--seed", type=int, default=17)
asked = parser.parse_args()
OPT, TESSERA, SERVER = (os.path.join(asked.bin, name) for name in ("tessera-opt", "tessera", "tessera-lsp-server"))
random.seed(asked.seed)
wrong = []


def run(*command, **more):
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, **more)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, b"", b""


def damaged(data):
    """One to three changes: a byte, a bit, a number of many bytes, a piece lost, doubled or moved, an end cut off."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(4, len(data))  # after the magic, so that it stays bytecode
        what = random.randrange(7)
        if what == 0:
            data[at] = random.randrange(256)
        elif what == 1:
            data[at] ^= 1 << random.randrange(8)
        elif what == 2:
            data[at] = random.choice((0, 1, 0x7f, 0x80, 0xfe, 0xff))
        elif what == 3:
            data[at:at + 9] = bytes([0]) + (2 ** 64 - 1 - random.randrange(3)).to_bytes(8, "little")
        elif what == 4:
            del data[at:at + random.randrange(1, 20)]
        elif what == 5:
            data[at:at] = data[at:at + random.randrange(1, 20)]
        else:
            del data[random.randrange(4, len(data)):]
        if len(data) <= 5:
            data += bytes(16)
    return bytes(data)


def message(body):
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(method, params, number=None):
    return message(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}).encode())


def serve(files):
    """What the language server does with files, which it has to refuse one by one."""
    sent = request("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, "begin")
    for i, name in enumerate(files):
        data = open(name, "rb").read()
        sent += request("mlir/convertFromBytecode", {"uri": "file://" + name}, i)
        text = data.decode("latin-1")  # each byte as a character, and below as the bytes that they are, which JSON does not have
        opened = {"textDocument": {"uri": f"test:///{i}.mlir", "languageId": "mlir", "version": 1, "text": text}}
        sent += request("textDocument/didOpen", opened)
        raw = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opened}).encode()
        sent += message(raw.replace(json.dumps(text).encode(), b'"' + data.replace(b"\\", b"/").replace(b'"', b"'") + b'"'))
        sent += request("textDocument/didClose", {"textDocument": {"uri": f"test:///{i}.mlir"}})
    sent += request("shutdown", None, "end") + request("exit", None)
    code, out, err = run(SERVER, input=sent)
    answers = collections.Counter()
    while out:
        header, _, rest = out.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        one = json.loads(rest[:length])
        out = rest[length:]
        if "id" in one:
            answers[one.get("error", {}).get("code", "a result")] += 1
    # One refusal of each conversion, one of each text that JSON does not have, and two answers to the begin and the end.
    if code != 0 or answers != {-32803: len(files), -32700: len(files), "a result": 2}:
        wrong.append(f"the language server ends with {code} and answers {dict(answers)} to {len(files)} files: {err[-300:].decode(errors='replace')}")


with tempfile.TemporaryDirectory() as folder:
    whole, path = [], os.path.join(folder, "a.mlirbc")
    for file in asked.files:
        code, _, err = run(OPT, file, "--emit-bytecode", "-o", path, "--allow-unregistered-dialect")
        if code:
            wrong.append(f"{file}: no bytecode: {err[-300:].decode()}")
            continue
        whole.append((file, open(path, "rb").read()))
        text = run(OPT, file, "--allow-unregistered-dialect", "--mlir-print-debuginfo")[1]
        read = run(OPT, path, "--allow-unregistered-dialect", "--mlir-print-debuginfo")[1]
        if text.replace(file.encode(), b"F") != read.replace(file.encode(), b"F"):
            wrong.append(f"{file}: its bytecode is another module, or has other locations")
    codes, served = collections.Counter(), []
    for i in range(asked.mutants):
        file, data = whole[i % len(whole)]
        with open(path, "wb") as to:
            to.write(data := damaged(data))
        command = (TESSERA, "compile", path, "--arch", "sm_90a", "--no-cache", "-o", os.devnull) if i % 2 else (OPT, path, "-o", os.devnull)
        code, _, err = run(*command)
        codes[code] += 1
        if code not in (0, 1, 2) or b"Stack dump" in err:
            wrong.append(f"mutant {i} of {os.path.basename(file)}: exit code {code}: {err[-200:].decode(errors='replace')}")
            kept = f"/tmp/mutant-{asked.seed}-{i}.mlirbc"
            os.replace(path, kept)
            wrong.append(f"  kept as {kept}")
        if os.path.exists(SERVER):
            served.append(os.path.join(folder, f"{i}.mlirbc"))
            with open(served[-1], "wb") as to:
                to.write(data)
        if len(served) == 50 or served and i == asked.mutants - 1:
            serve(served)
            served = []

for line in wrong:
    print(line)
print(f"bytecode: {asked.mutants} mutants of {len(whole)} files, exit codes {dict(codes)}, {len(wrong)} wrong")
sys.exit(bool(wrong))
