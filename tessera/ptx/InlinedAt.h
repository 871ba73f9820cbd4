// InlinedAt: the calls that lead to a line, as PTX writes them (ISA 11.5.3).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 has these calls in its IR but writes .loc without them. So each chain of calls to a line
// gets files of its own: in the IR the name of a file ends in the number of the chain, and in the
// text .file and .loc become those of the file itself, with `function_name` and `inlined_at`.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ptx {

/// The version of PTX that has function_name and inlined_at.
inline constexpr int inlinedAtVersion = 72;

/// A call: the function that is called, and the place of the call with the calls that lead there.
struct InlinedCall {
  std::string function, file;
  unsigned line = 0, column = 0;
  int caller = -1; // its index in the list; -1 for a call in the kernel itself

  friend auto operator<=>(const InlinedCall &, const InlinedCall &) = default;
};

/// The calls of a module. A caller comes before its callees.
class InlinedCalls {
public:
  /// The index of a call, which is added if it is new.
  int add(InlinedCall);
  bool empty() const { return calls.empty(); }

  /// The name that LLVM sees for a file whose lines a call leads to.
  static std::string fileName(std::string_view file, int call);
  /// Rewrites PTX with such files so that it states how its lines were called.
  std::string written(std::string_view ptx) const;

private:
  std::vector<InlinedCall> calls;
};

} // namespace tessera::ptx
