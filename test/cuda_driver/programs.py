#!/usr/bin/env python3
"""Compiles the programs of programs/ with nvcc and runs them on the stand-in for the driver: programs.py LIBRARIES FOLDER [NAME...]

programs.py gpu FOLDER [NAME...] runs them on the driver and the GPU of the machine instead, which shows that the stand-in does what they do; a line
`GPU: ...` of a program says what is different there, and leaves it out.

Each verifies itself and ends with `passed`; a first line with `Prints: A|B|...` states what comes before, `Prints: @FILE` all that is printed, one with `Flags: FLAGS` with what it is compiled, `Also: FLAGS` with what else it is
compiled, `With: FILES` what it is linked with, and `Link: LIBRARY` which library it needs. Then they run again under TESSERA_CHECK=1, which must have no report, and some under other GPUs. Exit code 77: there is no nvcc of CUDA 13.

The programs of programs/bugs have faults: each runs as often as `Cases: N` says, with the number of the case as its argument, under TESSERA_CHECK=1. A line with `REPORT 3 7: Race` is reported by that rule in the
cases 3 and 7, or something that it calls, and no other line is; `REPORT 6 has none: Race` is a report that names no line. A line with
`MAYBE 7: NarrowScope` is one of two that blocks run at any time: the sanitizer names the one that comes second.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
sys.path.append(str(HERE.parents[2] / "utils"))
import turn  # noqa: E402: it serves other rooms too

# Kernels that end with an error or are refused on purpose, or write one word from many blocks or streams: the sanitizer has nothing to add.
FAULTY = {"answers", "assertion", "capture_answers", "device_runtime", "errors", "freed", "registered", "reset", "unsupported"}
# What a program that is compiled otherwise says. (name, flags, environment, exit code, what stderr has)
REFUSED = (
    ("vector_add", ["-cudart=static"], {}, 1, "brings NVIDIA's CUDA runtime"),
    ("vector_add", ["-gencode", "arch=compute_80,code=sm_80"], {}, 1, "has no PTX"),
    ("clusters", [], {"TESSERA_GPU": "a100"}, 1, "but TESSERA_GPU is a100 (sm_80)"),
    ("vector_add", [], {"TESSERA_GPU": "gpu"}, 1, "TESSERA_GPU is 'gpu', but expects one of v100"),
    ("race", [], {"TESSERA_CHECK": "1"}, 5, "1 report of the sanitizer; the exit code is 5"),
)


def nvcc_13():
    """The compiler, if it is of CUDA 13 or newer."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    version = nvcc and re.search(r"release (\d+)\.(\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout)
    return nvcc if version and (int(version[1]), int(version[2])) >= (13, 0) else None


def compile_program(nvcc, name, out, flags=()):
    source = HERE / f"{name}.cu"
    text = source.read_text()
    target = "sm_90a" if "Target: sm_90" in text.split("\n")[0] else "sm_80"
    chosen = [] if "-gencode" in flags else [f"-arch={target}"]
    parts = [HERE / part for line in re.findall(r"^// With: (.*)", text, re.M) for part in line.split()]
    chosen += [flag for line in re.findall(r"^// Flags: (.*)", text, re.M) for flag in line.split()]
    chosen += (["-rdc=true"] if parts else []) + [f"-l{library}" for library in re.findall(r"^// Link: (.*)", text, re.M)]
    newest = max(path.stat().st_mtime for path in (source, HERE / "Program.h", *parts))
    if out.exists() and out.stat().st_mtime > newest:
        return None
    runtime = [] if any("cudart" in f for f in flags) else ["-cudart=shared"]
    done = subprocess.run([nvcc, "-std=c++17", "-diag-suppress=20054", *chosen, *runtime, *flags, source, *parts, "-o", out], capture_output=True, text=True)
    return None if done.returncode == 0 else f"nvcc: {done.stderr[-2000:]}"


def run(program, libraries, environment, arguments=()):
    env = {k: v for k, v in os.environ.items() if not k.startswith("TESSERA_")}
    if libraries == "gpu":
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300, env=env)
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300, env=env | {"LD_LIBRARY_PATH": str(libraries)} | environment)


def problem_of(name, done):
    lines = done.stdout.split("\n")
    stated = re.search(r"^// Prints: (.*)", (HERE / f"{name}.cu").read_text(), re.M)
    wanted = (stated[1].split("|") if stated else []) + ["passed", ""]
    if stated and stated[1].startswith("@"):  # a file; the first difference says enough
        wanted = (HERE / stated[1][1:]).read_text().split("\n")
        for n, (said, want) in enumerate(zip(lines + ["nothing"], wanted), 1):
            if said != want:
                return f"{stated[1][1:]}, line {n}: expected '{want}', printed '{said}'; exit code {done.returncode}\n{done.stderr[-500:]}"
    if done.returncode or lines != wanted:
        return f"exit code {done.returncode}, printed {lines[-20:]}\n{done.stderr[-1500:]}"
    return None


def problem_of_files(program, libraries, folder):
    """Reports in files, and suppressed ones, of the program `race`."""
    files = {name: folder / f"race.{name.lower()}" for name in ("JSON", "SARIF", "JUNIT")}
    suppressions = folder / "race.supp"
    asked = {"TESSERA_CHECK": "1"} | {f"TESSERA_{name}": str(path) for name, path in files.items()}

    def ended(rows):
        suppressions.write_text(rows)
        for path in files.values():
            path.unlink(missing_ok=True)
        return run(program, libraries, asked | {"TESSERA_SUPPRESSIONS": str(suppressions)})

    done = ended("Unwritten:race.cu\n")
    if done.returncode != 5 or not re.search(r"^tessera: \S*race\.cu:\d+:\d+: thread \(.*\) of block \(.*\), kernel 'race\(int\*\)': a ", done.stderr, re.M):
        return f"exit code {done.returncode}: {done.stderr}"
    found = json.loads(files["JSON"].read_text())
    report = found["reports"][0]
    if (report["rule"], report["kernel"], len(found["reports"]), "statistics" in found) != ("Race", "race(int*)", 1, False):
        return f"JSON: {found}"
    if not report["places"][0]["file"].endswith("race.cu") or report["message"] not in done.stderr:
        return f"JSON: {report}"
    one = json.loads(files["SARIF"].read_text())["runs"][0]
    if [r["ruleId"] for r in one["results"]] != ["Race"] or one["invocations"][0]["exitCode"] != 5:
        return f"SARIF: {one}"
    cases = files["JUNIT"].read_text()
    if 'tests="1" failures="1" errors="0"' not in cases or 'name="race(int*)"' not in cases:
        return f"JUnit: {cases}"
    done = ended("# known\nRace:race(int\n")
    if done.returncode or "1 report suppressed" not in done.stderr or json.loads(files["JSON"].read_text())["reports"]:
        return f"suppressed: exit code {done.returncode}: {done.stderr}"
    done = ended("Rase:race\n")
    return None if "race.supp, line 1: there is no rule 'Rase'; the nearest: 'Race'" in done.stderr else f"a wrong rule: {done.stderr}"


def problem_of_bugs(program, source, libraries, folder):
    """Each case has the reports that its lines state, and no others."""
    lines = source.read_text().split("\n")
    file = folder / f"{program.name}.json"
    for case in range(int(re.search(r"^// Cases: (\d+)", source.read_text(), re.M)[1])):
        marks = [(n, m) for n, line in enumerate(lines, 1) for m in re.findall(r"(REPORT|MAYBE) ([\d ]+)(has none)?: (\w+)", line)]
        stated = [(mark, (rule, 0 if none else n)) for n, (mark, cases, none, rule) in marks if str(case) in cases.split()]
        wanted, maybe = ({report for mark, report in stated if mark == of} for of in ("REPORT", "MAYBE"))
        file.unlink(missing_ok=True)
        done = run(program, libraries, {"TESSERA_CHECK": "1", "TESSERA_JSON": str(file), "TESSERA_TIMEOUT": "60"}, [str(case)])
        found = json.loads(file.read_text()) if file.exists() else {"reports": []}
        reports = found["reports"] + ([found["fault"]] if "fault" in found else [])
        own = [[p["line"] for p in r.get("places", []) if p["file"].endswith(source.name)] for r in reports]
        said = {(r["rule"], (lines_of + [0])[0]) for r, lines_of in zip(reports, own)}
        if not wanted <= said <= wanted | maybe or not wanted:
            return f"case {case}: expected {sorted(wanted)}, reported {sorted(said)}; exit code {done.returncode}, {done.stdout}\n{done.stderr[-1500:]}"
    return None


def problem_of_library(libraries, folder):
    """A library that asks as those of NVIDIA do, which have a runtime inside, is named ("ForeignLibrary")."""
    (folder / "asks.c").write_text(
        "int cuGetExportTable(const void **, const void *);\nint asks(void) { const void *table; char id[16] = {0}; return cuGetExportTable(&table, id); }\n"
    )
    (folder / "user.c").write_text("int asks(void);\nint main(void) { return asks() != 500; }\n")  # CUDA_ERROR_NOT_FOUND
    library, driver = folder / "libcublas.so.13", Path(libraries) / "libcuda.so.1"
    for command in (
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcublas.so.13", folder / "asks.c", driver, "-o", library],
        ["cc", folder / "user.c", library, driver, "-o", folder / "user"],
    ):
        if (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            return done.stderr
    done = run(folder / "user", f"{libraries}:{folder}", {})
    return None if done.returncode == 0 and "libcublas.so.13 does not run here" in done.stderr else f"exit code {done.returncode}: {done.stderr}"


def main():
    libraries, folder, *names = sys.argv[1:]
    nvcc = nvcc_13()
    if not nvcc:
        print("cuda-programs: there is no nvcc of CUDA 13, so the programs of test/cuda_driver/programs are not run")
        return 77
    folder = Path(folder) / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0

    def report(what, problem):
        nonlocal failed
        failed += problem is not None
        print(f"{'ok    ' if problem is None else 'FAILED'} {what}" + (f": {problem}" if problem else ""), flush=True)

    gpu = libraries == "gpu"
    # nvcc and two runs take seconds each: half of the programs each day, where none is named.
    every = sorted(p.stem for p in HERE.glob("*.cu") if p.stem != "race")
    for name in [n for n in names if not n.startswith("bugs/")] if names else every if gpu else turn.share(every, 2):
        if gpu and (why := re.search(r"^// (GPU: .*)", (HERE / f"{name}.cu").read_text(), re.M)):
            print(f"left   {name}. {why[1]}")
            continue
        also = re.search(r"^// Also: (.*)", (HERE / f"{name}.cu").read_text(), re.M)
        for flags in [[]] + ([also[1].split()] if also else []):
            what = " ".join([name, *flags])
            program = folder / what.replace(" ", "")
            problem = compile_program(nvcc, name, program, flags)
            report(what, problem or problem_of(name, run(program, libraries, {})))
            if not problem and not gpu and name not in FAULTY:
                report(f"{what}, checked", problem_of(name, run(program, libraries, {"TESSERA_CHECK": "1"})))
    for source in [] if gpu else sorted((HERE / "bugs").glob("*.cu")):
        name = f"bugs/{source.stem}"
        if names and name not in names:
            continue
        program = folder / name.replace("/", "-")
        problem = compile_program(nvcc, name, program, ["-lineinfo"])
        report(name, problem or problem_of_bugs(program, source, libraries, folder))
    for i, (name, flags, environment, code, text) in enumerate(() if names or gpu else REFUSED):
        program = folder / (f"{name}-{i}" if flags else name)
        problem = compile_program(nvcc, name, program, flags)
        done = None if problem else run(program, libraries, environment)
        if done and (done.returncode != code or text not in done.stderr):
            problem = f"exit code {done.returncode}, and stderr has not '{text}':\n{done.stderr[-800:]}"
        report(f"{name} {' '.join(flags)} {environment or ''}", problem)
    if not names and not gpu:
        program = folder / "race-lines"
        report("a library of NVIDIA's", problem_of_library(libraries, folder))
        report("race, files of reports", compile_program(nvcc, "race", program, ["-lineinfo"]) or problem_of_files(program, libraries, folder))
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
