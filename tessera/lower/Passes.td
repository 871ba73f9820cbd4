// The passes that lower `cute`, `cute_nvgpu` and `cuda`, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_LOWER_PASSES_TD
#define TESSERA_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

// A pass that needs nothing but a function has no anchor here and `canScheduleOn` in its class: the pipeline schedules it on
// functions, several at a time where the user asks; on a module it works on all functions in turn (Functions.h).

def CuteReinfer : Pass<"cute-reinfer", "::mlir::ModuleOp"> {
  let summary = "Infers result types again after a type in the file was edited by hand";
  let description = [{
    One layout, swizzle, tile or atom was changed by hand. Results of ops follow from their operands, also through arguments of regions,
    loops, branches, calls and launches. An op that the new operand types do not fit is an error, with notes on the types before and after.
    Where an op states a type that does not follow from operands that nobody changed, the operands decide, and a warning says so.

    Our programs read such a file even if uses still state the old type, which MLIR's parser refuses
    (tessera/import/Edited.h): `tessera-opt --cute-reinfer` and `tessera compile --reinfer`.
  }];
}

def CheckTarget : Pass<"tessera-check-target", "::mlir::ModuleOp"> {
  let summary = "The SM gate: reports what the target does not offer";
  let description = [{
    llc aborts on an instruction that the target lacks, so every atom, op and inline PTX instruction of a kernel is
    looked up first: ops in lower/gate/OpNeeds.def, instructions in atom/Instructions.def (docs/reference/availability.md).
    What these tables do not have is an error. The attribute `tessera.allow_unlisted_ptx` on an op, a function or a module, or the
    option `allow-unlisted`, makes it a warning, for instructions that are newer than the tables. The least PTX version that all of a
    `gpu.module` needs becomes its attribute `tessera.ptx_version`, the target `tessera.target`.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "the target, such as sm_90a">,
                 Option<"allowUnlisted", "allow-unlisted", "bool", "false",
                        "warn about ops and instructions that the tables of availability do not have, instead of refusing them">];
}

def CheckTmem : Pass<"tessera-check-tmem"> {
  let summary = "Reports ops on tensor memory that come in a wrong order";
  let description = [{
    In every function: one CTA group; allocation before use and not after the release of the permit; no more columns than an SM has;
    as many freed as allocated, after the last use, and before a kernel ends. Ops that are each in a branch of their own, of one
    `scf.if` or of two, have no order: they are of different warps.
  }];
}

def CheckDescriptors : Pass<"tessera-check-descriptors"> {
  let summary = "Checks matrix descriptors of shared memory again where they are used";
  let description = [{
    A descriptor view says neither the element type nor the swizzle of what it views. Where a matrix multiplication's operand can be
    followed back to the tensor or pointer that its descriptor was made of, both are held to the instruction, with its size, its major
    mode and the canonical layouts.
  }];
}

def CuteDesugar : Pass<"cute-desugar"> {
  let summary = "Expands sugar into primitive cute, scf and arith ops; target-neutral";
  let description = [{
    Three phases, each a sweep over the module: (1) shapes, coordinates and tiles become `make_int_tuple`;
    (2) strides likewise; (3) layouts become `make_layout_raw` and `make_composed_layout_raw`, algebra on
    views becomes algebra on their layouts, `equal` a conjunction, atoms without run-time fields
    `cute.static`, prints of tensors loops, `copy`, `gemm` and `prefetch` loops over atom calls.

    A phase expects the ones before it to have run, and leaves none of what it rewrites: both are checked.
    (`--mlir-pass-statistics` counts nothing in Debian's LLVM, which is built without; so the pass has an option of its own.)
  }];
  let options = [ListOption<"wanted", "phases", "int64_t", "which phases to run, ascending; all if none is given">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were rewritten">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def CuteFoldStatic : Pass<"cute-fold-static"> {
  let summary = "Replaces what types fully state by `cute.static`";
  let description = [{
    Constants refine types first: of `make_shape(%c8, %c4) : (index, index) -> !cute.shape<"(?,?)">` the value is `(8,4)`, and algebra
    on it is evaluated again. An op that these values make illegal is reported.
  }];
}

// Expansion, step by step. Others can stand between: each step takes what no step has touched as well as what those before it leave.
// All expect --cute-desugar before.

def CuteUnrollLoops : Pass<"cute-unroll-loops"> {
  let summary = "Unrolls loops of known counts, and takes branches of known conditions";
  let description = [{
    A loop that is marked for full unrolling, has at most one iteration, or is small and not marked otherwise becomes its iterations,
    where its bounds are known by constants, arithmetic and algebra on them. A loop is small by an estimate of what it becomes: at most 1,024
    instructions, or 4,096 if the loop indexes registers by its iteration, which would put them into local memory. A call of an atom, a load,
    a store and arithmetic on an element count as one each, inner loops with their iterations, algebra as nothing.
  }];
  let options = [Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CuteMakeTensorMaps : Pass<"cute-make-tensor-maps"> {
  let summary = "Makes tensor maps on the host, and changes to maps in memory, from the extents and strides of tensors";
  let description = [{
    `make_non_exec_tiled_tma_*` becomes `make_tma_desc_tiled` of extents, strides and a box, an atom that carries its address, and a
    tensor of coordinates; `update_tma_desc` becomes `arch.replace_tma_desc`. Leaves of the tensors are taken out with algebra, so the
    pass comes before `--cute-expand-algebra`.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CuteExpandAlgebra : Pass<"cute-expand-algebra"> {
  let summary = "Turns algebra into arithmetic on leaves";
  let description = [{
    Rebuilds every function once, in order: a cute value is known by its leaves, so that layouts and coordinates leave no trace but
    arithmetic; loops and branches carry leaves and pointers instead of cute values. Calls of atoms, and what else takes a view, get it
    as `make_view` of a pointer and a layout; where the pointer is swizzled, its steps say which bits their offsets may have
    (`cute.offset_bits`). Function signatures keep their types.

    What the algebra assumes of run-time values where types cannot tell (that a tile divides, that modes do not carry into each
    other, that a sum or product fits the width that the IR states) is not checked unless `check-layout-assumptions` is set:
    then each becomes a `cf.assert` at the op that assumes it.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CuteExpandVectors : Pass<"cute-expand-vectors"> {
  let summary = "Turns vectors of one dimension into scalars";
  let description = [{
    `memref.load_vec` and `memref.store_vec` become accesses as wide as the places of the elements allow, ops on elements work on them
    one by one, and loops and branches carry scalars. A vector that something needs whole is `vector.from_elements`.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CuteExpandAtomCalls : Pass<"cute-expand-atom-calls"> {
  let summary = "Turns calls of atoms into architecture ops, loads and stores";
  let description = [{
    The row of an atom says what its calls become: `cute_nvgpu.arch.*`, with operands in registers, or accesses. Run-time fields of
    atoms become operands, so that no atom is left but as a parameter. Comes after `--cute-expand-algebra`, which leaves pointers that
    the recipes can swizzle well; an unexpanded view is taken apart as it is.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CuteExpandOps : Pass<"cute-expand-ops"> {
  let summary = "Turns algebra into arithmetic on leaves and atom calls into architecture ops";
  let description = [{
    The steps of expansion in their order: `--cute-unroll-loops`, `--cute-make-tensor-maps`, `--cute-expand-algebra`,
    `--cute-expand-vectors`, `--cute-expand-atom-calls`. The pipeline runs these one by one; this is all of them by the name that the
    specification knows.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"statistics", "statistics", "bool", "false", "print how many ops of each name were expanded">];
  let dependentDialects = ["::tessera::cute::CuteDialect", "::tessera::cute_nvgpu::CuteNvgpuDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def ConvertScfToCf : Pass<"convert-scf-to-cf"> {
  let summary = "Turns regions of control flow into branches, in the place of upstream's pass of that name";
  let description = [{
    Upstream's patterns, run on the ops that they are for. Upstream's pass runs them as a conversion of dialects, whose work grows with the
    number of branches times the number of ops. What no pattern takes stays as it is, for `--tessera-check-lowered` to refuse.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect"];
}

def ConvertCuteToLLVM : Pass<"convert-cute-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers cute values, pointers and memory ops to the LLVM dialect";
  let description = [{
    One flat bank of named patterns. A cute value becomes the struct of its dynamic leaves (one leaf stands
    bare), a pointer an `!llvm.ptr`. Algebra that was not expanded is lowered by evaluation on those leaves.
    Expects `--cute-desugar` before; takes the output of `--cute-expand-ops` as well as what came before it.

    With `check-layout-assumptions` algebra that is lowered here asserts what it assumes, as `--cute-expand-ops` does with the option of
    that name; the assertions may come with scf loops, so `--convert-scf-to-cf` goes after. Algebra that was expanded is not checked again.
  }];
  let options = [Option<"checkLayoutAssumptions", "check-layout-assumptions", "bool", "false",
                        "assert at run time what the algebra assumes of dynamic leaves, and that results fit their width">,
                 Option<"layoutAbi", "layout-abi", "std::string", "\"dynamic\"",
                        "what a layout is in LLVM: `dynamic`, the struct (shape, stride) of its dynamic leaves, or `packed`, all leaves, "
                        "shape beside stride">,
                 Option<"statistics", "statistics", "bool", "false", "print how often each pattern, by its name, rewrote an op">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::cf::ControlFlowDialect"];
}

def ConvertCuteNvgpuToNVVM : Pass<"convert-cute-nvgpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lowers architecture ops to NVVM ops, intrinsics or inline PTX, as the rows of tessera/atom say";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect"];
}

def CuteKernelToNVVM : Pass<"cute-kernel-to-nvvm"> {
  let summary = "The kernel-entry ABI (CuteKernelToNvvmRewrite)";
  let description = [{
    `cute.kernel` becomes `nvvm.kernel`; every argument marked `cute_nvgpu.grid_constant` gets
    {llvm.align = 64, llvm.byval, nvvm.grid_constant}. Expects arguments of LLVM types, so it runs after type
    conversion.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvertCudaHostToLLVM : Pass<"convert-cuda-host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turns launches into calls of the runtime (tessera_rt_*)";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def ConvertDeviceOps : Pass<"convert-device-ops", "::mlir::ModuleOp"> {
  let summary = "Lowers mathematical functions and assertions of kernels, which have no C library, and barriers written as PTX";
  let options = [Option<"library", "library", "bool", "false",
                        "call the functions of NVIDIA's libdevice, which is linked later, instead of polynomials">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect"];
}

def CheckLowered : Pass<"tessera-check-lowered", "::mlir::ModuleOp"> {
  let summary = "Refuses, by name and place, what lowering left";
  let description = [{
    After the last conversion every op is of the LLVM dialect or NVVM, in `builtin.module` and `gpu.module`. Any other one has no code: it is an
    error with its name and place, and so is a value that an op takes in another type than it has. All of them are reported, not only the first.

    It works on the module, as what is left also stands outside of functions: a variable of another dialect, or an op that no conversion took for a
    function. A pass on functions would never see these. It walks once and changes nothing, so there is no time to win by several threads.
  }];
}

def HoldBackLoads : Pass<"tessera-hold-back-loads"> {
  let summary = "Keeps two TMA loads fewer in flight than a ring of buffers has room for";
  let description = [{
    Where a loop fills a ring of six buffers or more with TMA loads, and the loop after it uses one and refills another in each
    iteration, the first loop stops two short: `for (i < min(7, tiles))` becomes `for (i < min(5, tiles))`. All loads are made, each
    two iterations later; what is computed is the same. A loop whose loads somebody may wait for sooner, or that is not understood,
    stays as it is.
  }];
  let statistics = [Statistic<"rings", "rings", "rings whose first loop stops two loads short">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TieGroupAccumulators : Pass<"tie-group-accumulators"> {
  let summary = "Keeps other code and a warpgroup's products apart where they share registers";
  let description = [{
    After each `nvvm.wgmma.wait.group.sync.aligned` the accumulators that are read before the next wait go through an empty inline
    instruction, from whose results LLVM then computes. So do registers of products that other code writes, where the writing ends, so that
    it stays before `nvvm.wgmma.fence.aligned`. A block whose products have no fence before them gets one, as ptxas wants it there.
    Expects the LLVM dialect, with products as inline PTX.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def DropElections : Pass<"tessera-drop-elections"> {
  let summary = "Takes elections out of branches that one lane takes";
  let description = [{
    TMA copies and products in tensor memory are executed by an elected lane of the warp that calls them. In a branch that at most one
    lane of a warp takes, as after `threadIdx.x == 0` or another election, that lane executes them: an election of all lanes would wait
    for the others. Expects the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MergeElections : Pass<"tessera-merge-elections"> {
  let summary = "Merges elections that follow each other";
  let description = [{
    Products in tensor memory, commits and TMA copies are each executed by one elected lane. Where nothing but arithmetic stands between
    two such branches, one election is for both. Changes only functions with products in tensor memory. Expects the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def InlineLocals : Pass<"tessera-inline-locals", "::mlir::ModuleOp"> {
  let summary = "Puts functions in place that return what is on their stack";
  let description = [{
    A call of a `func.func` with a fragment in registers or a launch configuration among its results is replaced by the function's body, with
    locations that name the call. Functions that call themselves, or leave at an error (`cuda.return_if_error`), stay, and are refused later.

    A loop that yields a fragment which its iteration makes carries the elements: the next iteration may make it again. In a loop of blocks,
    and where something else may have the fragment too, the op that makes it gets places for all of them that something still has.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MergeUniform : Pass<"tessera-merge-uniform"> {
  let summary = "Merges broadcasts of the same value";
  let description = [{
    `cute_nvgpu.arch.make_warp_uniform` of values that are computed in the same way becomes one op in each block. LLVM could not merge the
    shuffles that they become.
  }];
}

def KeepProductLoops : Pass<"tessera-keep-product-loops"> {
  let summary = "Has LLVM leave loops with products in tensor memory as they are";
  let description = [{
    LLVM would take the first iteration out of a loop whose first product overwrites its sums. A loop about which the program says something
    stays. Expects the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TmemWaits : Pass<"tessera-tmem-waits"> {
  let summary = "Places waits and fences of tensor memory where the program has none";
  let description = [{
    `tcgen05.wait::ld` and `wait::st` between a warp's loads and stores and what tells others that they may go on (barriers, arrivals,
    products), `tcgen05.fence` on both sides of it, once on each path. What the program has stays. Expects the LLVM dialect.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "report as remarks what was placed where">];
  let statistics = [Statistic<"waits", "waits", "waits that were placed">, Statistic<"fences", "fences", "fences that were placed">];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif
