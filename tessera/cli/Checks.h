// Checks: --check and --save, for every command that runs kernels on numbered tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/CommandLine.h"
#include "tessera/run/Compare.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace tessera::cli {

/// The command line, with --sanitize for each --check of `run` or `sim` without a value: CLI11 has
/// no option that may be given several times, with or without a value.
std::vector<std::string> spelledOut(int argc, char **argv);

class Checks {
public:
  /// --check, --rtol, --atol and --save; `what` is what they number: "argument".
  void addOptions(CLI::App &, std::string_view what);

  struct Unit {};
  /// Reads the texts; `count` is the number of things that they may number.
  Result<Unit> parse(size_t count);
  /// The first missing reference file, checked before anything takes time; empty if all exist.
  std::string missingFile() const;
  /// The files of --save; can be called before parse().
  void addOutputs(std::vector<Output> &) const;
  /// Compares and writes the tensors, which `tensor` fetches; returns whether all agree. Prints the
  /// results on stdout.
  Result<bool> run(const std::function<Result<const run::Tensor *>(size_t)> &tensor) const;
  /// Writes only: what a kernel left that was reported or ended with an error.
  Status save(const std::function<Result<const run::Tensor *>(size_t)> &tensor) const;

private:
  /// `I=FILE`.
  struct Numbered {
    size_t index;
    std::string file;
  };
  static Result<std::vector<Numbered>> parse(const std::vector<std::string> &texts,
                                             std::string_view option, std::string_view what,
                                             size_t count);

  std::string what;
  std::vector<std::string> checkTexts, saveTexts;
  std::vector<Numbered> checks, saves;
  run::Tolerance tolerance;
};

} // namespace tessera::cli
