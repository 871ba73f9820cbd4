// Mathematical functions of kernels: instructions, what LLVM knows, polynomials.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/DeviceMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <numbers>

using namespace mlir;

namespace tessera::lower {

namespace {

//===--- instructions -------------------------------------------------------------------------===//

/// f(x) = after * instruction(before * x) in f32. `fast` flushes subnormals and is used where the
/// op allows approximation; `exact`, where there is one, is as precise as a library's function.
struct Instruction {
  StringLiteral op, exact, fast;
  double before = 1, after = 1;
};
constexpr Instruction instructions[] = {
    {"math.exp2", "llvm.nvvm.ex2.approx.f32", "llvm.nvvm.ex2.approx.ftz.f32"},
    {"math.exp", "", "llvm.nvvm.ex2.approx.ftz.f32", std::numbers::log2e},
    {"math.log2", "", "llvm.nvvm.lg2.approx.ftz.f"},
    {"math.log", "", "llvm.nvvm.lg2.approx.ftz.f", 1, std::numbers::ln2},
    {"math.log10", "", "llvm.nvvm.lg2.approx.ftz.f", 1, std::numbers::ln2 / std::numbers::ln10},
    {"math.rsqrt", "llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f"},
    {"math.sin", "", "llvm.nvvm.sin.approx.ftz.f"},
    {"math.cos", "", "llvm.nvvm.cos.approx.ftz.f"},
};
/// tanh.approx has no intrinsic.
constexpr StringLiteral tanhPtx = "tanh.approx.f32 $0, $1;";

/// Functions that the back end knows, or that are a few instructions in LLVM.
constexpr StringLiteral native[] = {"math.fma",       "math.sqrt",     "math.absf",    "math.absi",
                                    "math.ceil",      "math.floor",    "math.trunc",   "math.round",
                                    "math.roundeven", "math.copysign", "math.ctlz",    "math.cttz",
                                    "math.ctpop",     "math.isnan",    "math.isfinite"};

/// Functions that MLIR approximates on f32, and those that it makes of others.
constexpr StringLiteral polynomials[] = {"math.acos", "math.asin",  "math.atan", "math.atan2",
                                         "math.cbrt", "math.cos",   "math.erf",  "math.erfc",
                                         "math.exp",  "math.expm1", "math.log",  "math.log1p",
                                         "math.log2", "math.sin",   "math.tanh"};
constexpr StringRef composed[] = {"acosh", "asinh", "atanh", "cosh", "fpowi", "sinh", "tan"};

bool allowsApproximation(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags &&
         bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn);
}

/// The op as an instruction; null if it is none.
Value asInstruction(IRRewriter &b, Operation *op) {
  StringRef name = op->getName().getStringRef();
  Type type = op->getResult(0).getType(), f32 = b.getF32Type();
  bool fast = allowsApproximation(op), narrow = type.isF16() || type.isBF16();
  if (!type.isF32() && !narrow)
    return {};
  const Instruction *row =
      llvm::find_if(instructions, [&](const auto &row) { return row.op == name; });
  bool tanh = name == "math.tanh" && fast;
  if (!tanh && (row == std::end(instructions) || (!fast && row->exact.empty())))
    return {};
  Location loc = op->getLoc();
  Value x = op->getOperand(0), y;
  if (narrow)
    x = arith::ExtFOp::create(b, loc, f32, x);
  if (tanh) {
    y = LLVM::InlineAsmOp::create(b, loc, f32, x, tanhPtx, "=f,f", /*has_side_effects=*/false,
                                  false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                                  ArrayAttr())
            .getResult(0);
  } else {
    auto scaled = [&](Value v, double factor) -> Value {
      if (factor == 1)
        return v;
      Value constant = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(factor)));
      return arith::MulFOp::create(b, loc, v, constant);
    };
    StringRef intrinsic = fast ? row->fast : row->exact;
    y = LLVM::CallIntrinsicOp::create(b, loc, f32, b.getStringAttr(intrinsic),
                                      scaled(x, row->before))
            .getResult(0);
    y = scaled(y, row->after);
  }
  return narrow ? Value(arith::TruncFOp::create(b, loc, type, y)) : y;
}

//===--- NVIDIA's libdevice -------------------------------------------------------------------===//

/// Functions that are called there: __nv_cosf on f32, __nv_cos on f64.
constexpr StringLiteral libraryFunctions[] = {"atan2", "cos", "cosh", "exp", "log",
                                              "log2",  "sin", "sinh", "tan", "tanh"};

/// The op as a call; null if it is not to be one.
Value asLibraryCall(IRRewriter &b, Operation *op, gpu::GPUModuleOp module) {
  StringRef name = op->getName().stripDialect();
  Type type = op->getResult(0).getType(), f32 = b.getF32Type();
  bool isNarrow = type.isF16() || type.isBF16();
  if (!llvm::is_contained(libraryFunctions, name) || allowsApproximation(op) ||
      (!isNarrow && !type.isF32() && !type.isF64()))
    return {};
  Location loc = op->getLoc();
  Type called = isNarrow ? f32 : type;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isNarrow ? Value(arith::ExtFOp::create(b, loc, f32, operand)) : operand);
  std::string symbol = ("__nv_" + name + (called.isF32() ? "f" : "")).str();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(operands.size(), called);
    callee = LLVM::LLVMFuncOp::create(b, loc, symbol, LLVM::LLVMFunctionType::get(called, types));
  }
  Value result = LLVM::CallOp::create(b, loc, callee, operands).getResult();
  return isNarrow ? Value(arith::TruncFOp::create(b, loc, type, result)) : result;
}

//===--- polynomials --------------------------------------------------------------------------===//

/// log10, which MLIR does not approximate: log times a constant that is split in two, so that the
/// product is rounded once. Both parts are positive: infinities, log10(0) among them, stay what
/// they are.
struct Log10 final : OpRewritePattern<math::Log10Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log10Op op, PatternRewriter &b) const override {
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    constexpr double factor = std::numbers::log10e;
    constexpr float high = 0x1.bcb7bp-2f, low = float(factor - double(high));
    static_assert(low > 0 && low < 0x1p-25f);
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
    };
    Value log = math::LogOp::create(b, loc, op.getOperand());
    Value rest = arith::MulFOp::create(b, loc, log, constant(low));
    b.replaceOpWithNewOp<math::FmaOp>(op, log, constant(high), rest);
    return success();
  }
};

//===--- what LLVM's conversion leaves out ----------------------------------------------------===//

/// A number, or a vector of it.
Value numberLike(PatternRewriter &b, Location loc, Type type, const APFloat &number) {
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, cast<Attribute>(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}
const llvm::fltSemantics &formatOf(Value x) {
  return cast<FloatType>(getElementTypeOrSelf(x.getType())).getFloatSemantics();
}

struct IsInf final : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op, PatternRewriter &b) const override {
    Value x = op.getOperand(), magnitude = math::AbsFOp::create(b, op.getLoc(), x);
    Value infinity = numberLike(b, op.getLoc(), x.getType(), APFloat::getInf(formatOf(x)));
    b.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ, magnitude, infinity);
    return success();
  }
};

struct IsNormal final : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNormalOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand(), magnitude = math::AbsFOp::create(b, loc, x);
    Value least = numberLike(b, loc, x.getType(), APFloat::getSmallestNormalized(formatOf(x)));
    Value infinity = numberLike(b, loc, x.getType(), APFloat::getInf(formatOf(x)));
    Value isLarge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, magnitude, least);
    Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude, infinity);
    b.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
    return success();
  }
};

struct ClampF final : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op, PatternRewriter &b) const override {
    Value above =
        arith::MaximumFOp::create(b, op.getLoc(), op.getValue(), op.getMin(), op.getFastmathAttr());
    b.replaceOpWithNewOp<arith::MinimumFOp>(op, above, op.getMax(), op.getFastmathAttr());
    return success();
  }
};

struct SinCos final : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &b) const override {
    Value x = op.getOperand();
    Value sine = math::SinOp::create(b, op.getLoc(), x, op.getFastmathAttr());
    Value cosine = math::CosOp::create(b, op.getLoc(), x, op.getFastmathAttr());
    b.replaceOp(op, {sine, cosine});
    return success();
  }
};

FrozenRewritePatternSet polynomialPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  auto known = [](StringRef name) {
    return llvm::is_contained(polynomials, name) || name == "math.log10" ||
           llvm::is_contained(composed, name.split('.').second);
  };
  populateMathF32ExpansionPatterns(patterns, known, /*benefit=*/4);
  addPolynomials(patterns, /*benefit=*/3);
  addPowers(patterns, /*benefit=*/5); // before what widens to f32
  addDoublePolynomials(patterns, /*benefit=*/3);
  populateMathPolynomialApproximationPatterns(patterns, known);
  math::populateExpansionPatterns(patterns, composed);
  patterns.add<Log10, IsInf, IsNormal, ClampF, SinCos>(context);
  return std::move(patterns);
}

} // namespace

/// Whether an op is built element by element: the steps of expansion leave vectors of several
/// dimensions, or of none; instructions are those of numbers, and large angles need a branch.
/// Vectors of f64 have patterns of their own.
static bool isByElement(Operation *op) {
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector || vector.isScalable())
    return false;
  return vector.getRank() != 1 || !vector.getElementType().isF64() ||
         isa<math::SinOp, math::CosOp, math::TanOp, math::SincosOp>(op);
}
static void scalarise(Operation *op) {
  IRRewriter b(op);
  Location loc = op->getLoc();
  auto shape = cast<VectorType>(op->getResult(0).getType());
  SmallVector<Value> results;
  SmallVector<Type> elements;
  for (Type type : op->getResultTypes()) {
    results.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    elements.push_back(getElementTypeOrSelf(type));
  }
  SmallVector<int64_t> strides = computeStrides(shape.getShape());
  for (int64_t i = 0; i < shape.getNumElements(); ++i) {
    SmallVector<int64_t> at = delinearize(i, strides);
    IRMapping element;
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()) && !element.contains(operand))
        element.map(operand, vector::ExtractOp::create(b, loc, operand, at).getResult());
    Operation *one = b.clone(*op, element);
    for (auto [result, type] : llvm::zip(one->getResults(), elements))
      result.setType(type);
    for (auto [result, all] : llvm::zip(one->getResults(), results))
      all = vector::InsertOp::create(b, loc, result, all, at);
  }
  b.replaceOp(op, results);
}

LogicalResult lowerMath(gpu::GPUModuleOp module, bool library) {
  auto mathOps = [&] {
    SmallVector<Operation *> ops;
    module->walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) &&
          !llvm::is_contained(native, op->getName().getStringRef()))
        ops.push_back(op);
    });
    return ops;
  };
  auto replaceByInstructions = [&] {
    for (Operation *op : mathOps()) {
      IRRewriter b(op);
      if (Value value = asInstruction(b, op))
        b.replaceOp(op, value);
    }
  };
  auto remainders = [&] {
    SmallVector<arith::RemFOp> ops;
    module->walk([&](arith::RemFOp op) {
      if (!allowsApproximation(op))
        ops.push_back(op);
    });
    return ops;
  };
  for (arith::RemFOp op : remainders())
    if (auto vector = dyn_cast<VectorType>(op.getType()); vector && !vector.isScalable())
      scalarise(op);
  for (arith::RemFOp op : remainders())
    if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(op.getType()))
      expandRemainder(op);
  for (Operation *op : mathOps())
    if (isByElement(op))
      scalarise(op);
  replaceByInstructions();
  if (library)
    for (Operation *op : mathOps()) {
      IRRewriter b(op);
      if (Value value = asLibraryCall(b, op, module))
        b.replaceOp(op, value);
    }
  SmallVector<Operation *> rest = mathOps();
  if (!rest.empty()) {
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    // What has no polynomial is named below.
    (void)applyOpPatternsGreedily(rest, polynomialPatterns(module.getContext()), config);
    // Some polynomials end in exp2.
    replaceByInstructions();
  }
  for (Operation *op : mathOps())
    return op->emitOpError() << "on " << op->getResult(0).getType()
                             << " has no instruction on NVIDIA GPUs and no approximation here; "
                                "write it with functions on f64, f32, f16 or bf16 that have one";
  return success();
}

} // namespace tessera::lower
