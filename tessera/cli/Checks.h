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

/// The command line, where a --check of `run` or `sim` that has no value is --sanitize: CLI11 has
/// no option that may be given several times, with a value or without.
std::vector<std::string> spelledOut(int argc, char **argv);

class Checks {
public:
  /// --check, --rtol, --atol and --save; `what` is what they number: "argument".
  void addOptions(CLI::App &, std::string_view what);

  struct Unit {};
  /// Reads the texts; there are `count` things that they may number.
  Result<Unit> parse(size_t count);
  /// The first reference that is not there, before anything takes time; empty if none is missing.
  std::string missingFile() const;
  /// What --save names; before parse(), too.
  void addOutputs(std::vector<Output> &) const;
  /// Compares and writes the tensors, which `tensor` fetches; whether all agree. Says what it found
  /// on stdout.
  Result<bool> run(const std::function<Result<const run::Tensor *>(size_t)> &tensor) const;

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
