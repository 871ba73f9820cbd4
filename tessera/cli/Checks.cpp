// Compares tensors with references, and writes them to files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Checks.h"

#include "tessera/run/Npy.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <filesystem>

namespace tessera::cli {

std::vector<std::string> spelledOut(int argc, char **argv) {
  std::vector<std::string> words(argv, argv + argc);
  bool simulates = argc > 1 && (words[1] == "run" || words[1] == "sim");
  for (size_t i = 2; simulates && i < words.size(); ++i)
    if (words[i] == "--check" && (i + 1 == words.size() || words[i + 1].starts_with("--")))
      words[i] = "--sanitize";
  return words;
}

void Checks::addOptions(CLI::App &command, std::string_view named) {
  what = named;
  command
      .add_option("--check", checkTexts,
                  cat("I=REF.npy: compare ", what,
                      " I (from 0) after the run; without a value: --sanitize"))
      ->allow_extra_args(false);
  command.add_option("--rtol", tolerance.relative, "relative tolerance of --check")
      ->capture_default_str();
  command.add_option("--atol", tolerance.absolute, "absolute tolerance of --check")
      ->capture_default_str();
  command.add_flag("--equal-nan", tolerance.equalNan,
                   "where --check's file has a NaN, any NaN agrees");
  command.add_option("--save", saveTexts, cat("I=FILE.npy: write ", what, " I after the run"))
      ->allow_extra_args(false);
}

Result<std::vector<Checks::Numbered>> Checks::parse(const std::vector<std::string> &texts,
                                                    std::string_view option, std::string_view what,
                                                    size_t count) {
  std::vector<Numbered> parsed;
  for (const std::string &text : texts) {
    size_t equals = text.find('='), index = 0;
    const char *end = text.data() + (equals == std::string::npos ? 0 : equals);
    auto [stop, error] = std::from_chars(text.data(), end, index);
    if (error != std::errc() || stop != end)
      return Reason{"Numbered",
                    cat(option, " expects I=FILE.npy with the 0-based number of a",
                        what == "argument" ? "n " : " ", what, ", but got '", text, "'")};
    if (index >= count)
      return Reason{"Numbered",
                    cat(option, " ", text, ": there are ", count, " ", what, "s, numbered from 0")};
    parsed.push_back({index, text.substr(equals + 1)});
  }
  return parsed;
}

Result<Checks::Unit> Checks::parse(size_t count) {
  TESSERA_TRY(checks, parse(checkTexts, "--check", what, count));
  TESSERA_TRY(saves, parse(saveTexts, "--save", what, count));
  return Unit{};
}

void Checks::addOutputs(std::vector<Output> &outputs) const {
  for (const std::string &text : saveTexts)
    if (size_t equals = text.find('='); equals != text.npos)
      outputs.push_back({cat("--save ", text), text.substr(equals + 1)});
}

std::string Checks::missingFile() const {
  for (const Numbered &check : checks)
    if (!std::filesystem::exists(check.file))
      return check.file;
  return "";
}

Result<bool> Checks::run(const std::function<Result<const run::Tensor *>(size_t)> &tensor) const {
  bool right = true;
  std::vector<std::pair<const Numbered *, const run::Tensor *>> compared;
  for (const Numbered &one : checks) {
    TESSERA_TRY(const run::Tensor *fetched, tensor(one.index));
    compared.push_back({&one, fetched});
  }
  for (auto [check, actual] : compared) {
    TESSERA_TRY(run::NpyArray array, run::readNpy(check->file));
    // Raw bytes are of the tensor's type; numbers are compared as they are, in more digits than it
    // may have.
    auto raw = array.type.kind == run::NpyKind::Raw ? std::optional(actual->dtype()) : std::nullopt;
    TESSERA_TRY(run::Tensor expected, run::fromNpy(array, raw));
    TESSERA_TRY(run::Comparison result, run::compare(*actual, expected, tolerance));
    std::printf("%s %zu %s %s: %s\n", what.c_str(), check->index,
                result.ok() ? "agrees with" : "DIFFERS from", check->file.c_str(),
                result.str().c_str());
    right &= result.ok();
  }
  TESSERA_CHECK(save(tensor));
  return right;
}

Status Checks::save(const std::function<Result<const run::Tensor *>(size_t)> &tensor) const {
  std::vector<std::pair<const Numbered *, const run::Tensor *>> written;
  for (const Numbered &one : saves) {
    TESSERA_TRY(const run::Tensor *fetched, tensor(one.index));
    written.push_back({&one, fetched});
  }
  for (auto [save, actual] : written) {
    TESSERA_TRY(run::NpyArray array, run::toNpy(*actual));
    TESSERA_CHECK(run::writeNpy(save->file, array));
  }
  return Done{};
}

} // namespace tessera::cli
