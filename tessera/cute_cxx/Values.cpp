// Numbers and tuples, of C++ and of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Whole.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/number/Code.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdio>

using namespace tessera;
using layout::TreeKind;

namespace tessera::cute {

uint8_t detail::encoded(number::Format format, double x) {
  return uint8_t(number::encode(format, x, number::hostRules(format)));
}
double detail::decoded(number::Format format, uint8_t code) { return number::decode(format, code); }

//===--- where nothing is traced --------------------------------------------------------------===//

namespace {
/// A context for what a program computes of layouts outside of kernels.
struct OwnContext {
  mlir::MLIRContext mlirContext;
  dsl::Context context{&mlirContext};

  void say() {
    for (const dsl::Mistake &m : context.mistakes())
      std::fprintf(stderr, "%s\n", m.str().c_str());
    if (!context.mistakes().empty()) {
      mlir::ScopedDiagnosticHandler quiet(&mlirContext,
                                          [](mlir::Diagnostic &) { return mlir::success(); });
      context.finish();
    }
  }
  ~OwnContext() { say(); }
};
} // namespace
static thread_local std::unique_ptr<OwnContext> own;

bool isTraced() {
  dsl::Context *context = dsl::Context::current();
  return context && !(own && context == &own->context);
}
void haveContext() {
  if (isTraced())
    return;
  if (!own)
    own = std::make_unique<OwnContext>();
  own->say();
}

void mistake(const char *call, const std::string &why, Place at) {
  haveContext();
  if (dsl::Context *context = dsl::Context::current())
    context->mistake(at, cat(call, ": ", why));
}

Value::Value() noexcept = default;
Value::Value(std::shared_ptr<const detail::Node> node) noexcept : what(std::move(node)) {}
Value::Value(const Value &) noexcept = default;
Value::Value(Value &&) noexcept = default;
Value &Value::operator=(const Value &) noexcept = default;
Value &Value::operator=(Value &&) noexcept = default;
Value::~Value() = default;

bool isWithin(const char *call, const char *what, const Num &n, int64_t least, int64_t most,
              Place at) {
  const Static *known = staticOf(n);
  if (!known || (known->number >= least && known->number <= most))
    return true;
  mistake(call, cat("expects ", what, " from ", least, " to ", most, ", but got ", known->number),
          at);
  return false;
}
dsl::Coord tuple(const IntTuple &t, Place at) {
  if (t.is_set())
    return tuple(t);
  mistake("tuple", "expects a tuple with a value, but got an IntTuple that was declared only", at);
  return dsl::Coord(mlir::Value(), layout::Tree());
}
bool Value::is_poisoned() const {
  return what && std::visit(
                     [](const auto &content) {
                       if constexpr (requires { content.poisoned(); })
                         return content.poisoned();
                       else if constexpr (requires { content.layout.poisoned(); })
                         return content.layout.poisoned();
                       else if constexpr (requires { content.atom.poisoned(); })
                         return content.atom.poisoned();
                       else
                         return false;
                     },
                     what->content);
}

//===--- numbers ------------------------------------------------------------------------------===//

Num num(dsl::Num n) { return made<Num>(std::move(n)); }
const Static *staticOf(const Num &n) {
  return n.node() ? std::get_if<Static>(&n.node()->content) : nullptr;
}
dsl::Num ofDevice(const Num &n, Place at) {
  if (n.node() && std::holds_alternative<dsl::Coord>(n.node()->content))
    return held<dsl::Num>(Num(IntTuple(n.node()), at)); // a mistake, unless it was one before
  return held<dsl::Num>(n);
}
dsl::Num number(const Num &n, Place at) {
  const Static *known = staticOf(n);
  if (!known) {
    Format type = wholeType(n);
    return isUnsigned(type)
               ? typed(n, number::storedBits(type) > 32 ? Format::s64 : Format::s32, at)
               : ofDevice(n, at);
  }
  if (known->type == Format::b1)
    return dsl::i1(known->number, at);
  return layout::fitsI32(known->number) ? dsl::i32(known->number, at) : dsl::i64(known->number, at);
}

Num counted(int64_t n) { return made<Num>(wrapped(uint64_t(n), Format::s32)); }
Num Num::whole(int64_t n, Format type) { return made<Num>(wrapped(uint64_t(n), type)); }
Num Num::real(double n, Format format, Place at) { return num(dsl::Element(format)(n, at)); }
Num::Num(bool truth, Place) : Num(made<Num>(Static{truth, Format::b1})) {}
Num::Num(SpecialRegister r, Place at) : Num(num(dsl::special_register(r.name, at))) {}
Num::Num(const ElementRef &element, Place at) : Num(element.load(at)) {}
Num::Num(const IntTuple &leaf, Place at) {
  dsl::Coord t = tuple(leaf);
  if (!leaf.is_set())
    return;
  if (t.poisoned())
    *this = num(dsl::Num(mlir::Value()));
  else if (t.tree().isTuple() || t.tree().leaf().any) {
    mistake("number", cat("expects one number, but got ", layout::str(t.tree())), at);
    *this = num(dsl::Num(mlir::Value()));
  } else if (t.tree().leaf().isBasis()) {
    mistake("number",
            cat("expects a number, but got the basis ", layout::str(t.tree()),
                "; basis_value gives its number"),
            at);
    *this = num(dsl::Num(mlir::Value()));
  } else if (t.isStatic())
    *this = counted(t.tree().leaf().value.value);
  else
    *this = num(t.numbers()[0]);
}

bool Num::is_static() const { return staticOf(*this); }
/// A number that C++ needs. If C++ does not know it, that is a mistake, and the trace goes on with
/// `otherwise`.
static int64_t needed(const Num &n, const char *use, const char *instead, int64_t otherwise) {
  if (const Static *known = staticOf(n))
    return known->number;
  if (n.node() && std::holds_alternative<dsl::Coord>(n.node()->content)) {
    Num(IntTuple(n.node())); // says that it is a coordinate
  } else if (!n.is_poisoned()) {
    Place at; // of the op that made it
    mlir::Value ir = held<dsl::Num>(n).ir();
    std::string where;
    if (dsl::Context *context = dsl::Context::current()) {
      auto file = ir ? mlir::dyn_cast<mlir::FileLineColLoc>(ir.getLoc()) : mlir::FileLineColLoc();
      std::string text = cat(use,
                             ": expects a number that C++ knows while it traces, but this one is "
                             "known on the device only; ",
                             instead);
      if (file)
        context->mistake({file.getFilename().str(), file.getLine(), file.getColumn(), text});
      else
        context->mistake(at, text);
    }
  }
  return otherwise;
}
Num::operator bool() const {
  return needed(*this, "condition", "write If, For, While or where, and & and | for && and ||", 0);
}
Num::operator int64_t() const {
  return needed(*this, "number", "keep it a Num, or give the tensor a static extent", 1);
}
Num Num::assume_divisible(int64_t by, Place at) const {
  if (const Static *known = staticOf(*this)) {
    if (by < 1 || known->number % by)
      mistake("assume_divisible", cat("expects a multiple of ", by, ", but got ", known->number),
              at);
    return *this;
  }
  return num(held<dsl::Num>(*this).promised(by));
}

//===--- tuples -------------------------------------------------------------------------------===//

IntTuple::IntTuple(const Num &n, Place at) {
  if (const Static *known = staticOf(n))
    *this = made<IntTuple>(dsl::Coord(known->number));
  else if (n.node() && std::holds_alternative<dsl::Coord>(n.node()->content))
    *this = IntTuple(n.node()); // an index that is a coordinate
  else
    *this = made<IntTuple>(dsl::Coord(number(n, at)));
}
IntTuple::IntTuple(Underscore) : IntTuple(made<IntTuple>(dsl::Coord(dsl::_))) {}
/// An element that is a number stands for it: x(indices(i), j).
IntTuple::IntTuple(const ElementRef &element, Place at)
    : IntTuple(element.is_coordinate() ? element.coordinate(at) : IntTuple(element.load(at), at)) {}
IntTuple IntTuple::of(std::span<const IntTuple> modes, Place at) {
  std::vector<dsl::Coord> all;
  for (const IntTuple &mode : modes)
    all.push_back(tuple(mode, at));
  return made<IntTuple>(dsl::Coord::of(std::move(all), at));
}
IntTuple intTuple(const dsl::Coord &t, TreeKind kind, Place at) {
  return made<IntTuple>(dsl::by_numbers(t, kind, at));
}

static size_t dynamicLeaves(const layout::Tree &t) {
  if (!t.isTuple())
    return t.isStatic() ? 0 : 1;
  size_t count = 0;
  for (const layout::Tree &mode : t.modes())
    count += dynamicLeaves(mode);
  return count;
}
bool IntTuple::is_static() const { return tuple(*this).isStatic(); }
int IntTuple::rank() const { return int(tuple(*this).tree().rank()); }
IntTuple IntTuple::mode(int i, Place at) const {
  dsl::Coord t = tuple(*this);
  const layout::Tree &tree = t.tree();
  if (t.poisoned())
    return *this;
  if (i == 0 && !tree.isTuple())
    return *this;
  if (i < 0 || size_t(i) >= tree.rank()) {
    mistake("get",
            cat("expects one of the ", tree.rank(), " modes of ", layout::str(tree),
                ", counted from 0, but got ", i),
            at);
    return made<IntTuple>(dsl::Coord(mlir::Value(), layout::Tree(layout::Int(1))));
  }
  size_t before = 0;
  for (int k = 0; k < i; ++k)
    before += dynamicLeaves(tree[size_t(k)]);
  layout::Tree part = tree[size_t(i)];
  auto first = t.numbers().begin() + ptrdiff_t(before);
  std::vector<dsl::Num> own(first, first + ptrdiff_t(dynamicLeaves(part)));
  return made<IntTuple>(dsl::Coord::of(std::move(part), std::move(own)));
}
std::string IntTuple::str() const { return layout::str(tuple(*this).tree()); }

/// The leaves, depth first.
static void addLeaves(const IntTuple &t, std::vector<Num> &leaves, Place at) {
  if (dsl::Coord own = tuple(t, at); own.poisoned())
    leaves.push_back(num(dsl::Num(mlir::Value())));
  else if (!own.tree().isTuple())
    leaves.push_back(Num(t, at));
  else
    for (int i = 0; i < t.rank(); ++i)
      addLeaves(t.mode(i, at), leaves, at);
}
Num size(const IntTuple &t, Place at) {
  std::vector<Num> leaves;
  addLeaves(t, leaves, at);
  Num product = 1;
  for (const Num &leaf : leaves)
    product = Operand(product, at) * Operand(leaf, at);
  return product;
}
Num product(const IntTuple &t, Place at) { return size(t, at); }

/// Leaf by leaf; modes of a beyond those of b stay.
template <class F>
static IntTuple byLeaf(const char *call, const IntTuple &a, const IntTuple &b, Place at, F f) {
  bool tupleA = tuple(a).tree().isTuple(), tupleB = tuple(b).tree().isTuple();
  if (!tupleA && !tupleB)
    return f(Num(a, at), Num(b, at));
  if (tupleA != tupleB || b.rank() > a.rank()) {
    mistake(call, cat("expects tuples that go together, but got ", a.str(), " and ", b.str()), at);
    return a;
  }
  std::vector<IntTuple> modes;
  for (int i = 0; i < a.rank(); ++i)
    modes.push_back(i < b.rank() ? byLeaf(call, a.mode(i, at), b.mode(i, at), at, f)
                                 : a.mode(i, at));
  return IntTuple::of(modes, at);
}
IntTuple ceil_div(const IntTuple &a, const IntTuple &b, Place at) {
  bool tupleA = tuple(a, at).tree().isTuple(), tupleB = tuple(b, at).tree().isTuple();
  if (tupleB && !tupleA)
    return ceil_div(a, size(b, at), at);
  if (tupleA && !tupleB) { // a number is divided out from the left
    std::vector<IntTuple> modes;
    IntTuple rest = b;
    for (int i = 0; i < a.rank(); ++i) {
      modes.push_back(ceil_div(a.mode(i, at), rest, at));
      rest = ceil_div(rest, a.mode(i, at), at);
    }
    return IntTuple::of(modes, at);
  }
  if (tupleA && b.rank() <= a.rank()) {
    std::vector<IntTuple> modes;
    for (int i = 0; i < a.rank(); ++i)
      modes.push_back(i < b.rank() ? ceil_div(a.mode(i, at), b.mode(i, at), at) : a.mode(i, at));
    return IntTuple::of(modes, at);
  }
  return byLeaf("ceil_div", a, b, at, [&](const Num &x, const Num &y) -> IntTuple {
    return Operand(Operand(Operand(x, at) + Operand(y, at), at) - Operand(1, at), at) /
           Operand(y, at);
  });
}
IntTuple round_up(const IntTuple &a, const IntTuple &b, Place at) {
  return byLeaf("round_up", a, b, at, [&](const Num &x, const Num &y) -> IntTuple {
    return Operand(Num(ceil_div(x, y, at)), at) * Operand(y, at);
  });
}
IntTuple elem_scale(const IntTuple &a, const IntTuple &b, Place at) {
  if (!tuple(a).tree().isTuple())
    return Operand(Num(a, at), at) * Operand(size(b, at), at);
  if (!tuple(b).tree().isTuple() || a.rank() != b.rank()) {
    mistake("elem_scale", cat("expects a factor for each mode of ", a.str(), ", but got ", b.str()),
            at);
    return a;
  }
  std::vector<IntTuple> modes;
  for (int i = 0; i < a.rank(); ++i)
    modes.push_back(elem_scale(a.mode(i, at), b.mode(i, at), at));
  return IntTuple::of(modes, at);
}
/// Takes the modes of b beyond those of a away; false if a has a mode that b does not have, where
/// CuTe C++ compares no more.
static bool takeModes(const IntTuple &a, IntTuple &b, Place at) {
  if (!tuple(a).tree().isTuple() || !tuple(b).tree().isTuple())
    return true; // for the comparison to judge
  if (a.rank() > b.rank())
    return false;
  std::vector<IntTuple> modes;
  for (int i = 0; i < a.rank(); ++i) {
    modes.push_back(b.mode(i, at));
    if (!takeModes(a.mode(i, at), modes.back(), at))
      return false;
  }
  b = IntTuple::of(modes, at);
  return true;
}
Num elem_less(const IntTuple &a, const IntTuple &most, Place at) {
  IntTuple b = most;
  dsl::Coord x = tuple(a, at);
  if (tuple(b, at).poisoned() || x.poisoned())
    return num(dsl::Num(mlir::Value()));
  if (!takeModes(a, b, at))
    return Num(false);
  dsl::Coord y = tuple(b);
  if (x.isStatic() && y.isStatic()) {
    layout::Const arith;
    if (Result<layout::Int> less = layout::elemLess(arith, x.tree(), y.tree()))
      return made<Num>(Static{less->value, Format::b1});
    else
      mistake("elem_less", less.reason().text, at);
    return num(dsl::Num(mlir::Value()));
  }
  return num(dsl::elem_less(x, y, at));
}

//===--- values as handles --------------------------------------------------------------------===//

std::vector<dsl::Handle> handlesOf(const Value &value) {
  if (!value.is_set())
    return {dsl::Handle()};
  return std::visit(
      [](const auto &content) -> std::vector<dsl::Handle> {
        using T = std::decay_t<decltype(content)>;
        if constexpr (std::derived_from<T, dsl::Handle>)
          return {content};
        else if constexpr (std::is_same_v<T, dsl::Coord>)
          return {content.numbers().begin(), content.numbers().end()};
        else if constexpr (std::is_same_v<T, LayoutValue>)
          return content.layout.ir() ? std::vector{dsl::Handle(content.layout.ir())}
                                     : std::vector<dsl::Handle>();
        else if constexpr (std::is_same_v<T, dsl::TmaTensor>)
          return {content.atom, content.coords};
        else if constexpr (std::is_same_v<T, dsl::Barrier>)
          return {content.address()};
        else if constexpr (std::is_same_v<T, LazyTensor>)
          return {content.base};
        else
          return {};
      },
      value.node()->content);
}
void rebind(Value &value, std::span<const dsl::Handle> handles) {
  if (handles.empty())
    return;
  Content content = value.node()->content;
  std::visit(
      [&](auto &content) {
        using T = std::decay_t<decltype(content)>;
        if constexpr (std::derived_from<T, dsl::Handle>)
          content = T(handles[0].ir());
        else if constexpr (std::is_same_v<T, dsl::Coord>) {
          std::vector<dsl::Num> leaves;
          for (const dsl::Handle &handle : handles)
            leaves.push_back(dsl::Num(handle.ir()));
          content = dsl::Coord::of(content.tree(), std::move(leaves));
        } else if constexpr (std::is_same_v<T, LayoutValue>)
          content.layout = dsl::Layout(handles[0].ir());
        else if constexpr (std::is_same_v<T, dsl::TmaTensor>)
          content = {dsl::Atom(handles[0].ir()), dsl::Tensor(handles[1].ir())};
        else if constexpr (std::is_same_v<T, dsl::Barrier>)
          content = dsl::Barrier(dsl::Pointer(handles[0].ir()));
        else if constexpr (std::is_same_v<T, LazyTensor>)
          content.base = dsl::Tensor(handles[0].ir());
      },
      content);
  value = Value(std::make_shared<const detail::Node>(detail::Node{std::move(content)}));
}

} // namespace tessera::cute
