// Atoms of TMA: what can be reduced, and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/bulk/Bulk.h"
#include "tessera/cute_nvgpu/families/tma/Tma.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

LogicalResult tessera::cute_nvgpu::reductionGate(Emitter emitError, const CopyForm &form) {
  // Tensor maps reduce as bulk reductions into global memory do, but name the type themselves.
  atom::Reduction kind = form.key.reduction;
  if (bulkReductionRow(/*toCluster=*/false, kind, form.valType))
    return success();
  return emitError() << sentence(
             Diag::TmaReduction, StringRef(atom::keyword(kind)), form.valType,
             StringRef(atom::reducedTypes(atom::CopyFamily::BulkReduceS2G, kind)));
}

LogicalResult tessera::cute_nvgpu::pixelGate(Emitter emitError, const CopyForm &form) {
  using enum atom::TmaMode;
  atom::TmaMode mode = form.key.mode;
  if (mode == Im2col || mode == Im2colW || mode == Im2colW128)
    return success();
  return emitError() << sentence(Diag::Im2colMode, StringRef(atom::keyword(mode)));
}

static FailureOr<bool> readTmaFormat(AsmParser &parser, StringRef key,
                                     std::optional<atom::TensorMapType> &format, Type &internal) {
  if (key == "internal_val_type") {
    if (parser.parseType(internal))
      return failure();
    return true;
  }
  if (key != "tma_format")
    return false;
  atom::TensorMapType value;
  if (failed(parseCase(parser, value)))
    return failure();
  format = value;
  return true;
}

ParseResult tessera::cute_nvgpu::parsePixelFormat(AsmParser &parser,
                                                  std::optional<atom::TensorMapType> &format,
                                                  Type &internal, atom::TmaMode &mode) {
  mode = atom::TmaMode::Im2col;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key == "mode")
      return parseCase(parser, mode);
    return readTmaFormat(parser, key, format, internal);
  });
}
void tessera::cute_nvgpu::printPixelFormat(AsmPrinter &printer,
                                           std::optional<atom::TensorMapType> format, Type internal,
                                           atom::TmaMode mode) {
  printTmaFormat(printer, format, internal);
  if (mode != atom::TmaMode::Im2col)
    printer << ", mode = " << mode;
}

ParseResult tessera::cute_nvgpu::parseTmaFormat(AsmParser &parser,
                                                std::optional<atom::TensorMapType> &format,
                                                Type &internal) {
  return parseOptions(parser,
                      [&](StringRef key) { return readTmaFormat(parser, key, format, internal); });
}
void tessera::cute_nvgpu::printTmaFormat(AsmPrinter &printer,
                                         std::optional<atom::TensorMapType> format, Type internal) {
  if (internal)
    printer << ", internal_val_type = " << internal;
  if (format)
    printer << ", tma_format = " << *format;
}

LogicalResult TmaStoreModeAttr::verify(Emitter emitError, atom::TmaMode mode) {
  using enum atom::TmaMode;
  if (mode == Tiled || mode == Im2col || mode == Scatter4)
    return success();
  return emitError() << sentence(Diag::TmaStoreMode, StringRef(atom::keyword(mode)));
}
