// What a stride of 1/2@0 prints: the fraction.
// RUN: tessera-opt %s --tessera-lower=arch=sm_90a | FileCheck %s
// CHECK: (0,0) o (512,2):(1/2@0,1@1)
!c = !cute.coord_tensor<"(0,0)", "(512,2):(1/2@0,1@1)">
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%c: !c) attributes {cute.kernel} {
      cute.print("kernel {}\0A", %c) : !c
      return
    }
  }
}
