// The spelling of CuTe DSL before 4.3, where it differs from that of 4.3.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   memref.load_vec %t, row_major : T      the order of the elements; 4.3 and later do not write
//   it, memref.store_vec %v, %t, row_major : T and have no other
#include "tessera/import/spellings/Spelling.h"

using namespace mlir;
using tessera::cute::Departure;

namespace tessera::import {

namespace {
OptionalParseResult rowMajor(OpAsmParser &parser, OperationState &, cute::ParsedOp &) {
  return ParseResult(parser.parseKeyword("row_major"));
}

constexpr OpRow ops[] = {
    {"cute.memref.load_vec", Departure::AfterOperands, rowMajor},
    {"cute.memref.store_vec", Departure::AfterOperands, rowMajor},
};
} // namespace

Spelling dsl41() { return {.ops = ops}; }

} // namespace tessera::import
