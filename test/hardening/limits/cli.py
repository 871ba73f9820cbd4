#!/usr/bin/env python3
"""What commands do where something runs out or a file is hostile: cli.py BIN. Expected values are written here by hand."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

BIN = sys.argv[1]
SANITIZED = "TESSERA_SANITIZED" in os.environ  # no program starts with a limit of its addresses then
wrong = []


def options(words):
    """The environment with more options of the sanitizer."""
    return dict(os.environ, TESSERA_CACHE_DIR="", **({"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":" + words} if SANITIZED else {}))


def run(*words, stdin=None, limits=(), timeout=120, cache="", env=None):
    def before():
        for which, most in limits:
            resource.setrlimit(which, (most, most))
    env = env or dict(os.environ, TESSERA_CACHE_DIR=cache)
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
                          capture_output=True, preexec_fn=as_nobody, timeout=120, env=options("detect_leaks=0"))  # which takes a thread, too
    expect("no threads", (done.returncode, done.stdout, done.stderr), 6, b"the system refuses another thread")
expect("exact limit", run("tessera", "sim", "-", "--max-instructions", "1", stdin=DONE.encode()), 0)
expect("one less", run("tessera", "sim", "-", "--max-instructions", "0", stdin=DONE.encode()), 5, b"the limit of 0 instructions")
began = time.time()
got = run("tessera", "sim", "-", "--timeout", "1", stdin=SPIN.encode())
expect("sim --timeout", got, 4, b"kernel 'k' did not end in the time")
if time.time() - began > 60:
    wrong.append("sim --timeout took more than a minute")
queue = os.path.join(folder, "queue")
os.mkfifo(queue)
expect("sim of a pipe that nobody writes to", run("tessera", "sim", queue, "--timeout", "0.5"), 4, b"error: sim did not end within 0.5 s (--timeout)\n")
local = kernel(".local .b8 room[262144];\nst.local.u32 [room], 0;")
expect("local memory", run("tessera", "sim", "-", "--block", "1024", "--max-memory", "200000000", stdin=local), 5, b"bytes of local memory")
if SANITIZED:
    print("skipped under a sanitizer: memory of the host")
else:
    expect("memory of the host", run("tessera", "sim", "-", "--block", "1024", "--threads", "1", stdin=local,
                                     limits=[(resource.RLIMIT_AS, 450 << 20)]), 6, b"memory ran out")
    # Not bad input, nor the limit of 16 GiB that --max-memory has.
    expect("memory of the host for a variable", run("tessera", "sim", "-", "--threads", "1", stdin=kernel("", ".global .align 1 .b8 room[2000000000];\n"),
                                                    limits=[(resource.RLIMIT_AS, 1500 << 20)]), 6, b"error: memory ran out: this machine has no 2000000000 bytes more")
printing = kernel("{ .reg .b64 d; .param .b64 f; .param .b64 a; .param .b32 r;\nmov.u64 d, words; st.param.b64 [f], d; "
                  "st.param.b64 [a], 0;\ncall (r), vprintf, (f, a); }",
                  ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                  ".global .align 1 .b8 words[4] = {97, 98, 10, 0};\n")
expect("output", run("tessera", "sim", "-", "--block", "32", "--max-output", "10", stdin=printing), 0,
       b"[cut off: 86 more bytes were printed, and 10 are kept]")
# A width is padded with spaces, of which 64 KiB are kept; '%999999999d' and a line's end.
wide = kernel("{ .local .align 8 .b8 five[8]; .reg .b64 d; .reg .b64 e; .param .b64 f; .param .b64 a; .param .b32 r;\nst.local.u64 [five], 5; mov.u64 e, five; "
              "cvta.local.u64 e, e; mov.u64 d, words;\nst.param.b64 [f], d; st.param.b64 [a], e;\ncall (r), vprintf, (f, a); }",
              ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
              ".global .align 1 .b8 words[13] = {" + ", ".join(str(byte) for byte in b"%999999999d\n\0") + "};\n")
got = run("tessera", "sim", "-", "--block", "1", stdin=wide, timeout=10)
if got[:2] != (0, b" " * 65536 + b"\n"):
    wrong.append(f"a wide conversion: exit code {got[0]}, {len(got[1])} bytes, {got[2][-200:]}")
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
got = run("tessera", "layout", "(2000000000):(1)", "--values", "--limit", "2000000000", timeout=3, env=options("hard_rss_limit_mb=1024"),
          limits=[] if SANITIZED else [(resource.RLIMIT_AS, 1 << 30)])
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
    expect(f"{what} in cuda-tile-opt", run("cuda-tile-opt", path), 1, said)
    expect(f"{what} in cuda-tile-translate", run("cuda-tile-translate", "-mlir-to-cudatilebc", path), 1, said)
    expect(f"{what} in cuda-tile-optimize", run("cuda-tile-optimize", path), 1, said)
    expect(f"{what} in a round trip", run("cuda-tile-translate", "-test-cudatile-roundtrip", "-split-input-file", path), 1, said)
    if os.path.exists(os.path.join(BIN, "tessera-reduce")):
        expect(f"{what} in tessera-reduce", run("tessera-reduce", path), 1, said)
expect("where it is", run("tessera-opt", os.path.join(folder, "regions.mlir")), 1, b"regions.mlir:257:11: error:")

# MLIR's bytecode is read in a child, whose refusal has a sentence of its own. hardening-bytecode has many more.
for words in (("cuda-tile-opt",), ("cuda-tile-optimize",), ("cuda-tile-translate", "-mlir-to-cudatilebc")):
    expect(f"damaged bytecode in {words[0]}", run(*words, file("damaged.mlirbc", b"ML\xefR\x06MLIR22.1.8\x00\x1f\x07\xff\xff\xff")), 1, b"error: the bytecode is refused")

# What tessera-tileiras refuses is said as by tessera.
expect("tileiras, no words", run("tessera-tileiras"), 2, b"error: ")
for words in (("a\x1b[31mb", "-o", os.devnull, "--gpu-name", "sm_80"), (os.devnull, "-o", os.devnull, "--gpu-name", "a\x1b[31mb"),
              (os.devnull, "-o", os.devnull, "--gpu-name", "sm_80", "--a\x1b[31mb")):
    got = run("tessera-tileiras", *words)
    expect("tileiras, escape bytes", got, 2, b"a\\x1b[31mb")
    if b"\x1b" in got[2]:
        wrong.append(f"tileiras: escape bytes of {words} reach the terminal: {got[2]}")

# Files of another command, and names that are nearly right.
PTX_FILE, LIST = file("k.ptx", "// a comment\n/* one\nmore */ " + DONE), file("a.npy", b"\x93NUMPY\x01\x00")
TILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/tile/add.tilebc")
for words in (("compile", PTX_FILE, "--arch", "sm_80"), ("compile", PTX_FILE), ("run", PTX_FILE, "--device", "sim"), ("tile", PTX_FILE)):
    expect(" ".join(words), run("tessera", *words), 2, b"k.ptx:1:1: error: expects CuTe IR or a tile program, but this is PTX, which `tessera sim` runs")
expect("a program of the host", run("tessera", "run", "/proc/self/exe", "--device", "sim"), 2, b"/proc/self/exe: error: expects CuTe IR or a tile program, but this is a program of this machine (ELF): start it as it is, with the folder lib/cuda")
expect("a picture of PTX", run("tessera", "layout", "--from", PTX_FILE + ":3"), 2, b"k.ptx: expects CuTe IR or a tile program, but this is PTX")
for text, said in (("4294967296:4294967296", b"size 4294967296   cosize beyond 2^63 - 1"), ("(4294967296,4294967296):(0,0)", b"size beyond 2^63 - 1\n")):
    expect(text, run("tessera", "layout", text), 0, said)
expect("an array to compile", run("tessera", "compile", LIST), 2, b"but this is an array of numpy, which --arg and --check take")
for words, said in (((ADD,), b"add.mlir: expects PTX, but this is MLIR: `tessera compile` makes PTX of it, and `tessera run` runs it"),
                    ((TILES,), b"but this is bytecode of a tile program: "), ((LIST,), b"but this is an array of numpy"),
                    ((file("f.mlir", "// x\nfunc.func @f() {\n return\n}\n"),), b"but this is MLIR"), ((file("g.mlir", "\"builtin.module\"() ({}) : () -> ()\n"),), b"but this is MLIR"),
                    ((file("m.mlirbc", b"ML\xefR\x06"),), b"but this is bytecode of MLIR")):
    expect(f"sim {words[0]}", run("tessera", "sim", *words), 2, said)
for text, near in (("  %l = \"cute.memref.lod\"() : () -> i32\n", b"did you mean cute.memref.load"), ("  cute.memref.lod()\n", b"did you mean cute.memref.load"),
                   ("  %c = arith.constnt 1 : i32\n", b"did you mean arith.constant?"), ("  cute.make_vew()\n", b"did you mean cute.make_view")):
    expect(text, run("tessera", "compile", "-", "--arch", "sm_80", stdin=b"func.func @f() {\n" + text.encode() + b"  return\n}\n"), 2, near)
got = run("tessera", "compile", "-", "--arch", "sm_80", stdin=b"func.func @f() {\n  cute.zzzzzzzz()\n  return\n}\n")
if b"did you mean" in got[2]:
    wrong.append(f"a name that is near none has a suggestion: {got[2]}")
for name, said in ((b"hopper", b"sm_90 or sm_90a"), (b"90a", b"write sm_90a")):
    for words in (("compile", ADD), ("generate", "gemm"), ("tile", TILES), ("atoms",)):
        expect(f"{words[0]} --arch {name}", run("tessera", *words, "--arch", name.decode()), 2, said)
expect("a kernel outside", run("tessera", "compile", "-", "--arch", "sm_80", stdin=b"func.func @f(%a: i32) attributes {cute.kernel} {\n  return\n}\n"), 2,
       b"1:1: warning: function 'f' is marked cute.kernel, but is taken for host code: kernels are in a gpu.module")
expect("a kernel in another module", run("tessera", "compile", "-", "--arch", "sm_80", stdin=b"module @m {\ncuda.kernel @k(%a: i32) attributes {cute.kernel} {\n  return\n}\n}\n"), 2,
       b"2:1: warning: function 'k' is marked cute.kernel, but is taken for host code: kernels are in a gpu.module")

# What a terminal cannot take, and what is not there.
fake = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fake_ptxas.py")
expect("a cubin for the terminal", run("tessera", "compile", ADD, "--arch", "sm_90a", "--emit", "cubin", env=dict(os.environ, TESSERA_PTXAS=fake, TESSERA_CACHE_DIR="")), 2,
       b"error: --emit cubin writes a binary file: name it with -o")
for words in (("tessera-opt", "none.mlir"), ("cuda-tile-opt", "none.mlir"), ("cuda-tile-translate", "-mlir-to-cudatilebc", "none.mlir"), ("tessera-reduce", "none.mlir")):
    if os.path.exists(os.path.join(BIN, words[0])):
        expect(words[0], run(*words), 1, b"error: cannot open input file 'none.mlir': No such file or directory\n")

# Words that are nearly right.
for words, said in ((("comple", ADD), b"there is no command 'comple'; did you mean compile?"),
                    (("compile", ADD, "--kernal", "x"), b"unknown option '--kernal' of compile; did you mean --kernel?"),
                    (("compile", ADD, "--kernal=x"), b"unknown option '--kernal' of compile; did you mean --kernel?"),
                    (("generate", "gem"), b"there is no command 'generate gem'; did you mean gemm"),
                    (("generate", "gemm", "--stage", "3"), b"unknown option '--stage' of generate gemm; did you mean --stages, "),
                    (("compile", ADD, "--arch", "sm_80", "--print-ir-after", "nope"), b"this compilation has no pass 'nope'; the nearest are "),
                    (("compile", ADD, "--arch", "sm_80", "--print-ir-after", "cute-desugr"), b"'cute-desugr'; the nearest are cute-desugar"),
                    (("compile", ADD, "--arch", "sm_80", "--print-ir-after", "tessera-hold-back-loads"), b"has no pass 'tessera-hold-back-loads'")):
    expect(" ".join(words), run("tessera", *words), 2, said)
for name in ("all", "cute-expand-ops", "cute-desugar", "convert-to-llvm", "tessera-lower-tiles", "convert-scf-to-cf"):
    expect(f"after {name}", run("tessera", "compile", ADD, "--arch", "sm_80", "-o", os.devnull, "--print-ir-after", name), 0, b"IR Dump After")
expect("after a pass of an option", run("tessera", "compile", ADD, "--arch", "sm_80", "-o", os.devnull, "--hold-back-loads", "--print-ir-after", "tessera-hold-back-loads"), 0)

# A limit of -1 is none that anybody has asked for.
for option in ("--max-instructions", "--max-memory", "--max-output", "--max-reports", "--shuffle"):
    expect(f"{option} -1", run("tessera", "sim", "-", option, "-1", stdin=DONE.encode()), 2, f"{option}: expects a number from 0 on, but got -1".encode())
expect("--seed -1", run("tessera", "run", TILES, "--device", "interp", "--seed", "-1"), 2, b"--seed: expects a number from 0 on, but got -1")
expect("--limit 0", run("tessera", "layout", "8:1", "--values", "--limit", "0"), 2, b"error: --limit: expects a number from 1 on, but got 0; see layout --help\n")
expect("--bench -1", run("tessera", "run", ADD, "--bench", "-1"), 2, b"error: --bench: expects a number from 0 on, but got -1; see run --help\n")

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
divides = file("divides.mlir", "func.func @f(%a: i32, %b: i32) -> i32 {\n  %0 = arith.remsi %a, %b : i32\n  return %0 : i32\n}\n")
expect("a division", run("tessera", "run", divides, "--arg", "i32:6", "--arg", "i32:3", "--device", "sim", "--no-host-code"), 0)
expect("a division by zero", run("tessera", "run", divides, "--arg", "i32:6", "--arg", "i32:0", "--device", "sim", "--no-host-code"), 2, b"a number is divided by zero, or the smallest one by -1")
calls = file("calls.mlir", """func.func private @abort()
func.func @f() -> i32 {
  %c = arith.constant 0 : i32
  func.call @abort() : () -> ()
  return %c : i32
}
""")
expect("a call", run("tessera", "run", calls, "--device", "sim", "--no-host-code"), 2, b"f has 'func.call' at")

# The file's host code is all of it: what no host function calls would be found by the name that lowered code calls.
unsafe = "  %0 = llvm.mlir.constant(64 : i64) : i64\n  %1 = llvm.inttoptr %0 : i64 to !llvm.ptr\n  llvm.store volatile %0, %1 : i64, !llvm.ptr\n  llvm.return\n"
harmless = "func.func @f() { return }\n"
for name, more, said in (("a wrapper", "llvm.func @tessera_packed_f() {\n%s}\n" % unsafe, b"the file has 'llvm.func' at"),
                         ("a function of C", "llvm.func @memcpy() {\n%s}\n" % unsafe, b"the file has 'llvm.func' at"),
                         ("another host function", "func.func @malloc(%p: !llvm.ptr) {\n  %d = arith.constant 0 : i32\n  llvm.store %d, %p : i32, !llvm.ptr\n  return\n}\n",
                          b"malloc has 'llvm.store' at"),
                         ("a nested module", "builtin.module {\nllvm.func @memcpy() {\n%s}\n}\n" % unsafe, b"the file has 'llvm.func' at"),
                         ("another name", "llvm.func @g() {\n%s}\nllvm.mlir.alias external @memcpy : !llvm.func<void ()> {\n  %%0 = llvm.mlir.addressof @g : !llvm.ptr\n"
                          "  llvm.return %%0 : !llvm.ptr\n}\n" % unsafe, b"the file has 'llvm.func' at")):
    path = file("definitions.mlir", harmless + more)
    expect(f"run, {name}", run("tessera", "run", path, "--entry", "f", "--device", "sim", "--no-host-code"), 2, said)
    path = file("definitions.mlir", "func.func @f() -> i32 {\n  %c = arith.constant 0 : i32\n  return %c : i32\n}\n" + more)
    expect(f"tune, {name}", run("tessera", "tune", path, "--entry", "f", "--param", "%c=0,1", "--device", "sim", "--no-host-code"), 2, said)
# The same without the option: nothing takes the place of what Tessera calls.
for name in ("tessera_packed_f", "\\01tessera_packed_f", "tessera_rt_launch", "\\01tessera_rt_launch", "tessera_rt_new"):
    path = file("reserved.mlir", harmless + 'llvm.func @"%s"() {\n%s}\n' % (name, unsafe))
    begin = "_".join(name.removeprefix("\\01").split("_")[:2])
    said = f"may not be defined in a file: names that begin with {begin}_ are those of the functions that host code is called by and launches with; choose another name".encode()
    for words in (("run", path, "--entry", "f", "--device", "sim"), ("compile", path, "--arch", "sm_80", "--emit", "object", "-o", os.path.join(folder, "f.o"))):
        expect(f"{words[0]} of a file that defines {name}", run("tessera", *words, "--no-cache"), 2, said)
with open(ADD) as of:
    add = of.read()
launches = "func.func @add("
for name, more in (("defined", "llvm.func @tessera_rt_launch(%%a: !llvm.ptr, %%b: !llvm.ptr, %%c: !llvm.ptr, %%d: !llvm.ptr, %%e: i32) {\n%s}\n" % unsafe),
                   ("declared as something else", "llvm.func @tessera_rt_launch(!llvm.ptr)\n"), ("a global", "llvm.mlir.global external @tessera_rt_launch(0 : i32) : i32\n"),
                   ("a host function", "func.func @tessera_rt_launch() { return }\n"), ("the name of a kernel", 'llvm.mlir.global internal constant @tessera_name_add_kernel("no\\00")\n')):
    changed = file("launches.mlir", add.replace(launches, more + launches))
    expect(f"run of launches, {name}", run("tessera", "run", changed, "--entry", "add", *numbers[:-1], "--no-cache"), 2, b"choose another name")

for path, argument, said in ((stores, ("--arg", "zeros:i32:4"), b"f has 'llvm.store' at"), (calls, (), b"f has 'func.call' at")):
    expect("tune " + path, run("tessera", "tune", path, "--param", "%c=0,1", *argument, "--device", "sim", "--no-host-code"), 2, said)
if b"Executes the file's host code" not in run("tessera", "tune", "--help")[1]:
    wrong.append("tune --help does not say that it executes host code")

# "HostAssembly": inline assembly of host code, which the assembler would carry out when it is compiled.
secret = file("secret", "what others may not read")
for text in (f'.incbin \\22{secret}\\22', ".rept 1000000000\\0A.byte 0\\0A.endr", "nop"):
    assembly = file("assembly.mlir", 'func.func @f() -> i32 {\n  llvm.inline_asm has_side_effects "%s", "" : () -> ()\n  %%c = arith.constant 0 : i32\n  return %%c : i32\n}\n' % text)
    for words in (("run", assembly, "--device", "sim"), ("compile", assembly, "--arch", "sm_80", "--emit", "object", "-o", os.path.join(folder, "f.o"))):
        expect(f"{words[0]} of inline assembly", run("tessera", *words, "--no-cache"), 2, b"host code has inline assembly")

# --timeout of what compiles.
expect("compile --timeout", run("tessera", "compile", "--arch", "sm_80", "--timeout", "0.000001", file("m.mlir", "module {}\n")), 4,
       b"did not end within")

# Files without an end, and one that is as large as no program: holes only.
huge = file("huge", "")
os.truncate(huge, 2**30 + 1)
array = file("huge.npy", "")
os.truncate(array, 2**36 + 1)
for words, code in ((("tessera", "sim", huge), 2), (("tessera", "compile", huge, "--arch", "sm_80"), 2), (("tessera", "run", huge, "--device", "sim"), 2),
                    (("tessera", "run", ADD, *numbers[:-1], "--ptx", huge), 2), (("tessera", "tile", huge), 2), (("tessera", "generate", "gemm", "--shape", "8x8x8", "--table", huge), 2),
                    (("tessera-tileiras", huge, "-o", os.devnull, "--gpu-name", "sm_80"), 2), (("tessera-opt", huge), 1), (("cuda-tile-opt", huge), 1), (("cuda-tile-optimize", huge), 1),
                    (("cuda-tile-translate", huge, "-mlir-to-cudatilebc"), 1), (("tessera", "sim", "/dev/zero"), 2), (("tessera-opt", "/dev/full"), 1)):
    expect(f"a file that is too large: {words}", run(*words), code, b"it has more than 1 GiB, the limit of files")
for option in (("--arg", array), ("--arg", "out:f32:16", "--check", f"0={array}")):
    expect(f"an array that is too large: {option}", run("tessera", "sim", file("p.ptx", HEAD + ".visible .entry k(.param .u64 p) {\nret;\n}\n"), *(f"ptr={word}" if word in (array, "out:f32:16") else word for word in option)),
           2, b"it has 68719476737 bytes, but the limit is 68719476736")

# Two results in one file: the first would be lost. However it is spelled, and before anything is done.
place = os.path.join(folder, "both")
os.symlink("both", place + " by a link")
tile = os.path.join(os.path.dirname(ADD), "tile/add.tilebc")
for words in (("tessera", "run", ADD, *numbers[:-1], "--save", f"2={place}", "--json", place), ("tessera", "run", ADD, *numbers[:-1], "--save", f"2={place}", "--save", f"1={folder}/./both"),
              ("tessera", "sim", "k.ptx", "--json", place, "--html", place), ("tessera", "sim", "k.ptx", "--sarif", place, "--junit", os.path.join(folder, "..", os.path.basename(folder), "both")),
              ("tessera", "run", tile, "--device", "interp", "--save", f"2={place}", "--save", f"1={place}"),
              ("tessera", "compile", ADD, "--arch", "sm_80", "--emit", "object", "-o", place, "--header", place), ("tessera", "layout", "8:1", "--svg", place, "--latex", place),
              ("tessera", "layout", "8:1", "--svg", place + " by a link", "--latex", place),
              ("tessera-tileiras", tile, "--gpu-name", "sm_80", "-o", place, "--remarks-output-file", place)):
    expect(f"one file for two: {words}", run(*words), 2, b" both write to ")
    if os.path.exists(place):
        wrong.append(f"{words} has written")
        os.remove(place)
expect("one device for two", run("tessera", "layout", "8:1", "--svg", os.devnull, "--latex", os.devnull), 0)

# Seconds that are none.
for words in (("tessera", "compile", "m.mlir", "--arch", "sm_80"), ("tessera", "sim", "k.ptx"), ("tessera", "run", "m.mlir", "--device", "sim"), ("tessera", "layout", "8:1"),
              ("tessera", "tune", "m.mlir", "--param", "%c=0"), ("tessera-tileiras", "a.tilebc", "-o", os.devnull, "--gpu-name", "sm_80"), ("tessera-opt", "m.mlir"),
              ("cuda-tile-opt", "m.mlir"), ("cuda-tile-optimize", "m.mlir"), ("cuda-tile-translate", "m.mlir", "-mlir-to-cudatilebc")):
    for seconds in ("nan", "-nan", "inf", "-1", "1e7"):
        for option in ("--timeout", *(["--total-timeout"] if words[1] in ("run", "tune") else [])):
            got = run(*words, f"{option}={seconds}")
            expect(f"{words[:2]} {option}={seconds}", got, 1 if words[0].endswith(("opt", "optimize", "translate")) else 2, b"expects seconds from 0 (no limit) to 1e6, but got ")

# --timeout of all that reads what does not come: nobody closes this pipe.
LITMUS = "x = 0\nblock 0 { st.relaxed.gpu.global.u32 [x], 1; }\nblock 1 { ld.relaxed.gpu.global.u32 r, [x]; }\n"
silent, _ = os.pipe()
STUCK = [("tessera", "compile", "-", "--arch", "sm_80", "--timeout"), ("tessera", "tile", "-", "--timeout"), ("tessera", "sim", "-", "--timeout"),
         ("tessera", "layout", "--batch", "-", "--timeout"), ("tessera", "run", "-", "--device", "sim", "--timeout"),
         ("tessera", "run", "-", "--device", "sim", "--total-timeout"), ("tessera", "tune", "-", "--param", "%a=1", "--device", "sim", "--total-timeout"),
         ("tessera-tileiras", "-", "-o", os.devnull, "--gpu-name", "sm_80", "--timeout"), ("tessera-opt", "-", "--timeout"), ("cuda-tile-opt", "-", "--timeout"), ("cuda-tile-optimize", "-", "--timeout"),
         ("cuda-tile-translate", "-", "-mlir-to-cudatilebc", "--timeout"), ("tessera-litmus", "-", "--timeout"),
         ("tessera-litmus", file("mp.litmus", LITMUS), "--runs", "999999999999", "--timeout")]
for words in STUCK:
    began = time.time()
    with subprocess.Popen([os.path.join(BIN, words[0]), *words[1:], "0.2"], stdin=silent, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
    expect(" ".join(words), (process.returncode, out, err), 4, b" did not end within ")
for words in (("tessera", "devices", "--timeout", "0.000001"), ("tessera", "atoms", "--timeout", "100")):
    if run(*words)[0] == 2:
        wrong.append(f"{words} is refused")
expect("tune gemm --total-timeout", run("tessera", "tune", "gemm", "--shape", "4096x4096x4096", "--device", "sim", "--total-timeout", "0.5"), 4, b"(--total-timeout)")

# tessera-litmus and tessera-sim-hw read their command lines themselves.
for words in (("tessera-litmus", file("mp.litmus", LITMUS)), ("tessera-sim-hw", "--ptxas", "/bin/false", "--only", "nothing is called so")):
    if os.path.exists(os.path.join(BIN, words[0])):
        for seconds in ("nan", "-nan", "inf", "-1", "1e7", "", "1x"):
            expect(f"{words[0]} --timeout {seconds}", run(*words, "--timeout", seconds), 2, b"error: --timeout expects seconds from 0 (no limit) to 1e6, but got '")
        expect(f"{words[0]} in time", run(*words, "--timeout", "100"), 0)
expect("tessera-litmus without a file", run("tessera-litmus"), 2, b"error: expects a file, or - for stdin; see --help")
expect("tessera-litmus with two", run("tessera-litmus", "a", "b\x1b"), 2, b"error: expects one file and the options of --help, but got 'b\\x1b'")
if os.path.exists(os.path.join(BIN, "tessera-sim-hw")):
    for words, said in ((("--cases", "-1"), b"--cases expects a number from 0 to 16777216, but got '-1'"), (("--processes", "9999999"), b"--processes expects a number from 0 to 1024, but got '9999999'"),
                        (("--seconds", "x"), b"--seconds expects a number from 0 to 1000000, but got 'x'"), (("--seed", "18446744073709551616"), b"--seed expects a number from 0 to 18446744073709551615, but got '18446744073709551616'"),
                        (("--x\x1b", "1"), b"there is no option '--x\\x1b'"), (("--only",), b"expects options with values, but ends with '--only'")):
        expect(f"tessera-sim-hw {words}", run("tessera-sim-hw", *words), 2, b"error: " + said)
    slow = file("slow-ptxas", "#!/bin/sh\nexec sleep 600\n")
    os.chmod(slow, 0o700)
    late = run("tessera-sim-hw", "--ptxas", slow, "--only", "mad.lo.u16", "--timeout", "0.5", timeout=60)
    expect("tessera-sim-hw that does not end", late, 4, b"error: tessera-sim-hw did not end within 0.5 s (--timeout)")
    if b"DIFFERS" in late[1]:
        wrong.append(f"tessera-sim-hw says of what it ended: {late[1][-300:]}")
for program in ("tessera-litmus", "tessera-sim-hw", "tessera-reduce", "tessera-opt", "cuda-tile-opt", "cuda-tile-optimize", "cuda-tile-translate", "tessera-tileiras"):
    if os.path.exists(os.path.join(BIN, program)):
        expect(f"{program} --help says its limit", run(program, "--help"), 0, b"--timeout")

# tessera-reduce: time, and what it leaves.
if os.path.exists(os.path.join(BIN, "tessera-reduce")):
    functions = "func.func @f() {\n  %0 = arith.constant 1 : i32\n  return\n}\nfunc.func private @g()\n"
    small = file("small.mlir", functions)
    # There is room for the copy of the file, but not for a step, which is written out.
    short = file("short.mlir", "func.func @f(){return}")
    expect("no room for a step", run("tessera-reduce", short, "--opt-reduction-pass=opt-pass=symbol-dce test=/bin/true", "-o", os.devnull, limits=[(resource.RLIMIT_FSIZE, 30)]), 7,
           b"error: cannot write the file of a step to ")

    def script(name, text):
        path = file(name, "#!/bin/sh\n" + text)
        os.chmod(path, 0o700)
        return path
    temporary = os.path.join(folder, "tmp")
    os.mkdir(temporary)
    os.environ["TMPDIR"] = temporary
    interesting, dull, sleeps = script("yes.sh", "exit 1\n"), script("no.sh", "exit 0\n"), script("sleep.sh", "exec sleep 3\n")
    for name, words, code in (("--version", ("--version",), 0), ("--help", ("--help",), 0), ("no file", ("none.mlir",), 1), ("a file that is none", (file("bad.mlir", "x"),), 1),
                              ("an unknown option", ("--nope",), 1), ("a script", (small, f"--opt-reduction-pass=opt-pass=symbol-dce test={interesting}", "-o", os.devnull), 0),
                              ("nothing of interest", (small, f"--opt-reduction-pass=opt-pass=symbol-dce test={dull}", "-o", os.devnull), 1),
                              ("no time", (small, f"--opt-reduction-pass=opt-pass=symbol-dce test={sleeps}", "--timeout", "0.2"), 4)):
        # mlir-reduce of LLVM 22 does not give back its copy of a file that is of no interest.
        got = run("tessera-reduce", *words, env=options("detect_leaks=0") if name == "nothing of interest" else None)
        expect(f"tessera-reduce, {name}", got, code)
        if left := os.listdir(temporary):
            wrong.append(f"tessera-reduce, {name}: leaves {left}")
            subprocess.run(["rm", "-rf", *(os.path.join(temporary, one) for one in left)])
    by = f"--opt-reduction-pass=opt-pass=symbol-dce test={interesting}"
    expect("tessera-reduce with the value of an option before its file", run("tessera-reduce", "--timeout", "100", by, "-o", os.devnull, small), 0)
    expect("tessera-reduce of stdin", run("tessera-reduce", by, stdin=functions.encode()), 0, b"func.func @f")
    expect("an error of stdin", run("tessera-reduce", "-", by, stdin=b"func.func @f() { x }"), 1, b"-:1:18: ")
    expect("an error of a file", run("tessera-reduce", file("wrong.mlir", "func.func @f() { x }"), by), 1, os.path.join(folder, "wrong.mlir:1:18: ").encode())
    bytecode = run("tessera-opt", small, "--emit-bytecode", "-o", "-")[1]
    for words in ((), ("-",), (file("small.mlirbc", bytecode),)):
        expect(f"bytecode for tessera-reduce {words}", run("tessera-reduce", by, *words, stdin=bytecode), 1, b"but got bytecode")
    # MLIR prints more than the file has, so that a step has no room, or the copy none.
    for most in (len(functions), 10):
        full = run("tessera-reduce", file("small.mlir", functions), by, "-o", os.devnull, limits=[(resource.RLIMIT_FSIZE, most)])
        expect(f"tessera-reduce with room for {most} bytes", full, 7, b"error: cannot write ")
        if temporary.encode() not in full[2]:
            wrong.append(f"tessera-reduce with room for {most} bytes: expects its folder, but got {full[2]}")
    expect("a script that is none", run("tessera-reduce", small, "--opt-reduction-pass=opt-pass=symbol-dce test=/nonexistent"), 1)

    # The script of a step ends with it, and what that has started.
    pids = os.path.join(folder, "pids")
    busy = script("busy.sh", f"sleep 600 & echo $$ $! > {pids}; wait; sleep 600\n")

    def gone(pid):
        try:
            with open(f"/proc/{pid}/stat") as of:
                return of.read().rsplit(") ", 1)[1][0] == "Z"
        except OSError:
            return True
    for name, code in (("--timeout", 4), ("SIGTERM", -signal.SIGTERM)):
        words = [os.path.join(BIN, "tessera-reduce"), small, f"--opt-reduction-pass=opt-pass=symbol-dce test={busy}"]
        with subprocess.Popen([*words, *(("--timeout", "0.5") if code == 4 else ())], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            end = time.time() + 60
            while time.time() < end and not (os.path.exists(pids) and len(open(pids).read().split()) == 2):
                time.sleep(0.01)
            if code != 4:
                process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
        expect(f"tessera-reduce, {name}", (process.returncode, out, err), code, b"did not end within" if code == 4 else b"")
        if err.count(b"error: ") > 1:
            wrong.append(f"tessera-reduce, {name}: says {err}")
        with open(pids) as of:
            running = [pid for pid in of.read().split() if not gone(pid)]
        if running or os.listdir(temporary):
            wrong.append(f"tessera-reduce, {name}: leaves the processes {running} and {os.listdir(temporary)}")
        os.remove(pids)

for line in wrong:
    print(line)
print(f"cli: {'wrong: %d' % len(wrong) if wrong else 'as it should be'}")
sys.exit(bool(wrong))
