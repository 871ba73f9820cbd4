// Scalars, control flow and tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Build.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::dsl {

Builder::Builder(MLIRContext *context)
    : b(context), loc(b.getUnknownLoc()), module(ModuleOp::create(loc)) {
  context->loadDialect<CuteDialect, cute_nvgpu::CuteNvgpuDialect, cuda::CudaDialect,
                       gpu::GPUDialect, scf::SCFDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                       math::MathDialect, NVVM::NVVMDialect, vector::VectorDialect>();
}

void Builder::stop(const Twine &why) {
  llvm::report_fatal_error("the program that is built is wrong: " + why);
}

//===--- scalars ------------------------------------------------------------------------------===//

Num Builder::i32(int64_t x) {
  return num(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(x))));
}
Num Builder::i64(int64_t x) {
  return num(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(x)));
}
Num Builder::i1(bool x) { return num(arith::ConstantOp::create(b, loc, b.getBoolAttr(x))); }

/// The operation on whole numbers or on floating-point ones, as the operands are.
template <class Whole, class Floating> static Num arithmetic(Num x, Num y) {
  Builder &b = *x.b;
  if (isa<FloatType>(getElementTypeOrSelf(x.v.getType())))
    return b.num(Floating::create(b.b, b.loc, x.v, y.v, arith::FastMathFlags::contract));
  return b.num(Whole::create(b.b, b.loc, x.v, y.v));
}
/// Comparisons in which no NaN passes.
static Num compare(Num x, Num y, arith::CmpIPredicate whole, arith::CmpFPredicate floating) {
  Builder &b = *x.b;
  if (isa<FloatType>(getElementTypeOrSelf(x.v.getType())))
    return b.num(arith::CmpFOp::create(b.b, b.loc, floating, x.v, y.v));
  return b.num(arith::CmpIOp::create(b.b, b.loc, whole, x.v, y.v));
}
#define BINARY(OP, ...)                                                                            \
  Num operator OP(Num x, Num y) { return __VA_ARGS__; }                                            \
  Num operator OP(Num x, int64_t y) { return x OP x.b->i32(y); }
BINARY(+, arithmetic<arith::AddIOp, arith::AddFOp>(x, y))
BINARY(-, arithmetic<arith::SubIOp, arith::SubFOp>(x, y))
BINARY(*, arithmetic<arith::MulIOp, arith::MulFOp>(x, y))
BINARY(/, arithmetic<arith::DivUIOp, arith::DivFOp>(x, y))
BINARY(%, x.b->num(arith::RemUIOp::create(x.b->b, x.b->loc, x.v, y.v)))
BINARY(&, x.b->num(arith::AndIOp::create(x.b->b, x.b->loc, x.v, y.v)))
BINARY(^, x.b->num(arith::XOrIOp::create(x.b->b, x.b->loc, x.v, y.v)))
BINARY(<, compare(x, y, arith::CmpIPredicate::slt, arith::CmpFPredicate::OLT))
BINARY(>, compare(x, y, arith::CmpIPredicate::sgt, arith::CmpFPredicate::OGT))
BINARY(==, compare(x, y, arith::CmpIPredicate::eq, arith::CmpFPredicate::OEQ))
#undef BINARY

Num Builder::select(Num condition, Num yes, Num no) {
  return num(arith::SelectOp::create(b, loc, condition.v, yes.v, no.v));
}
Num Builder::min(Num x, Num y) { return arithmetic<arith::MinSIOp, arith::MinNumFOp>(x, y); }
Num Builder::max(Num x, Num y) { return arithmetic<arith::MaxSIOp, arith::MaxNumFOp>(x, y); }

Num Builder::wide(Num x) { return num(arith::ExtUIOp::create(b, loc, b.getI64Type(), x.v)); }

Num Builder::sreg(StringRef name) {
  OperationState state(loc, ("nvvm.read.ptx.sreg." + name).str());
  state.addTypes(b.getI32Type());
  return num(b.create(state)->getResult(0));
}
Num Builder::warp_uniform(Num x) {
  return num(cute_nvgpu::MakeWarpUniformOp::create(b, loc, b.getI32Type(), x.v));
}

//===--- control flow -------------------------------------------------------------------------===//

void Builder::If(Num condition, const std::function<void()> &then,
                 const std::function<void()> &otherwise) {
  auto op = scf::IfOp::create(b, loc, condition.v, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
  if (otherwise) {
    b.setInsertionPointToStart(op.elseBlock());
    otherwise();
  }
}

Nums Builder::For(Num from, Num to, Num step, ValueRange carried,
                  const std::function<Nums(Num, ValueRange)> &body) {
  auto loop = scf::ForOp::create(b, loc, from.v, to.v, step.v, carried,
                                 [&](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Nums next = body(num(loop.getInductionVar()), loop.getRegionIterArgs());
  // A loop that carries nothing has its terminator already.
  if (!carried.empty() || !loop.getBody()->mightHaveTerminator())
    scf::YieldOp::create(b, loc, next);
  return Nums(loop.getResults());
}

//===--- values by type -----------------------------------------------------------------------===//

Type Builder::type(const Twine &text) {
  Type parsed = parseType(text.str(), b.getContext());
  if (!parsed)
    stop("no type is written " + text);
  return parsed;
}
Value Builder::leaves(const Twine &text, ValueRange operands) {
  Type parsed = type(text);
  if (cast<MaybeStaticType>(parsed).isStatic())
    return StaticOp::create(b, loc, parsed);
  return MakeIntTupleOp::create(b, loc, parsed, operands);
}
Value Builder::layout(const Twine &text) {
  return StaticOp::create(b, loc, type("!cute.layout<\"" + text + "\">"));
}
Value Builder::composed_layout(const Twine &text) {
  return StaticOp::create(b, loc, type("!cute.composed_layout<\"" + text + "\">"));
}
Value Builder::tile(const Twine &text) {
  return StaticOp::create(b, loc, type("!cute.tile<\"" + text + "\">"));
}
Value Builder::coord(const Twine &text, ValueRange operands) {
  return leaves("!cute.coord<\"" + text + "\">", operands);
}
Value Builder::shape(const Twine &text, ValueRange operands) {
  return leaves("!cute.shape<\"" + text + "\">", operands);
}
Value Builder::int_tuple(const Twine &text, ValueRange operands) {
  return leaves("!cute.int_tuple<\"" + text + "\">", operands);
}

//===--- tensors ------------------------------------------------------------------------------===//

template <class Op> Value Builder::algebra(ValueRange operands, NamedAttrList attrs) {
  FailureOr<Op> op = build<Op>(b, loc, operands, std::move(attrs));
  if (failed(op))
    stop(Op::getOperationName());
  return op->getOperation()->getResult(0);
}

Value Builder::make_identity_layout(Value shape) { return algebra<MakeIdentityLayoutOp>(shape); }
Value Builder::composition(Value a, Value tiler) { return algebra<CompositionOp>({a, tiler}); }
Value Builder::make_tensor(Value iterator, Value layout) {
  return algebra<MakeViewOp>({iterator, layout});
}
Value Builder::make_rmem_tensor(const Twine &element, const Twine &layout) {
  Type tensor = type("!cute.memref<" + element + ", rmem, align<32>, \"" + layout + "\">");
  return MemRefAllocaOp::create(b, loc, tensor, Value());
}
Value Builder::get_iter(Value tensor) { return algebra<GetIterOp>(tensor); }
Value Builder::get_layout(Value tensor) { return algebra<GetLayoutOp>(tensor); }
Value Builder::get_shape(Value layout) { return algebra<GetShapeOp>(layout); }
Value Builder::group_modes(Value value, int begin, int end) {
  NamedAttrList attrs;
  attrs.set("begin", b.getI32IntegerAttr(begin));
  attrs.set("end", b.getI32IntegerAttr(end));
  return algebra<GroupModesOp>(value, attrs);
}
Value Builder::select(Value layout, ArrayRef<int32_t> modes) {
  NamedAttrList attrs;
  attrs.set("mode", b.getDenseI32ArrayAttr(modes));
  return algebra<SelectOp>(layout, attrs);
}
Value Builder::slice(Value value, Value coord) { return algebra<SliceOp>({value, coord}); }
Value Builder::local_tile(Value tensor, const Twine &tiler, Value coord) {
  return algebra<LocalTileOp>({tensor, tile(tiler), coord});
}
Num Builder::size(Value value, int mode) {
  NamedAttrList attrs;
  attrs.set("mode", b.getDenseI32ArrayAttr({mode}));
  Value extent = algebra<SizeOp>(value, attrs);
  return num(
      GetScalarsOp::create(b, loc, b.getI32Type(), extent, /*only_dynamic=*/false).getResult(0));
}
Value Builder::offset(Value iterator, Num elements, int64_t div) {
  std::string facts = elements.v.getType().isInteger(64) ? "i64" : "";
  if (div != 1)
    facts += (facts.empty() ? "div=" : " div=") + std::to_string(div);
  Value distance = int_tuple(facts.empty() ? "?" : "?{" + facts + "}", elements.v);
  return algebra<AddOffsetOp>({iterator, distance});
}
Value Builder::offset(Value iterator, int64_t elements) {
  return algebra<AddOffsetOp>({iterator, int_tuple(Twine(elements))});
}
Value Builder::recast_iter(Value pointer, const Twine &to) {
  return RecastIterOp::create(b, loc, type(to), pointer);
}
Value Builder::load(Value tensor, Value coord) {
  Type element = cast<CuteMemRefType>(tensor.getType()).getElementType();
  return MemRefLoadOp::create(b, loc, element, tensor, coord);
}
void Builder::store(Value element, Value tensor, Value coord) {
  MemRefStoreOp::create(b, loc, tensor, coord, element);
}
Value Builder::load_vec(Value tensor) {
  auto memref = cast<CuteMemRefType>(tensor.getType());
  layout::Const arith;
  int64_t count = layout::product(arith, memref.getLayout().shape()).value;
  return MemRefLoadVecOp::create(b, loc, VectorType::get({count}, memref.getElementType()), tensor);
}
void Builder::store_vec(Value vector, Value tensor) {
  MemRefStoreVecOp::create(b, loc, vector, tensor);
}

} // namespace tessera::dsl
