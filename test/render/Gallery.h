// Gallery: the pictures of docs/pictures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/render/Draw.h"

namespace tessera::render::test {

struct Exhibit {
  std::string file; // "nested-layout"
  Picture picture;
};
/// All of them, or why one cannot be drawn.
Result<std::vector<Exhibit>> gallery();

} // namespace tessera::render::test
