// Asking LLVM 22's ops about properties.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/KnownOps.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace tessera::import {

std::optional<RegisteredOperationName> KnownOps::lookup(StringRef opName) const {
  context->getOrLoadDialect(opName.split('.').first); // reading so far may have stopped before it
  return RegisteredOperationName::lookup(opName, context);
}

bool KnownOps::hasProperty(StringRef opName, StringRef property) const {
  auto known = lookup(opName);
  return known && llvm::is_contained(known->getAttributeNames(), property);
}

Attribute KnownOps::translate(Attribute foreign) {
  auto [entry, isNew] = translated.try_emplace(foreign);
  if (isNew) {
    std::string text;
    llvm::raw_string_ostream(text) << foreign;
    Captured unused(context); // whoever asks reports it, with the op
    entry->second = parseAttribute(text, context);
  }
  return entry->second;
}

LogicalResult KnownOps::accepts(Operation *op, StringRef opName, const NamedAttrList &properties) {
  auto known = lookup(opName);
  StringRef name = op->getName().getStringRef();
  if (!known || properties.empty() ||
      accepted.contains(
          {StringAttr::get(op->getContext(), opName), properties.getDictionary(op->getContext())}))
    return success();
  NamedAttrList ours;
  for (NamedAttribute property : properties) {
    StringRef key = property.getName().getValue();
    if (!llvm::is_contained(known->getAttributeNames(), key))
      return refuse(op->getLoc(), Diag::PropertyUnknown, name, key);
    Attribute value = translate(property.getValue());
    if (!value)
      return refuse(op->getLoc(), Diag::PropertyValue, name, key, "an attribute of LLVM 22",
                    property.getValue());
    ours.set(key, value);
  }
  // The op itself says whether the values are of the right kind; a probe, because creating an op
  // with wrong ones is an assertion.
  Operation *probe =
      Operation::create(UnknownLoc::get(context), *known, {}, {}, NamedAttrList(), nullptr, {}, 0);
  LogicalResult fits = probe->setPropertiesFromAttribute(ours.getDictionary(context), [&] {
    InFlightDiagnostic report = emitError(op->getLoc());
    report << name << ": ";
    return report;
  });
  probe->destroy();
  if (succeeded(fits))
    accepted.insert(
        {StringAttr::get(op->getContext(), opName), properties.getDictionary(op->getContext())});
  return fits;
}

} // namespace tessera::import
