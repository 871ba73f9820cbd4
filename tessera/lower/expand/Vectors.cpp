// Vectors are lists of scalars: what works on elements works on them one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;

namespace tessera::lower {

/// Formats below 16 bits convert in packs; the ops that do so are lowered as they are.
static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16;
}
static bool isFlatVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}

bool isElementwiseOnVectors(Operation *op) {
  auto narrow = [](TypeRange types) { return llvm::any_of(types, isNarrowFloat); };
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isFlatVector(op->getResult(0).getType()) && !narrow(op->getOperandTypes()) &&
         !narrow(op->getResultTypes());
}

struct VectorRules {
  Expander &e;

  Value scalarOp(Operation *op, ValueRange operands, Type type) {
    Operation *scalar = Operation::create(e.loc(), op->getName(), type, operands,
                                          NamedAttrList(op->getDiscardableAttrDictionary()),
                                          op->getPropertiesStorage(), BlockRange(), 0u);
    return e.b.insert(scalar)->getResult(0);
  }

  LogicalResult elementwise(Operation *op) {
    auto type = cast<VectorType>(op->getResult(0).getType());
    int64_t count = type.getNumElements();
    SmallVector<SmallVector<Value>> operands;
    for (Value operand : op->getOperands()) {
      bool scalar = !isa<VectorType>(operand.getType());
      operands.push_back(scalar ? SmallVector<Value>(size_t(count), e.value(operand))
                                : e.elementsOf(operand));
    }
    Type element = type.getElementType();
    // Two floats convert to 16 bits in one instruction.
    bool inPairs =
        isa<arith::TruncFOp>(op) && element.getIntOrFloatBitWidth() == 16 && count % 2 == 0;
    SmallVector<Value> results;
    for (int64_t i = 0; i < count; i += inPairs ? 2 : 1) {
      if (inPairs) {
        Value pair = e.pack({operands[0][size_t(i)], operands[0][size_t(i) + 1]});
        Value narrow = scalarOp(op, pair, VectorType::get({2}, element));
        llvm::append_range(results, e.elements(narrow));
        continue;
      }
      SmallVector<Value> ofThis;
      for (const SmallVector<Value> &operand : operands)
        ofThis.push_back(operand[size_t(i)]);
      results.push_back(scalarOp(op, ofThis, element));
    }
    e.bindVector(op->getResult(0), std::move(results));
    return success();
  }

  LogicalResult constant(arith::ConstantOp op) {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense || !isFlatVector(op.getType()))
      return e.clone(op);
    Type element = dense.getElementType();
    auto make = [&](Attribute value) -> Value {
      return arith::ConstantOp::create(e.b, e.loc(), element, cast<TypedAttr>(value));
    };
    SmallVector<Value> elements;
    if (dense.isSplat())
      elements.assign(size_t(dense.getNumElements()), make(dense.getSplatValue<Attribute>()));
    else
      for (Attribute value : dense.getValues<Attribute>())
        elements.push_back(make(value));
    e.bindVector(op, std::move(elements));
    return success();
  }

  LogicalResult broadcast(vector::BroadcastOp op) {
    if (isa<VectorType>(op.getSourceType()) || !isFlatVector(op.getType()))
      return e.clone(op);
    size_t count = size_t(op.getResultVectorType().getNumElements());
    e.bindVector(op, SmallVector<Value>(count, e.value(op.getSource())));
    return success();
  }

  LogicalResult fromElements(vector::FromElementsOp op) {
    if (!isFlatVector(op.getType()))
      return e.clone(op);
    SmallVector<Value> elements;
    for (Value element : op.getElements())
      elements.push_back(e.value(element));
    e.bindVector(op, std::move(elements));
    return success();
  }

  LogicalResult extract(vector::ExtractOp op) {
    bool single = isFlatVector(op.getSource().getType()) && op.getStaticPosition().size() == 1 &&
                  !op.hasDynamicPosition();
    if (!single)
      return e.clone(op);
    e.bind(op, e.elementsOf(op.getSource())[size_t(op.getStaticPosition()[0])]);
    return success();
  }

  LogicalResult reduction(vector::ReductionOp op) {
    SmallVector<Value> rest = e.elementsOf(op.getVector());
    auto combine = [&](Value a, Value c) {
      return vector::makeArithReduction(e.b, e.loc(), op.getKind(), a, c, op.getFastmathAttr());
    };
    using Kind = vector::CombiningKind;
    bool ordered =
        isa<FloatType>(op.getType()) && (op.getKind() == Kind::ADD || op.getKind() == Kind::MUL);
    Value result = op.getAcc() ? e.value(op.getAcc()) : Value();
    if (ordered) { // one after the other, as the op is defined
      for (Value element : rest)
        result = result ? combine(result, element) : element;
    } else {
      while (rest.size() > 1) {
        SmallVector<Value> half;
        for (size_t i = 0; i + 1 < rest.size(); i += 2)
          half.push_back(combine(rest[i], rest[i + 1]));
        if (rest.size() % 2)
          half.push_back(rest.back());
        rest = std::move(half);
      }
      result = result ? combine(result, rest[0]) : rest[0];
    }
    e.bind(op, result);
    return success();
  }
};

LogicalResult expandElementwise(Expander &e, Operation *op) {
  return VectorRules{e}.elementwise(op);
}

RuleTable vectorRules() {
#define RULE(NAME, OP, METHOD)                                                                     \
  {                                                                                                \
    NAME, [](Expander &e, Operation *op) { return VectorRules{e}.METHOD(cast<OP>(op)); }           \
  }
  static constexpr NamedRule rules[] = {
      RULE("arith.constant", arith::ConstantOp, constant),
      RULE("vector.broadcast", vector::BroadcastOp, broadcast),
      RULE("vector.from_elements", vector::FromElementsOp, fromElements),
      RULE("vector.extract", vector::ExtractOp, extract),
      RULE("vector.reduction", vector::ReductionOp, reduction),
  };
#undef RULE
  return rules;
}

} // namespace tessera::lower
