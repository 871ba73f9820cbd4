// Kernels that move registers between warps (setmaxnreg) and load by TMA: what ptxas needs so as not to leave setmaxnreg out, on each target.
// RUN: tessera compile %s --arch sm_90a --no-cache --no-line-info | FileCheck %s --check-prefixes=CHECK,CLUSTER --implicit-check-not=__assertfail
// RUN: tessera compile %s --arch sm_120a --no-cache --no-line-info | FileCheck %s --check-prefixes=CHECK,OWN --implicit-check-not=__assertfail
// Neither setmaxnreg nor a product of a warpgroup: the assertion says its message.
// RUN: sed 's/nvvm.setmaxregister .*//' %s > %t.mlir
// RUN: tessera compile %t.mlir --arch sm_120a --no-cache --no-line-info | FileCheck %s --check-prefix=CALM --implicit-check-not=.minnctapersm

// The registers at entry are known (C7508), and there is no call: not of __assertfail, and none that ptxas puts for shared::cluster on
// a target without clusters (C7506).
// CHECK: .entry moves(
// CHECK: .minnctapersm 1
// CHECK: setmaxnreg.dec.sync.aligned.u32 40;
// CLUSTER: cp.async.bulk.tensor.2d.shared::cluster.global
// OWN: cp.async.bulk.tensor.2d.shared::cta.global
// CHECK: trap;
// CALM: __assertfail
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @moves(%desc: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %bar: !cute.ptr<i64, smem>, %i: i32) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      nvvm.setmaxregister decrease 40
      cute_nvgpu.arch.copy.SM100.tma_load(%desc, %s, %bar, [%i, %i]) {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
      %zero = arith.constant 0 : i32
      %good = arith.cmpi sge, %i, %zero : i32
      cf.assert %good, "i is negative"
      return
    }
  }
}
