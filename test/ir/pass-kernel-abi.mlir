// The kernel-entry ABI: kernels are marked for NVVM, a tensor map comes by value, aligned to 64, in constant space.
// RUN: tessera-opt %s --split-input-file --cute-kernel-to-nvvm --verify-diagnostics | FileCheck %s

gpu.module @m {
  // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = {{.*}}, nvvm.grid_constant}, %{{.*}}: i32)
  // CHECK-NOT: cute.kernel
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 128>
  llvm.func @k(%d: !llvm.ptr {cute_nvgpu.grid_constant}, %n: i32) attributes {cute.kernel, nvvm.reqntid = array<i32: 128>} {
    llvm.return
  }
  // CHECK: llvm.func @g() attributes {nvvm.kernel}
  llvm.func @g() attributes {gpu.kernel} {
    llvm.return
  }
  // A function without the mark is none.
  // CHECK: llvm.func @helper(%{{.*}}: i32) {
  llvm.func @helper(%n: i32) {
    llvm.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects type conversion before the kernel ABI is fixed: run --convert-cute-to-llvm before --cute-kernel-to-nvvm}}
  cuda.kernel @k(%n: i32) attributes {cute.kernel} {
    return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects a pointer for argument 1, which is marked cute_nvgpu.grid_constant, but got 'i32'; pass the aggregate by address}}
  llvm.func @k(%p: !llvm.ptr, %n: i32 {cute_nvgpu.grid_constant}) attributes {cute.kernel} {
    llvm.return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects type conversion before the kernel ABI is fixed: run --convert-cute-to-llvm before --cute-kernel-to-nvvm}}
  func.func @k(%n: i32) attributes {cute.kernel} {
    return
  }
}

// -----

// expected-error @+1 {{expects type conversion before the kernel ABI is fixed}}
func.func @k(%n: i32) attributes {cute.kernel} {
  return
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects type conversion before the kernel ABI is fixed}}
  gpu.func @k(%n: i32) kernel {
    gpu.return
  }
}
