// Parser and printer of the layout notation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Text.h"

#include "tessera/base/Scanner.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"

#include <numeric>

namespace tessera::layout {

std::string_view name(TreeKind kind) {
  switch (kind) {
  case TreeKind::IntTuple: return "int_tuple";
  case TreeKind::Coord: return "coord";
  case TreeKind::Shape: return "shape";
  case TreeKind::Stride: return "stride";
  }
  return "";
}

//===------------------------------------------------------------------------------------------===//
// Printing
//===------------------------------------------------------------------------------------------===//

std::string str(Int x) {
  if (x.isRatio())
    return cat(x.value, "/", unsigned(x.over));
  if (x.isStatic())
    return std::to_string(x.value);
  std::string facts;
  if (x.width != Width::I32)
    facts = cat("i", bitsOf(x.width));
  if (x.div > 1)
    facts += cat(facts.empty() ? "" : " ", "div=", x.div);
  return facts.empty() ? "?" : cat("?{", facts, "}");
}

std::string str(const Leaf &leaf) {
  if (leaf.any)
    return isError(leaf) ? "x" : "_";
  std::string out = str(leaf.value);
  for (size_t i = leaf.basis.size(); i-- > 0;)
    out += cat("@", leaf.basis[i]);
  return out;
}

static void print(const Tree &tree, std::string &out) {
  if (tree.isLeaf()) {
    out += str(tree.leaf());
    return;
  }
  out += '(';
  for (size_t i = 0; i < tree.rank(); ++i) {
    if (i)
      out += ',';
    print(tree[i], out);
  }
  out += ')';
}

std::string str(const Tree &tree) {
  std::string out;
  print(tree, out);
  return out;
}

std::string str(const Layout &l) { return cat(str(l.shape), ":", str(l.stride)); }
std::string str(const Swizzle &s) { return cat("S<", s.bits, ",", s.base, ",", s.shift, ">"); }
std::string str(const Composed &c) {
  std::string inner = std::visit([](const auto &value) { return str(value); }, c.inner);
  return cat(inner, " o ", str(c.offset), " o ", str(c.outer));
}
std::string str(const AnyLayout &l) { return l.affine() ? str(*l.affine()) : str(*l.composed()); }
std::string str(const Tile &t) {
  if (t.isAny())
    return "_";
  if (t.isLayout())
    return str(t.single);
  std::string out = "[";
  for (size_t i = 0; i < t.modes.size(); ++i)
    out += cat(i ? ";" : "", str(t.modes[i]));
  return out + "]";
}

//===------------------------------------------------------------------------------------------===//
// Parsing
//===------------------------------------------------------------------------------------------===//

namespace {

/// One recursive-descent parser for the whole notation. `problem` says what was expected where.
class Parser {
public:
  Parser(std::string_view text, std::string_view what, Ratios ratios = Ratios::Refused)
      : in(text), text(text), what(what), ratios(ratios) {}

  Reason failure() {
    if (problem.empty())
      problem = cat("unexpected character at offset ", in.position());
    std::string_view shown = text.substr(0, maxShown);
    return fail(Error::ParseFailed, what, cat(shown, shown.size() < text.size() ? "..." : ""),
                problem);
  }
  bool atEnd() { return in.atEnd(); }
  /// Whether the composition sign comes next.
  bool takeCompose() { return in.take("o"); }
  bool peeks(char c) { return in.peek() == c; }

  bool tree(Tree &out, TreeKind kind) {
    if (!in.take("(")) {
      Leaf leaf;
      if (!this->leaf(leaf, kind))
        return false;
      out = leaf;
      return true;
    }
    Level level(*this);
    if (level.tooDeep())
      return false;
    Trees modes;
    if (!in.take(")")) {
      do {
        Tree mode;
        if (!tree(mode, kind))
          return false;
        modes.push_back(std::move(mode));
      } while (in.take(","));
      if (!in.take(")"))
        return expected("',' or ')'");
    }
    out = Tree(std::move(modes));
    return true;
  }

  bool layout(Layout &out) {
    if (!tree(out.shape, TreeKind::Shape))
      return false;
    if (in.take(":"))
      return stride(out.stride) && noError(out);
    if (!noError({out.shape, out.shape}))
      return false;
    Symbolic symbolic;
    out.stride = compactMajor(symbolic, out.shape).stride;
    if (symbolic.overflowed())
      problem = fail(Error::NumberTooLarge).text;
    return !symbolic.overflowed();
  }

  /// A tree of strides, with ratios only where they are read.
  bool stride(Tree &out) {
    const size_t start = in.position();
    if (!tree(out, TreeKind::Stride))
      return false;
    const bool refused = ratio && ratios == Ratios::Refused;
    if (refused)
      problem =
          fail(Error::RatioStride, std::string(text.substr(start, in.position() - start))).text;
    return !refused;
  }
  /// Tuples may have the leaf `x`, layouts may not.
  bool noError(const Layout &l) {
    if (!hasError(l.shape) && !hasError(l.stride))
      return true;
    problem = fail(Error::ErrorInLayout, str(l)).text;
    return false;
  }

  bool tile(Tile &out) {
    if (in.take("_")) {
      out = Tile();
      return true;
    }
    if (!in.take("[")) {
      Layout l;
      if (!layout(l))
        return false;
      Result<Layout> sound = checked(std::move(l));
      if (!sound) {
        problem = sound.reason().text;
        return false;
      }
      out = Tile(*std::move(sound));
      return true;
    }
    Level level(*this);
    if (level.tooDeep())
      return false;
    std::vector<Tile> modes;
    if (!in.take("]")) {
      do {
        Tile mode;
        if (!tile(mode))
          return false;
        modes.push_back(std::move(mode));
      } while (in.take(";"));
      if (!in.take("]"))
        return expected("';' or ']'");
    }
    out = Tile(std::move(modes));
    return true;
  }

  bool swizzle(Swizzle &out) {
    int *const fields[] = {&out.bits, &out.base, &out.shift};
    if (!in.take("S") || !in.take("<"))
      return expected("'S<'");
    for (int i = 0; i < 3; ++i) {
      std::optional<int64_t> number = in.takeInteger();
      if (!number || *number > 64 || *number < -64 || (i < 2 && *number < 0))
        return expected("a small number");
      *fields[i] = int(*number);
      if (!in.take(i < 2 ? "," : ">"))
        return expected(i < 2 ? "','" : "'>'");
    }
    return true;
  }

private:
  static constexpr size_t maxLevels = 64; // what calls itself must end before the stack does
  static constexpr size_t maxShown = 200; // characters of the text that a refusal repeats

  /// One pair of parentheses or brackets that is being read.
  class Level {
  public:
    explicit Level(Parser &parser) : parser(parser) { ++parser.levels; }
    Level(const Level &) = delete;
    ~Level() { --parser.levels; }
    bool tooDeep() {
      if (parser.levels <= maxLevels)
        return false;
      parser.problem = fail(Error::NestedTooDeep, maxLevels).text;
      return true;
    }

  private:
    Parser &parser;
  };

  bool expected(std::string_view token) {
    if (problem.empty())
      problem = cat("expected ", token, " at offset ", in.position());
    return false;
  }

  bool number(Int &out) {
    if (std::optional<int64_t> n = in.takeInteger()) {
      out = *n;
      return true;
    }
    char c = in.peek();
    if (c == '-' || (c >= '0' && c <= '9')) {
      problem = fail(Error::NumberTooLarge).text;
      return false;
    }
    return expected("a number");
  }

  bool dynamic(Int &out) {
    out = Int::dynamic(Symbolic::anonymous);
    if (!in.take("{"))
      return true;
    while (!in.take("}")) {
      if (width(out.width))
        continue;
      if (!in.take("div="))
        return expected("'i1', 'i8', 'i16', 'i32', 'i64', 'div=' or '}'");
      std::optional<int64_t> div = in.takeInteger();
      if (!div || *div < 1)
        return expected("a positive divisor");
      out.div = *div;
    }
    return true;
  }
  /// A width, if it is next; the longest names first.
  bool width(Width &out) {
    for (Width width : {Width::I64, Width::I32, Width::I16, Width::I8, Width::I1})
      if (in.take(cat("i", bitsOf(width)))) {
        out = width;
        return true;
      }
    return false;
  }

  bool leaf(Leaf &out, TreeKind kind) {
    if (kind == TreeKind::Coord && in.take("_")) {
      out = Leaf::underscore();
      return true;
    }
    if (in.take("x")) {
      out = errorLeaf();
      return true;
    }
    if (in.take("?") ? !dynamic(out.value) : !number(out.value))
      return false;
    if (kind != TreeKind::Stride)
      return true;
    if (in.take("/")) { // of a basis; refused with the whole stride
      Int divisor;
      if (!number(divisor) || in.peek() != '@')
        return expected("'@'");
      if (!out.value.isStatic() || !fits(divisor.value, Width::I16) || divisor.value < 1)
        return expected("a static number over a positive one of at most 32767");
      const int64_t common = std::gcd(out.value.value, divisor.value);
      out.value.value /= common;
      out.value.over = uint16_t(divisor.value / common);
      ratio = true;
    }
    std::vector<int64_t> innermostFirst;
    while (in.take("@")) {
      std::optional<int64_t> index = in.takeInteger();
      if (!index)
        return expected("a mode index");
      innermostFirst.push_back(*index);
    }
    for (size_t i = innermostFirst.size(); i-- > 0;)
      if (!out.basis.push(innermostFirst[i])) {
        problem = fail(Error::BasisTooDeep, Path::maxDepth, Path::maxIndex).text;
        return false;
      }
    return true;
  }

  Scanner in;
  std::string_view text, what;
  std::string problem;
  size_t levels = 0;
  Ratios ratios;
  bool ratio = false;
};

} // namespace

Result<Tree> parseTree(std::string_view text, TreeKind kind, Ratios ratios) {
  Parser parser(text, name(kind), ratios);
  Tree tree;
  if (!(kind == TreeKind::Stride ? parser.stride(tree) : parser.tree(tree, kind)) ||
      !parser.atEnd())
    return parser.failure();
  return tree;
}

Result<Layout> parseLayout(std::string_view text, Ratios ratios) {
  Parser parser(text, "layout", ratios);
  Layout l;
  if (!parser.layout(l) || !parser.atEnd())
    return parser.failure();
  return checked(std::move(l));
}

Result<AnyLayout> parseAnyLayout(std::string_view text, Ratios ratios) {
  Parser parser(text, "layout", ratios);
  Composed composed;
  if (parser.peeks('S')) {
    if (!parser.swizzle(composed.inner.emplace<Swizzle>()))
      return parser.failure();
    TESSERA_TRY(composed.inner, checked(std::get<Swizzle>(composed.inner)));
  } else {
    Layout l;
    if (!parser.layout(l))
      return parser.failure();
    if (parser.atEnd()) {
      TESSERA_TRY(l, checked(std::move(l)));
      return AnyLayout(std::move(l));
    }
    composed.inner = std::move(l); // checked with the rest
  }
  if (!parser.takeCompose() || !parser.tree(composed.offset, TreeKind::IntTuple) ||
      !parser.takeCompose() || !parser.layout(composed.outer) || !parser.atEnd())
    return parser.failure();
  return checked(std::move(composed));
}

Result<Tile> parseTile(std::string_view text) {
  Parser parser(text, "tile");
  Tile tile;
  if (!parser.tile(tile) || !parser.atEnd())
    return parser.failure();
  return tile;
}

Result<Swizzle> parseSwizzle(std::string_view text) {
  Parser parser(text, "swizzle");
  Swizzle swizzle;
  if (!parser.swizzle(swizzle) || !parser.atEnd())
    return parser.failure();
  if (Result<Swizzle> sound = checked(swizzle); !sound)
    return fail(Error::ParseFailed, "swizzle", text, sound.reason().text);
  return swizzle;
}

} // namespace tessera::layout
