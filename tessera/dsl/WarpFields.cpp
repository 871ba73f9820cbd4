// Registers of products of a warp as fields of the atom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/WarpFields.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

static Value withRegister(Call &call, Value mma, Attribute field, const Num &value) {
  auto op = call.create<AtomSetValueOp>(mma ? mma.getType() : Type(), mma, value.ir(), field);
  return op ? op->getResult(0) : Value();
}
TiledMma with_metadata(const TiledMma &mma, const Num &e, Place at) {
  Call call("with_metadata", at, mma, e);
  if (!call.good())
    return TiledMma(Value());
  Attribute names[] = {MmaFieldSm80SparseAttr::get(call.mlirContext(), MmaFieldSm80Sparse::e),
                       MmaFieldSm90SparseAttr::get(call.mlirContext(), MmaFieldSm90Sparse::e),
                       MmaFieldSm120Attr::get(call.mlirContext(), MmaFieldSm120::e)};
  Attribute field = *llvm::find_if(names, [&](Attribute name) {
    return name == std::end(names)[-1] || knowsField(mma.ir().getType(), name);
  });
  return TiledMma(withRegister(call, mma.ir(), field, e));
}
TiledMma with_factors(const TiledMma &mma, const Num &ofA, const Num &ofB, Place at) {
  Call call("with_factors", at, mma, ofA, ofB);
  if (!call.good())
    return TiledMma(Value());
  auto field = [&](MmaFieldSm120 which) {
    return MmaFieldSm120Attr::get(call.mlirContext(), which);
  };
  Value first = withRegister(call, mma.ir(), field(MmaFieldSm120::sf_a), ofA);
  return TiledMma(withRegister(call, first, field(MmaFieldSm120::sf_b), ofB));
}

} // namespace tessera::dsl
