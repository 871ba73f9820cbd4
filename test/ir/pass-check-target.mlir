// The SM gate: what a kernel asks for that its target lacks is an error where it stands; host code is not looked at.
// First targets: ldmatrix sm_75, cp.async sm_80, stmatrix sm_90, wgmma sm_90a only (section 3.3 of the facts).
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_80 --verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.module @accepted
gpu.module @accepted {
  cuda.kernel @k() attributes {cute.kernel} {
    %0 = cute.make_atom() : () -> !cute_nvgpu.sm80.mma<16x8x16, elem_type = (bf16, bf16, f32)>
    %1 = cute.make_atom() : () -> !cute_nvgpu.atom.simt_async_copy<bf16, cache = global, 128 b>
    %2 = cute.make_atom() : () -> !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
    nvvm.cp.async.commit.group
    llvm.inline_asm has_side_effects "cp.async.commit_group;", "" : () -> ()
    return
  }
}

// -----

gpu.module @wgmma {
  cuda.kernel @k(%t: i1) attributes {cute.kernel} {
    // expected-error @+1 {{'cute.make_atom' op SM90_64xNx16_F32F16F16_SS needs sm_90a, but the target is sm_80}}
    %0 = cute.make_atom(%t) : (i1) -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
    return
  }
}

// -----

gpu.module @stmatrix {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'cute.make_atom' op SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
    %0 = cute.make_atom() : () -> !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
    return
  }
}

// -----

gpu.module @nvvm {
  cuda.kernel @k(%p: !llvm.ptr<3>, %n: i32) attributes {cute.kernel} {
    // expected-error @+1 {{'nvvm.mbarrier.arrive.expect_tx' op mbarrier transaction counts (expect_tx, complete_tx) needs sm_90 or later, but the target is sm_80}}
    nvvm.mbarrier.arrive.expect_tx %p, %n : !llvm.ptr<3>, i32
    // expected-error @+1 {{'nvvm.cluster.arrive' op barrier.cluster needs sm_90 or later, but the target is sm_80}}
    nvvm.cluster.arrive
    return
  }
}

// -----

gpu.module @inline {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'llvm.inline_asm' op griddepcontrol (programmatic dependent launch) needs sm_90 or later, but the target is sm_80}}
    llvm.inline_asm has_side_effects "{ .reg .pred p; @p griddepcontrol.wait; }", "" : () -> ()
    return
  }
}

// -----

gpu.module @conversion {
  cuda.kernel @k(%x: vector<2xi8>) attributes {cute.kernel} {
    // expected-error @+1 {{'nvvm.convert.f8x2.to.f16x2' op conversions to and from e4m3 and e5m2 needs sm_89 or later, but the target is sm_80}}
    %0 = nvvm.convert.f8x2.to.f16x2 %x : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
    return
  }
}

// -----

// 163 KiB is what a block of sm_80 can have.
func.func @launch(%n: i32, %s: !cuda.stream) {
  %smem = arith.constant 166912 : i64
  %more = arith.constant 166913 : i64
  %0 = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %n, %n), dynamicSmemBytes = %smem, gridDim = (%n, %n, %n), stream = %s) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  // expected-error @+1 {{'cuda.launch_cfg.create' op expects at most 166912 bytes of dynamic shared memory, what a block of sm_80 can have, but got 166913}}
  %1 = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %n, %n), dynamicSmemBytes = %more, gridDim = (%n, %n, %n), stream = %s) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  return
}

// -----

// Pointers into the shared memory of the cluster, wherever they come from.
gpu.module @cluster {
  // expected-error @+1 {{'cuda.kernel' op argument 0: thread block clusters (special registers, mapa) needs sm_90 or later, but the target is sm_80}}
  cuda.kernel @k(%p: !cute.memref<f32, dsmem, "4:1">, %a: i32) attributes {cute.kernel} {
    %c = cute.make_coord() : () -> !cute.coord<"0">
    %x = cute.memref.load(%p, %c) : (!cute.memref<f32, dsmem, "4:1">, !cute.coord<"0">) -> f32
    // expected-error @+1 {{'cute.inttoptr' op thread block clusters (special registers, mapa) needs sm_90 or later, but the target is sm_80}}
    %q = cute.inttoptr(%a) : i32 to !cute.ptr<f32, dsmem>
    return
  }
}

// -----

gpu.module @hopper {
  // expected-error @+1 {{'cuda.kernel' op argument 4: SM90_TMA_LOAD needs sm_90 or later, but the target is sm_80}}
  cuda.kernel @k(%t: i1, %e: i32, %p: i64, %s: !cute.ptr<i8, smem>,
                 %a: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">>,
                 %b: !cute.ptr<i64, dsmem>,
                 %g: !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">, %d: !cute.ptr<i8, gmem, align<64>>) attributes {cute.kernel} {
    // expected-error @+1 {{'cute.make_atom' op GMMA_64xNx32_F32F16F16_SS needs sm_90a, but the target is sm_80}}
    %0 = cute.make_atom(%t, %e) : (i1, i32) -> !cute_nvgpu.sm90.mma_sp<64x8x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
    // expected-error @+1 {{'cute.make_atom' op SM90_BULK_COPY_S2S needs sm_90 or later, but the target is sm_80}}
    %1 = cute.make_atom(%b) : (!cute.ptr<i64, dsmem>) -> !cute_nvgpu.atom.bulk_copy_s2s<f16 copy_bits = 128>
    // expected-error @+1 {{'cute.make_atom' op SM90_BULK_REDUCE_S2G_ADD_F32 needs sm_90 or later, but the target is sm_80}}
    %2 = cute.make_atom(%p) : (i64) -> !cute_nvgpu.atom.bulk_reduce_s2g<f32 copy_bits = 128 kind = ADD>
    // expected-error @+1 {{'cute.make_atom' op SM90_ST_ASYNC needs sm_90 or later, but the target is sm_80}}
    %3 = cute.make_atom(%b) : (!cute.ptr<i64, dsmem>) -> !cute_nvgpu.atom.dsmem_store<f32, 32 b>
    // expected-error @+1 {{'cute_nvgpu.arch.map_dsmem_ptr' op thread block clusters (special registers, mapa) needs sm_90 or later, but the target is sm_80}}
    %4 = cute_nvgpu.arch.map_dsmem_ptr(%s, %e) : (!cute.ptr<i8, smem>) -> !cute.ptr<i8, dsmem>
    // expected-error @+1 {{'cute_nvgpu.update_tma_desc' op tensormap.replace needs}}
    cute_nvgpu.update_tma_desc(%a, %g, %d) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">>, !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">, !cute.ptr<i8, gmem, align<64>>) -> ()
    return
  }
}
