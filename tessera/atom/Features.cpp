// The table of features. test/atom/FeatureProbes.h has an instruction for each, tried with ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Features.h"

#include "tessera/atom/Errors.h"

namespace tessera::atom {

namespace {
constexpr Requirement sm(int number) { return Requirement::atLeast(number); }
constexpr Requirement only(int number) { return Requirement::exactly(number); }
constexpr Requirement tmem = familySm100 | familySm110;
constexpr Requirement blackwell = familySm100 | familySm110 | familySm120;

// Sources are sections of the PTX ISA 9.0, "Target ISA Notes" and "PTX ISA Notes".
constexpr FeatureRow table[] = {
    // Arithmetic. LLVM builds what it lacks of bf16 add and mul from fma, from sm_80 on.
    {"fma_bf16", "bf16 fused multiply-add", sm(80), 70, "9.7.4.4"},
    {"add_bf16", "bf16 addition, subtraction and multiplication", sm(90), 78, "9.7.4.1"},
    {"minmax_bf16", "bf16 minimum and maximum", sm(80), 70, "9.7.4.7"},
    {"f32x2", "arithmetic on packed f32 pairs", sm(100), 86, "9.7.3.4"},
    {"minmax3_f32", "minimum and maximum of three f32", sm(100), 88, "9.7.3.11"},
    {"tanh_f32", "tanh.approx.f32", sm(75), 70, "9.7.3.22"},
    {"ex2_f16", "ex2.approx of f16", sm(75), 70, "9.7.4.10"},
    {"ex2_bf16", "ex2.approx of bf16", sm(90), 78, "9.7.4.10"},

    // Conversions
    {"cvt_bf16", "conversions from f32 to bf16", sm(80), 70, "9.7.9.21"},
    {"cvt_tf32", "conversions from f32 to tf32, ties away from zero", sm(80), 70, "9.7.9.21"},
    {"cvt_tf32_rn", "conversions from f32 to tf32, ties to even", sm(90), 78, "9.7.9.21"},
    {"cvt_fp8", "conversions to and from e4m3 and e5m2", sm(89), 81, "9.7.9.21"},
    {"cvt_fp6", "conversions to and from e2m3 and e3m2", blackwell, 86, "9.7.9.21"},
    {"cvt_fp4", "conversions to and from e2m1", blackwell, 86, "9.7.9.21"},
    {"cvt_ue8m0", "conversions to and from ue8m0", blackwell, 86, "9.7.9.21"},
    {"cvt_stochastic", "conversions with stochastic rounding", only(100) | only(103), 87,
     "9.7.9.21"},

    // Warps
    {"redux", "warp reductions of integers (redux.sync)", sm(80), 70, "9.7.13.9"},
    {"redux_f32", "warp reductions of f32 (redux.sync)", familySm100, 86, "9.7.13.9"},
    {"elect", "elect.sync", sm(90), 80, "9.7.13.13"},
    {"movmatrix", "movmatrix", sm(75), 78, "9.7.14.5.17"},

    // Barriers and fences
    {"mbarrier", "mbarrier init, inval, arrive and test_wait", sm(80), 70, "9.7.13.15"},
    {"mbarrier_try_wait", "mbarrier.try_wait", sm(90), 78, "9.7.13.15.16"},
    {"mbarrier_tx", "mbarrier transaction counts (expect_tx, complete_tx)", sm(90), 80,
     "9.7.13.15"},
    {"mbarrier_arrive_count", "mbarrier.arrive with a count", sm(90), 78, "9.7.13.15.13"},
    {"mbarrier_remote", "mbarrier.arrive on another CTA of the cluster", sm(90), 80,
     "9.7.13.15.13"},
    {"cluster_barrier", "barrier.cluster", sm(90), 78, "9.7.13.4"},
    {"fence_cluster", "fences of cluster scope", sm(90), 78, "9.7.13.4"},
    {"fence_proxy_async", "fence.proxy.async", sm(90), 80, "9.7.13.4"},
    {"fence_proxy_tensormap", "fence.proxy.tensormap", sm(90), 83, "9.7.13.4"},
    {"fence_mbarrier_init", "fence.mbarrier_init", sm(90), 80, "9.7.13.4"},

    // Clusters and scheduling
    {"cluster", "thread block clusters (special registers, mapa)", sm(90), 78, "10.12, 9.7.9.23"},
    {"dsmem", "loads and stores of another CTA's shared memory", sm(90), 78, "9.7.9.8"},
    {"st_async", "st.async", sm(90), 81, "9.7.9.13"},
    {"red_async", "red.async", sm(90), 81, "9.7.13.8"},
    {"griddepcontrol", "griddepcontrol (programmatic dependent launch)", sm(90), 78, "9.7.13.14"},
    {"cluster_launch_control", "clusterlaunchcontrol", sm(100), 86, "9.7.13.17"},
    {"cluster_launch_control_multicast", "clusterlaunchcontrol with multicast", blackwell, 86,
     "9.7.13.17"},
    {"setmaxnreg", "setmaxnreg", only(90) | blackwell, 80, "9.7.19.5"},

    // Memory
    {"cache_policy", "L2 cache policies (createpolicy, cache hints)", sm(80), 74, "9.7.9.18"},
    {"cp_async", "cp.async", sm(80), 70, "9.7.9.25.3"},
    {"cp_async_mbarrier", "cp.async.mbarrier.arrive", sm(80), 70, "9.7.13.15.14"},
    {"ldst_256", "256-bit loads and stores of global memory", sm(100), 88, "9.7.9.8"},
    {"st_bulk", "st.bulk", sm(100), 86, "9.7.9.14"},
    {"multimem", "multimem loads, stores and reductions", sm(90), 81, "9.7.9.15"},
    {"atom_bf16x2", "atomic addition of packed bf16", sm(90), 78, "9.7.13.6"},
    {"atom_vector", "atomic addition of f32 vectors", sm(90), 81, "9.7.13.6"},
    {"atom_b128", "128-bit atomic exchange and compare-and-swap", sm(90), 83, "9.7.13.6"},
    {"ldmatrix", "ldmatrix of 16-bit elements", sm(75), 65, "9.7.14.5.15"},
    {"ldmatrix_b8", "ldmatrix of 8, 6 and 4-bit elements", blackwell, 86, "9.7.14.5.15"},
    {"stmatrix", "stmatrix of 16-bit elements", sm(90), 78, "9.7.14.5.16"},
    {"stmatrix_b8", "stmatrix of 8-bit elements", blackwell, 86, "9.7.14.5.16"},

    // Bulk and tensor copies
    {"bulk_copy", "cp.async.bulk", sm(90), 80, "9.7.9.25.4"},
    {"bulk_copy_to_cta", "cp.async.bulk from global to shared::cta", sm(90), 86, "9.7.9.25.4"},
    {"bulk_copy_masked", "cp.async.bulk with a byte mask", sm(100), 86, "9.7.9.25.4"},
    {"bulk_reduce", "cp.reduce.async.bulk", sm(90), 80, "9.7.9.25.4"},
    {"tma", "tensor copies (TMA)", sm(90), 80, "9.7.9.25.5"},
    {"tma_to_cta", "tensor copies to shared::cta", sm(90), 86, "9.7.9.25.5"},
    {"tma_multicast", "tensor copies with multicast", sm(90), 80, "9.7.9.25.5"},
    {"tma_cta_group", "tensor copies for a pair of CTAs (.cta_group)", tmem, 86, "9.7.9.25.5"},
    {"tma_gather4", "tensor copies of four gathered rows to shared::cluster", tmem, 86,
     "9.7.9.25.5"},
    {"tma_gather4_to_cta", "tensor copies of four gathered rows to shared::cta", sm(100), 86,
     "9.7.9.25.5"},
    {"tma_scatter4", "tensor copies to four scattered rows", tmem, 86, "9.7.9.25.5"},
    {"tma_im2col_w", "tensor copies in the im2col::w modes", tmem, 86, "9.7.9.25.5"},
    {"tensormap_replace", "tensormap.replace", only(90) | blackwell, 83, "9.7.9.27"},
    {"tensormap_cp_fenceproxy", "tensormap.cp_fenceproxy", sm(90), 83, "9.7.13.16"},

    // Tensor cores
    {"mma_fp8", "warp-level products of e4m3 and e5m2", sm(89), 84, "9.7.14.5"},
    {"mma_f8f6f4", "warp-level products of fp8, fp6 and fp4", familySm120, 87, "9.7.14.5"},
    {"mma_block_scale", "warp-level block-scaled products", familySm120, 87, "9.7.14.5"},
    {"mma_sparse_fp4", "warp-level products of sparse packed fp4", only(120) | only(121), 87,
     "9.7.14.6"},
    {"wgmma", "wgmma", only(90), 80, "9.7.15"},
    {"tcgen05", "tcgen05 (tensor memory and its products)", tmem, 86, "9.7.16"},
    {"tcgen05_ws", "weight-stationary tcgen05.mma", tmem, 86, "9.7.16.10"},
    {"tcgen05_shift", "tcgen05.shift", only(100) | only(103) | only(110), 86, "9.7.16.8.3"},
    {"tcgen05_ld_red", "tcgen05.ld.red", Requirement::family(103) | familySm110, 88, "9.7.16.8.1"},
    {"tcgen05_i8", "tcgen05.mma of 8-bit integers", only(100) | only(110), 86, "9.7.16.10"},
    {"tcgen05_scale_input", "tcgen05.mma with scale-input-d", familySm100, 86, "9.7.16.10"},
    {"tcgen05_block_scale", "block-scaled tcgen05.mma", tmem, 88, "9.7.16.10"},
    {"tcgen05_scale_vec", "tcgen05.mma with explicit scale_vec", only(100) | only(103) | only(110),
     87, "9.7.16.10"},
    {"tcgen05_sparse_fp4", "tcgen05.mma of sparse packed fp4", only(100) | only(103) | only(110),
     88, "9.7.16.10"},
};
} // namespace

std::span<const FeatureRow> features() { return table; }

Result<const FeatureRow *> feature(std::string_view id) {
  for (const FeatureRow &row : table)
    if (row.id == id)
      return &row;
  return fail(Error::UnknownFeature, id);
}

} // namespace tessera::atom
