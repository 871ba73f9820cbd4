// The `cuda` dialect: forms and rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda/Cuda.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda;

#include "tessera/cuda/Dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/cuda/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cuda/Types.cpp.inc"

void CudaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/cuda/Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/cuda/Attrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tessera/cuda/Ops.cpp.inc"
      >();
}

/// `<` code `,` when `,` `[` target, ... `]` `>`, all of them keywords.
Attribute ComputeTargetAttr::parse(AsmParser &parser, Type) {
  auto word = [&](StringAttr &to) -> ParseResult {
    std::string keyword;
    if (parser.parseKeywordOrString(&keyword))
      return failure();
    to = StringAttr::get(parser.getContext(), keyword);
    return success();
  };
  StringAttr code, when;
  SmallVector<StringAttr> targets;
  if (parser.parseLess() || word(code) || parser.parseComma() || word(when) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return word(targets.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), code, when, targets);
}
void ComputeTargetAttr::print(AsmPrinter &printer) const {
  printer << '<';
  for (StringAttr word : {getCode(), getWhen()}) {
    printer.printKeywordOrString(word);
    printer << ", ";
  }
  printer << '[';
  llvm::interleaveComma(getTargets(), printer,
                        [&](StringAttr target) { printer.printKeywordOrString(target); });
  printer << "]>";
}

LogicalResult LaunchCfgType::verify(function_ref<InFlightDiagnostic()> emitError,
                                    int64_t maxAttrs) {
  if (maxAttrs < 0)
    return emitError() << "expects room for 0 or more attributes, but got " << maxAttrs;
  return success();
}

//===--- kernel -------------------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &b, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return b.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

/// What every GPU that CUDA runs on demands of the threads of a block.
static LogicalResult verifyThreads(KernelOp kernel, StringRef name) {
  constexpr int64_t most = 1024;
  auto extents = kernel->getAttrOfType<DenseI32ArrayAttr>(name);
  if (!extents)
    return success();
  int64_t threads = 1;
  bool positive = true;
  for (int32_t extent : extents.asArrayRef()) {
    positive &= extent > 0;
    threads = std::min(threads * std::max(extent, 1), most + 1);
  }
  if (!positive || threads > most)
    return kernel.emitOpError() << "expects " << name << " to have extents of at least 1, and "
                                << "at most " << most << " threads in all, but got " << extents;
  return success();
}

LogicalResult KernelOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError() << "Kernel functions do not support return with operands";
  if (failed(verifyThreads(*this, "nvvm.reqntid")))
    return failure();
  return verifyThreads(*this, "nvvm.maxntid");
}

StringRef KernelOp::getDefaultDialect() { return CudaDialect::getDialectNamespace(); }

//===--- launches -----------------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  bool toInteger = isa<IntegerType>(getOutput().getType());
  if (isa<IntegerType>(getInput().getType()) == toInteger)
    return emitOpError()
           << "expects an integer on one side and a stream or result on the other, but got "
           << getInput().getType() << " and " << getOutput().getType();
  return success();
}

namespace {
/// `<max_attrs = 3 : i32> (blockDim = (%x, %y, %z), dynamicSmemBytes = %s, gridDim = (...), stream
/// = %st)`
struct Part {
  StringRef name;
  unsigned operands;
};
constexpr Part parts[] = {{"blockDim", 3}, {"dynamicSmemBytes", 1}, {"gridDim", 3}, {"stream", 1}};
} // namespace

ParseResult LaunchCfgCreateOp::parse(OpAsmParser &parser, OperationState &result) {
  int32_t maxAttrs;
  Type i32 = parser.getBuilder().getI32Type();
  if (parser.parseLess() || parser.parseKeyword("max_attrs") || parser.parseEqual() ||
      parser.parseInteger(maxAttrs) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(i32)) || parser.parseGreater())
    return failure();
  result.addAttribute("maxNumAttrs", parser.getBuilder().getI32IntegerAttr(maxAttrs));
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen())
    return failure();
  for (const Part &part : parts) {
    if ((&part != parts && parser.parseComma()) || parser.parseKeyword(part.name) ||
        parser.parseEqual())
      return failure();
    if (part.operands == 1 ? parser.parseOperand(operands.emplace_back())
                           : parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
      return failure();
  }
  SmallVector<Type> types;
  Type config;
  // Attributes that the op declares are checked here: a wrong one would leave a property of another
  // type.
  if (parser.parseRParen() || parser.parseOptionalAttrDict(result.attributes) ||
      failed(result.name.verifyInherentAttrs(
          result.attributes,
          [&] { return parser.emitError(loc) << "'" << getOperationName() << "' op "; })) ||
      parser.parseColonTypeList(types) || parser.parseArrow() || parser.parseType(config) ||
      parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addTypes(config);
  return success();
}

void LaunchCfgCreateOp::print(OpAsmPrinter &printer) {
  printer << "<max_attrs = " << getMaxNumAttrsAttr() << "> (";
  unsigned next = 0;
  for (const Part &part : parts) {
    printer << (next ? ", " : "") << part.name << " = ";
    auto operands = getOperation()->getOperands().slice(next, part.operands);
    if (part.operands == 1)
      printer << operands;
    else
      printer << "(" << operands << ")";
    next += part.operands;
  }
  printer << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"maxNumAttrs"});
  printer << " : " << getOperandTypes() << " -> " << getType();
}

LogicalResult LaunchCfgCreateOp::verify() {
  if (int64_t(getMaxNumAttrs()) != getType().getMaxAttrs())
    return emitOpError() << "expects max_attrs to be that of the result, "
                         << getType().getMaxAttrs() << ", but got " << getMaxNumAttrs();
  return success();
}

LogicalResult LaunchExOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCallee());
  if (!callee)
    return emitOpError() << "expects a kernel, but there is no " << getCallee();
  auto kernel = dyn_cast<FunctionOpInterface>(callee);
  if (!kernel)
    return emitOpError() << "expects a kernel, but " << getCallee() << " is a "
                         << callee->getName();
  // While kernels and launches are lowered one after the other their types differ.
  auto cudaKernel = dyn_cast<KernelOp>(callee);
  if (cudaKernel && TypeRange(cudaKernel.getArgumentTypes()) != getArguments().getTypes())
    return emitOpError() << "expects arguments of types ("
                         << TypeRange(cudaKernel.getArgumentTypes()) << ") for " << getCallee()
                         << ", but got (" << getArguments().getTypes() << ")";
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cuda/Ops.cpp.inc"
