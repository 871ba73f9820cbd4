// Fuzzes the places of a kernel that `tessera tune FILE --param` fills: any option finds a place of
// any text, or is refused with a reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first line is the option, the others are the text.
#include "fuzz/Tokens.h"
#include "tessera/cli/Parameters.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::cli;

TESSERA_FUZZ_TEXT()

namespace {

[[noreturn]] void wrong(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view all(reinterpret_cast<const char *>(data), size);
  size_t line = std::min(all.find('\n'), all.size());
  std::string_view option = all.substr(0, line), text = all.substr(std::min(line + 1, size));
  Result<Parameter> found = findParameter(text, option);
  if (!found) {
    if (found.reason().text.empty())
      wrong("refused without a reason", std::string(option));
    return 0;
  }
  if (found->values.empty())
    wrong("has no value", std::string(option));
  if (found->begin > found->end || found->end > text.size() || found->whole > found->wholeEnd ||
      found->wholeEnd > text.size())
    wrong("is not within the text", std::string(option));
  for (size_t i = 0; i < found->values.size(); ++i) {
    Result<std::string> filled = withValues(text, {*found}, {i});
    if (!filled)
      continue;
    // What is around the place stays, and the value is in between.
    bool isWhole =
        found->wholeEnd && (found->values[i].starts_with("!") || found->values[i].starts_with("#"));
    size_t begin = isWhole ? found->whole : found->begin,
           end = isWhole ? found->wholeEnd : found->end;
    if (!filled->starts_with(text.substr(0, begin)) || !filled->ends_with(text.substr(end)) ||
        filled->find(found->values[i], begin) == filled->npos)
      wrong("is filled in another way", *filled);
  }
  // Twice at the same place is an error, not a text.
  if (found->begin < found->end && withValues(text, {*found, *found}, {0, 0}))
    wrong("is filled twice", std::string(option));
  return 0;
}
