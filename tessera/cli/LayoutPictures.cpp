// Pictures of `tessera layout`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/LayoutPictures.h"
#include "tessera/cli/CommandLine.h"

#include "tessera/eval/Report.h"
#include "tessera/layout/Text.h"

#include <CLI/CLI.hpp>

#include <charconv>

using namespace tessera;
using namespace tessera::cli;

namespace {
/// "16x8" as rows and columns; false for any other text.
bool readTile(std::string_view text, int64_t &rows, int64_t &columns) {
  const char *end = text.data() + text.size();
  std::from_chars_result first = std::from_chars(text.data(), end, rows);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x')
    return false;
  std::from_chars_result second = std::from_chars(first.ptr + 1, end, columns);
  return second.ec == std::errc() && second.ptr == end && rows > 0 && columns > 0;
}
std::string problemOfTile(const std::string &text) {
  int64_t rows, columns;
  return readTile(text, rows, columns) ? "" : "expects ROWSxCOLUMNS, such as 16x8";
}

std::string jsonOf(const render::Conflicts &conflicts) {
  std::string collisions;
  for (const render::Collision &collision : conflicts.collisions) {
    std::string threads;
    for (int64_t thread : collision.threads)
      threads += cat(threads.empty() ? "" : ", ", thread);
    collisions += cat(collisions.empty() ? "" : ", ", "{\"phase\": ", collision.phase,
                      ", \"bank\": ", collision.bank, ", \"words\": ", collision.words,
                      ", \"threads\": [", threads, "]}");
  }
  return cat("{\"wavefronts\": ", conflicts.wavefronts, ", \"ideal\": ", conflicts.ideal,
             ", \"worst\": ", conflicts.worst, ", \"collisions\": [", collisions, "]}");
}

/// The layout of an expression that an option gives.
Result<layout::AnyLayout> layoutOf(const std::string &option, const std::string &expression) {
  eval::Evaluation done = eval::evaluate(expression);
  if (!done.ok())
    return Reason{done.refusal.reason.id, cat(option, ": ", done.refusal.reason.text)};
  return eval::knownLayout(done, option);
}

/// The same access to one or more layouts of memory, one picture above the other.
Result<LayoutPicture> drawAccess(const layout::AnyLayout &memory,
                                 const LayoutPictureOptions &options) {
  render::ThreadAccess access;
  TESSERA_TRY(access.threads, layoutOf("--conflicts", options.threads));
  access.elementBits = options.bits;
  access.vectorBytes =
      options.vectorBytes ? options.vectorBytes : std::max<int64_t>(1, options.bits / 8);
  std::vector<render::DrawnAccess> compared = {{memory, access}};
  for (const std::string &other : options.others) {
    TESSERA_TRY(layout::AnyLayout l, layoutOf("--versus", other));
    compared.push_back({std::move(l), access});
  }
  LayoutPicture out;
  for (const render::DrawnAccess &one : compared) {
    TESSERA_TRY(render::Conflicts conflicts, render::bankConflicts(one.memory, one.access));
    const bool alone = compared.size() == 1, first = out.json.empty();
    out.verdict +=
        (alone ? "" : cat(first ? "" : "\n", str(one.memory), "\n")) + describe(conflicts);
    out.json += cat(first ? "" : ", ", jsonOf(conflicts));
  }
  // One layout is an object, several are a list in their order.
  out.json = cat("\"conflicts\": ", compared.size() == 1 ? out.json : cat("[", out.json, "]"));
  TESSERA_TRY(out.picture, render::drawConflicts(compared));
  return out;
}
} // namespace

void tessera::cli::addLayoutPictureOptions(CLI::App &command, LayoutPictureOptions &options) {
  addPictureOptions(command, options.output);
  CLI::Option *tv = command.add_option(
      "--tv", options.tile, "draw as a (thread, value) layout over a tile, such as 16x8");
  tv->check(CLI::Validator(problemOfTile, "ROWSxCOLUMNS"));
  CLI::Option *banks = command.add_option("--banks", options.bankBits,
                                          "draw as shared memory with elements of this many bits");
  banks->check(numberFrom(1))->excludes(tv);
  CLI::Option *conflicts =
      command.add_option("--conflicts", options.threads,
                         "count bank conflicts of an access to this shared memory: an expression, "
                         "(thread, value) or thread -> coordinate");
  conflicts->excludes(tv)->excludes(banks);
  command
      .add_option("--versus", options.others,
                  "another layout of the memory, an expression, to count and draw the same access "
                  "to; may be repeated")
      ->needs(conflicts);
  command.add_option("--bits", options.bits, "bits of an element, for --conflicts")
      ->check(numberFrom(1))
      ->needs(conflicts)
      ->capture_default_str();
  command
      .add_option(
          "--vector", options.vectorBytes,
          "bytes that a thread moves with one instruction (16 for ldmatrix); default: one element")
      ->check(numberFrom(1))
      ->needs(conflicts);
}

Result<LayoutPicture> tessera::cli::draw(const layout::AnyLayout &l,
                                         const LayoutPictureOptions &options) {
  if (!options.threads.empty())
    return drawAccess(l, options);
  render::LayoutView view;
  if (options.bankBits > 0)
    view = {render::LayoutView::Banks, 0, 0, options.bankBits};
  else if (readTile(options.tile, view.rows, view.columns))
    view.kind = render::LayoutView::ThreadValues;
  TESSERA_TRY(render::Picture picture, render::pictureOf(l, view));
  return LayoutPicture{std::move(picture), "", ""};
}
