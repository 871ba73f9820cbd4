#!/usr/bin/env python3
"""What commands do where something runs out or a file is hostile: cli.py BIN. Expected values are written here by hand."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import resource
import subprocess
import sys
import tempfile
import time

BIN = sys.argv[1]
wrong = []


def run(*words, stdin=None, limits=(), timeout=120, cache=""):
    def before():
        for which, most in limits:
            resource.setrlimit(which, (most, most))
    env = dict(os.environ, TESSERA_CACHE_DIR=cache)
    try:
        done = subprocess.run([os.path.join(BIN, words[0]), *words[1:]], input=stdin, capture_output=True, preexec_fn=before,
                              timeout=timeout, env=env)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, b"", b"it did not end"


def expect(name, got, code, said=b""):
    if got[0] != code:
        wrong.append(f"{name}: exit code {got[0]}, expected {code}: {got[2][-300:].decode(errors='replace')}")
    elif said not in got[1] + got[2]:
        wrong.append(f"{name}: expected {said}, but got {(got[1] + got[2])[-300:]}")


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
SPIN = HEAD + ".visible .entry k() {\nagain: bra again;\n}\n"
DONE = HEAD + ".visible .entry k() {\nret;\n}\n"


def kernel(body, module=""):
    return (HEAD + module + ".visible .entry k() {\n.reg .b32 r<4>;\n" + body + "\nret;\n}\n").encode()


folder = tempfile.mkdtemp()


def file(name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as to:
        to.write(content if isinstance(content, bytes) else content.encode())
    return path


# The simulator: threads, memory, time, output, text for terminals.
# Where the user may start no more threads; root may, so it becomes somebody else where it can.
def as_nobody():
    os.setgid(65534)
    os.setuid(65534)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))


if os.getuid() == 0:
    done = subprocess.run([os.path.join(BIN, "tessera"), "sim", "-", "--grid", "64", "--threads", "8"], input=DONE.encode(),
                          capture_output=True, preexec_fn=as_nobody, timeout=120, env=dict(os.environ, TESSERA_CACHE_DIR=""))
    expect("no threads", (done.returncode, done.stdout, done.stderr), 6, b"the system refuses another thread")
expect("exact limit", run("tessera", "sim", "-", "--max-instructions", "1", stdin=DONE.encode()), 0)
expect("one less", run("tessera", "sim", "-", "--max-instructions", "0", stdin=DONE.encode()), 5, b"the limit of 0 instructions")
began = time.time()
got = run("tessera", "sim", "-", "--timeout", "1", stdin=SPIN.encode())
expect("sim --timeout", got, 4, b"kernel 'k' did not end in the time")
if time.time() - began > 60:
    wrong.append("sim --timeout took more than a minute")
local = kernel(".local .b8 room[262144];\nst.local.u32 [room], 0;")
expect("local memory", run("tessera", "sim", "-", "--block", "1024", "--max-memory", "200000000", stdin=local), 5, b"bytes of local memory")
expect("memory of the host", run("tessera", "sim", "-", "--block", "1024", "--threads", "1", stdin=local,
                                 limits=[(resource.RLIMIT_AS, 450 << 20)]), 6, b"memory ran out")
printing = kernel("{ .reg .b64 d; .param .b64 f; .param .b64 a; .param .b32 r;\nmov.u64 d, words; st.param.b64 [f], d; "
                  "st.param.b64 [a], 0;\ncall (r), vprintf, (f, a); }",
                  ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                  ".global .align 1 .b8 words[4] = {97, 98, 10, 0};\n")
expect("output", run("tessera", "sim", "-", "--block", "32", "--max-output", "10", stdin=printing), 0,
       b"[cut off: 86 more bytes were printed, and 10 are kept]")
expect("parameter of 2^32 bytes", run("tessera", "sim", "-", stdin=(HEAD + ".visible .entry k(.param .b8 p[4294967296]) {\nret;\n}\n").encode()),
       2, b"parameter 'p' would take 4294967296 bytes")
got = run("tessera", "sim", "-", stdin=HEAD.encode() + b".visible .entry k() {\n\x1b]0;owned\x07bogus r1;\nret;\n}\n")
if b"\x1b" in got[2] or b"\\x1b" not in got[2]:
    wrong.append(f"escape bytes of PTX reach the terminal: {got[2]}")
got = run("tessera", "sim", "a\x1b[31mb")
if b"\x1b" in got[2] or b"\\x1b[31m" not in got[2]:
    wrong.append(f"escape bytes of a name reach the terminal: {got[2]}")
got = run("tessera", "compile", "-", "--arch", "sm_80", stdin=b"module { \"\x1b[31m\"() : () -> () }\n")
if b"\x1b" in got[2]:
    wrong.append(f"escape bytes of MLIR reach the terminal: {got[2]}")

got = run("tessera", "layout", "\x1b[31mcoalesce(1)")
if b"\x1b" in got[2] or b"\\x1b[31m" not in got[2]:
    wrong.append(f"escape bytes of an expression reach the terminal: {got[2]}")

got = run("tessera", "sim", "-", "--\x1b[31mblock")
expect("an unknown option", got, 2, b"error: ")
if b"\x1b" in got[2] or b"\\x1b[31mblock" not in got[2]:
    wrong.append(f"escape bytes of an option reach the terminal: {got[2]}")
ADD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/add.mlir")
shared = os.path.join(folder, "s\x1b[31m")
os.mkdir(shared)
os.chmod(shared, 0o777)
for place, said in (("/dev/null/\x1b[31m", b"cache: miss, and nothing was kept"), (shared, b"warning: compiling without the cache")):
    got = run("tessera", "compile", ADD, "--arch", "sm_80", "--timing", "-o", os.devnull, cache=place)
    expect("a folder with escape bytes", got, 0, said)
    if b"\x1b" in got[2] or b"\\x1b[31m" not in got[2]:
        wrong.append(f"escape bytes of the cache's folder reach the terminal: {got[2]}")
expect("no subcommand", run("tessera"), 2, b"error: ")
expect("no number", run("tessera", "sim", "-", "--block", "x"), 2, b"error: ")
expect("help", run("tessera", "sim", "--help"), 0, b"Usage: ")

# Tables are written as they are made.
got = run("tessera", "layout", "(2000000000):(1)", "--values", "--limit", "2000000000", timeout=3, limits=[(resource.RLIMIT_AS, 1 << 30)])
if got[0] is not None:
    wrong.append(f"layout --values gathers its lines: exit code {got[0]}, {got[2][-200:]}")

# Depth: every tool, every kind of bracket.
deep = {
    "regions": "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 5000 + "}\n" * 5000 + "return\n}\n",
    "types": "func.func private @f(" + "tuple<" * 5000 + "i32" + ">" * 5000 + ")\n",
    "attributes": "module attributes {a = " + "[" * 5000 + "]" * 5000 + "} {}\n",
    "dictionaries": "module attributes {a = " + "{a = " * 5000 + "1" + "}" * 5000 + "} {}\n",
    "aliases": "!a0 = tuple<i32>\n" + "".join(f"!a{i} = tuple<!a{i - 1}>\n" for i in range(1, 5000)) + "func.func private @f(!a4999)\n",
    "locations": "func.func private @f() loc(" + "fused[" * 5000 + "unknown" + "]" * 5000 + ")\n",
}
for what, text in deep.items():
    path = file(what + ".mlir", text)
    said = b"lie at most 256 deep in each other"
    expect(f"{what} in tessera", run("tessera", "compile", path, "--arch", "sm_80"), 2, said)
    expect(f"{what} in tessera-opt", run("tessera-opt", path), 1, said)
    if os.path.exists(os.path.join(BIN, "tessera-reduce")):
        expect(f"{what} in tessera-reduce", run("tessera-reduce", path), 1, said)
expect("where it is", run("tessera-opt", os.path.join(folder, "regions.mlir")), 1, b"regions.mlir:257:11: error:")

# Host code.
said = run("tessera", "run", "--help")[1]
if b"Executes the file's host code" not in said:
    wrong.append("run --help does not say that it executes host code")
numbers = ("--arg", "rand:f32:16x128:seed=1", "--arg", "rand:f32:16x128:seed=2", "--arg", "out:f32:16x128", "--device", "sim", "--no-host-code")
expect("a launch alone", run("tessera", "run", ADD, *numbers), 0)
stores = file("stores.mlir", """func.func @f(%p: !llvm.ptr) -> i32 {
  %c = arith.constant 0 : i32
  llvm.store %c, %p : i32, !llvm.ptr
  return %c : i32
}
""")
expect("a store", run("tessera", "run", stores, "--arg", "zeros:i32:4", "--device", "sim", "--no-host-code"), 2, b"f has 'llvm.store' at")
loops = file("loops.mlir", """func.func @f() -> i32 {
  cf.br ^again
^again:
  cf.br ^again
}
""")
expect("a loop", run("tessera", "run", loops, "--device", "sim", "--no-host-code"), 2, b"f has 'cf.br' at")
calls = file("calls.mlir", """func.func private @abort()
func.func @f() -> i32 {
  %c = arith.constant 0 : i32
  func.call @abort() : () -> ()
  return %c : i32
}
""")
expect("a call", run("tessera", "run", calls, "--device", "sim", "--no-host-code"), 2, b"f has 'func.call' at")

for path, argument, said in ((stores, ("--arg", "zeros:i32:4"), b"f has 'llvm.store' at"), (calls, (), b"f has 'func.call' at")):
    expect("tune " + path, run("tessera", "tune", path, "--param", "%c=0,1", *argument, "--device", "sim", "--no-host-code"), 2, said)
if b"Executes the file's host code" not in run("tessera", "tune", "--help")[1]:
    wrong.append("tune --help does not say that it executes host code")

# HostAssembly: inline assembly of host code, which the assembler would carry out when it is compiled.
secret = file("secret", "what others may not read")
for text in (f'.incbin \\22{secret}\\22', ".rept 1000000000\\0A.byte 0\\0A.endr", "nop"):
    assembly = file("assembly.mlir", 'func.func @f() -> i32 {\n  llvm.inline_asm has_side_effects "%s", "" : () -> ()\n  %%c = arith.constant 0 : i32\n  return %%c : i32\n}\n' % text)
    for words in (("run", assembly, "--device", "sim"), ("compile", assembly, "--arch", "sm_80", "--emit", "object", "-o", os.path.join(folder, "f.o"))):
        expect(f"{words[0]} of inline assembly", run("tessera", *words, "--no-cache"), 2, b"host code has inline assembly")

# --timeout of what compiles.
expect("compile --timeout", run("tessera", "compile", "--arch", "sm_80", "--timeout", "0.000001", file("m.mlir", "module {}\n")), 4,
       b"did not end within")

for line in wrong:
    print(line)
print(f"cli: {'wrong: %d' % len(wrong) if wrong else 'as it should be'}")
sys.exit(bool(wrong))
