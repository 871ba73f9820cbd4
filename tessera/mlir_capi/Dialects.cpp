// The dialects from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/mlir_capi/Dialects.h"

#include "tessera/base/Guarded.h"
#include "tessera/cute/Types.h"
#include "tessera/driver/Registration.h"
#include "tessera/layout/Text.h"

#include "mlir/CAPI/IR.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

/// f(), and false after an exception. Those of MLIR's own functions, which know none, do not come
/// this far.
template <class F> static bool guardedCall(F f) {
  return guarded([&] { return f(), true; }, [](const Reason &) { return false; });
}

void tesseraRegisterDialects(MlirDialectRegistry registry) {
  guardedCall([&] { driver::registerAllDialects(*unwrap(registry)); });
}
void tesseraRegisterPasses() { guardedCall(driver::registerAllPasses); }

bool tesseraTypeIsALayout(MlirType type) {
  return isa<cute::LayoutType, cute::ComposedLayoutType>(unwrap(type));
}
bool tesseraTypeIsATuple(MlirType type) {
  return isa<cute::IntTupleType, cute::ShapeType, cute::StrideType, cute::CoordType>(unwrap(type));
}
bool tesseraTypeIsATensor(MlirType type) { return isa<cute::ViewType>(unwrap(type)); }
bool tesseraTypeIsACopyAtom(MlirType type) { return isa<cute::CopyAtomType>(unwrap(type)); }
bool tesseraTypeIsAnMmaAtom(MlirType type) { return isa<cute::MmaAtomType>(unwrap(type)); }
bool tesseraTypeIsStatic(MlirType type) {
  auto maybe = dyn_cast<cute::MaybeStaticType>(unwrap(type));
  bool isStatic = false; // its value is copied, for which there may be no memory
  return maybe && guardedCall([&] { isStatic = maybe.isStatic(); }) && isStatic;
}

bool tesseraTypeValue(MlirType type, MlirStringCallback callback, void *userData) {
  std::string text;
  auto read = [&] {
    text = llvm::TypeSwitch<Type, std::string>(unwrap(type))
               .Case<cute::IntTupleType, cute::ShapeType, cute::StrideType, cute::CoordType,
                     cute::LayoutType, cute::ComposedLayoutType>(
                   [](auto value) { return layout::str(value.getValue()); })
               .Default(std::string());
  };
  if (!guardedCall(read) || text.empty())
    return false;
  callback(mlirStringRefCreate(text.data(), text.size()), userData);
  return true;
}
