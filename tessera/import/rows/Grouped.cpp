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

/// Groups of one tensor each: a copy (atom, src, dst[, pred]) or a prefetch (atom, src).
template <size_t count> LogicalResult oneOfEach(ForeignOp &op) {
  static constexpr StringLiteral names[] = {"the atom", "the source", "the destination",
                                            "the predicate"};
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(op.get("operandSegmentSizes"));
  const bool shorter = count == 4 && sizes && sizes.size() == 3; // without a predicate
  FailureOr<SmallVector<ValueRange>> groups = groupsOf(op, count - shorter);
  if (failed(groups))
    return failure();
  for (auto [i, group] : llvm::enumerate(*groups))
    if (group.size() != 1 && !(i == 3 && group.empty()))
      return refusePlain(op, Diag::GroupOfMany, names[i], group.getTypes());
  op.create(plainName(op), {}, op.operands());
  return op.replace({});
}

//===--- products -----------------------------------------------------------------------------===//

layout::AnyLayout layoutOf(Value view) {
  return cast<cute::ViewType>(view.getType()).getViewLayout();
}

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
  FailureOr<Value> at(Value view, int64_t first, int64_t second);
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

/// The part of a view for one call.
FailureOr<Value> Product::at(Value view, int64_t first, int64_t second) {
  const size_t rank = layoutOf(view).rank();
  if (rank == 1)
    return view;
  std::vector<layout::Tree> modes = {layout::Leaf::underscore(), first, second};
  modes.resize(std::min<size_t>(rank, 3));
  Value coord = cute::StaticOp::create(
      builder, loc, cute::CoordType::get(builder.getContext(), layout::Tree(std::move(modes))));
  FailureOr<cute::SliceOp> slice = cute::build<cute::SliceOp>(builder, loc, {view, coord});
  if (failed(slice))
    return failure();
  return slice->getResult();
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
constexpr Row table[] = {row("cute.copy.grouped", oneOfEach<4>),
                         row("cute.copy_atom_call.grouped", oneOfEach<4>),
                         row("cute.prefetch.grouped", oneOfEach<2>),
                         row("cute.prefetch_atom_call.grouped", oneOfEach<2>),
                         row("cute.gemm.grouped", product),
                         row("cute.mma_atom_call.grouped", product)};
} // namespace

llvm::ArrayRef<Row> groupedRows() { return table; }

} // namespace tessera::import
