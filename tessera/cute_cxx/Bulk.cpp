// Copies in bulk as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Bulk.h"

#include "tessera/cute_cxx/Node.h"
#include "tessera/dsl/Bulk.h"

using namespace tessera;

namespace tessera::cute {

static std::string_view memoryOf(const Tensor &t) { return dsl::start_of(tensorOf(t)).space; }

/// What two layouts of one shape have in common, of which only some strides are known: extents
/// whose steps are those of a run of neighbours, as a layout of coordinates.
static Layout<> commonRun(const Layout<> &a, const Layout<> &b, Place at) {
  const layout::Layout first = layoutOf(a).get().outer(), second = layoutOf(b).get().outer();
  std::vector<layout::Leaf> extents = first.shape.leaves(), steps = first.stride.leaves(),
                            otherExtents = second.shape.leaves(), others = second.stride.leaves();
  bool isOfOneShape = extents.size() == otherExtents.size();
  for (size_t i = 0; isOfOneShape && i < extents.size(); ++i)
    isOfOneShape = extents[i].value.isStatic() && otherExtents[i].value.isStatic() &&
                   extents[i].value.value == otherExtents[i].value.value;
  std::vector<IntTuple> run, coords;
  int64_t reach = 1;
  for (bool grows = isOfOneShape; grows;) {
    grows = false;
    int64_t before = 1;
    for (size_t i = 0; i < extents.size(); before *= extents[i].value.value, ++i)
      if (!extents[i].is(1) && steps[i].is(reach) && others[i].is(reach)) {
        run.emplace_back(extents[i].value.value);
        coords.emplace_back(before);
        reach *= extents[i].value.value;
        grows = true;
      }
  }
  return run.empty() ? make_layout(1, 0, at)
                     : make_layout(IntTuple::of(run, at), IntTuple::of(coords, at), at);
}

/// CUTLASS include/cute/algorithm/copy.hpp: what both layouts have in common is one piece.
void copy(const BulkCopy &bulk, const Tensor &from, const Tensor &to, Place at) {
  constexpr const char *call = "copy";
  if (!areAlike(call, from, to, at))
    return;
  bool loads = bulk.kind == detail::BulkKind::ToShared ||
               (bulk.kind == detail::BulkKind::Auto && memoryOf(from) == "gmem");
  std::string_view wanted[] = {loads ? "gmem" : "smem", loads ? "smem" : "gmem"};
  if (memoryOf(from) != wanted[0] || memoryOf(to) != wanted[1])
    return mistake(call,
                   cat("expects a copy in bulk from gmem to smem or from smem to gmem, but got one "
                       "from ",
                       memoryOf(from), " to ", memoryOf(to)),
                   at);
  if (loads && !bulk.barrier.is_set())
    return mistake(call,
                   "expects a barrier that counts the bytes of a copy in bulk to shared memory: "
                   "copy(bulk.with(barrier), ...)",
                   at);
  Layout<> source = from.layout(at), destination = to.layout(at);
  Layout<> piece = source.is_static() && destination.is_static()
                       ? max_common_layout(source, destination, at)
                       : commonRun(source, destination, at);
  if (piece.is_poisoned() || bulk.barrier.is_poisoned())
    return;
  int64_t bits = int64_t(size(piece, at)) * elementBits(from.format());
  constexpr int64_t unit = 128, most = int64_t(1) << 23;
  if (bits % unit || bits > most)
    return mistake(call,
                   cat("expects neighbours in both tensors of a multiple of 16 bytes up to ",
                       most / 8, ", but got ", int64_t(size(piece, at)), " of ",
                       number::ourName(from.format()), " in ", source.str(), " and ",
                       destination.str()),
                   at);
  if (!dsl::start_of(tensorOf(loads ? to : from)).swizzle.isIdentity())
    return mistake(call,
                   "expects shared memory without a swizzle, as a copy in bulk keeps the order of "
                   "bytes; a TMA copy writes swizzled layouts",
                   at);
  auto inPieces = [&](const Tensor &t, const Layout<> &l) {
    return detail::with_layout(t, logical_divide(l, Tiler(piece, at), at), at);
  };
  Tensor fromPieces = inPieces(from, source), toPieces = inPieces(to, destination);
  for (int64_t i = 0, n = int64_t(size(from, at)) / int64_t(size(piece, at)); i < n; ++i) {
    auto start = [&](const Tensor &pieces) {
      return dsl::get_iter(tensorOf(pieces.slice(make_tuple(_, i), at)), at);
    };
    if (loads)
      dsl::bulk_load(start(fromPieces), start(toPieces), bits / 8, held<dsl::Barrier>(bulk.barrier),
                     at);
    else
      dsl::bulk_store(start(fromPieces), start(toPieces), bits / 8, at);
  }
}

} // namespace tessera::cute
