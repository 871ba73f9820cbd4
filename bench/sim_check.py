#!/usr/bin/env python3
"""What the sanitizer costs: sim_check.py TESSERA [OTHER_TESSERA]

Instructions of the host (callgrind) of small kernels under `tessera sim`, without and with --sanitize, less what a kernel that does
nothing takes. With OTHER_TESSERA, such as one built before a change, its counts without the sanitizer stand beside them.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = (".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[8192];\n"
        ".visible .entry k(.param .u64 p) {\n.reg .b32 r<32>;\n"
        ".reg .f32 f<32>;\n.reg .b64 memory;\n.reg .pred p<4>;\n.reg .b32 turn, t, s;\nld.param.u64 memory, [p];\nmov.u32 t, %tid.x;\n"
        "mad.wide.u32 memory, t, 16, memory;\nmov.u32 s, tile;\nmad.lo.u32 s, t, 4, s;\nst.shared.u32 [s], t;\nmov.u32 turn, 0;\nagain:\n")
TAIL = "add.u32 turn, turn, 1;\nsetp.lt.u32 p0, turn, 500;\n@p0 bra again;\nret;\n}\n"
KERNELS = {
    "nothing": ("", 0),
    "arithmetic": ("fma.rn.f32 f1, f2, f3, f4;\nadd.f32 f2, f1, f3;\nmul.lo.u32 r4, r1, r5;\nxor.b32 r2, r4, r1;\n", 500),
    "global, 16 bytes a lane":
        ("ld.global.v4.u32 {r1, r2, r3, r4}, [memory];\nadd.u32 r1, r1, 1;\nst.global.v4.u32 [memory], {r1, r2, r3, r4};\n", 500),
    "shared, 4 bytes a lane": ("ld.shared.u32 r1, [s];\nadd.u32 r1, r1, 1;\nst.shared.u32 [s], r1;\n", 500),
    "shared with barriers": ("ld.shared.u32 r1, [s];\nbar.sync 0;\nst.shared.u32 [s], r1;\nbar.sync 0;\n", 500),
}

# Columns that are written and read.
TENSOR = """.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .pred p<4>;
  .reg .b32 r<8>, x<32>, turn;
  .shared .align 4 .b32 slot;
  mov.u32 r1, %tid.x;
  setp.ge.u32 p1, r1, 32;
  @p1 bra ready;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
ready:
  bar.sync 0;
  ld.shared.b32 r2, [slot];
  and.b32 r3, r1, 0x60;
  shl.b32 r3, r3, 16;
  add.u32 r3, r3, r2;
  mov.u32 turn, 0;
again:
  tcgen05.st.sync.aligned.32x32b.x32.b32 [r3], LIST;
  tcgen05.wait::st.sync.aligned;
  tcgen05.ld.sync.aligned.32x32b.x32.b32 LIST, [r3];
  tcgen05.wait::ld.sync.aligned;
  add.u32 turn, turn, 1;
  setp.lt.u32 p2, turn, 500;
  @p2 bra again;
  bar.sync 0;
  @p1 bra freed;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 r2, 32;
freed:
  ret;
}
""".replace("LIST", "{" + ", ".join(f"x{i}" for i in range(32)) + "}")
TENSOR_GEMM = ["--block", "192", "--arg", "tmap:f16:320x384::64x128:128B@rand:f16:384x320", "--arg",
               "tmap:f16:320x32::64x32:128B@rand:f16:32x320", "--arg", "ptr=out:f32:384x32", "--arg", "i32:3", "--arg", "i32:5"]


def stripped(program, work):
    """A copy without debug information, which valgrind cannot read."""
    to = f"{work}/{Path(program).name}-{abs(hash(program))}"
    subprocess.run(["strip", "-o", to, program], check=True)
    return to


def count(command, work):
    out = f"{work}/callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "-q", *command], check=True, capture_output=True)
    return int(re.search(r"^(?:summary|totals): (\d+)", Path(out).read_text(), re.M)[1])


def main():
    with tempfile.TemporaryDirectory() as work:
        tessera, *others = (stripped(program, work) for program in sys.argv[1:])
        base = {}
        print("| kernel | without | with --check | ratio |" + (" before |" if others else ""))
        print("|---|---|---|---|" + ("---|" if others else ""))
        root = Path(__file__).parents[1]
        gemm = ["--kernel", "gemm_kernel", "--block", "128", "--smem", "49152"]
        for name in "ABC":
            gemm += ["--arg", f"struct{{ptr={'out' if name == 'C' else 'rand'}:f16:128x128,i32:128,i32:128,i64:128}}"]
        for name, (body, turns) in [*KERNELS.items(), ("tensor memory, 128 bytes a lane", ("", 1)), ("GEMM 128x128x128, mma.sync", ("", 1)),
                                    ("GEMM 384x32x320, tcgen05", ("", 1))]:
            file = f"{work}/k.ptx"
            Path(file).write_text(HEAD + body + TAIL.replace("500", str(max(turns, 1))))
            command = ["sim", file, "--threads", "1", "--block", "64", "--arg", "ptr=zeros:u32:1024"]
            if "tensor memory" in name:
                Path(file).write_text(TENSOR)
                command[command.index("64")] = "128"
            if "tcgen05" in name:
                command = ["sim", str(root / "test/sim/kernels/tcgen05_gemm.ptx"), "--threads", "1", *TENSOR_GEMM]
            elif "GEMM" in name:
                command = ["sim", str(root / "test/sim/kernels/gemm.ptx"), "--threads", "1", *gemm]
            counts = [count([tessera, *command], work), count([tessera, *command, "--sanitize"], work)]
            counts += [count([other, *command], work) for other in others]
            if name == "nothing":
                base = counts
                continue
            own = [c - b for c, b in zip(counts, base)]
            before = "".join(f" {o / 1e6:.2f} M |" for o in own[2:])
            print(f"| {name} | {own[0] / 1e6:.2f} M | {own[1] / 1e6:.2f} M | {own[1] / own[0]:.1f} |{before}", flush=True)


if __name__ == "__main__":
    main()
