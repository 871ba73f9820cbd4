// Writes reports for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Sentences.h"

#include "tessera/base/Demangled.h"
#include "tessera/base/Result.h"
#include "tessera/base/ShortName.h"

namespace tessera::sim_reports {

std::string sentenceOf(const sim::Report &report) {
  const sim::Party &party = report.party;
  const ptx_text::CodePlace &place = party.place;
  const std::string kernel = cat("kernel '", shortName(demangled(report.kernel)), "'");
  if (party.thread.empty()) // belongs to no thread, such as a time limit
    return report.text;
  const std::string line = cat("PTX line ", place.line);
  std::string out = cat(place.places.empty() ? line : place.places[0].str(), ": thread ",
                        party.thread, " of block ", party.block, ", ", kernel, ": ", report.what);
  for (size_t i = 1; i < place.places.size(); ++i)
    out += cat("\n  from ", place.places[i].str());
  return place.line ? cat(out, "\n  ", line, ": ", place.text) : out;
}

} // namespace tessera::sim_reports
