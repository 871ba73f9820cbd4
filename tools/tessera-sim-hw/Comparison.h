// Comparison: runs jobs on both devices in one process, and prints what differs and what was
// counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Batch.h"

#include <map>

namespace tessera::hw {

struct Count {
  size_t spellings = 0, refused = 0, cases = 0, undefined = 0, differing = 0, differences = 0;
};
/// Of groups of rows, and how many spellings of each row were accepted.
struct Counts {
  std::map<std::string, Count> groups;
  std::map<std::string, size_t> accepted; // by form

  /// As lines, and back: counts cross from one process to another as text.
  std::string text() const;
  /// Adds what lines of a text say; the others come back.
  std::string add(const std::string &text);
};

class Comparison {
public:
  /// Without a GPU jobs are assembled with ptxas and run on the simulator only.
  Comparison(run::Device *gpu, const std::string &target, const std::string &ptxas, bool lists);
  /// False when the GPU failed.
  bool run(std::span<const Job> jobs);
  Counts counts;

private:
  std::optional<std::string> load(const std::string &text);
  void unload();
  void differs(const Job &, const std::string &what);
  bool compare(const Job &, const std::string &kernel);
  void compare(const Job &, const Bytes &mine, const Bytes &theirs);

  run::Device *gpu;
  bool lists;
  std::string header;
  Assembler assemble;
  std::optional<run::ModuleId> loaded;
};

} // namespace tessera::hw
