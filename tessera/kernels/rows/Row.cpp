// Loads, stores and exchanges of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/rows/Row.h"

#include "tessera/atom/Threads.h"
#include "tessera/kernels/Activation.h"
#include "tessera/kernels/rows/RowKernel.h"

#include <algorithm>
#include <bit>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::rows;

using Combine = std::function<Num(Num, Num)>;
using Numbers = Row::Numbers;
using CombineAll = std::function<Numbers(const Numbers &, const Numbers &)>;

static Num sumOf(Num x, Num y) { return x + y; }

Part rows::each(const Part &x, const std::function<Num(Num)> &f) {
  Part result;
  for (const Num &vector : x)
    result.push_back(f(vector));
  return result;
}
Part rows::each(const Part &x, const Part &y, const Combine &f) {
  Part result;
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back(f(x[i], y[i]));
  return result;
}
Num rows::total(const Part &x, const Combine &f) {
  Num sofar = x.front();
  for (size_t i = 1; i < x.size(); ++i)
    sofar = f(sofar, x[i]);
  return count(sofar) > 1 ? reduce(sofar, f) : sofar;
}

//===--- where --------------------------------------------------------------------------------===//

Row::Row(const RowConfig &c, const RowKernel &kernel, const RowPlan &plan,
         const SharedMemory &memory, Region slots, const RowParameters &given)
    : c(c), kernel(kernel), plan(plan), memory(memory), slots(slots), given(given),
      width(plan.width) {
  thread = thread_idx();
  rank = plan.cluster > 1 ? block_rank_in_cluster() : i32(0);
  Num block = plan.cluster > 1 ? block_idx() / plan.cluster : block_idx();
  Num which = block;
  ofRow = thread;
  if (plan.rowsOfBlock() > 1) {
    which = block * plan.rowsOfBlock() + thread / plan.threads;
    ofRow = thread % plan.threads;
  }
  if (plan.cluster > 1)
    ofRow = rank * plan.threads + thread;
  there = which < given.rows;
  row = min(which, given.rows - 1);
  bool several = c.segment || kernel.operands.front().extent == Extent::Heads;
  outer = several ? row / given.perToken : row;
  inner = several ? row % given.perToken : i32(0);
}

Row Row::by(bool vectors) const {
  Row other = *this;
  other.width = vectors ? plan.width : 1;
  other.exchanged = 0;
  return other;
}
Row Row::pieceAt(Num column) const {
  Row other = *this;
  other.from = column.promised(plan.width);
  return other;
}
size_t Row::count() const { return size_t(plan.vectors * plan.width / width); }

Tensor Row::tensor(size_t operand) const {
  auto before = kernel.operands.first(operand);
  return given.tensors[size_t(std::ranges::count_if(
      before, [](const RowOperand &o) { return o.extent != Extent::Number; }))];
}
Num Row::argument(size_t operand) const {
  auto before = kernel.operands.first(operand);
  return given.numbers[size_t(std::ranges::count_if(
      before, [](const RowOperand &o) { return o.extent == Extent::Number; }))];
}

/// For the vectors of a thread, in bytes.
int64_t Row::alignment(size_t operand) const {
  int64_t bytes = plan.width * elementOf(c, kernel.operands[operand].holds).bits() / 8;
  return std::min<int64_t>(bytes, RowPlan::vectorBytes);
}

/// An address is a multiple if this and that of the next row are: the two give the stride as well.
Num Row::aligned() const {
  Num odd = wide(given.columns % plan.width);
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    std::vector<Coord> starts;
    switch (kernel.operands[i].extent) {
    case Extent::Matrix:
    case Extent::Tokens: starts = {make_coord(0, _), make_coord(1, _)}; break;
    case Extent::Heads:
      starts = {make_coord(0, 0, _), make_coord(1, 0, _), make_coord(0, 1, _)};
      break;
    case Extent::OfColumn: starts = {make_coord(_)}; break;
    case Extent::OfRow:
    case Extent::Number: break;
    }
    for (const Coord &start : starts)
      odd = odd | (address(get_iter(tensor(i).at(start))) & i64(alignment(i) - 1));
  }
  return odd == i64(0);
}

Num Row::columns() const {
  return c.segment ? min(i32(c.segment), given.columns - inner * c.segment) : given.columns;
}
int Row::firstOf(size_t vector) const { return int(vector) * plan.threadsOfRow() * width; }
Num Row::firstOfThread() const {
  Num first = (ofRow * width).promised(width);
  return from ? (from + first).promised(width) : first;
}
Num Row::first(size_t vector) const { return firstOfThread() + firstOf(vector); }
Num Row::indices(size_t vector) const {
  if (width == 1)
    return first(vector);
  llvm::SmallVector<int32_t> each;
  for (int32_t i = 0; i < width; ++i)
    each.push_back(i);
  return broadcast(first(vector), width) + vector_of(each);
}
/// Where vectors are read all columns of one are in the row, or none.
Num Row::inside(size_t vector) const { return first(vector) < columns(); }

Pointer Row::start(size_t operand, bool upper) const {
  Extent extent = kernel.operands[operand].extent;
  Tensor whole = tensor(operand);
  Pointer at = get_iter(extent == Extent::OfColumn ? whole
                        : extent == Extent::Heads  ? whole(outer, inner, _)
                                                   : whole(outer, _));
  if (upper)
    at = offset(at, given.columns);
  if (c.segment && extent == Extent::Matrix)
    at = offset(at, inner * c.segment);
  return at;
}

//===--- loads and stores ---------------------------------------------------------------------===//

/// Vectors are all loaded, those beyond the row from its beginning: none waits for a branch. Single
/// numbers have a branch each instead of an address each, which would take the registers.
Part Row::load(size_t operand, std::optional<double> beyond, bool upper) const {
  Pointer begin = start(operand, upper);
  if (width > 1)
    begin = aligned_ptr(begin, alignment(operand));
  Part part;
  for (size_t i = 0; i < count(); ++i) {
    Num isInside = inside(i);
    if (width > 1) {
      Num at = select(isInside, first(i), i32(0)).promised(width);
      Num value = convert(load_vec(make_tensor(offset(begin, at), make_layout(width))), f32);
      part.push_back(beyond ? select(isInside, value, splat(*beyond, value)) : value);
      continue;
    }
    Tensor held = make_rmem_tensor(f32, make_layout(1));
    dsl::store(f32(beyond.value_or(0)), held, 0);
    If(isInside, [&] {
      Tensor one = make_tensor(offset(offset(begin, firstOfThread()), firstOf(i)), make_layout(1));
      dsl::store(convert(dsl::load(one, 0), f32), held, 0);
    });
    part.push_back(dsl::load(held, 0));
  }
  return part;
}
Num Row::vectorAt(size_t operand, Num column) const {
  Pointer begin = aligned_ptr(start(operand, false), alignment(operand));
  return load_vec(make_tensor(offset(begin, column.promised(width)), make_layout(width)));
}
Num Row::columnOf(size_t vector) const { return select(inside(vector), first(vector), i32(0)); }
Part Row::ahead(size_t operand) const {
  Part part;
  for (size_t i = 0; width > 1 && plan.warps() == 1 && i < count(); ++i)
    part.push_back(vectorAt(operand, columnOf(i)));
  return part;
}
Num Row::later(size_t operand, size_t vector, const Part &ahead) const {
  return !ahead.empty() ? convert(ahead[vector], f32)
         : width > 1    ? convert(vectorAt(operand, columnOf(vector)), f32)
                        : element(operand, columnOf(vector));
}
Part Row::product(size_t one, size_t other) const {
  Part part;
  for (size_t i = 0; i < count(); ++i)
    part.push_back(later(one, i) * later(other, i));
  return within(part, 0);
}
Num Row::sample(size_t operand) const {
  Num sum = f32(0);
  if (width > 1)
    sum = reduce(convert(vectorAt(operand, i32(0)), f32), sumOf);
  for (int i = 0; width == 1 && i < plan.width; ++i)
    sum = sum + element(operand, min(i32(i), columns() - 1));
  return sum * f32(1.0 / plan.width);
}
void Row::store(const Part &part, size_t operand, bool upper) const {
  store([&](size_t i) { return part[i]; }, operand, upper);
}
void Row::store(const std::function<Num(size_t)> &part, size_t operand, bool upper) const {
  Element element = elementOf(c, kernel.operands[operand].holds);
  Pointer to = start(operand, upper);
  if (width > 1)
    to = aligned_ptr(to, alignment(operand));
  for (size_t i = 0; i < count(); ++i)
    If(inside(i) & there, [&] {
      Pointer at = offset(offset(to, firstOfThread()), firstOf(i));
      Tensor vector = make_tensor(at, make_layout(width));
      Num value = convert(part(i), element);
      width > 1 ? store_vec(value, vector) : dsl::store(value, vector, 0);
    });
}
Part Row::within(const Part &part, double beyond) const {
  Part result;
  for (size_t i = 0; i < part.size(); ++i)
    result.push_back(select(inside(i), part[i], splat(beyond, part[i])));
  return result;
}

Num Row::element(size_t operand, Num column) const {
  Tensor one = make_tensor(offset(start(operand, false), column), make_layout(1));
  return convert(dsl::load(one, 0), f32);
}
Num Row::number(size_t operand) const {
  Tensor numbers = tensor(operand);
  return c.segment ? dsl::load(numbers, make_coord(outer, inner)) : dsl::load(numbers, row);
}
Num Row::leads() const { return (ofRow == 0) & there; }
void Row::storeNumber(Num number, size_t operand) const {
  If(leads(), [&] {
    Coord at = c.segment ? make_coord(outer, inner) : Coord(row);
    dsl::store(number, tensor(operand), at);
  });
}

//===--- exchanges ----------------------------------------------------------------------------===//

std::vector<Pointer> Row::exchange(size_t numbers) {
  std::vector<Pointer> places;
  for (size_t i = 0; i < numbers; ++i)
    places.push_back(offset(memory.pointer(slots, f32), exchanged++ * exchangeWords));
  return places;
}
/// In a warp, then in a block, of which each warp combines what all have, then in a cluster. Each
/// number has words of its own, so that one barrier is enough.
Numbers Row::all(Numbers mine, const std::vector<double> &none, const CombineAll &f) {
  auto combine = [&](int lanes) {
    for (lanes /= 2; lanes > 0; lanes /= 2) {
      Numbers other;
      for (const Num &number : mine)
        other.push_back(shfl_xor(number, lanes));
      mine = f(mine, other);
    }
  };
  combine(plan.lanes());
  if (plan.warps() == 1 && plan.cluster == 1)
    return mine;
  constexpr int lanes = atom::Threads::ofWarp;
  const std::vector<Pointer> places = exchange(mine.size());
  auto put = [&](int at, Num where) {
    for (size_t i = 0; i < mine.size(); ++i)
      dsl::store(mine[i], make_tensor(offset(places[i], at), make_layout(lanes)), where);
  };
  If(thread % lanes == 0, [&] { put(0, thread / lanes); });
  sync_threads();
  // Lanes beyond so many have what the first ones have.
  const int across = int(std::bit_ceil(unsigned(plan.warps())));
  Num lane = thread % across;
  for (size_t i = 0; i < mine.size(); ++i) {
    Num there = dsl::load(make_tensor(places[i], make_layout(lanes)), min(lane, plan.warps() - 1));
    mine[i] = select(lane < plan.warps(), there, f32(none[i]));
  }
  combine(across);
  if (plan.cluster == 1)
    return mine;
  If(thread == 0, [&] { put(lanes, i32(0)); });
  cluster_sync();
  Numbers all;
  for (int block = 0; block < plan.cluster; ++block) {
    Numbers one;
    for (const Pointer &place : places)
      one.push_back(
          dsl::load(make_tensor(map_to_rank(offset(place, lanes), block), make_layout(1)), 0));
    all = block ? f(all, one) : one;
  }
  return all;
}
/// As above, but each thread combines what the warps have, as vectors.
Numbers Row::all(Numbers mine, const Combine &f) {
  for (Num &number : mine)
    for (int lanes = plan.lanes() / 2; lanes > 0; lanes /= 2)
      number = f(number, shfl_xor(number, lanes));
  if (plan.warps() == 1 && plan.cluster == 1)
    return mine;
  constexpr int lanes = atom::Threads::ofWarp;
  const std::vector<Pointer> places = exchange(mine.size());
  auto ofWarps = [&](size_t i) { return make_tensor(places[i], make_layout(plan.warps())); };
  If(thread % lanes == 0, [&] {
    for (size_t i = 0; i < mine.size(); ++i)
      dsl::store(mine[i], ofWarps(i), thread / lanes);
  });
  sync_threads();
  for (size_t i = 0; i < mine.size(); ++i)
    mine[i] = plan.warps() > 1 ? reduce(load_vec(ofWarps(i)), f) : dsl::load(ofWarps(i), 0);
  if (plan.cluster == 1)
    return mine;
  auto ofBlock = [&](size_t i) { return offset(places[i], lanes); };
  If(thread == 0, [&] {
    for (size_t i = 0; i < mine.size(); ++i)
      dsl::store(mine[i], make_tensor(ofBlock(i), make_layout(1)), 0);
  });
  cluster_sync();
  for (size_t i = 0; i < mine.size(); ++i)
    for (int block = 0; block < plan.cluster; ++block) {
      Num one = dsl::load(make_tensor(map_to_rank(ofBlock(i), block), make_layout(1)), 0);
      mine[i] = block ? f(mine[i], one) : one;
    }
  return mine;
}
Num Row::all(Num mine, const Combine &f) { return all(Numbers{mine}, f).front(); }
Num Row::sum(const Part &part) { return all(total(part, sumOf), sumOf); }
std::vector<Num> Row::sums(const std::vector<Part> &parts) {
  std::vector<Num> mine;
  for (const Part &part : parts)
    mine.push_back(total(part, sumOf));
  return all(mine, sumOf);
}
Num Row::most(const Part &part) {
  auto larger = [](Num x, Num y) { return max(x, y); };
  return all(total(part, larger), larger);
}
