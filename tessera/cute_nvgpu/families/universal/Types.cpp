// Atoms of a single thread: widths and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
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
      std::optional<cute::AddressSpace> known = atom::parseKeyword<atom::AddressSpace>(space);
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
    printer << ", src_space = " << atom::name(*source);
  if (destination)
    printer << ", dst_space = " << atom::name(*destination);
}

ParseResult tessera::cute_nvgpu::parseAccess(AsmParser &parser, atom::AccessOptions &access) {
  access = {};
  StringRef key, word;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&key))) {
    ArrayRef<atom::AccessKey> keys(atom::accessKeys().data(), atom::accessKeys().size());
    const atom::AccessKey *known =
        llvm::find_if(keys, [&](const atom::AccessKey &k) { return StringRef(k.name) == key; });
    if (known == keys.end())
      return parser.emitError(loc,
                              "expects an option of loads and stores such as mem_order, but got '")
             << key << "'";
    if (parser.parseEqual())
      return failure();
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    auto at = llvm::find(known->words, std::string_view(word));
    if (at == known->words.end()) {
      InFlightDiagnostic wrong = parser.emitError(loc, "expects one of ");
      llvm::interleaveComma(known->words, wrong);
      return wrong << ", but got '" << word << "'";
    }
    access.choice[size_t(known - keys.begin())] = uint8_t(at - known->words.begin());
    loc = parser.getCurrentLocation();
  }
  return success();
}
void tessera::cute_nvgpu::printAccess(AsmPrinter &printer, const atom::AccessOptions &access) {
  for (auto [key, choice] : llvm::zip(atom::accessKeys(), access.choice))
    if (choice)
      printer << ' ' << key.name << " = " << key.words[choice];
}

LogicalResult tessera::cute_nvgpu::verifyAccess(Emitter emitError, const CopyForm &form) {
  using cute::AddressSpace;
  bool loads = form.dstSpace == AddressSpace::Rmem;
  bool global = form.srcSpace == AddressSpace::Gmem || form.dstSpace == AddressSpace::Gmem;
  const bool has[] = {
      true, true,           loads && global, global, loads && global, !loads && global,
      true, loads && global};
  for (auto [key, choice, allowed] : llvm::zip(atom::accessKeys(), form.access.choice, has))
    if (choice && !allowed)
      return emitError() << sentence(Diag::AccessOption, StringRef(key.name),
                                     StringRef(key.words[choice]));
  StringRef order = atom::accessKeys()[atom::MemOrder].words[form.access.choice[atom::MemOrder]];
  if (order == "acq_rel" || order == (loads ? "release" : "acquire") ||
      (!loads && order == "constant"))
    return emitError() << sentence(
               Diag::AccessOrder,
               StringRef(loads ? "a load, such as acquire" : "a store, such as release"), order);
  return success();
}
