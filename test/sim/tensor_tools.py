"""What programs that are written by scripts ask of tessera-opt: the types that ops infer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
from pathlib import Path


class Refused(Exception):
    pass


class Tools:
    def __init__(self, folder):
        self.opt, self.tessera = Path(folder) / "tessera-opt", Path(folder) / "tessera"

    def infer(self, line, types, generic=False):
        """The type of a line's result, which it leaves out or states wrongly; `types` are those of %0, %1, ..."""
        arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
        said = subprocess.run([self.opt, *["-mlir-print-op-generic"] * generic], input=f"func.func private @f({arguments}) {{\n %x = {line}\n return\n}}\n", capture_output=True, text=True)
        for pattern in (r"inferred type\(s\) '(.*?)' are incompatible", r"expects (!cute.*), the (?:atom over|partition by descriptors)"):
            if found := re.search(pattern, said.stderr):
                return found[1]
        if said.returncode:
            raise Refused(re.search(r"error: (.*)", said.stderr)[1])
        return re.search(r"%.* -> (!cute.*)", said.stdout)[1]


def compact(shape):
    """A layout of these extents, the first counting fastest; extents of 1 have stride 0."""
    step = 1

    def each(found):
        nonlocal step
        extent = int(found[0])
        stride, step = (0 if extent == 1 else step), step * extent
        return str(stride)
    return f"{shape}:{re.sub(r'[0-9]+', each, shape)}"
