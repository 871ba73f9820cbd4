// Bulk copies and reductions, stores to other CTAs, TMA reductions and prefetches, tensor maps in memory: from calls to the LLVM dialect.
// RUN: tessera-opt %s --split-input-file --tessera-lower=arch=sm_90a | FileCheck %s

!load = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>
!many = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024 mcast = true>
!store = !cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 1024>
!send = !cute_nvgpu.atom.bulk_copy_s2s<f16 copy_bits = 1024>
!g = !cute.memref<f16, gmem, align<16>, "64:1">
!s = !cute.memref<f16, smem, align<16>, "64:1">
!d = !cute.memref<f16, dsmem, align<16>, "64:1">
gpu.module @kernels {
  // Whoever calls copies: no lane is elected. A field that is not set is not an operand.
  // CHECK-LABEL: llvm.func @copies
  // CHECK-NOT: elect
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES:.*]] multicast_mask = %{{.*}} l2_cache_hint = %{{.*}} : !llvm.ptr<7>, <1>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.global %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} l2_cache_hint = %{{.*}} : !llvm.ptr<7>, <1>
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.*}}, %{{.*}}, %{{.*}} l2_cache_hint = %{{.*}} : <1>, <3>
  // CHECK: nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.shared.cluster.shared.cta %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <7>, <3>
  // CHECK: nvvm.cp.async.bulk.prefetch %{{.*}}, %{{.*}} l2_cache_hint = %{{.*}} : <1>
  cuda.kernel @copies(%g: !g, %s: !s, %bar: !cute.ptr<i64, smem>, %mask: i16, %policy: i64, %rank: i32) attributes {cute.kernel, gpu.kernel} {
    %many = cute.make_atom(%bar, %mask, %policy) : (!cute.ptr<i64, smem>, i16, i64) -> !many
    cute.copy(%many, %g, %s) : (!many, !g, !s)
    %load = cute.make_atom(%bar, %mask, %policy) : (!cute.ptr<i64, smem>, i16, i64) -> !load
    cute.copy(%load, %g, %s) : (!load, !g, !s)
    %store = cute.make_atom(%policy) : (i64) -> !store
    cute.copy(%store, %s, %g) : (!store, !s, !g)
    %p = cute.get_iter(%s) : !s
    %there = cute_nvgpu.arch.map_dsmem_ptr(%p, %rank) : (!cute.ptr<f16, smem, align<16>>) -> !cute.ptr<f16, dsmem, align<16>>
    %b = cute_nvgpu.arch.map_dsmem_ptr(%bar, %rank) : (!cute.ptr<i64, smem>) -> !cute.ptr<i64, dsmem>
    %l = cute.static : !cute.layout<"64:1">
    %d = cute.make_view(%there, %l) : !d
    %send = cute.make_atom(%b) : (!cute.ptr<i64, dsmem>) -> !send
    cute.copy(%send, %s, %d) : (!send, !s, !d)
    cute.prefetch(%load, %g) : (!load, !g)
    cuda.return
  }
}

// -----

!sum = !cute_nvgpu.atom.bulk_reduce_s2g<f16 copy_bits = 1024 kind = ADD>
!low = !cute_nvgpu.atom.bulk_reduce_s2s<i32 copy_bits = 1024 kind = MIN>
!put = !cute_nvgpu.atom.dsmem_store<i32, 64 b>
!g = !cute.memref<f16, gmem, align<16>, "64:1">
!s = !cute.memref<f16, smem, align<16>, "64:1">
!si = !cute.memref<i32, smem, align<16>, "32:1">
!di = !cute.memref<i32, dsmem, align<16>, "32:1">
gpu.module @kernels {
  // PTX ISA 9.7.9.25.4.2: sums of f16 are .noftz; into the cluster the barrier stands last. 9.7.9.13: st.async.
  // CHECK-LABEL: llvm.func @reductions
  // CHECK: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.f16 [$0], [$1], 128, $2;", "l,r,l,~{memory}"
  // CHECK: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [$0], [$1], 128, [$2];", "r,r,r,~{memory}"
  // CHECK: "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$1, $2}, [$3];", "r,r,r,r,~{memory}"
  cuda.kernel @reductions(%g: !g, %s: !s, %si: !si, %di: !di, %b: !cute.ptr<i64, dsmem>, %policy: i64) attributes {cute.kernel, gpu.kernel} {
    %sum = cute.make_atom(%policy) : (i64) -> !sum
    cute.copy(%sum, %s, %g) : (!sum, !s, !g)
    %low = cute.make_atom(%b) : (!cute.ptr<i64, dsmem>) -> !low
    cute.copy(%low, %si, %di) : (!low, !si, !di)
    %put = cute.make_atom(%b) : (!cute.ptr<i64, dsmem>) -> !put
    %r = cute.memref.alloca() : !cute.memref<i32, rmem, align<8>, "2:1">
    %dp = cute.get_iter(%di) : !di
    %l2 = cute.static : !cute.layout<"2:1">
    %two = cute.make_view(%dp, %l2) : !cute.memref<i32, dsmem, align<16>, "2:1">
    cute.copy(%put, %r, %two) : (!put, !cute.memref<i32, rmem, align<8>, "2:1">, !cute.memref<i32, dsmem, align<16>, "2:1">)
    cuda.return
  }
}

// -----

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_reduce<f16, copy_bits = 65536, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
!ni = !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>
!xi = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = im2col, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@0,1@1)">>
!nl = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!box = !cute.coord_tensor<"(?,?)", "((4096,1)):((1@0,0))">
!pixels = !cute.coord_tensor<"(?,?,?,?,?,?)", "((4096,1)):((1@0,0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,64):(?{i64 div=8},1)">
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @tensors
  // CHECK: nvvm.elect.sync
  // CHECK: nvvm.cp.async.bulk.tensor.reduce %arg0, %{{.*}}, box[%{{.*}}, %{{.*}}] {{{.*}}redKind = #nvvm.tma_redux_kind<add>}
  // CHECK: nvvm.elect.sync
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg1, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}]
  // CHECK: nvvm.elect.sync
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch %arg1, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}]
  cuda.kernel @tensors(%r: !ne, %i: !ni, %bar: !cute.ptr<i64, smem>, %s: !smem, %box: !box, %pixels: !pixels) attributes {cute.kernel, gpu.kernel} {
    %reduce = cute_nvgpu.atom.make_exec_tma(%r) : (!ne) -> !ex
    cute.copy(%reduce, %s, %box) : (!ex, !smem, !box)
    %load = cute_nvgpu.atom.make_exec_tma(%i) : (!ni) -> !xi
    %ready = cute_nvgpu.atom.set_value(%load, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !xi
    cute.copy(%ready, %pixels, %s) : (!xi, !pixels, !smem)
    cute.prefetch(%load, %pixels) : (!xi, !pixels)
    cuda.return
  }

  // Fields are read where they were set: the barrier and the policy are the kernel's own parameters.
  // CHECK-LABEL: llvm.func @fields
  // CHECK-SAME: %[[BAR:[^:]*]]: !llvm.ptr<3>, %[[POLICY:[^:]*]]: i64, %[[OUT:[^:]*]]: !llvm.ptr<1>)
  // CHECK: nvvm.mbarrier.init %[[BAR]],
  // CHECK: llvm.store %[[POLICY]], %[[OUT]]
  cuda.kernel @fields(%i: !ni, %bar: !cute.ptr<i64, smem>, %policy: i64, %out: !cute.ptr<i64, gmem>) attributes {cute.kernel, gpu.kernel} {
    %exec = cute_nvgpu.atom.make_exec_tma(%i) : (!ni) -> !xi
    %1 = cute_nvgpu.atom.set_value(%exec, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !xi
    %2 = cute_nvgpu.atom.set_value(%1, %policy : i64) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : !xi
    %b = cute_nvgpu.atom.get_value(%2 : !xi) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute.ptr<i64, smem>
    %p = cute_nvgpu.atom.get_value(%2 : !xi) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : i64
    %shared = builtin.unrealized_conversion_cast %b : !cute.ptr<i64, smem> to !llvm.ptr<3>
    %one = arith.constant 1 : i32
    nvvm.mbarrier.init %shared, %one : !llvm.ptr<3>, i32
    cute.ptr.store(%out, %p) : (!cute.ptr<i64, gmem>, i64) -> ()
    cuda.return
  }

  // Extents in the order of the map: K first. The pitch in bytes is twice that in elements of f16. In shared memory the caller publishes
  // the map; in global memory it is acquired and released here.
  // CHECK-LABEL: llvm.func @maps
  // CHECK-COUNT-8: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: fence.proxy.tensormap
  // CHECK: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "l,l,~{memory}"
  // CHECK: "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %{{.*}}, %[[K:.*]] : (i64, i32)
  // CHECK: "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 1, $1;", "l,r,~{memory}"
  // CHECK: "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $1;", "l,l,~{memory}"
  // CHECK: "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}"
  // CHECK: "tensormap.replace.tile.global_address.global.b1024.b64 [$0], $1;"
  // CHECK: "fence.proxy.tensormap::generic.release.gpu;", "~{memory}"
  cuda.kernel @maps(%a: !nl, %t: !gmem, %s: !cute.ptr<i8, smem, align<128>>, %g: !cute.ptr<i8, gmem, align<128>>) attributes {cute.kernel, gpu.kernel} {
    cute_nvgpu.copy_tma_desc(%a, %s) : (!nl, !cute.ptr<i8, smem, align<128>>) -> ()
    cute_nvgpu.update_tma_desc(%a, %t, %s) : (!nl, !gmem, !cute.ptr<i8, smem, align<128>>) -> ()
    cute_nvgpu.update_tma_desc(%a, %t, %g) : (!nl, !gmem, !cute.ptr<i8, gmem, align<128>>) -> ()
    cuda.return
  }
}

// -----

!ni = !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!red = !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
gpu.module @kernels {
  cuda.kernel @k(%a: !ni, %r: !red) attributes {cute.kernel, gpu.kernel} {
    cuda.return
  }
}
// CHECK-LABEL: llvm.func @host
// CHECK: llvm.call @tessera_rt_tensor_map_im2col(%[[IMAGE:[^,]*]], {{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()
// CHECK: llvm.call @tessera_rt_tensor_map(
// CHECK: llvm.call @tessera_rt_launch
func.func @host(%p: !cute.ptr<f16, gmem, align<16>>, %g: !gmem, %n: i64, %one: i32, %stream: !cuda.stream) {
  %map = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n], [%n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, pixels = 64 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  %atom = cute.make_atom(%map) : (!cute.ptr<i8, generic, align<64>>) -> !ni
  %layout = cute.static : !cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">
  %tiler = cute.static : !cute.layout<"(64,64):(1@0,1@1)">
  %red, %coords = cute_nvgpu.atom.make_non_exec_tiled_tma_reduce(%g, %layout, %tiler) : (!gmem, !cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">, !cute.layout<"(64,64):(1@0,1@1)">) -> (!red, !coords)
  %bytes = arith.constant 0 : i64
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%one, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  %done = cuda.launch_ex @kernels::@k<%config> (%atom, %red) : !cuda.launch_cfg<max_attrs = 1>, (!ni, !red) -> !cuda.result
  return
}
