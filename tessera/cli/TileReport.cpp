// Reports and remarks on tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/TileReport.h"

#include "tessera/base/Result.h"
#include "tessera/cli/Usage.h"
#include "tessera/layout/Text.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::cli;
using tile_lower::Decision;
using tile_lower::ExplainedTile;
using tile_lower::Explanation;

namespace {

std::string listText(std::string_view title, const std::vector<Decision> &decisions) {
  std::string out;
  for (const Decision &decision : decisions)
    out += cat("    ", decision.op, ": ", decision.way, "\n");
  return out.empty() ? out : cat("  ", title, "\n", out);
}

/// Tiles of one layout in one line.
std::string tilesText(const std::vector<ExplainedTile> &tiles) {
  std::string out;
  for (size_t i = 0; i < tiles.size(); ++i) {
    auto isSame = [&](const ExplainedTile &tile) {
      return tile.type == tiles[i].type && tile.layout == tiles[i].layout;
    };
    if (std::any_of(tiles.begin(), tiles.begin() + ptrdiff_t(i), isSame))
      continue;
    std::string names;
    for (size_t j = i; j < tiles.size(); ++j)
      if (isSame(tiles[j]))
        names += (names.empty() ? "" : " ") + tiles[j].name;
    out += cat("    ", tiles[i].type, ", ", tiles[i].registers, " of a thread, ",
               layout::str(tiles[i].layout), ": ", names, "\n");
  }
  return out.empty() ? out
                     : cat("  tiles, (thread, register) -> element, down the rows first\n", out);
}

/// A text in YAML between single quotes.
std::string yamlText(std::string_view text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}
std::string remark(bool isPassed, std::string_view name, const std::string &kernel,
                   const std::string &text) {
  return cat("--- ", isPassed ? "!Passed" : "!Missed",
             "\nPass:            tessera-lower-tiles\nName:            ", name,
             "\nFunction:        ", yamlText(kernel),
             "\nArgs:\n  - String:          ", yamlText(text), "\n...\n");
}

} // namespace

std::string tessera::cli::reportText(std::span<const Explanation> kernels,
                                     std::span<const ptx::PtxasReport> reports,
                                     const std::string &arch) {
  std::string out;
  for (const Explanation &kernel : kernels) {
    out += cat("kernel ", kernel.kernel, " for ", arch, ": level ", kernel.level, ", ",
               kernel.threads, " threads, ", kernel.sharedBytes, " bytes of shared memory");
    if (kernel.localBytes)
      out += cat(", ", kernel.localBytes, " bytes of local memory a thread");
    out += "\n";
    if (!kernel.whyNotPlanned.empty())
      out += cat("  level 1 cannot compile it: ", kernel.whyNotPlanned, "\n");
    for (const ptx::PtxasReport &report : reports)
      if (report.function == kernel.kernel)
        out +=
            cat("  ptxas: ", usageOf(report, {.threads = kernel.threads, .dynamicShared = 0}, arch),
                "\n");
    out += listText("products", kernel.products) + listText("accesses", kernel.accesses) +
           listText("loops", kernel.loops) + listText("hints", kernel.hints) +
           tilesText(kernel.tiles);
  }
  return out;
}

std::string tessera::cli::remarksText(std::span<const Explanation> kernels) {
  std::string out;
  for (const Explanation &kernel : kernels) {
    out += kernel.level
               ? remark(true, "Level1", kernel.kernel, "compiled with layouts of its own")
               : remark(false, "Level0", kernel.kernel,
                        cat("compiled as -O0 does", kernel.whyNotPlanned.empty() ? "" : ": ",
                            kernel.whyNotPlanned));
    for (const Decision &product : kernel.products)
      out += remark(!product.way.starts_with("fused"), "Product", kernel.kernel,
                    cat(product.op, ": ", product.way));
    for (const Decision &hint : kernel.hints)
      out += remark(!hint.way.starts_with("not "), "Hint", kernel.kernel,
                    cat(hint.op, ": ", hint.way));
    for (const Decision &access : kernel.accesses)
      out +=
          remark(false, "Access", kernel.kernel, cat("without TMA: ", access.op, ": ", access.way));
  }
  return out;
}
