// Cases: barriers, fences and mbarrier objects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tessera::import::test {

const std::vector<Case> barrierCases = {
    {"nvvm.barrier", "nvvm.barrier",
     R"("nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ())", "nvvm.barrier",
     sm80, "bar.sync \t0;"},
    {"nvvm.barrier", "nvvm.barrier id = %i",
     R"("nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 1, 0>}> : (i32) -> ())",
     "nvvm.barrier id = %i", sm80, "bar.sync"},
    {"nvvm.barrier", "nvvm.barrier id = %i number_of_threads = %j",
     R"("nvvm.barrier"(%i, %j) <{operandSegmentSizes = array<i32: 1, 1>}> : (i32, i32) -> ())",
     "nvvm.barrier id = %i number_of_threads = %j", sm80, "bar.sync"},
    {"nvvm.barrier", "nvvm.barrier number_of_threads = %j",
     R"("nvvm.barrier"(%j) <{operandSegmentSizes = array<i32: 0, 1>}> : (i32) -> ())",
     "%c0_i32 = arith.constant 0 : i32\nnvvm.barrier id = %c0_i32 number_of_threads = %j", sm80,
     "bar.sync \t0, "},
    {"nvvm.barrier0", "nvvm.barrier0", R"("nvvm.barrier0"() : () -> ())", "nvvm.barrier0", sm80,
     "bar.sync \t0;"},
    {"nvvm.barrier.arrive", "nvvm.barrier.arrive id = %i number_of_threads = %j",
     R"("nvvm.barrier.arrive"(%i, %j) : (i32, i32) -> ())",
     "nvvm.barrier.arrive id = %i number_of_threads = %j", sm80, "bar.arrive"},
    {"nvvm.barrier.cta.sync", "",
     R"("nvvm.barrier.cta.sync"(%i, %j) <{aligned}> : (i32, i32) -> ())",
     R"(llvm.inline_asm has_side_effects asm_dialect = att "barrier.cta.sync.aligned $0, $1;", "r,r,~{memory}" %i, %j : (i32, i32) -> ())",
     sm80, "barrier.cta.sync.aligned"},
    {"nvvm.barrier.cta.sync", "", R"("nvvm.barrier.cta.sync"(%i) : (i32) -> ())",
     R"(llvm.inline_asm has_side_effects asm_dialect = att "barrier.cta.sync $0;", "r,~{memory}" %i : (i32) -> ())",
     sm80, "barrier.cta.sync "},
    {"nvvm.barrier.cta.arrive", "",
     R"("nvvm.barrier.cta.arrive"(%i, %j) <{aligned = true}> : (i32, i32) -> ())",
     R"(llvm.inline_asm has_side_effects asm_dialect = att "barrier.cta.arrive.aligned $0, $1;", "r,r,~{memory}" %i, %j : (i32, i32) -> ())",
     sm80, "barrier.cta.arrive.aligned"},
    {"nvvm.barrier.cta.red", "",
     R"(%0 = "nvvm.barrier.cta.red"(%b, %i, %j) <{kind = #nvvm.barrier_redux_kind<popc>}> : (i1, i32, i32) -> i32)",
     R"(%0 = arith.extui %b : i1 to i32)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred %p, %q; setp.ne.b32 %p, $1, 0; barrier.cta.red.popc.u32 $0, $2, $3, %p; }", "=r,r,r,r,~{memory}" %0, %i, %j : (i32, i32, i32) -> i32)",
     sm80, "barrier.cta.red.popc.u32"},
    {"nvvm.barrier.cta.red", "",
     R"(%0 = "nvvm.barrier.cta.red"(%b, %i) <{aligned, kind = #nvvm.barrier_redux_kind<and>}> : (i1, i32) -> i1)",
     R"(%0 = arith.extui %b : i1 to i32)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred %p, %q; setp.ne.b32 %p, $1, 0; barrier.cta.red.and.aligned.pred %q, $2, %p; selp.b32 $0, 1, 0, %q; }", "=r,r,r,~{memory}" %0, %i : (i32, i32) -> i32)"
     "\n"
     R"(%2 = arith.trunci %1 : i32 to i1)",
     sm80, "barrier.cta.red.and.aligned.pred"},
    {"nvvm.cluster.arrive", "nvvm.cluster.arrive", R"("nvvm.cluster.arrive"() : () -> ())",
     "nvvm.cluster.arrive", sm90, "barrier.cluster.arrive;"},
    {"nvvm.cluster.arrive", "nvvm.cluster.arrive {aligned}",
     R"("nvvm.cluster.arrive"() <{aligned}> : () -> ())", "nvvm.cluster.arrive {aligned}", sm90,
     "barrier.cluster.arrive.aligned;"},
    {"nvvm.cluster.arrive.relaxed", "nvvm.cluster.arrive.relaxed",
     R"("nvvm.cluster.arrive.relaxed"() : () -> ())", "nvvm.cluster.arrive.relaxed", sm90,
     "barrier.cluster.arrive.relaxed;"},
    {"nvvm.cluster.wait", "nvvm.cluster.wait", R"("nvvm.cluster.wait"() : () -> ())",
     "nvvm.cluster.wait", sm90, "barrier.cluster.wait;"},
    {"nvvm.fence.mbarrier.init", "nvvm.fence.mbarrier.init",
     R"("nvvm.fence.mbarrier.init"() <{useIntrinsic = false}> : () -> ())",
     "nvvm.fence.mbarrier.init", sm90, "fence.mbarrier_init.release.cluster;"},
    {"nvvm.fence.proxy",
     "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}",
     R"("nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>,
        useIntrinsic = false}> : () -> ())",
     "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}",
     sm90, "fence.proxy.async.shared::cta;"},
    {"nvvm.fence.proxy", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}",
     R"("nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<alias>, useIntrinsic = true}> : () -> ())",
     "nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}", sm90, "fence.proxy.alias;"},
    {"nvvm.fence.sc.cluster", "nvvm.fence.sc.cluster", R"("nvvm.fence.sc.cluster"() : () -> ())",
     "nvvm.fence.sc.cluster", sm90, "fence.sc.cluster;"},
    {"nvvm.fence.acq_rel.cta", "nvvm.fence.acq_rel.cta", R"("nvvm.fence.acq_rel.cta"() : () -> ())",
     R"(llvm.fence syncscope("block") acq_rel)", sm80, "fence.acq_rel.cta;"},
    {"nvvm.fence.acq_rel.cluster", "nvvm.fence.acq_rel.cluster",
     R"("nvvm.fence.acq_rel.cluster"() : () -> ())", R"(llvm.fence syncscope("cluster") acq_rel)",
     sm90, "fence.acq_rel.cluster;"},
    {"nvvm.fence.acq_rel.gpu", "nvvm.fence.acq_rel.gpu", R"("nvvm.fence.acq_rel.gpu"() : () -> ())",
     R"(llvm.fence syncscope("device") acq_rel)", sm80, "fence.acq_rel.gpu;"},
    {"nvvm.fence.acq_rel.sys", "nvvm.fence.acq_rel.sys", R"("nvvm.fence.acq_rel.sys"() : () -> ())",
     "llvm.fence acq_rel", sm80, "fence.acq_rel.sys;"},
    {"nvvm.griddepcontrol.wait", "nvvm.griddepcontrol.wait",
     R"("nvvm.griddepcontrol.wait"() : () -> ())", "nvvm.griddepcontrol wait", sm90,
     "griddepcontrol.wait;"},
    {"nvvm.griddepcontrol.launch.dependents", "nvvm.griddepcontrol.launch.dependents",
     R"("nvvm.griddepcontrol.launch.dependents"() : () -> ())",
     "nvvm.griddepcontrol launch_dependents", sm90, "griddepcontrol.launch_dependents;"},
};

const std::vector<Case> mbarrierCases = {
    {"nvvm.mbarrier.try_wait.parity.timelimit", "",
     R"(%0 = "nvvm.mbarrier.try_wait.parity.timelimit"(%p, %i, %j) : (!llvm.ptr<3>, i32, i32) -> i1)",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred %p; mbarrier.try_wait.parity.shared::cta.b64 %p, [$1], $2, $3; selp.b32 $0, 1, 0, %p; }", "=r,r,r,r,~{memory}" %0, %i, %j : (i32, i32, i32) -> i32)"
     "\n"
     R"(%2 = arith.trunci %1 : i32 to i1)",
     sm90, "mbarrier.try_wait.parity.shared::cta.b64"},
    {"nvvm.mbarrier.try_wait.timelimit", "",
     R"(%0 = "nvvm.mbarrier.try_wait.timelimit"(%p, %l, %j) <{scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<3>, i64, i32) -> i1)",
     R"(%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i32)"
     "\n"
     R"(%1 = llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred %p; mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p, [$1], $2, $3; selp.b32 $0, 1, 0, %p; }", "=r,r,l,r,~{memory}" %0, %l, %j : (i32, i64, i32) -> i32)"
     "\n"
     R"(%2 = arith.trunci %1 : i32 to i1)",
     sm90, "mbarrier.try_wait.acquire.cluster.shared::cta.b64"},
    {"nvvm.mbarrier.init.shared", "nvvm.mbarrier.init.shared %p, %i : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.init.shared"(%p, %i) : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.init %p, %i : !llvm.ptr<3>, i32", sm80, "mbarrier.init.shared.b64"},
    {"nvvm.mbarrier.init.shared",
     "nvvm.mbarrier.init.shared %p, %i, predicate = %b : !llvm.ptr<3>, i32, i1",
     R"("nvvm.mbarrier.init.shared"(%p, %i, %b) : (!llvm.ptr<3>, i32, i1) -> ())",
     "nvvm.mbarrier.init %p, %i, predicate = %b : !llvm.ptr<3>, i32, i1"},
    {"nvvm.mbarrier.inval.shared", "nvvm.mbarrier.inval.shared %p : !llvm.ptr<3>",
     R"("nvvm.mbarrier.inval.shared"(%p) : (!llvm.ptr<3>) -> ())",
     "nvvm.mbarrier.inval %p : !llvm.ptr<3>", sm80, "mbarrier.inval.shared.b64"},
    {"nvvm.mbarrier.arrive.shared", "%0 = nvvm.mbarrier.arrive.shared %p : !llvm.ptr<3> -> i64",
     R"(%0 = "nvvm.mbarrier.arrive.shared"(%p) : (!llvm.ptr<3>) -> i64)",
     "%0 = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64", sm80, "mbarrier.arrive.shared.b64"},
    {"nvvm.mbarrier.arrive.nocomplete.shared",
     "%0 = nvvm.mbarrier.arrive.nocomplete.shared %p, %i : !llvm.ptr<3>, i32 -> i64",
     R"(%0 = "nvvm.mbarrier.arrive.nocomplete.shared"(%p, %i) : (!llvm.ptr<3>, i32) -> i64)",
     "%0 = nvvm.mbarrier.arrive.nocomplete %p, %i : !llvm.ptr<3>, i32 -> i64", sm80,
     "mbarrier.arrive.noComplete.shared.b64"},
    {"nvvm.mbarrier.arrive.expect_tx.shared",
     "nvvm.mbarrier.arrive.expect_tx.shared %p, %i : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.arrive.expect_tx.shared"(%p, %i) : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.arrive.expect_tx %p, %i : !llvm.ptr<3>, i32", sm90,
     "mbarrier.arrive.expect_tx.shared"},
    // One arrival in this block, as CuTe DSL writes it: the count is the constant 1.
    {"nvvm.mbarrier.txn",
     "%one = arith.constant 1 : i32\n"
     "nvvm.mbarrier.txn %p, %one {kind = #nvvm.mbar_txn_kind<arrive>} : !llvm.ptr<3>, i32",
     R"(%one = arith.constant 1 : i32
        "nvvm.mbarrier.txn"(%p, %one) <{kind = #nvvm.mbar_txn_kind<arrive>, scope = #nvvm.mbar_scope<cta>,
        space = #nvvm.mbar_space<cta>}> : (!llvm.ptr<3>, i32) -> ())",
     "%c1_i32 = arith.constant 1 : i32\nnvvm.mbarrier.arrive %p : !llvm.ptr<3>", sm80,
     "mbarrier.arrive.shared.b64"},
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<arrive>} : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, scope = #nvvm.mbar_scope<cta>,
        space = #nvvm.mbar_space<cta>}> : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.arrive %p, %i : !llvm.ptr<3>", sm90, "mbarrier.arrive.shared.b64"},
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<arrive_expect_tx>} : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive_expect_tx>,
        scope = #nvvm.mbar_scope<cta>, space = #nvvm.mbar_space<cta>}> : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.arrive.expect_tx %p, %i : !llvm.ptr<3>, i32", sm90,
     "mbarrier.arrive.expect_tx.shared.b64"},
    // Another block's barrier: the address goes to the space of cluster addresses.
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<arrive>, space = "
     "#nvvm.mbar_space<cluster>}"
     " : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive>, scope = #nvvm.mbar_scope<cta>,
        space = #nvvm.mbar_space<cluster>}> : (!llvm.ptr<3>, i32) -> ())",
     "%0 = llvm.ptrtoint %p : !llvm.ptr<3> to i64\n%1 = llvm.inttoptr %0 : i64 to !llvm.ptr<7>\n"
     "nvvm.mbarrier.arrive %1, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>",
     sm90, "mbarrier.arrive.release.cluster.shared::cluster.b64"},
    {"nvvm.mbarrier.txn",
     "%there = nvvm.mapa.shared.cluster %p, %j : !llvm.ptr<3>, i32 -> <3>\n"
     "nvvm.mbarrier.txn %there, %i {kind = #nvvm.mbar_txn_kind<arrive_expect_tx>,"
     " scope = #nvvm.mbar_scope<cluster>, space = #nvvm.mbar_space<cluster>} : !llvm.ptr<3>, i32",
     R"(%there = "nvvm.mapa.shared.cluster"(%p, %j) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
        "nvvm.mbarrier.txn"(%there, %i) <{kind = #nvvm.mbar_txn_kind<arrive_expect_tx>,
        scope = #nvvm.mbar_scope<cluster>, space = #nvvm.mbar_space<cluster>}> : (!llvm.ptr<3>, i32) -> ())",
     "%0 = nvvm.mapa %p, %j : !llvm.ptr<3> -> !llvm.ptr<7>\n"
     "%1 = llvm.ptrtoint %0 : !llvm.ptr<7> to i64\n%2 = llvm.inttoptr %1 : i64 to !llvm.ptr<3>\n"
     "nvvm.mbarrier.arrive.expect_tx %0, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>, i32",
     sm90, "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64"},
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<expect_tx>} : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<expect_tx>}> : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.expect_tx %p, %i : !llvm.ptr<3>, i32", sm90,
     "mbarrier.expect_tx.relaxed.cta.shared"},
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<complete_tx>} : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<complete_tx>}> : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.complete_tx %p, %i : !llvm.ptr<3>, i32", sm90,
     "mbarrier.complete_tx.relaxed.cta.shared"},
    {"nvvm.mbarrier.txn",
     "nvvm.mbarrier.txn %p, %i {kind = #nvvm.mbar_txn_kind<arrive_drop>, order = "
     "#nvvm.mem_order<relaxed>}"
     " : !llvm.ptr<3>, i32",
     R"("nvvm.mbarrier.txn"(%p, %i) <{kind = #nvvm.mbar_txn_kind<arrive_drop>,
        order = #nvvm.mem_order<relaxed>}> : (!llvm.ptr<3>, i32) -> ())",
     "nvvm.mbarrier.arrive_drop %p, %i {relaxed = true} : !llvm.ptr<3>", "sm_90a 90",
     "mbarrier.arrive_drop.relaxed.cta.shared"},
    {"nvvm.mbarrier.wait.parity",
     "%0 = nvvm.mbarrier.wait.parity %p, %i {kind = #nvvm.mbar_wait<try>} : !llvm.ptr<3>, i32 -> "
     "i1",
     R"(%0 = "nvvm.mbarrier.wait.parity"(%p, %i) <{kind = #nvvm.mbar_wait<try>, scope = #nvvm.mbar_scope<cta>}>
        : (!llvm.ptr<3>, i32) -> i1)",
     "%0 = nvvm.mbarrier.try_wait %p, %i : !llvm.ptr<3>, i32 -> i1", sm90,
     "mbarrier.try_wait.parity.shared.b64"},
    {"nvvm.mbarrier.wait.parity",
     "%0 = nvvm.mbarrier.wait.parity %p, %i {kind = #nvvm.mbar_wait<test>, scope = "
     "#nvvm.mbar_scope<cluster>}"
     " : !llvm.ptr<3>, i32 -> i1",
     R"(%0 = "nvvm.mbarrier.wait.parity"(%p, %i) <{kind = #nvvm.mbar_wait<test>,
        scope = #nvvm.mbar_scope<cluster>}> : (!llvm.ptr<3>, i32) -> i1)",
     "%0 = nvvm.mbarrier.test.wait %p, %i {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 "
     "-> i1",
     sm90, "mbarrier.test_wait.parity.acquire.cluster.shared"},
    {"nvvm.mbarrier.try_wait.parity.shared",
     "nvvm.mbarrier.try_wait.parity.shared %p, %i, %j : !llvm.ptr<3>, i32, i32",
     R"("nvvm.mbarrier.try_wait.parity.shared"(%p, %i, %j) <{useIntrinsic = false}> : (!llvm.ptr<3>, i32, i32) -> ())",
     "nvvm.mbarrier.try_wait.parity %p, %i, %j : !llvm.ptr<3>, i32, i32", sm90,
     "mbarrier.try_wait.parity.shared.b64"},
    {"nvvm.mbarrier.test.wait.shared",
     "%0 = nvvm.mbarrier.test.wait.shared %p, %l : !llvm.ptr<3>, i64 -> i1",
     R"(%0 = "nvvm.mbarrier.test.wait.shared"(%p, %l) : (!llvm.ptr<3>, i64) -> i1)",
     "%0 = nvvm.mbarrier.test.wait %p, %l : !llvm.ptr<3>, i64 -> i1", sm90,
     "mbarrier.test_wait.shared.b64"},
    {"nvvm.mapa", "%0 = nvvm.mapa %p, %i : !llvm.ptr<3> -> !llvm.ptr<3>",
     R"(%0 = "nvvm.mapa"(%p, %i) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>)",
     "%0 = nvvm.mapa %p, %i : !llvm.ptr<3> -> !llvm.ptr<7>\n%1 = llvm.ptrtoint %0 : !llvm.ptr<7> "
     "to i64\n"
     "%2 = llvm.inttoptr %1 : i64 to !llvm.ptr<3>",
     sm90, "mapa.shared::cluster"},
    {"nvvm.mapa", "%0 = nvvm.mapa %p, %i : !llvm.ptr<3> -> !llvm.ptr<7>",
     R"(%0 = "nvvm.mapa"(%p, %i) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>)",
     "%0 = nvvm.mapa %p, %i : !llvm.ptr<3> -> !llvm.ptr<7>", sm90, "mapa.shared::cluster"},
    {"nvvm.mapa.shared.cluster", "%0 = nvvm.mapa.shared.cluster %p, %i : !llvm.ptr<3>, i32 -> <3>",
     R"(%0 = "nvvm.mapa.shared.cluster"(%p, %i) : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>)",
     "%0 = nvvm.mapa %p, %i : !llvm.ptr<3> -> !llvm.ptr<7>\n%1 = llvm.ptrtoint %0 : !llvm.ptr<7> "
     "to i64\n"
     "%2 = llvm.inttoptr %1 : i64 to !llvm.ptr<3>",
     sm90, "mapa.shared::cluster"},
};

} // namespace tessera::import::test
