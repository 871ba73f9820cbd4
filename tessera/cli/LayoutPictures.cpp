// Pictures of `tessera layout`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/LayoutPictures.h"

#include "tessera/eval/Report.h"

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
  return cat("\"conflicts\": {\"wavefronts\": ", conflicts.wavefronts,
             ", \"ideal\": ", conflicts.ideal, ", \"worst\": ", conflicts.worst,
             ", \"collisions\": [", collisions, "]}");
}

Result<LayoutPicture> drawAccess(const layout::AnyLayout &memory,
                                 const LayoutPictureOptions &options) {
  eval::Evaluation threads = eval::evaluate(options.threads);
  if (!threads.ok())
    return Reason{threads.refusal.reason.id, cat("--conflicts: ", threads.refusal.reason.text)};
  render::Access access;
  TESSERA_TRY(access.threads, eval::knownLayout(threads, "--conflicts"));
  access.elementBits = options.bits;
  access.vectorBytes =
      options.vectorBytes ? options.vectorBytes : std::max<int64_t>(1, options.bits / 8);
  TESSERA_TRY(render::Conflicts conflicts, render::bankConflicts(memory, access));
  render::NamedAccess named = {"", memory, std::move(access)};
  TESSERA_TRY(render::Picture picture, render::drawConflicts({&named, 1}));
  return LayoutPicture{std::move(picture), describe(conflicts), jsonOf(conflicts)};
}
} // namespace

void tessera::cli::addLayoutPictureOptions(CLI::App &command, LayoutPictureOptions &options) {
  addPictureOptions(command, options.output);
  CLI::Option *tv = command.add_option(
      "--tv", options.tile, "draw as a (thread, value) layout over a tile, such as 16x8");
  tv->check(CLI::Validator(problemOfTile, "ROWSxCOLUMNS"));
  CLI::Option *banks = command.add_option("--banks", options.bankBits,
                                          "draw as shared memory with elements of so many bits");
  banks->check(CLI::PositiveNumber)->excludes(tv);
  CLI::Option *conflicts =
      command.add_option("--conflicts", options.threads,
                         "count bank conflicts of an access to this shared memory: an expression, "
                         "(thread, value) or thread -> coordinate");
  conflicts->excludes(tv)->excludes(banks);
  command.add_option("--bits", options.bits, "bits of an element that --conflicts accesses")
      ->check(CLI::PositiveNumber)
      ->needs(conflicts)
      ->capture_default_str();
  command
      .add_option(
          "--vector", options.vectorBytes,
          "bytes that a thread moves with one instruction, 16 for ldmatrix; else one element")
      ->check(CLI::PositiveNumber)
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
