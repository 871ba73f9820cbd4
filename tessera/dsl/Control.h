// Control flow on numbers of the program: If, For and While.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"

#include <functional>

namespace tessera::dsl {

void If(Num condition, const std::function<void()> &then,
        const std::function<void()> &otherwise = {}, Place = Place::current());

/// `body(i)` for i = from, from + step, ... below `to`.
void For(Num from, Num to, Num step, const std::function<void(Num)> &body,
         Place = Place::current());

namespace detail {
// Both branches start with the current values of the handles. Afterwards the handles have the
// values that the branch taken left in them.
void branch(Num condition, const std::vector<Handle *> &carried, const std::function<void()> &then,
            const std::function<void()> &otherwise, Place);
/// A loop: each iteration starts with the values that the previous one left in the handles, and
/// afterwards they have the values of the last iteration.
void loop(Num from, Num to, Num step, const std::vector<Handle *> &carried,
          const std::function<void(Num)> &body, Place);
/// The same, while a condition on the handles holds.
void loop(const std::function<Num()> &condition, const std::vector<Handle *> &carried,
          const std::function<void()> &body, Place);
/// Copies the values that an iteration left in `left` to the handles `to`. The author may have
/// assigned a whole vector, so `left` may lie elsewhere than before.
void handOn(const std::vector<Handle *> &left, const std::vector<Handle *> &to, const char *loop,
            Place);
} // namespace detail

/// The same with a group of values (Values.h) that iterations pass on: `body(i, values)` changes
/// them. The result is what the last iteration left.
template <class Values, class Body>
  requires std::invocable<Body, Num, Values &>
Values For(Num from, Num to, Num step, Values values, Body body, Place at = Place::current()) {
  auto iteration = [&](Num i) {
    Values now = values;
    body(i, now);
    detail::handOn(handlesOf(now), handlesOf(values), "For", at);
  };
  detail::loop(from, to, step, handlesOf(values), iteration, at);
  return values;
}

/// `body(values)` changes the values while `condition(values)` holds. The result is what the last
/// iteration left.
template <class Values, class Condition, class Body>
Values While(Values values, Condition condition, Body body, Place at = Place::current()) {
  auto iteration = [&] {
    Values now = values;
    body(now);
    detail::handOn(handlesOf(now), handlesOf(values), "While", at);
  };
  detail::loop([&] { return condition(values); }, handlesOf(values), iteration, at);
  return values;
}

} // namespace tessera::dsl
