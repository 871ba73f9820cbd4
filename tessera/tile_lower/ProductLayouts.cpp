// Who holds which elements of a product's sums and operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/ProductLayouts.h"

#include "tessera/tile_lower/Elements.h"

namespace tessera::tile_lower {

BitLayout layoutOfSums(const Product &product, int threadBits, bool keepsRows) {
  const Extents &e = product.extents;
  int n = log2Of(e.n), m = log2Of(e.m), batch = log2Of(e.batch);
  int rowBits = log2Of(product.rowsOfInstruction());
  // Groups of threads that execute instructions of their own.
  int groupBits = threadBits - product.threadBits(), mostM = m - rowBits, mostN = n - 3;
  // How many bits of the group's number go along M. What a group reads of both operands is least if
  // its part is square.
  int alongM = std::min(groupBits, mostM);
  if (!keepsRows && !product.isGroup())
    for (int bits = 0; bits <= std::min(groupBits, mostM); ++bits) {
      auto read = [&](int bitsM) {
        int bitsN = std::min(groupBits - bitsM, mostN);
        int idle = groupBits - bitsM - bitsN;
        return ((e.m >> bitsM) + (e.n >> bitsN)) << idle;
      };
      if (read(bits) < read(alongM))
        alongM = bits;
    }
  int alongN = std::min(groupBits - alongM, mostN);

  // The fragment counts down the rows first.
  auto bitOf = [&](int8_t bit) { return int8_t(bit < rowBits ? n + bit : bit - rowBits); };
  int64_t columns = product.isGroup() ? e.n >> alongN : 8;
  layout::MmaAtomLayouts fragments =
      *atom::layouts(*product.row, product.rowsOfInstruction(), columns);
  BitLayout out;
  for (int8_t bit : bitsOf(fragments.c[0]))
    out.threads.push_back(bitOf(bit));
  for (int8_t bit : bitsOf(fragments.c[1]))
    out.registers.push_back(bitOf(bit));
  for (int bit = 0; bit < alongM; ++bit)
    out.threads.push_back(int8_t(n + rowBits + bit));
  for (int bit = 0; bit < alongN; ++bit)
    out.threads.push_back(int8_t(n - alongN + bit));
  while (out.threads.size() < size_t(threadBits))
    out.threads.push_back(noBit);
  for (int bit = log2Of(columns); bit < n - alongN; ++bit)
    out.registers.push_back(int8_t(bit));
  for (int bit = rowBits + alongM; bit < m; ++bit)
    out.registers.push_back(int8_t(n + bit));
  for (int bit = 0; bit < batch; ++bit)
    out.registers.push_back(int8_t(n + m + bit));
  return out;
}

void layOutOperands(Product &product) {
  const Extents &e = product.extents;
  int n = log2Of(e.n), m = log2Of(e.m), k = log2Of(e.k);
  const atom::MmaRow &row = *product.row;
  layout::MmaAtomLayouts fragments =
      *atom::layouts(row, row.m.first, row.n.isFixed() ? row.n.first : 8);
  int atomK = log2Of(row.k);
  auto complete = [&](const layout::Layout &fragment, int rowBits, bool isLhs) {
    // Elements of lhs are counted (batch, M, K), of rhs (batch, K, N).
    auto bitOf = [&](int8_t bit) -> int8_t {
      if (bit == noBit)
        return noBit;
      bool isRow = bit < rowBits;
      if (isLhs)
        return int8_t(isRow ? k + bit : bit - rowBits);
      return int8_t(isRow ? bit : n + bit - rowBits);
    };
    // The bit of the operand for each bit of the result.
    auto ofResult = [&](int8_t bit) -> int8_t {
      if (bit == noBit)
        return noBit;
      if (bit >= n + m)
        return int8_t(isLhs ? bit - n + k : bit - m + k);
      if (bit < n)
        return isLhs ? noBit : bit;
      return isLhs ? int8_t(bit - n + k) : noBit;
    };
    BitLayout out;
    for (int8_t bit : bitsOf(fragment[0]))
      out.threads.push_back(bitOf(bit));
    for (int8_t bit : bitsOf(fragment[1]))
      out.registers.push_back(bitOf(bit));
    for (auto i = size_t(product.threadBits()); i < product.result.threads.size(); ++i)
      out.threads.push_back(ofResult(product.result.threads[i]));
    for (auto i = bitsOf(fragments.c[1]).size(); i < product.result.registers.size(); ++i)
      if (int8_t bit = ofResult(product.result.registers[i]); bit != noBit)
        out.registers.push_back(bit);
    for (int bit = atomK; bit < k; ++bit)
      out.registers.push_back(int8_t(isLhs ? bit : n + bit));
    return out;
  };
  if (row.a.where == atom::Residency::Rmem)
    product.lhs = complete(fragments.a, log2Of(row.m.first), true);
  if (row.b.where == atom::Residency::Rmem)
    product.rhs = complete(fragments.b, 3, false);
}

} // namespace tessera::tile_lower
