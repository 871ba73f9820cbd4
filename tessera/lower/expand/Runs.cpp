// The elements of a small static tensor, moved in as wide accesses as their places allow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Runs.h"

#include "tessera/cute/Cute.h"
#include "tessera/lower/Elements.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/DebugStringHelper.h"

#include <numeric>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {
int64_t bitsOfValue(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() * bitsOf(vector.getElementType()) : bitsOf(type);
}

Type elementOf(const View &view) { return cast<PtrType>(view.iterator.type).getElementType(); }
bool inRegisters(const View &view) {
  return cast<PtrType>(view.iterator.type).getAddressSpace() == AddressSpace::Rmem;
}

/// Where the elements of a tensor are: places[i] of element i, or nothing where a place is not
/// static.
struct Places {
  View view;
  std::vector<int64_t> places; // in elements from the iterator
  bool known = false;
  bool onByte = true; // whether the iterator is at the beginning of a byte, for all that is known
  int64_t count;
};

Result<Places> placesOf(Expander &e, const View &view) {
  layout::Int size = layout::product(e.emit, view.layout.shape());
  if (!size.isStatic())
    return Reason{"VectorStatic",
                  "expects a tensor of static shape, but got \"" + layout::str(view.layout) + "\""};
  bool onByte = !Expander::isInBits(elementOf(view)) || e.startsOnByte(view.iterator);
  Places result{view, {}, true, onByte, size.value};
  if (!view.layout.isStatic()) {
    result.known = false;
    return result;
  }
  for (int64_t i = 0; i < size.value; ++i) {
    TESSERA_TRY(layout::Tree at, layout::crd2idx(e.emit, layout::Tree(i), view.layout));
    result.places.push_back(at.leaf().value.value);
  }
  return result;
}

/// The iterator of element i.
Result<Iterator> elementAt(Expander &e, const Places &p, int64_t i) {
  if (p.known)
    return e.advanced(p.view.iterator, p.places[size_t(i)]);
  TESSERA_TRY(layout::Tree at, layout::crd2idx(e.emit, layout::Tree(i), p.view.layout));
  return e.emit.advance(p.view.iterator, at);
}

/// One element, alone.
Result<Value> loadOne(Expander &e, const Places &p, int64_t i) {
  Type element = elementOf(p.view);
  if (!Expander::isInBits(element)) {
    TESSERA_TRY(Iterator at, elementAt(e, p, i));
    return e.load(at, element);
  }
  TESSERA_TRY(layout::Tree at, layout::crd2idx(e.emit, layout::Tree(i), p.view.layout));
  return e.loadBits(p.view.iterator, at.leaf().value, element);
}
Result<Done> storeOne(Expander &e, const Places &p, int64_t i, Value value) {
  if (!Expander::isInBits(elementOf(p.view))) {
    TESSERA_TRY(Iterator at, elementAt(e, p, i));
    e.store(at, value);
    return Done{};
  }
  TESSERA_TRY(layout::Tree at, layout::crd2idx(e.emit, layout::Tree(i), p.view.layout));
  e.storeBits(p.view.iterator, at.leaf().value, value);
  return Done{};
}

/// Whether elements [first, first + n) lie side by side.
bool adjacent(const Places &p, int64_t first, int64_t n) {
  if (!p.known)
    return n == 1;
  for (int64_t i = 1; i < n; ++i)
    if (p.places[size_t(first + i)] != p.places[size_t(first)] + i)
      return false;
  return true;
}

/// Bytes of alignment of element i, as far as the pointer's type promises.
int64_t alignmentOf(const Places &p, int64_t i) {
  auto ptr = cast<PtrType>(p.view.iterator.type);
  if (!p.known)
    return std::max<int64_t>(1, ptr.getElementBits() / 8);
  int64_t bits = p.places[size_t(i)] * ptr.getElementBits();
  return std::max<int64_t>(
      1, std::gcd(ptr.getAlignment() * 8, bits ? bits : ptr.getAlignment() * 8) / 8);
}

/// How many elements from `first` on one access may take, at most `most` bits.
int64_t widest(const Places &p, int64_t first, int64_t most) {
  int64_t bits = bitsOf(elementOf(p.view));
  // A pointer's swizzle, which places do not have, parts bytes from its lowest bit on.
  auto swizzle = cast<PtrType>(p.view.iterator.type).getSwizzle();
  if (!swizzle.isIdentity())
    most = std::min(most, int64_t(8) << swizzle.base);
  int64_t limit = inRegisters(p.view) ? std::max<int64_t>(bits, 32) : most;
  int64_t n = std::max<int64_t>(1, limit / bits);
  // An access begins with a byte.
  if (bits < 8 && (!p.onByte || !p.known || p.places[size_t(first)] * bits % 8 != 0))
    return 1;
  while (n > 1 && (first + n > p.count || !adjacent(p, first, n) ||
                   alignmentOf(p, first) * 8 < n * bits || n * bits % 8 != 0))
    n /= 2;
  return n;
}

/// The type of `n` adjacent elements in one access. Formats that LLVM has no type for travel as
/// integers.
Type accessType(Expander &e, Type element, int64_t n) {
  int64_t bits = n * bitsOf(element);
  if (n == 1)
    return carrierOf(element);
  if (bits > 32)
    return VectorType::get({bits / 32}, e.b.getI32Type());
  return e.b.getIntegerType(unsigned(bits));
}

/// `n` elements from a value of their access type, and back.
SmallVector<Value> split(Expander &e, Value v, Type element, int64_t n) {
  SmallVector<Value> parts =
      n == 1 ? SmallVector<Value>{v}
             : e.elements(e.bitcast(v, VectorType::get({n}, carrierOf(element))));
  for (Value &part : parts)
    part = asElement(e.b, e.loc(), part, element);
  return parts;
}
SmallVector<Value> splitWords(Expander &e, Value v, Type word, int64_t n) {
  return e.elements(e.bitcast(v, VectorType::get({n}, word)));
}
/// The vector whose elements these are, if they are those of one, all and in order.
Value wholeOf(ValueRange elements) {
  auto parts = elements.front().getDefiningOp<vector::ToElementsOp>();
  return parts && ValueRange(parts.getResults()) == elements ? parts.getSource() : Value();
}
/// Elements as one value of their carriers.
Value packed(Expander &e, ValueRange elements) {
  return e.pack(llvm::map_to_vector(
      elements, [&](Value element) { return asCarrier(e.b, e.loc(), element); }));
}
Value join(Expander &e, ValueRange elements, Type type) {
  Type element = elements.front().getType();
  Value whole = elements.size() > 1 && carrierOf(element) == element ? wholeOf(elements) : Value();
  return e.bitcast(whole ? whole : packed(e, elements), type);
}
} // namespace

Result<SmallVector<Value>> loadElements(Expander &e, const View &view) {
  TESSERA_TRY(Places p, placesOf(e, view));
  Type element = elementOf(view);
  SmallVector<Value> out;
  for (int64_t i = 0; i < p.count;) {
    // Registers of one or two bytes are read alone: what is written to them alone promotes best.
    int64_t n = inRegisters(view) && bitsOf(element) >= 8 ? 1 : widest(p, i, widestAccess);
    if (n == 1) {
      TESSERA_TRY(Value one, loadOne(e, p, i++));
      out.push_back(one);
      continue;
    }
    TESSERA_TRY(Iterator at, elementAt(e, p, i));
    Value loaded = e.load(at, accessType(e, element, n), alignmentOf(p, i));
    llvm::append_range(out, split(e, loaded, element, n));
    i += n;
  }
  return out;
}

Result<Done> storeElements(Expander &e, const View &view, ValueRange elements) {
  TESSERA_TRY(Places p, placesOf(e, view));
  Type element = elementOf(view);
  for (int64_t i = 0; i < p.count;) {
    int64_t n = widest(p, i, widestAccess);
    // Likewise they are written alone, except for pairs that one instruction made: LLVM does not
    // put halves that a loop carries together without an instruction, nor bytes. Narrower formats
    // have no type in LLVM that could be cast.
    bool pair = (bitsOf(element) == 16 || bitsOf(element) == 8) &&
                wholeOf(elements.slice(size_t(i), size_t(n)));
    if (inRegisters(view) && bitsOf(element) >= 8 && !pair)
      n = 1;
    if (n == 1) {
      TESSERA_TRY([[maybe_unused]] Done done, storeOne(e, p, i, elements[size_t(i)]));
      ++i;
      continue;
    }
    TESSERA_TRY(Iterator at, elementAt(e, p, i));
    Value stored = join(e, elements.slice(size_t(i), size_t(n)), accessType(e, element, n));
    e.store(at, stored, alignmentOf(p, i));
    i += n;
  }
  return Done{};
}

Result<SmallVector<Value>> loadWords(Expander &e, const View &view, Type type, int64_t count) {
  TESSERA_TRY(Places p, placesOf(e, view));
  Type element = elementOf(view);
  int64_t perWord = bitsOfValue(type) / bitsOf(element);
  SmallVector<Value> words;
  for (int64_t w = 0; w < count; ++w) {
    int64_t first = w * perWord;
    if (adjacent(p, first, perWord) &&
        (perWord == 1 || alignmentOf(p, first) * 8 >= bitsOfValue(type))) {
      TESSERA_TRY(Iterator at, elementAt(e, p, first));
      words.push_back(e.load(at, type, alignmentOf(p, first)));
      continue;
    }
    SmallVector<Value> parts;
    for (int64_t i = 0; i < perWord; ++i) {
      TESSERA_TRY(Value part, loadOne(e, p, first + i));
      parts.push_back(part);
    }
    words.push_back(e.bitcast(packed(e, parts), type));
  }
  return words;
}

Result<Done> storeWords(Expander &e, const View &view, ValueRange words) {
  TESSERA_TRY(Places p, placesOf(e, view));
  Type element = elementOf(view);
  for (auto [w, word] : llvm::enumerate(words)) {
    int64_t perWord = bitsOfValue(word.getType()) / bitsOf(element);
    int64_t first = int64_t(w) * perWord;
    if (adjacent(p, first, perWord) &&
        (perWord == 1 || alignmentOf(p, first) * 8 >= bitsOfValue(word.getType()))) {
      TESSERA_TRY(Iterator at, elementAt(e, p, first));
      e.store(at, word, alignmentOf(p, first));
      continue;
    }
    for (auto [i, part] : llvm::enumerate(split(e, word, element, perWord))) {
      TESSERA_TRY([[maybe_unused]] Done done, storeOne(e, p, first + int64_t(i), part));
    }
  }
  return Done{};
}

/// The largest number of elements, at most 32 bits or one, that both sides can take at once
/// everywhere.
static int64_t commonUnit(const Places &a, const Places &b, int64_t count) {
  int64_t unit = std::max<int64_t>(1, 32 / bitsOf(elementOf(a.view)));
  for (int64_t i = 0; i < count; i += unit)
    unit = std::min({unit, widest(a, i, 32), widest(b, i, 32)});
  return unit;
}

Result<Done> copyRun(Expander &e, const View &src, const View &dst, int64_t count, int64_t bits) {
  TESSERA_TRY(Places from, placesOf(e, src));
  TESSERA_TRY(Places to, placesOf(e, dst));
  Type element = elementOf(src);
  if (!isCounted(element))
    return Reason{"ElementSize",
                  cat("expects elements of a known size in memory, but got ", debugString(element),
                      ": use an integer or float of as many bits")};
  int64_t most = std::min(bits, widestAccess), unit = commonUnit(from, to, count);
  if (unit == 1 && !isMoved(element))
    return Reason{"ElementBits", cat("expects elements that lie side by side in whole bytes, or "
                                     "whose width is a power of two, but got ",
                                     debugString(element))};
  if (unit == 1 && Expander::isInBits(element)) { // no access takes one
    for (int64_t i = 0; i < count; ++i) {
      TESSERA_TRY(Value one, loadOne(e, from, i));
      TESSERA_TRY([[maybe_unused]] Done done, storeOne(e, to, i, one));
    }
    return Done{};
  }
  Type word = accessType(e, element, unit);
  // Each side takes the run in its own pieces; words of one unit go between them.
  auto pieceAt = [&](const Places &p, int64_t i) {
    return std::min(std::max(widest(p, i, most), unit), count - i);
  };
  SmallVector<Value> words;
  for (int64_t i = 0; i < count;) {
    int64_t n = pieceAt(from, i);
    TESSERA_TRY(Iterator at, elementAt(e, from, i));
    Value loaded = e.load(at, accessType(e, element, n), alignmentOf(from, i));
    llvm::append_range(words, n == unit ? SmallVector<Value>{loaded}
                                        : splitWords(e, loaded, word, n / unit));
    i += n;
  }
  for (int64_t i = 0; i < count;) {
    int64_t n = pieceAt(to, i);
    TESSERA_TRY(Iterator at, elementAt(e, to, i));
    ValueRange pieces = ValueRange(words).slice(size_t(i / unit), size_t(n / unit));
    e.store(at, n == unit ? pieces.front() : e.bitcast(e.pack(pieces), accessType(e, element, n)),
            alignmentOf(to, i));
    i += n;
  }
  return Done{};
}

} // namespace tessera::lower
