#!/usr/bin/env python3
"""Faults and kills: after each of them nothing is wrong, torn or left over.

  test/hardening/faults.py BIN FAULTS             each call of the system fails once, in one compile and one run; with TESSERA_LONG=1 in one command
                                                  of each kind that writes, without it a part of their calls
  test/hardening/faults.py BIN FAULTS --rounds N  N rounds of 16 compiles at a time, with kills and faults
                           [--seed S]

BIN is the folder of the programs, FAULTS the library of faults.cpp. In both, a file that a user named is the old one or whole,
a program ends by itself with a reason (7, 6 or 2; 6 where there is no process; 1 of MLIR's mains) or with the right result, nothing stays in $TMPDIR or beside the outputs, and
the next compilation with the same cache gives the right result. After SIGKILL, which no program sees, temporaries may stay.
ptxas is fake_ptxas.py, whose cubins name a hash of what they were made of. Exit code 1 if anything does not hold.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ADD, TILE = (HERE.parent.parent / "examples" / name for name in ("add.mlir", "tile/add.tilebc"))
# The kernel of the test of `tessera tune FILE`, and a tile program.
STEP = (HERE.parent / "ir/cli-tune-file.test").read_text().split("#--- step.mlir\n")[1]
TILES = "cuda_tile.module @m {\n  entry @k(%p: tile<ptr<f32>>) {\n    return\n  }\n}\n"
KERNELS = "gpu.module @a {{\n  cuda.kernel @calm{0}() attributes {{cute.kernel}} {{ return }}\n  cuda.kernel @busy{0}() attributes {{cute.kernel}} {{ return }}\n}}\n"
ERRNO = {"write": errno.ENOSPC, "pwrite": errno.EIO, "rename": errno.EIO, "fork": errno.EAGAIN, "mmap": errno.ENOMEM, "open": errno.EMFILE,
         "fsync": errno.ENOSPC}
OLD = b"old\n"
MARK = "TESSERA_FAULTS_MARK"


class Folder:
    def __init__(self, bin, faults):
        self.path = Path(tempfile.mkdtemp(prefix="tessera-faults-", dir="/tmp"))
        self.bin, self.faults = bin, faults
        self.temporary, self.cache = self.path / "tmp", self.path / "cache"
        self.temporary.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def start(self, words, **more):
        environment = {**os.environ, "TMPDIR": str(self.temporary), "TESSERA_CACHE_DIR": str(self.cache), MARK: str(self.path),
                       "TESSERA_PTXAS": str(HERE / "fake_ptxas.py"), **{name: str(value) for name, value in more.items()}}
        return subprocess.Popen([self.bin / words[0], *words[1:]], cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    def run(self, words, **more):
        process = self.start(words, **more)
        said = process.communicate(timeout=300)
        return process.returncode, said[0], said[1]

    def temporaries(self):
        return [str(path.relative_to(self.path)) for path in [*self.temporary.iterdir(), *self.path.glob(".tessera-*"), *self.cache.glob("*.part")]]

    def processes(self):
        """What runs with our mark: no child outlives its program."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes()
                if f"{MARK}={self.path}\0".encode() in environment and (process / "stat").read_text().split(") ")[1][0] != "Z":
                    found.append(int(process.name))
            except OSError:
                pass
        return found


# What writes: command, files, and whether each of its calls fails once without TESSERA_LONG too.
SCENARIOS = {
    "compile": (["tessera", "compile", "k.mlir", "--arch", "sm_90a", "--emit", "cubin", "-o", "out"], ["out"], True),
    "run": (["tessera", "run", ADD, "--device", "sim", "--arch", "sm_90a", "--arg", "rand:f32:16x8", "--arg", "rand:f32:16x8:seed=2", "--arg", "out:f32:16x8",
             "--save", "2=sum.npy", "--json", "out.json"], ["sum.npy", "out.json"], True),
    "tileiras": (["tessera-tileiras", TILE, "--gpu-name", "sm_80", "--libdevice", "none", "-o", "out", "--remarks-output-file", "remarks"], ["out", "remarks"], False),
    "object": (["tessera", "compile", ADD, "--arch", "sm_80", "--emit", "object", "-o", "out.o", "--header", "out.h"], ["out.o", "out.h"], False),
    "tile": (["tessera", "tile", TILE, "--arch", "sm_80", "--value", "%result", "--svg", "out.svg"], ["out.svg"], False),
    "tune": (["tessera", "tune", "step.mlir", "--device", "sim", "--arg", "rand:i32:128", "--arg", "out:i32:128", "--param", "%step=16", "-o", "out.mlir"], ["out.mlir"], False),
    "interp": (["tessera", "run", TILE, "--device", "interp", "--grid", "1", "--arg", "zeros:f32:128", "--arg", "zeros:f32:128", "--arg", "out:f32:128", "--save", "2=sum.npy"],
               ["sum.npy"], False),
    "opt": (["tessera-opt", "k.mlir", "-o", "out.mlir"], ["out.mlir"], False),
    "translate": (["cuda-tile-translate", "-mlir-to-cudatilebc", "tiles.mlir", "-o", "out.tilebc"], ["out.tilebc"], False),
}


def reports_error(content):
    """Whether it is a whole report (--json) of a run that ended with an error: it is written after such an end, too."""
    try:
        return bool(json.loads(content).get("error"))
    except (ValueError, AttributeError):
        return False


def prepare(folder):
    for name, text in (("k.mlir", KERNELS.format("")), ("step.mlir", STEP), ("tiles.mlir", TILES)):
        (folder.path / name).write_text(text)


def each_call(bin, faults, scenarios=SCENARIOS, long=False):
    """[what does not hold], how many faults."""
    jobs, right = [], {}
    for name, (words, files, always) in scenarios.items():
        with Folder(bin, faults) as folder:
            prepare(folder)
            counts = folder.path / "counts"
            code, _, said = folder.run(words, LD_PRELOAD=faults, TESSERA_FAULT_COUNTS=counts)
            if code:
                sys.exit(f"{name} ends with {code} without faults: {said}")
            right[name] = {file: (folder.path / file).read_bytes() for file in files}
            # fake_ptxas.py is not preloaded, so the counts are of one program. Most calls of mmap are those of any start: a part is the last of each
            # call, where files are written, and others that differ with the command.
            for call, count in (line.split() for line in counts.read_text().splitlines()):
                numbers = range(1, int(count) + 1)
                jobs += [(name, call, n) for n in (numbers if always or long else numbers[::-1][:2])]

    def check(job):
        name, call, n = job
        words, files, _ = scenarios[name]
        # What MLIR's mains return after an error; a file that is mapped in vain may be one that a program does without.
        right_codes = (0, 1, 6, 7) if words[0] in ("tessera-opt", "cuda-tile-translate") else (0, 2, 6, 7)
        wrong = []
        with Folder(bin, faults) as folder:
            prepare(folder)
            for file in files:
                (folder.path / file).write_bytes(OLD)
            code, _, said = folder.run(words, LD_PRELOAD=faults, TESSERA_FAULT=f"{call}:{n}:{ERRNO[call]}")
            contents = {file: (folder.path / file).read_bytes() for file in files}
            if code not in ((6,) if call == "fork" else right_codes):
                wrong.append(f"ends with {code}: {said[-300:]}")
            if call == "fork" and "the system has no process for it" not in said:  # "NoProcess"
                wrong.append(f"does not say what is missing: {said[-300:]}")
            if code and "error: " not in said or "LLVM ERROR" in said:
                wrong.append(f"gives no reason: {said[-300:]}")
            if code == 0 and contents != right[name]:
                wrong.append("ends with 0, but the files are not those without a fault")
            if any(content not in (OLD, right[name][file]) and not (code and reports_error(content)) for file, content in contents.items()):
                wrong.append("leaves a file that is neither the old nor the new one")
            if left := folder.temporaries():
                wrong.append(f"leaves {left}")
            code, _, said = folder.run(words)
            if code or {file: (folder.path / file).read_bytes() for file in files} != right[name]:
                wrong.append(f"is followed by a wrong result ({code}: {said[-300:]})")
        return [f"{name}, {call} {n} fails with {errno.errorcode[ERRNO[call]]}: {text}" for text in wrong]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [text for texts in pool.map(check, jobs) for text in texts], len(jobs)


def rounds(bin, faults, count, seed):
    """[what does not hold], a line of counts."""
    rng = random.Random(seed)
    wrong, ends = [], {"undisturbed": 0, "fault": 0, "TERM": 0, "INT": 0, "KILL": 0}
    commands = []
    for k in range(8):
        for emit in ("ptx", "cubin"):
            commands.append((f"{k}.{emit}", ["tessera", "compile", f"{k}.mlir", "--arch", "sm_90a", "--emit", emit, "-o", f"{k}.{emit}"]))
    with Folder(bin, faults) as folder:
        for k in range(8):
            (folder.path / f"{k}.mlir").write_text(KERNELS.format(k))
        right, longest = {}, 0
        for file, words in commands:
            start = time.monotonic()
            code, _, said = folder.run([*words, "--no-cache"])
            longest = max(longest, time.monotonic() - start)
            if code:
                sys.exit(f"{words} ends with {code}: {said}")
            right[file] = (folder.path / file).read_bytes()

        def disturbed(job):
            (file, words), end, at, fault = job
            process = folder.start(words, **({"LD_PRELOAD": faults, "TESSERA_FAULT": fault} if end == "fault" else {}))
            if end in ("TERM", "INT", "KILL"):
                time.sleep(at)
                process.send_signal(getattr(signal, "SIG" + end))
            said = process.communicate(timeout=600)[1]
            return file, end, process.returncode, said

        for number in range(count):
            if number % 10 == 0:  # what is kept is found again in the others
                shutil.rmtree(folder.cache, ignore_errors=True)
            for file in right:
                (folder.path / file).write_bytes(OLD)
            jobs = []
            for command in commands:
                end = rng.choice(list(ends))
                call = rng.choice(list(ERRNO))
                jobs.append((command, end, rng.random() * longest * 3, f"{call}:{rng.randint(1, 12)}:{ERRNO[call]}"))
                ends[end] += 1
            with ThreadPoolExecutor(len(jobs)) as pool:
                done = list(pool.map(disturbed, jobs))
            where = f"round {number} of seed {seed}"
            for file, end, code, said in done:
                content = (folder.path / file).read_bytes()
                if content not in (OLD, right[file]):
                    wrong.append(f"{where}: {file} is torn after {end}")
                if code == 0 and content != right[file]:
                    wrong.append(f"{where}: {file} was not written, but the exit code is 0")
                if end == "undisturbed" and code or code in (1, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS):
                    wrong.append(f"{where}: {file} ends with {code} after {end}: {said[-300:]}")
            left = folder.temporaries()
            if left and not any(end == "KILL" for _, end, _, _ in done):
                wrong.append(f"{where}: {left} are left")
            if len(left) > sum(code == -signal.SIGKILL for _, _, code, _ in done):
                wrong.append(f"{where}: {left} are left, more than processes were killed")
            for name in left:
                path = folder.path / name
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            orphans = folder.processes()
            for _ in range(100):  # a process that is being killed may take a moment
                if not orphans:
                    break
                time.sleep(0.02)
                orphans = folder.processes()
            if orphans:
                wrong.append(f"{where}: the processes {orphans} go on")
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                again = list(pool.map(lambda command: (command[0], *folder.run(command[1])), commands))
            for file, code, _, said in again:
                if code or (folder.path / file).read_bytes() != right[file]:
                    wrong.append(f"{where}: afterwards {file} is wrong ({code}): {said[-300:]}")
    return wrong, ", ".join(f"{count} {end}" for end, count in ends.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=lambda text: Path(text).resolve())
    parser.add_argument("faults", type=lambda text: Path(text).resolve())
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=SCENARIOS, help="these of the commands")
    options = parser.parse_args()
    start = time.monotonic()
    if options.rounds:
        wrong, counts = rounds(options.bin, options.faults, options.rounds, options.seed)
        print(f"{options.rounds} rounds of 16 compiles: {counts}; {len(wrong)} wrong; {time.monotonic() - start:.0f} s")
    else:
        chosen = {name: row for name, row in SCENARIOS.items() if not options.only or name in options.only}
        wrong, count = each_call(options.bin, options.faults, chosen, "TESSERA_LONG" in os.environ)
        print(f"{count} faults: {len(wrong)} wrong; {time.monotonic() - start:.0f} s")
    for text in wrong:
        print(text)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
