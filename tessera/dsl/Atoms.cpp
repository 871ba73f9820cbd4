// Atoms by the dialect's types, and the operations on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Atoms.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"
#include "tessera/dsl/AtomCall.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;
using layout::TreeKind;

namespace tessera::dsl {

//===--- atoms ------------------------------------------------------------------------------===//

Atom make_atom(const GroupMma &m, Num accumulates, Place at) {
  Call call("make_atom", at, accumulates);
  if (!call.good())
    return Atom(Value());
  auto element = [&](Element e) { return e.type(call.mlirContext()); };
  Type type = atomType<Sm90MmaType>(call, ShapeMnk{m.m(), m.n, m.k()}, m.aMajor, m.bMajor,
                                    element(m.a), element(m.b), element(m.c), m.aFrom,
                                    atom::Overflow::Wrapped, false, false, atom::BitOp::None);
  return madeAtom(call, type, accumulates.ir());
}

static Type scaledType(Call &call, const TensorMma &m) {
  auto element = [&](Element e) { return e.type(call.mlirContext()); };
  constexpr int32_t firstTarget = 100;
  return atomType<Sm100MmaBsType>(call, ShapeMnk{m.m, m.n, m.k()}, int32_t(m.blocks), m.aMajor,
                                  m.bMajor, element(m.a), element(m.b), element(m.c),
                                  element(*m.factor), atom::Residency::Smem, int32_t(m.vector),
                                  firstTarget, atom::Collector::Discard);
}
Atom make_atom(const TensorMma &m, Num accumulates, Place at) {
  Call call("make_atom", at, accumulates);
  if (!call.good())
    return Atom(Value());
  if (m.factor) { // scaled_by says later where they are
    auto nowhere = PtrType::get(call.mlirContext(), m.factor->type(call.mlirContext()),
                                AddressSpace::Tmem, 1, {});
    Num zero = i32(0, at);
    auto pointer = call.create<IntToPtrOp>(nowhere, zero.ir());
    if (!pointer)
      return Atom(Value());
    Pointer factors(pointer->getResult(0));
    return make_atom(m, accumulates, factors, factors, at);
  }
  auto element = [&](Element e) { return e.type(call.mlirContext()); };
  Type type = atomType<Sm100MmaType>(call, ShapeMnk{m.m, m.n, m.k()}, int32_t(m.blocks), m.aMajor,
                                     m.bMajor, element(m.a), element(m.b), element(m.c), m.aFrom,
                                     int32_t(0), atom::Overflow::Wrapped,
                                     /*weight_stationary=*/false, atom::Collector::Discard,
                                     int32_t(0), /*ashift=*/false, /*lane_mask=*/false);
  Value no = i1(false, at).ir();
  return madeAtom(call, type, {accumulates.ir(), no, no}); // adds; negates A, B
}
Atom make_atom(const TensorMma &m, Num accumulates, Pointer factorsA, Pointer factorsB, Place at) {
  Call call("make_atom", at, accumulates, factorsA, factorsB);
  if (call.good() && !m.factor)
    call.fail("expects a product with scale factors, as addresses of scale factors are given");
  if (!call.good())
    return Atom(Value());
  Value no = i1(false, at).ir();
  return madeAtom(call, scaledType(call, m),
                  {accumulates.ir(), no, no, factorsA.ir(), factorsB.ir()});
}
template <class Copy>
static Atom tensorCopy(const char *name, Element element, int columns, Place at) {
  Call call(name, at);
  if (!call.good())
    return Atom(Value());
  constexpr int32_t lanes = 32, bits = 32;
  Type type =
      atomType<Copy>(call, element.type(call.mlirContext()), lanes, bits, int32_t(columns), false);
  return madeAtom(call, type, {});
}
Atom make_tmem_load(Element element, int columns, Place at) {
  return tensorCopy<TmemLoadType>("make_tmem_load", element, columns, at);
}
Atom make_tmem_store(Element element, int columns, Place at) {
  return tensorCopy<TmemStoreType>("make_tmem_store", element, columns, at);
}

/// 8 x 8, the mode of a matrix load or store.
static ShapeAttr matrices(MLIRContext *context) {
  return ShapeAttr::get(context, layout::Tree::of({int64_t(8), int64_t(8)}));
}
Atom make_stmatrix(Element element, int count, Place at) {
  Call call("make_stmatrix", at);
  if (!call.good())
    return Atom(Value());
  Type type = atomType<StsmType>(call, element.type(call.mlirContext()),
                                 matrices(call.mlirContext()), int32_t(count), false);
  return madeAtom(call, type, {});
}
Atom make_ldmatrix(Element element, int count, bool transposed, Place at) {
  Call call("make_ldmatrix", at);
  if (!call.good())
    return Atom(Value());
  Type type =
      atomType<LdsmType>(call, element.type(call.mlirContext()), matrices(call.mlirContext()),
                         atom::SizePattern::U16, int32_t(count), transposed);
  return madeAtom(call, type, {});
}
Atom make_universal_copy(Element element, int bits, Place at) {
  Call call("make_universal_copy", at);
  if (!call.good())
    return Atom(Value());
  Type type =
      atomType<UniversalCopyType>(call, element.type(call.mlirContext()), int32_t(bits),
                                  std::optional<atom::EvictionPriority>(),
                                  std::optional<AddressSpace>(), std::optional<AddressSpace>());
  return madeAtom(call, type, {});
}
Atom make_atom(Type type, ArrayRef<Handle> fields, Place at) {
  Call call("make_atom", at);
  SmallVector<Value> values;
  for (const Handle &field : fields) {
    Call each("make_atom", at, field);
    if (!each.good())
      return Atom(Value());
    values.push_back(field.ir());
  }
  return madeAtom(call, call.good() ? type : Type(), values);
}

static Value withField(Call &call, Value atom, Attribute field, Value value) {
  auto op = call.create<AtomSetValueOp>(atom ? atom.getType() : Type(), atom, value, field);
  return op ? op->getResult(0) : Value();
}
Atom with_field(Atom atom, Attribute field, Handle value, Place at) {
  Call call("with_field", at, atom, value);
  return Atom(withField(call, atom.ir(), field, value.ir()));
}

//===--- products -----------------------------------------------------------------------------===//

Layout oneGroup() {
  constexpr int64_t one = 1, same = 0;
  return layout::Layout{layout::Tree::of({one, one, one}), layout::Tree::of({same, same, same})};
}
TiledMma make_tiled_mma(Atom atom, const Layout &atoms, Place at) {
  Call call("make_tiled_mma", at, atom, atoms);
  return tiledMma(call, atom, atoms, TileAttr());
}

/// The attribute that names an operand: 0, 1, 2 for A, B, C.
static NamedAttrList operandId(Call &call, int operand) {
  NamedAttrList attrs;
  if (call.good())
    attrs.set("operand_id", call.builder().getI32IntegerAttr(operand));
  return attrs;
}
static Tensor partition(const char *name, TiledMma mma, Tensor tensor, Num thread, int operand,
                        Place at) {
  Call call(name, at, mma, tensor, thread);
  Value who = call.value(Coord(thread), TreeKind::Coord);
  return Tensor(
      call.infer<TiledMmaPartitionOp>({mma.ir(), tensor.ir(), who}, operandId(call, operand)));
}
Tensor partition_A(TiledMma mma, Tensor tensor, Num thread, Place at) {
  return partition("partition_A", mma, tensor, thread, 0, at);
}
Tensor partition_B(TiledMma mma, Tensor tensor, Num thread, Place at) {
  return partition("partition_B", mma, tensor, thread, 1, at);
}
Tensor partition_C(TiledMma mma, Tensor tensor, Num thread, Place at) {
  return partition("partition_C", mma, tensor, thread, 2, at);
}
static Tensor fragment(const char *name, TiledMma mma, Tensor partition, int operand, Place at) {
  Call call(name, at, mma, partition);
  return Tensor(
      call.infer<MmaMakeFragmentOp>({mma.ir(), partition.ir()}, operandId(call, operand)));
}
Tensor make_fragment_A(TiledMma mma, Tensor partition, Place at) {
  return fragment("make_fragment_A", mma, partition, 0, at);
}
Tensor make_fragment_B(TiledMma mma, Tensor partition, Place at) {
  return fragment("make_fragment_B", mma, partition, 1, at);
}
/// CUTLASS tmem_frg: from a row to the next are 65536 words.
Tensor make_fragment_A(Pointer from, const TensorMma &m, int blocksOfK, Place at) {
  int64_t rowApart = 65536 * 32 / m.a.bits();
  return make_tensor(from,
                     make_layout(make_shape(make_shape(m.m, m.k()), 1, blocksOfK),
                                 make_stride(make_stride(rowApart, 1), 0, m.k()), at),
                     at);
}
Tensor make_fragment_C(TiledMma mma, const Shape &extent, Place at) {
  Call call("make_fragment_C", at, mma, extent);
  Value whole = call.value(extent, TreeKind::Shape);
  Value shape = call.infer<TiledMmaPartitionShapeOp>({mma.ir(), whole}, operandId(call, 2));
  return Tensor(call.infer<MmaMakeFragmentOp>({mma.ir(), shape}, operandId(call, 2)));
}
/// The field that says whether products add, as the family of the atom names it.
static Attribute accumulation(Type atom) {
  MLIRContext *context = atom.getContext();
  Attribute names[] = {MmaFieldSm90Attr::get(context, MmaFieldSm90::accum_c),
                       MmaFieldSm90SparseAttr::get(context, MmaFieldSm90Sparse::accum_c),
                       MmaFieldSm100BsAttr::get(context, MmaFieldSm100Bs::accum_c),
                       MmaFieldSm100Attr::get(context, MmaFieldSm100::accum_c)};
  return *llvm::find_if(
      names, [&](Attribute name) { return name == std::end(names)[-1] || knowsField(atom, name); });
}
TiledMma accumulate(TiledMma mma, Num whether, Place at) {
  Call call("accumulate", at, mma, whether);
  if (!call.good())
    return TiledMma(Value());
  Attribute field = accumulation(mma.ir().getType());
  return TiledMma(withField(call, mma.ir(), field, whether.ir()));
}
TiledMma scaled_by(TiledMma mma, Pointer factorsA, Pointer factorsB, Place at) {
  Call call("scaled_by", at, mma, factorsA, factorsB);
  if (!call.good())
    return TiledMma(Value());
  auto field = [&](MmaFieldSm100Bs which) {
    return MmaFieldSm100BsAttr::get(call.mlirContext(), which);
  };
  Value first = withField(call, mma.ir(), field(MmaFieldSm100Bs::sf_a), factorsA.ir());
  return TiledMma(withField(call, first, field(MmaFieldSm100Bs::sf_b), factorsB.ir()));
}
void gemm(TiledMma mma, Tensor d, Tensor a, Tensor b, Tensor c, Place at) {
  Call call("gemm", at, mma, d, a, b, c);
  call.create<GemmOp>(mma.ir(), d.ir(), a.ir(), b.ir(), c.ir(), IntegerAttr());
}

//===--- copies -------------------------------------------------------------------------------===//

/// (thread, value) -> index of the tile, and the tile: CUTLASS include/cute/atom/copy_atom.hpp,
/// make_tiled_copy.
TiledCopy make_tiled_copy(Atom atom, const Layout &threads, const Layout &values, Place at) {
  Call call("make_tiled_copy", at, atom, threads, values);
  for (const Layout *l : {&threads, &values})
    if (call.good() && (!l->isStatic() || !l->get().affine()))
      call.fail("expects static layouts of threads and of values, without a swizzle");
  if (!call.good())
    return TiledCopy(Value());
  layout::Const arith;
  Result<layout::AnyLayout> raked =
      layout::rakedProduct(arith, threads.get(), *values.get().affine());
  if (!raked) {
    call.fail(raked.reason().text);
    return TiledCopy(Value());
  }
  layout::Layout inverse = layout::rightInverse(arith, raked->outer());
  layout::Layout parts{
      layout::Tree::of({layout::size(arith, *threads.get().affine()),
                        layout::size(arith, *values.get().affine())}),
      layout::Tree::of({int64_t(1), layout::size(arith, *threads.get().affine())})};
  Result<layout::Layout> tv = layout::composition(arith, inverse, parts);
  if (!tv) {
    call.fail(tv.reason().text);
    return TiledCopy(Value());
  }
  std::vector<layout::Tile> tile;
  layout::Tree each = layout::productEach(arith, raked->shape());
  for (size_t i = 0; i < each.rank(); ++i)
    tile.push_back(layout::Layout{each[i], int64_t(1)});
  return tiledCopy(call, atom, *tv, layout::Tile(tile));
}
TiledCopy make_tmem_copy(Atom atom, Tensor tensor, Place at) {
  Call call("make_tmem_copy", at, atom, tensor);
  if (!call.good())
    return TiledCopy(Value());
  Result<Type> type = tensorCopyType(atom.ir().getType(), tensor.ir().getType());
  if (!type) {
    call.fail(type.reason().text);
    return TiledCopy(Value());
  }
  auto op = call.create<MakeTmemCopyOp>(*type, atom.ir(), tensor.ir());
  return TiledCopy(op ? op->getResult(0) : Value());
}
template <class Op>
static Tensor side(const char *name, TiledCopy copy, Tensor tensor, Num thread, Place at) {
  Call call(name, at, copy, tensor, thread);
  Value who = call.value(Coord(thread), TreeKind::Coord);
  return Tensor(call.infer<Op>({copy.ir(), tensor.ir(), who}));
}
Tensor partition_S(TiledCopy copy, Tensor tensor, Num thread, Place at) {
  return side<TiledCopyPartitionSOp>("partition_S", copy, tensor, thread, at);
}
Tensor partition_D(TiledCopy copy, Tensor tensor, Num thread, Place at) {
  return side<TiledCopyPartitionDOp>("partition_D", copy, tensor, thread, at);
}
static void copyBy(const Handle &atom, const Tensor &from, const Tensor &to, Place at) {
  Call call("copy", at, atom, from, to);
  call.create<CopyOp>(atom.ir(), from.ir(), to.ir(), Value());
}
void copy(Atom atom, Tensor from, Tensor to, Place at) { copyBy(atom, from, to, at); }
void copy(TiledCopy copy, Tensor from, Tensor to, Place at) { copyBy(copy, from, to, at); }

//===--- a warpgroup's products in flight ----------------------------------------------------===//

void warpgroup_arrive(Place at) {
  Call("warpgroup_arrive", at).create<NVVM::WgmmaFenceAlignedOp>();
}
void warpgroup_commit(Place at) {
  Call("warpgroup_commit", at).create<NVVM::WgmmaGroupSyncAlignedOp>();
}
void warpgroup_wait(int pending, Place at) {
  Call call("warpgroup_wait", at);
  if (call.good())
    call.create<NVVM::WgmmaWaitGroupSyncOp>(call.builder().getI64IntegerAttr(pending));
}

} // namespace tessera::dsl
