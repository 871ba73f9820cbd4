// Fuzzes the notation of layouts: any text is read or refused, and what was read prints as what
// reads the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/Tokens.h"
#include "tessera/layout/Text.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::layout;

TESSERA_FUZZ_TEXT()

namespace {
template <class Parse> void roundTrip(std::string_view text, Parse &&parse) {
  auto read = parse(text);
  if (!read)
    return;
  std::string printed = str(*read);
  auto again = parse(printed);
  if (again && str(*again) == printed)
    return;
  std::fprintf(stderr, "%s does not read back\n", printed.c_str());
  __builtin_trap();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (TreeKind kind : {TreeKind::IntTuple, TreeKind::Coord, TreeKind::Shape, TreeKind::Stride})
    roundTrip(text, [&](std::string_view t) { return parseTree(t, kind); });
  roundTrip(text, parseLayout);
  roundTrip(text, parseAnyLayout);
  roundTrip(text, parseTile);
  roundTrip(text, parseSwizzle);
  return 0;
}
