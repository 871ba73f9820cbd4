// A gpu.module gets the least PTX version that the target and all of its instructions need; LLVM selects by it.
// RUN: tessera-opt %s --tessera-check-target=arch=sm_90a | FileCheck %s
// RUN: tessera compile %s --arch sm_90a --kernel relaxed --no-cache | FileCheck %s --check-prefix=PTX
// PTX: .version 8.6
// PTX: mbarrier.arrive.relaxed.cluster.shared::cluster.b64

// CHECK: gpu.module @plain attributes {tessera.ptx_version = 80 : i32, tessera.target = "sm_{{[0-9a-z]+}}"}
gpu.module @plain {
  cuda.kernel @plain() attributes {cute.kernel} {
    llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; // mbarrier.arrive.relaxed.cta.b64", "" : () -> ()
    return
  }
}
// CHECK: gpu.module @relaxed attributes {tessera.ptx_version = 86 : i32, tessera.target = "sm_{{[0-9a-z]+}}"}
gpu.module @relaxed {
  cuda.kernel @relaxed(%rank: i32) attributes {cute.kernel} {
    %smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
    %here = builtin.unrealized_conversion_cast %smem : !cute.ptr<i8, smem, align<1024>> to !llvm.ptr<3>
    %there = nvvm.mapa %here, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %there {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    return
  }
}
