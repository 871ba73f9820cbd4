// One or more instructions for each feature, to try a feature's requirement with an assembler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::atom::test {

struct FeatureProbe {
  std::string_view feature, ptx;
};

// Registers: %h .b16, %r .b32, %l .b64, %f .f32, %d .f64, %q .b128, %p .pred.
inline constexpr FeatureProbe probes[] = {
    {"fma_bf16", "fma.rn.bf16x2 %r0, %r1, %r2, %r3;"},
    {"add_bf16", "add.rn.bf16x2 %r0, %r1, %r2;"},
    {"minmax_bf16", "max.bf16x2 %r0, %r1, %r2;"},
    {"f32x2", "fma.rn.f32x2 %l0, %l1, %l2, %l3;"},
    {"minmax3_f32", "max.f32 %f0, %f1, %f2, %f3;"},
    {"tanh_f32", "tanh.approx.f32 %f0, %f1;"},
    {"ex2_f16", "ex2.approx.f16x2 %r0, %r1;"},
    {"ex2_bf16", "ex2.approx.ftz.bf16x2 %r0, %r1;"},
    {"cvt_bf16", "cvt.rn.bf16x2.f32 %r0, %f0, %f1;"},
    {"cvt_tf32", "cvt.rna.tf32.f32 %r0, %f0;"},
    {"cvt_tf32_rn", "cvt.rn.tf32.f32 %r0, %f0;"},
    {"cvt_fp8", "cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;"},
    {"cvt_fp6", "cvt.rn.satfinite.e2m3x2.f32 %h0, %f0, %f1;"},
    {"cvt_fp4", "{ .reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %f0, %f1; }"},
    {"cvt_ue8m0", "cvt.rp.satfinite.ue8m0x2.f32 %h0, %f0, %f1;"},
    {"cvt_stochastic", "cvt.rs.bf16x2.f32 %r0, %f0, %f1, %r1;"},
    {"redux", "redux.sync.add.s32 %r0, %r1, 0xffffffff;"},
    {"redux_f32", "redux.sync.min.f32 %f0, %f1, 0xffffffff;"},
    {"elect", "elect.sync %r0|%p0, 0xffffffff;"},
    {"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;"},
    {"mbarrier", "mbarrier.init.shared.b64 [%l0], 1; mbarrier.arrive.shared.b64 %l1, [%l0];"},
    {"mbarrier_try_wait", "mbarrier.try_wait.shared.b64 %p0, [%l0], %l1;"},
    {"mbarrier_tx", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%l0], %r0;"},
    {"mbarrier_arrive_count", "mbarrier.arrive.shared.b64 %l1, [%l0], 2;"},
    {"mbarrier_remote", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%l0];"},
    {"cluster_barrier", "barrier.cluster.arrive.aligned;"},
    {"fence_cluster", "fence.acq_rel.cluster;"},
    {"fence_proxy_async", "fence.proxy.async.shared::cta;"},
    {"fence_proxy_tensormap", "fence.proxy.tensormap::generic.release.gpu;"},
    {"fence_mbarrier_init", "fence.mbarrier_init.release.cluster;"},
    {"cluster", "mapa.shared::cluster.u64 %l0, %l1, %r0;"},
    {"dsmem", "ld.shared::cluster.b32 %r0, [%l0];"},
    {"st_async",
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%l0], %r0, [%l1];"},
    {"red_async", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 "
                  "[%l0], %r0, [%l1];"},
    {"griddepcontrol", "griddepcontrol.wait;"},
    {"cluster_launch_control", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
                               "complete_tx::bytes.b128 [%l0], [%l1];"},
    {"cluster_launch_control_multicast",
     "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::"
     "cluster::all.b128 [%l0], [%l1];"},
    {"setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 128;"},
    {"cache_policy", "createpolicy.fractional.L2::evict_last.b64 %l0, 1.0;"},
    {"cp_async", "cp.async.ca.shared.global [%l0], [%l1], 8; cp.async.commit_group;"},
    {"cp_async_mbarrier", "cp.async.mbarrier.arrive.shared.b64 [%l0];"},
    {"ldst_256", "ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%l0];"},
    {"st_bulk", "st.bulk.weak.shared::cta [%l0], %l1, 0;"},
    {"multimem", "multimem.ld_reduce.relaxed.sys.global.add.f32 %f0, [%l0];"},
    {"atom_bf16x2", "atom.add.noftz.global.bf16x2 %r0, [%l0], %r1;"},
    {"atom_vector", "atom.add.global.v2.f32 {%f0, %f1}, [%l0], {%f2, %f3};"},
    {"atom_b128", "atom.exch.b128 %q0, [%l0], %q1;"},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%l0];"},
    {"ldmatrix_b8", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%l0];"},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%l0], {%r0};"},
    {"stmatrix_b8", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%l0], {%r0};"},
    {"bulk_copy",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%l0], [%l1], %r0, [%l2];"},
    {"bulk_copy_to_cta",
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%l0], [%l1], %r0, [%l2];"},
    {"bulk_copy_masked",
     "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%l0], [%l1], %r0, %h0;"},
    {"bulk_reduce",
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%l0], [%l1], %r0;"},
    {"tma", "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%l0], [%l1, {%r0, %r1}], [%l2];"},
    {"tma_to_cta", "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
                   "[%l0], [%l1, {%r0, %r1}], [%l2];"},
    {"tma_multicast", "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                      "bytes.multicast::cluster [%l0], [%l1, {%r0, %r1}], [%l2], %h0;"},
    {"tma_cta_group", "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                      "bytes.cta_group::2 [%l0], [%l1, {%r0, %r1}], [%l2];"},
    {"tma_gather4", "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
                    "complete_tx::bytes [%l0], [%l1, {%r0, %r1, %r2, %r3, %r4}], [%l2];"},
    {"tma_gather4_to_cta", "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
                           "complete_tx::bytes [%l0], [%l1, {%r0, %r1, %r2, %r3, %r4}], [%l2];"},
    {"tma_scatter4", "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%l1, "
                     "{%r0, %r1, %r2, %r3, %r4}], [%l0];"},
    {"tma_im2col_w", "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_"
                     "tx::bytes [%l0], [%l1, {%r0, %r1, %r2}], [%l2], {%h0, %h1};"},
    {"tensormap_replace", "tensormap.replace.tile.global_address.global.b1024.b64 [%l0], %l1;"},
    {"tensormap_cp_fenceproxy", "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
                                "release.gpu.sync.aligned [%l0], [%l1], 128;"},
    {"mma_fp8", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0,%f1,%f2,%f3}, "
                "{%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};"},
    {"mma_f8f6f4", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 "
                   "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};"},
    {"mma_block_scale", "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::"
                        "1X.f32.e4m3.e4m3.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
                        "{%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, {%h0,%h1}, %r7, {%h2,%h3};"},
    {"mma_sparse_fp4",
     "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X."
     "f32.e2m1.e2m1.f32.ue8m0 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5,%r8,%r9}, "
     "{%f0,%f1,%f2,%f3}, %r10, 0, %r6, {%h0,%h1}, %r7, {%h2,%h3};"},
    {"wgmma", "wgmma.fence.sync.aligned;"},
    {"tcgen05", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%l0], 32;"},
    {"tcgen05_ws", "tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %l0, %l1, %r1, %p0;"},
    {"tcgen05_shift", "tcgen05.shift.cta_group::1.down [%r0];"},
    {"tcgen05_ld_red", "tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%f1, %f2}, %f0, [%r0];"},
    {"tcgen05_i8", "tcgen05.mma.cta_group::1.kind::i8 [%r0], %l0, %l1, %r1, %p0;"},
    {"tcgen05_scale_input", "tcgen05.mma.cta_group::1.kind::f16 [%r0], %l0, %l1, %r1, %p0, 3;"},
    {"tcgen05_block_scale", "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r0], %l0, %l1, "
                            "%r1, [%r2], [%r3], %p0;"},
    {"tcgen05_scale_vec", "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X "
                          "[%r0], %l0, %l1, %r1, [%r2], [%r3], %p0;"},
    {"tcgen05_sparse_fp4", "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%r0], %l0, %l1, "
                           "[%r4], %r1, [%r2], [%r3], %p0;"},
};

/// The probe of a feature, or an instruction that no assembler takes.
inline std::string probeOf(std::string_view feature) {
  for (const FeatureProbe &probe : probes)
    if (probe.feature == feature)
      return "  " + std::string(probe.ptx) + "\n";
  return "  there.is.no.probe;\n";
}

} // namespace tessera::atom::test
