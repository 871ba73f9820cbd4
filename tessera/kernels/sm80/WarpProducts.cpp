// Which mma.sync, and which registers it takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/WarpProducts.h"

#include "tessera/atom/Instructions.h"

#include <algorithm>
#include <cctype>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

/// As names of atoms have it: "F16", "TF32", "E4M3", "S8".
static std::string nameOf(Element element) {
  std::string name(element == i8         ? "s8"
                   : element == f8E4M3FN ? "e4m3"
                   : element == f8E5M2   ? "e5m2"
                                         : number::ourName(element.format()));
  std::ranges::transform(name, name.begin(), [](char c) { return char(std::toupper(c)); });
  return name;
}

WarpProducts::WarpProducts(const atom::Target &target, Element a, Element b, int blocksM,
                           int blocksN)
    : a(a), b(b), sum(a.isFloat() ? f32 : i32), blocksM(blocksM), blocksN(blocksN), rows(16),
      kBytes(StagedTile::stepBytes) {
  const bool isTuring = !atom::hasInstruction(target, "cp.async.ca.shared.global");
  const bool isSmallFloat = a.isFloat() && a.bits() == 8;
  if (isTuring)
    rows = a.isFloat() ? 16 : 8, kBytes = StagedTile::stepBytes / 2;
  const std::string_view ofSum = sum == i32 ? "S32" : "F32";
  atom =
      cat("SM",
          isTuring       ? 75
          : isSmallFloat ? 89
                         : 80,
          "_", rows, "x8x", kBytes * 8 / a.bits(), "_", ofSum, nameOf(a), nameOf(b), ofSum, "_TN");
}

Tensor WarpProducts::zeros() const {
  Tensor sums = make_rmem_tensor(sum, make_layout(make_shape(sumsOfLane, blocksM, blocksN)));
  store_vec(broadcast(sum == i32 ? i32(0) : f32(0.0), sumsOfLane * blocksM * blocksN), sums);
  return sums;
}

/// Registers of A are rows 0 to 7 and 8 to 15, then those 16 bytes of K further; of B K and K 16
/// bytes further; of sums rows 0 to 7 and 8 to 15, two each. Smaller instructions take some of
/// them.
void WarpProducts::add(Tensor fragmentA, Tensor fragmentB, Tensor sums) const {
  Atom mma = make_mma_atom(atom);
  const int halfK = StagedTile::stepBytes / 2, registerBits = 32;
  const int registersA = rows / 8 * (kBytes / halfK), registersB = kBytes / halfK;
  const int inRegisterA = registerBits / a.bits(), inRegisterB = registerBits / b.bits();
  Pointer allA = recast_ptr(get_iter(fragmentA), a, 4),
          allB = recast_ptr(get_iter(fragmentB), b, 4);
  auto part = [](Pointer from, int first, int count) {
    return make_tensor(offset(from, first), make_layout(count));
  };
  for (int k = 0; k < StagedTile::stepBytes / kBytes; ++k)
    for (int m = 0; m < blocksM; ++m)
      for (int n = 0; n < blocksN; ++n)
        for (int r = 0; r < 16 / rows; ++r) {
          Tensor ofA = part(allA, (4 * m + 2 * k + r) * inRegisterA, registersA * inRegisterA),
                 ofB = part(allB, (2 * n + k) * inRegisterB, registersB * inRegisterB);
          Tensor d = part(get_iter(sums), sumsOfLane * (m + blocksM * n) + 2 * r, rows / 8 * 2);
          gemm_with(mma, d, ofA, ofB, d);
        }
}
