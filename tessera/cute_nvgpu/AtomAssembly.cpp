// The atom types: parsing, printing, and the check that their parameters pick a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

#include "tessera/cute_nvgpu/Enums.cpp.inc"

//===--- 16x8x16 ------------------------------------------------------------------------------===//

static ParseResult parseShapeMnk(AsmParser &parser, ShapeMnk &shape) {
  SmallVector<int64_t, 3> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return failure();
  if (dims.size() != 3)
    return parser.emitError(loc, "expects an MMA shape of three extents, MxNxK, but got ")
           << dims.size();
  shape = {dims[0], dims[1], dims[2]};
  return success();
}
static void printShapeMnk(AsmPrinter &printer, const ShapeMnk &shape) {
  printer << shape.m << "x" << shape.n << "x" << shape.k;
}

//===--- optional parts, `, key = value` ------------------------------------------------------===//

/// Reads `, key = value` groups as long as `read` takes them; `read` gets the key after its `=`.
static ParseResult parseOptions(AsmParser &parser, function_ref<FailureOr<bool>(StringRef)> read) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    FailureOr<bool> known = read(key);
    if (failed(known))
      return failure();
    if (!*known)
      return parser.emitError(loc, "expects an option of this atom, but got '") << key << "'";
  }
  return success();
}

/// Reads a keyword that names a case of `Enum`.
template <class Enum> static FailureOr<bool> parseCase(AsmParser &parser, Enum &value) {
  FailureOr<Enum> parsed = FieldParser<Enum>::parse(parser);
  if (failed(parsed))
    return failure();
  value = *parsed;
  return true;
}

static ParseResult parseWarpMmaOptions(AsmParser &parser, Major &a, Major &b, Overflow &overflow,
                                       BinaryOp &op) {
  a = b = Major::k;
  overflow = Overflow::wrapped;
  op = BinaryOp::none;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key == "overflow")
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
static void printWarpMmaOptions(AsmPrinter &printer, Major a, Major b, Overflow overflow,
                                BinaryOp op) {
  if (a != Major::k || b != Major::k)
    printer << ", ab_major = (" << stringifyMajor(a) << ", " << stringifyMajor(b) << ")";
  if (overflow != Overflow::wrapped)
    printer << ", overflow = " << stringifyOverflow(overflow);
  if (op != BinaryOp::none)
    printer << ", binary_op = " << stringifyBinaryOp(op);
}

static ParseResult parseOverflowOption(AsmParser &parser, Overflow &overflow) {
  overflow = Overflow::wrapped;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    return key == "overflow" ? parseCase(parser, overflow) : FailureOr<bool>(false);
  });
}
static void printOverflowOption(AsmPrinter &printer, Overflow overflow) {
  if (overflow != Overflow::wrapped)
    printer << ", overflow = " << stringifyOverflow(overflow);
}

/// Without `op` the atom has no such option.
static ParseResult parseGroupOptions(AsmParser &parser, Overflow &overflow, bool &negA, bool &negB,
                                     BinaryOp *op) {
  overflow = Overflow::wrapped;
  negA = negB = false;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key == "overflow")
      return parseCase(parser, overflow);
    if (op && key == "binary_op")
      return parseCase(parser, *op);
    bool *flag = key == "neg_a" ? &negA : key == "neg_b" ? &negB : nullptr;
    if (!flag)
      return false;
    StringRef value;
    if (parser.parseKeyword(&value))
      return failure();
    *flag = value == "true";
    return true;
  });
}
static ParseResult parseSm90Options(AsmParser &parser, Overflow &overflow, bool &negA, bool &negB) {
  return parseGroupOptions(parser, overflow, negA, negB, nullptr);
}
static ParseResult parseSm90Options(AsmParser &parser, Overflow &overflow, bool &negA, bool &negB,
                                    BinaryOp &op) {
  op = BinaryOp::none;
  return parseGroupOptions(parser, overflow, negA, negB, &op);
}
static void printSm90Options(AsmPrinter &printer, Overflow overflow, bool negA, bool negB,
                             BinaryOp op = BinaryOp::none) {
  printOverflowOption(printer, overflow);
  if (negA)
    printer << ", neg_a = true";
  if (negB)
    printer << ", neg_b = true";
  if (op != BinaryOp::none)
    printer << ", binary_op = " << stringifyBinaryOp(op);
}

static ParseResult parseFlagOption(AsmParser &parser, bool &useSfLayoutTV) {
  useSfLayoutTV = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  useSfLayoutTV = true;
  return parser.parseKeyword("use_sf_layout_tv");
}
static void printFlagOption(AsmPrinter &printer, bool useSfLayoutTV) {
  if (useSfLayoutTV)
    printer << ", use_sf_layout_tv";
}

//===--- copies -------------------------------------------------------------------------------===//

/// `, 128 b` and `, l1_cache_eviction_priority=no_allocate`, both optional.
static ParseResult parseUniversalCopyOptions(AsmParser &parser, int32_t &bits,
                                             std::optional<EvictionPriority> &eviction) {
  bits = 0;
  while (succeeded(parser.parseOptionalComma())) {
    OptionalParseResult width = parser.parseOptionalInteger(bits);
    if (width.has_value()) {
      if (failed(*width) || parser.parseKeyword("b"))
        return failure();
      continue;
    }
    EvictionPriority priority;
    if (parser.parseKeyword("l1_cache_eviction_priority") || parser.parseEqual() ||
        failed(parseCase(parser, priority)))
      return failure();
    eviction = priority;
  }
  return success();
}
static void printUniversalCopyOptions(AsmPrinter &printer, int32_t bits,
                                      std::optional<EvictionPriority> eviction) {
  if (bits)
    printer << ", " << bits << " b";
  if (eviction)
    printer << ", l1_cache_eviction_priority=" << stringifyEvictionPriority(*eviction);
}

static ParseResult parseTranspose(AsmParser &parser, bool &transpose) {
  transpose = succeeded(parser.parseOptionalKeyword("t"));
  return transpose ? ParseResult(success()) : parser.parseKeyword("n");
}
static void printTranspose(AsmPrinter &printer, bool transpose) {
  printer << (transpose ? "t" : "n");
}

/// `x128`, then `, pack16b`.
static ParseResult parseRepeat(AsmParser &parser, int32_t &repeat, bool &pack) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  if (!text.consume_front("x") || text.getAsInteger(10, repeat))
    return parser.emitError(loc, "expects a repeat count such as x4");
  pack = succeeded(parser.parseOptionalComma());
  return pack ? parser.parseKeyword("pack16b") : ParseResult(success());
}
static void printRepeat(AsmPrinter &printer, int32_t repeat, bool pack) {
  printer << "x" << repeat;
  if (pack)
    printer << ", pack16b";
}

static ParseResult parseMulticast(AsmParser &parser, bool &multicast) {
  multicast = succeeded(parser.parseOptionalKeyword("mcast"));
  return multicast ? ParseResult(failure(parser.parseEqual() || parser.parseKeyword("true")))
                   : ParseResult(success());
}
static void printMulticast(AsmPrinter &printer, bool multicast) {
  if (multicast)
    printer << " mcast = true";
}

static ParseResult parseTmaFormat(AsmParser &parser, std::optional<TmaDataFormat> &format,
                                  Type &internal) {
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (key == "internal_val_type") {
      if (parser.parseType(internal))
        return failure();
      return true;
    }
    if (key != "tma_format")
      return false;
    TmaDataFormat value;
    if (failed(parseCase(parser, value)))
      return failure();
    format = value;
    return true;
  });
}
static void printTmaFormat(AsmPrinter &printer, std::optional<TmaDataFormat> format,
                           Type internal) {
  if (internal)
    printer << ", internal_val_type = " << internal;
  if (format)
    printer << ", tma_format = " << stringifyTmaDataFormat(*format);
}

#define GET_ATTRDEF_CLASSES
#include "tessera/cute_nvgpu/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cute_nvgpu/Types.cpp.inc"

//===--- verifiers ----------------------------------------------------------------------------===//

/// Whether the parameters of a type pick a row.
template <class T, class... Parameters>
static LogicalResult checkRow(function_ref<InFlightDiagnostic()> emitError, MLIRContext *context,
                              const Parameters &...parameters) {
  auto instance = mlir::detail::TypeUniquer::get<T>(context, parameters...).getInstance();
  return instance ? success() : LogicalResult(emitError() << instance.reason().text);
}

/// Of a warp group's MMA, which can negate operands only of floats.
template <class T, class... Parameters>
static LogicalResult checkGroupRow(function_ref<InFlightDiagnostic()> emitError, Type a,
                                   bool negates, const Parameters &...parameters) {
  auto instance = mlir::detail::TypeUniquer::get<T>(a.getContext(), parameters...).getInstance();
  if (!instance)
    return emitError() << instance.reason().text;
  if (negates && !instance->row->negates())
    return emitError() << sentence(Diag::Negate, StringRef(instance->row->name));
  return success();
}

// The verifier of a type with these parameters; CONTEXT is one of them.
#define MMA_ROW(TYPE, CONTEXT, PARAMETERS, NAMES)                                                  \
  LogicalResult TYPE::verify PARAMETERS {                                                          \
    return checkRow<TYPE>(emitError, CONTEXT.getContext(), TESSERA_NAMES NAMES);                   \
  }
#define COPY_ROW(TYPE, PARAMETERS, NAMES)                                                          \
  LogicalResult TYPE::verify PARAMETERS {                                                          \
    return checkRow<TYPE>(emitError, val.getContext(), TESSERA_NAMES NAMES);                       \
  }
#define TESSERA_NAMES(...) __VA_ARGS__
using Emitter = function_ref<InFlightDiagnostic()>;

MMA_ROW(UniversalFmaType, a, (Emitter emitError, ShapeMnk shape, Type a, Type b, Type c),
        (shape, a, b, c))
MMA_ROW(Sm89MmaType, a, (Emitter emitError, ShapeMnk shape, Type a, Type b, Type c),
        (shape, a, b, c))
MMA_ROW(Sm80MmaType, a,
        (Emitter emitError, ShapeMnk shape, Type a, Type b, Type c, Major aMajor, Major bMajor,
         Overflow overflow, BinaryOp op),
        (shape, a, b, c, aMajor, bMajor, overflow, op))
MMA_ROW(Sm80SparseMmaType, a,
        (Emitter emitError, ShapeMnk shape, Type a, Type b, Type c, SparseMetadataFormat format,
         Overflow overflow),
        (shape, a, b, c, format, overflow))
LogicalResult Sm90MmaType::verify(Emitter emitError, ShapeMnk shape, Major aMajor, Major bMajor,
                                  Type a, Type b, Type c, FragKind kind, Overflow overflow,
                                  bool negA, bool negB, BinaryOp op) {
  return checkGroupRow<Sm90MmaType>(emitError, a, negA || negB, shape, aMajor, bMajor, a, b, c,
                                    kind, overflow, negA, negB, op);
}
LogicalResult Sm90MmaSpType::verify(Emitter emitError, ShapeMnk shape, Major aMajor, Major bMajor,
                                    Type a, Type b, Type c, FragKind kind, Overflow overflow,
                                    bool negA, bool negB) {
  return checkGroupRow<Sm90MmaSpType>(emitError, a, negA || negB, shape, aMajor, bMajor, a, b, c,
                                      kind, overflow, negA, negB);
}
MMA_ROW(Sm100MmaType, a,
        (Emitter emitError, ShapeMnk shape, int32_t ctas, Major aMajor, Major bMajor, Type a,
         Type b, Type c, FragKind kind, int32_t scaleExp, Overflow overflow),
        (shape, ctas, aMajor, bMajor, a, b, c, kind, scaleExp, overflow))
MMA_ROW(Sm100MmaSpType, a,
        (Emitter emitError, ShapeMnk shape, int32_t ctas, Major aMajor, Major bMajor, Type a,
         Type b, Type c, FragKind kind, int32_t scaleExp, Type e, SparseMetadataFormat format,
         Overflow overflow),
        (shape, ctas, aMajor, bMajor, a, b, c, kind, scaleExp, e, format, overflow))
MMA_ROW(Sm100MmaBsType, a,
        (Emitter emitError, ShapeMnk shape, int32_t ctas, Major aMajor, Major bMajor, Type a,
         Type b, Type c, Type sf, FragKind kind, int32_t vec),
        (shape, ctas, aMajor, bMajor, a, b, c, sf, kind, vec))
MMA_ROW(Sm100MmaBsSpType, a,
        (Emitter emitError, ShapeMnk shape, int32_t ctas, Major aMajor, Major bMajor, Type a,
         Type b, Type c, Type sf, FragKind kind, int32_t vec, SparseMetadataFormat format),
        (shape, ctas, aMajor, bMajor, a, b, c, sf, kind, vec, format))
MMA_ROW(Sm120MmaBsType, a,
        (Emitter emitError, ShapeMnk shape, int32_t vec, Type a, Type b, Type c, Type sf,
         bool useTv),
        (shape, vec, a, b, c, sf, useTv))

/// A row, and elements that can be reduced so.
template <class T, class... Parameters>
static LogicalResult checkReduction(Emitter emitError, Type val, ReductionKind kind,
                                    const Parameters &...parameters) {
  if (failed(checkRow<T>(emitError, val.getContext(), parameters...)))
    return failure();
  std::string wrong = reductionRefusal(kind, val);
  return wrong.empty() ? success() : LogicalResult(emitError() << wrong);
}
LogicalResult TmaReduceType::verify(Emitter emitError, Type val, int64_t bits, TmaMode mode,
                                    ReductionKind kind, cute::IntTupleAttr stride,
                                    cute::LayoutAttr basis) {
  return checkReduction<TmaReduceType>(emitError, val, kind, val, bits, mode, kind, stride, basis);
}
LogicalResult NonExecTiledTmaReduceType::verify(Emitter emitError, ReductionKind kind, Type val,
                                                int64_t bits, cute::LayoutAttr basis,
                                                std::optional<TmaDataFormat> format,
                                                Type internal) {
  return checkReduction<NonExecTiledTmaReduceType>(emitError, val, kind, kind, val, bits, basis,
                                                   format, internal);
}

using cute::IntTupleAttr;
using cute::LayoutAttr;
using cute::ShapeAttr;
COPY_ROW(UniversalCopyType,
         (Emitter emitError, Type val, int32_t bits, std::optional<EvictionPriority> eviction),
         (val, bits, eviction))
COPY_ROW(SimtAsyncCopyType, (Emitter emitError, Type val, LoadCacheMode cache, int32_t bits),
         (val, cache, bits))
COPY_ROW(LdsmType,
         (Emitter emitError, Type val, ShapeAttr mode, LdsmSzPattern pattern, int32_t matrices,
          bool t),
         (val, mode, pattern, matrices, t))
COPY_ROW(StsmType, (Emitter emitError, Type val, ShapeAttr mode, int32_t matrices, bool t),
         (val, mode, matrices, t))
COPY_ROW(TmemLoadType,
         (Emitter emitError, Type val, int32_t dp, int32_t bit, int32_t rep, bool pack),
         (val, dp, bit, rep, pack))
COPY_ROW(TmemStoreType,
         (Emitter emitError, Type val, int32_t dp, int32_t bit, int32_t rep, bool pack),
         (val, dp, bit, rep, pack))
COPY_ROW(S2TCopyType,
         (Emitter emitError, Type val, int32_t dp, int32_t bit, int32_t ctas,
          S2TBroadcast broadcast),
         (val, dp, bit, ctas, broadcast))
COPY_ROW(TmaLoadType,
         (Emitter emitError, Type val, int64_t bits, TmaMode mode, int32_t ctas,
          IntTupleAttr stride, bool mcast, LayoutAttr basis),
         (val, bits, mode, ctas, stride, mcast, basis))
COPY_ROW(TmaStoreType,
         (Emitter emitError, Type val, int64_t bits, TmaMode mode, IntTupleAttr stride,
          LayoutAttr basis),
         (val, bits, mode, stride, basis))
COPY_ROW(NonExecTiledTmaLoadType,
         (Emitter emitError, TiledTmaLoad kind, Type val, int64_t bits, LayoutAttr basis,
          std::optional<TmaDataFormat> format, Type internal),
         (kind, val, bits, basis, format, internal))
COPY_ROW(NonExecTiledTmaStoreType,
         (Emitter emitError, Type val, int64_t bits, LayoutAttr basis,
          std::optional<TmaDataFormat> format, Type internal),
         (val, bits, basis, format, internal))
COPY_ROW(NonExecIm2colTmaLoadType,
         (Emitter emitError, Type val, int64_t bits, LayoutAttr basis,
          std::optional<TmaDataFormat> format, Type internal),
         (val, bits, basis, format, internal))
COPY_ROW(BulkCopyG2SType, (Emitter emitError, Type val, int64_t bits, bool mcast),
         (val, bits, mcast))
COPY_ROW(BulkCopyS2GType, (Emitter emitError, Type val, int64_t bits), (val, bits))
COPY_ROW(BulkCopyS2SType, (Emitter emitError, Type val, int64_t bits), (val, bits))
COPY_ROW(BulkReduceS2GType, (Emitter emitError, Type val, int64_t bits, ReductionKind kind),
         (val, bits, kind))
COPY_ROW(BulkReduceS2SType, (Emitter emitError, Type val, int64_t bits, ReductionKind kind),
         (val, bits, kind))
COPY_ROW(DsmemStoreType, (Emitter emitError, Type val, int32_t bits), (val, bits))
#undef MMA_ROW
#undef COPY_ROW
#undef TESSERA_NAMES

void CuteNvgpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/cute_nvgpu/Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/cute_nvgpu/Attrs.cpp.inc"
      >();
}
