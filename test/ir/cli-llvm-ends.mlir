// RUN: %exits 2 tessera compile %s --arch sm_90a --no-cache -o /dev/null 2>&1 | FileCheck %s
// What ends LLVM's back end is an error of the file, at its place, and not the end of the process. LLVM 22.1 cannot select this op on a barrier
// of another CTA.

// CHECK: cli-llvm-ends.mlir:10:3: error: LLVM cannot compile this for sm_90a: Cannot select: intrinsic %llvm.nvvm.mbarrier.arrive.relaxed
// CHECK-SAME: (kernels: @k)
// CHECK: the module cannot be compiled to PTX, see above
!p = !llvm.ptr<3>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%rank: i32) attributes {cute.kernel} {
      %smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
      %here = builtin.unrealized_conversion_cast %smem : !cute.ptr<i8, smem, align<1024>> to !p
      %there = nvvm.mapa %here, %rank : !p -> !llvm.ptr<7>
      nvvm.mbarrier.arrive %there {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      return
    }
  }
}
