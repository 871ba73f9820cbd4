"""Runs one tcgen05 instruction on the simulator, between a picture of memory before and one after it.

The simulator is a black box here: its C API (tessera-c/Sim.h) through ctypes, and PTX that this file writes.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os

import numpy as np

LANES, COLUMNS = 128, 512
# What the instruction's operands may name, in the order of the array of scalars that the kernel reads.
SCALARS = ("a_desc", "b_desc", "idesc", "enable", "d", "a", "sfa", "sfb", "meta", "bytes", "columns", "zero_mask") + tuple(
    f"mask{i}" for i in range(8)
)
WIDE = ("a_desc", "b_desc", "zero_mask")  # 64 bits; the others are 32

# Shared memory and tensor memory (32 columns a step) are filled, thread 0 of block 0 (or each warp) runs the instruction, and tensor
# memory is written out. {registers} is 0 where the instruction has none of its own.
KERNEL = """
.version {version}
.target {target}
.address_size 64
.extern .shared .align 1024 .b8 image[];
.visible .entry probe(.param .u64 images, .param .u64 before, .param .u64 after, .param .u64 scalars, .param .u64 registers)
{{
  .shared .align 16 .b8 control[32];
  .reg .pred %p, %first, %leader, %enable;
  .reg .b32 %tid, %warp, %lane, %rank, %base, %t, %u, %column, %address, %here, %own;
  .reg .b32 %w<32>;
  .reg .b32 %v<{registers}>;
  .reg .b64 %q, %x, %images, %before, %after, %scalars, %registers;
{declarations}
  mov.u32 %tid, %tid.x;
  shr.u32 %warp, %tid, 5;
  and.b32 %lane, %tid, 31;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %tid, 0;
  setp.eq.u32 %leader, %rank, 0;
  and.pred %leader, %leader, %first;
  ld.param.u64 %images, [images];
  ld.param.u64 %before, [before];
  ld.param.u64 %after, [after];
  ld.param.u64 %scalars, [scalars];
  ld.param.u64 %registers, [registers];
{loads}
  setp.ne.u32 %enable, %enable_, 0;
  mul.wide.u32 %q, %rank, %bytes;
  add.u64 %images, %images, %q;
  mul.lo.u32 %t, %columns, 512;
  mul.wide.u32 %q, %rank, %t;
  add.u64 %before, %before, %q;
  add.u64 %after, %after, %q;
  mul.lo.u32 %t, %columns, 4;
  mul.wide.u32 %q, %tid, %t;
  add.u64 %before, %before, %q;
  add.u64 %after, %after, %q;
  mov.u32 %base, image;
  shl.b32 %t, %tid, 4;
COPY:
  setp.ge.u32 %p, %t, %bytes;
  @%p bra COPIED;
  cvt.u64.u32 %q, %t;
  add.u64 %q, %images, %q;
  ld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%q];
  add.u32 %u, %base, %t;
  st.shared.v4.b32 [%u], {{%w0, %w1, %w2, %w3}};
  add.u32 %t, %t, 2048;
  bra COPY;
COPIED:
  mov.u32 %u, control;
  @!%first bra MADE;
  mbarrier.init.shared::cta.b64 [%u+8], 1;
  fence.mbarrier_init.release.cluster;
MADE:
  fence.proxy.async.shared::cta;
{meet}
  setp.ne.u32 %p, %warp, 0;
  @%p bra ALLOCATED;
  tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%u], 512;
  tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;
ALLOCATED:
{meet}
  ld.shared.u32 %address, [%u];
  shl.b32 %here, %warp, 21;
  add.u32 %own, %address, %here;
  mov.u32 %here, %own;
  mov.u32 %column, 0;
  mov.u64 %q, %before;
FILL:
  setp.ge.u32 %p, %column, %columns;
  @%p bra FILLED;
{fill}
  tcgen05.st.sync.aligned.32x32b.x32.b32 [%here], {{{words}}};
  add.u32 %here, %here, 32;
  add.u32 %column, %column, 32;
  add.u64 %q, %q, 128;
  bra FILL;
FILLED:
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
{meet}
  tcgen05.fence::after_thread_sync;
{body}
  tcgen05.fence::before_thread_sync;
{meet}
  tcgen05.fence::after_thread_sync;
  mov.u32 %here, %own;
  mov.u32 %column, 0;
  mov.u64 %q, %after;
DRAIN:
  setp.ge.u32 %p, %column, %columns;
  @%p bra DRAINED;
  tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{words}}}, [%here];
  tcgen05.wait::ld.sync.aligned;
{drain}
  add.u32 %here, %here, 32;
  add.u32 %column, %column, 32;
  add.u64 %q, %q, 128;
  bra DRAIN;
DRAINED:
{meet}
  setp.ne.u32 %p, %warp, 0;
  @%p bra FREED;
  tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %address, 512;
FREED:
  ret;
}}
"""
# One thread of the pair's first block: descriptors are relative to the image, addresses to the allocation.
ISSUE = """
  @!%leader bra WAIT;
  shr.u32 %t, %base, 4;
  cvt.u64.u32 %q, %t;
  add.u64 %a_desc, %a_desc, %q;
  add.u64 %b_desc, %b_desc, %q;
  add.u32 %d, %d, %address;
  add.u32 %a, %a, %address;
  add.u32 %sfa, %sfa, %address;
  add.u32 %sfb, %sfb, %address;
  add.u32 %meta, %meta, %address;
  {text}
  tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.b64 [%u+8];
POLL:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%u+8], 0;
  @!%p bra POLL;
WAIT:
"""
# Every warp on its own lanes; registers come from memory for a store and go there from a load.
MOVE = """
  mul.lo.u32 %t, %tid, {bytes};
  cvt.u64.u32 %x, %t;
  add.u64 %x, %registers, %x;
  add.u32 %d, %d, %own;
{before}
  {text}
  tcgen05.wait::{wait}.sync.aligned;
{after}
"""
MEET = {1: "  bar.sync 0;", 2: "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;"}


class Refused(Exception):
    """The simulator's error: `rule` is the row of its table, the text its sentence."""

    def __init__(self, rule, text):
        super().__init__(f"{rule}: {text}")
        self.rule, self.text = rule, text


def vector(values):
    return ", ".join(values)


def kernel(body, group, target, registers=0, version="9.0"):
    words = [f"%w{i}" for i in range(32)]
    four = [(i, vector(words[i : i + 4])) for i in range(0, 32, 4)]
    declarations, loads = [], []
    for index, name in enumerate(SCALARS):
        wide = name in WIDE
        register = "%enable_" if name == "enable" else f"%{name}"
        declarations.append(f"  .reg .b{64 if wide else 32} {register};")
        loads.append(f"  ld.global.b{64 if wide else 32} {register}, [%scalars+{8 * index}];")
    return KERNEL.format(
        version=version,
        target=target,
        group=group,
        registers=max(registers, 1),
        meet=MEET[group],
        words=vector(words),
        body=body,
        declarations="\n".join(declarations),
        loads="\n".join(loads),
        fill="\n".join(f"  ld.global.v4.b32 {{{w}}}, [%q+{4 * i}];" for i, w in four),
        drain="\n".join(f"  st.global.v4.b32 [%q+{4 * i}], {{{w}}};" for i, w in four),
    )


def issued(text, group=1, target="sm_100a"):
    """PTX around an instruction that one thread issues."""
    return kernel(ISSUE.format(text=text, group=group), group, target)


def moved(text, count, load, target="sm_100a"):
    """PTX around an instruction that all four warps run, with `count` registers %v0, %v1, ..."""
    accesses = [f"  {'st' if load else 'ld'}.global.b32 " for _ in range(count)]
    lines = "\n".join(
        f"{a}[%x+{4 * i}], %v{i};" if load else f"{a}%v{i}, [%x+{4 * i}];" for i, a in enumerate(accesses)
    )
    body = MOVE.format(
        text=text, bytes=4 * count, wait="ld" if load else "st", before="" if load else lines, after=lines if load else ""
    )
    return kernel(body, 1, target, count)


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3), ("cluster", ctypes.c_uint32 * 3),
                ("dynamic", ctypes.c_uint32)]


class Device:
    """A machine with room for two blocks; programs are read once."""

    def __init__(self, library):
        self.api = ctypes.CDLL(os.fspath(library))
        for name in ("ProgramParse", "MachineCreate", "ModuleLoad"):
            getattr(self.api, "tesseraSim" + name).restype = ctypes.c_void_p
        for name in ("ErrorId", "ErrorText"):
            getattr(self.api, "tesseraSim" + name).restype = ctypes.c_char_p
        for name in ("Allocate", "Write", "Read", "Launch"):
            getattr(self.api, "tesseraSim" + name).restype = ctypes.c_bool
        self.machine = ctypes.c_void_p(self.call("MachineCreate", None))
        self.modules = {}
        self.launches = 0
        self.memory = {n: self.allocate(b) for n, b in (("images", 1 << 19), ("before", 1 << 19), ("after", 1 << 19),
                                                        ("scalars", 256), ("registers", 1 << 17))}

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        result = getattr(self.api, "tesseraSim" + name)(*arguments, ctypes.byref(error))
        if not result:
            rule, text = (getattr(self.api, "tesseraSimError" + n)(error).decode() for n in ("Id", "Text"))
            self.api.tesseraSimErrorDestroy(error)
            raise Refused(rule, text)
        return result

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("Allocate", self.machine, ctypes.c_uint64(size), ctypes.byref(address))
        return address.value

    def write(self, name, data):
        data = np.ascontiguousarray(data)
        self.call("Write", self.machine, ctypes.c_uint64(self.memory[name]), data.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(data.nbytes))

    def read(self, name, shape, dtype=np.uint32):
        data = np.empty(shape, dtype)
        self.call("Read", self.machine, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.memory[name]),
                  ctypes.c_size_t(data.nbytes))
        return data

    def load(self, ptx):
        if ptx not in self.modules:
            text = ptx.encode()
            program = ctypes.c_void_p(self.call("ProgramParse", text, ctypes.c_size_t(len(text))))
            try:
                self.modules[ptx] = ctypes.c_void_p(self.call("ModuleLoad", self.machine, program))
            finally:
                self.api.tesseraSimProgramDestroy(program)
        return self.modules[ptx]

    def run(self, ptx, images, before, scalars, registers=None):
        """Tensor memory after it, [block][lane][column], and the registers [thread][i] if it has any."""
        module = self.load(ptx)
        blocks, columns = len(images), before.shape[-1]
        values = dict.fromkeys(SCALARS, 0) | scalars | {"bytes": images.shape[-1], "columns": columns}
        self.write("images", images)
        self.write("before", before.astype(np.uint32))
        self.write("scalars", np.array([values[n] for n in SCALARS], np.uint64))
        if registers is not None:
            self.write("registers", registers.astype(np.uint32))
        launch = Launch((blocks, 1, 1), (128, 1, 1), (blocks, 1, 1), images.shape[-1])
        pointers = [ctypes.c_uint64(self.memory[n]) for n in ("images", "before", "after", "scalars", "registers")]
        arguments = (ctypes.c_void_p * 5)(*(ctypes.addressof(p) for p in pointers))
        self.launches += 1
        self.call("Launch", module, b"probe", ctypes.byref(launch), arguments, ctypes.c_size_t(5))
        after = self.read("after", (blocks, LANES, columns))
        return after, None if registers is None else self.read("registers", registers.shape)
