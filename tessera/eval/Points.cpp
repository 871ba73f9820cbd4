// The definition of layouts as functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Points.h"

#include "tessera/base/Result.h"

#include <limits>

namespace tessera::eval {

using namespace layout;

std::string str(const Point &point) {
  std::string out;
  for (const auto &[path, value] : point) {
    out += cat(out.empty() ? "" : " + ", value);
    for (size_t i = path.size(); i-- > 0;)
      out += cat("@", path[i]);
  }
  return out.empty() ? "0" : out;
}

int64_t sizeOf(const Tree &shape) {
  int64_t product = 1;
  bool fits = true;
  shape.forEachLeaf([&](const Leaf &leaf) {
    fits &= !__builtin_mul_overflow(product, leaf.value.value, &product);
  });
  return fits ? product : std::numeric_limits<int64_t>::max();
}

namespace {
/// An extent that divides coordinates. One of 0 at run time has none to divide.
int64_t divisorOf(int64_t extent) { return extent == 0 ? 1 : extent; }
bool isPlainLayout(const AnyLayout &l) {
  const Composed *c = l.composed();
  const Layout *inner = c ? std::get_if<Layout>(&c->inner) : nullptr;
  return !l.outer().stride.hasBasis() && (!c || c->offset.isLeaf()) &&
         (!inner || !inner->stride.hasBasis());
}

int64_t wrapped(uint64_t a) { return int64_t(a); }

void addAt(Point &sum, std::vector<int> path, int64_t value) {
  int64_t &at = sum[path];
  at = wrapped(uint64_t(at) + uint64_t(value));
  if (at == 0)
    sum.erase(path);
}
void addAll(Point &sum, const Point &more) {
  for (const auto &[path, value] : more)
    addAt(sum, path, value);
}
std::vector<int> pathOf(const Path &basis) {
  std::vector<int> path;
  for (size_t i = 0; i < basis.size(); ++i)
    path.push_back(basis[i]);
  return path;
}

/// The parts of a coordinate that belong to mode `m`.
Point below(const Point &coord, int m) {
  Point inner;
  for (const auto &[path, value] : coord)
    if (!path.empty() && path[0] == m)
      inner[std::vector<int>(path.begin() + 1, path.end())] = value;
  return inner;
}

} // namespace

Point pointOf(const Tree &t) {
  Point sum;
  if (t.isLeaf()) {
    addAt(sum, pathOf(t.leaf().basis), t.leaf().value.value);
    return sum;
  }
  for (size_t m = 0; m < t.rank(); ++m)
    for (const auto &[path, value] : pointOf(t[m])) {
      std::vector<int> full = {int(m)};
      full.insert(full.end(), path.begin(), path.end());
      addAt(sum, std::move(full), value);
    }
  return sum;
}
Point sum(Point a, const Point &b) {
  addAll(a, b);
  return a;
}

namespace {
/// What a coordinate, whose parts may be integers, adds up to.
Point indexOf(const Tree &shape, const Tree &stride, const Point &coord) {
  auto whole = coord.find({});
  int64_t rest = whole == coord.end() ? 0 : whole->second;
  Point sum;
  if (shape.isLeaf()) {
    addAt(sum, pathOf(stride.leaf().basis),
          wrapped(uint64_t(rest) * uint64_t(stride.leaf().value.value)));
    return sum;
  }
  for (size_t m = 0; m < shape.rank(); ++m) {
    const bool last = m + 1 == shape.rank();
    int64_t extent = divisorOf(sizeOf(shape[m]));
    Point inner = below(coord, int(m));
    addAt(inner, {}, last ? rest : rest % extent);
    rest = last ? 0 : rest / extent;
    addAll(sum, indexOf(shape[m], stride[m], inner));
  }
  return sum;
}
} // namespace

Points::Points(AnyLayout l)
    : layout(std::move(l)), isPlain(isPlainLayout(layout)), points(sizeOf(layout.shape())) {
  if (!isPlain)
    return;
  outer = modesOf(layout.outer());
  if (const Composed *c = layout.composed(); c && !c->swizzle())
    inner = modesOf(std::get<Layout>(c->inner));
}

std::vector<Points::Mode> Points::modesOf(const Layout &l) {
  std::vector<Mode> modes;
  l.shape.forEachLeaf([&](const Leaf &leaf) { modes.push_back({divisorOf(leaf.value.value), 0}); });
  size_t at = 0;
  l.stride.forEachLeaf([&](const Leaf &leaf) { modes[at++].stride = uint64_t(leaf.value.value); });
  return modes;
}

uint64_t Points::sum(const std::vector<Mode> &modes, int64_t rest) {
  uint64_t total = 0;
  for (size_t m = 0; m < modes.size(); ++m) {
    const bool last = m + 1 == modes.size();
    total += uint64_t(last ? rest : rest % modes[m].extent) * modes[m].stride;
    rest /= modes[m].extent;
  }
  return total;
}

int64_t Points::number(int64_t coordinate) const {
  uint64_t index = sum(outer, coordinate);
  const Composed *c = layout.composed();
  if (!c)
    return wrapped(index);
  index += uint64_t(c->offset.leaf().value.value);
  return c->swizzle() ? (*c->swizzle())(wrapped(index)) : wrapped(sum(inner, wrapped(index)));
}

Point Points::at(int64_t coordinate) const {
  Point out, whole;
  if (isPlain) {
    addAt(out, {}, number(coordinate));
    return out;
  }
  addAt(whole, {}, coordinate);
  out = indexOf(layout.outer().shape, layout.outer().stride, whole);
  if (const Composed *c = layout.composed()) {
    Point offset = pointOf(c->offset);
    addAll(offset, out);
    const Layout &affine = std::get<Layout>(c->inner); // a swizzle takes plain numbers
    out = indexOf(affine.shape, affine.stride, offset);
  }
  return out;
}

} // namespace tessera::eval
