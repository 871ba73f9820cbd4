#!/usr/bin/env python3
"""Gives tessera and tessera-tileiras command lines and environments that nobody means, and reports each that it does not answer as it promises.

  utils/fuzz-cli.py BIN [--seconds 60] [--seed 1] [--runs N]

Options are those that --help lists, with values of their kind or not: numbers at limits, texts cut, doubled or with control characters, names
of files that are whole, damaged, not there, a folder or full. Right is an exit code of docs/exit-codes.md, with "error: " on stderr from 2 on, within
10 s of processor time and 4 GiB of addresses, and nothing on stderr that a terminal takes for a command. Exit code 1 if there was anything else.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import collections
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ["0", "1", "-1", "2", "3", "7", "32", "128", "255", "256", "1024", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
           "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e9", "1e400", "-0", "nan", "inf", "0x10",
           "0.5", " 1", "1 ", "+1", "١", ""]
TEXTS = ["", " ", "x", "-", "--", "=", "\x1b[31m", "\x1b]0;t\x07", "\u009b31m", "\udcff", "a" * 5000, "(" * 300, "%s%n", "../..", "\n", "\t", "'", '"',
         "ä", "\U0001f600", "\x7f"]
SHAPES = ["4,2", "1,1,1", "1,2,3,4", "8x8x8", "128x128x64", "0x1", "4294967296,1", ",", "1,,2", "8x-1"]
ARGUMENTS = ["rand:f32:16x8", "rand:f32:16x8:seed=2", "zeros:f32:16x8", "out:f32:16x8", "a.npy", "bf16:a.npy", "bad.npy", "none.npy", "i32:5", "0.5", "true",
             "ptr=out:f32:8", "ptr=a.npy", "ptr=#0", "ptr=#9", "struct{i32:1,ptr=#0}", "struct{", "tmap:f16:64x128::64x8:128B@zeros:f16:64x128", "out:f32:8",
             "zeros:f32:1000000000000", "rand:f4E2M1FN:3", "zeros:i1:8:stride=0", "zeros:f32:8x8:stride=1,99999999999", "i64:0"]
EXPRESSIONS = ["(4,2):(1,4)", "((4,2),(8,4)):((1,4),(8,64))", "coalesce((4,2):(1,4))", "let A = (4,8):(8,1); A o (2,4)", "S<3,3,3> o 0 o (8,64):(64,1)",
               "logical_divide((128,128):(1,128), [64:1;64:1])", "(2000000000):(1)", "complement((2,2):(1,6), 24)", "coalesce(", "(0):(1)", "?{4}:1",
               "(4294967296,4294967296):(1,1)", "((4,8),2):((16,1),8)"]
PARAMETERS = ["!copy.layout_copy_tv=(128,16):(1,128),(64,32):(16,1)", "%none=1", "a", "=", "a=", "a=1,", "%c1@4=1,2", "%c1@99999999999999999999=1", "!x.y=(", "max_attrs=1,2",
              "@=1", "!copy.=1", "%c0_i32=" + "1," * 300]
LAWS = ["injective", "complement", "coalesce", "nothing"]
FILES = ["add.mlir", "add.tilebc", "k.ptx", "spin.ptx", "a.npy", "bad.npy", "bad.tilebc", "bad.mlirbc", "deep.mlir", "empty", "none.mlir", "folder", "/dev/null",
         "/dev/full", "-", ""]
OUTPUTS = ["out.file", "out.file", "/dev/null", "/dev/full", "folder", "folder/none/x", "-", "", "a" * 300]
ENVIRONMENT = {
    "TESSERA_CACHE_DIR": ["", "cache", "/nonexistent/a", "/dev/null", "a" * 5000, "\x1b[31m"],
    "TESSERA_PTXAS": ["", "none", "/bin/true", "/bin/false", "folder", "\x1b[31m"],
    "TESSERA_LIBCUDA": ["", "none", "/dev/null", "a.npy", "\x1b[31m"],
    "TMPDIR": ["", "folder", "/nonexistent", "a.npy", "a" * 5000],
    "HOME": ["", "/nonexistent", "folder"],
    "XDG_CACHE_HOME": ["", "relative", "/nonexistent"],
    "COLUMNS": ["0", "-1", "99999999999"],
    "TERM": ["", "dumb", "xterm"],
    "NO_COLOR": ["1"],
    "LC_ALL": ["C", "xx_YY"],
    "PATH": ["", "/nonexistent"],
}
OPTION = re.compile(r"^  +((?:-\w,)?--[\w-]+|-\w)(?:,--[\w-]+)?[ {]*(\S*)")


def program_of(bin, words):
    """The program and what it is given: tessera, where no program is named."""
    own = words and words[0].startswith("tessera-")
    return [os.path.join(bin, words[0] if own else "tessera"), *words[1 if own else 0:]]


def options_of(bin, subcommand):
    """[(name, kind)] of --help; kind is empty for a flag."""
    told = subprocess.run([*program_of(bin, subcommand), "--help"], capture_output=True, text=True).stdout
    found = []
    for line in told.splitlines():
        match = OPTION.match(line)
        if match and "--help" not in line and "--version" not in line:
            rest = line[match.end(1):]
            kind = rest.split()[0] if re.match(r" (?:TEXT|INT|UINT|FLOAT|\{)", rest) else ""
            found.append((match[1].split(",")[-1], kind))
    return found


def prepare(folder):
    def write(name, data):
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    write("add.mlir", (ROOT / "examples/add.mlir").read_bytes())
    tile = (ROOT / "examples/tile/add.tilebc").read_bytes()
    write("add.tilebc", tile)
    write("bad.tilebc", tile[:60] + b"\xff\xff" + tile[62:])
    head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
    write("k.ptx", head + "ret;\n}\n")
    write("spin.ptx", head + "a: bra a;\n}\n")
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }".ljust(117) + "\n"
    write("a.npy", b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + bytes(32))
    write("bad.npy", b"\x93NUMPY\x01\x00\x76\x00" + header.replace("8", "9999999999999").encode() + bytes(32))
    write("bad.mlirbc", b"ML\xefR\x06MLIR22.1.8\x00\x1f\x07\xff\xff\xff")
    write("deep.mlir", "module attributes {a = " + "[" * 5000 + "]" * 5000 + "} {}\n")
    table = (ROOT / "tessera/kernels/choice/GemmTable.def").read_text()
    write("table", table)
    write("table.bad", table.replace("128", "99999999999999999999", 3)[:-5])
    write("empty", b"")
    (folder / "folder").mkdir()


class Lines:
    def __init__(self, bin, seed):
        self.rng = random.Random(seed)
        self.commands = {(name,): options_of(bin, [name])
                         for name in ("compile", "run", "layout", "sim", "atoms", "devices", "tile", "tune", "tessera-tileiras")}
        listed = subprocess.run([*program_of(bin, ["generate"]), "--list"], capture_output=True, text=True).stdout
        for name in (("tune", "gemm"), *(("generate", line.split()[0]) for line in listed.splitlines() if line.strip())):
            self.commands[name] = options_of(bin, name)

    def value(self, name, kind):
        rng = self.rng
        own = {"--arg": ARGUMENTS, "--check": [f"{i}={f}" for i in (0, 1, 9) for f in FILES[4:6]] + LAWS, "--save": [f"{i}={o}" for i in (0, 9, "x") for o in OUTPUTS[:6]],
               "-o": OUTPUTS, "--output": OUTPUTS, "--json": OUTPUTS, "--svg": OUTPUTS, "--latex": OUTPUTS, "--cache-dir": OUTPUTS, "--arch": ["sm_80", "sm_90a", "sm_100a", "sm_999"],
               "--emit": ["ptx", "cubin", "mlir", "llvm", "nothing"], "--device": ["sim", "gpu", "interp", "moon"], "--ptx": FILES, "--table": ["table", "table.bad", *FILES], "--batch": FILES, "--equal": EXPRESSIONS,
               "--conflicts": EXPRESSIONS, "--versus": EXPRESSIONS, "--tv": SHAPES, "--grid": SHAPES, "--block": SHAPES, "--cluster": SHAPES, "--shape": SHAPES,
               "--gpu-name": ["sm_80", "sm_90", "sm_100", "sm_88", "sm_999"], "--value": ["%result", "%a", "none"], "--param": PARAMETERS, "--sim-arg": ARGUMENTS,
               "--remarks-output-file": OUTPUTS, "--header": OUTPUTS, "--libdevice": ["none", *FILES], "--element": ["f16", "bf16", "f32", "i8", "x"],
               "--print-ir-after": ["all", "cute-desugar", "nope"], "--timeout": ["0.001", "1", "2"], "--total-timeout": ["0.001", "1", "2"]}.get(name)
        dice = rng.random()
        if own and dice < 0.8:
            return rng.choice(own)
        if kind.startswith(("INT", "UINT", "FLOAT")) and dice < 0.9:
            return rng.choice(NUMBERS)
        if kind.startswith("{") and dice < 0.8:
            return rng.choice(re.split(r"[{},]", kind)[1:-1] or [""])
        return rng.choice(rng.choice([NUMBERS, TEXTS, ARGUMENTS, EXPRESSIONS, FILES, SHAPES]))

    def words(self):
        rng = self.rng
        command = rng.choice(list(self.commands))
        words, options = list(command), self.commands[command]
        of = {"compile": ["add.mlir"], "run": ["add.mlir", "add.tilebc"], "sim": ["k.ptx", "spin.ptx"], "tile": ["add.tilebc"], "tessera-tileiras": ["add.tilebc"],
              ("tune",): ["add.mlir"]}
        if files := of.get(command, of.get(command[0])) or (FILES if rng.random() < 0.05 else None):
            words.append(rng.choice(files if rng.random() < 0.6 else FILES))
        elif command[0] == "layout":
            words.append(rng.choice(EXPRESSIONS))
        if command == ("run",) and rng.random() < 0.7:
            words += ["--device", rng.choice(["sim", "interp"])] + [w for a in rng.choices(ARGUMENTS, k=3) for w in ("--arg", a)]
        if command == ("tune",) and rng.random() < 0.8:
            words += ["--device", "sim", "--param", rng.choice(PARAMETERS)] + [w for a in ARGUMENTS[:4] if a[0] != "z" for w in ("--arg", a)]
        if command == ("tessera-tileiras",) and rng.random() < 0.8:
            words += ["--gpu-name", rng.choice(["sm_80", "sm_90", "sm_120", "sm_88"]), "-o", rng.choice(OUTPUTS)]
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 6])):
            if not options:
                break
            name, kind = rng.choice(options)
            value = self.value(name, kind)
            if not kind and rng.random() < 0.9:
                words.append(name)
            elif rng.random() < 0.5:
                words.append(f"{name}={value}")
            else:
                words += [name, value]
        if rng.random() < 0.1:
            words.insert(rng.randrange(len(words) + 1), rng.choice(TEXTS))
        limit = "--total-timeout" if command[0] == "tune" else "--timeout"
        if not any(w.startswith(limit) for w in words):
            words += [limit, "2"]
        return words

    def environment(self):
        chosen = {}
        for name, values in ENVIRONMENT.items():
            if self.rng.random() < 0.08:
                chosen[name] = self.rng.choice(values)
        return chosen


def before():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 12))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def verdict(bin, words, environment, folder):
    """(exit code, why it is wrong or an empty string)"""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TESSERA_LIBCUDA": "/nonexistent", "TESSERA_CACHE_DIR": "", **environment}
    raw = [w.encode("utf-8", "surrogateescape").replace(b"\0", b"") for w in program_of(bin, words)]
    process = subprocess.Popen(raw, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
                               preexec_fn=before, env={k: v.encode("utf-8", "surrogateescape") for k, v in env.items()})
    try:
        err = process.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return None, f"no answer in 120 s: {process.communicate()[1][-200:]}"
    code = process.returncode
    if code == -signal.SIGXCPU:
        return code, "more than 10 s of processor time"
    if not 0 <= code <= 7:
        return code, f"exit code {code}: {err[-300:]}"
    is_object = words[0] == "layout" and "--json" in words  # the reason is in it, on stdout
    if code > 1 and b"error: " not in err and not is_object:
        return code, f"exit code {code} without a reason: {err[-300:]}"
    if re.search(rb"LLVM ERROR|Stack dump|internal error|Assertion|terminate called", err):
        return code, f"exit code {code}: {err[-300:]}"
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", err):
        return code, f"control characters reach the terminal: {err[-300:]}"
    return code, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=lambda text: Path(text).resolve())
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=0, help="as many, whatever the time")
    asked = parser.parse_args()
    lines, codes, kinds, began = Lines(asked.bin, asked.seed), collections.Counter(), {}, time.monotonic()
    runs = 0
    with tempfile.TemporaryDirectory(prefix="tessera-fuzz-cli.") as temporary:
        folder = Path(temporary)
        prepare(folder)
        while runs < asked.runs if asked.runs else time.monotonic() - began < asked.seconds:
            words, environment = lines.words(), lines.environment()
            code, why = verdict(asked.bin, words, environment, folder)
            runs += 1
            codes[code] += 1
            if why and (kind := re.sub(r"[0-9]+", "N", why)[:80]) not in kinds:
                kinds[kind] = why
                print(f"{why}\n  {' '.join(f'{k}={shlex.quote(v)}' for k, v in environment.items())} {' '.join(map(shlex.quote, map(str, program_of('', words))))}".encode(
                    "utf-8", "backslashreplace").decode(), flush=True)
    told = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items(), key=str))
    print(f"fuzz-cli: {runs} command lines of seed {asked.seed} in {time.monotonic() - began:.0f} s ({told}), {len(kinds)} kinds of wrong answer")
    sys.exit(1 if kinds else 0)


if __name__ == "__main__":
    main()
