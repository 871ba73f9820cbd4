// Fuzzes the count of depth, and the text that a terminal gets, which has no control characters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Nesting.h"
#include "tessera/base/Printable.h"

#include <cstdint>
#include <cstdlib>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  std::optional<TooDeep> last;
  for (size_t most : {0, 1, 3, 16}) {
    std::optional<TooDeep> found = findTooDeep(text, most);
    // What is too deep for a limit is too deep for a lower one, and not earlier in the text.
    if (found && most &&
        (!last || found->line < last->line ||
         (found->line == last->line && found->column < last->column)))
      std::abort();
    if (found && (found->line > size + 1 || found->column > size))
      std::abort();
    last = found;
    if (isJsonTooDeep(text, most + 1) && !isJsonTooDeep(text, most))
      std::abort();
  }
  std::string shown = printable(text);
  for (size_t i = 0; i < shown.size(); ++i) {
    auto byte = static_cast<unsigned char>(shown[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
      std::abort();
    if (byte == 0xc2 && i + 1 < shown.size() && static_cast<unsigned char>(shown[i + 1]) < 0xa0)
      std::abort();
  }
  if (printable(shown) != shown)
    std::abort();
  return 0;
}
