// What is written as one call of a copy atom and is several becomes so many, under its own predicates; a product whose C is not D adds to C
// once. test/sim/atoms.py has the numbers.
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops | FileCheck %s
// RUN: not tessera-opt %s --split-input-file --cute-expand-ops 2>&1 | FileCheck %s --check-prefix=SUGAR
// SUGAR: error: 'cute.copy_atom_call' op is several calls, which --cute-desugar separates: run it before

// CHECK-LABEL: @values
// CHECK-COUNT-2: cute_nvgpu.arch.copy.ldsm
// CHECK-NOT: cute_nvgpu.arch.copy.ldsm
!ldsm = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
!rows = !cute.memref<f16, smem, align<16>, "((8,2)):((1,64))">
!eight = !cute.memref<f16, rmem, align<16>, "((8,2)):((1,8))">
func.func @values(%s: !rows, %d: !eight) {
  %a = cute.make_atom() : () -> !ldsm
  cute.copy_atom_call(%a, %s, %d) : (!ldsm, !rows, !eight)
  return
}

// Two runs of eight bytes for each of two rows.
// CHECK-LABEL: @rest
// CHECK-COUNT-4: cute_nvgpu.arch.copy.SM80.cp_async
// CHECK-NOT: cute_nvgpu.arch.copy.SM80.cp_async
!cp = !cute_nvgpu.atom.simt_async_copy<f16, cache = always, 64 b>
!from = !cute.memref<f16, gmem, align<16>, "((4,2),2):((1,64),256)">
!to = !cute.memref<f16, smem, align<16>, "((4,2),2):((1,8),64)">
func.func @rest(%s: !from, %d: !to) {
  %a = cute.make_atom() : () -> !cp
  cute.copy_atom_call(%a, %s, %d) : (!cp, !from, !to)
  return
}

// Each of two elements asks its own predicate.
// CHECK-LABEL: @predicates
// CHECK-COUNT-2: scf.if
// CHECK-NOT: scf.if
!one = !cute_nvgpu.atom.universal_copy<f32>
!pair = !cute.memref<f32, gmem, align<16>, "(2):(1)">
!two = !cute.memref<f32, rmem, align<16>, "(2):(1)">
!mask = !cute.memref<i8, rmem, align<4>, "(2):(1)">
func.func @predicates(%s: !pair, %d: !two, %p: !mask) {
  %a = cute.make_atom() : () -> !one
  cute.copy_atom_call(%a, %s, %d, %p) : (!one, !pair, !two, !mask)
  return
}

// Of an atom that has no predicate of its own, nothing happens where it is false.
// CHECK-LABEL: @matrices
// CHECK: scf.if
// CHECK-NEXT: cute_nvgpu.arch.copy.ldsm
!once = !cute.memref<i8, rmem, align<4>, "(1):(0)">
!row = !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">
!regs = !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">
func.func @matrices(%s: !row, %d: !regs, %p: !once) {
  %a = cute.make_atom() : () -> !ldsm
  cute.copy_atom_call(%a, %s, %d, %p) : (!ldsm, !row, !regs, !once)
  return
}

// -----

// C is read for the first half of K, D for the second.
// CHECK-LABEL: @addend
// CHECK-SAME: %[[C:arg[0-9]+]]: !cute.memref<f32, rmem, align<16>, "((2,2),1,1):((1,2),0,0)">, %[[D:arg[0-9]+]]:
// CHECK-DAG: %[[CP:.*]] = cute.get_iter(%[[C]])
// CHECK-DAG: %[[DP:.*]] = cute.get_iter(%[[D]])
// CHECK-COUNT-4: cute.ptr.load(%[[CP]])
// CHECK: %[[FIRST:.*]]:4 = cute_nvgpu.arch.mma.SM80
// CHECK-NOT: cute.ptr.load(%[[CP]])
// CHECK: cute_nvgpu.arch.mma.SM80 {{.*}} C[
// CHECK-NOT: cute_nvgpu.arch.mma.SM80
!mma = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!fa = !cute.memref<f16, rmem, align<16>, "((2,2,2),1,2):((1,2,4),0,8)">
!fb = !cute.memref<f16, rmem, align<16>, "((2,2),1,2):((1,2),0,4)">
!fc = !cute.memref<f32, rmem, align<16>, "((2,2),1,1):((1,2),0,0)">
func.func @addend(%a: !fa, %b: !fb, %c: !fc, %d: !fc) {
  %m = cute.make_atom() : () -> !mma
  cute.gemm(%m, %d, %a, %b, %c) : (!mma, !fc, !fa, !fb, !fc)
  return
}
