// Copies and products by all threads of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Cooperative.h"

#include "tessera/cute_cxx/Control.h"
#include "tessera/cute_cxx/LayoutCall.h"
#include "tessera/cute_cxx/Whole.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace tessera;
using layout::MmaOperand;

namespace tessera::cute {

//===--- copies -------------------------------------------------------------------------------===//

static constexpr const char *copyCall = "cooperative_copy", *gemmCall = "cooperative_gemm";

/// Memory that the threads of a block share; a mistake otherwise.
static bool isMemory(const char *what, const Tensor &t, Place at) {
  dsl::Tensor view = tensorOf(t);
  if (view.poisoned())
    return false;
  if (t.format() != Format::none && !dsl::is_in_registers(view))
    return true;
  mistake(copyCall,
          cat("expects a ", what, " in global or shared memory, which threads share, but got one ",
              t.format() == Format::none ? "of coordinates or descriptors" : "in registers"),
          at);
  return false;
}
/// The elements of a tensor of static extents in the order of memory, as far as C++ knows it: a
/// permutation of 0, 1, ... of the coordinates as numbers.
static Layout<> inMemoryOrder(const Tensor &t, int64_t elements, Place at) {
  Layout<> whole = make_layout(elements, at), l = get_nonswizzle_portion(t.layout(at), at);
  if (!layoutOf(l).isStatic())
    return whole;
  Layout<> first = right_inverse(l, at);
  return coalesce(make_layout(first, complement(first, elements, at), at), at);
}
/// How many elements from the first one on are neighbours in the order of `by`.
static int64_t runOf(const Tensor &t, const Layout<> &by, Place at) {
  dsl::Layout l = layoutOf(get_nonswizzle_portion(composition(t.layout(at), by, at), at));
  std::vector<layout::Leaf> extents = l.get().outer().shape.leaves(),
                            steps = l.get().outer().stride.leaves();
  int64_t run = 1;
  for (size_t i = 0; i < extents.size(); ++i)
    if (!extents[i].is(1)) {
      if (!extents[i].isStatic() || !steps[i].is(run))
        break;
      run *= extents[i].value.value;
    }
  return run;
}

/// prefetch.global.L2 of the line with this element.
static void prefetchLine(const Tensor &t, const IntTuple &coord, Place at) {
  dsl::Tensor view = tensorOf(t);
  dsl::Layout l = dsl::get_layout(view, at);
  dsl::Pointer line =
      dsl::offset(dsl::get_iter(view, at), dsl::crd2idx(tuple(coord, at), l, at), at);
  dsl::Context *context = dsl::Context::current();
  if (!context || !line.ir())
    return;
  constexpr unsigned deviceMemory = 1;
  mlir::OpBuilder &b = context->builder();
  mlir::Location where = context->location(at);
  mlir::Type type = mlir::LLVM::LLVMPointerType::get(b.getContext(), deviceMemory);
  auto cast = mlir::UnrealizedConversionCastOp::create(b, where, type, line.ir());
  // LLVM 22 cannot select its own intrinsic for this.
  mlir::LLVM::InlineAsmOp::create(b, where, mlir::TypeRange(), cast.getResult(0),
                                  "prefetch.global.L2 [$0];", "l", /*has_side_effects=*/true,
                                  /*is_align_stack=*/false, mlir::LLVM::TailCallKind::None,
                                  mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
}
void detail::prefetch(int threads, int bytes, const Num &thread, const Tensor &t, const char *call,
                      Place at) {
  dsl::Tensor view = tensorOf(t);
  if (view.poisoned())
    return;
  if (t.format() == Format::none || dsl::start_of(view).space != "gmem")
    return mistake(call, "expects a tensor of global memory", at);
  int64_t n = elements(call, t, at);
  if (n == 0 || threads < 1 || bytes < 1)
    return;
  Layout<> order = inMemoryOrder(t, n, at);
  int64_t atOnce = std::gcd(runOf(t, order, at),
                            std::max<int64_t>(1, int64_t(bytes) * 8 / elementBits(t.format())));
  auto piece = [&](const Num &i) {
    prefetchLine(t, order.at(Operand(i, at) * Operand(atOnce, at), at), at);
  };
  if (threads == 1 && staticOf(thread)) {
    for (int64_t i = 0; i < n / atOnce; ++i)
      piece(i);
    return;
  }
  loop(Range(thread, n / atOnce, threads, at), {}, piece);
}

/// Without a predicate if `pred` is not set.
static void copyAsync(const Tensor &pred, const Tensor &from, const Tensor &to, const char *call,
                      Place at) {
  if (!areAlike(call, from, to, at))
    return;
  int bits = elementBits(to.format());
  bool isAsync = dsl::start_of(tensorOf(from)).space == "gmem" &&
                 dsl::start_of(tensorOf(to)).space == "smem" && (bits == 32 || bits == 64);
  CopyAtom atom = detail::copy_atom(isAsync ? "SM80_CP_ASYNC_CACHEALWAYS" : "UniversalCopy",
                                    to.format(), bits, at);
  auto ofOne = [&](const Tensor &t) { // what the atom takes at once, and how often
    return detail::with_layout(t, prepend(t.layout(at), make_layout(1, 0, at), at), at);
  };
  if (pred.is_set())
    copy_if(atom, pred, ofOne(from), ofOne(to), at);
  else
    copy(atom, ofOne(from), ofOne(to), at);
}
void copy(AutoCopyAsync, const Tensor &from, const Tensor &to, Place at) {
  copyAsync({}, from, to, "copy", at);
}
void copy_if(AutoCopyAsync, const Tensor &pred, const Tensor &from, const Tensor &to, Place at) {
  copyAsync(pred, from, to, "copy_if", at);
}

void detail::cooperative_copy(int threads, int bits, const Num &thread, const Tensor &from,
                              const Tensor &to, CopyName op, Place at) {
  if (!isMemory("source", from, at) || !isMemory("destination", to, at) ||
      !areAlike(copyCall, from, to, at))
    return;
  int ofElement = elementBits(from.format());
  bits = bits ? bits : std::max(8, ofElement); // threads do not share bytes
  if (threads < 1 || bits < ofElement || bits > 128 || !std::has_single_bit(unsigned(bits)))
    return mistake(copyCall,
                   cat("expects at least one thread, and vectors of an element (", ofElement,
                       " bits) to 128 bits, but got ", threads, " threads and ", bits, " bits"),
                   at);
  int64_t elements = detail::elements(copyCall, to, at);
  // The order of the tensor that has the longer runs of neighbours; that of shared memory if both
  // have them.
  Layout<> orders[2] = {inMemoryOrder(to, elements, at), inMemoryOrder(from, elements, at)};
  int64_t runs[2];
  for (int i = 0; i < 2; ++i)
    runs[i] = std::gcd(runOf(from, orders[i], at), runOf(to, orders[i], at));
  bool byFrom = runs[1] > runs[0] || (runs[1] == runs[0] && dsl::is_shared(tensorOf(from)) &&
                                      !dsl::is_shared(tensorOf(to)));
  int64_t vector = std::gcd(std::gcd(runs[byFrom], int64_t(bits / ofElement)), elements);
  if (elements % threads == 0) // rather all threads than long vectors
    vector = std::gcd(vector, elements / threads);
  int64_t units = elements / vector;
  Layout<> order = composition(orders[byFrom], make_layout(make_shape(vector, units), at), at);
  Tensor source = composition(from, order, at), target = composition(to, order, at);
  if (source.is_poisoned() || target.is_poisoned())
    return;
  auto copyUnit = [&](const Num &unit) {
    Tensor x = source.slice(make_tuple(_, unit), at), y = target.slice(make_tuple(_, unit), at);
    if (op.name)
      copy(copy_atom(op.name, from.format(), int(vector) * ofElement, at), x, y, at);
    else
      copy(x, y, at);
  };
  for (int64_t first = 0; first < units; first += threads) {
    Num unit = Operand(thread, at) + Operand(first, at);
    if (first + threads <= units)
      copyUnit(unit);
    else
      If(Condition(Operand(unit, at) < Operand(units, at), at), [&] { copyUnit(unit); });
  }
}

//===--- products -----------------------------------------------------------------------------===//

namespace {
/// The product of a block, as a thread sees it.
struct Product {
  const TiledMMA &mma;
  const Num &thread;
  Place at;
  bool isWhole = false; // its tiles cover the extents
  ThrMMA thr{mma, thread};

  /// Whether the operands are tensors (M,K), (N,K) of extents that C++ knows.
  bool fits(const Tensor &a, const Tensor &b, const IntTuple &c);
  /// One operand: a part of memory in registers, in the type that the product takes.
  Tensor partition(MmaOperand which, const Tensor &t) const {
    return which == MmaOperand::A   ? thr.partition_A(t, at)
           : which == MmaOperand::B ? thr.partition_B(t, at)
                                    : thr.partition_C(t, at);
  }
  CopyAtom atomOf(const Tensor &t, detail::CopyName op) const {
    int bits = op.bits ? std::max(op.bits, elementBits(t.format())) : 0;
    return detail::copy_atom(op.name, t.format(), bits, at);
  }
  TiledCopy tiled(MmaOperand which, const CopyAtom &atom) const {
    return which == MmaOperand::A   ? make_tiled_copy_A(atom, mma, at)
           : which == MmaOperand::B ? make_tiled_copy_B(atom, mma, at)
                                    : make_tiled_copy_C(atom, mma, at);
  }
  /// Registers for a thread's elements of `t`, and those elements, 0 where the tile has none.
  Tensor place(MmaOperand which, const Tensor &t) const {
    return detail::registers(t.format(), make_layout(partition(which, t).shape(at), at), at);
  }
  void load(MmaOperand which, const Tensor &t, const Tensor &own, detail::CopyName op) const;
  void stored(const Tensor &registers, const Tensor &t, detail::CopyName op) const;
  void add(const Tensor &a, const Tensor &b, const Tensor &c, const detail::GemmFunctions &,
           const detail::GemmCopies &) const;
  Tensor predicate(MmaOperand which, const Tensor &t) const {
    return in_bounds(partition(which, make_identity_tensor(t.shape(at), at)), t.shape(at), at);
  }
};
} // namespace

bool Product::fits(const Tensor &a, const Tensor &b, const IntTuple &c) {
  if (mma.is_poisoned() || a.is_poisoned() || b.is_poisoned() || c.is_poisoned())
    return false;
  std::string shapes = cat(a.shape(at).str(), ", ", b.shape(at).str());
  if (a.rank() != 2 || b.rank() != 2 || (c.is_set() && c.rank() != 2)) {
    mistake(gemmCall, cat("expects tensors A (M,K), B (N,K) and C (M,N), but got ", shapes), at);
    return false;
  }
  Num extents[] = {cute::size<0>(a, at), cute::size<0>(b, at), cute::size<1>(a, at),
                   cute::size<1>(b, at)};
  for (const Num &extent : extents)
    if (!extent.is_static()) {
      mistake(gemmCall,
              cat("expects extents that C++ knows while it traces, but got ", shapes,
                  "; copy tiles to shared memory, and fill them up with zeros"),
              at);
      return false;
    }
  int64_t m(extents[0]), n(extents[1]), k(extents[2]);
  if (k != int64_t(extents[3]) ||
      (c.is_set() && !bool((cute::size<0>(c, at) == m) & (cute::size<1>(c, at) == n)))) {
    mistake(gemmCall,
            cat("expects tensors A (M,K), B (N,K) and C (M,N), but got ", shapes,
                c.is_set() ? cat(", ", c.str()) : ""),
            at);
    return false;
  }
  isWhole = m % tile_size<0>(mma, at) == 0 && n % tile_size<1>(mma, at) == 0 &&
            k % tile_size<2>(mma, at) == 0;
  return true;
}
void Product::load(MmaOperand which, const Tensor &t, const Tensor &own,
                   detail::CopyName op) const {
  if (!isWhole) {
    clear(own, at);
    copy_if(predicate(which, t), partition(which, t), own, at);
  } else if (op.name) {
    TiledCopy by = tiled(which, atomOf(t, op));
    ThrCopy copies = by.get_slice(thread);
    copy(by, copies.partition_S(t, at), copies.retile_D(own, at), at);
  } else
    copy(partition(which, t), own, at);
}
void Product::stored(const Tensor &registers, const Tensor &t, detail::CopyName op) const {
  if (!isWhole)
    copy_if(predicate(MmaOperand::C, t), registers, partition(MmaOperand::C, t), at);
  else if (op.name) {
    TiledCopy by = tiled(MmaOperand::C, atomOf(t, op));
    ThrCopy copies = by.get_slice(thread);
    copy(by, copies.retile_S(registers, at), copies.partition_D(t, at), at);
  } else
    copy(registers, partition(MmaOperand::C, t), at);
}
void Product::add(const Tensor &a, const Tensor &b, const Tensor &c,
                  const detail::GemmFunctions &functions, const detail::GemmCopies &copies) const {
  auto operand = [&](MmaOperand which, const Tensor &t, const detail::ElementFunction &f,
                     detail::CopyName op) {
    Tensor raw = place(which, t);
    load(which, t, raw, op);
    Tensor out = which == MmaOperand::A ? thr.make_fragment_A(partition(which, t), at)
                                        : thr.make_fragment_B(partition(which, t), at);
    Format format = out.format();
    if (raw.is_poisoned() || out.is_poisoned())
      return out;
    if (format == Format::none) {
      mistake(gemmCall,
              "expects a product whose operands are in registers; products of a warpgroup from "
              "shared memory are gemm(mma, ...) of fragments",
              at);
      return tensorFrom(dsl::Tensor(mlir::Value()));
    }
    if (!f && raw.format() == format)
      return raw;
    std::optional<Tensor> inside;
    if (!isWhole)
      inside = predicate(which, t);
    for (int64_t i = 0, n = detail::elements(gemmCall, raw, at); i < n; ++i) {
      Num x = ElementRef(raw, i, at).load(at);
      x = detail::convert(f ? f(x) : x, format, at);
      // Outside, where 0 was read, f(0) need not be 0.
      if (inside && f)
        x = where(Operand(ElementRef(*inside, i, at), at), Operand(x, at),
                  Operand(detail::convert(Num(0), format, at), at));
      ElementRef(out, i, at) = Operand(x, at);
    }
    return out;
  };
  Tensor ra = operand(MmaOperand::A, a, functions.a, copies.a),
         rb = operand(MmaOperand::B, b, functions.b, copies.b);
  gemm(mma, ra, rb, c, at);
}

void detail::cooperative_gemm(const Num &thread, const TiledMMA &mma, const Tensor &a,
                              const Tensor &b, const Tensor &c, const GemmFunctions &functions,
                              const GemmCopies &copies, Place at) {
  Product product{mma, thread, at};
  if (!product.fits(a, b, {}) || c.is_poisoned())
    return;
  IntTuple shape =
      partition_shape_C(mma, make_shape(cute::size<0>(a, at), cute::size<0>(b, at)), at);
  if (!bool(size(shape, at) == Operand(size(c, at), at)))
    return mistake(gemmCall,
                   cat("expects a fragment C of ", shape.str(), ", but got ", c.shape(at).str()),
                   at);
  product.add(a, b, c, functions, copies);
}
void detail::cooperative_gemm(const Num &thread, const TiledMMA &mma, const Operand &alpha,
                              const Tensor &a, const Tensor &b, const Operand &beta,
                              const Tensor &c, const GemmFunctions &functions,
                              const GemmCopies &copies) {
  Place at = alpha.at;
  Product product{mma, thread, at};
  if (c.is_poisoned() || !product.fits(a, b, c.shape(at)))
    return;
  Tensor sums = product.thr.make_fragment_C(product.partition(MmaOperand::C, c), at);
  if (sums.is_poisoned())
    return;
  clear(sums, at);
  product.add(a, b, sums, functions, copies);
  const Static *known = beta.number.is_set() ? staticOf(beta.number) : nullptr;
  bool readsC = known ? known->number != 0 : beta.number.is_set() || beta.literal != 0;
  Tensor before, after = registers(c.format(), make_layout(sums.shape(at), at), at);
  // A beta that only the device knows may be 0 too; then C may hold anything.
  std::optional<Num> isZero;
  if (readsC) {
    before = product.place(MmaOperand::C, c);
    auto load = [&] { product.load(MmaOperand::C, c, before, copies.load_c); };
    if (beta.number.is_set() && !known) {
      isZero = Operand(beta.number, at) == Operand(0, at);
      clear(before, at);
      If(Condition(!Operand(*isZero, at), at), load);
    } else
      load();
  }
  // Factors of another type than the sums are computed with in the wider one.
  Format type = sums.format();
  for (const Operand *factor : {&alpha, &beta})
    if (factor->number.is_set() && wholeType(factor->number) == Format::none)
      if (std::optional<dsl::Element> own = dsl::element_of(typed(factor->number, at));
          own && elementBits(own->format()) > elementBits(type))
        type = own->format();
  auto scaled = [&](const Operand &by, const Num &x) {
    Num factor = by.number;
    if (factor.is_set())
      factor = convert(factor, type, at);
    return factor.is_set() ? Operand(factor, at) * Operand(convert(x, type, at), at)
                           : by * Operand(convert(x, type, at), at);
  };
  for (int64_t i = 0, n = elements(gemmCall, sums, at); i < n; ++i) {
    Num x = scaled(alpha, ElementRef(sums, i, at).load(at));
    if (readsC) {
      Num old = ElementRef(before, i, at).load(at);
      old = convert(functions.load_c ? functions.load_c(old) : old, sums.format(), at);
      Num sum = Operand(x, at) + Operand(scaled(beta, old), at);
      x = isZero ? where(Operand(*isZero, at), Operand(x, at), Operand(sum, at)) : sum;
    }
    x = functions.store_c ? functions.store_c(x) : x;
    ElementRef(after, i, at) = Operand(convert(x, c.format(), at), at);
  }
  product.stored(after, c, copies.store_c);
}

} // namespace tessera::cute
