// Atoms of a warp: the keys of matrix copies, elements in registers, and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/families/warp/Warp.h"

using namespace mlir;
using namespace tessera;
using atom::BitOp;
using atom::CopyKey;
using atom::Major;
using atom::Overflow;

/// The extents of a matrix from its mode, a shape such as (8,8).
static std::pair<int64_t, int64_t> matrixOf(cute::ShapeAttr mode) {
  layout::Tree shape = mode.getValue();
  if (!shape.isTuple() || shape.rank() != 2 || !shape.isStatic() || shape.depth() != 1)
    return {0, 0};
  return {shape[0].leaf().value.value, shape[1].leaf().value.value};
}

CopyKey tessera::cute_nvgpu::ldsmKey(cute::ShapeAttr mode, atom::SizePattern pattern,
                                     int64_t matrices, bool transpose) {
  CopyKey key{.family = atom::CopyFamily::Ldsm};
  std::tie(key.rows, key.columns) = matrixOf(mode);
  key.matrices = matrices;
  key.transpose = transpose;
  key.format = atom::packedFormat(pattern);
  return key;
}
CopyKey tessera::cute_nvgpu::stsmKey(cute::ShapeAttr mode, int64_t matrices, bool transpose) {
  CopyKey key{.family = atom::CopyFamily::Stsm};
  std::tie(key.rows, key.columns) = matrixOf(mode);
  key.matrices = matrices;
  key.transpose = transpose;
  return key;
}

Type tessera::cute_nvgpu::registerElement(const atom::Operand &operand, Type element) {
  bool widened =
      operand.where == atom::Residency::Rmem && operand.storedBits() > atom::bits(operand.element);
  return widened ? IntegerType::get(element.getContext(), unsigned(operand.storedBits())) : element;
}

ParseResult tessera::cute_nvgpu::parseWarpMmaOptions(AsmParser &parser, Major &a, Major &b,
                                                     Overflow &overflow, BitOp &op) {
  a = b = Major::K;
  overflow = Overflow::Wrapped;
  op = BitOp::None;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key == "int_overflow")
      return parseCase(parser, overflow);
    if (key == "binary_op")
      return parseCase(parser, op);
    if (key != "ab_major")
      return false;
    if (parser.parseLParen() || failed(parseCase(parser, a)) || parser.parseComma() ||
        failed(parseCase(parser, b)) || parser.parseRParen())
      return failure();
    return true;
  });
}
void tessera::cute_nvgpu::printWarpMmaOptions(AsmPrinter &printer, Major a, Major b,
                                              Overflow overflow, BitOp op) {
  if (a != Major::K || b != Major::K)
    printer << ", ab_major = (" << a << ", " << b << ")";
  printOverflowOption(printer, overflow);
  if (op != BitOp::None)
    printer << ", binary_op = <" << op << ">";
}

ParseResult tessera::cute_nvgpu::parseFlagOption(AsmParser &parser, bool &useSfLayoutTv) {
  useSfLayoutTv = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  StringRef value;
  SMLoc loc;
  if (parser.parseKeyword("use_sf_layout_TV") || parser.parseEqual() ||
      parser.getCurrentLocation(&loc) || parser.parseKeyword(&value))
    return failure();
  useSfLayoutTv = value == "true";
  if (value != "true" && value != "false")
    return parser.emitError(loc, "expects true or false, but got '") << value << "'";
  return success();
}
void tessera::cute_nvgpu::printFlagOption(AsmPrinter &printer, bool useSfLayoutTv) {
  if (useSfLayoutTv)
    printer << ", use_sf_layout_TV = true";
}

ParseResult tessera::cute_nvgpu::parseTranspose(AsmParser &parser, bool &transpose) {
  transpose = succeeded(parser.parseOptionalKeyword("t"));
  return transpose ? ParseResult(success()) : parser.parseKeyword("n");
}
void tessera::cute_nvgpu::printTranspose(AsmPrinter &printer, bool transpose) {
  printer << (transpose ? "t" : "n");
}
