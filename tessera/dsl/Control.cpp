// If and For as operations of scf.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Control.h"

#include "tessera/dsl/Call.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

/// A condition or bound to go on with where the author's is poisoned, so that the body is written
/// and its mistakes are found.
static Value instead(Element element, Place at) { return element(0, at).ir(); }

void If(Num condition, const std::function<void()> &then, const std::function<void()> &otherwise,
        Place at) {
  Call call("If", at, condition);
  if (call.good() && !condition.type().isInteger(1))
    call.fail("expects a condition of i1, as comparisons give it");
  if (!Context::current())
    return;
  Value decides = call.good() ? condition.ir() : instead(i1, at);
  OpBuilder &b = call.builder();
  auto op = scf::IfOp::create(b, call.location(), decides, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
  if (otherwise) {
    b.setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
}

void detail::loop(Num from, Num to, Num step, const std::vector<Handle *> &carried,
                  const std::function<void(Num)> &body, Place at) {
  Call call("For", at, from, to, step);
  if (call.good() &&
      !(from.type() == to.type() && to.type() == step.type() && from.type().isSignlessInteger()))
    call.fail("expects bounds and a step of one whole type");
  for (const Handle *handle : carried)
    if (call.good() && !*handle)
      call.fail("expects each value that iterations hand on to be set before the loop");
  if (!Context::current())
    return;
  Value bounds[] = {from.ir(), to.ir(), step.ir()};
  if (!call.good())
    bounds[0] = bounds[1] = bounds[2] = instead(i32, at);

  // What is poisoned is not handed on; the rest is.
  std::vector<Handle *> sound;
  SmallVector<Value> first;
  for (Handle *handle : carried)
    if (handle->ir()) {
      sound.push_back(handle);
      first.push_back(handle->ir());
    }
  OpBuilder &b = call.builder();
  auto op = scf::ForOp::create(b, call.location(), bounds[0], bounds[1], bounds[2], first,
                               [](OpBuilder &, Location, Value, ValueRange) {});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    for (auto [handle, argument] : llvm::zip_equal(sound, op.getRegionIterArgs()))
      handle->rebind(argument);
    body(Num(op.getInductionVar()));
    SmallVector<Value> next;
    for (auto [handle, argument] : llvm::zip_equal(sound, op.getRegionIterArgs())) {
      Value left = handle->ir();
      if (left && left.getType() != argument.getType()) {
        call.fail("expects iterations to leave values of the types that they began with");
        left = {};
      }
      next.push_back(left ? left : Value(argument));
    }
    if (!next.empty() || !op.getBody()->mightHaveTerminator())
      scf::YieldOp::create(b, call.location(), next);
  }
  for (auto [handle, result] : llvm::zip_equal(sound, op.getResults()))
    handle->rebind(handle->poisoned() ? Value() : Value(result));
}

void For(Num from, Num to, Num step, const std::function<void(Num)> &body, Place at) {
  detail::loop(from, to, step, {}, body, at);
}

} // namespace tessera::dsl
