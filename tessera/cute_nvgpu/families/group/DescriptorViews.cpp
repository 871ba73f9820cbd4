// Matrix descriptors as iterators of views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"

#include "tessera/layout/Text.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

Type SmemDescViewType::parse(AsmParser &parser) {
  Type desc;
  std::string text;
  if (parser.parseLess() || parser.parseType(desc) || parser.parseComma())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  Result<layout::AnyLayout> l = layout::parseAnyLayout(text);
  if (!l) {
    parser.emitError(loc, l.reason().text);
    return {};
  }
  return get(parser.getContext(), desc, *l);
}
void SmemDescViewType::print(AsmPrinter &printer) const {
  printer << "<" << getDesc() << ", \"" << layout::str(getLayout()) << "\">";
}
Type SmemDescViewType::getIteratorType() const { return getDesc(); }
layout::AnyLayout SmemDescViewType::getViewLayout() const { return getLayout(); }

Type SmemDescType::advanced(const layout::Tree &offset) const {
  return offset.isLeaf() && !offset.leaf().isBasis() ? Type(*this) : Type();
}
Type SmemDescType::viewWith(const layout::AnyLayout &l) const {
  return SmemDescViewType::get(getContext(), *this, l);
}
