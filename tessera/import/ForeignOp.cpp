// Reading and replacing foreign ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/ForeignOp.h"

#include "tessera/import/ForeignContext.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace tessera::import {

ForeignOp::ForeignOp(Operation *op, const Row *row, KnownOps &target)
    : op(op), rowPtr(row), target(target), builder(op) {
  if (auto given = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    properties.append(given.getValue());
  // The custom form writes properties among the other attributes, which have a dialect's prefix. Of
  // an op that is defined here MLIR's parser took its properties out; what is left may be one that
  // only a row knows.
  const bool defined = isDefined(op->getName());
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef key = attribute.getName().getValue();
    if (key.contains('.')) {
      discardable.push_back(attribute);
      continue;
    }
    properties.push_back(attribute);
    if (defined)
      notes.push_back(key);
  }
}

LogicalResult ForeignOp::check() const {
  const Row &row = *rowPtr;
  if (!row.variadic &&
      (op->getNumOperands() < row.minOperands() || op->getNumOperands() > row.maxOperands())) {
    std::string range =
        row.optional ? llvm::formatv("{0} to {1}", row.minOperands(), row.maxOperands()).str()
                     : std::to_string(row.maxOperands());
    return refuse(Diag::OperandCount, range, op->getNumOperands());
  }
  unsigned results = row.result != Slot::None;
  if (op->getNumResults() != results)
    return refuse(Diag::ResultCount, results, op->getNumResults());
  Type result = results ? resultType() : Type();
  Type first = op->getNumOperands() ? operand(0).getType() : Type();
  if (row.result > Slot::Any && result != typeOf(row.result, context(), first))
    return refuse(Diag::ResultType, import::name(row.result), result);
  // Which of several optional operands is there is for the op's verifier: their slots are alike.
  if (row.variadic)
    return success();
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes())) {
    if (row.operands[i] != Slot::Any && type != typeOf(row.operands[i], context(), result))
      return refuse(Diag::OperandType, i, import::name(row.operands[i]), type);
  }
  return success();
}

LogicalResult ForeignOp::edit() {
  for (const Edit &edit : rowPtr->edits) {
    switch (edit.kind) {
    case Edit::None: break;
    case Edit::Drop: properties.erase(edit.property); break;
    case Edit::Set: properties.set(edit.property, parseAttribute(edit.to, context())); break;
    case Edit::Enum: {
      if (!properties.get(edit.property))
        break;
      FailureOr<StringRef> enumerator = takeEnumerator(edit.property, edit.from);
      if (failed(enumerator))
        return failure();
      properties.push_back(
          property(edit.property, llvm::formatv("#nvvm.{0}<{1}>", edit.to, *enumerator).str()));
      break;
    }
    }
  }
  return success();
}

/// The enumerator in the text of an attribute that nobody here has a definition of.
static StringRef enumeratorIn(StringRef text, StringRef mnemonic) {
  if (!text.consume_front(mnemonic))
    return {};
  if (text.consume_front(" "))
    return text;
  return text.consume_front("<") && text.consume_back(">") ? text : StringRef();
}

FailureOr<StringRef> ForeignOp::takeEnumerator(StringRef property, StringRef mnemonic,
                                               StringRef otherwise) {
  Attribute given = take(property);
  if (!given && !otherwise.empty())
    return otherwise;
  std::string expected = ("#" + name().split('.').first + "." + mnemonic + "<...>").str();
  if (!given)
    return refuse(Diag::PropertyMissing, property, expected);
  auto opaque = dyn_cast<OpaqueAttr>(given);
  StringRef enumerator = opaque ? enumeratorIn(opaque.getAttrData(), mnemonic) : StringRef();
  if (enumerator.empty())
    return refuse(Diag::PropertyValue, property, expected, given);
  return enumerator;
}

FailureOr<bool> ForeignOp::takeFlag(StringRef property, bool otherwise) {
  Attribute given = take(property);
  if (!given)
    return otherwise;
  auto flag = dyn_cast<BoolAttr>(given);
  if (!flag)
    return refuse(Diag::PropertyValue, property, "true or false", given);
  return flag.getValue();
}

Operation *ForeignOp::create(StringRef opName, TypeRange results, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  context()->getOrLoadDialect(opName.split('.').first); // the file may not have used it
  // As attributes also where the op has no definition in this context: LLVM 22's bytecode reader
  // takes the properties of such an op for those of a defined one (it tests whether an
  // optional<bool> is there).
  OperationState state(op->getLoc(), opName, operands, results, attributes);
  return builder.create(state);
}

Value ForeignOp::ptx(StringRef text, StringRef constraints, Type result, ValueRange operands,
                     bool touchesMemory) {
  std::string all = constraints.str();
  if (touchesMemory)
    all += all.empty() ? "~{memory}" : ",~{memory}";
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("asm_string", builder.getStringAttr(text)),
      builder.getNamedAttr("constraints", builder.getStringAttr(all)),
      property("asm_dialect", "0 : i64")};
  if (touchesMemory)
    attributes.push_back(builder.getNamedAttr("has_side_effects", builder.getUnitAttr()));
  Operation *made =
      create("llvm.inline_asm", result ? TypeRange(result) : TypeRange(), operands, attributes);
  return result ? made->getResult(0) : Value();
}

NamedAttribute ForeignOp::property(StringRef propertyName, StringRef text) {
  return builder.getNamedAttr(propertyName, parseAttribute(text, context()));
}

LogicalResult ForeignOp::becomes(StringRef opName) {
  for (StringRef note : notes)
    if (Attribute value = target.hasProperty(opName, note) ? Attribute() : take(note))
      discardable.emplace_back(build().getStringAttr(note), value);
  if (failed(target.accepts(op, opName, properties)))
    return failure();
  Operation *made = create(opName, op->getResultTypes(), op->getOperands(), properties);
  properties.clear();
  for (NamedAttribute attribute : discardable)
    made->setDiscardableAttr(attribute.getName(), attribute.getValue());
  return replace(made->getResults());
}

LogicalResult ForeignOp::replace(ValueRange values) {
  for (StringRef note : notes)
    take(note);
  if (!properties.empty())
    return refuse(Diag::PropertyUnknown, properties.begin()->getName().getValue());
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

} // namespace tessera::import
