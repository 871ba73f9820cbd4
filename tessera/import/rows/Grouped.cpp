// Rows: copies and products whose operands are lists of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product takes scale factors and metadata beside the matrix that they belong to: `[a, sfa]`,
// `[b, sfb]`. Here they are fields of the atom, which each call reads, so that such a product is
// one for each call, with the factors of that call set. Spellings: spellings/Generic.h.
#include "tessera/cute/Build.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/import/rows/Rows.h"
#include "tessera/import/spellings/Generic.h"

namespace tessera::import {

using namespace mlir;

namespace {
/// The op without `groupedSuffix`, as its file has it.
StringRef plainName(const ForeignOp &op) { return op.name().drop_back(groupedSuffix.size()); }

template <class... Pieces>
LogicalResult refusePlain(const ForeignOp &op, Diag diag, const Pieces &...pieces) {
  return refuse(op.operation()->getLoc(), diag, plainName(op), pieces...);
}

/// The operands, group by group.
FailureOr<SmallVector<ValueRange>> groupsOf(ForeignOp &op, size_t count) {
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(op.take("operandSegmentSizes"));
  ValueRange left = op.operands();
  SmallVector<ValueRange> groups;
  if (!sizes || size_t(sizes.size()) != count)
    return refusePlain(op, Diag::GroupSizes, count, left.size(), sizes);
  for (int32_t size : sizes.asArrayRef()) {
    if (size < 0 || size_t(size) > left.size())
      return refusePlain(op, Diag::GroupSizes, count, op.operands().size(), sizes);
    groups.push_back(left.take_front(size_t(size)));
    left = left.drop_front(size_t(size));
  }
  if (!left.empty())
    return refusePlain(op, Diag::GroupSizes, count, op.operands().size(), sizes);
  return groups;
}

layout::AnyLayout layoutOf(Value view) {
  return cast<cute::ViewType>(view.getType()).getViewLayout();
}

/// The part of a view at a coordinate of the modes after the first, without those that it lacks.
FailureOr<Value> partOf(OpBuilder &builder, Location loc, Value view, ArrayRef<int64_t> at) {
  const size_t rank = layoutOf(view).rank();
  if (rank == 1)
    return view;
  std::vector<layout::Tree> modes = {layout::Leaf::underscore()};
  for (int64_t i : at.take_front(rank - 1))
    modes.emplace_back(i);
  Value coord = cute::StaticOp::create(
      builder, loc, cute::CoordType::get(builder.getContext(), layout::Tree(std::move(modes))));
  FailureOr<cute::SliceOp> slice = cute::build<cute::SliceOp>(builder, loc, {view, coord});
  if (failed(slice))
    return failure();
  return slice->getResult();
}

//===--- copies -------------------------------------------------------------------------------===//

/// The extents of the modes after the first; nothing where one is known at run time only.
std::optional<SmallVector<int64_t>> restOf(Value view) {
  SmallVector<int64_t> rest;
  layout::Symbolic arith;
  layout::AnyLayout l = layoutOf(view);
  for (size_t mode = 1; mode < l.rank(); ++mode) {
    layout::Int extent = layout::product(arith, l.shape()[mode]);
    if (!extent.isStatic())
      return std::nullopt;
    rest.push_back(extent.value);
  }
  return rest;
}

/// tcgen05.ld.red: `to` gets what is loaded, and `reduced` a lane's largest or smallest of it.
LogicalResult loadReduced(ForeignOp &op, cute_nvgpu::TableCopyAtom atom, Value from, Value to,
                          Value reduced) {
  OpBuilder builder(op.operation());
  Location loc = op.operation()->getLoc();
  MLIRContext *context = op.context();
  cute_nvgpu::CopyForm form = atom.getForm();
  const int64_t words = cute_nvgpu::copyInstanceOf(atom)->row->registersFor(form.amount);
  auto target = dyn_cast<cute::CuteMemRefType>(to.getType());
  auto result = dyn_cast<cute::CuteMemRefType>(reduced.getType());
  auto count = [](Value view) {
    layout::Symbolic arith;
    return layout::product(arith, layoutOf(view).shape()[0]);
  };
  if (!target || !count(to).is(words))
    return refusePlain(op, Diag::LoadedWords, words, to.getType());
  std::optional<SmallVector<int64_t>> calls = restOf(from);
  if (!result || !count(reduced).is(1) || !calls || restOf(to) != calls || restOf(reduced) != calls)
    return refusePlain(op, Diag::LoadedOnce, layout::str(layoutOf(from)), reduced.getType());
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("type", TypeAttr::get(form.valType)),
      builder.getNamedAttr("num_dp", builder.getI32IntegerAttr(int32_t(form.key.rows))),
      builder.getNamedAttr("num_b", builder.getI32IntegerAttr(int32_t(form.key.columns))),
      builder.getNamedAttr("num_rep", builder.getI32IntegerAttr(int32_t(form.amount)))};
  for (auto [name, holds] : {std::pair("smallest", form.laneReduction.smallest),
                             std::pair("magnitude", form.laneReduction.magnitude),
                             std::pair("nan", form.laneReduction.nan)})
    if (holds)
      attributes.push_back(builder.getNamedAttr(name, builder.getUnitAttr()));
  if (form.halfSplit)
    attributes.push_back(
        builder.getNamedAttr("half_split", builder.getI32IntegerAttr(int32_t(form.halfSplit))));
  Type i32 = builder.getI32Type();
  Value first = op.value("cute.static", cute::CoordType::get(context, layout::Tree(0)), {});
  auto as = [&](Value value, Type type) {
    return value.getType() == type ? value : op.value("arith.bitcast", type, value);
  };
  int64_t total = 1;
  for (int64_t extent : *calls)
    total *= extent;
  for (int64_t call = 0; call < total; ++call) {
    SmallVector<int64_t> at;
    int64_t left = call;
    for (int64_t extent : *calls) {
      at.push_back(left % extent);
      left /= extent;
    }
    FailureOr<Value> src = partOf(builder, loc, from, at), dst = partOf(builder, loc, to, at),
                     one = partOf(builder, loc, reduced, at);
    if (failed(src) || failed(dst) || failed(one))
      return failure();
    FailureOr<cute::GetIterOp> pointer = cute::build<cute::GetIterOp>(builder, loc, *src);
    if (failed(pointer))
      return failure();
    Operation *load =
        op.create("cute_nvgpu.arch.copy.SM100.tmem_load_red", {VectorType::get(words, i32), i32},
                  pointer->getResult(), attributes);
    Value values = as(load->getResult(0), VectorType::get(words, target.getElementType()));
    op.create("cute.memref.store_vec", {}, {values, *dst});
    op.create("cute.memref.store", {},
              {*one, first, as(load->getResult(1), result.getElementType())});
  }
  return op.replace({});
}

/// Groups of one tensor each: a copy (atom, src, dst[, pred]) or a prefetch (atom, src). A load
/// that reduces has two destinations.
template <size_t count> LogicalResult copy(ForeignOp &op) {
  static constexpr StringLiteral names[] = {"the atom", "the source", "the destination",
                                            "the predicate"};
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(op.get("operandSegmentSizes"));
  const bool shorter = count == 4 && sizes && sizes.size() == 3; // without a predicate
  FailureOr<SmallVector<ValueRange>> groups = groupsOf(op, count - shorter);
  if (failed(groups))
    return failure();
  if (count == 4 && (*groups)[0].size() == 1 && (*groups)[1].size() == 1 &&
      (*groups)[2].size() == 2 && op.operands().size() == 4) {
    Type type = cute::untiled((*groups)[0].front().getType());
    std::optional<cute_nvgpu::CopyInstance> atom = cute_nvgpu::copyInstanceOf(type);
    const bool views = llvm::all_of(op.operands().drop_front(),
                                    [](Value v) { return isa<cute::ViewType>(v.getType()); });
    if (views && atom && atom->row->key.family == atom::CopyFamily::TmemLoadRed)
      return loadReduced(op, cast<cute_nvgpu::TableCopyAtom>(type), (*groups)[1].front(),
                         (*groups)[2][0], (*groups)[2][1]);
  }
  for (auto [i, group] : llvm::enumerate(*groups))
    if (group.size() != 1 && !(i == 3 && group.empty()))
      return refusePlain(op, Diag::GroupOfMany, names[i], group.getTypes());
  op.create(plainName(op), {}, op.operands());
  return op.replace({});
}

//===--- products -----------------------------------------------------------------------------===//

/// The extents of the modes after the first: (M, K) of A, (N, K) of B, 1 where there is none.
/// Nothing where one is known at run time only.
std::optional<std::array<int64_t, 2>> callsOf(Value view) {
  std::array<int64_t, 2> calls = {1, 1};
  layout::Symbolic arith;
  layout::AnyLayout l = layoutOf(view);
  for (size_t mode = 1; mode < l.rank() && mode <= 2; ++mode) {
    layout::Int extent = layout::product(arith, l.shape()[mode]);
    if (!extent.isStatic())
      return std::nullopt;
    calls[mode - 1] = extent.value;
  }
  return calls;
}

/// A field that is in memory, and the view that has it for every call.
struct FieldOfCalls {
  Attribute key;
  Value view;
};

/// A product with its fields, call by call.
class Product {
public:
  Product(ForeignOp &op, ArrayRef<ValueRange> groups)
      : op(op), builder(op.operation()), loc(op.operation()->getLoc()), atom(groups[0].front()),
        d(groups[1].front()), a(groups[2].front()), b(groups[3].front()), c(groups[4].front()) {}

  LogicalResult addFields(Value matrix, ValueRange views, ArrayRef<StringRef> names,
                          SmallVectorImpl<FieldOfCalls> &to);
  LogicalResult make();

  SmallVector<FieldOfCalls> ofA, ofB;
  Value matrixA() const { return a; }
  Value matrixB() const { return b; }

private:
  FailureOr<Value> at(Value view, int64_t first, int64_t second) {
    return partOf(builder, loc, view, {first, second});
  }
  LogicalResult call(Value toD, Value fromC, int64_t m, int64_t n, int64_t k);

  ForeignOp &op;
  OpBuilder builder;
  Location loc;
  Value atom, d, a, b, c;
};

/// Which fields the tensors beside a matrix are: those of its names whose elements they have.
LogicalResult Product::addFields(Value matrix, ValueRange views, ArrayRef<StringRef> names,
                                 SmallVectorImpl<FieldOfCalls> &to) {
  for (Value view : views) {
    auto tensor = dyn_cast<cute::CuteMemRefType>(view.getType());
    SmallVector<cute_nvgpu::AtomField> fields = cute_nvgpu::fieldsOf(atom.getType());
    const auto *field = llvm::find_if(fields, [&](const cute_nvgpu::AtomField &f) {
      auto pointer = dyn_cast<cute::PtrType>(f.type);
      return tensor && pointer && llvm::is_contained(names, f.name) &&
             pointer.getElementType() == tensor.getPtrType().getElementType() &&
             llvm::none_of(to, [&](const FieldOfCalls &other) { return other.key == f.key; });
    });
    if (field == fields.end())
      return refusePlain(op, Diag::NoFieldOf, atom.getType(), view.getType());
    std::optional<std::array<int64_t, 2>> calls = callsOf(matrix), own = callsOf(view);
    if (!calls || own != calls)
      return refusePlain(op, Diag::FieldExtents, layout::str(layoutOf(matrix)),
                         layout::str(layoutOf(view)));
    to.push_back({field->key, view});
  }
  return success();
}

LogicalResult Product::call(Value toD, Value fromC, int64_t m, int64_t n, int64_t k) {
  FailureOr<Value> callA = at(a, m, k), callB = at(b, n, k);
  if (failed(callA) || failed(callB))
    return failure();
  Value set = atom;
  for (auto [fields, i] : {std::pair(&ofA, m), std::pair(&ofB, n)})
    for (const FieldOfCalls &field : *fields) {
      FailureOr<Value> view = at(field.view, i, k);
      if (failed(view))
        return failure();
      FailureOr<cute::GetIterOp> pointer = cute::build<cute::GetIterOp>(builder, loc, *view);
      if (failed(pointer))
        return failure();
      set = op.value("cute_nvgpu.atom.set_value", atom.getType(), {set, pointer->getResult()},
                     builder.getNamedAttr("field", field.key));
    }
  op.create(plainName(op), {}, {set, toD, *callA, *callB, fromC});
  return success();
}

LogicalResult Product::make() {
  std::optional<std::array<int64_t, 2>> callsA = callsOf(a), callsB = callsOf(b);
  if (!callsA || !callsB)
    return refusePlain(op, Diag::FieldExtents, layout::str(layoutOf(a)), layout::str(layoutOf(b)));
  for (int64_t k = 0; k < (*callsA)[1]; ++k)
    for (int64_t m = 0; m < (*callsA)[0]; ++m)
      for (int64_t n = 0; n < (*callsB)[0]; ++n) {
        FailureOr<Value> toD = at(d, m, n);
        // The first of K adds to C, and the others to D.
        FailureOr<Value> fromC = c == d || k > 0 ? toD : at(c, m, n);
        if (failed(toD) || failed(fromC) || failed(call(*toD, *fromC, m, n, k)))
          return failure();
      }
  return success();
}

LogicalResult product(ForeignOp &op) {
  static constexpr StringLiteral names[] = {"the atom", "D", "A", "B", "C"};
  FailureOr<SmallVector<ValueRange>> groups = groupsOf(op, std::size(names));
  if (failed(groups))
    return failure();
  for (auto [i, group] : llvm::enumerate(*groups)) {
    const bool isMatrix = i == 2 || i == 3; // may have fields beside it
    if (group.empty() || (group.size() > 1 && !isMatrix))
      return refusePlain(op, Diag::GroupOfMany, names[i], group.getTypes());
    for (Value value : i == 0 ? ValueRange() : group)
      if (!isa<cute::ViewType>(value.getType()))
        return refusePlain(op, Diag::GroupOfMany, names[i], group.getTypes());
  }
  if (op.operands().size() == std::size(names)) {
    op.create(plainName(op), {}, op.operands());
    return op.replace({});
  }
  Product made(op, *groups);
  if (failed(made.addFields(made.matrixA(), (*groups)[2].drop_front(), {"sf_a", "e"}, made.ofA)) ||
      failed(made.addFields(made.matrixB(), (*groups)[3].drop_front(), {"sf_b"}, made.ofB)) ||
      failed(made.make()))
    return failure();
  return op.replace({});
}

constexpr Row row(StringLiteral name, Rewrite rewrite) {
  return {.name = name,
          .form = "groups",
          .variadic = true,
          .rewrite = rewrite,
          .witness = Witness::Family};
}
constexpr Row table[] = {
    row("cute.copy.grouped", copy<4>),     row("cute.copy_atom_call.grouped", copy<4>),
    row("cute.prefetch.grouped", copy<2>), row("cute.prefetch_atom_call.grouped", copy<2>),
    row("cute.gemm.grouped", product),     row("cute.mma_atom_call.grouped", product)};
} // namespace

llvm::ArrayRef<Row> groupedRows() { return table; }

} // namespace tessera::import
