// Parameters: what types of parameters accept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Parameters.h"

#include "tessera/jit/Packing.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/lower/LoweredTypes.h"

using namespace mlir;

namespace tessera::jit {

using run::Parameter;

namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A parameter that is one number: its type, and what must divide it.
struct NumberType {
  Type type;
  int64_t divisor = 1;
};
/// Integers, floating-point numbers, constrained integers, and cute values without a pointer that
/// have one dynamic leaf.
std::optional<NumberType> numberType(Type parameter) {
  if (run::elementsOf(textOf(parameter)))
    return NumberType{parameter};
  std::vector<layout::Int> leaves;
  cute::Datum datum = cute::datumOf(parameter);
  datum.forEachDynamicLeaf([&](layout::Int &leaf) { leaves.push_back(leaf); });
  if (leaves.size() != 1)
    return std::nullopt;
  return NumberType{IntegerType::get(parameter.getContext(), layout::bitsOf(leaves[0].width)),
                    leaves[0].div};
}

Parameter refuse(Parameter parameter, run::Error why, std::string shown = "") {
  parameter.kind = Parameter::Kind::Refused;
  parameter.refusal = why;
  parameter.refused = std::move(shown);
  return parameter;
}

/// The fields that all pointers need.
Parameter bufferOf(cute::PtrType pointer, Parameter parameter) {
  parameter.kind = Parameter::Kind::Pointer;
  parameter.element = run::arrayElementsOf(textOf(pointer.getElementType()))
                          .value_or(run::ElementTypes{textOf(pointer.getElementType()), {}});
  parameter.alignment = pointer.getAlignment();
  parameter.onDevice = pointer.getAddressSpace() == cute::AddressSpace::Gmem;
  if (!parameter.onDevice && pointer.getAddressSpace() != cute::AddressSpace::Generic)
    return refuse(std::move(parameter), run::Error::BindSpace,
                  std::string(atom::name(pointer.getAddressSpace())));
  return parameter;
}

Parameter tensorOf(cute::CuteMemRefType memref, Parameter parameter) {
  cute::PtrType pointer = memref.getPtrType();
  parameter = bufferOf(pointer, std::move(parameter));
  if (parameter.kind == Parameter::Kind::Refused)
    return parameter;
  if (!memref.getLayout().affine() || memref.getLayout().shape().hasBasis())
    return refuse(std::move(parameter), run::Error::BindLayout, layout::str(memref.getLayout()));
  if (pointer.hasSwizzle())
    return refuse(std::move(parameter), run::Error::BindLayout, layout::str(pointer.getSwizzle()));
  const std::vector<run::Dtype> &dtypes = parameter.element.dtypes;
  if (dtypes.empty() || cute::bitsOf(memref.getElementType()) != run::storageBits(dtypes[0]))
    return refuse(std::move(parameter), run::Error::BindType);
  parameter.kind = Parameter::Kind::Tensor;
  parameter.modes = run::Modes(*memref.getLayout().affine());
  return parameter;
}

} // namespace

Parameter parameterOf(Type type) {
  Parameter parameter;
  parameter.type = textOf(type);
  Type lowered = lower::LoweredTypes(type.getContext()).convertType(type);
  if (lowered && !lower::LoweredTypes::hasContent(lowered))
    return parameter;
  std::optional<run::Packing> packing = lowered ? packingOf(lowered) : std::nullopt;
  if (!packing || packing->leaves.empty())
    return refuse(std::move(parameter), run::Error::BindType);
  parameter.packing = *std::move(packing);
  if (isa<cuda::StreamType>(type)) {
    parameter.kind = Parameter::Kind::Stream;
    return parameter;
  }
  if (auto memref = dyn_cast<cute::CuteMemRefType>(type))
    return tensorOf(memref, std::move(parameter));
  if (auto pointer = dyn_cast<cute::PtrType>(type))
    return bufferOf(pointer, std::move(parameter));
  std::optional<NumberType> number = numberType(type);
  if (!number)
    return refuse(std::move(parameter), run::Error::BindType);
  parameter.kind = Parameter::Kind::Number;
  parameter.element = *run::elementsOf(textOf(number->type));
  parameter.divisor = number->divisor;
  return parameter;
}

std::vector<Parameter> parametersOf(TypeRange types) {
  std::vector<Parameter> parameters;
  for (Type type : types)
    parameters.push_back(parameterOf(type));
  return parameters;
}

std::vector<func::FuncOp> hostFunctions(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        !(function.isPrivate() && !SymbolTable::symbolKnownUseEmpty(function, module)))
      functions.push_back(function);
  return functions;
}

} // namespace tessera::jit
