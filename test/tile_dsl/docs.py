#!/usr/bin/env python3
"""Compiles and runs the C++ of a page: blocks are definitions, or begin with `// runs` and print the ```text block after them.

docs.py PAGE COMPILER LIBRARY... [-- FLAGS...]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = "======"


def main():
    arguments, flags = sys.argv[1:], []
    if "--" in arguments:
        flags = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    page, compiler, *libraries = arguments
    blocks = re.findall(r"^```(cpp|text)\n(.*?)^```", Path(page).read_text(), re.M | re.S)
    definitions, statements, wanted = "#include <cstdio>\n", "", []
    for i, (language, text) in enumerate(blocks):
        if language == "cpp" and text.startswith("// runs"):
            statements += f'  std::puts("{MARK}");\n  {{\n{text}  }}\n'
            wanted.append(blocks[i + 1][1])
        elif language == "cpp":
            definitions += text
    with tempfile.TemporaryDirectory(prefix="tessera-docs.") as folder:
        source = Path(folder) / "page.cpp"
        source.write_text(f"{definitions}\nint main() {{\n{statements}}}\n")
        program = Path(folder) / "page"
        done = subprocess.run([compiler, "-std=c++20", "-O1", f"-I{ROOT}", *flags, str(source), "-o", str(program), *libraries, "-lpthread"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"docs.py: {page} does not compile\n{done.stderr[:4000]}")
        ran = subprocess.run([str(program)], capture_output=True, text=True)
    printed = ran.stdout.split(MARK + "\n")[1:]
    faults = 0
    for i, text in enumerate(wanted):
        if i >= len(printed) or printed[i] != text:
            faults += 1
            print(f"block {i + 1} of {page}: expects\n{text}but printed\n{printed[i] if i < len(printed) else 'nothing'}")
    print(f"{page}: {len(wanted)} blocks run, {faults} differ")
    sys.exit(faults != 0 or ran.returncode != 0 or not wanted)


if __name__ == "__main__":
    main()
