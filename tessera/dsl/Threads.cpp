// Threads: special registers, and exchange between the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Call.h"
#include "tessera/dsl/Scalars.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

Num special_register(std::string_view name, Place at) {
  Call call("special_register", at);
  if (!call.good())
    return Num(Value());
  OperationState state(call.location(), cat("nvvm.read.ptx.sreg.", name));
  if (!state.name.isRegistered()) {
    call.fail(cat("expects NVVM's name of a special register, such as tid.x, but got ", name));
    return Num(Value());
  }
  state.addTypes(call.builder().getI32Type());
  return Num(call.builder().create(state)->getResult(0));
}

/// A register of three, by its axis.
static Num ofAxis(const char *call, std::string_view name, int axis, Place at) {
  if (axis >= 0 && axis <= 2)
    return special_register(cat(name, ".", "xyz"[axis]), at);
  Call refused(call, at);
  refused.good() ? refused.fail(cat("expects an axis of 0, 1 or 2, but got ", axis)) : void();
  return Num(Value());
}
Num thread_idx(int axis, Place at) { return ofAxis("thread_idx", "tid", axis, at); }
Num block_idx(int axis, Place at) { return ofAxis("block_idx", "ctaid", axis, at); }
Num grid_dim(int axis, Place at) { return ofAxis("grid_dim", "nctaid", axis, at); }
Num block_rank_in_cluster(Place at) { return special_register("cluster.ctarank", at); }

Num warp_uniform(Num x, Place at) {
  Call call("warp_uniform", at, x);
  auto op = call.good()
                ? call.create<cute_nvgpu::MakeWarpUniformOp>(call.builder().getI32Type(), x.ir())
                : cute_nvgpu::MakeWarpUniformOp();
  return Num(op ? op->getResult(0) : Value());
}
Num any_lane(Num x, Place at) {
  Call call("any_lane", at, x);
  if (call.good() && !x.type().isInteger(1))
    call.fail("expects an i1, as comparisons give it");
  if (!call.good())
    return Num(Value());
  constexpr int64_t everyLane = -1;
  Num all = i32(everyLane, at);
  auto op = call.create<NVVM::VoteSyncOp>(x.type(), all.ir(), x.ir(), NVVM::VoteSyncKind::any);
  return Num(op ? op->getResult(0) : Value());
}
Num elect_one(Place at) {
  Call call("elect_one", at);
  auto op = call.good() ? call.create<NVVM::ElectSyncOp>(call.builder().getI1Type(), Value())
                        : NVVM::ElectSyncOp();
  return Num(op ? op->getResult(0) : Value());
}
static NVVM::ShflKind kindOf(Shuffle kind) {
  switch (kind) {
  case Shuffle::Index: return NVVM::ShflKind::idx;
  case Shuffle::Up: return NVVM::ShflKind::up;
  case Shuffle::Down: return NVVM::ShflKind::down;
  case Shuffle::Xor: return NVVM::ShflKind::bfly;
  }
  llvm_unreachable("no such shuffle");
}
Num shfl(Shuffle kind, Num x, Num lanes, Place at) {
  Call call("shfl", at, x, lanes);
  if (!call.good())
    return Num(Value());
  constexpr int64_t everyLane = -1, wholeWarp = 31;
  Num all = i32(everyLane, at), clamp = i32(kind == Shuffle::Up ? 0 : wholeWarp, at);
  auto op = call.create<NVVM::ShflOp>(x.type(), all.ir(), x.ir(), lanes.ir(), clamp.ir(),
                                      kindOf(kind), UnitAttr());
  return Num(op ? op->getResult(0) : Value());
}
Num shfl_xor(Num x, int lanes, Place at) { return shfl(Shuffle::Xor, x, i32(lanes, at), at); }

} // namespace tessera::dsl
