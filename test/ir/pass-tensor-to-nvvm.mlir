// Tensor memory: addresses are integers whose unit is a column, its life are NVVM ops, the rest is inline PTX.
// RUN: tessera-opt %s --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm --reconcile-unrealized-casts | FileCheck %s

// An element of 16 bits is half a column: offsets are rotated right by one, of 8 bits by two.
// CHECK-LABEL: llvm.func @offsets
// CHECK-SAME: (%[[F:.*]]: i32, %[[H:.*]]: i32, %[[B:.*]]: i32, %[[N:.*]]: i32)
func.func @offsets(%f: !cute.ptr<f32, tmem>, %h: !cute.ptr<f16, tmem>, %b: !cute.ptr<f8E4M3FN, tmem>, %n: i32)
    -> (!cute.ptr<f32, tmem>, !cute.ptr<f16, tmem>, !cute.ptr<f16, tmem>, !cute.ptr<f8E4M3FN, tmem>, !cute.ptr<f32, tmem>) {
  %lane = cute.static : !cute.int_tuple<"65544">
  %half = cute.static : !cute.int_tuple<"131073">
  %byte = cute.static : !cute.int_tuple<"7">
  %d = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<"?">
  // CHECK-DAG: %[[C0:.*]] = arith.constant 65544 : i32
  // CHECK-DAG: arith.addi %[[F]], %[[C0]] : i32
  %0 = cute.add_offset(%f, %lane) : (!cute.ptr<f32, tmem>, !cute.int_tuple<"65544">) -> !cute.ptr<f32, tmem>
  // Lane 1, and the upper half of column 0.
  // CHECK-DAG: %[[C1:.*]] = arith.constant -2147418112 : i32
  // CHECK-DAG: arith.addi %[[H]], %[[C1]] : i32
  %1 = cute.add_offset(%h, %half) : (!cute.ptr<f16, tmem>, !cute.int_tuple<"131073">) -> !cute.ptr<f16, tmem>
  // CHECK-DAG: %[[C2:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[R:.*]] = llvm.intr.fshr(%[[N]], %[[N]], %[[C2]])
  // CHECK-DAG: arith.addi %[[H]], %[[R]] : i32
  %2 = cute.add_offset(%h, %d) : (!cute.ptr<f16, tmem>, !cute.int_tuple<"?">) -> !cute.ptr<f16, tmem>
  // Byte 3 of column 1.
  // CHECK-DAG: %[[C3:.*]] = arith.constant -1073741823 : i32
  // CHECK-DAG: arith.addi %[[B]], %[[C3]] : i32
  %3 = cute.add_offset(%b, %byte) : (!cute.ptr<f8E4M3FN, tmem>, !cute.int_tuple<"7">) -> !cute.ptr<f8E4M3FN, tmem>
  // CHECK-DAG: arith.addi %[[F]], %[[N]] : i32
  %4 = cute.add_offset(%f, %d) : (!cute.ptr<f32, tmem>, !cute.int_tuple<"?">) -> !cute.ptr<f32, tmem>
  return %0, %1, %2, %3, %4 : !cute.ptr<f32, tmem>, !cute.ptr<f16, tmem>, !cute.ptr<f16, tmem>, !cute.ptr<f8E4M3FN, tmem>, !cute.ptr<f32, tmem>
}

// CHECK-LABEL: llvm.func @integers
// CHECK-SAME: (%[[T:.*]]: i32, %[[I:.*]]: i64) -> !llvm.struct<(i32, i64, i32)>
func.func @integers(%t: !cute.ptr<f32, tmem>, %i: i64) -> (i32, i64, !cute.ptr<f32, tmem>) {
  %0 = cute.ptrtoint(%t) : !cute.ptr<f32, tmem> to i32
  // CHECK: arith.extui %[[T]] : i32 to i64
  %1 = cute.ptrtoint(%t) : !cute.ptr<f32, tmem> to i64
  // CHECK: arith.trunci %[[I]] : i64 to i32
  %2 = cute.inttoptr(%i) : i64 to !cute.ptr<f32, tmem>
  return %0, %1, %2 : i32, i64, !cute.ptr<f32, tmem>
}

// CHECK-LABEL: llvm.func @life
// CHECK-SAME: (%[[S:.*]]: !llvm.ptr<3>, %[[N:.*]]: i32)
func.func @life(%s: !cute.ptr<i32, smem>, %n: i32) {
  // CHECK: nvvm.tcgen05.alloc %[[S]], %[[N]] : !llvm.ptr<3>, i32
  cute_nvgpu.arch.sm100.alloc_tmem(%n, %s) [ cta_1] : i32, !cute.ptr<i32, smem>
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit
  cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_1]
  // CHECK: %[[T:.*]] = llvm.load %[[S]] {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[T]] : i32 to !llvm.ptr<6>
  // CHECK: nvvm.tcgen05.dealloc %[[P]], %[[N]] : !llvm.ptr<6>, i32
  cute_nvgpu.arch.sm100.dealloc_tmem(%t, %n) [ cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
  // CHECK: nvvm.tcgen05.alloc %{{.*}} {group = #nvvm.cta_group<cta_2>}
  cute_nvgpu.arch.sm100.alloc_tmem(%n, %s) [cta_2] : i32, !cute.ptr<i32, smem>
  return
}

// CHECK-LABEL: llvm.func @copies
// CHECK-SAME: (%[[T:.*]]: i32, %[[V:.*]]: vector<4xi32>)
func.func @copies(%t: !cute.ptr<f32, tmem>, %v: vector<4xi32>) {
  // CHECK: llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %[[T]] : (i32) -> i32
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32} : (!cute.ptr<f32, tmem>) -> i32
  // CHECK: llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.16x256b.x1.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r" %[[T]]
  %1 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 256 : i32, num_dp = 16 : i32, num_rep = 1 : i32} : (!cute.ptr<f32, tmem>) -> vector<4xi32>
  // The second half of the lanes reads the columns after those of the first.
  // CHECK: "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {$0, $1}, [$2], 2;"
  %2 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 16 : i32, num_rep = 2 : i32} : (!cute.ptr<f32, tmem>) -> vector<2xi32>
  // CHECK: "tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32 {$0, $1}, [$2], 4;"
  %3 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 16 : i32, num_rep = 2 : i32, pack16b} : (!cute.ptr<f32, tmem>) -> vector<2xi32>
  // CHECK: %[[E:.*]]:4 = vector.to_elements %[[V]]
  // CHECK: "tcgen05.st.sync.aligned.16x128b.x2.unpack::16b.b32 [$0], {$1, $2, $3, $4};", "r,r,r,r,r" %[[T]], %[[E]]#0, %[[E]]#1, %[[E]]#2, %[[E]]#3
  cute_nvgpu.arch.copy.SM100.tmem_store(%t, %v) {num_b = 128 : i32, num_dp = 16 : i32, num_rep = 2 : i32, pack16b} : (!cute.ptr<f32, tmem>, vector<4xi32>)
  return
}

// What is found of a lane is one register more.
// CHECK-LABEL: llvm.func @reductions
func.func @reductions(%t: !cute.ptr<f32, tmem>) {
  // CHECK: llvm.inline_asm has_side_effects "tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.NaN.f32 {$0, $1}, $2, [$3];", "=f,=f,=f,r" %{{.*}} : (i32) -> !llvm.struct<(f32, f32, f32)>
  %0, %1 = cute_nvgpu.arch.copy.SM100.tmem_load_red(%t) {type = f32, num_b = 32 : i32, num_dp = 32 : i32, num_rep = 2 : i32, magnitude, nan} : (!cute.ptr<f32, tmem>) -> (vector<2xi32>, i32)
  // CHECK: "tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.s32 {$0, $1}, $2, [$3], 7;", "=r,=r,=r,r"
  %2, %3 = cute_nvgpu.arch.copy.SM100.tmem_load_red(%t) {type = i32, num_b = 32 : i32, num_dp = 16 : i32, num_rep = 2 : i32, smallest, half_split = 7 : i32} : (!cute.ptr<f32, tmem>) -> (vector<2xi32>, i32)
  return
}

// One lane copies to tensor memory, and of a pair that of the CTA of even rank.
// CHECK-LABEL: llvm.func @from_shared
func.func @from_shared(%a: !cute_nvgpu.smem_desc, %t: !cute.ptr<f8E8M0FNU, tmem>) {
  // CHECK: nvvm.elect.sync
  // CHECK: "{ .reg .b64 %desc1; mov.b64 %desc1, {$1, $2}; tcgen05.cp.cta_group::1.32x128b.warpx4 [$0], %desc1; }", "r,r,r"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<x4>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 32 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  // CHECK: "{{.*}}tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [$0], %desc1; }"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<lw_0213>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 64 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  // CHECK: "{{.*}}tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [$0], %desc1; }"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<lw_0123>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 64 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  // CHECK: "{{.*}}tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [$0], %desc1; }"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<none>, format = #cute_nvgpu.packed_format<b4x16_p64>, num_b = 256 : i32, num_cta = 1 : i32, num_dp = 128 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  // CHECK: "{{.*}}tcgen05.cp.cta_group::1.128x128b [$0], %desc1; }"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<none>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 128 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
  // CHECK: %[[LOW:.*]] = llvm.and %[[RANK]], %{{.*}} : i32
  // CHECK: %[[EVEN:.*]] = llvm.icmp "eq" %[[LOW]], %{{.*}} : i32
  // CHECK: llvm.cond_br %[[EVEN]], ^[[LEADER:.*]], ^[[ALL:.*]]
  // CHECK: ^[[LEADER]]:
  // CHECK: nvvm.elect.sync
  // CHECK: "{{.*}}tcgen05.cp.cta_group::2.4x256b.b8x16.b6x16_p32 [$0], %desc1; }"
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %t) {broadcast = #cute_nvgpu.broadcast<none>, format = #cute_nvgpu.packed_format<b6x16_p32>, num_b = 256 : i32, num_cta = 2 : i32, num_dp = 4 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<f8E8M0FNU, tmem>)
  return
}

// One lane issues a product for the warp. Descriptors are put together where they are used.
// CHECK-LABEL: llvm.func @products
// CHECK-SAME: (%[[A:.*]]: i64, %[[T:.*]]: i32, %[[D:.*]]: i32, %[[I:.*]]: i32, %[[C:.*]]: i1)
func.func @products(%a: !cute_nvgpu.smem_desc, %t: !cute.ptr<f16, tmem>, %d: !cute.ptr<f32, tmem>, %i: i32, %c: i1) {
  // CHECK: %[[E:.*]] = nvvm.elect.sync -> i1
  // CHECK: llvm.cond_br %[[E]], ^[[ONE:.*]], ^[[ALL:.*]]
  // CHECK: ^[[ONE]]:
  // CHECK: %[[LOW:.*]] = llvm.trunc %[[A]] : i64 to i32
  // CHECK: %[[UP:.*]] = llvm.lshr %[[A]], %{{.*}} : i64
  // CHECK: %[[HIGH:.*]] = llvm.trunc %[[UP]] : i64 to i32
  // CHECK: llvm.inline_asm has_side_effects "{ .reg .b64 %desc1; mov.b64 %desc1, {$1, $2}; .reg .b64 %desc2; mov.b64 %desc2, {$3, $4}; tcgen05.mma.cta_group::1.kind::f16 [$0], %desc1, %desc2, $5, $6; }", "r,r,r,r,r,r,b" %[[D]], %[[LOW]], %[[HIGH]], %{{.*}}, %{{.*}}, %[[I]], %[[C]]
  // CHECK: llvm.br ^[[ALL]]
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  // CHECK: tcgen05.mma.cta_group::2.kind::f16 [$0], [$1], %desc1, $4, $5, 3; }", "r,r,r,r,r,b" %[[D]], %[[T]]
  cute_nvgpu.arch.mma.SM100.umma(%t, %a, %d, %i, %c) {a_type = f16, num_cta = 2 : i32, scale = 3 : i32} : (!cute.ptr<f16, tmem>, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::tf32 [$0], %desc1, %desc2, $5, $6; }"
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = tf32, num_cta = 1 : i32, scale = 0 : i32, weight_stationary} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::tf32.collector::b2::fill [$0], %desc1, %desc2, $5, $6; }"
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = tf32, num_cta = 1 : i32, scale = 0 : i32, weight_stationary, collector_a = #cute_nvgpu.collector_op<fill>, collector_buffer = 2 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  // CHECK: tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::lastuse [$0], %desc1, %desc2, $5, $6; }"
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f8E5M2, num_cta = 1 : i32, scale = 0 : i32, collector_a = #cute_nvgpu.collector_op<lastuse>} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  return
}

// Lanes of D that stay: words between the instruction descriptor and the predicate, 4 for each block. PTX ISA 9.7.16.10.9.
// CHECK-LABEL: llvm.func @lanes
// CHECK-SAME: (%{{[a-z0-9]+}}: i64, %[[D:[a-z0-9]+]]: i32, {{.*}}%[[W:[a-z0-9]+]]: vector<4xi32>, %[[P:[a-z0-9]+]]: vector<8xi32>)
func.func @lanes(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem>, %i: i32, %c: i1, %w: vector<4xi32>, %p: vector<8xi32>) {
  // CHECK: %[[X:.*]]:4 = vector.to_elements %[[W]]
  // CHECK: tcgen05.mma.cta_group::1.kind::tf32 [$0], %desc1, %desc2, $5, {$6, $7, $8, $9}, $10, 2; }", "r,r,r,r,r,r,r,r,r,r,b" %[[D]], {{.*}}, %[[X]]#0, %[[X]]#1, %[[X]]#2, %[[X]]#3, %{{.*}} :
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c, %w) {a_type = tf32, num_cta = 1 : i32, scale = 2 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, vector<4xi32>)
  // CHECK: tcgen05.mma.cta_group::2.kind::f16 [$0], %desc1, %desc2, $5, {$6, $7, $8, $9, $10, $11, $12, $13}, $14; }"
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c, %p) {a_type = f16, num_cta = 2 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, vector<8xi32>)
  return
}

// Constant steps from one descriptor to the next are added where they are used.
// CHECK-LABEL: llvm.func @steps
func.func @steps(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem>, %i: i32, %c: i1) {
  %two = cute.static : !cute.int_tuple<"2">
  %next = cute.add_offset(%a, %two) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  %last = cute.add_offset(%next, %two) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  // CHECK: "{ .reg .b32 %low1; add.s32 %low1, $1, 2; .reg .b64 %desc1; mov.b64 %desc1, {%low1, $2}; .reg .b32 %low2; add.s32 %low2, $3, 4; .reg .b64 %desc2; mov.b64 %desc2, {%low2, $4}; tcgen05.mma
  cute_nvgpu.arch.mma.SM100.umma(%next, %last, %d, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  return
}

// Metadata, then the instruction descriptor, then scale factors, whose byte goes from the address into the descriptor.
!factors = !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">
!halves = !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">
// CHECK-LABEL: llvm.func @others
// CHECK-SAME: (%[[A:[a-z0-9]+]]: i64, %[[D:[a-z0-9]+]]: i32, %[[I:[a-z0-9]+]]: i32, %[[C:[a-z0-9]+]]: i1, %[[E:[a-z0-9]+]]: i32, %[[SA:[a-z0-9]+]]: !llvm.struct<{{.*}}, %[[SB:[a-z0-9]+]]: !llvm.struct<{{.*}}, %{{[a-z0-9]+}}: !llvm.struct
func.func @others(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem>, %i: i32, %c: i1, %e: !cute.ptr<i8, tmem>, %sa: !factors, %sb: !factors, %ha: !halves) {
  // The lowest bit of where metadata of f16 are is the descriptor's selector, as in CUTLASS' mma_traits_sm100.hpp.
  // CHECK: %[[LOW:.*]] = llvm.and %[[E]], %{{.*}} : i32
  // CHECK: %[[WORD:.*]] = llvm.or %[[I]], %[[LOW]]
  // CHECK: %[[EVEN:.*]] = llvm.and %[[E]], %{{.*}} : i32
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::f16 [$0], %desc1, %desc2, [$5], $6, $7; }", "r,r,r,r,r,r,r,b" %[[D]], {{.*}}, %[[EVEN]], %[[WORD]], %[[C]]
  cute_nvgpu.arch.mma.SM100.umma_sparse(%a, %a, %d, %i, %c, %e) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !cute.ptr<i8, tmem>)
  // CHECK-DAG: %[[AA:.*]] = llvm.extractvalue %[[SA]][0]
  // CHECK-DAG: %[[BB:.*]] = llvm.extractvalue %[[SB]][0]
  // CHECK: %[[IA:.*]] = llvm.lshr %[[AA]]
  // CHECK: %[[PA:.*]] = llvm.shl %[[IA]]
  // CHECK: %[[W:.*]] = llvm.or %[[I]], %[[PA]]
  // CHECK: %[[IB:.*]] = llvm.lshr %[[BB]]
  // CHECK: %[[PB:.*]] = llvm.shl %[[IB]]
  // CHECK: %[[WORD:.*]] = llvm.or %[[W]], %[[PB]]
  // CHECK: %[[CA:.*]] = llvm.and %[[AA]]
  // CHECK: %[[CB:.*]] = llvm.and %[[BB]]
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [$0], %desc1, %desc2, $5, [$6], [$7], $8; }", "r,r,r,r,r,r,r,r,b" %[[D]], {{.*}}, %[[WORD]], %[[CA]], %[[CB]], %[[C]]
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !factors, !factors)
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [$0], %desc1, %desc2, $5, [$6], [$7], $8; }"
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %ha, %ha) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !halves, !halves)
  return
}

// Metadata come before the instruction descriptor, factors after it.
!wide = !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,1)):(((262144,4),8388608),(0,0))">
// CHECK-LABEL: llvm.func @both
func.func @both(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem>, %i: i32, %c: i1, %e: !cute.ptr<i8, tmem>, %sf: !wide) {
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale [$0], %desc1, %desc2, [$5], $6, [$7], [$8], $9; }", "r,r,r,r,r,r,r,r,r,b"
  cute_nvgpu.arch.mma.SM100.umma_block_scaled_sparse(%a, %a, %d, %i, %c, %e, %sf, %sf) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !cute.ptr<i8, tmem>, !wide, !wide)
  return
}

// CHECK-LABEL: llvm.func @descriptor
// CHECK-SAME: (%[[S:.*]]: !llvm.ptr<3>) -> i64
func.func @descriptor(%s: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc {
  // Rows of 128 bytes, 8 of them 1024 bytes: 0x4000404000010000.
  // CHECK: llvm.mlir.constant(4611756662049538048 : i64)
  %0 = cute_nvgpu.make_umma_smem_desc(%s) {layout = #cute.layout<"((128,16),1,4):((64,1),0,16)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return %0 : !cute_nvgpu.smem_desc
}
