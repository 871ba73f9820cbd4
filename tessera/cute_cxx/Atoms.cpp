// Copies and products as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/LayoutCall.h"

#include <numeric>

using namespace tessera;
using layout::MmaOperand;

namespace tessera::cute {

static dsl::Atom atomOf(const Value &v) { return held<dsl::Atom>(v); }
static dsl::TiledCopy copyOf(const Value &v) { return held<dsl::TiledCopy>(v); }
static dsl::TiledMma mmaOf(const Value &v) { return held<dsl::TiledMma>(v); }

//===--- copies -------------------------------------------------------------------------------===//

CopyAtom detail::copy_atom(const char *name, Format format, int bits, Place at) {
  return made<CopyAtom>(dsl::make_copy_atom(name, dsl::Element(format), bits, at));
}
TiledCopy make_tiled_copy(const CopyAtom &atom, const Layout<> &threads, const Layout<> &values,
                          Place at) {
  std::optional<layout::CopyAtomLayouts> one = dsl::copy_layouts(atomOf(atom), at);
  layout::Const arith;
  auto isWhole = [&](const char *what, const Layout<> &l, size_t mode) {
    int64_t each = layout::size(arith, one->ref[mode]).value;
    if (!layoutOf(l).isStatic() || int64_t(size(l, at)) % each == 0)
      return true;
    mistake("make_tiled_copy",
            cat("expects a multiple of the ", each, " ", what, " of the atom, but got ", l.str()),
            at);
    return false;
  };
  if (one && (!isWhole("threads", threads, 0) || !isWhole("values", values, 1)))
    return made<TiledCopy>(dsl::TiledCopy(mlir::Value()));
  return made<TiledCopy>(
      dsl::make_tiled_copy(atomOf(atom), layoutOf(threads), layoutOf(values), at));
}
TiledCopy make_tiled_copy_A(const CopyAtom &atom, const TiledMMA &mma, Place at) {
  return made<TiledCopy>(dsl::make_tiled_copy_for(atomOf(atom), mmaOf(mma), MmaOperand::A, at));
}
TiledCopy make_tiled_copy_B(const CopyAtom &atom, const TiledMMA &mma, Place at) {
  return made<TiledCopy>(dsl::make_tiled_copy_for(atomOf(atom), mmaOf(mma), MmaOperand::B, at));
}
TiledCopy make_tiled_copy_C(const CopyAtom &atom, const TiledMMA &mma, Place at) {
  return made<TiledCopy>(dsl::make_tiled_copy_for(atomOf(atom), mmaOf(mma), MmaOperand::C, at));
}
int size(const TiledCopy &copy, Place at) { return int(dsl::thread_count(copyOf(copy), at)); }

Tensor ThrCopy::partition_S(const Tensor &t, Place at) const {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::partition_S(copyOf(copy), view, number(thread, at), at);
  });
}
Tensor ThrCopy::partition_D(const Tensor &t, Place at) const {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::partition_D(copyOf(copy), view, number(thread, at), at);
  });
}
Tensor ThrCopy::retile_S(const Tensor &t, Place at) const {
  return tensorFrom(dsl::retile(copyOf(copy), tensorOf(t), at));
}

bool areAlike(const char *call, const Tensor &from, const Tensor &to, Place at) {
  if (from.is_poisoned() || to.is_poisoned())
    return false;
  layout::Const arith;
  layout::Tree shapes[2];
  for (auto [tensor, shape] : {std::pair(&from, &shapes[0]), {&to, &shapes[1]}}) {
    *shape = dsl::get_layout(tensorOf(*tensor), at).get().shape();
    if (!shape->isStatic()) {
      mistake(call,
              cat("expects tensors of known extents, but got one of ", layout::str(*shape),
                  "; tile it, or copy with a predicate (copy_if)"),
              at);
      return false;
    }
  }
  int64_t sizes[2] = {layout::product(arith, shapes[0]).value,
                      layout::product(arith, shapes[1]).value};
  if (sizes[0] != sizes[1])
    mistake(call,
            cat("expects as many elements in both tensors, but got ", sizes[0], " (",
                layout::str(shapes[0]), ") and ", sizes[1], " (", layout::str(shapes[1]), ")"),
            at);
  else if (Format f = from.format(), t = to.format();
           f != t && f != Format::none && t != Format::none)
    mistake(call,
            cat("expects elements of one type, but got ", number::ourName(f), " and ",
                number::ourName(t), "; convert the elements of one with convert<T>"),
            at);
  else
    return true;
  return false;
}
/// A fragment, element by element, as one vector: neighbours go together as far as memory allows.
void copy(const Tensor &from, const Tensor &to, Place at) {
  Tensor elements = detail::evaluated(from, at);
  if (areAlike("copy", elements, to, at))
    dsl::store_vec(dsl::load_vec(tensorOf(elements), at), tensorOf(to), at);
}
/// CUTLASS include/cute/algorithm/copy.hpp: the elements that are neighbours in both layouts give
/// the width of a piece, and the alignment that is assumed.
void detail::copy_assumed(int bits, const Tensor &given, const Tensor &to, Place at) {
  Tensor from = detail::evaluated(given, at);
  if (!areAlike("copy", from, to, at))
    return;
  Layout<> source = from.layout(at), destination = to.layout(at);
  int64_t element = elementBits(to.format());
  int64_t piece = std::max<int64_t>(bits, element);
  bool isStatic = source.is_static() && destination.is_static();
  if (isStatic) {
    int64_t aligned =
        std::gcd(int64_t(max_alignment(source, at)), int64_t(max_alignment(destination, at)));
    piece = std::gcd(std::gcd(common_vector(source, destination, at), aligned) * element, bits);
    piece = std::max(piece, element);
  }
  auto assumed = [&](const Tensor &t) {
    dsl::Tensor view = tensorOf(t);
    dsl::Start start = dsl::start_of(view);
    std::optional<dsl::Element> of = dsl::element_of(view);
    if (!of || start.coord || dsl::is_in_registers(view) || of->bits() < 8)
      return view;
    int64_t aligned = isStatic ? piece / 8 : std::min(piece / 8, start.alignment);
    dsl::Pointer p = dsl::get_iter(view, at);
    p = aligned > start.alignment ? dsl::aligned_ptr(p, aligned, at)
                                  : dsl::recast_ptr(p, *of, aligned, start.swizzle, at);
    return dsl::make_tensor(p, dsl::get_layout(view, at), at);
  };
  dsl::store_vec(dsl::load_vec(assumed(from), at), assumed(to), at);
}
/// Whether all calls of a copy are at multiples of `bits`, the alignment that its instruction
/// needs. For the first call the dialect knows that from the pointer.
static bool stepsFit(const char *side, const Tensor &t, int64_t values, int64_t bits, Place at) {
  Format format = t.format();
  dsl::Tensor of = tensorOf(t);
  if (format == Format::none || dsl::is_in_registers(of) || of.poisoned())
    return true;
  layout::Const arith;
  const layout::Layout l = dsl::get_layout(of, at).get().outer();
  int64_t ofElement = elementBits(format);
  auto fits = [&](const layout::Layout &mode) {
    std::vector<layout::Leaf> extents = mode.shape.leaves(), steps = mode.stride.leaves();
    for (size_t i = 0; i < steps.size(); ++i) {
      const layout::Int &step = steps[i].value;
      int64_t multiple = step.isStatic() ? step.value : step.div;
      if (!extents[i].is(1) && multiple * ofElement % bits)
        return false;
    }
    return true;
  };
  // Beyond the values of one call, which are neighbours, mode 0 steps too.
  Result<layout::AnyLayout> byCall = layout::divide(
      arith, l[0], layout::Layout{layout::Int(values), layout::Int(1)}, layout::Grouping::Logical);
  bool good = !byCall || !byCall->isStatic() || byCall->rank() < 2 || fits(byCall->outer()[1]);
  for (size_t i = 1; i < l.rank(); ++i)
    good &= fits(l[i]);
  if (!good)
    mistake("copy",
            cat("expects a ", side, " whose modes all step by multiples of the ", bits / 8,
                " bytes that one instruction moves, but got ", number::ourName(format), " by ",
                layout::str(l),
                "; copy less at once, or say what numbers are multiples of (assume_divisible)"),
            at);
  return good;
}
static bool stepsFit(const dsl::Handle &atom, const Tensor &from, const Tensor &to, Place at) {
  int64_t read = dsl::values_per_call(atom, at), written = dsl::values_written_per_call(atom, at);
  auto [source, destination] = dsl::alignments_of(atom, at);
  return stepsFit("source", from, read, source, at) &&
         stepsFit("destination", to, written, destination, at);
}
void copy(const CopyAtom &atom, const Tensor &from, const Tensor &to, Place at) {
  if (stepsFit(atomOf(atom), from, to, at))
    dsl::copy_with(atomOf(atom), tensorOf(from), tensorOf(to), at);
}
void copy(const TiledCopy &copy, const Tensor &from, const Tensor &to, Place at) {
  if (stepsFit(copyOf(copy), from, to, at))
    dsl::copy_with(copyOf(copy), tensorOf(from), tensorOf(to), at);
}

/// A predicate with one element for each call along mode 0. Of a predicate with one for each
/// element it has the first of each call. One without mode 0 holds for all calls, as in CuTe C++.
static dsl::Tensor predicate(const dsl::Handle &atom, const Tensor &pred, const Tensor &from,
                             Place at) {
  Layout<> l = pred.layout(at);
  Num values = size<0>(from, at);
  int64_t each = dsl::values_per_call(atom, at);
  if (!values.is_static())
    return tensorOf(detail::evaluated(pred, at));
  int64_t calls = std::max<int64_t>(1, int64_t(values) / each);
  bool hasMode0 = l.rank() >= from.rank();
  // Any other size of mode 0 is refused by the copy.
  if (hasMode0 && !(size<0>(l, at).is_static() && int64_t(size<0>(l, at)) == int64_t(values) &&
                    calls != int64_t(values)))
    return tensorOf(detail::evaluated(pred, at));
  std::vector<Layout<>> modes;
  modes.push_back(hasMode0 ? composition(l.mode(0, at), make_layout(calls, each, at), at)
                           : make_layout(calls, 0, at));
  if (!hasMode0 && l.rank() == 1)
    modes.push_back(l);
  else
    for (int i = hasMode0 ? 1 : 0; i < l.rank(); ++i)
      modes.push_back(l.mode(i, at));
  std::vector<IntTuple> shape, stride;
  for (const Layout<> &mode : modes) {
    shape.push_back(mode.shape(at));
    stride.push_back(mode.stride(at));
  }
  Layout<> all = make_layout(IntTuple::of(shape, at), IntTuple::of(stride, at), at);
  return tensorOf(detail::evaluated(detail::with_layout(pred, all, at), at));
}
static void copyIf(const dsl::Handle &atom, const Tensor &pred, const Tensor &from,
                   const Tensor &to, Place at) {
  if (pred.is_poisoned() || from.is_poisoned() || !stepsFit(atom, from, to, at))
    return;
  dsl::copy_if(atom, predicate(atom, pred, from, at), tensorOf(from), tensorOf(to), at);
}
void copy_if(const CopyAtom &atom, const Tensor &pred, const Tensor &from, const Tensor &to,
             Place at) {
  copyIf(atomOf(atom), pred, from, to, at);
}
void copy_if(const TiledCopy &copy, const Tensor &pred, const Tensor &from, const Tensor &to,
             Place at) {
  copyIf(copyOf(copy), pred, from, to, at);
}
void copy_if(const Tensor &pred, const Tensor &from, const Tensor &to, Place at) {
  Format format = from.format();
  if (format == Format::none)
    return mistake("copy_if", "expects tensors of elements", at);
  dsl::Atom element =
      dsl::make_universal_copy(dsl::Element(format), dsl::Element(format).bits(), at);
  copyIf(element, pred, from, to, at);
}

void cp_async_fence(Place at) { dsl::cp_async_commit(at); }
void cp_async_wait(int pending, Place at) {
  if (isWithin("cp_async_wait", "a number of pending groups", pending, 0, INT32_MAX, at))
    dsl::cp_async_wait(pending, at);
}

//===--- products -----------------------------------------------------------------------------===//

static atom::Major majorOf(GMMA::Major m) {
  return m == GMMA::Major::K ? atom::Major::K : atom::Major::MN;
}
MMAAtom detail::mma_atom(const char *name, GMMA::Major a, GMMA::Major b, Place at) {
  return made<MMAAtom>(dsl::make_mma_atom(name, majorOf(a), majorOf(b), at));
}
TiledMMA make_tiled_mma(const MMAAtom &atom, const Layout<> &atoms, const Tiler &permutation,
                        Place at) {
  Layout<> inThreeModes = atoms; // as CuTe C++, what is left out is 1
  while (!atoms.is_poisoned() && inThreeModes.rank() < 3)
    inThreeModes = append(inThreeModes, make_layout(1, 0, at), at);
  dsl::Layout repeated = layoutOf(inThreeModes);
  return made<TiledMMA>(permutation.is_set()
                            ? dsl::make_tiled_mma(atomOf(atom), repeated, tileOf(permutation), at)
                            : dsl::make_tiled_mma(atomOf(atom), repeated, at));
}
TiledMMA TiledMMA::accumulate(const Num &whether, Place at) const {
  return made<TiledMMA>(dsl::accumulate(mmaOf(*this), number(whether, at), at));
}
TiledMMA TiledMMA::with(const Num &accumulates, const Tensor &factorsA, const Tensor &factorsB,
                        Place at) const {
  dsl::TiledMma adding = dsl::accumulate(mmaOf(*this), number(accumulates, at), at);
  return made<TiledMMA>(dsl::scaled_by(adding, dsl::get_iter(tensorOf(factorsA), at),
                                       dsl::get_iter(tensorOf(factorsB), at), at));
}
int size(const TiledMMA &mma, Place at) { return int(dsl::thread_count(mmaOf(mma), at)); }
int detail::tile_size(const TiledMMA &mma, int mode, Place at) {
  return int(dsl::tile_size(mmaOf(mma), mode, at));
}

Tensor ThrMMA::partition_A(const Tensor &t, Place at) const {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::partition_A(mmaOf(mma), view, number(thread, at), at);
  });
}
Tensor ThrMMA::partition_B(const Tensor &t, Place at) const {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::partition_B(mmaOf(mma), view, number(thread, at), at);
  });
}
Tensor ThrMMA::partition_C(const Tensor &t, Place at) const {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::partition_C(mmaOf(mma), view, number(thread, at), at);
  });
}
Tensor ThrMMA::make_fragment_A(const Tensor &t, Place at) const {
  return tensorFrom(dsl::make_fragment(mmaOf(mma), tensorOf(t), MmaOperand::A, at));
}
Tensor ThrMMA::make_fragment_B(const Tensor &t, Place at) const {
  return tensorFrom(dsl::make_fragment(mmaOf(mma), tensorOf(t), MmaOperand::B, at));
}
Tensor ThrMMA::make_fragment_C(const Tensor &t, Place at) const {
  return tensorFrom(dsl::make_fragment(mmaOf(mma), tuple(shape(t, at)), MmaOperand::C, at));
}
Tensor partition_fragment_C(const TiledMMA &mma, const IntTuple &shape, Place at) {
  return tensorFrom(dsl::make_fragment(
      mmaOf(mma), dsl::partition_shape(mmaOf(mma), tuple(shape), MmaOperand::C, at), MmaOperand::C,
      at));
}
static IntTuple partitionShape(const TiledMMA &mma, const IntTuple &shape, MmaOperand operand,
                               Place at) {
  return made<IntTuple>(dsl::partition_shape(mmaOf(mma), tuple(shape), operand, at));
}
IntTuple partition_shape_A(const TiledMMA &mma, const IntTuple &shape, Place at) {
  return partitionShape(mma, shape, MmaOperand::A, at);
}
IntTuple partition_shape_B(const TiledMMA &mma, const IntTuple &shape, Place at) {
  return partitionShape(mma, shape, MmaOperand::B, at);
}
IntTuple partition_shape_C(const TiledMMA &mma, const IntTuple &shape, Place at) {
  return partitionShape(mma, shape, MmaOperand::C, at);
}

void gemm(const TiledMMA &mma, const Tensor &a, const Tensor &b, const Tensor &c, Place at) {
  gemm(mma, c, a, b, c, at);
}
/// Operands in shared memory that the atom takes from registers are loaded along K as they are
/// needed: CUTLASS include/cute/algorithm/gemm.hpp.
void gemm(const TiledMMA &mma, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
          Place at) {
  if (dsl::is_shared(tensorOf(a)) && dsl::is_shared(tensorOf(b)) && a.rank() == 3) {
    Num blocks = size<2>(a, at);
    auto slice = make_coord(_, _, 0);
    Tensor ra = make_fragment_like(a.slice(slice, at), at),
           rb = make_fragment_like(b.slice(slice, at), at);
    for (int64_t k = 0; k < int64_t(blocks); ++k) {
      copy(a.slice(make_coord(_, _, k), at), ra, at);
      copy(b.slice(make_coord(_, _, k), at), rb, at);
      gemm(mma, d, ra, rb, k ? d : c, at);
    }
    return;
  }
  dsl::gemm_with(mmaOf(mma), tensorOf(d), tensorOf(a), tensorOf(b), tensorOf(c), at);
}
void gemm(const MMAAtom &atom, const Tensor &a, const Tensor &b, const Tensor &c, Place at) {
  dsl::gemm_with(atomOf(atom), tensorOf(c), tensorOf(a), tensorOf(b), tensorOf(c), at);
}
/// Column k of an operand (M,K), in registers of the type of the sums.
static Tensor column(const Tensor &t, int64_t k, Format format, Place at) {
  Tensor from = t.slice(make_coord(_, k), at);
  Tensor own = make_fragment_like(from, at);
  copy(from, own, at);
  if (own.format() == format)
    return own;
  Tensor converted = detail::registers(format, own.layout(at), at);
  converted.store(detail::convert(own.load(at), format, at), at);
  return converted;
}
static bool isInRegisters(const Tensor &t) { return dsl::is_in_registers(tensorOf(t)); }
/// As CuTe C++ does, operands in memory are loaded along K as they are needed, and products are in
/// the type of the sums. Fragments get a mode 0 of one value, as the universal product takes them.
void gemm(const Tensor &a, const Tensor &b, const Tensor &c, Place at) {
  if (a.is_poisoned() || b.is_poisoned() || c.is_poisoned())
    return;
  auto direct = [&](const Tensor &t) {
    return t.rank() != 2 || (isInRegisters(t) && t.format() == c.format());
  };
  if (!direct(a) || !direct(b)) {
    Num extent = size<1>(a, at);
    if (!extent.is_static())
      return mistake("gemm",
                     cat("expects a K that C++ knows while it traces, but got ", a.shape(at).str(),
                         "; loop over tiles of it with For"),
                     at);
    auto withK = [&](const Tensor &t) {
      return detail::with_layout(t, make_layout(t.layout(at), make_layout(1, 0, at), at), at);
    };
    for (int64_t k = 0; k < int64_t(extent); ++k)
      gemm(withK(column(a, k, c.format(), at)), withK(column(b, k, c.format(), at)), c, at);
    return;
  }
  auto valued = [&](const Tensor &t) {
    return detail::with_layout(t, prepend(t.layout(at), make_layout(1, 0, at), at), at);
  };
  const char *name = c.format() == Format::f64    ? "UniversalFMA<f64>"
                     : c.format() == Format::f16  ? "UniversalFMA<f16>"
                     : c.format() == Format::bf16 ? "UniversalFMA<bf16>"
                                                  : "UniversalFMA<f32>";
  dsl::gemm_with(dsl::make_mma_atom(name, atom::Major::K, atom::Major::K, at), tensorOf(valued(c)),
                 tensorOf(valued(a)), tensorOf(valued(b)), tensorOf(valued(c)), at);
}

} // namespace tessera::cute
