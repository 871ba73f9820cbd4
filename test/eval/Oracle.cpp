// The notation of the oracle tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/eval/Oracle.h"

#include "tessera/eval/Evaluate.h"
#include "test/layout/Sample.h"

#include <cstdlib>
#include <fstream>

namespace tessera::layout::test {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string_view::npos;
       begin = end + separator.size())
    parts.emplace_back(text.substr(begin, end - begin));
  parts.emplace_back(text.substr(begin));
  return parts;
}

const std::string &Row::operator[](std::string_view name) const {
  static const std::string none;
  for (size_t i = 0; i < names->size() && i < fields.size(); ++i)
    if ((*names)[i] == name)
      return fields[i];
  return none;
}

Table::Table(const std::string &file) {
  const char *folder = std::getenv("TESSERA_ORACLE");
  if (!folder)
    return;
  std::ifstream in(cat(folder, "/", file));
  EXPECT_TRUE(in.good()) << folder << "/" << file;
  std::string line;
  std::getline(in, line);
  names = split(line, "\t");
  while (std::getline(in, line))
    lines.emplace_back(&names, split(line, "\t"));
}

//===------------------------------------------------------------------------------------------===//
// Arguments
//===------------------------------------------------------------------------------------------===//

namespace {
/// Calls `f` on the leaves in the order of the text.
template <class F> void inTextOrder(Tree &t, F &&f) { t.forEachLeaf(f); }
template <class F> void inTextOrder(Layout &l, F &&f) { forEachLeaf(l, f); }
template <class F> void inTextOrder(Tile &t, F &&f) { forEachLeaf(t, f); }
template <class F> void inTextOrder(AnyLayout &l, F &&f) {
  if (const Layout *affine = l.affine()) {
    Layout own = *affine;
    forEachLeaf(own, f);
    l = own;
    return;
  }
  Composed c = *l.composed();
  if (Layout *inner = std::get_if<Layout>(&c.inner))
    forEachLeaf(*inner, f);
  c.offset.forEachLeaf(f);
  forEachLeaf(c.outer, f);
  l = c;
}

/// The numbers in the `?{..}` of a text.
std::vector<int64_t> dynamicValues(const std::string &text) {
  std::vector<int64_t> values;
  for (size_t at = 0; (at = text.find("?{", at)) != std::string::npos; ++at)
    values.push_back(std::stoll(text.substr(at + 2)));
  return values;
}
} // namespace

Inputs::Inputs(const std::string &args, Dynamic dynamic)
    : texts(split(args, " | ")), dynamic(std::move(dynamic)) {}

std::string Inputs::plain(size_t i) const {
  std::string out;
  bool inside = false;
  for (char c : texts[i]) {
    inside &= c != '}' || (inside = false, false);
    if (!inside && c != '}')
      out += c;
    inside |= c == '?';
  }
  return out;
}

template <class T> T Inputs::bound(Result<T> value, size_t i) const {
  T sound = parsed(std::move(value));
  std::vector<int64_t> values = dynamicValues(texts[i]);
  size_t next = 0;
  inTextOrder(sound, [&](Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value = dynamic(values.at(next++));
  });
  return sound;
}

bool Inputs::isLayout(size_t i) const { return texts[i].find(':') != std::string::npos; }
bool Inputs::isComposed(size_t i) const { return texts[i].find(" o ") != std::string::npos; }
Tree Inputs::tree(size_t i) const { return bound(parseTree(plain(i), TreeKind::Coord), i); }
Tree Inputs::stride(size_t i) const { return bound(parseTree(plain(i), TreeKind::Stride), i); }
Layout Inputs::layout(size_t i) const { return bound(parseLayout(plain(i)), i); }
AnyLayout Inputs::any(size_t i) const { return bound(parseAnyLayout(plain(i)), i); }
Swizzle Inputs::swizzle(size_t i) const { return parsed(parseSwizzle(texts[i])); }

namespace {
Tile byMode(const Tree &extents, bool unitIsZero) {
  if (extents.isLeaf()) {
    bool zero = unitIsZero && extents.leaf().is(1);
    return extents.leaf().any ? Tile() : Tile(Layout{extents, Tree(zero ? 0 : 1)});
  }
  std::vector<Tile> modes;
  for (const Tree &mode : extents.modes())
    modes.push_back(byMode(mode, unitIsZero));
  return Tile(std::move(modes));
}
} // namespace

Tile Inputs::tile(size_t i, bool unitIsZero) const {
  if (isLayout(i) || texts[i][0] == '[' || texts[i] == "_")
    return bound(parseTile(plain(i)), i);
  return byMode(tree(i), unitIsZero);
}

std::vector<int32_t> Inputs::numbers(size_t i) const {
  std::vector<int32_t> out;
  std::string digits;
  for (char c : texts[i] + " ") {
    if (c >= '0' && c <= '9') {
      digits += c;
      continue;
    }
    if (!digits.empty())
      out.push_back(std::stoi(digits));
    digits.clear();
  }
  return out;
}

//===------------------------------------------------------------------------------------------===//
// Answers
//===------------------------------------------------------------------------------------------===//

namespace {
/// `text` without what stands between `?{` and `}`.
std::string withoutBraces(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == '?' && at + 1 < text.size() && text[at + 1] == '{')
      at = text.find('}', at);
  }
  return out;
}
} // namespace

std::string Answer::withoutFacts() const { return withoutBraces(text); }
std::string withoutValues(const std::string &args) { return withoutBraces(args); }

Answer answer(const std::string &operation, const std::string &args, Interp &values) {
  eval::Evaluation done = eval::evaluate(cat(operation, "(", args, ")"), false);
  Answer out;
  out.violated = done.values.broken() || done.values.tooLarge();
  if (!done.ok()) {
    out.refused = done.refusal.reason;
    return out;
  }
  out.text = eval::str(*done.result, done.values, eval::Leaves::Facts);
  out.withValues = eval::str(*done.result, done.values);
  if (const AnyLayout *l = eval::layoutOf(*done.result)) {
    out.layout = *l;
    forEachLeaf(*out.layout, [&](Leaf &leaf) {
      std::optional<int64_t> known = done.values.valueOf(leaf.value);
      if (!leaf.isStatic())
        leaf.value = values.input(known.value_or(0), leaf.value.width, leaf.value.div);
    });
  }
  return out;
}

} // namespace tessera::layout::test
