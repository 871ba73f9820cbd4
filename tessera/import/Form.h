// Custom assembly forms as data: one small interpreter reads all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Row.h"

#include "mlir/IR/OpImplementation.h"

namespace tessera::import {

/// Reads the custom assembly of a foreign op by the form of its row. A form is a list of words:
///
///   $                     the next operand
///   [ ... ]               may be absent; the first word of the group decides
///   attr-dict             an optional dictionary
///   types, results        types of all operands, of all results, with commas between
///   type(n)               type of operand n
///   short-ptr             type of the result, `<3>` for !llvm.ptr<3>
///   int(name,i32)         a number, kept as the property `name` of that type
///   word(name,mnemonic)   a bare enumerator `x`, kept as #nvvm<mnemonic x>
///   <word(name,mnemonic)> an enumerator `<x>`, kept as #nvvm.mnemonic<x>
///   range                 `<i32, 0, 32>`, kept as the property `range`
///   symbol(name)          `@a::@b`, kept as the property `name`
///   hint                  `[%a] ... : types`: operands with any marks, words and attributes
///   between
///                         them, of an op that goes away
///   anything else         itself: a keyword or punctuation, `'` around brackets
///
/// Operand types that the form does not state come from the row's slots, or for `Any` from the
/// first operand; so does the type of the result. An op without a row, or whose row has no form, is
/// reported; parsing goes on where it can, so that one run reports all of them. Fails when the text
/// does not fit the form.
mlir::ParseResult parseForeignOp(mlir::OpAsmParser &parser, mlir::OperationState &state);

} // namespace tessera::import
