// WGMMA, TMA and atoms with run-time fields, from atom calls to the LLVM dialect.
// RUN: tessera-opt %s --split-input-file --tessera-lower=arch=sm_90a | FileCheck %s
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops | FileCheck %s --check-prefix=EXPAND

!mma = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!smem_a = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,16),1,4):((64,1),0,16)">
!smem_b = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,4):((64,1),0,16)">
!sums = !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">
gpu.module @kernels {
  // The fields of an atom are carried by a loop one by one: accum_c is false, then true.
  // EXPAND-LABEL: cuda.kernel @carried
  // EXPAND: %[[A:.*]] = cute_nvgpu.make_gmma_smem_desc
  // EXPAND: scf.for {{.*}} iter_args(%[[ACC:.*]] = %false) -> (i1)
  // EXPAND: cute.add_offset(%[[A]]
  // EXPAND: cute_nvgpu.arch.mma.SM90 {{.*}}, %[[ACC]] {
  // EXPAND: scf.yield %true : i1
  // The descriptor: the address in units of 16 bytes, with 128-byte swizzle, 64 units from one group of eight rows to the next.
  // CHECK-LABEL: llvm.func @carried
  // CHECK: %[[WORD:.*]] = llvm.mlir.constant(4611686293305360384 : i64)
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, $10, 1, 1, 0, 0;", "=&f,=&f,=&f,=&f,0,1,2,3,l,l,b"
  cuda.kernel @carried(%a: !smem_a, %b: !smem_b, %n: i32, %out: !cute.memref<f32, gmem, align<16>, "4:1">) attributes {cute.kernel, gpu.kernel} {
    %false = arith.constant false
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %atom = cute.make_atom(%false) : (i1) -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
    %mma = cute.make_tiled_mma(%atom) : !mma
    %fa = cute.mma.make_fragment A (%mma, %a) : (!mma, !smem_a) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
    %fb = cute.mma.make_fragment B (%mma, %b) : (!mma, !smem_b) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
    %sums = cute.memref.alloca() : !sums
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%now = %mma) -> (!mma) : i32 {
      %at = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,_,?)">
      %sa = cute.slice(%fa, %at) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">, !cute.coord<"(_,_,?)">
      %sb = cute.slice(%fb, %at) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">, !cute.coord<"(_,_,?)">
      cute.gemm(%now, %sums, %sa, %sb, %sums) : (!mma, !sums, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !sums)
      %next = cute_nvgpu.atom.set_value(%now, %true : i1) {field = #cute_nvgpu.atom_mma_field_sm90<accum_c>} : !mma
      scf.yield %next : !mma
    }
    %v = cute.memref.load_vec %sums : !sums
    cute.memref.store_vec %v, %out : !cute.memref<f32, gmem, align<16>, "4:1">
    cuda.return
  }
}

// -----

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!box = !cute.coord_tensor<"(0,0)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
gpu.module @kernels {
  // The tensor map is a parameter in place, aligned to 64 bytes (PTX ISA 9.0, 5.5.8); one lane of the warp copies, in the order
  // of the tensor map's modes.
  // CHECK-LABEL: llvm.func @load(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetch.tensormap [$0];", "l" %arg0
  // CHECK: %[[LANE:.*]] = nvvm.elect.sync
  // CHECK: llvm.cond_br %[[LANE]]
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg0, %{{.*}}, box[%[[K:.*]], %[[M:.*]]] :
  cuda.kernel @load(%tma: !ne, %bar: !cute.ptr<i64, smem>, %m: i32, %k: i32, %s: !smem) attributes {cute.kernel, gpu.kernel} {
    cute_nvgpu.prefetch_tma_desc(%tma) : (!ne) -> ()
    %exec = cute_nvgpu.atom.make_exec_tma(%tma) : (!ne) -> !ex
    %ready = cute_nvgpu.atom.set_value(%exec, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
    %start = cute.make_int_tuple(%k, %m) : (i32, i32) -> !cute.int_tuple<"(?,?)">
    %layout = cute.static : !cute.layout<"(((64,64),1)):(((1@0,1@1),0))">
    %from = cute.make_view(%start, %layout) : !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
    cute.copy(%ready, %from, %s) : (!ex, !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">, !smem)
    cuda.return
  }
}

// A multicast load has the mask of the CTAs that it goes to, a cache policy is a hint for L2 (PTX ISA 9.7.9.25.5.2).
!ne_many = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex_many = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,64):(1@1,1@0)">>
!ne_out = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex_out = !cute_nvgpu.atom.tma_store<f16, copy_bits = 65536, mode = tiled, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
gpu.module @options {
  // CHECK-LABEL: llvm.func @options(
  // CHECK-SAME: %{{.*}}: !llvm.ptr {{{.*}}}, %{{.*}}: !llvm.ptr {{{.*}}}, %[[BAR:.*]]: !llvm.ptr<3>, %[[MASK:.*]]: i16, %[[POLICY:.*]]: i64, %
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]] l2_cache_hint = %[[POLICY]] :
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}} l2_cache_hint = %[[POLICY]] :
  cuda.kernel @options(%in: !ne_many, %out: !ne_out, %bar: !cute.ptr<i64, smem>, %mask: i16, %policy: i64, %s: !smem, %box: !box) attributes {cute.kernel, gpu.kernel} {
    %load = cute_nvgpu.atom.make_exec_tma(%in) : (!ne_many) -> !ex_many
    %1 = cute_nvgpu.atom.set_value(%load, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex_many
    %2 = cute_nvgpu.atom.set_value(%1, %mask : i16) {field = #cute_nvgpu.atom_copy_field_tmaload<mcast_mask>} : !ex_many
    %3 = cute_nvgpu.atom.set_value(%2, %policy : i64) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : !ex_many
    cute.copy(%3, %box, %s) : (!ex_many, !box, !smem)
    %store = cute_nvgpu.atom.make_exec_tma(%out) : (!ne_out) -> !ex_out
    %4 = cute_nvgpu.atom.set_value(%store, %policy : i64) {field = #cute_nvgpu.atom_copy_field_tmastore<cache_policy>} : !ex_out
    cute.copy(%4, %s, %box) : (!ex_out, !smem, !box)
    cuda.return
  }
}
// The host makes the map: extents and strides of the tensor in the order of the box, K first; strides in bytes.
// CHECK-LABEL: llvm.func @host
// CHECK: llvm.call @tessera_rt_tensor_map(%[[IMAGE:[^,]*]], {{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32) -> ()
// CHECK: llvm.store %[[IMAGE]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: llvm.call @tessera_rt_launch
func.func @host(%g: !gmem, %bar: !cute.ptr<i64, smem>, %n: i32, %s: !smem, %stream: !cuda.stream) {
  %layout = cute.static : !cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">
  %map = cute.static : !cute.layout<"(64,64):(1@0,1@1)">
  %tma, %coords = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %layout, %map) <{kind = <sm_90> num_multicast = 1 tma_format = <F16_RN>}>
    : (!gmem, !cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">, !cute.layout<"(64,64):(1@0,1@1)">) -> (!ne, !coords)
  %bytes = arith.constant 16384 : i64
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %n, %n), dynamicSmemBytes = %bytes, gridDim = (%n, %n, %n), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  %done = cuda.launch_ex @kernels::@load<%config> (%tma, %bar, %n, %n, %s) : !cuda.launch_cfg<max_attrs = 1>, (!ne, !cute.ptr<i64, smem>, i32, i32, !smem) -> !cuda.result
  return
}

// -----

gpu.module @kernels {
  // A call makes ptxas wait for every product of a warpgroup, so that an assertion beside one traps.
  // CHECK-LABEL: llvm.func @asserted
  // CHECK-NOT: __assertfail
  // CHECK: llvm.intr.trap
  cuda.kernel @asserted(%c: i1, %d: i64) attributes {cute.kernel, gpu.kernel} {
    cf.assert %c, "never"
    %f = arith.constant 0.0 : f32
    %t = arith.constant true
    %p = builtin.unrealized_conversion_cast %d : i64 to !cute_nvgpu.smem_desc
    %0:4 = cute_nvgpu.arch.mma.SM90 A[%p] B[%p] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
      : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
    cuda.return
  }
  // An scf.if whose results nobody takes goes with what is in it (once freed twice).
  // EXPAND-LABEL: cuda.kernel @unused
  // EXPAND-NOT: scf.if
  // EXPAND: return
  cuda.kernel @unused(%c: i1, %i: i32) attributes {cute.kernel, gpu.kernel} {
    %x = scf.if %c -> (i32) {
      %y = arith.addi %i, %i : i32
      scf.yield %y : i32
    } else {
      scf.yield %i : i32
    }
    cuda.return
  }
}

// -----

// The part of a block of a multicast begins at an offset that a swizzle is applied to. TMA swizzles by the address, so what counts is the offset itself.
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,64):(1@1,1@0)">>
!box = !cute.coord_tensor<"(0,0)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, "S<3,4,3> o ?{div=2048} o ((4096,1)):((1,0))">
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @part(
  // CHECK: %[[OFFSET:.*]] = llvm.mul %{{.*}}, %{{.*}} : i32
  // CHECK: %[[PART:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
  // CHECK: %[[BITS:.*]] = llvm.ptrtoint %[[PART]]
  // CHECK: %[[DST:.*]] = llvm.inttoptr %[[BITS]] : i32 to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DST]]
  cuda.kernel @part(%in: !ne, %p: !cute.ptr<f16, smem, align<1024>>, %bar: !cute.ptr<i64, smem>, %mask: i16, %rank: i32, %box: !box) attributes {cute.kernel, gpu.kernel} {
    %load = cute_nvgpu.atom.make_exec_tma(%in) : (!ne) -> !ex
    %1 = cute_nvgpu.atom.set_value(%load, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
    %2 = cute_nvgpu.atom.set_value(%1, %mask : i16) {field = #cute_nvgpu.atom_copy_field_tmaload<mcast_mask>} : !ex
    %step = arith.constant 2048 : i32
    %far = arith.muli %rank, %step : i32
    %offset = cute.make_int_tuple(%far) : (i32) -> !cute.int_tuple<"?{div=2048}">
    %swizzle = cute.static : !cute.swizzle<"S<3,4,3>">
    %outer = cute.static : !cute.layout<"((4096,1)):((1,0))">
    %layout = cute.make_composed_layout(%swizzle, %offset, %outer) : (!cute.swizzle<"S<3,4,3>">, !cute.int_tuple<"?{div=2048}">, !cute.layout<"((4096,1)):((1,0))">) -> !cute.composed_layout<"S<3,4,3> o ?{div=2048} o ((4096,1)):((1,0))">
    %s = cute.make_view(%p, %layout) : (!cute.ptr<f16, smem, align<1024>>, !cute.composed_layout<"S<3,4,3> o ?{div=2048} o ((4096,1)):((1,0))">) -> !smem
    cute.copy(%2, %box, %s) : (!ex, !box, !smem)
    cuda.return
  }
}
