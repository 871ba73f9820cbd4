// Cases: loads, stores and atomics with their memory semantics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tessera::import::test {

// The instructions are those of PTX ISA 9.0, 9.7.9.8, 9.7.9.11 and 9.7.13.5.
const std::vector<Case> accessCases = {
    {"nvvm.load.ext", "", R"(%0 = "nvvm.load.ext"(%o) : (!llvm.ptr<1>) -> i32)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.b32 $0, [$1];", "=r,l,~{memory}" %0 : (i64) -> i32)",
     sm80, "ld.global.b32"},
    {"nvvm.load.ext", "",
     R"(%0 = "nvvm.load.ext"(%o) <{order = #nvvm.mem_order<relaxed>, scope = #nvvm.mem_scope<gpu>}> : (!llvm.ptr<1>) -> i64)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,~{memory}" %0 : (i64) -> i64)",
     sm80, "ld.relaxed.gpu.global.b64"},
    {"nvvm.load.ext", "",
     R"(%0 = "nvvm.load.ext"(%o, %l) <{evict = #nvvm.evict_kind<evict_first>, prefetch = #nvvm.l2_prefetch<size_128b>}> : (!llvm.ptr<1>, i64) -> vector<4xf32>)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.L1::evict_first.L2::cache_hint.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l,~{memory}" %0, %l : (i64, i64) -> !llvm.struct<(i32, i32, i32, i32)>)"
     "\n"
     R"(%2 = llvm.extractvalue %1[0] : !llvm.struct<(i32, i32, i32, i32)> )"
     "\n"
     R"(%3 = llvm.extractvalue %1[1] : !llvm.struct<(i32, i32, i32, i32)> )"
     "\n"
     R"(%4 = llvm.extractvalue %1[2] : !llvm.struct<(i32, i32, i32, i32)> )"
     "\n"
     R"(%5 = llvm.extractvalue %1[3] : !llvm.struct<(i32, i32, i32, i32)> )"
     "\n"
     R"(%6 = vector.from_elements %2, %3, %4, %5 : vector<4xi32>)"
     "\n"
     R"(%7 = vector.bitcast %6 : vector<4xi32> to vector<4xf32>)",
     sm80, "ld.global.L1::evict_first.L2::cache_hint.L2::128B.v4.b32"},
    {"nvvm.load.ext", "",
     R"(%0 = "nvvm.load.ext"(%p) <{order = #nvvm.mem_order<volatile>, cacheModifier = #nvvm.load_cache_modifier_ext<none>}> : (!llvm.ptr<3>) -> f16)",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "ld.volatile.shared::cta.b16 $0, [$1];", "=h,r,~{memory}" %0 : (i32) -> i16)"
     "\n"
     R"(%2 = llvm.bitcast %1 : i16 to f16)",
     sm80, "ld.volatile.shared::cta.b16"},
    {"nvvm.load.ext", "",
     R"(%0 = "nvvm.load.ext"(%o) <{cacheModifier = #nvvm.load_cache_modifier_ext<cg>}> : (!llvm.ptr<1>) -> i8)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.cg.b8 $0, [$1];", "=h,l,~{memory}" %0 : (i64) -> i16)"
     "\n"
     R"(%2 = arith.trunci %1 : i16 to i8)",
     sm80, "ld.global.cg.b8"},
    {"nvvm.store.ext", "",
     R"("nvvm.store.ext"(%i, %o) <{evict = #nvvm.evict_kind<evict_no_allocate>}> : (i32, !llvm.ptr<1>) -> ())",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "st.global.L1::no_allocate.b32 [$0], $1;", "l,r,~{memory}" %0, %i : (i64, i32) -> ())",
     sm80, "st.global.L1::no_allocate.b32"},
    {"nvvm.store.ext", "",
     R"("nvvm.store.ext"(%r4, %o) <{cacheModifier = #nvvm.store_cache_modifier<cs>}> : (vector<4xf32>, !llvm.ptr<1>) -> ())",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = vector.bitcast %r4 : vector<4xf32> to vector<4xi32>)"
     "\n"
     R"(%2 = vector.extract %1[0] : i32 from vector<4xi32>)"
     "\n"
     R"(%3 = vector.extract %1[1] : i32 from vector<4xi32>)"
     "\n"
     R"(%4 = vector.extract %1[2] : i32 from vector<4xi32>)"
     "\n"
     R"(%5 = vector.extract %1[3] : i32 from vector<4xi32>)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}" %0, %2, %3, %4, %5 : (i64, i32, i32, i32, i32) -> ())",
     sm80, "st.global.cs.v4.b32"},
    {"nvvm.store.ext", "",
     R"("nvvm.store.ext"(%h2, %p) <{order = #nvvm.mem_order<release>, scope = #nvvm.mem_scope<cluster>, sharedSpace = #nvvm.shared_space<cluster>}> : (vector<2xf16>, !llvm.ptr<3>) -> ())",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(%1 = llvm.bitcast %h2 : vector<2xf16> to i32)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "st.release.cluster.shared::cluster.b32 [$0], $1;", "r,r,~{memory}" %0, %1 : (i32, i32) -> ())",
     sm90, "st.release.cluster.shared::cluster.b32"},
    {"nvvm.store.ext", "",
     R"("nvvm.store.ext"(%h, %o, %l) <{order = #nvvm.mem_order<mmio>}> : (i16, !llvm.ptr<1>, i64) -> ())",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "st.mmio.relaxed.sys.global.L2::cache_hint.b16 [$0], $1, $2;", "l,h,l,~{memory}" %0, %h, %l : (i64, i16, i64) -> ())",
     "", ""},
    {"nvvm.red", "",
     R"("nvvm.red"(%o, %f) <{memOrder = #nvvm.mem_order<relaxed>, memScope = #nvvm.mem_scope<gpu>, op = #nvvm.red_op<add>, type = #nvvm.red_type<f32>}> : (!llvm.ptr<1>, f32) -> ())",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.bitcast %f : f32 to i32)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "red.relaxed.gpu.global.add.f32 [$0], $1;", "l,r,~{memory}" %0, %1 : (i64, i32) -> ())",
     sm80, "red.relaxed.gpu.global.add.f32"},
    {"nvvm.red", "",
     R"("nvvm.red"(%o, %h2, %l) <{op = #nvvm.red_op<add>, type = #nvvm.red_type<f16x2>}> : (!llvm.ptr<1>, vector<2xf16>, i64) -> ())",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.bitcast %h2 : vector<2xf16> to i32)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "red.global.add.noftz.L2::cache_hint.f16x2 [$0], $1, $2;", "l,r,l,~{memory}" %0, %1, %l : (i64, i32, i64) -> ())",
     sm80, "red.global.add.noftz.L2::cache_hint.f16x2"},
    {"nvvm.red", "",
     R"("nvvm.red"(%p, %i) <{op = #nvvm.red_op<max>, type = #nvvm.red_type<s32>}> : (!llvm.ptr<3>, i32) -> ())",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(llvm.inline_asm has_side_effects asm_dialect = att "red.shared.max.s32 [$0], $1;", "r,r,~{memory}" %0, %i : (i32, i32) -> ())",
     sm80, "red.shared.max.s32"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %i) <{op = #nvvm.atomic_op<add>}> : (!llvm.ptr<1>, i32) -> i32)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "atom.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %0, %i : (i64, i32) -> i32)",
     sm80, "atom.global.add.u32"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %f) <{memOrder = #nvvm.mem_order<relaxed>, op = #nvvm.atomic_op<fadd>, syncscope = #nvvm.mem_scope<gpu>}> : (!llvm.ptr<1>, f32) -> f32)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.bitcast %f : f32 to i32)"
     "\n"
     R"(%2 = llvm.inline_asm has_side_effects asm_dialect = att "atom.relaxed.gpu.global.add.f32 $0, [$1], $2;", "=r,l,r,~{memory}" %0, %1 : (i64, i32) -> i32)"
     "\n"
     R"(%3 = llvm.bitcast %2 : i32 to f32)",
     sm80, "atom.relaxed.gpu.global.add.f32"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %h2) <{op = #nvvm.atomic_op<fadd>}> : (!llvm.ptr<1>, vector<2xf16>) -> vector<2xf16>)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.bitcast %h2 : vector<2xf16> to i32)"
     "\n"
     R"(%2 = llvm.inline_asm has_side_effects asm_dialect = att "atom.global.add.noftz.f16x2 $0, [$1], $2;", "=r,l,r,~{memory}" %0, %1 : (i64, i32) -> i32)"
     "\n"
     R"(%3 = llvm.bitcast %2 : i32 to vector<2xf16>)",
     sm80, "atom.global.add.noftz.f16x2"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%p, %i) <{memOrder = #nvvm.mem_order<acq_rel>, op = #nvvm.atomic_op<sub>, syncscope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>, i32) -> i32)",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(%c0_i32 = arith.constant 0 : i32)"
     "\n"
     R"(%1 = arith.subi %c0_i32, %i : i32)"
     "\n"
     R"(%2 = llvm.inline_asm has_side_effects asm_dialect = att "atom.acq_rel.cta.shared.add.u32 $0, [$1], $2;", "=r,r,r,~{memory}" %0, %1 : (i32, i32) -> i32)",
     sm80, "atom.acq_rel.cta.shared.add.u32"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %l) <{op = #nvvm.atomic_op<umax>}> : (!llvm.ptr<1>, i64) -> i64)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "atom.global.max.u64 $0, [$1], $2;", "=l,l,l,~{memory}" %0, %l : (i64, i64) -> i64)",
     sm80, "atom.global.max.u64"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %i) <{op = #nvvm.atomic_op<inc>}> : (!llvm.ptr<1>, i32) -> i32)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "atom.global.inc.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %0, %i : (i64, i32) -> i32)",
     sm80, "atom.global.inc.u32"},
    {"nvvm.atomicrmw", "",
     R"(%0 = "nvvm.atomicrmw"(%o, %f) <{op = #nvvm.atomic_op<exch>}> : (!llvm.ptr<1>, f32) -> f32)",
     R"(%0 = llvm.ptrtoint %o : !llvm.ptr<1> to i64)"
     "\n"
     R"(%1 = llvm.bitcast %f : f32 to i32)"
     "\n"
     R"(%2 = llvm.inline_asm has_side_effects asm_dialect = att "atom.global.exch.b32 $0, [$1], $2;", "=r,l,r,~{memory}" %0, %1 : (i64, i32) -> i32)"
     "\n"
     R"(%3 = llvm.bitcast %2 : i32 to f32)",
     sm80, "atom.global.exch.b32"},
};

} // namespace tessera::import::test
