// Tiers: the functions that append each generation's rows, and the helpers that they use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/CopyRow.h"
#include "tessera/atom/MmaRow.h"

namespace tessera::atom {

void addUniversalMma(std::vector<MmaRow> &);
void addSm70Mma(std::vector<MmaRow> &);
void addSm75Mma(std::vector<MmaRow> &);
void addSm80Mma(std::vector<MmaRow> &);
void addSm80Sparse(std::vector<MmaRow> &);
void addSm89Mma(std::vector<MmaRow> &);
void addSm90Mma(std::vector<MmaRow> &);
void addSm100Mma(std::vector<MmaRow> &);
void addSm120Mma(std::vector<MmaRow> &);

void addUniversalCopies(std::vector<CopyRow> &);
void addSm75Copies(std::vector<CopyRow> &);
void addSm80Copies(std::vector<CopyRow> &);
void addSm90Copies(std::vector<CopyRow> &);
void addSm90Bulk(std::vector<CopyRow> &);
void addSm100Copies(std::vector<CopyRow> &);

/// The shape of a warp-level instruction: CuTe's name for it, extents, fragments, and the number of
/// .b32 (f64: .f64) registers of A and B.
struct WarpShape {
  std::string_view name;
  int16_t m, n, k;
  Fragment a, b, c;
  uint8_t registersA, registersB;
};

/// C and D, A, B, in the order of PTX's type suffixes d.a.b.c.
struct Types {
  Element c, a, b;
};
/// "F32F16F16F32", as CuTe writes D, A, B and C in names.
std::string text(const Types &);

/// A row with the shape's extents, fragments and registers, K-major operands and D like C. Each
/// thread has 1/32 (quad pairs: 1/8) of the accumulator, f16 with two numbers per register. The
/// caller sets the other columns, then calls `warpMnemonic`.
MmaRow warpRow(const WarpShape &, const Types &);
/// PTX of a warp-level row, from its other columns. Source: PTX ISA 9.7.14.5.14 and .6.3.
std::string warpMnemonic(const MmaRow &);

} // namespace tessera::atom
