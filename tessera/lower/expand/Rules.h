// Rules: what the expander makes of ops that are neither algebra nor cloned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class Operation;
}

namespace tessera::lower {

class Expander;

struct NamedRule {
  llvm::StringLiteral op;
  llvm::LogicalResult (*rule)(Expander &, mlir::Operation *);
};
using RuleTable = llvm::ArrayRef<NamedRule>;

RuleTable regionRules(); // scf
RuleTable vectorRules(); // vector, dense constants
RuleTable memoryRules(); // loads, stores, pointers, prints
RuleTable atomRules();   // atom calls

/// Whether an op works on the elements of vectors one by one.
bool isElementwiseOnVectors(mlir::Operation *);
llvm::LogicalResult expandElementwise(Expander &, mlir::Operation *);

} // namespace tessera::lower
