// Puts instructions and reports at lines, and reads the sources that `.loc` names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CoverageLines.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::cli;
using sim_reports::LaunchRecord;
using sim_reports::NamedReport;

namespace {

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    out.emplace_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Reads a source; its name is as the compiler was given it, so relative to where that ran, or,
/// failing this, beside the file that is run. Only what is a plain file of a source's size.
void readSource(CoveredFile &file, const std::string &beside) {
  constexpr uint64_t most = 16 << 20;
  llvm::SmallString<128> other(llvm::sys::path::parent_path(beside));
  llvm::sys::path::append(other, file.name);
  file.missing = "there is no such file";
  for (const std::string &path : {file.name, other.str().str()}) {
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status(path, status))
      continue;
    if (status.type() != llvm::sys::fs::file_type::regular_file || status.getSize() > most) {
      file.missing = "it is not a plain file of at most 16 MiB";
      continue;
    }
    auto read = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
    if (!read) {
      file.missing = read.getError().message();
      continue;
    }
    file.missing.clear();
    file.text = linesOf((*read)->getBuffer());
    return;
  }
}

void say(std::vector<Said> &to, const sim::Report &report) {
  const int earlier = report.earlier ? report.earlier->place.line : 0;
  for (Said &one : to)
    if (one.rule == report.rule && one.earlier == earlier) {
      ++one.times;
      return;
    }
  to.push_back({std::string(report.rule), report.text, earlier, 1});
}

} // namespace

KernelLines::KernelLines(const sim::KernelCoverage &kernel, const SimResults &of, size_t index)
    : kernel(kernel), id(cat("k", index)), places(*kernel.text) {
  ptx.name = of.isPtx ? of.file : "PTX";
  ptx.anchor = cat(id, "-p");
  ptx.text = linesOf(*kernel.text);
  for (const auto &[ignored, i] : kernel.instructions) {
    all.instructions.push_back(&i);
    ptx.lines[i.line].instructions.push_back(&i);
    ptx_text::CodePlace place = places.of(i.line);
    if (place.places.empty())
      continue;
    const ptx_text::SourcePlace &at = place.places[0];
    auto file = std::find_if(sources.begin(), sources.end(),
                             [&](const CoveredFile &f) { return f.name == at.file; });
    if (file == sources.end()) {
      file = sources.insert(file,
                            CoveredFile{at.file, cat(id, "-s", sources.size(), "-"), "", {}, {}});
      readSource(*file, of.file);
    }
    file->lines[at.line].instructions.push_back(&i);
  }
  std::stable_sort(sources.begin(), sources.end(), [](const CoveredFile &a, const CoveredFile &b) {
    return a.lines.size() > b.lines.size();
  });
  for (const LaunchRecord &launch : of.launches)
    if (launch.kernel == kernel.name) {
      for (const NamedReport &report : launch.reports)
        add(report.report);
      if (launch.fault)
        add(launch.fault->report);
    }
}

void KernelLines::add(const sim::Report &report) {
  const ptx_text::CodePlace &place = report.party.place;
  if (place.line && places.of(place.line).text != place.text)
    return; // of a kernel with this name in another program
  ++reports;
  if (!place.line)
    return say(elsewhere, report);
  say(ptx.lines[place.line].said, report);
  for (CoveredFile &file : sources)
    if (!place.places.empty() && file.name == place.places[0].file)
      say(file.lines[place.places[0].line].said, report);
}
