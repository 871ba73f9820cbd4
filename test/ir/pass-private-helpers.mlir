// Private functions of a gpu.module: they go where they are inlined or not used; the others stay for who links to them.
// RUN: tessera compile %s --arch sm_90a --no-cache -o - | FileCheck %s
// RUN: tessera-opt %s --convert-cute-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-NOT: inlined
// CHECK-NOT: unused
// CHECK: .visible .func {{.*}}public(
// CHECK: .visible .entry k(
// CHECK-NOT: .func

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // LLVM: llvm.func internal @inlined
    func.func private @inlined(%l: !cute.layout<"(?,8):(8,1)">, %c: !cute.coord<"(?,?)">) -> (!cute.int_tuple<"?">, i32) {
      %r = cute.crd2idx(%c, %l) : (!cute.coord<"(?,?)">, !cute.layout<"(?,8):(8,1)">) -> !cute.int_tuple<"?">
      %k = arith.constant 2 : i32
      return %r, %k : !cute.int_tuple<"?">, i32
    }
    // LLVM: llvm.func internal @unused
    func.func private @unused(%m: !cute.memref<f32, gmem, "(?,8):(8,1)">, %c: !cute.coord<"(?,?)">) {
      %v = cute.memref.load(%m, %c) : (!cute.memref<f32, gmem, "(?,8):(8,1)">, !cute.coord<"(?,?)">) -> f32
      cute.memref.store(%m, %c, %v) : (!cute.memref<f32, gmem, "(?,8):(8,1)">, !cute.coord<"(?,?)">, f32) -> ()
      return
    }
    // LLVM: llvm.func @public
    func.func @public(%x: i32) -> i32 {
      %y = arith.addi %x, %x : i32
      return %y : i32
    }
    // Only declared: it is somewhere else.
    // LLVM: llvm.func @elsewhere
    func.func private @elsewhere(i32)
    // LLVM: llvm.func @k
    cuda.kernel @k(%m: !cute.memref<f32, gmem, "(?,8):(8,1)">, %out: !llvm.ptr<1>) attributes {cute.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%t, %t) : (i32, i32) -> !cute.coord<"(?,?)">
      %l = cute.get_layout(%m) : !cute.memref<f32, gmem, "(?,8):(8,1)">
      %i:2 = func.call @inlined(%l, %c) : (!cute.layout<"(?,8):(8,1)">, !cute.coord<"(?,?)">) -> (!cute.int_tuple<"?">, i32)
      %n = cute.get_scalars(%i#0) : !cute.int_tuple<"?">
      llvm.store %n, %out : i32, !llvm.ptr<1>
      return
    }
  }
}
