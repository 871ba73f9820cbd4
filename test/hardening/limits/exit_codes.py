#!/usr/bin/env python3
"""docs/exit-codes.md says what tessera/process/Exits.def has, in the same order: exit_codes.py ROOT. With the folder of the programs,
exit_codes.py ROOT BIN, each of these codes is made to happen, in each way that its meaning names."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

root = os.path.abspath(sys.argv[1])
rows = re.findall(r'^EXIT\((\d+), (\w+), "(.*)"\)$', open(os.path.join(root, "tessera/process/Exits.def")).read(), re.M)
said = re.findall(r"^\| (\d+) \| (\w+) \| (.*) \|$", open(os.path.join(root, "docs/exit-codes.md")).read(), re.M)
if not rows or rows != said:
    print("docs/exit-codes.md has other rows than tessera/process/Exits.def:")
    for row in sorted(set(rows) ^ set(said)):
        print("  only in", "the table:" if row in rows else "the page:", row)
    sys.exit(1)
print(f"exit codes: {len(rows)} rows agree")
if len(sys.argv) < 3:
    sys.exit(0)

BIN = os.path.abspath(sys.argv[2])
ADD = [os.path.join(root, "examples/add.mlir"), "--arch", "sm_90a", "--arg", "rand:f32:16x8", "--arg", "rand:f32:16x8:seed=2", "--arg", "out:f32:16x8"]
TILE = [os.path.join(root, "examples/tile/add.tilebc"), "--device", "interp", "--arg", "zeros:f32:8", "--arg", "zeros:f32:8", "--arg", "out:f32:8"]
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def ptx(body):
    return HEAD + ".visible .entry k(.param .u64 p) {\n.reg .b64 d<2>;\n" + body + "\nret;\n}\n"


OUTSIDE = ptx("mov.b64 d1, 64;\nst.global.u64 [d1], d1;")
SPIN = ptx("again: bra again;")
SLEEPS = ["--arg", "i64:0"]
# (code, what its meaning says, command, more: stdin, environment, limits)
CASES = [
    (0, "done", ["layout", "(4,2):(1,4)"], {}),
    (0, "it agrees", ["layout", "--equal", "(4,2):(1,4)", "8:1"], {}),
    (0, "done, by --help", ["run", "--help"], {}),
    (1, "numbers differ", ["run", *ADD, "--device", "sim", "--check", "2=zeros.npy"], {}),
    (1, "numbers differ, interpreter", ["run", *TILE, "--grid", "1", "--check", "2=zeros.npy"], {}),
    (1, "numbers differ, sim", ["sim", "-", "--arg", "ptr=out:f32:8", "--check", "0=zeros.npy"], {"stdin": ptx("")}),
    (1, "a law does not hold", ["layout", "(4,2):(1,1)", "--check", "injective"], {}),
    (1, "a line of a batch was refused", ["layout", "--batch", "-"], {"stdin": "coalesce(\n"}),
    (2, "the command line", ["run"], {}),
    (2, "a file is refused", ["compile", "-", "--arch", "sm_80"], {"stdin": "module {"}),
    (2, "PTX is refused", ["sim", "-"], {"stdin": "nothing"}),
    (2, "a tile program is refused", ["run", "-", "--device", "interp"], {"stdin": "nothing"}),
    (2, "an expression is refused", ["layout", "coalesce("], {}),
    (2, "a file cannot be read", ["compile", "none.mlir"], {}),
    (3, "no GPU, devices", ["devices"], {}),
    (3, "no GPU, run", ["run", *ADD], {}),
    (4, "compile", ["compile", ADD[0], "--arch", "sm_80", "--no-cache", "--timeout", "0.000001"], {}),
    (4, "sim", ["sim", "-", *SLEEPS, "--timeout", "0.5"], {"stdin": SPIN}),
    (4, "layout", ["layout", "(2000000000):(1)", "--values", "--limit", "2000000000", "--timeout", "0.3"], {"stdout": "/dev/null"}),
    (4, "generate", ["generate", "gemm", "--timeout", "0.000001"], {}),
    (4, "run", ["run", *ADD, "--device", "sim", "--timeout", "0.000001"], {}),
    (5, "an error", ["sim", "-", *SLEEPS], {"stdin": OUTSIDE}),
    (5, "a limit", ["sim", "-", *SLEEPS, "--max-instructions", "100"], {"stdin": SPIN}),
    (5, "a report of --sanitize", ["sim", "-", "--sanitize", "--arg", "ptr=out:u64:1"],
     {"stdin": ptx("ld.param.u64 d1, [p];\nld.global.u64 d1, [d1];\nld.global.u64 d1, [d1];")}),
    (5, "an error, interpreter", ["run", *TILE, "--grid", "3"], {}),
    (5, "a limit, interpreter", ["run", *TILE, "--grid", "2", "--max-instructions", "3"], {}),
    (6, "memory of arguments", ["sim", "-", "--arg", "ptr=zeros:f32:1000000000000000"], {"stdin": ptx("")}),
    (6, "memory of a compilation", ["compile", ADD[0], "--arch", "sm_90a", "--no-cache", "-o", "k.ptx"], {"memory": "least"}),
    (6, "a small stack", ["layout", "(4,2):(1,4)"], {"stack": 512 << 10}),
    (6, "a small stack, of tile programs", ["tile", TILE[0], "--arch", "sm_80"], {"stack": 1 << 20}),
    (6, "no open file for a folder", ["compile", ADD[0], "--arch", "sm_90a", "--no-cache", "--emit", "cubin", "-o", "k.cubin"], {"files": 4}),
    (6, "no open file for a result", ["compile", ADD[0], "--arch", "sm_90a", "--no-cache", "-o", "k.ptx"], {"files": 4}),
    (7, "a file", ["compile", ADD[0], "--arch", "sm_90a", "-o", "/dev/full"], {}),
    (7, "the standard output", ["layout", "(4,2):(1,4)", "--values"], {"stdout": "/dev/full"}),
    (7, "the standard output, interpreter", ["run", *TILE, "--grid", "2", "--save", "2=/dev/full"], {}),
]
wrong = []


def run(folder, command, stdin=None, memory=None, stack=None, files=None, stdout=None, program="tessera"):
    def before():
        if stack:
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    env = dict(os.environ, TESSERA_CACHE_DIR="", TESSERA_LIBCUDA="/nonexistent/libcuda.so.1", TESSERA_PTXAS="/bin/false")
    out = open(stdout, "w") if stdout else subprocess.PIPE
    done = subprocess.run([os.path.join(BIN, program), *command], input=(stdin or "").encode(), stdout=out, stderr=subprocess.PIPE, cwd=folder, preexec_fn=before,
                          timeout=300, env=env)
    return done.returncode, done.stderr.decode(errors="replace")


def starts(folder, program, memory):
    """Whether a program reaches its main() with so much memory, wherever the system puts it: before, LLVM and the loader take some, and nobody can answer."""
    return all(run(folder, ["--version"], memory=memory, program=program)[0] == 0 for _ in range(20))


def least(folder, program="tessera"):
    """Just enough memory for the program to start: a compilation has no more then. None where no limit is enough, as under sanitizers."""
    low, high = 64 << 20, 4 << 30
    if run(folder, ["--version"], memory=high, program=program)[0] != 0:
        return None
    while high - low > 1 << 18:
        middle = (low + high) // 2
        if run(folder, ["--version"], memory=middle, program=program)[0] == 0:
            high = middle
        else:
            low = middle
    while not starts(folder, program, high):
        high += 1 << 18
    return high


def session(text):
    """What an editor says that opens a file and asks about a place in it."""
    def message(method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        return f"Content-Length: {len(body)}\r\n\r\n{body}"
    of = {"uri": "test:///k.mlir"}
    return "".join((message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1), message("initialized", {}),
                    message("textDocument/didOpen", {"textDocument": {**of, "languageId": "mlir", "version": 1, "text": text}}),
                    message("textDocument/hover", {"textDocument": of, "position": {"line": 1, "character": 15}}, id=2),
                    message("shutdown", None, id=3), message("exit", None)))


# Each thread takes memory, too.
EXHAUSTED = ("error: memory ran out", "error: the system refuses another thread")


def sweep(folder, program, right, command, stdin=None, again=24):
    """Runs a command with limits of memory from where the program starts to where it works, and looks closer at where one answer follows another.
    Each limit gives the result or the sentence. Gives what does not, and how many limits were tried."""
    def works(memory):
        return run(folder, command, stdin, memory=memory, program=program)[0] == right
    low, high = least(folder, program), 4 << 30
    if not low or not works(high):
        return [] if not low else [f"{program} does not work with 4 GiB"], 0
    begin = low
    while high - low > 1 << 20:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    limits = sorted({begin + (high - begin) * i // again // 4096 * 4096 for i in range(again)} | {high - 4096 * 2**i for i in range(12)} | {begin, begin + 4096})
    wrong = []
    for memory in (m for m in limits if m >= begin):
        code, err = run(folder, command, stdin, memory=memory, program=program)
        isRight = code == right and "error" not in err or code == 6 and any(what in err for what in EXHAUSTED)
        if (not isRight or "Stack dump" in err) and starts(folder, program, memory):
            wrong.append(f"{program} {command[:1]} with {memory} bytes: exit code {code}: {err[-200:]}")
    return wrong, len(limits)


with tempfile.TemporaryDirectory(prefix="tessera-exits.") as folder:
    with open(os.path.join(folder, "zeros.npy"), "wb") as to:
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }".ljust(117) + "\n"
        to.write(b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + bytes(32))
    for code, what, command, more in CASES:
        if more.get("memory") == "least":
            more = {"memory": least(folder)}
            if not more["memory"]:
                if "TESSERA_SANITIZED" in os.environ:
                    print(f"skipped under a sanitizer: {what}, and the limits of memory below")
                else:
                    wrong.append("tessera --version does not work with 4 GiB")
                continue
        if what == "numbers differ":  # a reference of its shape
            with open(os.path.join(folder, "zeros.npy"), "rb") as of:
                old = of.read()
            with open(os.path.join(folder, "zeros.npy"), "wb") as to:
                to.write(old[:10] + "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 8), }".ljust(117).encode() + b"\n" + bytes(512))
        got, err = run(folder, command, **more)
        if what == "numbers differ":
            with open(os.path.join(folder, "zeros.npy"), "wb") as to:
                to.write(old)
        if got != code:
            wrong.append(f"{code}, {what}: exit code {got}: {err[-300:]}")
        elif code > 1 and "error: " not in err:
            wrong.append(f"{code}, {what}: no reason on stderr: {err[-300:]}")
    tried = 0
    kernel = "gpu.module @m {\n  cuda.kernel @k() attributes {cute.kernel} {\n    return\n  }\n}\n"
    with open(os.path.join(folder, "k.mlir"), "w") as to:
        to.write(kernel)
    with open(os.path.join(folder, "tile.mlir"), "w") as to:
        to.write("cuda_tile.module @m {\n  entry @k(%p: tile<ptr<f32>>) {\n    return\n  }\n}\n")
    for program, right, command in (("tessera", 0, ["compile", "k.mlir", "--arch", "sm_80", "--no-cache", "-o", "k.ptx"]),
                                    ("tessera", 0, ["generate", "softmax", "-o", "s.mlir"]),
                                    ("tessera", 0, ["tile", TILE[0], "--arch", "sm_80"]),
                                    ("tessera-tileiras", 0, [TILE[0], "--gpu-name", "sm_80", "--emit", "ptx", "--no-cache", "-o", "t.ptx"]),
                                    ("tessera-opt", 0, ["k.mlir", "--tessera-lower=arch=sm_80", "-o", "o.mlir"]),
                                    ("cuda-tile-opt", 0, ["tile.mlir", "-o", "o.mlir"]),
                                    ("cuda-tile-translate", 0, ["-mlir-to-cudatilebc", "tile.mlir", "-o", "o.tilebc"])):
        told, count = sweep(folder, program, right, command)
        wrong += told
        tried += count
    if os.path.exists(os.path.join(BIN, "tessera-lsp-server")):
        told, count = sweep(folder, "tessera-lsp-server", 0, [], session(kernel))
        wrong += told
        tried += count
missing = {int(row[0]) for row in rows} - {case[0] for case in CASES}
wrong += [f"no command here ends with {code}" for code in sorted(missing)]
for line in wrong:
    print(line)
print(f"exit codes: {len(CASES)} commands, {tried} limits of memory, {len(wrong)} wrong")
sys.exit(bool(wrong))
