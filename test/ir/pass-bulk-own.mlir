// SM120 has no clusters: a bulk copy names the block's own memory, as ptxas 13.0 calls a function for .shared::cluster.
// RUN: tessera compile %s --arch sm_120a --no-cache --no-line-info | FileCheck %s --check-prefix=OWN
// RUN: tessera compile %s --arch sm_100a --no-cache --no-line-info | FileCheck %s --check-prefix=CLUSTER
// OWN: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes
// CLUSTER: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes

gpu.module @m {
  cuda.kernel @k(%g: !cute.ptr<i8, gmem, align<16>>) attributes {cute.kernel, gpu.kernel} {
    %s = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<128>>
    %o = cute.static : !cute.int_tuple<"1024">
    %e = cute.add_offset(%s, %o) : (!cute.ptr<i8, smem, align<128>>, !cute.int_tuple<"1024">) -> !cute.ptr<i8, smem, align<8>>
    %b = cute.recast_iter(%e) : !cute.ptr<i8, smem, align<8>> to !cute.ptr<i64, smem, align<8>>
    cute_nvgpu.arch.copy.SM90.bulk_copy_g2s(%s, %g, %b) {bytes = 256 : i32} : (!cute.ptr<i8, smem, align<128>>, !cute.ptr<i8, gmem, align<16>>, !cute.ptr<i64, smem, align<8>>)
    return
  }
}
