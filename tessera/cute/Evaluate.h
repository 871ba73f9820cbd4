// Datum and Domain: the arguments of `evaluate`, which alone defines what an algebra op means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition. An algebra op is a function from data to data, stated once as a static member:
//
//   static Result<Data> evaluate(Domain &, ArrayRef<Datum> in, Adaptor op);
//
// A Datum is an operand or a result: a tuple, layout, tile, swizzle, iterator, view, integer or,
// for a value without algebra, an opaque value. Its leaves are static numbers, or dynamic ones that
// are known by an id and by facts (width, divisor). The function computes with the algebra of
// layout/, and the Domain defines what computing on dynamic leaves means: its Arith folds static
// leaves and passes the others to the domain. `op` gives attributes; no SSA value of an operand is
// needed.
//
// Example. `cute.logical_divide` of a vector of n elements by tiles of 4. Its `evaluate` calls
// layout::divide, which makes the rest `ceil(n / 4)`, the only arithmetic on n. That one call is
//
//   type inference (TypeDomain)  n is anonymous, and so is the quotient:
//   logical_divide(?:1, 4:1)  =  (4,?):(1,4)
//
//   folding (layout::Const)      n is 24, a number, and so is all of the result:
//   logical_divide(24:1, 4:1)  =  (4,6):(1,4)
//
//   run-time values (layout::Interp), in tests and in `tessera layout`: n is 22 in this run:
//   logical_divide(?{22}:1, 4:1)  =  (4,?{6}):(1,4)
//
//   lowering (Emit)              n is an SSA value, and the quotient becomes code:
//     %up = arith.addi %n, %c3 : i32
//     %rest = arith.divui %up, %c4 : i32
//
// The type of the lowered value is (4,?):(1,4), with %rest for its dynamic leaf.
//
// Law. The type that inference finds is the type of the value that lowering builds, and its numbers
// are those of the interpreter. This holds because an algorithm may branch on static facts only,
// never on the value of a dynamic leaf, so that every domain takes the same branches. A result that
// is right only for some values states them by Arith::assume. test/cute/EmitTest checks both parts
// of the law for random operations; a new op needs an `evaluate` and no pattern, folder or
// inference of its own.
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cute/Types.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <variant>

namespace tessera::cute {

/// A shape, stride, coordinate or integer tuple.
struct TreeDatum {
  layout::TreeKind kind;
  layout::Tree tree;
};

/// Where a view starts. A pointer or descriptor is known by its type and, when lowering, by a
/// handle of the domain; an arithmetic tuple by its leaves.
struct Iterator {
  mlir::Type type;
  uint32_t handle = 0;
  layout::Tree tuple;

  bool isArithTuple() const { return mlir::isa<ArithTupleIterType>(type); }
};

/// A tensor: iterator and layout. With an index it is a descriptor iterator, which stands at that
/// index of the layout.
struct View {
  Iterator iterator;
  layout::AnyLayout layout;
  std::optional<layout::Int> index = std::nullopt;
};

/// A value without algebra: an atom, a tiled copy, a divisor.
struct Opaque {
  mlir::Type type;
  uint32_t handle = 0;
  /// For an atom that is known by its run-time fields instead: their handles in order, 0 for a
  /// field that is not set.
  llvm::SmallVector<uint32_t, 4> fields = {};
};

/// Any operand or result of an algebra op. A scalar integer is an `Int`.
class Datum {
public:
  using State = std::variant<TreeDatum, layout::AnyLayout, layout::Tile, layout::Swizzle, Iterator,
                             View, Opaque, layout::Int>;

  template <class T>
    requires std::is_constructible_v<State, T>
  Datum(T value) : state(std::move(value)) {}
  Datum(layout::Layout l) : state(layout::AnyLayout(std::move(l))) {}
  Datum(layout::TreeKind kind, layout::Tree tree) : state(TreeDatum{kind, std::move(tree)}) {}

  template <class T> const T *as() const { return std::get_if<T>(&state); }
  template <class T> T *as() { return std::get_if<T>(&state); }
  const State &get() const { return state; }

  /// The tuple of a shape, stride, coordinate, integer tuple or arithmetic iterator.
  const layout::Tree *tree() const;
  /// The layout of a layout or view.
  const layout::AnyLayout *anyLayout() const;

  /// Calls `f(Leaf &)` on every leaf in the order of storage: a view's iterator, then its index,
  /// then its layout; layouts in the order of layout::forEachLeaf. Pointers have no leaves; an Int
  /// is itself a leaf.
  template <class F> void forEachLeaf(F &&f);
  /// The same for `f(Int &)` and dynamic leaves only.
  template <class F> void forEachDynamicLeaf(F &&f) {
    forEachLeaf([&](layout::Leaf &leaf) {
      if (!leaf.isStatic())
        f(leaf.value);
    });
  }

private:
  State state;
};

using Data = llvm::SmallVector<Datum, 1>;

template <class F> void Datum::forEachLeaf(F &&f) {
  auto integer = [&](layout::Int &x) {
    layout::Leaf leaf = x;
    f(leaf);
    x = leaf.value;
  };
  if (TreeDatum *t = as<TreeDatum>())
    t->tree.forEachLeaf(f);
  else if (layout::AnyLayout *l = as<layout::AnyLayout>())
    layout::forEachLeaf(*l, f);
  else if (layout::Tile *t = as<layout::Tile>())
    layout::forEachLeaf(*t, f);
  else if (Iterator *it = as<Iterator>())
    it->tuple.forEachLeaf(f);
  else if (View *v = as<View>()) {
    v->iterator.tuple.forEachLeaf(f);
    if (v->index)
      integer(*v->index);
    layout::forEachLeaf(v->layout, f);
  } else if (layout::Int *x = as<layout::Int>()) {
    integer(*x);
  }
}

/// The place of an evaluation: types, constants, run-time values or IR.
class Domain {
public:
  virtual ~Domain() = default;
  virtual layout::Arith &arith() = 0;
  /// The iterator `offset` elements further. Fails if the structures do not fit.
  virtual Result<Iterator> advance(const Iterator &, const layout::Tree &offset);
};

/// Evaluation on the values that types carry.
class TypeDomain final : public Domain {
public:
  layout::Arith &arith() override { return symbolic; }

private:
  layout::Symbolic symbolic;
};

/// Applies `f` to the layout of `datum`: a layout gives a layout, a view a view with the same
/// iterator.
template <class F> Result<Data> mapLayout(const Datum &datum, F f) {
  TESSERA_TRY(layout::AnyLayout mapped, f(*datum.anyLayout()));
  if (const View *view = datum.as<View>())
    return Data{Datum(View{view->iterator, std::move(mapped)})};
  return Data{Datum(std::move(mapped))};
}
/// Applies `f` to the outer layout of `l`.
template <class F> Result<layout::AnyLayout> mapOuter(const layout::AnyLayout &l, F f) {
  TESSERA_TRY(layout::Layout outer, f(l.outer()));
  return l.withOuter(std::move(outer));
}

/// The value that a type carries; its dynamic leaves are anonymous.
Datum datumOf(mlir::Type);
/// The same for an SSA value: a constant integer is static.
Datum datumOf(mlir::Value);
/// Converts `datum`, the result of an evaluation, to `type`, which has the same profile. Leaves
/// that are static in the type are static, the others dynamic with the type's facts; a leaf that
/// was static in the datum but is dynamic in the type becomes `dynamic(v, leaf)`.
Datum conformed(Datum datum, mlir::Type type,
                llvm::function_ref<layout::Int(int64_t, const layout::Int &)> dynamic);
/// The atom of a tiled copy or MMA; any other type stays.
mlir::Type untiled(mlir::Type);
/// The types of the run-time fields of an atom, tiled or not; empty for any other type.
llvm::SmallVector<mlir::Type> fieldTypesOf(mlir::Type);
/// Whether `stated` may be written where `inferred` was found: each value of `inferred` is one of
/// `stated`. The order of layout/Refine.h on the values of types; for pointers, also an alignment
/// that divides the inferred one. Any other type refines only itself.
bool refines(mlir::Type inferred, mlir::Type stated);
bool refines(mlir::TypeRange inferred, mlir::TypeRange stated);
/// The reason to refuse operands that no algebra accepts: a tuple with an error `x`, or a shape
/// with an extent that is not positive, unless the op computes with any numbers (`anyShape`).
std::optional<Reason> unusable(llvm::ArrayRef<Datum> operands, bool anyShape);
/// Whether a number of `part` elements fill `whole` evenly, the predicate of copies, partitions and
/// tiled_divide. True if that is not known.
bool divides(layout::Int part, layout::Int whole);
/// The type of a datum. An Int is i1, i32 or i64 by its width.
mlir::Type typeOf(mlir::MLIRContext *, const Datum &);
/// The message of a missing case: "expects <what>, but got <type>".
Reason unexpected(llvm::StringRef what, const Datum &got, mlir::MLIRContext * = nullptr);

} // namespace tessera::cute
