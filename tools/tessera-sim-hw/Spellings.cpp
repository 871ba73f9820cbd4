// All mnemonics that a form allows, within reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Job.h"

#include "tessera/sim/Forms.h"

#include <algorithm>

namespace tessera::hw {

namespace {

constexpr int optionalWords = 2; // of those that may be missing, at once

struct Spelling {
  std::string text;
  int optional = 0;
};

} // namespace

std::vector<std::string> spellings(const sim::InstructionRow &row, size_t most) {
  std::vector<Spelling> all{{std::string(row.name()), 0}};
  for (const sim::FormItem &item : sim::formItems(row.form)) {
    bool loose = item.optional || item.repeated;
    std::vector<Spelling> next;
    for (const Spelling &s : all) {
      if (loose)
        next.push_back(s);
      if (!loose || s.optional < optionalWords)
        for (std::string_view word : item.words)
          next.push_back({cat(s.text, ".", word), s.optional + loose});
    }
    all = std::move(next);
  }
  // A sample of what is too many, the same in every run.
  std::mt19937 random(1);
  if (all.size() > most) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(most);
  }
  std::vector<std::string> out;
  for (Spelling &s : all)
    out.push_back(std::move(s.text));
  return out;
}

} // namespace tessera::hw
