// The interpreting domain and the meaning of the leaf operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Domains.h"

#include <algorithm>

namespace tessera::layout {

int64_t apply(LeafOp op, int64_t a, int64_t b) {
  switch (op) {
  case LeafOp::Add: return a + b;
  case LeafOp::Sub: return a - b;
  case LeafOp::Mul: return a * b;
  case LeafOp::Div: return b ? a / b : 0;
  case LeafOp::CeilDiv: return b ? a / b + (a % b != 0) : 0;
  case LeafOp::Mod: return b ? a % b : 0;
  case LeafOp::Min: return std::min(a, b);
  case LeafOp::Max: return std::max(a, b);
  case LeafOp::And: return a & b;
  case LeafOp::Or: return a | b;
  case LeafOp::Xor: return a ^ b;
  case LeafOp::ShiftRight: return int64_t(uint64_t(a) >> b);
  case LeafOp::Less: return a < b;
  case LeafOp::Equal: return a == b;
  }
  return 0;
}

uint32_t Interp::emit(LeafOp op, Int a, Int b, Width) {
  values.push_back(apply(op, valueOf(a), valueOf(b)));
  return uint32_t(values.size() - 1);
}

void Interp::assume(Pre what, Int a, Int b, Int c) {
  int64_t x = valueOf(a), y = valueOf(b), z = valueOf(c);
  switch (what) {
  case Pre::Divides: failed |= y == 0 || x % y != 0; return;
  case Pre::DividesOrSmaller: failed |= y == 0 || (x % y != 0 && x >= y); return;
  case Pre::NonZero: failed |= x == 0; return;
  case Pre::StepFits:
    failed |= x == 0 || y == 0 || (x % y != 0 && y % x != 0 && (z - 1) * y >= x);
    return;
  }
}

} // namespace tessera::layout
