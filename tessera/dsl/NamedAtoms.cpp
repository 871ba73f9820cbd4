// The rows of the atom tables as types of the dialect, and operations on what is tiled with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/NamedAtoms.h"

#include "tessera/atom/Registry.h"
#include "tessera/cute_nvgpu/CopyAlignment.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/AtomCall.h"
#include "tessera/layout/Domains.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <charconv>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;
using layout::MmaOperand;
using layout::TreeKind;

namespace tessera::dsl {

//===--- by name ------------------------------------------------------------------------------===//

/// The N that a name has in place of a parametric one: 128 of SM90_64x128x16_...
static int64_t columnsOf(const atom::MmaRow &row, std::string_view name) {
  if (row.n.isFixed())
    return row.n.first;
  int64_t n = 0;
  size_t at = name.find('x') + 1;
  std::from_chars(name.data() + at, name.data() + name.size(), n);
  return n;
}

/// The type of a row, whose extents and choices are in the form.
template <class Form> static Type typeOfRow(Call &call, const Form &form) {
  if (!call.good())
    return {};
  Type type = call.collecting([&] {
    return typeOfForm([&] { return emitError(call.location()); }, call.mlirContext(), form);
  });
  return onTarget(call, type);
}

Atom make_mma_atom(std::string_view name, atom::Major aMajor, atom::Major bMajor, Place at) {
  Call call("make_mma_atom", at);
  Result<const atom::MmaRow *> found = atom::findMma(name);
  if (call.good() && !found)
    call.fail(found.reason().text);
  if (!call.good())
    return Atom(Value());
  const atom::MmaRow &row = **found;
  if ((row.sparsity.isSparse() || row.scale.isScaled()) && row.recipe == atom::Recipe::Umma) {
    call.fail(cat("expects a product without structured sparsity and scale factors, or one of "
                  "registers, but got ",
                  name, "; make_atom takes any type of the dialect"));
    return Atom(Value());
  }
  auto type = [&](const atom::Operand &o) { return Element(o.element).type(call.mlirContext()); };
  // Where a row leaves open which mode is contiguous, the caller says it.
  auto major = [](const atom::Operand &o, atom::Major chosen) {
    return o.majors == atom::Major::Any ? chosen : o.majors;
  };
  MmaForm form;
  form.shape = {row.m.first, columnsOf(row, name), row.k};
  form.a = type(row.a), form.b = type(row.b), form.c = type(row.c);
  form.query.family = row.family;
  form.query.aMajor = major(row.a, aMajor), form.query.bMajor = major(row.b, bMajor);
  form.query.aFrom = row.a.where;
  form.query.ctas = row.ctas;
  form.query.weightStationary = row.weightStationary;
  form.query.overflow = row.overflow;
  form.query.bitOp = row.bitOp;
  form.query.metadata = row.sparsity.metadata;
  if (row.scale.isScaled()) {
    using number::Format; // the dialect has no type of its own for factors of 7 bits
    Format factor = row.scale.element;
    form.sf = Element(factor == Format::ue4m3 ? Format::e4m3 : factor).type(call.mlirContext());
    form.query.vec = row.scale.vec;
  }
  Type made = typeOfRow(call, form);
  auto atom = dyn_cast_or_null<TableMmaAtom>(made);
  // Flags: whether the product adds to the sums, as it does, and whether it negates A and B.
  // Registers of metadata and factors, which the caller sets later.
  SmallVector<Value> values;
  SmallVector<Type> fields = atom ? atom.getFieldTypes() : SmallVector<Type>();
  assert(llvm::all_of(fields, [](Type field) { return field.isInteger(); }) &&
         "expects flags and registers only in a row of registers and descriptors");
  for (auto [i, field] : llvm::enumerate(fields))
    values.push_back(field.isInteger(1) ? i1(i == 0, at).ir() : i32(0, at).ir());
  return madeAtom(call, made, values);
}

Atom make_copy_atom(std::string_view name, Element value, int bits, Place at) {
  Call call("make_copy_atom", at);
  Result<const atom::CopyRow *> found = atom::findCopy(name);
  if (call.good() && !found)
    call.fail(found.reason().text);
  if (!call.good())
    return Atom(Value());
  const atom::CopyRow &row = **found;
  // Types of copies that complete through an mbarrier, a bulk group or tensor memory state more
  // than their name says.
  if (row.completion != atom::Completion::Immediate &&
      row.completion != atom::Completion::AsyncGroup) {
    call.fail(cat("expects a plain copy, cp.async, ldmatrix or stmatrix, but got ", name,
                  "; make_tma_load and make_tma_store make tensor copies"));
    return Atom(Value());
  }
  CopyForm form;
  form.valType = value.type(call.mlirContext());
  form.key = row.key;
  form.amount = form.statedBits = bits;
  if (row.key.matrices)
    form.matrix = ShapeAttr::get(
        call.mlirContext(), layout::Tree::of({int64_t(row.key.rows), int64_t(row.key.columns)}));
  return madeAtom(call, typeOfRow(call, form), {});
}

//===--- tiled products -----------------------------------------------------------------------===//

TiledMma make_tiled_mma(Atom atom, const Layout &atoms, const Tile &permutation, Place at) {
  Call call("make_tiled_mma", at, atom, atoms, permutation);
  return tiledMma(call, atom, atoms, TileAttr::get(call.mlirContext(), permutation.get()));
}

static std::optional<layout::TiledMma> tilingOf(Call &call, const TiledMma &mma) {
  auto type = call.good() ? dyn_cast<TiledMmaType>(mma.ir().getType()) : TiledMmaType();
  return type ? std::optional(tiledMmaOf(type)) : std::nullopt;
}
std::optional<layout::TiledMma> tiling_of(const TiledMma &mma, Place at) {
  Call call("tiled product", at, mma);
  return tilingOf(call, mma);
}
std::optional<layout::TiledCopy> tiling_of(const TiledCopy &copy, Place at) {
  Call call("tiled copy", at, copy);
  auto type = call.good() ? dyn_cast<TiledCopyType>(copy.ir().getType()) : TiledCopyType();
  return type ? std::optional(tiledCopyOf(type)) : std::nullopt;
}
std::optional<layout::MmaAtomLayouts> mma_layouts(const Atom &atom, Place at) {
  Call call("atom", at, atom);
  auto type = call.good() ? dyn_cast<MmaAtomType>(atom.ir().getType()) : MmaAtomType();
  return type ? std::optional(type.getLayouts()) : std::nullopt;
}
std::optional<layout::CopyAtomLayouts> copy_layouts(const Atom &atom, Place at) {
  Call call("atom", at, atom);
  auto type = call.good() ? dyn_cast<CopyAtomType>(atom.ir().getType()) : CopyAtomType();
  return type ? std::optional(type.getLayouts()) : std::nullopt;
}
std::optional<Element> element_of_copy(const Handle &copy) {
  Type type = copy.ir() ? copy.ir().getType() : Type();
  if (auto tiled = dyn_cast_or_null<TiledCopyType>(type))
    type = tiled.getAtom();
  auto atom = dyn_cast_or_null<CopyAtomType>(type);
  return atom ? element_named(atom.getValueType()) : std::nullopt;
}
template <class T> static int64_t numberOr(Call &call, Result<T> result, int64_t otherwise) {
  if (result)
    return result->value;
  call.fail(result.reason().text);
  return otherwise;
}
int64_t tile_size(const TiledMma &mma, int mode, Place at) {
  Call call("tile_size", at, mma);
  layout::Const arith;
  std::optional<layout::TiledMma> tiling = tilingOf(call, mma);
  return tiling ? numberOr(call, layout::tileSize(arith, *tiling, mode), 1) : 1;
}
int64_t thread_count(const TiledMma &mma, Place at) {
  Call call("size", at, mma);
  layout::Const arith;
  std::optional<layout::TiledMma> tiling = tilingOf(call, mma);
  if (!tiling)
    return 1;
  return arith
      .mul(layout::size(arith, tiling->atom.threads), layout::size(arith, tiling->atomLayout))
      .value;
}
int64_t thread_count(const TiledCopy &copy, Place at) {
  Call call("size", at, copy);
  layout::Const arith;
  auto type = call.good() ? dyn_cast<TiledCopyType>(copy.ir().getType()) : TiledCopyType();
  return type ? layout::size(arith, tiledCopyOf(type).layoutTV[0]).value : 1;
}

/// Which of M, N, K the modes of an operand are.
static std::array<int, 2> modesOf(MmaOperand operand) {
  return {operand == MmaOperand::B ? 1 : 0, operand == MmaOperand::C ? 1 : 2};
}
/// Threads that differ only in the mode that the operand does not have hold the same values:
/// CUTLASS include/cute/atom/mma_atom.hpp.
Result<layout::Layout> operand_layout(const layout::TiledMma &mma, MmaOperand operand) {
  layout::Const arith;
  std::vector<layout::Tree> extents;
  for (int mode : modesOf(operand)) {
    TESSERA_TRY(layout::Int extent, layout::tileSize(arith, mma, mode));
    extents.push_back(layout::Tree(extent));
  }
  layout::Layout tile = layout::compactMajor(arith, layout::Tree(std::move(extents)));
  TESSERA_TRY(layout::AnyLayout parts, layout::threadFragments(arith, mma, operand, tile));
  TESSERA_TRY(layout::Layout threads, layout::threadLayout(arith, mma));
  const layout::Layout ofThreads = parts.outer()[0];
  size_t absent = operand == MmaOperand::A ? 2 : operand == MmaOperand::B ? 1 : 3;
  std::vector<layout::Layout> modes{ofThreads[0]}; // V, M, N, K
  for (size_t mode = 1, own = 0; mode < 4; ++mode)
    modes.push_back(mode == absent
                        ? layout::Layout{layout::size(arith, threads[mode]), layout::Int(0)}
                        : ofThreads[1][own++]);
  TESSERA_TRY(layout::Layout byMode, layout::concat(modes));
  TESSERA_TRY(layout::Layout byNumber,
              layout::composition(arith, byMode, layout::rightInverse(arith, threads)));
  return layout::concat({byNumber, parts.outer()[1]});
}
static NamedAttrList operandId(Call &call, MmaOperand operand) {
  NamedAttrList attrs;
  if (call.good())
    attrs.set("operand_id", call.builder().getI32IntegerAttr(int32_t(operand)));
  return attrs;
}
Shape partition_shape(const TiledMma &mma, const Shape &extent, MmaOperand operand, Place at) {
  Call call("partition_shape", at, mma, extent);
  layout::Const arith;
  std::optional<layout::TiledMma> tiling = tilingOf(call, mma);
  if (tiling && !extent.isStatic())
    call.fail("expects a shape of numbers that are known while the kernel is traced");
  if (!tiling || !call.good())
    return Shape(Value(), extent.tree());
  Result<layout::Tree> shape = layout::partitionShape(arith, *tiling, operand, extent.tree());
  if (shape)
    return Shape(*std::move(shape));
  call.fail(shape.reason().text);
  return Shape(Value(), extent.tree());
}
Tensor make_fragment(TiledMma mma, const Shape &shape, MmaOperand operand, Place at) {
  Call call("make_fragment", at, mma, shape);
  Value extents = call.value(shape, TreeKind::Shape);
  return Tensor(call.infer<MmaMakeFragmentOp>({mma.ir(), extents}, operandId(call, operand)));
}
Tensor make_fragment(TiledMma mma, Tensor partition, MmaOperand operand, Place at) {
  Call call("make_fragment", at, mma, partition);
  return Tensor(
      call.infer<MmaMakeFragmentOp>({mma.ir(), partition.ir()}, operandId(call, operand)));
}

//===--- tiled copies -------------------------------------------------------------------------===//

TiledCopy make_tiled_copy_tv(Atom atom, const Layout &tv, const Tile &tile, Place at) {
  Call call("make_tiled_copy", at, atom, tv, tile);
  if (call.good() && (!tv.isStatic() || !tv.get().affine()))
    call.fail("expects a static layout of threads and values, without a swizzle");
  return call.good() ? tiledCopy(call, atom, *tv.get().affine(), tile.get()) : TiledCopy(Value());
}

TiledCopy make_tiled_copy_for(Atom atom, const TiledMma &mma, MmaOperand operand, Place at) {
  Call call("make_tiled_copy", at, atom, mma);
  std::optional<layout::TiledMma> tiling = tilingOf(call, mma);
  if (!tiling)
    return TiledCopy(Value());
  layout::Const arith;
  std::vector<layout::Tile> tile;
  for (int mode : modesOf(operand))
    tile.push_back(layout::Layout{
        layout::Int(numberOr(call, layout::tileSize(arith, *tiling, mode), 1)), layout::Int(1)});
  Result<layout::Layout> tv = operand_layout(*tiling, operand);
  if (!tv) {
    call.fail(tv.reason().text);
    return TiledCopy(Value());
  }
  return tiledCopy(call, atom, *tv, layout::Tile(tile));
}
Tensor retile(TiledCopy copy, Tensor fragment, Place at) {
  Call call("retile", at, copy, fragment);
  return Tensor(call.infer<TiledCopyRetileOp>({copy.ir(), fragment.ir()}));
}

//===--- calls --------------------------------------------------------------------------------===//

void copy_with(const Handle &atom, Tensor from, Tensor to, Place at) {
  Call call("copy", at, atom, from, to);
  call.create<CopyOp>(atom.ir(), from.ir(), to.ir(), Value());
}
/// The atom of a copy, tiled or not; null after a mistake.
static TableCopyAtom copyAtomOf(Call &call, const Handle &copy) {
  Type type = call.good() ? copy.ir().getType() : Type();
  if (auto tiled = dyn_cast_or_null<TiledCopyType>(type))
    type = tiled.getAtom();
  return dyn_cast_or_null<TableCopyAtom>(type);
}
int64_t values_per_call(const Handle &atom, Place at) {
  Call call("copy", at, atom);
  TableCopyAtom copy = copyAtomOf(call, atom);
  layout::Const arith;
  return copy ? layout::size(arith, copy.getLayouts().src[1]).value : 1;
}
int64_t values_written_per_call(const Handle &atom, Place at) {
  Call call("copy", at, atom);
  TableCopyAtom copy = copyAtomOf(call, atom);
  layout::Const arith;
  return copy ? layout::size(arith, copy.getLayouts().dst[1]).value : 1;
}
std::pair<int64_t, int64_t> alignments_of(const Handle &atom, Place at) {
  Call call("copy", at, atom);
  TableCopyAtom copy = copyAtomOf(call, atom);
  return copy ? cute_nvgpu::alignmentsOf(copy) : std::pair<int64_t, int64_t>(8, 8);
}
void copy_if(const Handle &atom, Tensor pred, Tensor from, Tensor to, Place at) {
  Call call("copy_if", at, atom, pred, from, to);
  call.create<CopyOp>(atom.ir(), from.ir(), to.ir(), pred.ir());
}
void gemm_with(const Handle &atom, Tensor d, Tensor a, Tensor b, Tensor c, Place at) {
  Call call("gemm", at, atom, d, a, b, c);
  call.create<GemmOp>(atom.ir(), d.ir(), a.ir(), b.ir(), c.ir(), IntegerAttr());
}
void cp_async_commit(Place at) { Call("cp_async_fence", at).create<NVVM::CpAsyncCommitGroupOp>(); }
void cp_async_wait(int pending, Place at) {
  Call call("cp_async_wait", at);
  if (call.good())
    call.create<NVVM::CpAsyncWaitGroupOp>(call.builder().getI32IntegerAttr(pending));
}

} // namespace tessera::dsl
