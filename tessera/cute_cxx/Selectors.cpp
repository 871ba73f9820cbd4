// The names of products of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Selectors.h"

#include "tessera/cute_cxx/Node.h"

using namespace tessera;

namespace tessera::cute {

/// CUTLASS include/cute/arch/mma_sm90.hpp.
MMAAtom detail::group_atom(const char *call, const GroupProduct &p, const IntTuple &tile,
                           Place at) {
  auto refused = [&](const std::string &why) {
    mistake(call, why, at);
    return made<MMAAtom>(dsl::Atom(mlir::Value()));
  };
  if (tile.is_poisoned())
    return made<MMAAtom>(dsl::Atom(mlir::Value()));
  if (!tile.is_static() || tile.rank() != 3)
    return refused(cat("expects a tile (M,N,K) that C++ knows, but got ", tile.str()));
  int64_t extents[3];
  for (int i = 0; i < 3; ++i)
    extents[i] = int64_t(size(tile.mode(i, at), at));
  auto [m, n, k] = extents;
  int bits = number::storedBits(p.a);
  int64_t ofK = bits ? 256 / bits : 1; // 32 bytes
  if (m % 64 || k % ofK || n % 8)
    return refused(cat("expects a tile of multiples of (64,8,", ofK, "), but got ", tile.str()));
  if (bits != 16 && (p.majorA != GMMA::Major::K || p.majorB != GMMA::Major::K))
    return refused("expects A and B with K contiguous, as only elements of 16 bits leave a choice");
  int64_t columns = 8;
  for (int64_t of : {16, 32, 64, 96, 128, 192, 256})
    if (n % of == 0)
      columns = of;
  auto name = [](Format f) { return number::row(f).cute; };
  std::string text = cat("SM90_64x", columns, "x", ofK, "_", name(p.c), name(p.a), name(p.b), "_",
                         p.fromRegisters ? "RS" : "SS", bits == 16 ? "" : "_TN");
  return mma_atom(text.c_str(), p.majorA, p.majorB, at);
}

} // namespace tessera::cute
