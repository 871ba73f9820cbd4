// Rows: cp.async, bulk copies, wgmma, tcgen05, cluster launch control, register counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using enum Slot;
using enum Witness;

// nvvm.cp.async.mbarrier.arrive.shared and clusterlaunchcontrol.try_cancel take (response,
// mbarrier) and (mbarrier) as LLVM 22's ops do; only the names differ.
static constexpr Row table[] = {
    {.name = "nvvm.cp.async.commit.group", .form = "attr-dict"},
    {.name = "nvvm.cp.async.wait.group", .form = "int(n,i32) attr-dict"},
    {.name = "nvvm.cp.async.mbarrier.arrive.shared",
     .form = "$ attr-dict : types",
     .operands = {Shared},
     .becomes = "nvvm.cp.async.mbarrier.arrive",
     .witness = Family},
    {.name = "nvvm.cp.async.bulk.commit.group", .form = "attr-dict"},
    {.name = "nvvm.cp.async.bulk.wait_group", .form = "int(group,i32) attr-dict"},
    {.name = "nvvm.wgmma.fence.aligned", .form = "attr-dict"},
    {.name = "nvvm.wgmma.commit.group.sync.aligned", .form = "attr-dict"},
    {.name = "nvvm.wgmma.wait.group.sync.aligned", .form = "attr-dict int(group,i64)"},
    {.name = "nvvm.setmaxregister", .form = "word(action,action) int(regCount,i32) attr-dict"},
    {.name = "nvvm.tcgen05.wait", .form = "<word(kind,tcgen05_wait)> attr-dict"},
    {.name = "nvvm.tcgen05.commit.arrive",
     .form = "$ [ , multicast_mask = $ ] attr-dict : types",
     .operands = {Any, I16},
     .optional = 1,
     .becomes = "nvvm.tcgen05.commit",
     .edits = {renameEnum("group", "tcgen05_group", "cta_group")}},
    {.name = "nvvm.tcgen05.commit",
     .form = "$ [ , multicast_mask = $ ] attr-dict : types",
     .operands = {Any, I16},
     .optional = 1,
     .edits = {renameEnum("group", "tcgen05_group", "cta_group")},
     .witness = Family},
    {.name = "nvvm.clusterlaunchcontrol.try_cancel",
     .form = "$ , $ attr-dict",
     .operands = {Shared, Shared},
     .becomes = "nvvm.clusterlaunchcontrol.try.cancel",
     .witness = Family},
    {.name = "nvvm.clusterlaunchcontrol.try_cancel.multicast",
     .form = "$ , $ attr-dict",
     .operands = {Shared, Shared},
     .becomes = "nvvm.clusterlaunchcontrol.try.cancel",
     .edits = {set("multicast", "unit")}},
    {.name = "nvvm.clusterlaunchcontrol.query_cancel.is_canceled",
     .form = "$ attr-dict : results",
     .operands = {I128},
     .result = I1,
     .becomes = "nvvm.clusterlaunchcontrol.query.cancel",
     .edits = {set("query_type", "#nvvm<cluster_launch_control_query_type is_canceled>")}},
    {.name = "nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.x",
     .form = "$ attr-dict : results",
     .operands = {I128},
     .result = I32,
     .becomes = "nvvm.clusterlaunchcontrol.query.cancel",
     .edits = {set("query_type", "#nvvm<cluster_launch_control_query_type get_first_cta_id_x>")}},
    {.name = "nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.y",
     .form = "$ attr-dict : results",
     .operands = {I128},
     .result = I32,
     .becomes = "nvvm.clusterlaunchcontrol.query.cancel",
     .edits = {set("query_type", "#nvvm<cluster_launch_control_query_type get_first_cta_id_y>")}},
    {.name = "nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.z",
     .form = "$ attr-dict : results",
     .operands = {I128},
     .result = I32,
     .becomes = "nvvm.clusterlaunchcontrol.query.cancel",
     .edits = {set("query_type", "#nvvm<cluster_launch_control_query_type get_first_cta_id_z>")}},
};

llvm::ArrayRef<Row> asyncRows() { return table; }

} // namespace tessera::import
