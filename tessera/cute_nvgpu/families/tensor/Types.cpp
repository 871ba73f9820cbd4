// Atoms of tensor memory: their fragments, and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

#include "tessera/atom/TensorMemory.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using layout::MmaOperand;

/// How many columns of 32 bits a static layout reaches; strides of whole lanes reach none.
static int64_t columnsOf(const layout::Layout &l, int64_t bits) {
  constexpr int64_t word = 32;
  const int64_t lane = 65536 * (word / bits);
  int64_t last = 0;
  std::vector<layout::Leaf> extents = l.shape.leaves(), strides = l.stride.leaves();
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    if (stride.value.value % lane != 0)
      last += (extent.value.value - 1) * stride.value.value;
  return last * bits / word + 1;
}

Result<Type> tessera::cute_nvgpu::tensorFragment(const MmaInstance &mma, Type element,
                                                 MmaOperand operand, Type partition,
                                                 const layout::Tree &shape) {
  if (!shape.isStatic())
    return reason(Diag::FragmentStatic, shape);
  const atom::MmaRow &row = *mma.row;
  bool fromTmem = row.a.where == atom::Residency::Tmem, isA = operand == MmaOperand::A;
  atom::TensorPlacement placement;
  // Where A is sparse 64 rows of a block of a pair lie as those of one block, not folded: data path
  // C of the PTX ISA, 9.7.16.10.5. CUTLASS gives them those of path B, and has no kernel of that
  // size.
  constexpr int64_t rowsOfPair = 128;
  placement.ctas = row.sparsity.isSparse() && mma.m == rowsOfPair ? 1 : row.ctas;
  placement.weightStationary = row.weightStationary;
  if (isA && (placement.ctas == 2 || row.weightStationary))
    placement.tiling = atom::TensorTiling::Duplicated;
  else if (fromTmem && placement.ctas == 1 && !row.weightStationary)
    placement.tiling = atom::TensorTiling::Apart;
  // A program may partition words of 32 bits for an A of halves: the elements are then those.
  auto tensor = dyn_cast<cute::CuteMemRefType>(partition);
  Type counted = tensor ? tensor.getElementType() : element;
  placement.valueBits = isA && !tensor ? row.a.storedBits() : cute::bitsOf(counted);
  if (isA)
    placement.storageBits = placement.valueBits;
  std::optional<layout::Layout> l = atom::tensorLayout(placement, shape);
  if (!l)
    return reason(Diag::FragmentTmem, std::string(row.name));
  if (int64_t columns = columnsOf(*l, placement.valueBits); columns > tmemColumns)
    return reason(Diag::FragmentColumns, tmemColumns, layout::AnyLayout(*l), columns);
  auto pointer = cute::PtrType::get(element.getContext(), element, cute::AddressSpace::Tmem,
                                    /*alignment=*/1, layout::Swizzle{0, 4, 3});
  return Type(cute::CuteMemRefType::get(element.getContext(), pointer, *std::move(l)));
}

/// `x4`, and `packed` where 16-bit elements share a column.
static ParseResult parsePacked(AsmParser &parser, int32_t &repeat, bool &pack, StringRef packed) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  if (!text.consume_front("x") || text.getAsInteger(10, repeat))
    return parser.emitError(loc, "expects a repeat count such as x4");
  pack = succeeded(parser.parseOptionalComma());
  return pack ? parser.parseKeyword(packed) : ParseResult(success());
}
static void printPacked(AsmPrinter &printer, int32_t repeat, bool pack, StringRef packed) {
  printer << "x" << repeat;
  if (pack)
    printer << ", " << packed;
}
ParseResult tessera::cute_nvgpu::parseRepeat(AsmParser &parser, int32_t &repeat) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  if (!text.consume_front("x") || text.getAsInteger(10, repeat))
    return parser.emitError(loc, "expects a repeat count such as x4");
  return success();
}
void tessera::cute_nvgpu::printRepeat(AsmPrinter &printer, int32_t repeat) {
  printer << "x" << repeat;
}

ParseResult tessera::cute_nvgpu::parseLaneReduction(AsmParser &parser, atom::LaneReduction &red,
                                                    int64_t &columns) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text))
    return failure();
  StringRef given = text;
  red = {};
  red.magnitude = text.consume_back("abs");
  red.smallest = text == "min";
  if (text != "min" && text != "max")
    return parser.emitError(loc, "expects one of max, maxabs, min, minabs, but got '")
           << given << "'";
  columns = 0;
  return parseOptions(parser,
                      [&](StringRef key) -> FailureOr<bool> {
                        if (key == "nan")
                          return red.nan = true;
                        if (key != "half_split_off")
                          return false;
                        Type type;
                        return failed(parser.parseInteger(columns)) ||
                                       (succeeded(parser.parseOptionalColon()) &&
                                        failed(parser.parseType(type)))
                                   ? FailureOr<bool>(failure())
                                   : FailureOr<bool>(true);
                      },
                      {"nan"});
}
void tessera::cute_nvgpu::printLaneReduction(AsmPrinter &printer, const atom::LaneReduction &red,
                                             int64_t columns) {
  printer << (red.smallest ? "min" : "max") << (red.magnitude ? "abs" : "")
          << (red.nan ? ", nan" : "");
  if (columns)
    printer << ", half_split_off=" << columns << " : i64";
}

StringRef tessera::cute_nvgpu::reducedNumber(Type type) {
  return type.isF32()                 ? "f32"
         : type.isUnsignedInteger(32) ? "u32"
         : type.isInteger(32)         ? "s32"
                                      : "";
}
LogicalResult tessera::cute_nvgpu::verifyLoadReduction(Emitter emitError, const CopyForm &form) {
  StringRef type = reducedNumber(form.valType);
  const atom::LaneReduction &red = form.laneReduction;
  if (type.empty())
    return emitError() << sentence(Diag::LoadReductionType, form.valType);
  if (type != "f32" && (red.magnitude || red.nan))
    return emitError() << sentence(Diag::LoadReductionFloat, form.valType);
  constexpr int64_t halves = 16;
  if (form.halfSplit && form.key.rows != halves)
    return emitError() << sentence(Diag::LoadReductionSplit, form.key.rows);
  constexpr int64_t columns = 512; // the halves take as many each as there are repetitions
  if (int64_t last = columns - form.amount; form.halfSplit < 0 || form.halfSplit > last)
    return emitError() << sentence(Diag::LoadReductionColumns, last, form.halfSplit);
  return success();
}

ParseResult tessera::cute_nvgpu::parseRepeatPack(AsmParser &parser, int32_t &repeat, bool &pack) {
  return parsePacked(parser, repeat, pack, "pack16b");
}
void tessera::cute_nvgpu::printRepeatPack(AsmPrinter &printer, int32_t repeat, bool pack) {
  printPacked(printer, repeat, pack, "pack16b");
}
ParseResult tessera::cute_nvgpu::parseRepeatExpand(AsmParser &parser, int32_t &repeat, bool &pack) {
  return parsePacked(parser, repeat, pack, "expand16b");
}
void tessera::cute_nvgpu::printRepeatExpand(AsmPrinter &printer, int32_t repeat, bool pack) {
  printPacked(printer, repeat, pack, "expand16b");
}

//===--- products -----------------------------------------------------------------------------===//

/// A flag that is written only where it holds: `ashift = true`.
static FailureOr<bool> parseTrue(AsmParser &parser, bool &flag) {
  flag = true;
  return parser.parseKeyword("true") ? FailureOr<bool>(failure()) : FailureOr<bool>(true);
}

namespace {
/// The qualifiers of a product that its type may state.
struct Qualifiers {
  atom::Overflow overflow = atom::Overflow::Wrapped;
  bool stationary = false, ashift = false, laneMask = false;
  atom::Collector collector = atom::Collector::Discard;
  int32_t buffer = 0, arch = 100;
};
} // namespace

static FailureOr<bool> parseArch(AsmParser &parser, int32_t &arch) {
  StringRef target;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&target))
    return failure();
  if (!target.consume_front("sm_") || target.getAsInteger(10, arch) || (arch != 100 && arch != 103))
    return parser.emitError(loc, "expects sm_100 or sm_103");
  return true;
}

/// Of these keys.
static ParseResult parseQualifiers(AsmParser &parser, Qualifiers &q, ArrayRef<StringRef> keys) {
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    if (!llvm::is_contained(keys, key))
      return false;
    if (key == "int_overflow")
      return parseCase(parser, q.overflow);
    if (key == "collector")
      return parseCase(parser, q.collector);
    if (key == "collector_buffer")
      return parser.parseInteger(q.buffer) ? FailureOr<bool>(failure()) : FailureOr<bool>(true);
    if (key == "arch_promote")
      return parseArch(parser, q.arch);
    return parseTrue(parser, key == "weight_stationary" ? q.stationary
                             : key == "ashift"          ? q.ashift
                                                        : q.laneMask);
  });
}
static void printQualifiers(AsmPrinter &printer, const Qualifiers &q) {
  printOverflowOption(printer, q.overflow);
  if (q.arch != Qualifiers().arch)
    printer << ", arch_promote = sm_" << q.arch;
  if (q.stationary)
    printer << ", weight_stationary = true";
  if (q.collector != atom::Collector::Discard)
    printer << ", collector = <" << q.collector << ">";
  if (q.buffer)
    printer << ", collector_buffer = " << q.buffer;
  if (q.ashift)
    printer << ", ashift = true";
  if (q.laneMask)
    printer << ", lane_mask = true";
}

ParseResult tessera::cute_nvgpu::parseProductOptions(AsmParser &parser, atom::Overflow &overflow,
                                                     bool &stationary, atom::Collector &collector,
                                                     int32_t &buffer, bool &ashift,
                                                     bool &laneMask) {
  Qualifiers q;
  ParseResult parsed = parseQualifiers(parser, q,
                                       {"int_overflow", "weight_stationary", "collector",
                                        "collector_buffer", "ashift", "lane_mask"});
  overflow = q.overflow, stationary = q.stationary, collector = q.collector, buffer = q.buffer;
  ashift = q.ashift, laneMask = q.laneMask;
  return parsed;
}
void tessera::cute_nvgpu::printProductOptions(AsmPrinter &printer, atom::Overflow overflow,
                                              bool stationary, atom::Collector collector,
                                              int32_t buffer, bool ashift, bool laneMask) {
  printQualifiers(printer, {.overflow = overflow,
                            .stationary = stationary,
                            .ashift = ashift,
                            .laneMask = laneMask,
                            .collector = collector,
                            .buffer = buffer});
}

ParseResult tessera::cute_nvgpu::parseSparseOptions(AsmParser &parser, atom::Overflow &overflow,
                                                    bool &stationary, atom::Collector &collector,
                                                    int32_t &buffer, bool &ashift) {
  Qualifiers q;
  ParseResult parsed = parseQualifiers(
      parser, q, {"int_overflow", "weight_stationary", "collector", "collector_buffer", "ashift"});
  overflow = q.overflow, stationary = q.stationary, collector = q.collector, buffer = q.buffer;
  ashift = q.ashift;
  return parsed;
}
void tessera::cute_nvgpu::printSparseOptions(AsmPrinter &printer, atom::Overflow overflow,
                                             bool stationary, atom::Collector collector,
                                             int32_t buffer, bool ashift) {
  printProductOptions(printer, overflow, stationary, collector, buffer, ashift, false);
}

ParseResult tessera::cute_nvgpu::parseScaledOptions(AsmParser &parser, int32_t &arch,
                                                    atom::Collector &collector) {
  Qualifiers q;
  ParseResult parsed = parseQualifiers(parser, q, {"arch_promote", "collector"});
  arch = q.arch, collector = q.collector;
  return parsed;
}
void tessera::cute_nvgpu::printScaledOptions(AsmPrinter &printer, int32_t arch,
                                             atom::Collector collector) {
  printQualifiers(printer, {.collector = collector, .arch = arch});
}

LogicalResult tessera::cute_nvgpu::verifyProduct(Emitter emitError, const MmaForm &form) {
  const atom::MmaRow &row = *form.instance()->row;
  atom::UmmaForm qualifiers;
  qualifiers.kind = row.kind;
  qualifiers.ctas = row.ctas;
  qualifiers.sparse = row.sparsity.isSparse();
  qualifiers.blockScale = row.scale.isScaled();
  qualifiers.scaleInput = form.cScaleExp != 0;
  qualifiers.ashift = form.ashift;
  qualifiers.weightStationary = row.weightStationary;
  qualifiers.collectorA = form.collector;
  if (std::optional<Reason> refusal = atom::ummaRefusal(qualifiers))
    return emitError() << refusal->text;
  for (auto [holds, what] : {std::pair<bool, StringRef>(form.ashift, "ashift"),
                             {qualifiers.scaleInput, "c_scale_exp"},
                             {form.laneMask, "lane_mask"}})
    if (row.weightStationary && holds)
      return emitError() << sentence(Diag::UmmaStationary, what);
  constexpr int64_t buffers = 4;
  if (form.collectorBuffer < 0 || form.collectorBuffer >= buffers ||
      (form.collectorBuffer && !row.weightStationary))
    return emitError() << sentence(Diag::UmmaCollectorBuffer, form.collectorBuffer);
  if (form.ashift && row.a.where != atom::Residency::Tmem)
    return emitError() << sentence(Diag::UmmaShiftShared, row.name);
  constexpr int64_t shiftedRows[] = {128, 256};
  if (form.ashift && !llvm::is_contained(shiftedRows, form.query.m))
    return emitError() << sentence(Diag::UmmaShiftRows, form.query.m);
  // PTX ISA 9.7.16.10.9 has the syntax, but a B200 stops there (TIRx-harness, docs/blackwell.md),
  // and the simulator refuses it.
  if (form.ashift && qualifiers.sparse && row.ctas == 2 && form.query.m < 256)
    return emitError() << sentence(Diag::UmmaShiftPair, form.query.m);
  return success();
}
