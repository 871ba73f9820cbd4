// Instructions of a warp: which registers and pointers they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/MmaRegisters.h"
#include "tessera/cute_nvgpu/families/warp/Warp.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

//===--- copies -------------------------------------------------------------------------------===//

/// The key picks a row, and the registers are as many as its instruction has.
static LogicalResult verifyMatrices(Operation *op, Value pointer, Type registers,
                                    const atom::CopyKey &key) {
  Result<const atom::CopyRow *> row = atom::find(key);
  if (!row)
    return refuse(op, Diag::NoSuchAtom, StringRef(row.reason().text));
  auto vector = dyn_cast<VectorType>(registers);
  int64_t expected = (*row)->registersFor(0);
  if ((vector ? vector.getNumElements() : 1) != expected)
    return refuse(op, Diag::MatrixResults,
                  expected == key.matrices ? "one 32-bit register" : "two 32-bit registers",
                  key.matrices, registers);
  return verifySmem(op, pointer);
}
LogicalResult ArchLdsmOp::verify() {
  return verifyMatrices(
      *this, getSrc(), getType(),
      ldsmKey(getMatrixShape(), getSzPattern(), int32_t(getNumMatrices()), getTranspose()));
}
LogicalResult ArchStsmOp::verify() {
  return verifyMatrices(*this, getDst(), getValue().getType(),
                        stsmKey(getMatrixShape(), int32_t(getNumMatrices()), getTranspose()));
}

//===--- products -----------------------------------------------------------------------------===//

namespace {
/// Scale ids. Source: ptxas 13.0, which takes these and no others.
template <class Op> LogicalResult verifyScaleIds(Op op, const atom::MmaRow &row) {
  constexpr int bytes = 4;
  int factors = row.k / int(op.getVecSize());
  for (auto [name, id] : {std::pair<StringRef, uint32_t>("byte_id_a", op.getByteIdA()),
                          {"byte_id_b", op.getByteIdB()}})
    if (int(id) % factors != 0 || int(id) >= bytes || int(id) < 0)
      return refuse(op, Diag::ScaleByte, factors, name, int(id));
  for (auto [name, id, lanes] :
       {std::tuple<StringRef, uint32_t, int>("thread_id_a", op.getThreadIdA(), 2),
        {"thread_id_b", op.getThreadIdB(), 4}})
    if (int(id) < 0 || int(id) >= lanes)
      return refuse(op, Diag::ScaleThread, name, lanes, int(id));
  return success();
}

template <class Op> LogicalResult verifyWarpMma(Op op) {
  FailureOr<const atom::MmaRow *> found = rowFor(op, op.getShape_MNK().getValue());
  if (failed(found))
    return failure();
  const atom::MmaRow &row = **found;
  if (failed(verifyGroups(op, row, row.n.first,
                          {{"A", op.getA().getTypes(), row.a},
                           {"B", op.getB().getTypes(), row.b},
                           {"C", op.getC().getTypes(), row.d},
                           {"D", op.getD().getTypes(), row.d}})))
    return failure();
  if constexpr (requires { op.getSelector(); })
    if (failed(verifySelector(op)))
      return failure();
  if constexpr (requires { op.getVecSize(); })
    return verifyScaleIds(op, row);
  return success();
}
} // namespace

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/warp/Ops.cpp.inc"
