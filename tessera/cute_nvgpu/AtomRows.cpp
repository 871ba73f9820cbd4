// From atom types to rows of the tables in tessera/atom: a type whose parameters pick no row is
// refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "tessera/atom/UmmaForm.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

atom::Element tessera::cute_nvgpu::elementOf(Type type) {
  using atom::Element;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1: return Element::b1;
    case 4: return isUnsigned ? Element::u4 : Element::s4;
    case 8: return isUnsigned ? Element::u8 : Element::s8;
    case 32: return Element::s32;
    default: return Element::none;
    }
  }
  return TypeSwitch<Type, Element>(type)
      .Case([](Float64Type) { return Element::f64; })
      .Case([](Float32Type) { return Element::f32; })
      .Case([](FloatTF32Type) { return Element::tf32; })
      .Case([](Float16Type) { return Element::f16; })
      .Case([](BFloat16Type) { return Element::bf16; })
      .Case([](Float8E4M3FNType) { return Element::e4m3; })
      .Case([](Float8E5M2Type) { return Element::e5m2; })
      .Case([](Float6E2M3FNType) { return Element::e2m3; })
      .Case([](Float6E3M2FNType) { return Element::e3m2; })
      .Case([](Float4E2M1FNType) { return Element::e2m1; })
      .Case([](Float8E8M0FNUType) { return Element::ue8m0; })
      .Default(Element::none);
}

atom::Element tessera::cute_nvgpu::scaleElementOf(Type type) {
  return isa<Float8E4M3FNType>(type) ? atom::Element::ue4m3 : elementOf(type);
}

namespace {
atom::Major majorOf(Major major) { return major == Major::k ? atom::Major::K : atom::Major::MN; }
atom::Overflow overflowOf(Overflow overflow) {
  return overflow == Overflow::wrapped ? atom::Overflow::Wrapped : atom::Overflow::Satfinite;
}
atom::BitOp bitOpOf(BinaryOp op) {
  return op == BinaryOp::xor_popc   ? atom::BitOp::XorPopc
         : op == BinaryOp::and_popc ? atom::BitOp::AndPopc
                                    : atom::BitOp::None;
}
atom::Metadata metadataOf(SparseMetadataFormat format) {
  return format == SparseMetadataFormat::plain ? atom::Metadata::Plain : atom::Metadata::Ordered;
}
atom::Residency residencyOf(FragKind kind) {
  return kind == FragKind::ss   ? atom::Residency::Smem
         : kind == FragKind::rs ? atom::Residency::Rmem
                                : atom::Residency::Tmem;
}

//===--- MMA atoms ----------------------------------------------------------------------------===//

template <class T> atom::MmaQuery baseQuery(T t, atom::MmaFamily family) {
  atom::MmaQuery query{.family = family};
  query.m = t.getShape().m;
  query.n = t.getShape().n;
  query.k = t.getShape().k;
  query.a = elementOf(t.getA());
  query.b = elementOf(t.getB());
  query.c = elementOf(t.getC());
  return query;
}
template <class T> atom::MmaQuery warpgroupQuery(T t, atom::MmaFamily family) {
  atom::MmaQuery query = baseQuery(t, family);
  query.aMajor = majorOf(t.getAMajor());
  query.bMajor = majorOf(t.getBMajor());
  query.aFrom = residencyOf(t.getFragKind());
  return query;
}
template <class T> atom::MmaQuery umma(T t, atom::MmaFamily family) {
  atom::MmaQuery query = warpgroupQuery(t, family);
  query.ctas = t.getNumCta();
  return query;
}

atom::MmaQuery queryOf(UniversalFmaType t) { return baseQuery(t, atom::MmaFamily::UniversalFma); }
atom::MmaQuery queryOf(Sm89MmaType t) { return baseQuery(t, atom::MmaFamily::Sm89Mma); }
atom::MmaQuery queryOf(Sm80MmaType t) {
  atom::MmaQuery query = baseQuery(t, atom::MmaFamily::Sm80Mma);
  query.aMajor = majorOf(t.getAMajor());
  query.bMajor = majorOf(t.getBMajor());
  query.overflow = overflowOf(t.getOverflow());
  query.bitOp = bitOpOf(t.getBinaryOp());
  return query;
}
atom::MmaQuery queryOf(Sm80SparseMmaType t) {
  atom::MmaQuery query = baseQuery(t, atom::MmaFamily::Sm80SparseMma);
  query.metadata = metadataOf(t.getSparseMetadataFormat());
  query.overflow = overflowOf(t.getOverflow());
  return query;
}
atom::MmaQuery queryOf(Sm90MmaType t) {
  atom::MmaQuery query = warpgroupQuery(t, atom::MmaFamily::Sm90Mma);
  query.overflow = overflowOf(t.getOverflow());
  query.bitOp = bitOpOf(t.getBinaryOp());
  return query;
}
atom::MmaQuery queryOf(Sm90MmaSpType t) {
  atom::MmaQuery query = warpgroupQuery(t, atom::MmaFamily::Sm90MmaSp);
  query.overflow = overflowOf(t.getOverflow());
  query.metadata = atom::Metadata::Plain;
  return query;
}
atom::MmaQuery queryOf(Sm100MmaType t) {
  atom::MmaQuery query = umma(t, atom::MmaFamily::Sm100Mma);
  query.overflow = overflowOf(t.getOverflow());
  return query;
}
atom::MmaQuery queryOf(Sm100MmaSpType t) {
  atom::MmaQuery query = umma(t, atom::MmaFamily::Sm100MmaSp);
  query.overflow = overflowOf(t.getOverflow());
  query.metadata = metadataOf(t.getSparseMetadataFormat());
  return query;
}
atom::MmaQuery queryOf(Sm100MmaBsType t) {
  atom::MmaQuery query = umma(t, atom::MmaFamily::Sm100MmaBs);
  query.scale = scaleElementOf(t.getSf());
  query.vec = t.getVecSize();
  return query;
}
atom::MmaQuery queryOf(Sm100MmaBsSpType t) {
  atom::MmaQuery query = umma(t, atom::MmaFamily::Sm100MmaBsSp);
  query.scale = scaleElementOf(t.getSf());
  query.vec = t.getVecSize();
  query.metadata = metadataOf(t.getSparseMetadataFormat());
  return query;
}
atom::MmaQuery queryOf(Sm120MmaBsType t) {
  atom::MmaQuery query = baseQuery(t, atom::MmaFamily::Sm120MmaBs);
  query.scale = scaleElementOf(t.getSf());
  query.vec = t.getVecSize();
  return query;
}

//===--- copy atoms ---------------------------------------------------------------------------===//

using atom::CopyFamily;
using atom::CopyKey;

struct CopyQuery {
  CopyKey key;
  int64_t amount; // bits, or repetitions for tensor memory
};

atom::TmaMode modeOf(TmaMode mode) {
  switch (mode) {
  case TmaMode::tiled: return atom::TmaMode::Tiled;
  case TmaMode::im2col: return atom::TmaMode::Im2col;
  case TmaMode::w128: return atom::TmaMode::Im2colW128;
  case TmaMode::w: return atom::TmaMode::Im2colW;
  case TmaMode::gather4: return atom::TmaMode::Gather4;
  case TmaMode::scatter4: return atom::TmaMode::Scatter4;
  }
  return atom::TmaMode::None;
}
atom::Reduction reductionOf(ReductionKind kind) { return atom::Reduction(int(kind) + 1); }

/// A type as reductions see it: and, or and xor take bits. Sums of signed and unsigned 64-bit
/// integers have the same bits.
atom::ReducedType reducedOf(atom::Reduction reduction, Type type) {
  using enum atom::ReducedType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool wide = integer.getWidth() == 64, isSigned = !integer.isUnsigned();
    if (!wide && integer.getWidth() != 32)
      return None;
    if (reduction >= atom::Reduction::And)
      return wide ? B64 : B32;
    if (wide)
      return isSigned && reduction != atom::Reduction::Add ? S64 : U64;
    return isSigned ? S32 : U32;
  }
  return TypeSwitch<Type, atom::ReducedType>(type)
      .Case([](Float64Type) { return F64; })
      .Case([](Float32Type) { return F32; })
      .Case([](Float16Type) { return F16; })
      .Case([](BFloat16Type) { return BF16; })
      .Default(None);
}

/// The extents of a matrix from its mode, a shape such as (8,8).
std::pair<int64_t, int64_t> matrixOf(cute::ShapeAttr mode) {
  layout::Tree shape = mode.getValue();
  if (!shape.isTuple() || shape.rank() != 2 || !shape.isStatic() || shape.depth() != 1)
    return {0, 0};
  return {shape[0].leaf().value.value, shape[1].leaf().value.value};
}
} // namespace

CopyKey tessera::cute_nvgpu::ldsmKey(cute::ShapeAttr mode, LdsmSzPattern pattern, int64_t matrices,
                                     bool transpose) {
  CopyKey key{.family = CopyFamily::Ldsm};
  std::tie(key.rows, key.columns) = matrixOf(mode);
  key.matrices = matrices;
  key.transpose = transpose;
  if (pattern == LdsmSzPattern::u4x16p64to8)
    key.format = atom::PackedFormat::B4x16P64;
  else if (pattern == LdsmSzPattern::u6x16p32to8)
    key.format = atom::PackedFormat::B6x16P32;
  return key;
}
CopyKey tessera::cute_nvgpu::stsmKey(cute::ShapeAttr mode, int64_t matrices, bool transpose) {
  CopyKey key{.family = CopyFamily::Stsm};
  std::tie(key.rows, key.columns) = matrixOf(mode);
  key.matrices = matrices;
  key.transpose = transpose;
  return key;
}

namespace {

CopyQuery queryOf(UniversalCopyType t) {
  // Without a width it is that of a value, which takes at least a byte of memory.
  int64_t bits =
      t.getCopyBits() ? t.getCopyBits() : std::max<int64_t>(cute::bitsOf(t.getValType()), 8);
  return {{.family = CopyFamily::UniversalCopy}, bits};
}
CopyQuery queryOf(SimtAsyncCopyType t) {
  CopyKey key{.family = CopyFamily::SimtAsyncCopy};
  key.cache = t.getCache() == LoadCacheMode::always   ? atom::CacheMode::Always
              : t.getCache() == LoadCacheMode::global ? atom::CacheMode::Global
                                                      : atom::CacheMode::None;
  return {key, t.getCopyBits()};
}
CopyQuery queryOf(LdsmType t) {
  return {ldsmKey(t.getMode(), t.getSzPattern(), t.getNumMatrices(), t.getTranspose()), 0};
}
CopyQuery queryOf(StsmType t) {
  return {stsmKey(t.getMode(), t.getNumMatrices(), t.getTranspose()), 0};
}
template <class T> CopyQuery tmemQuery(T t, CopyFamily family) {
  CopyKey key{.family = family, .rows = t.getNumDp(), .columns = t.getNumBit()};
  key.packed16 = t.getPack16b();
  return {key, t.getNumRep()};
}
CopyQuery queryOf(TmemLoadType t) { return tmemQuery(t, CopyFamily::TmemLoad); }
CopyQuery queryOf(TmemStoreType t) { return tmemQuery(t, CopyFamily::TmemStore); }
CopyQuery queryOf(S2TCopyType t) {
  CopyKey key{.family = CopyFamily::S2TCopy, .rows = t.getNumDp(), .columns = t.getNumBit()};
  key.broadcast = atom::Broadcast(int(t.getBroadcast()));
  key.ctas = t.getNumCta();
  return {key, 0};
}
CopyQuery queryOf(TmaLoadType t) {
  CopyKey key{.family = CopyFamily::TmaLoad, .mode = modeOf(t.getMode())};
  key.multicast = t.getMcast();
  key.ctas = t.getNumCta();
  return {key, t.getCopyBits()};
}
CopyQuery queryOf(TmaStoreType t) {
  return {{.family = CopyFamily::TmaStore, .mode = modeOf(t.getMode())}, t.getCopyBits()};
}
CopyQuery queryOf(TmaReduceType t) {
  CopyKey key{.family = CopyFamily::TmaReduce, .mode = modeOf(t.getMode())};
  key.reduction = reductionOf(t.getKind());
  return {key, t.getCopyBits()};
}
CopyQuery queryOf(BulkCopyG2SType t) {
  return {{.family = CopyFamily::BulkG2S, .multicast = t.getMcast()}, t.getCopyBits()};
}
CopyQuery queryOf(BulkCopyS2GType t) { return {{.family = CopyFamily::BulkS2G}, t.getCopyBits()}; }
CopyQuery queryOf(BulkCopyS2SType t) { return {{.family = CopyFamily::BulkS2S}, t.getCopyBits()}; }
template <class T> CopyQuery reduceQuery(T t, CopyFamily family) {
  atom::Reduction reduction = reductionOf(t.getKind());
  return {
      {.family = family, .reduction = reduction, .reduced = reducedOf(reduction, t.getValType())},
      t.getCopyBits()};
}
CopyQuery queryOf(BulkReduceS2GType t) { return reduceQuery(t, CopyFamily::BulkReduceS2G); }
CopyQuery queryOf(BulkReduceS2SType t) { return reduceQuery(t, CopyFamily::BulkReduceS2S); }
CopyQuery queryOf(DsmemStoreType t) {
  return {{.family = CopyFamily::DsmemStore}, t.getCopyBits()};
}
CopyQuery queryOf(NonExecIm2colTmaLoadType t) {
  return {{.family = CopyFamily::TmaLoad, .mode = atom::TmaMode::Im2col}, t.getCopyBits()};
}
CopyQuery queryOf(NonExecTiledTmaLoadType t) {
  CopyKey key{.family = CopyFamily::TmaLoad, .mode = atom::TmaMode::Tiled};
  key.multicast = t.getKind() == TiledTmaLoad::sm_90_multicast ||
                  t.getKind() == TiledTmaLoad::sm_100_2sm_multicast;
  key.ctas = int(t.getKind()) >= int(TiledTmaLoad::sm_100_2sm) ? 2 : 1;
  return {key, t.getCopyBits()};
}
CopyQuery queryOf(NonExecTiledTmaStoreType t) {
  return {{.family = CopyFamily::TmaStore, .mode = atom::TmaMode::Tiled}, t.getCopyBits()};
}
CopyQuery queryOf(NonExecTiledTmaReduceType t) {
  CopyKey key{.family = CopyFamily::TmaReduce, .mode = atom::TmaMode::Tiled};
  key.reduction = reductionOf(t.getKind());
  return {key, t.getCopyBits()};
}

//===--- rows ---------------------------------------------------------------------------------===//

template <class T> Result<MmaInstance> mmaRowOf(T type) {
  atom::MmaQuery query = queryOf(type);
  int halved = query.metadata == atom::Metadata::None ? 1 : 2;
  atom::ScaledForm scaled{query.a,
                          query.b,
                          query.c,
                          query.scale,
                          query.scale,
                          query.k / halved,
                          query.vec / halved,
                          query.vec / halved};
  if (std::optional<Reason> refusal = atom::scaledRefusal(scaled))
    return *std::move(refusal);
  TESSERA_TRY(const atom::MmaRow *row, atom::find(query));
  return MmaInstance{row, query.m, query.n};
}
template <class T> Result<CopyInstance> copyRowOf(T type) {
  CopyQuery query = queryOf(type);
  TESSERA_TRY(const atom::CopyRow *row, atom::find(query.key));
  Result<layout::CopyAtomLayouts> layouts = atom::bitLayouts(*row, query.amount);
  if (!layouts)
    return std::move(layouts).reason();
  return CopyInstance{row, query.amount};
}
} // namespace

#define MMA_ROW(TYPE)                                                                              \
  Result<MmaInstance> TYPE::getInstance() const { return mmaRowOf(*this); }
#define COPY_ROW(TYPE)                                                                             \
  Result<CopyInstance> TYPE::getInstance() const { return copyRowOf(*this); }
MMA_ROW(UniversalFmaType)
MMA_ROW(Sm89MmaType)
MMA_ROW(Sm80MmaType)
MMA_ROW(Sm80SparseMmaType)
MMA_ROW(Sm90MmaType)
MMA_ROW(Sm90MmaSpType)
MMA_ROW(Sm100MmaType)
MMA_ROW(Sm100MmaSpType)
MMA_ROW(Sm100MmaBsType)
MMA_ROW(Sm100MmaBsSpType)
MMA_ROW(Sm120MmaBsType)
COPY_ROW(UniversalCopyType)
COPY_ROW(SimtAsyncCopyType)
COPY_ROW(LdsmType)
COPY_ROW(StsmType)
COPY_ROW(TmemLoadType)
COPY_ROW(TmemStoreType)
COPY_ROW(S2TCopyType)
COPY_ROW(TmaLoadType)
COPY_ROW(TmaStoreType)
COPY_ROW(TmaReduceType)
COPY_ROW(NonExecTiledTmaLoadType)
COPY_ROW(NonExecTiledTmaStoreType)
COPY_ROW(NonExecTiledTmaReduceType)
COPY_ROW(NonExecIm2colTmaLoadType)
COPY_ROW(BulkCopyG2SType)
COPY_ROW(BulkCopyS2GType)
COPY_ROW(BulkCopyS2SType)
COPY_ROW(BulkReduceS2GType)
COPY_ROW(BulkReduceS2SType)
COPY_ROW(DsmemStoreType)
#undef MMA_ROW
#undef COPY_ROW

namespace {
template <class Instance, class... Types> std::optional<Instance> instanceOf(Type type) {
  std::optional<Instance> found;
  (void)((isa<Types>(type) && (found = *cast<Types>(type).getInstance(), true)) || ...);
  return found;
}
} // namespace

std::optional<MmaInstance> tessera::cute_nvgpu::mmaInstanceOf(Type type) {
  if (auto tiled = dyn_cast<cute::TiledMmaType>(type))
    type = tiled.getAtom();
  return instanceOf<MmaInstance, UniversalFmaType, Sm80MmaType, Sm80SparseMmaType, Sm89MmaType,
                    Sm90MmaType, Sm90MmaSpType, Sm100MmaType, Sm100MmaSpType, Sm100MmaBsType,
                    Sm100MmaBsSpType, Sm120MmaBsType>(type);
}
std::optional<CopyInstance> tessera::cute_nvgpu::copyInstanceOf(Type type) {
  if (auto tiled = dyn_cast<cute::TiledCopyType>(type))
    type = tiled.getAtom();
  return instanceOf<CopyInstance, UniversalCopyType, SimtAsyncCopyType, LdsmType, StsmType,
                    TmemLoadType, TmemStoreType, S2TCopyType, TmaLoadType, TmaStoreType,
                    TmaReduceType, NonExecTiledTmaLoadType, NonExecTiledTmaStoreType,
                    NonExecTiledTmaReduceType, NonExecIm2colTmaLoadType, BulkCopyG2SType,
                    BulkCopyS2GType, BulkCopyS2SType, BulkReduceS2GType, BulkReduceS2SType,
                    DsmemStoreType>(type);
}

Result<const atom::CopyRow *>
tessera::cute_nvgpu::bulkReductionRow(bool toCluster, ReductionKind kind, Type element) {
  atom::Reduction reduction = reductionOf(kind);
  return atom::find(
      CopyKey{.family = toCluster ? CopyFamily::BulkReduceS2S : CopyFamily::BulkReduceS2G,
              .reduction = reduction,
              .reduced = reducedOf(reduction, element)});
}

std::string tessera::cute_nvgpu::reductionRefusal(ReductionKind kind, Type type) {
  // Tensor maps reduce as bulk reductions into global memory do, but name the type themselves.
  if (bulkReductionRow(/*toCluster=*/false, kind, type))
    return "";
  return sentence(Diag::TmaReduction, stringifyReductionKind(kind), type,
                  StringRef(atom::reducedTypes(CopyFamily::BulkReduceS2G, reductionOf(kind))));
}
