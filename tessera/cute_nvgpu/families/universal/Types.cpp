// Atoms of a single thread: widths and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/families/universal/Universal.h"

using namespace mlir;
using namespace tessera;

int64_t tessera::cute_nvgpu::universalBits(Type value, int64_t stated) {
  return stated ? stated : std::max<int64_t>(cute::bitsOf(value), 8);
}

ParseResult
tessera::cute_nvgpu::parseUniversalCopyOptions(AsmParser &parser, int32_t &bits,
                                               std::optional<atom::EvictionPriority> &eviction) {
  bits = 0;
  while (succeeded(parser.parseOptionalComma())) {
    OptionalParseResult width = parser.parseOptionalInteger(bits);
    if (width.has_value()) {
      if (failed(*width) || parser.parseKeyword("b"))
        return failure();
      continue;
    }
    atom::EvictionPriority priority;
    if (parser.parseKeyword("l1_cache_eviction_priority") || parser.parseEqual() ||
        failed(parseCase(parser, priority)))
      return failure();
    eviction = priority;
  }
  return success();
}
void tessera::cute_nvgpu::printUniversalCopyOptions(
    AsmPrinter &printer, int32_t bits, std::optional<atom::EvictionPriority> eviction) {
  if (bits)
    printer << ", " << bits << " b";
  if (eviction)
    printer << ", l1_cache_eviction_priority=" << *eviction;
}
