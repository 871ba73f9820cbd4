// Loads and stores of a stated direction are plain ones as wide as the atom says, without what it says of caches.
// RUN: tessera-opt %s --cute-expand-ops --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s

!g = !cute.memref<f32, gmem, align<16>, "4:1">
!s = !cute.memref<f32, smem, align<16>, "4:1">
!r = !cute.memref<f32, rmem, align<16>, "4:1">

// CHECK-LABEL: llvm.func @global
func.func @global(%g: !g, %h: !g, %r: !r) {
  %load = cute.make_atom() : () -> !cute_nvgpu.atom.g2r<f32 copy_bits = 128 load_cache_mode = streaming invariant = true>
  %store = cute.make_atom() : () -> !cute_nvgpu.atom.r2g<f32 copy_bits = 64>
  // CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xi32>
  cute.copy_atom_call(%load, %g, %r) : (!cute_nvgpu.atom.g2r<f32 copy_bits = 128 load_cache_mode = streaming invariant = true>, !g, !r)
  // CHECK-COUNT-2: llvm.store {{.*}} : vector<2xi32>, !llvm.ptr<1>
  cute.copy_atom_call(%store, %r, %h) : (!cute_nvgpu.atom.r2g<f32 copy_bits = 64>, !r, !g)
  return
}

// CHECK-LABEL: llvm.func @shared
func.func @shared(%s: !s, %t: !s, %r: !r) {
  %load = cute.make_atom() : () -> !cute_nvgpu.atom.s2r<f32 copy_bits = 128>
  %store = cute.make_atom() : () -> !cute_nvgpu.atom.r2s<f32 copy_bits = 128>
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
  cute.copy_atom_call(%load, %s, %r) : (!cute_nvgpu.atom.s2r<f32 copy_bits = 128>, !s, !r)
  // CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
  cute.copy_atom_call(%store, %r, %t) : (!cute_nvgpu.atom.r2s<f32 copy_bits = 128>, !r, !s)
  return
}
