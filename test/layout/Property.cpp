// Inputs of properties: as text, with dynamic leaves, as types state them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Property.h"

#include "tessera/layout/Text.h"

namespace tessera::layout::test {

std::string show(const Values &in) {
  std::string out;
  for (const AnyLayout &l : in.layouts)
    out += str(l) + " | ";
  for (const Tree &t : in.trees)
    out += str(t) + " | ";
  for (int64_t n : in.numbers)
    out += cat(n, " | ");
  return out;
}

namespace {
AnyLayout loosened(const AnyLayout &l, Random &random, Interp &values, int percent) {
  if (l.affine())
    return random.loosened(*l.affine(), values, percent);
  Composed c = *l.composed();
  c.outer = random.loosened(c.outer, values, percent);
  c.offset = random.loosened(c.offset, values, percent);
  return c;
}
} // namespace

Values loosened(const Values &in, Random &random, Interp &values) {
  Values out = in;
  int percent = int(10 + random.below(60));
  for (AnyLayout &l : out.layouts)
    l = loosened(l, random, values, percent);
  for (Tree &t : out.trees)
    t = random.loosened(t, values, percent);
  return out;
}

namespace {
AnyLayout asType(const AnyLayout &l) {
  if (l.affine())
    return test::asType(*l.affine());
  Composed c = *l.composed();
  return Composed{c.inner, test::asType(c.offset), test::asType(c.outer)};
}
} // namespace

Values asType(const Values &in) {
  Values out = in;
  for (AnyLayout &l : out.layouts)
    l = asType(l);
  for (Tree &t : out.trees)
    t = test::asType(t);
  return out;
}

std::vector<Property> allProperties() {
  std::vector<Property> all(properties().begin(), properties().end());
  all.insert(all.end(), propertiesOfParts().begin(), propertiesOfParts().end());
  return all;
}

} // namespace tessera::layout::test
