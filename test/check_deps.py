#!/usr/bin/env python3
"""utils/check-deps.py on small trees: what it lets pass, and what it says of what it does not.

  test/check_deps.py       exits 1 if it says something else than expected here
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).resolve().parent.parent / "utils/check-deps.py"
RULES = """
base: | -
kernels: | -
other: | -
kernels/gemm:
kernels/sm80: gemm
kernels/sm90: gemm
kernels/choice: gemm sm80 sm90
"""
TREE = "tessera/"
# Rules; sources, by name, with what each includes; lines of the result.
CASES = [
    (RULES, {"kernels/gemm/Gemm.h": "{t}kernels/Overlap.h", "kernels/sm80/Gemm.h": "{t}kernels/gemm/Gemm.h",
             "kernels/sm90/Gemm.h": "{t}kernels/gemm/Gemm.h", "kernels/choice/Gemm.cpp": "{t}kernels/sm90/Gemm.h"}, []),
    # Targets know no other target, whatever the room.
    (RULES, {"kernels/gemm/Gemm.h": "string", "kernels/sm80/Gemm.h": "{t}kernels/sm90/Plan.h", "kernels/sm90/Plan.h": "{t}kernels/sm80/Gemm.h",
             "kernels/choice/Gemm.cpp": "string", "other/sm100/A.h": "{t}other/sm120/B.h", "other/sm120/B.h": "string"},
     ["{t}kernels/sm80/Gemm.h:1: kernels/sm80 must not include {t}kernels/sm90/Plan.h: what both use belongs to neither of them",
      "{t}kernels/sm90/Plan.h:1: kernels/sm90 must not include {t}kernels/sm80/Gemm.h: what both use belongs to neither of them",
      "{t}other/sm100/A.h:1: other/sm100 must not include {t}other/sm120/B.h: what both use belongs to neither of them"]),
    # What is shared does not know who shares it, and a room's own files no folder.
    (RULES, {"kernels/gemm/Gemm.h": "{t}kernels/sm90/Gemm.h", "kernels/sm80/Gemm.h": "string", "kernels/sm90/Gemm.h": "{t}kernels/choice/Gemm.h",
             "kernels/choice/Gemm.h": "string", "kernels/Overlap.h": "{t}kernels/gemm/Gemm.h"},
     ["{t}kernels/Overlap.h:1: files of kernels itself must not include {t}kernels/gemm/Gemm.h",
      "{t}kernels/gemm/Gemm.h:1: kernels/gemm must not include {t}kernels/sm90/Gemm.h",
      "{t}kernels/sm90/Gemm.h:1: kernels/sm90 must not include {t}kernels/choice/Gemm.h"]),
    # A folder without a line, and a line without a folder.
    (RULES, {"kernels/gemm/A.h": "string", "kernels/sm80/A.h": "string", "kernels/sm90/A.h": "string", "kernels/sm120/A.h": "string"},
     ["{t}kernels/sm120:1: the folder has no line in utils/deps.txt, as others of kernels have",
      "utils/deps.txt:1: kernels/choice is not a folder of tessera"]),
    # Lines that could make a circle, or let targets know each other.
    (RULES.replace("gemm:\n", "gemm: sm80\n"), {}, ["{deps}: kernels/gemm may include sm80, which has no line before it"]),
    (RULES.replace("sm90: gemm\n", "sm90: gemm sm80\n"), {},
     ["{deps}: kernels/sm90 may include sm80, but folders of targets do not know each other"]),
    # Rooms, as before.
    (RULES, {"kernels/gemm/A.h": "{t}other/B.h", "kernels/sm80/A.h": "mlir/IR/Value.h", "kernels/sm90/A.h": "string",
             "kernels/choice/A.h": "string", "other/B.h": "string"},
     ["{t}kernels/gemm/A.h:1: kernels must not include other ({t}other/B.h)",
      "{t}kernels/sm80/A.h:1: kernels must not include mlir/IR/Value.h; it sees no LLVM or MLIR"]),
]


def main():
    failed = 0
    for rules, sources, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            deps = root / "utils/deps.txt"
            deps.parent.mkdir()
            deps.write_text(rules)
            for room in ("kernels", "other"):
                (root / "tessera" / room).mkdir(parents=True)
            for name, included in sources.items():
                path = root / "tessera" / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(f'#include "{included.format(t=TREE)}"\n')
            ran = subprocess.run([sys.executable, CHECK, "--root", root], capture_output=True, text=True)
            said = [line for line in (ran.stdout + ran.stderr).splitlines() if not line.startswith("check-deps: ")]
            wanted = [line.format(t=TREE, deps=deps) for line in expected]
            if said != wanted or ran.returncode != bool(expected):
                failed += 1
                print(f"for {sources or rules} expects", *(wanted or ["nothing"]), f"but exit code {ran.returncode} and", *said, sep="\n  ")
    if failed:
        sys.exit(f"check_deps: {failed} of {len(CASES)} cases failed")
    print(f"check_deps: {len(CASES)} cases as expected")


if __name__ == "__main__":
    main()
