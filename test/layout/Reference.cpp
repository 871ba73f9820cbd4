// The definition of layouts as functions, written without the algebra.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Reference.h"

namespace tessera::layout::test {

Point operator+(Point a, const Point &b) {
  for (const auto &[path, value] : b)
    if ((a[path] += value) == 0)
      a.erase(path);
  return a;
}

std::string str(const Point &point) {
  std::string out;
  for (const auto &[path, value] : point) {
    out += (out.empty() ? "" : "+") + std::to_string(value);
    for (size_t i = path.size(); i-- > 0;)
      out += "@" + std::to_string(path[i]);
  }
  return out.empty() ? "0" : out;
}

int64_t swizzled(const Swizzle &s, int64_t index) {
  uint64_t in = uint64_t(index), out = in;
  int source = s.base + (s.shift > 0 ? s.shift : 0), target = source - s.shift;
  for (int bit = 0; bit < s.bits; ++bit)
    if (in >> (source + bit) & 1)
      out ^= uint64_t(1) << (target + bit);
  return int64_t(out);
}

namespace {
/// A number at a path; nothing if it is zero.
Point single(std::vector<int> path, int64_t value) {
  return value == 0 ? Point() : Point{{std::move(path), value}};
}

std::vector<int> join(std::vector<int> path, const Path &basis) {
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

int64_t Reference::size(const Tree &shape) const {
  int64_t product = 1;
  shape.forEachLeaf([&](const Leaf &leaf) { product *= valueOf(leaf); });
  return product;
}

Point Reference::point(const Tree &t) const {
  if (t.isLeaf())
    return single(join({}, t.leaf().basis), valueOf(t.leaf()));
  Point sum;
  for (size_t m = 0; m < t.rank(); ++m)
    for (const auto &[path, value] : point(t[m])) {
      std::vector<int> full = {int(m)};
      full.insert(full.end(), path.begin(), path.end());
      sum = sum + single(full, value);
    }
  return sum;
}

Point Reference::modes(const Tree &shape, const Tree &stride, const Point &coord) const {
  auto whole = coord.find({});
  int64_t rest = whole == coord.end() ? 0 : whole->second;
  if (shape.isLeaf())
    return single(join({}, stride.leaf().basis), rest * valueOf(stride.leaf()));
  Point sum;
  for (size_t m = 0; m < shape.rank(); ++m) {
    bool last = m + 1 == shape.rank();
    int64_t extent = size(shape[m]), share = last ? rest : rest % extent;
    rest = last ? 0 : rest / extent;
    sum = sum + modes(shape[m], stride[m], below(coord, int(m)) + single({}, share));
  }
  return sum;
}

Point Reference::at(const AnyLayout &l, const Point &coord) const {
  Point index = modes(l.outer().shape, l.outer().stride, coord);
  const Composed *c = l.composed();
  if (!c)
    return index;
  index = point(c->offset) + index;
  if (const Swizzle *s = c->swizzle())
    return single({}, swizzled(*s, index.empty() ? 0 : index.begin()->second));
  return at(AnyLayout(std::get<Layout>(c->inner)), index);
}

int64_t Reference::number(const Tree &shape, const Tree &stride, int64_t i) const {
  if (shape.isLeaf())
    return i * valueOf(stride.leaf());
  int64_t sum = 0;
  for (size_t m = 0; m < shape.rank(); ++m) {
    bool last = m + 1 == shape.rank();
    int64_t extent = last ? 1 : size(shape[m]);
    sum += number(shape[m], stride[m], last ? i : i % extent);
    i /= extent;
  }
  return sum;
}

int64_t Reference::number(const AnyLayout &l, int64_t i) const {
  int64_t index = number(l.outer().shape, l.outer().stride, i);
  const Composed *c = l.composed();
  if (!c)
    return index;
  index += valueOf(c->offset.leaf());
  if (const Swizzle *s = c->swizzle())
    return swizzled(*s, index);
  const Layout &inner = std::get<Layout>(c->inner);
  return number(inner.shape, inner.stride, index);
}

std::vector<int64_t> Reference::numbers(const AnyLayout &l) const {
  std::vector<int64_t> all(size_t(size(l)));
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = number(l, int64_t(i));
  return all;
}

bool Reference::compatible(const Tree &a, const Tree &b) const {
  if (a.isLeaf())
    return size(a) == size(b);
  if (b.isLeaf() || a.rank() != b.rank())
    return false;
  for (size_t i = 0; i < a.rank(); ++i)
    if (!compatible(a[i], b[i]))
      return false;
  return true;
}

} // namespace tessera::layout::test
