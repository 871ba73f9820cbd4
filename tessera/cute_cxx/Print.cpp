// Printing values while a kernel is traced, in CuTe C++'s notation and with its tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Node.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/render/Draw.h"

using namespace tessera;
using layout::AnyLayout;

namespace tessera::cute {

//===--- notation -----------------------------------------------------------------------------===//

/// `_8` for a number that C++ knows, `_-8` for a negative one, `?` for one that it does not know.
static std::string text(const layout::Leaf &leaf) {
  if (leaf.any)
    return "_";
  int64_t n = leaf.value.value;
  std::string out = leaf.value.isStatic() ? cat("_", n) : "?";
  for (size_t i = leaf.basis.size(); i-- > 0;)
    out += cat("@", leaf.basis[i]);
  return out;
}
std::string textOf(const layout::Tree &tree) {
  if (!tree.isTuple())
    return text(tree.leaf());
  std::string out = "(";
  for (size_t i = 0; i < tree.rank(); ++i)
    out += (i ? "," : "") + textOf(tree[i]);
  return out + ")";
}
std::string textOf(const layout::Layout &l) { return textOf(l.shape) + ":" + textOf(l.stride); }
static std::string text(const layout::Swizzle &s) {
  return cat("Sw<", s.bits, ",", s.base, ",", s.shift, ">");
}
static std::string text(const AnyLayout &l) {
  if (l.affine())
    return textOf(*l.affine());
  const layout::Composed &c = *l.composed();
  std::string inner = c.swizzle() ? text(*c.swizzle()) : textOf(std::get<layout::Layout>(c.inner));
  return inner + " o " + textOf(c.offset) + " o " + textOf(c.outer);
}
/// A mode of adjacent elements is written as their number.
std::string textOf(const layout::Tile &t) {
  if (t.isAny())
    return "_";
  if (t.isLayout())
    return t.single.stride.isLeaf() && t.single.stride.leaf().is(!t.single.shape.leaf().is(1))
               ? textOf(t.single.shape)
               : textOf(t.single);
  std::string out = "(";
  for (size_t i = 0; i < t.modes.size(); ++i)
    out += (i ? "," : "") + textOf(t.modes[i]);
  return out + ")";
}
void put(const std::string &words) { std::fputs(words.c_str(), stdout); }

void print(const IntTuple &t) { put(textOf(tuple(t).tree())); }
void print(const AnySwizzle &s) {
  put(cat("Sw<", s.num_bits, ",", s.num_base, ",", s.num_shft, ">"));
}
void print(const Layout<> &l) { put(text(layoutOf(l).get())); }
void print(const Tiler &t) { put(textOf(tileOf(t).get())); }
/// The address is known on the device only.
static std::string startOf(const Tensor &t) {
  dsl::Start start = dsl::start_of(viewOf(t));
  if (start.coord)
    return cat("ArithTuple", textOf(*start.coord));
  if (start.space == "tmem")
    return cat("tmem_[", elementBits(t.format()), "b](?)");
  std::string_view name = start.space == "gmem"   ? "gmem_ptr"
                          : start.space == "smem" ? "smem_ptr"
                                                  : "ptr";
  return cat(start.swizzle.isIdentity() ? "" : text(start.swizzle) + "_", name, "[",
             elementBits(t.format()), "b](?)");
}
void print(const Tensor &t, Place at) {
  put(startOf(t) + " o " + text(layoutOf(t.layout(at)).get()));
}
void print(const ElementRef &element) {
  if (element.is_coordinate())
    print(IntTuple(element));
  else
    printf("%f", element);
}
void print(double n) { put(std::to_string(n)); }

//===--- pictures -----------------------------------------------------------------------------===//

static bool isKnown(const char *call, const Layout<> &l, Place at) {
  dsl::Layout given = layoutOf(l);
  if (!given.poisoned() && !given.isStatic())
    mistake(call, cat("expects a layout that C++ knows while it traces, but got ", l.str()), at);
  return !given.poisoned() && given.isStatic();
}
static void draw(const char *call, const Layout<> &l, render::Format format, Place at) {
  Result<std::string> picture = render::draw(layoutOf(l).get(), {.format = format, .terminal = {}});
  if (!picture)
    return mistake(call, picture.reason().text, at);
  put(*picture);
}
void print_layout(const Layout<> &l, Place at) {
  if (!isKnown("print_layout", l, at))
    return;
  AnyLayout given = layoutOf(l).get();
  layout::Const arith;
  Result<layout::Int> reach = layout::cosize(arith, given);
  if (given.rank() != 2 || !reach)
    return draw("print_layout", l, render::Format::Terminal, at);
  // Cells are as wide as the largest index, with a space on each side.
  int64_t rows = layout::product(arith, given.shape()[0]).value,
          columns = layout::product(arith, given.shape()[1]).value;
  int digits = int(cat(reach->value).size());
  auto padded = [](int64_t n, int width) {
    std::string digits = cat(n);
    return std::string(size_t(std::max(0, width - int(digits.size()))), ' ') + digits;
  };
  std::string head = "    ", line = "    ";
  for (int64_t n = 0; n < columns; ++n) {
    head += "  " + padded(n, digits) + " ";
    line += "+" + std::string(size_t(digits) + 2, '-');
  }
  std::string out = text(given) + "\n" + head + "\n";
  for (int64_t m = 0; m < rows; ++m) {
    out += line + "+\n" + padded(m, 2) + "  ";
    for (int64_t n = 0; n < columns; ++n) {
      layout::Tree coord(
          std::vector<layout::Tree>{layout::Tree(layout::Int(m)), layout::Tree(layout::Int(n))});
      Result<layout::Tree> index = layout::crd2idx(arith, coord, given);
      if (!index || index->isTuple())
        return draw("print_layout", l, render::Format::Terminal, at);
      out += "| " + padded(index->leaf().value.value, digits) + " ";
    }
    out += "|\n";
  }
  put(out + line + "+\n");
}
void print_latex(const Layout<> &l, Place at) {
  if (isKnown("print_latex", l, at))
    draw("print_latex", l, render::Format::Latex, at);
}

} // namespace tessera::cute
