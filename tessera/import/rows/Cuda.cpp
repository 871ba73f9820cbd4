// Rows: launch attributes of newer releases of CuTe DSL.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using enum Slot;
using enum Witness;

/// An attribute that says how fast a launch may become and nothing of what it computes (CUDA Driver
/// API, CUlaunchAttributeID): a launch without it is a right one. The preferred cluster is one that
/// the driver may fall back from, to that of `cluster_dim`.
static llvm::LogicalResult leaveOut(ForeignOp &op) {
  if (op.operation()->getNumResults())
    return op.refuse(Diag::ResultCount, 0, op.operation()->getNumResults());
  op.operation()->erase();
  return llvm::success();
}

static constexpr Row table[] = {
    {.name = "cuda.launch_cfg.access_policy_window",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.cluster_scheduling_policy",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.mem_sync_domain",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.mem_sync_domain_map",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.nvlink_util_centric_scheduling",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.preferred_cluster_dim",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.priority",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.shared_mem_carveout",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
    {.name = "cuda.launch_cfg.sync_policy",
     .form = "hint",
     .variadic = true,
     .rewrite = leaveOut,
     .witness = Family},
};

llvm::ArrayRef<Row> cudaRows() { return table; }

} // namespace tessera::import
