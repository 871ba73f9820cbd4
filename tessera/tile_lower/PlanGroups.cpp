// Plan: products of warpgroups, of which hardware reads operands in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/ProductLayouts.h"

#include "tessera/atom/Registry.h"
#include "tessera/atom/SmemDescriptor.h"
#include "tessera/tile_lower/Elements.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// The matrix descriptor of an operand of a warpgroup's product, or nothing if hardware cannot read
/// it. `first` and `count` are the bits of M or N of one instruction, `k0` the first of K.
std::optional<std::pair<uint64_t, atom::Major>> descriptorOf(const Placement &operand,
                                                             const atom::MmaRow &row,
                                                             const atom::Operand &side, int first,
                                                             int count, int k0) {
  int64_t bytes = side.storedBits() / 8;
  if (operand.swizzle.isIdentity())
    return std::nullopt;
  int kBits = log2Of(row.k);
  // The distance between instructions is added to the address, so the swizzle must not change it.
  for (int bit = 0; bit < int(operand.places.size()); ++bit) {
    bool isInside = (bit >= first && bit < first + count) || (bit >= k0 && bit < k0 + kBits);
    if (!isInside && operand.places[size_t(bit)] != operand.plain[size_t(bit)])
      return std::nullopt;
  }
  layout::Layout rows = modeOf(ArrayRef(operand.plain).slice(size_t(first), size_t(count)), bytes);
  layout::Layout along = modeOf(ArrayRef(operand.plain).slice(size_t(k0), size_t(kBits)), bytes);
  layout::Layout tile{layout::Tree::of({rows.shape, along.shape}),
                      layout::Tree::of({rows.stride, along.stride})};
  for (atom::Major major : {atom::Major::K, atom::Major::MN}) {
    if (side.majors != atom::Major::Any && side.majors != major)
      continue;
    Result<uint64_t> word =
        atom::smemDescriptor(atom::DescriptorKind::Wgmma, tile, operand.swizzle, bytes * 8, major);
    if (word)
      return std::pair(*word, major);
  }
  return std::nullopt;
}

int64_t loadedBytes(const Source &source) { return memoryBytes(elementOf(source.staging->tile())); }
/// Whether what a load left in shared memory has the elements of the operand.
bool isAsLoaded(const Source &source, const atom::Operand &side) {
  return source.elementwise.empty() && loadedBytes(source) * 8 == side.storedBits();
}

/// Whether the only op after a load is the rounding from f32 to tf32 that TMA can do (data type
/// TFLOAT32).
bool isRounding(const Source &source) {
  if (source.elementwise.size() != 1)
    return false;
  auto op = dyn_cast<FToFOp>(source.elementwise[0]);
  return op && op.getRoundingMode() == RoundingMode::NearestEven &&
         elementOf(op->getOperand(0).getType()).isF32() &&
         isa<FloatTF32Type>(elementOf(op->getResult(0).getType()));
}

} // namespace

/// How B of a product is written again.
static Remade remake(const Product &product, const Source &rhs) {
  const Extents &e = product.extents;
  int n = log2Of(e.n), k = log2Of(e.k), batch = log2Of(e.batch);
  int64_t bytes = product.row->b.storedBits() / 8, from = loadedBytes(rhs);
  // Hardware reads 16-bit elements along K and along N, so those along N stay along it; but rows of
  // less than 32 bytes have no swizzle.
  Remade out;
  out.isAlongK = bytes != 2 || rhs.plain[0] != from || e.n * bytes < 32;
  BitList order;
  auto append = [&](int first, int count) {
    for (int bit = 0; bit < count; ++bit)
      order.push_back(int8_t(first + bit));
  };
  append(out.isAlongK ? n : 0, out.isAlongK ? k : n);
  append(out.isAlongK ? 0 : n, out.isAlongK ? n : k);
  append(n + k, batch);
  static_cast<Placement &>(out) = placedInRows(order, out.isAlongK ? k : n, bytes);
  return out;
}

/// Bytes that lie along N are read in words, by lanes that differ in bits 4 and 5 of K (`k0` is the
/// first of K): these lanes then write vectors along K without bank conflicts. For the reads to
/// have none either, these two bits choose banks in the swizzle.
void Plan::spread(Source &rhs, int k0) {
  constexpr size_t low = 4, high = 5;
  auto isHere = [&](const auto &other) { return other.second->staging == rhs.staging; };
  ArrayRef<int64_t> rows = ArrayRef(rhs.plain).drop_front(size_t(k0));
  if (rhs.plain[0] != 1 || rows.size() <= high || rows[high] != 2 * rows[low] || rows[low] < 1024 ||
      llvm::count_if(sources, isHere) != 1)
    return;
  layout::Swizzle swizzle{.bits = 2, .base = 5, .shift = log2Of(rows[low]) - 5};
  rhs.setSwizzle(swizzle);
  rhs.staging->setSwizzle(swizzle);
}

/// Makes a product one of this instruction of warpgroups, if it can be.
bool Plan::chooseGroup(Operation *op, Product &product, const atom::MmaRow &row) {
  const Extents &e = product.extents;
  const Source *lhs = sourceOf(op->getOperand(0));
  auto rhs = sources.find(op->getOperand(1));
  int n = log2Of(e.n), k = log2Of(e.k);
  Product group = product;
  group.row = &row;
  BitLayout layout = layoutOfSums(group, threadBits, false);
  int64_t columns = 8;
  for (int8_t bit : layout.registers)
    if (bit >= 3 && bit < n)
      columns *= 2;
  auto floats = dyn_cast<MmaFOp>(op);
  group.isSummedByThreads = floats && !floats.getFastAcc() && row.a.storedBits() == 8 &&
                            elementOf(op->getResult(0).getType()).isF32();
  if (group.isSummedByThreads)
    columns = std::min(columns, Product::mostColumnsAtOnce);
  group.columns = columns;
  if (rhs == sources.end() || !row.n.contains(columns) || layout.registerCount() > mostRegisters)
    return false;
  SmallVector<Staging *> rounded;
  auto isReady = [&](const Source &operand, const atom::Operand &side) {
    auto isHere = [&](const auto &other) { return other.second->staging == operand.staging; };
    bool canRound = mayRound && boxesOf(*operand.staging, arch) &&
                    llvm::all_of(llvm::make_filter_range(sources, isHere),
                                 [](const auto &other) { return isRounding(*other.second); });
    if (canRound)
      rounded.push_back(operand.staging);
    return canRound || isAsLoaded(operand, side);
  };
  if (row.a.where == atom::Residency::Smem) {
    auto a = lhs && isReady(*lhs, row.a) ? descriptorOf(*lhs, row, row.a, k, 6, 0) : std::nullopt;
    if (!a)
      return false;
    std::tie(group.lhsDescriptor, group.lhsMajor) = *a;
  }
  auto describe = [&](const Placement &operand) {
    auto b = descriptorOf(operand, row, row.b, 0, log2Of(columns), n);
    if (b)
      std::tie(group.rhsDescriptor, group.rhsMajor) = *b;
    return b.has_value();
  };
  Source &source = *rhs->second;
  bool isLhsRounded = !rounded.empty();
  if (!isReady(source, row.b) || !describe(source)) {
    rounded.clear();
    group.remade = remake(group, source);
    // Where threads write operands, they make the loads, too.
    if (isLhsRounded || !describe(*group.remade))
      return false;
  }
  std::swap(product, group);
  if (!fits()) {
    product = group;
    return false;
  }
  if (product.remade && source.elementwise.empty() && loadedBytes(source) == 1)
    spread(source, n);
  for (Staging *staging : rounded)
    staging->isRounded = true;
  return true;
}

/// Chooses the products whose B lies in shared memory, as it was loaded or written again, and whose
/// A lies there or in registers.
void Plan::chooseGroups(EntryOp entry) {
  // ptxas 13.0 fails (C7600) where sums that are held at a time are more than a thread's registers.
  constexpr int64_t mostOfThread = 255, otherRegisters = 32;
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target || mostSums() + otherRegisters > mostOfThread)
    return;
  entry.walk([&](Operation *op) {
    auto found = products.find(op);
    constexpr int64_t mostColumns = 256, leastRows = 64;
    if (found == products.end())
      return;
    Product &product = *found->second;
    if (product.extents.m < leastRows || product.extents.n > mostColumns)
      return;
    // A from shared memory costs no registers.
    for (atom::Residency from : {atom::Residency::Smem, atom::Residency::Rmem})
      for (const atom::MmaRow &row : atom::mmaRows()) {
        bool fits = row.recipe == atom::Recipe::Wgmma && !row.sparsity.isSparse() &&
                    row.a.element == product.row->a.element &&
                    row.b.element == product.row->b.element &&
                    row.c.element == product.row->c.element && row.a.where == from &&
                    row.overflow == atom::Overflow::Wrapped && row.k <= product.extents.k &&
                    row.needs.metBy(*target);
        if (fits && chooseGroup(op, product, row)) {
          groupProducts = true;
          return;
        }
      }
  });
}

} // namespace tessera::tile_lower
