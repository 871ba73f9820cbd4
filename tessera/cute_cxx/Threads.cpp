// Threads: which one this is, and numbers and meetings of those of a warp or a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Macros.h"
#include "tessera/cute_cxx/Whole.h"

using namespace tessera;

namespace tessera::cute {

Num block_rank_in_cluster(Place at) { return num(dsl::block_rank_in_cluster(at)); }
static dsl::Num threadsBy(int count, Place at) {
  return dsl::Operand(dsl::thread_idx(0, at), at) / dsl::Operand(count, at);
}
Num canonical_warp_idx_sync(Place at) { return num(dsl::warp_uniform(threadsBy(32, at), at)); }
Num canonical_warp_group_idx(Place at) { return num(dsl::warp_uniform(threadsBy(128, at), at)); }
Num canonical_warp_idx(Place at) { return num(threadsBy(32, at)); }
Num canonical_lane_idx(Place at) {
  return num(dsl::Operand(dsl::thread_idx(0, at), at) % dsl::Operand(32, at));
}
Num elect_one_sync(Place at) { return num(dsl::elect_one(at)); }
/// Whether a place in a space is number `n`, counted along x first.
static Num isNumber(const SpecialRegisters &place, const SpecialRegisters &extents, int n,
                    Place at) {
  auto is = [&](const SpecialRegister &r, int want) {
    return Operand(Operand(r, at) == Operand(want, at), at);
  };
  if (n == 0)
    return Operand(is(place.x, 0) & is(place.y, 0), at) & is(place.z, 0);
  Operand rows(Operand(place.z, at) * Operand(extents.y, at), at);
  Operand row(rows + Operand(place.y, at), at);
  Operand before(row * Operand(extents.x, at), at);
  return Operand(before + Operand(place.x, at), at) == Operand(n, at);
}
Num block(int block, Place at) { return isNumber(blockIdx, gridDim, block, at); }
Num thread(int thread, int block, Place at) {
  return Operand(isNumber(threadIdx, blockDim, thread, at), at) &
         Operand(cute::block(block, at), at);
}
Num thread0(Place at) { return thread(0, 0, at); }
Num block0(Place at) { return block(0, at); }
static Num shuffled(dsl::Shuffle kind, const Num &x, const Num &lanes, Place at) {
  dsl::Num whole = typed(x, at);
  std::optional<dsl::Element> element = dsl::element_of(whole);
  if (!element)
    return num(dsl::shfl(kind, whole, number(lanes, at), at));
  int bits = elementBits(element->format());
  auto shuffle32 = [&](const Num &n) {
    return num(dsl::shfl(kind, number(n, at), number(lanes, at), at));
  };
  // The instruction moves 32 bits, of floats too.
  if (element->format() == Format::s32 || element->format() == Format::f32)
    return shuffle32(num(whole));
  if (element->format() == Format::b1)
    return Operand(shuffle32(detail::convert(x, Format::s32, at)), at) != Operand(0, at);
  if (bits < 8) // as numbers of 32 bits, which have them all
    return detail::convert(
        shuffle32(detail::convert(x, element->isFloat() ? Format::f32 : Format::s32, at)),
        element->format(), at);
  Format own = bits == 8    ? Format::s8
               : bits == 16 ? Format::s16
               : bits == 32 ? Format::s32
                            : Format::s64;
  Num n = detail::bit_cast(num(whole), own, at);
  if (bits <= 32)
    n = detail::convert(shuffle32(detail::convert(n, Format::s32, at)), own, at);
  else {
    Num low = shuffle32(detail::convert(n, Format::s32, at)),
        high = shuffle32(detail::convert(Operand(n, at) >> Operand(32, at), Format::s32, at));
    constexpr int64_t lower = 0xffffffff;
    n = (Operand(detail::convert(high, own, at), at) << Operand(32, at)) |
        (Operand(detail::convert(low, own, at), at) & Operand(lower, at));
  }
  return detail::bit_cast(n, element->format(), at);
}
Num shfl_sync(const Num &x, const Num &lane, Place at) {
  return shuffled(dsl::Shuffle::Index, x, lane, at);
}
Num shfl_up_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Up, x, lanes, at);
}
Num shfl_down_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Down, x, lanes, at);
}
Num shfl_xor_sync(const Num &x, const Num &lanes, Place at) {
  return shuffled(dsl::Shuffle::Xor, x, lanes, at);
}
// NOLINTBEGIN(bugprone-reserved-identifier)
#define TESSERA_SHUFFLE(NAME)                                                                      \
  Num __##NAME(uint32_t mask, const Num &x, const Num &lanes, Place at) {                          \
    constexpr uint32_t all = 0xffffffff;                                                           \
    if (mask != all)                                                                               \
      mistake("__" #NAME, "expects the mask 0xffffffff: all lanes of the warp take part", at);     \
    return NAME(x, lanes, at);                                                                     \
  }
TESSERA_SHUFFLE(shfl_sync)
TESSERA_SHUFFLE(shfl_up_sync)
TESSERA_SHUFFLE(shfl_down_sync)
TESSERA_SHUFFLE(shfl_xor_sync)
#undef TESSERA_SHUFFLE
void __syncthreads(Place at) { dsl::sync_threads(at); }
void __syncwarp(Place at) { dsl::sync_warp(at); }
// NOLINTEND(bugprone-reserved-identifier)

} // namespace tessera::cute
