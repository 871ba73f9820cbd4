#!/usr/bin/env python3
"""Machine instructions of the kernels of a cubin, by kind, where there is no nvdisasm: sass.py CUBIN...

An instruction of sm_75 and later has 16 bytes, of which the lowest 9 bits are its operation. The table has the operations that say most of a kernel. That
HMMA, QMMA, LDSM, LDGSTS, SHFL and BAR are right is seen beside PTX: a kernel has as many as its PTX has mma, ldmatrix, cp.async, shfl and bar
(test/sim/warps.py compares the first four).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import struct
import sys

OPERATIONS = {0x03c: "HMMA", 0x07a: "QMMA", 0x03b: "LDSM", 0x1ae: "LDGSTS", 0x108: "MUFU", 0x189: "SHFL", 0x11d: "BAR", 0x020: "FMUL", 0x021: "FADD", 0x023: "FFMA", 0x009: "FMNMX",
              0x03e: "F2FP", 0x181: "LDG", 0x186: "STG", 0x184: "LDS", 0x188: "STS", 0x183: "LDL", 0x187: "STL"}


def kernels(cubin):
    """Kernel -> its code, of an ELF file; ELF64 little-endian."""
    offset, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, offset + i * size) for i in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        name = cubin[start:cubin.index(0, start)].decode()
        if name.startswith(".text."):
            yield name.removeprefix(".text."), cubin[section[4]:section[4] + section[5]]


def counted(code):
    """(all, of each kind) without what fills the last bytes: NOP, and the branch to itself before it."""
    operations = [word & 0x1ff for word, _ in struct.iter_unpack("<QQ", code)]
    while operations and operations[-1] == 0x118:
        operations.pop()
    return len(operations), collections.Counter(OPERATIONS[o] for o in operations if o in OPERATIONS)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            for name, code in kernels(file.read()):
                total, kinds = counted(code)
                print(f"{name}: {total} instructions, {', '.join(f'{kind} {kinds[kind]}' for kind in OPERATIONS.values() if kinds[kind])}")
