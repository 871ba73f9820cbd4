// Writes PTX kernels that hold one instruction each, and lets ptxas assemble them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Registry.h"

#include <map>
#include <vector>

namespace tessera::atom::test {

/// One instruction (several lines are allowed), what it is for, and what it needs.
struct Kernel {
  std::string name, body;
  std::vector<Requirement> needs; // all of them
  int ptx;

  bool metBy(Target) const;
  std::vector<Target> targets() const;
  std::string sentence() const;
};

/// Whether a ptxas can be run.
bool havePtxas();
/// Its largest `.version`, as major * 10 + minor.
int newestPtx();
/// The lines with which ptxas refuses a whole file; empty when it takes it.
std::string assembleText(const std::string &ptx, Target);
/// Assembles all kernels for `target` with `.version` at least `ptx` and as late as the target
/// needs. Returns the first complaint about each kernel that is refused, by its index.
std::map<size_t, std::string> assemble(const std::vector<const Kernel *> &, Target, int ptx);

/// Declarations of the registers that instructions use: %b, %h, %r, %l, %f, %d, %q, %p.
std::string registerDeclarations(int ptx);

/// Choices that a row leaves to an instruction.
struct Choice {
  int64_t n = 16;
  int selector = 0;     // of sparse A
  bool mnMajor = false; // of both operands of wgmma, where they may be
};
/// The instruction of a row with its operands. Registers start at these numbers: D 0, A 32, B 64, C
/// 96 (wgmma: D 0, A 192); metadata is %r128 (%r200), scales %r129 and %r130, descriptors %l0 and
/// %l1.
std::string instruction(const MmaRow &, const Choice &);
std::string instruction(const CopyRow &, int64_t number);

/// The kernel of a row; N of a parametric row is 16 (32 where 16 is not legal).
Kernel kernelOf(const MmaRow &);
Kernel kernelOf(const CopyRow &);

} // namespace tessera::atom::test
