#!/usr/bin/env python3
"""compile_timeout of tessera-c/Tessera.h: the result or the error in time, and nothing left; `hardening-compile-timeout`.

  PYTHONPATH=python TESSERA_LIBRARY=... TESSERA_LIBCUDA=... compile_timeout.py
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import errno
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import tessera

LIBRARY = Path(os.environ["TESSERA_LIBRARY"]).resolve()
FAKE_PTXAS = Path(__file__).resolve().parent.parent / "fake_ptxas.py"
ENOUGH = 600.0  # seconds
ROW = '!cute.memref<f32, gmem, "(?):(1)">'


def unrolled(steps, name="long"):
    """A kernel of so many steps, each of which needs the one before: 200,000 take more than ten seconds."""
    lines = ["gpu.module @kernels {", f"cuda.kernel @{name}(%x: {ROW}, %v0: f32) attributes {{cute.kernel}} {{",
             "%t = nvvm.read.ptx.sreg.tid.x : i32", '%at = cute.make_coord(%t) : (i32) -> !cute.coord<"?">']
    lines += [f"%v{i + 1} = arith.{'addf' if i % 3 else 'mulf'} %v{i}, %v{i // 2} : f32" for i in range(steps)]
    return "\n".join([*lines, f'cute.memref.store(%x, %at, %v{steps}) : ({ROW}, !cute.coord<"?">, f32) -> ()', "return", "}", "}"])


LONG = unrolled(200_000)


def stats():
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = path.read_text().split(" (", 1)
        except OSError:
            continue
        state, parent = rest.rsplit(") ", 1)[1].split()[:2]
        yield int(pid), state, int(parent)


def children():
    """Of this process, zombies too."""
    return [pid for pid, _, parent in stats() if parent == os.getpid()]


def alive(pid):
    return any(pid == other and state != "Z" for other, state, _ in stats())


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return value


class CompileTimeout(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tessera-compile-timeout-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        before, where = dict(os.environ), os.getcwd()
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before), os.chdir(where)))
        os.environ.update(TMPDIR=str(self.temporary), TESSERA_GPU="h100")
        os.chdir(self.folder)
        self.files = sorted(os.listdir("/proc/self/fd"))

    def nothing_left(self):
        self.assertEqual(children(), [])
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(sorted(os.listdir("/proc/self/fd")), self.files)

    def load(self, content=unrolled(10), device="sim", cache=False, limit=ENOUGH, name="k.mlir", **options):
        return tessera.loads(content, name, device=device, cache=cache, arch="sm_90a", compile_timeout=limit, **options)

    def refused(self, id, *given, **options):
        with self.assertRaises(tessera.Error) as raised:
            self.load(*given, **options)
        self.assertEqual(raised.exception.id, id, raised.exception)
        return str(raised.exception)

    def ptxas(self, lines):
        """A script in the place of ptxas."""
        script = self.folder / "ptxas"
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(0o755)
        os.environ["TESSERA_PTXAS"] = "./ptxas"  # from the folder of this process

    def pids(self):
        return [int(line) for line in (self.folder / "pids").read_text().split()] if (self.folder / "pids").exists() else []

    def sleeping_ptxas(self):
        """One that starts something itself, and says both numbers."""
        self.ptxas(f"sleep 600 & echo $$ $! >> {self.folder}/pids; wait")

    def assert_late(self, text, limit):
        self.assertEqual(text, f"k.mlir is not compiled after {limit:g} s, the limit that was given (compile_timeout): give more seconds, 0 for no "
                               "limit, or a smaller kernel")

    def test_a_large_kernel_is_ended(self):
        begin = time.monotonic()
        self.assert_late(self.refused("CompileTime", LONG, limit=1.5), 1.5)
        self.assertLess(time.monotonic() - begin, 6)
        self.nothing_left()

    def test_a_ptxas_that_sleeps_is_ended_with_what_it_started(self):
        self.sleeping_ptxas()
        self.assert_late(self.refused("CompileTime", device="gpu", limit=2), 2)
        self.assertEqual(len(self.pids()), 2)
        for pid in self.pids():
            self.assertTrue(until(lambda: not alive(pid)))
        self.nothing_left()

    def test_no_time_at_all(self):
        self.assert_late(self.refused("CompileTime", limit=1e-9), 1e-9)
        self.nothing_left()

    def test_in_time_all_is_as_without_a_limit(self):
        self.assertEqual([self.load(limit=limit).name for limit in (0, ENOUGH, math.inf)], ["long"] * 3)
        for wrong in ("gpu.module @kernels { nonsense }", "gpu.module @kernels {\n  cuda.kernel @k() attributes {cute.kernel} { call @f() }\n}"):
            error, expected = (self.refused("CompileFailed", wrong, limit=limit) for limit in (ENOUGH, 0))
            self.assertIn("k.mlir:", error)
            self.assertEqual(error, expected)
        self.assertEqual(self.refused("InputVersion", input_version="x"), self.refused("InputVersion", input_version="x", limit=0))
        self.assertEqual(self.refused("InterpreterInput", device="interp"), self.refused("InterpreterInput", device="interp", limit=0))
        self.nothing_left()

    def test_limits_that_are_none(self):
        for limit in (-1, math.nan):
            self.assertIn("0 seconds (no limit) or more for compiling, but got", self.refused("CompileTimeout", limit=limit))

    def test_a_stack_of_a_mebibyte_is_enough(self):
        deep = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * 250 + "}\n" * 250 + "return\n}\n"
        names = []
        before = threading.stack_size(1 << 20)  # what tessera-c/Tessera.h asks of a thread
        try:
            thread = threading.Thread(target=lambda: names.append(self.load(deep, limit=0).name))
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
        self.assertEqual(names, ["f"])

    def test_what_is_kept_needs_no_process(self):
        self.load(cache="kept")  # relative to this process's folder
        self.assertTrue(any((self.folder / "kept").rglob("*")))
        self.assertEqual(self.load(cache="kept", limit=1e-9).name, "long")
        self.assertEqual(self.load(cache="kept", limit=0).name, "long")
        self.nothing_left()

    def test_eight_threads_at_once(self):
        os.environ["TESSERA_PTXAS"] = "/nowhere"
        done, stop = [], threading.Event()

        def compile(i):
            name = f"k{i}"
            if i % 4 == 3:
                self.refused("CompileTime", LONG, limit=1)
                done.append(name)
            else:
                done.append(self.load(unrolled(200, name), device=("sim", "gpu")[i % 2], limit=0 if i % 4 == 2 else ENOUGH).name)

        def busy():  # what a fork would meet in the middle of
            while not stop.is_set():
                [bytearray(1 << k) for k in range(20)]

        noise = [threading.Thread(target=busy) for _ in range(2)]
        for _ in range(2):
            threads = [threading.Thread(target=compile, args=(i,)) for i in range(8)]
            for thread in [*threads, *noise]:
                if not thread.is_alive():
                    thread.start()
            for thread in threads:
                thread.join()
        stop.set()
        for thread in noise:
            thread.join()
        self.assertEqual(sorted(done), sorted([f"k{i}" for i in range(8)] * 2))
        self.nothing_left()

    def test_where_somebody_else_takes_the_ends_of_children(self):
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGCHLD, before)
        self.assertEqual(self.load().name, "long")
        self.assert_late(self.refused("CompileTime", LONG, limit=1), 1)
        self.nothing_left()

    def test_a_kill_of_the_process_ends_all(self):
        self.sleeping_ptxas()
        host = subprocess.Popen([sys.executable, __file__, "--load"])
        self.assertTrue(until(lambda: len(self.pids()) == 2))
        worker = [pid for pid, _, parent in stats() if parent == host.pid]
        host.kill()
        host.wait()
        self.assertEqual(len(worker), 1)
        for pid in (*worker, self.pids()[0]):  # what ptxas has started knows of nothing
            self.assertTrue(until(lambda: not alive(pid)))
        os.kill(self.pids()[1], signal.SIGKILL)

    def test_an_interrupt_of_the_terminal_ends_all(self):
        self.sleeping_ptxas()
        host = subprocess.Popen([sys.executable, __file__, "--load"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertTrue(until(lambda: len(self.pids()) == 2))
        os.killpg(host.pid, signal.SIGINT)
        said = host.communicate(timeout=60)[1]
        self.assertIn(b"KeyboardInterrupt", said)
        for pid in self.pids():
            self.assertTrue(until(lambda: not alive(pid)))
        self.nothing_left()

    def with_worker(self, lines):
        """What a process says that loads a file with another program in the place of tessera-worker."""
        (self.folder / "lib").mkdir(exist_ok=True)
        library = self.folder / "lib" / LIBRARY.name
        if not library.exists():
            shutil.copy(LIBRARY, library)
        if lines:
            (self.folder / "lib/tessera-worker").write_text(f"#!/bin/sh\n{lines}\n")
            (self.folder / "lib/tessera-worker").chmod(0o755)
        done = subprocess.run([sys.executable, __file__, "--load"], env={**os.environ, "TESSERA_LIBRARY": str(library)}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return done.stdout.replace(str(self.folder), "HERE")

    def test_a_worker_that_is_not_there_or_wrong(self):
        self.assertEqual(self.with_worker(None), "NoWorker: cannot start HERE/lib/tessera-worker: No such file or directory; a limit of time for compiling "
                         "(compile_timeout) needs this program, which is installed beside libtessera.so: install it, or load without a limit\n")
        self.assertEqual(self.with_worker("echo id of another > answer"), "OtherWorker: HERE/lib/tessera-worker is of another build than the libtessera.so "
                         "that this process has loaded, as after an update: start this process again\n")
        self.assertEqual(self.with_worker("echo half > answer; kill -SEGV $$"),
                         "WorkerEnded: the process that compiles k.mlir ended with signal 11 (Segmentation fault)\n")
        self.assertEqual(self.with_worker("echo 'error: no room' >&2; exit 7"), "WorkerEnded: the process that compiles k.mlir ended with exit code 7:\n"
                         "error: no room\n\n")
        self.assertEqual(self.with_worker("exit 6"), "OutOfMemory: memory ran out\n")
        self.assertEqual(self.with_worker("ln -s /etc/passwd answer")[:11], "WorkerEnded")

    @unittest.skipUnless(os.environ.get("TESSERA_FAULTS"), "needs the library of test/hardening/faults.cpp")
    def test_each_call_of_the_system_fails_once_in_the_worker(self):
        self.with_worker(f"cp request {self.folder}; exit 1")
        self.assertTrue((self.folder / "request").exists())
        number = 0

        def worker(**more):
            """Exit code, stderr, and the answer to the request."""
            nonlocal number
            number += 1
            work = self.folder / f"work{number}"
            work.mkdir()
            shutil.copy(self.folder / "request", work)
            done = subprocess.run([LIBRARY.parent / "tessera-worker"], cwd=work, capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "TMPDIR": str(work), "TESSERA_PTXAS": str(FAKE_PTXAS), "LD_PRELOAD": os.environ["TESSERA_FAULTS"], **more})
            answer = (work / "answer").read_bytes() if (work / "answer").exists() else None
            left = sorted({path.name for path in work.iterdir()} - {"request", "answer"})
            shutil.rmtree(work)
            self.assertEqual(left, [])
            return done.returncode, done.stderr, answer

        counts = self.folder / "counts"
        code, said, right = worker(TESSERA_FAULT_COUNTS=str(counts))
        self.assertEqual((code, said), (0, ""))
        faults = [(call, n) for call, count in (line.split() for line in counts.read_text().splitlines()) for n in range(1, int(count) + 1)]
        self.assertGreater(len(faults), 10)
        # A request that is cut has no answer; an answer that is cut is none, as compiledByWorker() sees by its end.
        for call, n in faults:
            with self.subTest(f"{call} {n}"):
                code, said, answer = worker(TESSERA_FAULT=f"{call}:{n}:{errno.ENOSPC if call == 'write' else errno.ENOMEM if call == 'mmap' else errno.EIO}")
                if code:
                    self.assertIn(code, (2, 6, 7))
                    self.assertIn("error: ", said)
                else:
                    self.assertTrue(answer == right or b"OutOfMemory" in answer or b"cannot" in answer, f"an answer of {len(answer or b'')} bytes: {(answer or b'')[:300]}")

    def test_a_request_that_is_cut_and_an_answer_that_has_no_place(self):
        self.with_worker(f"cp request {self.folder}; exit 1")
        whole, work = (self.folder / "request").read_bytes(), self.folder / "work"
        work.mkdir()

        def worker(request):
            (work / "request").write_bytes(request)
            done = subprocess.run([LIBRARY.parent / "tessera-worker"], cwd=work, capture_output=True, text=True, timeout=120)
            return done.returncode, done.stderr

        self.assertEqual(worker(whole[:-1]), (2, "error: the request is incomplete\n"))
        self.assertFalse((work / "answer").exists())
        (work / "answer").symlink_to("/etc/passwd")
        self.assertEqual(worker(whole), (7, "error: cannot write the answer: File exists\n"))

    def test_the_worker_alone_says_what_it_is(self):
        done = subprocess.run([LIBRARY.parent / "tessera-worker"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "error: tessera-worker compiles for libtessera.so, which starts it: there is no request in the "
                                                             "current folder\n"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--load"]:
        try:
            print(tessera.loads(unrolled(10), "k.mlir", device="gpu", cache=False, compile_timeout=ENOUGH).name)
        except tessera.Error as error:
            print(f"{error.id}: {error}")
    else:
        unittest.main()
