// Cluster launch control and programmatic dependent launch as operations of NVVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/LaunchControl.h"

#include "tessera/dsl/Call.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

void ask_for_cluster(Pointer answer, Barrier barrier, bool cluster, Place at) {
  Call call("ask_for_cluster", at, answer, barrier.address());
  Value to = sharedPointer(call, answer), counts = sharedPointer(call, barrier.address());
  call.create<NVVM::ClusterLaunchControlTryCancelOp>(cluster, to, counts);
}

TakenOver taken_over(Pointer answer, Place at) {
  Call call("taken_over", at, answer);
  Value from = sharedPointer(call, answer);
  if (!call.good())
    return {Num(Value()), Num(Value())};
  OpBuilder &b = call.builder();
  auto word =
      call.create<LLVM::LoadOp>(b.getIntegerType(8 * answerBytes), from, unsigned(answerBytes));
  auto query = [&](NVVM::ClusterLaunchControlQueryType what, Type type) {
    auto op =
        word ? call.create<NVVM::ClusterLaunchControlQueryCancelOp>(
                   type, NVVM::ClusterLaunchControlQueryTypeAttr::get(b.getContext(), what), word)
             : NVVM::ClusterLaunchControlQueryCancelOp();
    return Num(op ? op->getResult(0) : Value());
  };
  using enum NVVM::ClusterLaunchControlQueryType;
  Num there = query(IS_CANCELED, b.getI1Type());
  return {there, query(GET_FIRST_CTA_ID_X, b.getI32Type())};
}

void griddepcontrol_wait(Place at) {
  Call("griddepcontrol_wait", at).create<NVVM::GriddepcontrolOp>(NVVM::GridDepActionKind::wait);
}

} // namespace tessera::dsl
