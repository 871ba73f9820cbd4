// Tensor memory: its life as NVVM ops, products, loads and stores as inline PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 takes the intrinsic of a product for a store to D: of two that accumulate into the same D
// it deletes the first. So products are inline PTX, which is volatile and convergent. Loads and
// stores are too: their registers are then scalars from the start.
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/families/Elected.h"
#include "tessera/lower/families/tensor/Tensor.h"

#include "tessera/cute_nvgpu/families/tensor/Tensor.h"

#include "tessera/atom/InstructionDescriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

NVVM::CTAGroupKind groupOf(bool isTwoCta) {
  return isTwoCta ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
}

//===--- life ---------------------------------------------------------------------------------===//

struct AllocLowering final : OpConversionPattern<AllocTmemOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocTmemOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05AllocOp>(op, adaptor.getSmem(), adaptor.getNumColumns(),
                                               groupOf(op.getIsTwoCta()));
    return success();
  }
};

struct RelinquishLowering final : OpConversionPattern<RelinquishTmemAllocPermitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RelinquishTmemAllocPermitOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05RelinquishAllocPermitOp>(op, groupOf(op.getIsTwoCta()));
    return success();
  }
};

/// LLVM's pointer of an address, where an NVVM op takes one.
Value tensorPointer(OpBuilder &b, Location loc, Value address) {
  unsigned space = LoweredTypes::addressSpace(cute::AddressSpace::Tmem);
  Type type = LLVM::LLVMPointerType::get(b.getContext(), space);
  return LLVM::IntToPtrOp::create(b, loc, type, address);
}

struct DeallocLowering final : OpConversionPattern<DeallocTmemOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DeallocTmemOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<NVVM::Tcgen05DeallocOp>(
        op, tensorPointer(b, op.getLoc(), adaptor.getTmem()), adaptor.getNumColumns(),
        groupOf(op.getIsTwoCta()));
    return success();
  }
};

struct RetrieveLowering final : OpConversionPattern<RetrieveTmemPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RetrieveTmemPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr unsigned alignment = 4;
    b.replaceOpWithNewOp<LLVM::LoadOp>(op, b.getI32Type(), adaptor.getSmem(), alignment);
    return success();
  }
};

//===--- loads and stores ---------------------------------------------------------------------===//

/// "{$0, $1}" for operands first .. first + count - 1.
std::string group(int64_t first, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += cat(i ? ", $" : "$", first + i);
  return text + "}";
}

/// The distance in columns of the two halves that a 16x32bx2 moves: they are neighbours. In a
/// packed form a register is two columns.
std::string secondHalf(const atom::CopyRow &row, int64_t repeats) {
  constexpr int64_t lanes = 16, bits = 32;
  if (row.key.rows != lanes || row.key.columns != bits)
    return "";
  return cat(", ", repeats * (row.key.packed16 ? 2 : 1));
}

struct LoadLowering final : OpConversionPattern<ArchTmemLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmemLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    const atom::CopyRow &row = **op.getRow();
    int64_t repeats = op.getNumRep(), count = row.registersFor(repeats);
    std::string constraints;
    for (int64_t i = 0; i < count; ++i)
      constraints += "=r,";
    std::string text = cat(atom::mnemonicFor(row, repeats), " ", group(0, count), ", [$", count,
                           "]", secondHalf(row, repeats), ";");
    Type i32 = b.getI32Type();
    Type results = count == 1 ? i32
                              : Type(LLVM::LLVMStructType::getLiteral(
                                    b.getContext(), SmallVector<Type>(size_t(count), i32)));
    Location loc = op.getLoc();
    Value words =
        inlinePtx(b, loc, text, constraints + "r", adaptor.getSrc(), results).getResult(0);
    if (count != 1)
      words = vector::FromElementsOp::create(b, loc, op.getType(), leavesOf(b, loc, words));
    b.replaceOp(op, words);
    return success();
  }
};

struct StoreLowering final : OpConversionPattern<ArchTmemStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmemStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    const atom::CopyRow &row = **op.getRow();
    int64_t repeats = op.getNumRep(), count = row.registersFor(repeats);
    Location loc = op.getLoc();
    SmallVector<Value> operands = {adaptor.getDst()};
    if (count == 1)
      operands.push_back(adaptor.getValue());
    else
      llvm::append_range(operands,
                         vector::ToElementsOp::create(b, loc, adaptor.getValue()).getResults());
    std::string constraints = "r";
    for (int64_t i = 0; i < count; ++i)
      constraints += ",r";
    std::string text = cat(atom::mnemonicFor(row, repeats), " [$0]", secondHalf(row, repeats), ", ",
                           group(1, count), ";");
    inlinePtx(b, loc, text, constraints, operands, {});
    b.eraseOp(op);
    return success();
  }
};

struct LoadRedLowering final : OpConversionPattern<ArchTmemLoadRedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchTmemLoadRedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    const atom::CopyRow &row = **op.getRow();
    int64_t repeats = op.getNumRep(), count = row.registersFor(repeats);
    bool isFloat = op.getTypeAttr().getValue().isF32();
    std::string constraints, half = secondHalf(row, repeats);
    if (op.getHalfSplit())
      half = cat(", ", *op.getHalfSplit());
    for (int64_t i = 0; i <= count; ++i)
      constraints += isFloat ? "=f," : "=r,";
    std::string text = cat(atom::mnemonicFor(row, repeats, op.getReduction(),
                                             reducedNumber(op.getTypeAttr().getValue())),
                           " ", group(0, count), ", $", count, ", [$", count + 1, "]", half, ";");
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), number = isFloat ? b.getF32Type() : i32;
    Type results = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                    SmallVector<Type>(size_t(count) + 1, number));
    Value all = inlinePtx(b, loc, text, constraints + "r", adaptor.getSrc(), results).getResult(0);
    SmallVector<Value> words = leavesOf(b, loc, all);
    for (Value &word : words)
      if (isFloat)
        word = LLVM::BitcastOp::create(b, loc, i32, word);
    Value loaded = words.front();
    if (count != 1)
      loaded = vector::FromElementsOp::create(b, loc, op.getResult().getType(),
                                              ArrayRef(words).drop_back());
    b.replaceOp(op, {loaded, words.back()});
    return success();
  }
};

//===--- products -----------------------------------------------------------------------------===//

/// The source of casts between a descriptor and its integer.
Value withoutCasts(Value value) {
  Value from = value;
  while (auto cast = from.getDefiningOp<UnrealizedConversionCastOp>()) {
    if (cast.getInputs().size() != 1)
      break;
    from = cast.getInputs().front();
    if (from.getType() == value.getType())
      value = from;
  }
  return value;
}

/// A descriptor and the constant steps, in 16 bytes, that were added to its lower half on the way
/// (MemoryToLLVM.cpp, advancedDescriptor).
std::pair<Value, int64_t> baseOf(Value descriptor) {
  int64_t steps = 0;
  for (;;) {
    descriptor = withoutCasts(descriptor);
    auto whole = descriptor.getDefiningOp<arith::OrIOp>();
    auto lower = whole ? whole.getRhs().getDefiningOp<arith::ExtUIOp>() : nullptr;
    auto sum = lower ? lower.getIn().getDefiningOp<arith::AddIOp>() : nullptr;
    auto from = sum ? sum.getLhs().getDefiningOp<arith::TruncIOp>() : nullptr;
    APInt step;
    if (!from || !matchPattern(sum.getRhs(), m_ConstantInt(&step)))
      return {descriptor, steps};
    steps += step.getSExtValue();
    descriptor = from.getIn();
  }
}

/// The text of a product and what it takes, operand by operand.
class ProductText {
public:
  ProductText(OpBuilder &b, Location loc, std::string mnemonic)
      : b(b), loc(loc), instruction(std::move(mnemonic)) {}

  /// An address of tensor memory.
  void address(Value value) { add("[" + operand(value, "r") + "]"); }
  void word(Value value) { add(operand(value, "r")); }
  void words(ValueRange values) {
    std::string list;
    for (Value value : values)
      list += (list.empty() ? "{" : ", ") + operand(value, "r");
    add(list + "}");
  }
  void predicate(Value value) { add(operand(value, "b")); }
  void number(int64_t value) { add(std::to_string(value)); }
  /// A matrix descriptor in its halves, put together where it is used, with constant steps: they
  /// share registers for as long as a run of products lasts.
  void descriptor(Value whole) {
    auto [value, steps] = baseOf(whole);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value width = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(32));
    Value low = LLVM::TruncOp::create(b, loc, i32, value);
    Value high = LLVM::TruncOp::create(b, loc, i32, LLVM::LShrOp::create(b, loc, value, width));
    std::string name = cat("%desc", ++descriptors);
    std::string lower = operand(low, "r"), upper = operand(high, "r");
    if (steps) {
      std::string moved = cat("%low", descriptors);
      before += cat(".reg .b32 ", moved, "; add.s32 ", moved, ", ", lower, ", ", steps, "; ");
      lower = std::move(moved);
    }
    before += cat(".reg .b64 ", name, "; mov.b64 ", name, ", {", lower, ", ", upper, "}; ");
    add(name);
  }

  void build() {
    inlinePtx(b, loc, "{ " + before + instruction + "; }", constraints, operands, {});
  }

private:
  void add(const std::string &text) {
    instruction += (std::exchange(first, false) ? " " : ", ") + text;
  }
  std::string operand(Value value, StringRef constraint) {
    constraints += (operands.empty() ? "" : ",") + constraint.str();
    operands.push_back(value);
    return cat("$", operands.size() - 1);
  }

  OpBuilder &b;
  Location loc;
  std::string instruction, before, constraints;
  SmallVector<Value> operands;
  int descriptors = 0;
  bool first = true;
};

/// `tcgen05.mma... [d], a, b, [e,] idesc, [sfa], [sfb], {lanes}, p {, scale};`, A a descriptor or
/// an address.
template <class Op> struct UmmaLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    atom::UmmaForm form = op.getForm();
    int64_t vec = 0;
    if constexpr (requires { op.getSfa(); })
      vec = scaledElements(op.getSfa().getType()) / (form.sparse ? 2 : 1);
    enterElected(b, op);
    ProductText text(b, op.getLoc(), atom::mnemonic(form, vec));
    text.address(adaptor.getD());
    if (isa<cute::PtrType>(op.getA().getType()))
      text.address(adaptor.getA());
    else
      text.descriptor(adaptor.getA());
    text.descriptor(adaptor.getB());
    Value idesc = adaptor.getIdesc();
    if constexpr (requires { op.getE(); })
      text.address(metadata(b, op.getLoc(), form, adaptor.getE(), idesc));
    if constexpr (requires { op.getSfa(); }) {
      Value a = factors(b, op.getLoc(), adaptor.getSfa()),
            scalesB = factors(b, op.getLoc(), adaptor.getSfb());
      Value word = withIds(b, op.getLoc(), idesc, a, atom::scaleIdABit);
      text.word(withIds(b, op.getLoc(), word, scalesB, atom::scaleIdBBit));
      text.address(column(b, op.getLoc(), a));
      text.address(column(b, op.getLoc(), scalesB));
    } else {
      text.word(idesc);
    }
    if constexpr (requires { op.getDisabled(); })
      if (Value lanes = adaptor.getDisabled())
        text.words(vector::ToElementsOp::create(b, op.getLoc(), lanes).getResults());
    text.predicate(adaptor.getAccumulate());
    if (op.getScale())
      text.number(op.getScale());
    text.build();
    b.eraseOp(op);
    return success();
  }

private:
  /// For (rows, (elements, factors)): how many elements of a row share a factor.
  static int64_t scaledElements(Type type) {
    return cast<cute::CuteMemRefType>(type).getLayout().shape()[1][0].leaf().value.value;
  }
  /// Where factors are, with the byte of a column in bits 30 and 31.
  static Value factors(OpBuilder &b, Location loc, Value view) {
    return leavesOf(b, loc, view).front();
  }
  static Value constant(OpBuilder &b, Location loc, uint32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  /// Metadata of f16 and tf32 are named by a pair of columns and the descriptor's selector, which
  /// is the lowest bit of where they are.
  static Value metadata(OpBuilder &b, Location loc, const atom::UmmaForm &form, Value address,
                        Value &idesc) {
    if (form.kind != atom::MmaKind::F16 && form.kind != atom::MmaKind::Tf32)
      return address;
    Value selector = LLVM::AndOp::create(b, loc, address, constant(b, loc, 1));
    idesc = LLVM::OrOp::create(b, loc, idesc, selector);
    return LLVM::AndOp::create(b, loc, address, constant(b, loc, ~1u));
  }
  /// The byte goes into the instruction descriptor, and an address is without it: PTX reads the
  /// column only, and what CUTLASS passes has both.
  static constexpr int idBit = 30;
  static Value withIds(OpBuilder &b, Location loc, Value word, Value address, int bit) {
    Value id = LLVM::LShrOp::create(b, loc, address, constant(b, loc, idBit));
    return LLVM::OrOp::create(b, loc, word,
                              LLVM::ShlOp::create(b, loc, id, constant(b, loc, uint32_t(bit))));
  }
  static Value column(OpBuilder &b, Location loc, Value address) {
    return LLVM::AndOp::create(b, loc, address, constant(b, loc, (1u << idBit) - 1));
  }
};

//===--- from shared memory -------------------------------------------------------------------===//

/// In a pair the first block, that of even rank, issues for both: moves `op` to a block that only
/// it enters.
void enterLeader(RewriterBase &b, Operation *op) {
  Location loc = op->getLoc();
  Type i32 = b.getI32Type();
  Block *before = op->getBlock();
  Block *after = b.splitBlock(before, op->getIterator());
  Block *leader = b.createBlock(after);
  b.setInsertionPointToEnd(before);
  Value rank = NVVM::ClusterId::create(b, loc, i32);
  Value one = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(1));
  Value zero = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(0));
  Value low = LLVM::AndOp::create(b, loc, rank, one);
  Value leads = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, low, zero);
  LLVM::CondBrOp::create(b, loc, leads, leader, after);
  b.setInsertionPointToEnd(leader);
  auto back = LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.moveOpBefore(op, back);
}

struct CopyS2TLowering final : OpConversionPattern<ArchCopyS2TOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchCopyS2TOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    if (op.getNumCta() == 2)
      enterLeader(b, op);
    enterElected(b, op);
    ProductText text(b, op.getLoc(), (*op.getRow())->mnemonic);
    text.address(adaptor.getDst());
    text.descriptor(adaptor.getSrc());
    text.build();
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void addTensorPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<AllocLowering, RelinquishLowering, DeallocLowering, RetrieveLowering, LoadLowering,
               StoreLowering, LoadRedLowering, CopyS2TLowering, UmmaLowering<ArchUmmaOp>,
               UmmaLowering<ArchUmmaSparseOp>, UmmaLowering<ArchUmmaBlockScaledOp>,
               UmmaLowering<ArchUmmaBlockScaledSparseOp>>(types, patterns.getContext());
}

} // namespace tessera::lower
