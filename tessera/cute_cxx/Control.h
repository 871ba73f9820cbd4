// Control flow on numbers of the device: For, While and If take lambdas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++'s own `for`, `while` and `if` run while the kernel is traced. Values that iterations pass on
// are arguments before the body, which changes them by reference:
//
//   For(n, sum, [&](Num i, Num &sum) { sum += x(i); });
#pragma once

#include "tessera/cute_cxx/Tensors.h"

#include <functional>
#include <tuple>

namespace tessera::cute {

/// begin, begin + step, ... below end.
class Range {
public:
  template <class T>
    requires std::constructible_from<Num, const T &>
  Range(const T &to, Place where = Place::current()) : begin(0), end(to), step(1), at(where) {}
  Range(const Num &from, const Num &to, const Num &by = 1, Place where = Place::current())
      : begin(from), end(to), step(by), at(where) {}
  Num begin, end, step;
  Place at;
};

namespace detail {
void loop(const Range &, const std::vector<Value *> &carried, const std::function<void(Num)> &body);
void while_loop(const std::vector<Value *> &carried, const std::function<Num()> &condition,
                const std::function<void()> &body, Place);
void branch(const Num &condition, const std::vector<Value *> &carried,
            const std::function<void()> &then, const std::function<void()> &otherwise, Place);
/// A condition, and the author's line that states it.
struct Condition {
  template <class T>
    requires std::constructible_from<Num, const T &>
  Condition(const T &truth, Place where = Place::current()) : holds(truth), at(where) {}
  Num holds;
  Place at;
};
/// Splits arguments into the last one, the body, and those before it, which are carried.
template <size_t bodies, class Tuple, class F> void split(Tuple &&all, F &&f) {
  constexpr size_t carried = std::tuple_size_v<std::remove_cvref_t<Tuple>> - bodies;
  [&]<size_t... i, size_t... b>(std::index_sequence<i...>, std::index_sequence<b...>) {
    f(std::tie(std::get<i>(all)...), std::get<carried + b>(all)...);
  }(std::make_index_sequence<carried>{}, std::make_index_sequence<bodies>{});
}
/// Whether loops, branches and launches hand it on: a value, or a struct of values, whose members()
/// returns std::tie of them.
template <class T>
inline constexpr bool has_values = std::is_base_of_v<Value, T> || requires(T &x) { x.members(); };
/// Adds the values of an argument; a number of C++ has none.
template <class T> void addValues(T &argument, std::vector<Value *> &values) {
  if constexpr (std::is_base_of_v<Value, T>)
    values.push_back(&argument);
  else if constexpr (has_values<T>)
    std::apply([&](auto &...each) { (addValues(each, values), ...); }, argument.members());
}
template <class... Ts> std::vector<Value *> valuesOf(const std::tuple<Ts &...> &arguments) {
  static_assert((has_values<Ts> && ...),
                "a loop or branch carries variables of Num, Tensor, IntTuple, ... and structs of "
                "them, whose members() returns std::tie of them");
  std::vector<Value *> values;
  std::apply([&](auto &...each) { (addValues(each, values), ...); }, arguments);
  return values;
}
} // namespace detail

/// For(range, carried..., body): body(i, carried...).
template <class... Args> void For(const Range &range, Args &&...args) {
  detail::split<1>(std::forward_as_tuple(args...), [&](auto carried, auto &body) {
    detail::loop(range, detail::valuesOf(carried),
                 [&](Num i) { std::apply([&](auto &...each) { body(i, each...); }, carried); });
  });
}

/// While(carried..., condition, body): as long as condition(carried...) holds, body(carried...).
// A class, as a function cannot have a place after arguments of any number.
template <class First, class... Args> struct While {
  static_assert(detail::has_values<First>, "While takes the values to carry, condition and body");
  While(First &first, Args &&...args, Place at = Place::current()) {
    detail::split<2>(
        std::forward_as_tuple(first, args...), [&](auto carried, auto &condition, auto &body) {
          detail::while_loop(
              detail::valuesOf(carried), [&]() -> Num { return std::apply(condition, carried); },
              [&] { std::apply(body, carried); }, at);
        });
  }
};
template <class First, class... Args> While(First &, Args &&...) -> While<First, Args...>;

/// If(condition, carried..., then) or If(condition, carried..., then, otherwise): the branches
/// change the carried values by reference.
template <class... Args> void If(const detail::Condition &condition, Args &&...args) {
  constexpr size_t values = (size_t(detail::has_values<std::remove_cvref_t<Args>>) + ... + 0);
  static_assert(sizeof...(Args) - values == 1 || sizeof...(Args) - values == 2,
                "If takes a condition, the values to carry, and one or two branches");
  if constexpr (sizeof...(Args) - values == 1)
    detail::split<1>(std::forward_as_tuple(args...), [&](auto carried, auto &then) {
      detail::branch(
          condition.holds, detail::valuesOf(carried), [&] { std::apply(then, carried); }, {},
          condition.at);
    });
  else
    detail::split<2>(
        std::forward_as_tuple(args...), [&](auto carried, auto &then, auto &otherwise) {
          detail::branch(
              condition.holds, detail::valuesOf(carried), [&] { std::apply(then, carried); },
              [&] { std::apply(otherwise, carried); }, condition.at);
        });
}

} // namespace tessera::cute
