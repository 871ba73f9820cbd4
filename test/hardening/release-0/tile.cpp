// Divides a row-major matrix into tiles and prints where each tile starts: the layout algebra from
// C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/layout/Algebra.h>
#include <tessera/layout/Domains.h>
#include <tessera/layout/Text.h>

#include <cstdio>

using namespace tessera;
using namespace tessera::layout;

static Result<int> run(const char *matrix, const char *tile) {
  Const arith; // leaves are constants
  TESSERA_TRY(Layout whole, parseLayout(matrix));
  TESSERA_TRY(Tile tiler, parseTile(tile));
  TESSERA_TRY(AnyLayout tiles, divide(arith, AnyLayout(whole), tiler, Grouping::Zipped));
  std::printf("%s in tiles of %s: %s\n", matrix, tile, str(tiles).c_str());
  const Layout rest = (*tiles.affine())[1];
  for (int64_t i = 0; i < size(arith, rest).value; ++i) {
    TESSERA_TRY(Tree start, crd2idx(arith, Tree(i), rest));
    std::printf("tile %d starts at %s\n", int(i), str(start).c_str());
  }
  return 0;
}

int main() {
  for (const char *tile : {"[4:1;3:1]", "[5:2;4:1;2:1]"}) // the second one has a mode too many
    if (Result<int> done = run("(8,6):(6,1)", tile); !done)
      std::printf("%s: %s\n", done.reason().id.data(), done.reason().text.c_str());
}
