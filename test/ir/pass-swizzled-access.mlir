// Accesses by a swizzled pointer state the alignment that the swizzle leaves, and take at most what it leaves together.
// RUN: tessera-opt %s --cute-expand-ops | FileCheck %s

// The pointer is aligned to 1024 bytes, but elements of it go to any multiple of 2: LLVM merges neighbours by what is stated.
// CHECK-LABEL: @alignment(
// CHECK-COUNT-4: cute.ptr.store({{.*}}) {alignment = 2 : i64
// CHECK-NOT: cute.ptr.store
// CHECK: return
!alignment_smem = !cute.memref<f16, smem, align<1024>, S<3,1,3>, "(4):(2)">
func.func @alignment(%s: !alignment_smem, %v: vector<4xf16>) {
  cute.memref.store_vec(%v, %s) : (vector<4xf16>, !alignment_smem) -> ()
  return
}

// Eight bytes stay together, not sixteen.
// CHECK-LABEL: @vectors(
// CHECK-COUNT-2: cute.ptr.store({{.*}}) {alignment = 8 : i64{{.*}}smem{{.*}}, vector<2xi32>) ->
// CHECK-NOT: cute.ptr.store
// CHECK: return
!vectors_smem = !cute.memref<f16, smem, align<1024>, S<2,3,3>, "(8):(1)">
func.func @vectors(%s: !vectors_smem, %v: vector<8xf16>) {
  cute.memref.store_vec(%v, %s) : (vector<8xf16>, !vectors_smem) -> ()
  return
}
