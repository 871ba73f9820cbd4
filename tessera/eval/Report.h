// Report: an evaluation as people and programs read it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"
#include "tessera/eval/Evaluate.h"

#include <functional>

namespace tessera::eval {

/// The result, and below it what can be said of a layout: size, cosize, order, injective, compact.
/// With open assumptions about dynamic leaves, a line each.
std::string summary(const Evaluation &);

/// Every call in the order of evaluation: what went in, what came out, the law, remarks such as
/// roundings, and what it assumes of dynamic leaves.
std::string explanation(const Evaluation &);

/// The layout that an expression gives, with its run-time values; a shape is its compact layout.
/// Refuses for `who`.
Result<layout::AnyLayout> knownLayout(const Evaluation &, std::string_view who);

/// The function of a layout as a table: coordinate, as the shape has it, and index. At most `most`
/// lines, each given to `write` as soon as it is made.
Status functionTable(const Evaluation &, int64_t most,
                     const std::function<void(std::string_view)> &write);

/// The same as one JSON object, ending with a newline: expression, result, kind, size, cosize,
/// properties, assumptions, steps, and the fields in `more`; or error with id, text, position and
/// help.
std::string json(const Evaluation &, std::string_view more = "");

/// All functions with signature and law, one line each, and the laws that can be checked.
std::string functionList();

} // namespace tessera::eval
