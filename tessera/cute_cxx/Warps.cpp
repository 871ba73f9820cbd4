// Products of a warp with registers of metadata and of scale factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Warps.h"

#include "tessera/cute_cxx/Node.h"
#include "tessera/dsl/WarpFields.h"

using namespace tessera;

namespace tessera::cute {

MMAAtom detail::warp_atom(const WarpProduct &p, Place at) {
  auto name = [](Format f) { return number::ptxName(f); };
  std::string text = cat(p.name, "<", name(p.a), ",", name(p.b), ",", name(p.c));
  if (p.factor != Format::none) // of 16 elements, a float without a sign
    text += cat(",", name(p.factor == Format::e4m3 ? Format::ue4m3 : p.factor), ",", p.vector);
  text += ">";
  return mma_atom(text.c_str(), GMMA::Major::K, GMMA::Major::K, at);
}
TiledMMA with_metadata(const TiledMMA &mma, const Num &e, Place at) {
  return made<TiledMMA>(dsl::with_metadata(held<dsl::TiledMma>(mma), number(e, at), at));
}
TiledMMA with_factors(const TiledMMA &mma, const Num &ofA, const Num &ofB, Place at) {
  return made<TiledMMA>(
      dsl::with_factors(held<dsl::TiledMma>(mma), number(ofA, at), number(ofB, at), at));
}

} // namespace tessera::cute
