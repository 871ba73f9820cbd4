// What each row of import/ reads, what LLVM 22 calls it, and the PTX it ends in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace tessera::import::test {

/// Operands are the arguments of a function, by the names below. The two spellings say the same.
struct Case {
  std::string row;
  /// In the vendor's custom assembly; empty where we know none.
  std::string custom;
  /// In the generic form.
  std::string generic;
  /// The body after the import, in LLVM 22's assembly.
  std::string expected;
  /// The target and PTX version (80 is 8.0) it is lowered for, and the instruction in the PTX.
  /// Empty: not.
  std::string target = "", ptx = "";
};
inline const std::string sm80 = "sm_80 80", sm90 = "sm_90a 80", sm100 = "sm_100a 86";

extern const std::vector<Case> barrierCases, mbarrierCases, asyncCases, accessCases, warpCases,
    arithmeticCases, vectorCases, cuteCases, cudaCases;

/// All of the above, and one for each special register.
const std::vector<Case> &cases();

/// The arguments, name and type; cases of our own dialects have those of the second list.
extern const std::vector<std::pair<std::string, std::string>> arguments, cuteArguments;

} // namespace tessera::import::test
