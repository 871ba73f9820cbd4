// Writes coverage, divergence, bank conflicts and reports beside the lines that they belong to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CoveragePage.h"

#include "tessera/base/ShortName.h"
#include "tessera/cli/CoverageLines.h"
#include "tessera/sim_reports/Markup.h"

#include <algorithm>
#include <set>

using namespace tessera;
using namespace tessera::cli;
using sim::InstructionCoverage;
using sim_reports::markup;

namespace {

std::string content(std::string_view text) { return markup(text, true); }

/// "1,234,567".
std::string grouped(uint64_t value) {
  std::string out = cat(value);
  for (size_t at = out.size(); at > 3;)
    out.insert(at -= 3, ",");
  return out;
}

/// Rounded down, so that only all is 100 %.
std::string percent(uint64_t part, uint64_t whole) {
  return whole ? cat(part * 100 / whole, " %") : "";
}

std::string linkTo(const CoveredFile &file, int line, std::string_view shown) {
  return cat("<a href=\"#", file.anchorOf(line), "\">", content(shown), "</a>");
}

std::string plural(uint64_t count, std::string_view what) {
  return cat(grouped(count), " ", what, count == 1 ? "" : "s");
}

//===--- The page ----------------------------------------------------------------------------===//

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2937;--faded:#6b7280;--rule:#e2e5ea;
  --head:#f5f6f8;--hit:#3f8f5f;--miss:#c0504d;--part:#c08a2d;--missed:#fbeceb;--halved:#fcf5e6;
  --bad1:#fdf3dc;--bad2:#fae3bf;--bad3:#f6c9a8;--said:#f3ecfa;--link:#2458a6}
@media (prefers-color-scheme:dark){
:root{--paper:#16191d;--ink:#d5dae1;--faded:#8b94a1;--rule:#2c3239;--head:#1f242a;--hit:#58a878;
  --miss:#d9746f;--part:#cf9f4b;--missed:#37211f;--halved:#352c1a;--bad1:#332c1b;--bad2:#46351a;
  --bad3:#5c3a1f;--said:#2b2436;--link:#8ab4f8}
}
*{box-sizing:border-box}
body{margin:0 auto;max-width:110rem;padding:1rem 1.5rem 4rem;background:var(--paper);
  color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:.2rem 0}
h2{font-size:1.15rem;margin:2.5rem 0 .5rem;padding-top:.8rem;border-top:2px solid var(--rule);
  overflow-wrap:anywhere}
h3{font-size:.95rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:75ch}
.faded{color:var(--faded)}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem}
table{border-collapse:collapse}
td,th{padding:0 .55rem;text-align:right;vertical-align:top;font-variant-numeric:tabular-nums}
.all td,.all th{padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--rule)}
.all td:first-child,.all th:first-child{text-align:left;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.6rem 1.2rem;
  margin:.8rem 0}
dt{color:var(--faded);font-size:.8rem}
dd{margin:0;font-size:1.1rem;font-variant-numeric:tabular-nums}
dd small{color:var(--faded);font-size:.8rem}
.lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:0 2rem}
ol,ul{margin:.2rem 0;padding-left:1.3rem;font-size:.88rem}
li{overflow-wrap:anywhere}
.code{width:100%;font-size:.8rem;line-height:1.45}
.code thead th{position:sticky;top:0;background:var(--head);color:var(--faded);font-weight:500;
  padding:.3rem .55rem;box-shadow:0 1px 0 var(--rule);white-space:nowrap;z-index:1}
.code td{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:nowrap;
  color:var(--faded)}
.code .t{text-align:left;width:100%;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;
  color:var(--ink);unicode-bidi:isolate}
.code tr{scroll-margin-top:3rem}
.code tr:target{outline:2px solid var(--link);outline-offset:-2px}
.code td:first-child{border-left:4px solid transparent}
tr.hit td:first-child{border-left-color:var(--hit)}
tr.part td:first-child{border-left-color:var(--part)}
tr.miss td:first-child{border-left-color:var(--miss)}
tr.miss .t{background:var(--missed)}
tr.part .t{background:var(--halved)}
td.b1{background:var(--bad1);color:var(--ink)}
td.b2{background:var(--bad2);color:var(--ink)}
td.b3{background:var(--bad3);color:var(--ink)}
.one{color:var(--miss)}
.gap td{color:var(--faded);text-align:left;padding:.15rem .8rem;background:var(--head)}
.said{display:block;margin:.15rem 0;padding:.1rem .5rem;background:var(--said);
  border-left:3px solid var(--miss);font-family:system-ui,sans-serif}
@media print{
body{max-width:none;padding:0;font-size:10pt}
.skip{display:none}
.code{font-size:7.5pt}
.code thead th{position:static}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
tr,li{break-inside:avoid}
h2,h3{break-after:avoid}
}
)";

std::string heading(int level, const std::string &id, std::string_view text) {
  return cat("<h", level, id.empty() ? "" : cat(" id=\"", id, "\""), ">", content(text), "</h",
             level, ">\n");
}

/// A number of the summary, and what it is of.
std::string figure(std::string_view what, const std::string &value, const std::string &more = "") {
  return cat("<div><dt>", content(what), "</dt><dd>", value,
             more.empty() ? "" : cat(" <small>", more, "</small>"), "</dd></div>\n");
}
std::string share(std::pair<uint64_t, uint64_t> of) {
  return of.second ? cat(grouped(of.first), " of ", grouped(of.second)) : "none";
}

/// A list with a heading; nothing where it is empty.
std::string list(std::string_view title, const std::vector<std::string> &items) {
  if (items.empty())
    return "";
  std::string out = cat("<div>", heading(3, "", title), "<ul>\n");
  for (const std::string &item : items)
    out += cat("<li>", item, "</li>\n");
  return cat(out, "</ul></div>\n");
}

/// The name of a file where a section has several.
std::string before(const KernelLines &section, const CoveredFile &file) {
  return section.counted().size() > 1 ? cat(content(file.name), ":") : "line ";
}

/// Ranges of lines that no thread has run; lines without code between them do not part them.
std::vector<std::string> uncovered(const KernelLines &section) {
  std::vector<std::string> out;
  for (const CoveredFile &file : section.counted()) {
    for (auto at = file.lines.begin(); at != file.lines.end();) {
      auto isMissed = [](auto &l) { return !l.second.instructions.empty() && !l.second.covered(); };
      if (!isMissed(*at)) {
        ++at;
        continue;
      }
      const int first = at->first;
      int last = first;
      for (; at != file.lines.end() && isMissed(*at); ++at)
        last = at->first;
      std::string text;
      if (first == last && size_t(first) <= file.text.size())
        text = cat(" <code>", content(file.text[size_t(first) - 1]), "</code>");
      out.push_back(cat(before(section, file),
                        linkTo(file, first, first == last ? cat(first) : cat(first, "–", last)),
                        text));
    }
  }
  return out;
}

/// Guarded instructions of which one side was never taken.
std::vector<std::string> oneSided(const KernelLines &section, InstructionCoverage::Kind kind) {
  std::vector<std::string> out;
  const bool branch = kind == InstructionCoverage::Branch;
  for (const auto &[line, at] : section.ptx.lines)
    for (const InstructionCoverage *i : at.instructions)
      if (i->kind == kind && !i->wentBothWays() && i->warps)
        out.push_back(
            cat("PTX line ", linkTo(section.ptx, line, cat(line)),
                branch       ? i->threads ? ": always taken" : ": never taken"
                : i->threads ? ": never skipped"
                             : ": always skipped",
                size_t(line) <= section.ptx.text.size()
                    ? cat(" <code>", content(section.ptx.text[size_t(line) - 1]), "</code>")
                    : ""));
  return out;
}

/// The ten lines of which `of` is largest, if it is not 0.
std::vector<std::string> worst(const KernelLines &section, auto of, auto words) {
  struct One {
    uint64_t value;
    const CoveredFile *file;
    int line;
  };
  std::vector<One> found;
  for (const CoveredFile &file : section.counted())
    for (const auto &[line, at] : file.lines)
      if (uint64_t value = of(at))
        found.push_back({value, &file, line});
  std::stable_sort(found.begin(), found.end(),
                   [](const One &a, const One &b) { return a.value > b.value; });
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min<size_t>(found.size(), 10); ++i)
    out.push_back(cat(before(section, *found[i].file),
                      linkTo(*found[i].file, found[i].line, cat(found[i].line)), ": ",
                      words(found[i].file->lines.at(found[i].line))));
  return out;
}

std::vector<std::string> reports(const KernelLines &section) {
  std::vector<std::string> out;
  auto add = [&](const Said &said, const std::string &where) {
    out.push_back(cat(where, content(said.rule),
                      said.times > 1 ? cat(" (", grouped(said.times), " times)") : "", ": ",
                      content(said.text.substr(0, said.text.find('\n')))));
  };
  for (const Said &said : section.elsewhere)
    add(said, "");
  for (const auto &[line, at] : section.ptx.lines)
    for (const Said &said : at.said)
      add(said, cat("PTX line ", linkTo(section.ptx, line, cat(line)), ": "));
  return out;
}

//===--- Tables of lines ---------------------------------------------------------------------===//

std::string cell(const std::string &text, int level = 0, const std::string &title = "") {
  return cat("<td", level ? cat(" class=\"b", level, "\"") : "",
             title.empty() ? "" : cat(" title=\"", markup(title), "\""), ">", text, "</td>");
}

/// How often the guards of a line were true and false. Of several: how many went both ways.
std::string guards(const CoveredLine &line, bool isPtx) {
  const uint64_t count = line.guarded();
  if (!count)
    return "<td></td>";
  std::string title, one;
  for (const InstructionCoverage *i : line.instructions)
    if (i->kind != InstructionCoverage::Always) {
      const bool branch = i->kind == InstructionCoverage::Branch;
      one = cat(grouped(i->threads), " / ", grouped(i->skipped));
      title += cat(title.empty() ? "" : "; ", isPtx ? "" : cat("PTX line ", i->line, ": "),
                   branch ? "taken by " : "run by ", plural(i->threads, "thread"),
                   branch ? ", not taken by " : ", skipped by ", grouped(i->skipped));
    }
  if (count > 1)
    one = cat(line.bothWays(), " of ", count);
  const bool all = line.bothWays() == count;
  return cell(all ? one : cat("<span class=\"one\">", one, " !</span>"), 0, title);
}

std::string row(const CoveredFile &file, int at, const CoveredLine *line, bool isPtx) {
  std::string out = "<tr", text, numbers = "<td></td><td></td><td></td><td></td><td></td>";
  std::string_view mark;
  const bool has = line && !line->instructions.empty();
  if (has) {
    const uint64_t warps = line->warps(), lanes = line->lanes(), all = warps * sim::warpSize,
                   passes = line->passes(), needed = passes - line->conflicts();
    mark = !line->covered()                               ? "miss"
           : line->covered() == line->instructions.size() ? "hit"
                                                          : "part";
    const int idle = !warps || lanes == all ? 0
                     : lanes * 4 >= all * 3 ? 1
                     : lanes * 2 >= all     ? 2
                                            : 3;
    const int slow = passes <= needed ? 0 : passes < needed * 4 ? 1 : passes < needed * 16 ? 2 : 3;
    numbers = cat(
        cell(grouped(warps), 0,
             isPtx ? ""
                   : cat("of ", plural(line->instructions.size(), "instruction"), ", ",
                         line->covered(), " of them run")),
        cell(grouped(lanes)),
        cell(percent(lanes, all), idle,
             idle ? cat(grouped(lanes), " lanes of ", grouped(all), " had something to do") : ""),
        cell(slow ? grouped(line->conflicts()) : "", slow,
             slow ? cat(grouped(passes), " passes over the banks, where ", grouped(needed),
                        " would do")
                  : ""),
        guards(*line, isPtx));
  }
  if (line)
    out += cat(" id=\"", file.anchorOf(at), "\"");
  if (!mark.empty())
    out += cat(" class=\"", mark, "\"");
  if (at >= 1 && size_t(at) <= file.text.size())
    text = content(file.text[size_t(at) - 1]);
  else if (file.missing.empty())
    text = cat("<span class=\"faded\">(the file ends at line ", file.text.size(), ")</span>");
  if (line)
    for (const Said &said : line->said)
      text += cat("<span class=\"said\"><b>", content(said.rule), "</b>",
                  said.times > 1 ? cat(" ", grouped(said.times), " times; the first") : "", ": ",
                  content(said.text), "</span>");
  return cat(out, "><td",
             mark == "miss"   ? " title=\"no thread ran this line\""
             : mark == "part" ? " title=\"no thread ran some of its instructions\""
                              : "",
             ">", at,
             mark == "miss"   ? " ✗"
             : mark == "part" ? " ◐"
                              : "",
             "</td>", numbers, "<td class=\"t\">", text, "</td></tr>\n");
}

/// The lines that have code, and `around` of those beside them; `head` too if it is not 0.
std::string table(const CoveredFile &file, bool isPtx, int around, int head = 0) {
  std::set<int> shown;
  if (head)
    shown.insert(head);
  for (const auto &[line, at] : file.lines) {
    shown.insert(line);
    for (int near = std::max(1, line - around); near <= line + around; ++near)
      if (size_t(near) <= file.text.size())
        shown.insert(near);
  }
  std::string out = cat(
      "<table class=\"code\"><thead><tr><th scope=\"col\">line</th><th scope=\"col\" title=\"times "
      "that a warp came to an instruction\">",
      isPtx ? "warps" : "warp instr.",
      "</th><th scope=\"col\" title=\"threads that ran it, of a branch also those that went "
      "on\">threads</th><th scope=\"col\" "
      "title=\"lanes of these warps that had something to do\">lanes</th><th scope=\"col\" "
      "title=\"passes over the banks of shared memory beyond those that would do\">conflicts</th>"
      "<th scope=\"col\" title=\"threads for which the guard was true, and false; of several "
      "instructions how many went both ways\">",
      isPtx ? "taken / not" : "both ways", "</th><th scope=\"col\" class=\"t\">code</th></tr>",
      "</thead>\n<tbody>\n");
  int last = 0;
  for (int line : shown) {
    if (line > last + 1)
      out +=
          cat("<tr class=\"gap\"><td colspan=\"7\">… ", plural(uint64_t(line - last - 1), "line"),
              " without code of this kernel</td></tr>\n");
    auto found = file.lines.find(line);
    out += row(file, line, found == file.lines.end() ? nullptr : &found->second, isPtx);
    last = line;
  }
  return cat(out, "</tbody></table>\n");
}

std::string sectionOf(const KernelLines &s) {
  std::string out = heading(2, s.id, cat("Kernel ", s.kernel.name));
  const auto [covered, lines] = s.linesCovered();
  const uint64_t count = s.all.instructions.size(), all = s.all.warps() * sim::warpSize;
  out += "<dl>\n";
  out += figure(s.sources.empty() ? "lines of PTX run" : "lines of the source run",
                share({covered, lines}), percent(covered, lines));
  out +=
      figure("instructions run", share({s.all.covered(), count}), percent(s.all.covered(), count));
  out += figure("branches, both sides taken", share(s.bothWays(InstructionCoverage::Branch)));
  out += figure("predicated, run and skipped", share(s.bothWays(InstructionCoverage::Predicated)));
  out += figure("launches", grouped(s.kernel.launches));
  out += figure("warp instructions", grouped(s.all.warps()));
  out += figure("lanes with something to do", percent(s.all.lanes(), all));
  out += figure("bank conflicts", grouped(s.all.conflicts()));
  out += figure("reports", grouped(s.reports));
  out += "</dl>\n<div class=\"lists\">\n";
  out += list("Reports", reports(s));
  out += list(s.sources.empty() ? "Lines of PTX that no thread ran" : "Lines that no thread ran",
              uncovered(s));
  out +=
      list("Branches of which one side was never taken", oneSided(s, InstructionCoverage::Branch));
  out += list("Predicated instructions that always or never ran",
              oneSided(s, InstructionCoverage::Predicated));
  out += list("Most bank conflicts", worst(
                                         s, [](const CoveredLine &l) { return l.conflicts(); },
                                         [](const CoveredLine &l) {
                                           return cat(grouped(l.passes()), " passes, where ",
                                                      grouped(l.passes() - l.conflicts()),
                                                      " would do");
                                         }));
  out += list("Most idle lanes", worst(
                                     s, [](const CoveredLine &l) { return l.idle(); },
                                     [](const CoveredLine &l) {
                                       return cat(percent(l.lanes(), l.warps() * sim::warpSize),
                                                  " of the lanes of ",
                                                  plural(l.warps(), "warp instruction"));
                                     }));
  out += "</div>\n";
  for (const CoveredFile &file : s.sources) {
    out += heading(3, "", cat("Source ", file.name));
    if (!file.missing.empty())
      out += cat("<p class=\"faded\">Its text is not shown: ", content(file.missing), ".</p>\n");
    out += table(file, false, 8);
  }
  out += heading(3, "", s.ptx.name == "PTX" ? "PTX" : cat("PTX ", s.ptx.name));
  return cat(out, table(s.ptx, true, 4, s.kernel.line));
}

} // namespace

std::string tessera::cli::htmlOf(const SimResults &of) {
  const std::string name = of.file == "-" ? "stdin" : of.file;
  std::string out = cat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>",
      content(cat("Coverage of ", name)), "</title>\n<style>", style,
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the kernels</a>\n<header>\n",
      heading(1, "", cat("Coverage of ", name)),
      "<p class=\"faded\">What the threads of each kernel ran on Tessera's simulator, summed over "
      "its launches. A line is red (✗) where no thread ran any of its instructions, yellow (◐) "
      "where none ran some of them.</p>\n");
  if (of.ended)
    out += cat("<p><b>The run did not end well</b> (exit code ", of.exit,
               "): ", content(of.ended->text), "</p>\n");
  out += "</header>\n<main id=\"main\">\n";
  if (of.coverage.empty())
    out += "<p>No kernel was launched.</p>\n";
  std::string sections, overview;
  for (size_t i = 0; i < of.coverage.size(); ++i) {
    const KernelLines section(of.coverage[i], of, i + 1);
    const auto [covered, lines] = section.linesCovered();
    overview +=
        cat("<tr><td><a href=\"#", section.id, "\">", content(shortName(section.kernel.name)),
            "</a></td>", cell(grouped(section.kernel.launches)), cell(share({covered, lines})),
            cell(share(section.bothWays(InstructionCoverage::Branch))),
            cell(grouped(section.all.conflicts())), cell(grouped(section.reports)), "</tr>\n");
    sections += cat("<section>\n", sectionOf(section), "</section>\n");
  }
  if (of.coverage.size() > 1)
    out += cat("<table class=\"all\"><thead><tr><th scope=\"col\">kernel</th><th "
               "scope=\"col\">launches</th><th scope=\"col\">lines run</th><th "
               "scope=\"col\">branches, both sides</th><th scope=\"col\">bank conflicts</th><th "
               "scope=\"col\">reports</th></tr></thead>\n<tbody>\n",
               overview, "</tbody></table>\n");
  return cat(out, sections, "</main>\n</body>\n</html>\n");
}
