// LawsOfOperations: what is checked of a call's operands and its result, by walking domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All values are static. What the laws say is in the table of Laws.cpp.
#pragma once

#include "tessera/eval/Laws.h"

namespace tessera::eval {

using LawCheck = Result<Verdict>(std::span<const Value> arguments, const Value &result);

LawCheck isComposition, isComplement, isRightInverse, isLeftInverse, isDivision, isProduct,
    isLogicalProduct;                                       // LawsOfOperations.cpp
LawCheck isTiling, isSlice, isRecast, isUpcast, isDowncast; // LawsOfMemory.cpp

} // namespace tessera::eval
