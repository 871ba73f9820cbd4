"""What scripts that write programs share: types that ops infer, asked of tessera-opt, how a program begins, and runs on the simulator."""
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


def load_words(words):
    """Lines that bring this block's `words` of the input %in to %base, in shared memory, and begin the mbarrier %bar and the flags %first (of the first
    warp) and %leader (of the first thread)."""
    gwords, swords = f'!cute.memref<i32, gmem, align<4>, "{words}:1">', f'!cute.memref<i32, smem, align<1024>, "{words}:1">'
    coord = '!cute.coord<"?">'
    return f"""%words = cute.recast_iter(%base) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<1024>>
%mine = arith.constant {words} : i32
%first_word = arith.muli %rank, %mine : i32
%to_mine = cute.make_int_tuple(%first_word) : (i32) -> !cute.int_tuple<"?">
%in_mine = cute.add_offset(%in, %to_mine) : (!cute.ptr<i32, gmem, align<16>>, !cute.int_tuple<"?">) -> !cute.ptr<i32, gmem, align<4>>
%flat = cute.static : !cute.layout<"{words}:1">
%from = cute.make_view(%in_mine, %flat) : {gwords}
%to = cute.make_view(%words, %flat) : {swords}
%steps = arith.constant {words // 128} : i32
scf.for %i = %c0 to %steps step %c1 : i32 {{
  %r = arith.muli %i, %c128 : i32
  %index = arith.addi %r, %tid : i32
  %at = cute.make_coord(%index) : (i32) -> {coord}
  %word = cute.memref.load(%from, %at) : ({gwords}, {coord}) -> i32
  cute.memref.store(%to, %at, %word) : ({swords}, {coord}, i32) -> ()
}}
nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
%first = arith.cmpi slt, %tid, %c32 : i32
%leader = arith.cmpi eq, %tid, %c0 : i32
scf.if %leader {{
  nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
}}"""


def failure(command, extras):
    """What the first run says that ends with an error, of the command with each list of options; None: all are right."""
    for extra in extras:
        done = subprocess.run([*command, *extra], capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(extra)}: {(done.stdout + done.stderr)[:1500]}"
    return None
