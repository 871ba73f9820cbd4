// Atoms of a single thread: widths and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/families/universal/Universal.h"

using namespace mlir;
using namespace tessera;

int64_t tessera::cute_nvgpu::universalBits(Type value, int64_t stated) {
  return stated ? stated : std::max<int64_t>(cute::bitsOf(value), 8);
}

ParseResult tessera::cute_nvgpu::parseUniversalCopyOptions(
    AsmParser &parser, int32_t &bits, std::optional<atom::EvictionPriority> &eviction,
    std::optional<cute::AddressSpace> &source, std::optional<cute::AddressSpace> &destination) {
  bits = 0;
  while (succeeded(parser.parseOptionalComma())) {
    OptionalParseResult width = parser.parseOptionalInteger(bits);
    if (width.has_value()) {
      if (failed(*width) || parser.parseKeyword("b"))
        return failure();
      continue;
    }
    StringRef key, space;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "src_space" || key == "dst_space") {
      loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&space))
        return failure();
      std::optional<cute::AddressSpace> known = cute::symbolizeAddressSpace(space);
      if (!known)
        return parser.emitError(loc, "expects a memory space such as gmem or smem, but got '")
               << space << "'";
      (key == "src_space" ? source : destination) = known;
      continue;
    }
    atom::EvictionPriority priority;
    if (key != "l1_cache_eviction_priority")
      return parser.emitError(loc, "expects an option of this atom, but got '") << key << "'";
    if (failed(parseCase(parser, priority)))
      return failure();
    eviction = priority;
  }
  return success();
}
void tessera::cute_nvgpu::printUniversalCopyOptions(AsmPrinter &printer, int32_t bits,
                                                    std::optional<atom::EvictionPriority> eviction,
                                                    std::optional<cute::AddressSpace> source,
                                                    std::optional<cute::AddressSpace> destination) {
  if (bits)
    printer << ", " << bits << " b";
  if (eviction)
    printer << ", l1_cache_eviction_priority=" << *eviction;
  if (source)
    printer << ", src_space = " << cute::stringifyAddressSpace(*source);
  if (destination)
    printer << ", dst_space = " << cute::stringifyAddressSpace(*destination);
}
