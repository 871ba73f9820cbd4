// The tensor-map step: maps that the host makes for TMA copies, and changes of maps in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Reader.h"
#include "tessera/lower/expand/Steps.h"
#include "tessera/lower/families/tma/TensorMapCalls.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
LogicalResult refuse(Operation *op, const Reason &reason) {
  return op->emitOpError() << reason.text;
}

/// The atom becomes the address of its map, the tensor its coordinates.
template <class Op> LogicalResult make(Reader &e, Op op) {
  Result<MappedTensor> mapped = tensorMap(e, op);
  if (!mapped)
    return refuse(op, mapped.reason());
  op.getAtom().replaceAllUsesWith(e.emit.value(mapped->atom));
  op.getCoords().replaceAllUsesWith(e.emit.build(mapped->coords, op.getCoords().getType()));
  return success();
}
LogicalResult update(Reader &e, UpdateTmaDescOp op) {
  Result<Done> done = updateTensorMap(e, op);
  return done ? success() : refuse(op, done.reason());
}
} // namespace

Changed makeTensorMaps(FunctionOpInterface function, bool checks, OpCounts &counts) {
  size_t before = total(counts);
  Reader e(function);
  e.emit.checks = checks;
  LogicalResult walked = e.walk([&](Operation *op) {
    bool mine = true;
    LogicalResult done =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<MakeNonExecTiledTmaLoadOp, MakeNonExecTiledTmaStoreOp,
                  MakeNonExecTiledTmaReduceOp>([&](auto make_) { return make(e, make_); })
            .Case([&](UpdateTmaDescOp op) { return update(e, op); })
            .Default([&](Operation *) { return mine = false, success(); });
    if (failed(done) || !mine)
      return done;
    ++counts[op->getName().getStringRef()];
    op->erase();
    return success();
  });
  if (failed(walked))
    return failure();
  return total(counts) != before;
}

} // namespace tessera::lower
