// wgmma: descriptors as integer arithmetic, the instruction as inline PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvvm.wgmma.mma_async has neither A in registers nor a scale-d at run time, and no b1 (LLVM 22).
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/LoweredTypes.h"
#include "tessera/lower/families/group/Group.h"

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {

/// The address in units of 16 bytes, and the constant fields. No side effects: free to be hoisted.
template <class Op> struct MakeSmemDescLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Result<uint64_t> word = op.getWord();
    if (!word)
      return op.emitOpError() << word.reason().text;
    Location loc = op.getLoc();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    Value address = LLVM::PtrToIntOp::create(b, loc, i32, adaptor.getPtr());
    Value units =
        LLVM::LShrOp::create(b, loc, address, constant(i32, llvm::Log2_32(atom::smemAddressUnit)));
    units = LLVM::AndOp::create(b, loc, units, constant(i32, atom::smemAddressMask));
    Value low = LLVM::ZExtOp::create(b, loc, i64, units);
    b.replaceOpWithNewOp<LLVM::OrOp>(op, low, constant(i64, int64_t(*word)));
    return success();
  }
};

/// "{$0, $1}" for operands first .. first + count - 1.
std::string group(size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

std::string constraintOf(Type type) { return type.isF32() ? "f" : "r"; }

/// `wgmma.mma_async... {d}, a, b, [e, selector,] p, scale-a, scale-b, trans-a, trans-b;` with D
/// tied to C. D is written early: no input may share its registers.
template <class Op> struct GroupMmaLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Result<const atom::MmaRow *> found = op.getRow();
    if (!found)
      return op.emitOpError() << found.reason().text;
    const atom::MmaRow &row = **found;
    int64_t n = op.getShapeMNK().getValue()[1].leaf().value.value;
    size_t accumulators = adaptor.getC().size(), inA = adaptor.getA().size();
    size_t next = 2 * accumulators;
    bool fromSmem = op.takesDescriptor();

    SmallVector<Value> operands(adaptor.getC());
    llvm::append_range(operands, adaptor.getA());
    operands.push_back(adaptor.getB());
    std::string text = atom::mnemonicFor(row, n) + " " + group(0, accumulators) + ", ";
    text += fromSmem ? "$" + std::to_string(next) : group(next, inA);
    next += inA;
    text += ", $" + std::to_string(next++);
    std::string afterB = ",l";
    if constexpr (requires { adaptor.getE(); }) {
      operands.push_back(adaptor.getE());
      text += cat(", $", next++, ", ", op.getSelector());
      afterB += ",r";
    }
    operands.push_back(adaptor.getAccumulate());
    text += ", $" + std::to_string(next);
    if (row.negates())
      text += cat(", ", op.getNegA() ? -1 : 1, ", ", op.getNegB() ? -1 : 1);
    if (row.b.majors == atom::Major::Any) {
      if (fromSmem)
        text += cat(", ", int(op.getAMajor() != atom::Major::K));
      text += cat(", ", int(op.getBMajor() != atom::Major::K));
    }

    std::string constraints;
    for (Value c : adaptor.getC())
      constraints += (constraints.empty() ? "=&" : ",=&") + constraintOf(c.getType());
    for (size_t i = 0; i < accumulators; ++i)
      constraints += "," + std::to_string(i);
    for (Value operand : adaptor.getA())
      constraints += fromSmem ? ",l" : "," + constraintOf(operand.getType());
    constraints += afterB + ",b";
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                   SmallVector<Type>(adaptor.getC().getTypes()));
    Value d = inlinePtx(b, op.getLoc(), text + ";", constraints, operands, result).getResult(0);
    b.replaceOp(op, leavesOf(b, op.getLoc(), d));
    return success();
  }
};

} // namespace

void addGroupPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<MakeSmemDescLowering<MakeGmmaSmemDescOp>, MakeSmemDescLowering<MakeUmmaSmemDescOp>,
               GroupMmaLowering<ArchMmaSm90Op>, GroupMmaLowering<ArchMmaSm90SparseOp>>(
      types, patterns.getContext());
}

} // namespace tessera::lower
