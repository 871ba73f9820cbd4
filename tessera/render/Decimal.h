// Decimal: lengths as text with one digit after the point, the same on every machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <string>

namespace tessera::render {

inline std::string decimal(double length) {
  long tenths = std::lround(length * 10);
  std::string out = tenths < 0 ? "-" : "";
  tenths = std::labs(tenths);
  out += std::to_string(tenths / 10);
  return tenths % 10 ? out + "." + std::to_string(tenths % 10) : out;
}

} // namespace tessera::render
