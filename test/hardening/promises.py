#!/usr/bin/env python3
"""Promises 1 and 2 of SECURITY.md, held from outside: whole files or none, nothing to or from other users.

  test/hardening/promises.py BIN [FAULTS] [-v] [Class.test_name...]

BIN is the folder of the programs, FAULTS the library of faults.cpp. Each test says in its name what holds. ptxas is
fake_ptxas.py, which lies as it is told; what needs a real one is skipped where there is none.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = FAULTS = None
BAD_INPUT, CANNOT_WRITE = 2, 7
KERNELS = "gpu.module @a {\n  cuda.kernel @calm() attributes {cute.kernel} { return }\n  cuda.kernel @busy() attributes {cute.kernel} { return }\n}\n"
ADD = HERE.parent.parent / "examples/add.mlir"
TILE = HERE.parent.parent / "examples/tile/add.tilebc"
TILE_TEXT = "cuda_tile.module @m {\n  entry @k(%p: tile<ptr<f32>>) {\n    return\n  }\n}\n"
# The kernel of the test of `tessera tune FILE`.
STEP = (HERE.parent / "ir/cli-tune-file.test").read_text().split("#--- step.mlir\n")[1].split("#---")[0]
PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 7;
  ret;
}
"""
PROGRAMS = ("tessera", "tessera-opt", "tessera-reduce", "tessera-tileiras", "tessera-litmus", "tessera-sim-hw", "tessera-lsp-server", "cuda-tile-opt",
            "cuda-tile-translate")
# The first test of test/ir/litmus.test.
LITMUS = (HERE.parent / "ir/litmus.test").read_text().split("#--- mp.litmus\n")[1].split("#---")[0]
RUN = ["run", ADD, "--device", "sim", "--arch", "sm_90a", "--no-cache", "--arg", "rand:f32:16x8", "--arg", "rand:f32:16x8", "--arg", "out:f32:16x8"]
SIM = ["sim", "k.ptx", "--arg", "ptr=out:i32:1"]


def real_ptxas():
    return shutil.which("ptxas") or (p if os.path.exists(p := "/usr/local/cuda/bin/ptxas") else None)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.01)
    return condition()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tessera-promises-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.temporary, self.cache, self.notes = (self.folder / name for name in ("tmp", "cache", "notes"))
        self.temporary.mkdir()
        self.notes.mkdir()
        (self.folder / "k.mlir").write_text(KERNELS)
        (self.folder / "k.ptx").write_text(PTX)
        (self.folder / "tile.mlir").write_text(TILE_TEXT)
        (self.folder / "step.mlir").write_text(STEP)

    def environment(self, **more):
        ptxas = HERE / "fake_ptxas.py"
        return {**os.environ, "TMPDIR": str(self.temporary), "TESSERA_CACHE_DIR": str(self.cache), "TESSERA_PTXAS": str(ptxas),
                "FAKE_PTXAS_NOTES": str(self.notes), **{name: str(value) for name, value in more.items()}}

    def tessera(self, *words, program="tessera", umask=0o022, limit=None, stdout=subprocess.PIPE, prepare=None, seconds=120, **more):
        def before():
            os.umask(umask)
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            if prepare:
                prepare()
        return subprocess.run([BIN / program, *words], cwd=self.folder, env=self.environment(**more), stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=seconds, preexec_fn=before)

    def cubin(self, *words, **more):
        return self.tessera("compile", "k.mlir", "--arch", "sm_90a", "--emit", "cubin", "-o", "k.cubin", *words, **more)

    def assert_ended(self, done, code):
        self.assertEqual(done.returncode, code, done.stderr)

    def left(self, *expected):
        """What is in the folder besides what setUp put there."""
        ours = {"tmp", "cache", "notes", "k.mlir", "k.ptx", "tile.mlir", "step.mlir"}
        self.assertEqual(sorted({path.name for path in self.folder.iterdir()} - ours), sorted(expected))
        self.assertEqual([path.name for path in self.temporary.iterdir()], [])


class NoWrongArtefact(Case):
    def test_a_lying_ptxas_is_an_error_and_nothing_is_kept(self):
        for lie in ("half", "all but a byte", "empty", "nothing", "text", "other kernel", "one kernel", "holes", "link", "killed"):
            with self.subTest(lie):
                done = self.cubin(FAKE_PTXAS=lie)
                self.assertGreater(done.returncode, 0)
                self.assertIn("ptxas", done.stderr)
                self.left()
        honest = self.cubin("--timing")
        self.assert_ended(honest, 0)
        self.assertIn("cache: miss, no cubin", honest.stderr)
        self.assertIn(b"machine code", (self.folder / "k.cubin").read_bytes())

    def test_a_limit_of_files_that_ends_ptxas_is_no_bad_input(self):
        ptxas = self.notes / "ptxas"
        ptxas.write_text("#!/bin/sh\nkill -XFSZ $$\n")
        ptxas.chmod(0o755)
        done = self.cubin(TESSERA_PTXAS=ptxas)
        self.assert_ended(done, CANNOT_WRITE)
        self.assertIn("error: cannot write ", done.stderr)
        self.left()

    @unittest.skipUnless(real_ptxas() and os.geteuid() == 0, "needs ptxas, and root to mount a small disk")
    def test_a_full_disk_below_the_real_ptxas(self):
        def small_disk(kilobytes):
            return ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size={kilobytes}k none tmp && shift && exec "$@"', "sh"]
        if subprocess.run([*small_disk(64), "-", "true"], cwd=self.folder).returncode:
            self.skipTest("cannot mount a small disk")
        for kilobytes in range(4, 40, 4):
            done = subprocess.run([*small_disk(kilobytes), "-", BIN / "tessera", "compile", "k.mlir", "--arch", "sm_90a", "--emit", "cubin", "-o", "k.cubin"],
                                  cwd=self.folder, env=self.environment(TESSERA_PTXAS=real_ptxas()), capture_output=True, text=True)
            whole = self.folder / "k.cubin"
            if done.returncode == 0:
                readelf = subprocess.run(["readelf", "-hSl", whole], capture_output=True, text=True)
                self.assertNotIn("rror", readelf.stderr, f"{kilobytes} KiB")
                whole.unlink()
            self.assertFalse(whole.exists())

    WRITERS = {
        "PTX": ("tessera", "compile", "k.mlir", "--arch", "sm_80", "--no-cache", "-o", "FILE"),
        "cubin": ("tessera", "compile", "k.mlir", "--arch", "sm_80", "--no-cache", "--emit", "cubin", "-o", "FILE"),
        "kernel": ("tessera", "generate", "attention", "-o", "FILE"),
        "svg": ("tessera", "layout", "(4,8):(8,1)", "--svg", "FILE"),
        "latex": ("tessera", "layout", "(4,8):(8,1)", "--latex", "FILE"),
        "atom": ("tessera", "atoms", "SM80_16x8x16_F32F16F16F32_TN", "--svg", "FILE"),
        "json of run": ("tessera", *RUN, "--json", "FILE"),
        "npy of run": ("tessera", *RUN, "--save", "2=FILE"),
        "json of sim": ("tessera", *SIM, "--json", "FILE"),
        "npy of sim": ("tessera", *SIM, "--save", "0=FILE"),
        "IR": ("tessera-opt", "k.mlir", "-o", "FILE"),
        "IR of a tile program": ("cuda-tile-opt", "tile.mlir", "-o", "FILE"),
        "bytecode of a tile program": ("cuda-tile-translate", "-mlir-to-cudatilebc", "tile.mlir", "-o", "FILE"),
        "text of a tile program": ("cuda-tile-translate", "-cudatilebc-to-mlir", TILE, "-o", "FILE"),
        "PTX of a tile program": ("tessera-tileiras", TILE, "--gpu-name", "sm_80", "--emit", "ptx", "--no-cache", "-o", "FILE"),
        "report of a tile program": ("tessera-tileiras", TILE, "--gpu-name", "sm_80", "--emit", "cute", "--no-cache", "-o", "/dev/null", "--remarks-output-file", "FILE"),
        "object": ("tessera", "compile", ADD, "--arch", "sm_90a", "--emit", "object", "-o", "FILE"),
        "tuned IR": ("tessera", "tune", "step.mlir", "--device", "sim", "--no-cache", "--arg", "rand:i32:128", "--arg", "out:i32:128", "--param", "%step=16", "-o", "FILE"),
    }

    def write(self, writer, name, **more):
        program, *words = self.WRITERS[writer]
        return self.tessera(*[str(word).replace("FILE", name) for word in words], program=program, **more)

    def test_an_old_file_stays_whole_where_the_new_one_cannot_be_written(self):
        for writer in self.WRITERS:
            with self.subTest(writer):
                file = self.folder / "file"
                file.write_text("old")
                if writer in ("cubin", "object"):  # ptxas' files come first, and are larger
                    done = self.write(writer, "no/file")
                    self.assertIn("no/file", done.stderr)
                else:
                    done = self.write(writer, "file", limit=2)
                    self.assertRegex(done.stderr, "cannot write file: File too large")
                self.assertEqual(done.returncode, CANNOT_WRITE, done.stderr)
                self.assertEqual(file.read_text(), "old")
                self.left("file")

    def test_a_file_that_cannot_be_written_is_not_there(self):
        for writer in set(self.WRITERS) - {"cubin"}:
            with self.subTest(writer):
                self.assertEqual(self.write(writer, "file", limit=2).returncode, CANNOT_WRITE)
                self.left()

    def test_a_new_file_has_the_rights_of_the_umask_and_an_old_one_its_own(self):
        for writer in self.WRITERS:
            with self.subTest(writer):
                file, link = self.folder / "file", self.folder / "link"
                self.assert_ended(self.write(writer, "file", umask=0o027), 0)
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o640)
                file.chmod(0o604)
                file.write_text("old")
                link.symlink_to("file")
                self.assert_ended(self.write(writer, "link"), 0)
                self.assertTrue(link.is_symlink())
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o604)
                self.assertNotEqual(file.read_bytes(), b"old")
                self.left("file", "link")
                link.unlink()
                file.unlink()

    def test_devices_and_pipes_are_written_to_directly(self):
        for writer in self.WRITERS:
            with self.subTest(writer):
                self.assert_ended(self.write(writer, "/dev/null"), 0)
                self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
                full = self.write(writer, "/dev/full")
                self.assert_ended(full, CANNOT_WRITE)
                self.assertIn("cannot write /dev/full: No space left on device", full.stderr)
                fifo = self.folder / "fifo"
                os.mkfifo(fifo)
                reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
                self.assert_ended(self.write(writer, "fifo"), 0)
                self.assertTrue(reader.communicate()[0])
                self.left("fifo")
                fifo.unlink()

    def test_dev_stdout_goes_on_where_stdout_is(self):
        file = self.folder / "file"
        with open(file, "w") as out:
            out.write("before\n")
            out.flush()
            self.assert_ended(self.write("PTX", "/dev/stdout", stdout=out), 0)
        self.assertTrue(file.read_text().startswith("before\n//"), file.read_text()[:40])

    def test_a_full_stdout_is_an_error_with_its_name(self):
        for words in (["compile", "k.mlir", "--arch", "sm_80"], ["layout", "(4,8):(8,1)"], ["atoms"], [*RUN, "--stats"], ["--help"]):
            with self.subTest(words[0]), open("/dev/full", "w") as full:
                done = self.tessera(*words, stdout=full)
                self.assertEqual(done.returncode, CANNOT_WRITE, done.stderr)
                self.assertIn("cannot write the standard output: No space left on device", done.stderr)

    def test_a_full_stdout_of_each_program_is_the_same(self):
        (self.folder / "mp.litmus").write_text(LITMUS)
        asked = [(program, [word]) for program in PROGRAMS if (BIN / program).exists() for word in ("--help", "--version") if (program, word) != ("tessera-lsp-server", "--help")]
        for program, words in [*asked, ("tessera-litmus", ["mp.litmus"]), ("tessera-litmus", ["mp.litmus", "--runs", "2"]),
                               ("tessera-sim-hw", ["--ptxas", HERE / "fake_ptxas.py", "--only", "nothing is called so"])]:
            if not (BIN / program).exists():
                continue
            with self.subTest(f"{program} {words}"), open("/dev/full", "w") as full:
                done = self.tessera(*words, program=program, stdout=full)
                self.assertEqual(done.returncode, CANNOT_WRITE, done.stderr)
                self.assertRegex(done.stderr, "^error: cannot write the standard output: (No space left on device|what was printed before did not reach it)\n$")
        for program, words in asked:
            with self.subTest(f"{program} {words}, not full"):
                done = self.tessera(*words, program=program)
                self.assert_ended(done, 0)
                self.assertTrue(done.stdout)
                self.assertEqual(done.stderr, "")

    def test_a_full_stderr_does_not_change_the_exit_code(self):
        for words in (["compile", "k.mlir", "--timing", "-o", "k.out"], [*RUN, "--stats"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([BIN / "tessera", *words], cwd=self.folder, env=self.environment(), stdout=subprocess.DEVNULL, stderr=full)
            self.assertEqual(done.returncode, 0)

    def test_a_closed_stdout_is_no_place_for_files(self):
        done = self.tessera("compile", "k.mlir", "--arch", "sm_80", "--no-cache", "--timing", "-o", "k.out", prepare=lambda: os.close(1))
        self.assert_ended(done, 0)
        self.assertTrue((self.folder / "k.out").read_text().startswith("//"))
        self.assert_ended(self.tessera("layout", "(4,8):(8,1)", prepare=lambda: os.close(1)), CANNOT_WRITE)

    def test_signals_leave_no_temporaries_and_no_child(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXCPU, signal.SIGALRM):
            with self.subTest(number.name):
                child, status = self.end_by(number)
                self.assertEqual(status, -number)
                self.assertTrue(until(lambda: not alive(child)))
                self.left()

    def test_no_child_survives_a_kill(self):
        child, status = self.end_by(signal.SIGKILL)
        self.assertEqual(status, -signal.SIGKILL)
        self.assertTrue(until(lambda: not alive(child)))

    def end_by(self, number):
        note = self.notes / "pid"
        note.unlink(missing_ok=True)
        process = subprocess.Popen([BIN / "tessera", "compile", "k.mlir", "--arch", "sm_90a", "--emit", "cubin", "-o", "k.cubin"],
                                   cwd=self.folder, env=self.environment(FAKE_PTXAS="hang"), stderr=subprocess.PIPE,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        child = int(until(lambda: note.exists() and note.read_text(), 60))
        process.send_signal(number)
        process.wait(60)
        process.stderr.close()
        return child, process.returncode

    def test_another_ptxas_of_the_same_size_and_time_is_another(self):
        ptxas = self.folder / "notes" / "ptxas"
        for text in ("first one ", "second one"):
            ptxas.write_text(f'#!/bin/sh\nFAKE_PTXAS_TEXT="{text}" exec {HERE}/fake_ptxas.py "$@"\n')
            ptxas.chmod(0o755)
            os.utime(ptxas, (1_700_000_000, 1_700_000_000))
            self.assert_ended(self.cubin(TESSERA_PTXAS=ptxas), 0)
            self.assertIn(text.encode(), (self.folder / "k.cubin").read_bytes())

    def test_inputs_are_not_mapped(self):
        if not FAULTS:
            self.skipTest("needs the library of faults.cpp")
        large = self.folder / "large.mlir"
        large.write_text(KERNELS + "// a comment\n" * 20_000)
        tiles = self.folder / "large-tile.mlir"
        tiles.write_text(TILE_TEXT + "// a comment\n" * 20_000)
        interesting = self.folder / "interesting.sh"
        interesting.write_text("#!/bin/sh\nexit 1\n")
        interesting.chmod(0o755)
        for program, *words in (["tessera", "compile", "large.mlir", "--arch", "sm_80", "-o", "k.out"], ["tessera-opt", "large.mlir", "-o", "k.out"],
                                ["tessera-reduce", "large.mlir", f"--opt-reduction-pass=opt-pass=symbol-dce test={interesting}", "-o", "k.out"],
                                ["cuda-tile-opt", "large-tile.mlir", "-o", "k.out"], ["cuda-tile-translate", "-mlir-to-cudatilebc", "large-tile.mlir", "-o", "k.out"]):
            if not (BIN / program).exists():
                continue
            mapped = self.notes / "mapped"
            mapped.write_text("")
            self.assert_ended(self.tessera(*words, program=program, LD_PRELOAD=FAULTS, TESSERA_FAULT_MAPPED=mapped), 0)
            self.assertNotIn("/large", mapped.read_text())

    def test_a_fifo_as_npy_does_not_hang(self):
        os.mkfifo(self.folder / "a.npy")
        for option in (["--arg", "ptr=a.npy"], ["--arg", "ptr=out:i32:1", "--check", "0=a.npy"]):
            done = self.tessera("sim", "k.ptx", *option, seconds=20)
            self.assert_ended(done, BAD_INPUT)
            self.assertIn("a.npy: it is not a regular file", done.stderr)


class NothingToOrFromOthers(Case):
    def test_temporaries_are_private_whatever_the_umask(self):
        for umask in (0, 0o022, 0o777):
            with self.subTest(oct(umask)):
                self.assert_ended(self.cubin("--no-cache", umask=umask), 0)
                folder, mode = eval((self.notes / "folder").read_text())
                self.assertEqual(Path(folder).parent, self.temporary)
                self.assertEqual(mode, 0o700)
                self.assertEqual(set(eval((self.notes / "files").read_text()).values()), {0o600})
                (self.folder / "k.cubin").unlink()
                self.left()
                for note in self.notes.iterdir():
                    note.unlink()

    def test_the_comparison_with_hardware_has_private_temporaries(self):
        if not (BIN / "tessera-sim-hw").exists():
            self.skipTest("tessera-sim-hw is not built")
        self.assert_ended(self.tessera("--ptxas", HERE / "fake_ptxas.py", "--cases", "256", "--only", "mad.lo.u16", program="tessera-sim-hw"), 0)
        folder, mode = eval((self.notes / "folder").read_text())
        self.assertEqual((Path(folder).parent, mode), (self.temporary, 0o700))
        self.left()

    def test_the_cache_is_private_whatever_the_umask(self):
        self.cache = self.folder / "cache" / "below" / "it"
        self.assert_ended(self.cubin(umask=0), 0)
        for folder in (self.cache, self.cache.parent, self.cache.parent.parent):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        modes = {stat.S_IMODE(entry.stat().st_mode) for entry in self.cache.iterdir()}
        self.assertEqual(modes, {0o600})

    def compile(self, *words, **more):
        return self.tessera("compile", "k.mlir", "--arch", "sm_80", "--timing", "-o", "k.out", *words, seconds=60, **more)

    def assert_refused(self, done, words):
        self.assert_ended(done, 0)
        self.assertEqual(done.stderr.count("warning: compiling without the cache: "), 1, done.stderr)
        self.assertRegex(done.stderr, words)
        self.assertIn("cache: off", done.stderr)

    def test_a_folder_that_others_may_write_to_is_not_used(self):
        self.assert_ended(self.compile(), 0)
        before = sorted(self.cache.iterdir())
        for mode in (0o777, 0o720, 0o702, 0o1777):
            with self.subTest(oct(mode)):
                self.cache.chmod(mode)
                self.assert_refused(self.compile("-O", "1"), "others may write to .*cache, .*chmod go-w")
                self.assertEqual(sorted(self.cache.iterdir()), before)
        self.cache.chmod(0o755)
        self.assertIn("cache: hit", self.compile().stderr)

    def test_a_folder_below_one_that_others_may_write_to_is_not_used(self):
        parent = self.folder / "notes"
        self.cache = parent / "cache"
        for mode, there in ((0o777, False), (0o777, True), (0o770, True)):
            parent.chmod(mode)
            if there:
                self.cache.mkdir(mode=0o700, exist_ok=True)
            self.assert_refused(self.compile(), "notes, whose mode 07.. lets others replace it")
            self.assertEqual(self.cache.exists(), there)
        parent.chmod(0o1777)
        self.assertIn("cache: miss, kept as", self.compile().stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give folders to others")
    def test_the_folder_of_another_user_is_not_used(self):
        self.assert_ended(self.compile(), 0)
        os.chown(self.cache, 65534, 65534)
        self.assert_refused(self.compile(), "cache belongs to user 65534, but expected it to belong to you, user 0")
        os.chown(self.cache, 0, 0)
        below = self.folder / "notes"
        os.chown(below, 65534, 65534)
        self.cache = below / "cache"
        self.assert_refused(self.compile(), "notes, which belongs to user 65534")

    def test_an_entry_that_others_could_have_made_is_not_used(self):
        self.assert_ended(self.compile(), 0)
        entry, = self.cache.iterdir()
        content = entry.read_bytes()
        elsewhere = self.folder / "notes" / "entry"

        def link():
            entry.unlink()
            elsewhere.write_bytes(content)
            entry.symlink_to(elsewhere)

        def fifo():
            entry.unlink()
            os.mkfifo(entry)

        for change in (lambda: entry.chmod(0o622), link, fifo, lambda: os.geteuid() or os.chown(entry, 65534, 65534)):
            change()
            done = self.compile()
            self.assert_ended(done, 0)
            self.assertIn("cache: miss, kept as", done.stderr)
            self.assertEqual(entry.read_bytes(), content)
            self.assertEqual(stat.S_IMODE(entry.lstat().st_mode), 0o600)
            if os.geteuid():
                break

    def test_sizes_that_are_none_are_refused(self):
        for size in ("-1", "-1MB", "", "x", "+5", "99999999999999999999", "18446744073709551615GB"):
            with self.subTest(size):
                done = self.compile(f"--cache-size={size}")
                self.assert_ended(done, BAD_INPUT)
                self.assertIn("--cache-size", done.stderr)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:]]
    BIN = Path(words.pop(0)).resolve()
    if words and words[0].endswith(".so"):
        FAULTS = Path(words.pop(0)).resolve()
    unittest.main(argv=[sys.argv[0], *words])
