// Evaluate: from the text of an expression to its value, or to a refusal with its place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An evaluation ends soon: there are limits for the text, the nesting, the leaves of each value and
// the whole work, and what exceeds one is refused.
#pragma once

#include "tessera/eval/Function.h"
#include "tessera/eval/Refusal.h"

#include <optional>

namespace tessera::eval {

inline constexpr size_t maxWeight = 1024; // leaves and tuples of a value
inline constexpr size_t maxDepth = 64;
inline constexpr size_t maxWork = size_t(1) << 24; // see Evaluation::work

/// One call that was evaluated.
struct Step {
  const Function *function;
  Arguments arguments;
  std::optional<Value> result; // nothing if it was refused
  Span where;
  size_t firstAssumption, lastAssumption; // of RunTime::assumptions()
};

/// An evaluated expression: what came out and how.
struct Evaluation {
  std::string text;
  RunTime values; // of the dynamic leaves in what follows
  std::optional<Value> result;
  Refusal refusal;         // if there is no result
  std::vector<Step> steps; // in the order of evaluation; the last one is outermost
  bool endsInCall = false; // the last step made the result
  size_t work = 0;         // about the squares of the weights of all values

  bool ok() const { return result.has_value(); }
};

/// A name that an expression may use for a value that another evaluation made.
struct Binding {
  std::string_view name;
  const Value &value;
  const RunTime &values; // of its dynamic leaves
};

/// Evaluates a whole expression, in which the names of `bound` have values. Refuses also where
/// run-time values break an assumption, unless `checked` is false: the value that comes out then is
/// what an unchecked program computes.
Evaluation evaluate(std::string text, bool checked = true, std::span<const Binding> bound = {});

/// One line of a batch: the value's text, or "error: " and the reason. An empty line gives an empty
/// one.
struct Line {
  std::string text;
  bool ok;
};
Line evaluateLine(std::string text);

} // namespace tessera::eval
