// Atoms of a single thread: multiply-add, loads and stores, cp.async with its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/Families.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

//===--- recipes ------------------------------------------------------------------------------===//

/// One fused multiply-add.
static Result<Done> fusedMultiplyAdd(MmaCall call) {
  Expander &e = call.e;
  auto element = [&](const View &view) { return loadElements(e, view); };
  TESSERA_TRY(SmallVector<Value> a, element(call.a));
  TESSERA_TRY(SmallVector<Value> b, element(call.b));
  TESSERA_TRY(SmallVector<Value> c, element(call.c));
  Value d = math::FmaOp::create(e.b, e.loc(), a[0], b[0], c[0]);
  return storeElements(e, call.d, d);
}

/// Hints about caches may be left out, but not what says which memory, and when.
static Result<Done> isPlain(const atom::AccessOptions &access) {
  for (size_t key : {size_t(atom::MemOrder), size_t(atom::SharedSpace)})
    if (uint8_t choice = access.choice[key]) {
      const atom::AccessKey &row = atom::accessKeys()[key];
      return Reason{"AccessOption",
                    cat("expects ", row.name, " = ", row.words[0], ", but got ", row.words[choice],
                        ", which is not lowered yet; use nvvm.load.ext or nvvm.store.ext")};
    }
  return Done{};
}

/// Loads and stores, as wide as the atom says; if it says nothing, as wide as one can be.
static Result<Done> universalCopy(CopyCall call) {
  if (Result<Done> plain = isPlain(call.atomType().getForm().access); !plain)
    return plain;
  int64_t count = std::min(call.valuesOf(call.src), call.valuesOf(call.dst));
  bool stated = call.atomType().getForm().statedBits || !isa<UniversalCopyType>(call.atomType());
  return copyRun(call.e, call.src, call.dst, count, stated ? call.atom.amount : widestAccess);
}

/// cp.async of the whole run. Where the predicate is false the destination is filled with zeros.
static Result<Done> asyncCopy(CopyCall call) {
  Expander &e = call.e;
  Type word = e.b.getIntegerType(unsigned(call.atom.amount));
  TESSERA_TRY(Value dst, operandPointer(e, call.dst, word));
  TESSERA_TRY(Value src, operandPointer(e, call.src, word));
  ArchCpAsyncOp::create(e.b, e.loc(), dst, src, call.pred, call.row().key.cache);
  return Done{};
}

//===--- patterns -----------------------------------------------------------------------------===//

namespace {
struct CpAsyncLowering final : OpConversionPattern<ArchCpAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArchCpAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int32_t bytes = int32_t(cast<PtrType>(op.getDst().getType()).getElementBits() / 8);
    Value source = adaptor.getSrc();
    auto global = LLVM::LLVMPointerType::get(b.getContext(), unsigned(AddressSpace::Gmem));
    if (source.getType() != global)
      source = LLVM::AddrSpaceCastOp::create(b, loc, global, source);
    // Bytes beyond the source size are filled with zeros.
    Value size;
    if (adaptor.getPred()) {
      auto constant = [&](int32_t value) -> Value {
        return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
      };
      size = LLVM::SelectOp::create(b, loc, adaptor.getPred(), constant(bytes), constant(0));
    }
    auto modifier = op.getCacheMode() == atom::CacheMode::Global && bytes == 16
                        ? NVVM::LoadCacheModifierKind::CG
                        : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, loc, adaptor.getDst(), source, uint32_t(bytes), modifier, size);
    b.eraseOp(op);
    return success();
  }
};

void addPatterns(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<CpAsyncLowering>(types, patterns.getContext());
}

constexpr MmaRecipe products[] = {{atom::Recipe::Fma, fusedMultiplyAdd}};
constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::UniversalCopy, universalCopy},
    {atom::CopyFamily::SimtAsyncCopy, asyncCopy},
};
} // namespace

const Unit universalUnit = {products, copies, {}, addPatterns};

} // namespace tessera::lower
