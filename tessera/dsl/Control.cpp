// If, For and While as operations of scf.
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

namespace {
/// The handles that iterations carry: those that are not poisoned.
class Carried {
public:
  Carried(Call &call, const std::vector<Handle *> &handles) : call(call) {
    for (Handle *handle : handles) {
      if (call.good() && !*handle)
        call.fail("expects each value that iterations carry to be set before the loop");
      if (handle->ir())
        sound.push_back(handle);
    }
  }
  SmallVector<Value> values() const {
    SmallVector<Value> now;
    for (Handle *handle : sound)
      now.push_back(handle->ir());
    return now;
  }
  void bind(ValueRange to) {
    for (auto [handle, value] : llvm::zip_equal(sound, to))
      handle->rebind(value);
  }
  /// The values that an iteration leaves; a poisoned one keeps its value from before.
  SmallVector<Value> left(ValueRange began) {
    SmallVector<Value> next;
    for (auto [handle, argument] : llvm::zip_equal(sound, began)) {
      Value now = handle->ir();
      if (now && now.getType() != argument.getType()) {
        call.fail("expects a body to leave values of the types that they began with");
        now = {};
      }
      next.push_back(now ? now : Value(argument));
    }
    return next;
  }
  void end(ValueRange results) {
    for (auto [handle, result] : llvm::zip_equal(sound, results))
      handle->rebind(handle->poisoned() ? Value() : Value(result));
  }

private:
  Call &call;
  std::vector<Handle *> sound;
};
} // namespace

void detail::branch(Num condition, const std::vector<Handle *> &handles,
                    const std::function<void()> &then, const std::function<void()> &otherwise,
                    Place at) {
  Call call("If", at, condition);
  if (call.good() && !condition.type().isInteger(1))
    call.fail("expects a condition of i1, as comparisons give it");
  if (!Context::current())
    return;
  Carried carried(call, handles);
  Value decides = call.good() ? condition.ir() : instead(i1, at);
  SmallVector<Value> first = carried.values();
  OpBuilder &b = call.builder();
  auto op = scf::IfOp::create(b, call.location(), ValueRange(first).getTypes(), decides,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [block, body] :
       {std::pair(op.thenBlock(), &then), std::pair(op.elseBlock(), &otherwise)}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    carried.bind(first);
    if (*body)
      (*body)();
    scf::YieldOp::create(b, call.location(), carried.left(first));
  }
  carried.end(op.getResults());
}

void detail::loop(Num from, Num to, Num step, const std::vector<Handle *> &handles,
                  const std::function<void(Num)> &body, Place at) {
  Call call("For", at, from, to, step);
  if (call.good() &&
      !(from.type() == to.type() && to.type() == step.type() && from.type().isSignlessInteger()))
    call.fail("expects bounds and a step of one integer type");
  if (!Context::current())
    return;
  Carried carried(call, handles);
  Value bounds[] = {from.ir(), to.ir(), step.ir()};
  if (!call.good())
    bounds[0] = bounds[1] = bounds[2] = instead(i32, at);
  OpBuilder &b = call.builder();
  auto op = scf::ForOp::create(b, call.location(), bounds[0], bounds[1], bounds[2],
                               carried.values(), [](OpBuilder &, Location, Value, ValueRange) {});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    carried.bind(op.getRegionIterArgs());
    body(Num(op.getInductionVar()));
    SmallVector<Value> next = carried.left(op.getRegionIterArgs());
    if (!next.empty() || !op.getBody()->mightHaveTerminator())
      scf::YieldOp::create(b, call.location(), next);
  }
  carried.end(op.getResults());
}

void detail::loop(const std::function<Num()> &condition, const std::vector<Handle *> &handles,
                  const std::function<void()> &body, Place at) {
  Call call("While", at);
  if (!Context::current())
    return;
  Carried carried(call, handles);
  OpBuilder &b = call.builder();
  SmallVector<Value> first = carried.values();
  SmallVector<Type> types = llvm::to_vector(ValueRange(first).getTypes());
  SmallVector<Location> places(types.size(), call.location());
  auto op = scf::WhileOp::create(b, call.location(), types, first);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&op.getBefore(), {}, types, places);
    carried.bind(before->getArguments());
    Num holds = condition();
    if (holds.ir() && !holds.type().isInteger(1))
      call.fail("expects a condition of i1, as comparisons give it");
    Value decides = call.good() && holds.ir() ? holds.ir() : instead(i1, at);
    op->setLoc(decides.getLoc()); // where the author writes the condition
    scf::ConditionOp::create(b, call.location(), decides, carried.left(before->getArguments()));
    Block *after = b.createBlock(&op.getAfter(), {}, types, places);
    carried.bind(after->getArguments());
    body();
    scf::YieldOp::create(b, call.location(), carried.left(after->getArguments()));
  }
  carried.end(op.getResults());
}

void detail::handOn(const std::vector<Handle *> &left, const std::vector<Handle *> &to,
                    const char *loop, Place at) {
  if (left.size() != to.size())
    return Call(loop, at).fail("expects iterations to leave as many values as they began with");
  for (auto [from, handle] : llvm::zip_equal(left, to))
    *handle = *from;
}

void For(Num from, Num to, Num step, const std::function<void(Num)> &body, Place at) {
  detail::loop(from, to, step, {}, body, at);
}

} // namespace tessera::dsl
