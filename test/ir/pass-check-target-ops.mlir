// Ops are in a table one by one: what they need of the target, by their attributes and types; an op that the table lacks is an error.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_80 --verify-diagnostics -o /dev/null

gpu.module @arch {
  cuda.kernel @k(%s: !cute.ptr<f16, smem, align<16>>, %g: !cute.ptr<f16, gmem, align<16>>, %v: vector<4xi32>, %p: i64, %b: !cute.ptr<i64, smem>) attributes {cute.kernel} {
    %0 = cute_nvgpu.arch.copy.ldsm(%s) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> vector<4xi32>
    // expected-error @+1 {{'cute_nvgpu.arch.copy.stsm' op stmatrix of 16-bit elements needs sm_90 or later, but the target is sm_80}}
    cute_nvgpu.arch.copy.stsm(%s, %v) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<4xi32>)
    // expected-error @+1 {{'cute_nvgpu.arch.copy.SM90.bulk_copy_s2g' op cp.async.bulk needs sm_90 or later, but the target is sm_80}}
    cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%g, %s) {bytes = 16 : i32} : (!cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, smem, align<16>>)
    return
  }
}

// -----

gpu.module @nvvm {
  cuda.kernel @k(%p: !llvm.ptr<3>, %r: !llvm.ptr<7>, %m: i32, %x: f32) attributes {cute.kernel} {
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    // expected-error @+1 {{'nvvm.read.ptx.sreg.cluster.ctaid.x' op thread block clusters (special registers, mapa) needs sm_90 or later, but the target is sm_80}}
    %1 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %2 = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64
    // expected-error @+1 {{'nvvm.mbarrier.arrive' op mbarrier.arrive with a count needs sm_90 or later, but the target is sm_80}}
    %3 = nvvm.mbarrier.arrive %p, %m : !llvm.ptr<3> -> i64
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    // expected-error @+1 {{'nvvm.fence.proxy' op fence.proxy.async needs sm_90 or later, but the target is sm_80}}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    %4 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
    // expected-error @+1 {{'nvvm.ldmatrix' op ldmatrix of 8, 6 and 4-bit elements needs sm_100a/f, sm_103a/f, sm_110a/f, sm_120a/f or sm_121a/f, but the target is sm_80}}
    %5 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %6 = nvvm.redux.sync add %m, %m : i32 -> i32
    // expected-error @+1 {{'nvvm.redux.sync' op warp reductions of f32 (redux.sync) needs sm_100a/f or sm_103a/f, but the target is sm_80}}
    %7 = nvvm.redux.sync fmin %x, %m : f32 -> f32
    return
  }
}

// -----

gpu.module @llvm {
  cuda.kernel @k(%s: !llvm.ptr<3>, %r: !llvm.ptr<7>, %x: f32) attributes {cute.kernel} {
    %0 = llvm.load %s : !llvm.ptr<3> -> i32
    // expected-error @+1 {{'llvm.load' op loads and stores of another CTA's shared memory needs sm_90 or later, but the target is sm_80}}
    %1 = llvm.load %r : !llvm.ptr<7> -> i32
    // Functions that LLVM's back end selects of some types and flags, and of none.
    // expected-error @+1 {{'llvm.intr.sin' op has an instruction that approximates, and no other; allow it with the flag afn, or write it as an op of math}}
    %11 = llvm.intr.sin(%x) : (f32) -> f32
    %12 = llvm.intr.sin(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %13 = llvm.intr.tanh(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
    %14 = llvm.intr.exp2(%x) : (f32) -> f32
    %15 = llvm.fpext %x : f32 to f64
    // expected-error @+1 {{'llvm.intr.exp2' op has no instruction of more than 32 bits; write it as an op of math, for which this compiler has code}}
    %16 = llvm.intr.exp2(%15) : (f64) -> f64
    // expected-error @+1 {{'llvm.intr.log' op is in no row of the table of ops}}
    %17 = llvm.intr.log(%x) : (f32) -> f32
    // expected-error @+1 {{'llvm.intr.lrint' op is in no row of the table of ops}}
    %18 = llvm.intr.lrint(%x) : (f32) -> i32
    %7 = llvm.inttoptr %0 : i32 to !llvm.ptr<6>
    // expected-error @+1 {{'llvm.load' op has an address of tensor memory, which only tcgen05.ld and tcgen05.st read and write}}
    %8 = llvm.load %7 : !llvm.ptr<6> -> i32
    // The address as a value is one like others.
    llvm.store %7, %s : !llvm.ptr<6>, !llvm.ptr<3>
    // expected-error @+1 {{'llvm.atomicrmw' op has an address of tensor memory}}
    %9 = llvm.atomicrmw add %7, %0 monotonic : !llvm.ptr<6>, i32
    %10 = llvm.inttoptr %0 : i32 to !llvm.ptr<42>
    // expected-error @+1 {{'llvm.store' op has an address of space 42, which PTX does not have}}
    llvm.store %0, %10 : i32, !llvm.ptr<42>
    %2 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%x) : (f32) -> f32
    %5 = llvm.call_intrinsic "llvm.nvvm.fmax.f"(%x, %x) : (f32, f32) -> f32
    // expected-error @+1 {{'llvm.call_intrinsic' op minimum and maximum with xorsign needs sm_86 or later, but the target is sm_80}}
    %6 = llvm.call_intrinsic "llvm.nvvm.fmax.xorsign.abs.f"(%x, %x) : (f32, f32) -> f32
    // expected-error @+1 {{'llvm.call_intrinsic' op warp-level products of e4m3 and e5m2 needs sm_89 or later, but the target is sm_80}}
    %3 = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(%x) : (f32) -> f32
    // expected-error @+1 {{'llvm.call_intrinsic' op the intrinsic 'llvm.nvvm.isspacep.shared.cluster' is in no row of the table of ops}}
    %4 = llvm.call_intrinsic "llvm.nvvm.isspacep.shared.cluster"(%s) : (!llvm.ptr<3>) -> i1
    return
  }
}

// -----

gpu.module @unlisted {
  cuda.kernel @k(%x: i32, %f: f32, %m: memref<16xf32>, %i: index, %mask: vector<4xi1>, %v: vector<4xf32>) attributes {cute.kernel} {
    // expected-error @+1 {{'gpu.subgroup_reduce' op is in no row of the table of ops, so what it needs of a target is not known; use another op or inline PTX; the attribute tessera.allow_unlisted_ptx lets it pass if the target does have it}}
    %0 = gpu.subgroup_reduce add %x : (i32) -> i32
    // expected-warning @+1 {{'gpu.subgroup_reduce' op is in no row of the table of ops}}
    %1 = gpu.subgroup_reduce add %x {tessera.allow_unlisted_ptx} : (i32) -> i32
    // What takes a memref or a scalable vector, and what the compiler has no code for.
    // expected-error @+1 {{'vector.vscale' op is in no row of the table of ops}}
    %3 = vector.vscale
    // expected-error @+1 {{'vector.compressstore' op is in no row of the table of ops}}
    vector.compressstore %m[%i], %mask, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
    // expected-error @+1 {{'arith.truncf' op converts 'f8E4M3FNUZ', which no PTX instruction does}}
    %2 = arith.truncf %f : f32 to f8E4M3FNUZ
    return
  }
}
