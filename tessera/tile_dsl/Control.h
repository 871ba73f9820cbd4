// For, While, If: control flow whose conditions are known only on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   For(n, acc, [&](Index i, auto &acc) { acc += x.load<64>(i); });            changes acc
//   auto [m, l] = For(irange(lo, hi), 0.f, 1.f, [&](Index i, auto m, auto l) {
//     return std::tuple(m + l, l); });                                         returns new values
//   auto y = If(x > 0, [&] { return a; }, [&] { return b; });
//
// The variables between the range and the body are carried from one turn to the next: the body gets
// them, and what it makes of them goes on. What the body assigns otherwise does not leave it.
#pragma once

#include "tessera/tile_dsl/Views.h"

namespace tessera::tile {

/// The numbers from `lower` to `upper`, `upper` not included. Bounds are numbers or scalars.
struct irange {
  irange(const Index &upper, detail::Where where = detail::Where::current())
      : irange(Index(0, where), upper, Index(1, where), where) {}
  template <class V>
    requires std::is_integral_v<V>
  irange(V upper, detail::Where where = detail::Where::current())
      : irange(Index(int(upper), where), where) {}
  irange(const Index &lower, const Index &upper, const Index &step = Index(),
         detail::Where where = detail::Where::current())
      : lower(lower), upper(upper), step(step.id() ? step : Index(1, where)), where(where) {}

  Index lower, upper, step;
  detail::Where where;
};

namespace detail {

template <class T> struct Carried {
  static_assert(AnyTile<T>, "what a loop carries is a tile; numbers of the host become scalars: "
                            "Tile<f32>(0)");
  using type = T;
};
template <class T>
  requires std::is_floating_point_v<T>
struct Carried<T> {
  using type = Tile<f32>;
};
template <class T>
  requires std::is_integral_v<T>
struct Carried<T> {
  using type = std::conditional_t<std::is_same_v<T, bool>, Tile<bool>, Tile<T>>;
};
/// The tile that an argument is carried as.
template <class T> using CarriedTile = typename Carried<std::remove_cvref_t<T>>::type;

/// The values of a body's result: a tile, or a tuple of tiles.
template <class T> std::vector<Id> idsOfResult(const T &result) {
  if constexpr (AnyTile<T>)
    return {result.id()};
  else
    return idsOfTiles(result);
}
/// One value as it is, several as a tuple.
template <class... Ts> auto unpacked(std::tuple<Ts...> tiles) {
  if constexpr (sizeof...(Ts) == 1)
    return std::get<0>(std::move(tiles));
  else
    return tiles;
}

/// Calls a body on what a loop carries; the ids that it carries on.
template <class... Ts, class Body, class... First>
std::vector<Id> runBody(std::tuple<Ts...> &inside, Body &&body, const First &...first) {
  auto call = [&](Ts &...values) { return body(first..., values...); };
  static_assert(std::is_invocable_v<Body &, const First &..., Ts &...>,
                "the body of a loop takes the index (For only), then what the loop carries");
  using R = std::invoke_result_t<Body &, const First &..., Ts &...>;
  if constexpr (std::is_void_v<R>)
    std::apply(call, inside);
  else {
    auto result = std::apply(call, inside);
    if constexpr (sizeof...(Ts) == 1 && !AnyTile<R>)
      static_assert(never<R>, "the body returns the value that the loop carries on");
    else if constexpr (AnyTile<R>) {
      static_assert(std::is_same_v<std::tuple<R>, std::tuple<Ts...>>,
                    "the body returns the values that the loop carries, in their types");
      inside = std::tuple(result);
    } else {
      static_assert(std::is_same_v<R, std::tuple<Ts...>>,
                    "the body returns the values that the loop carries, in their types");
      inside = result;
    }
  }
  return idsOfTiles(inside);
}

/// Stores a loop's results in the variables that were carried, where the body changes them.
template <bool assigns, class Tuple, class... Args, size_t... i>
void giveBack(const Tuple &results, std::tuple<Args...> &arguments, std::index_sequence<i...>) {
  if constexpr (assigns)
    (
        [&] {
          using Arg = std::tuple_element_t<i, std::tuple<Args...>>;
          if constexpr (std::is_lvalue_reference_v<Arg> &&
                        !std::is_const_v<std::remove_reference_t<Arg>> &&
                        AnyTile<std::remove_cvref_t<Arg>>)
            std::get<i>(arguments) = std::get<i>(results);
        }(),
        ...);
}

template <class Args, size_t... i>
auto forImpl(const irange &range, Args args, std::index_sequence<i...>) {
  auto &body = std::get<sizeof...(i)>(args);
  using Inside = std::tuple<CarriedTile<std::tuple_element_t<i, Args>>...>;
  auto indices = std::make_index_sequence<sizeof...(i)>{};
  Inside initial{std::tuple_element_t<i, Inside>(std::get<i>(args))...};
  ForFrame frame(range.lower.id(), range.upper.id(), range.step.id(), false, idsOfTiles(initial),
                 range.where);
  Inside inside = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.inside, indices);
  using R =
      std::invoke_result_t<decltype(body), const Index &, std::tuple_element_t<i, Inside> &...>;
  std::vector<Id> next = runBody(inside, body, Index(frame.index));
  Inside results = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.finish(next), indices);
  giveBack<std::is_void_v<R>>(results, args, indices);
  if constexpr (sizeof...(i) > 0)
    return unpacked(results);
}

template <class Args, size_t... i>
auto whileImpl(Args args, std::index_sequence<i...>, const Where &where) {
  auto &goesOn = std::get<sizeof...(i)>(args);
  auto &body = std::get<sizeof...(i) + 1>(args);
  using Inside = std::tuple<CarriedTile<std::tuple_element_t<i, Args>>...>;
  auto indices = std::make_index_sequence<sizeof...(i)>{};
  Inside initial{std::tuple_element_t<i, Inside>(std::get<i>(args))...};
  WhileFrame frame(idsOfTiles(initial), where);
  Inside inside = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.inside, indices);
  auto condition = std::apply([&](const auto &...values) { return goesOn(values...); }, inside);
  static_assert(std::is_same_v<decltype(condition), Tile<bool>>,
                "the condition of While returns a scalar of bool: Tile<bool>");
  frame.condition(condition.id());
  using R = std::invoke_result_t<decltype(body), std::tuple_element_t<i, Inside> &...>;
  std::vector<Id> next = runBody(inside, body);
  Inside results = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.finish(next), indices);
  giveBack<std::is_void_v<R>>(results, args, indices);
  if constexpr (sizeof...(i) > 0)
    return unpacked(results);
}
struct LineOnly {
  LineOnly(Where where = Where::current()) : where(where) {}
  Where where;
};
} // namespace detail

/// For(range, carried..., body): body(index, carried...) changes them by reference, or returns
/// them. Returns the values after the last turn. An empty range leaves them as they are.
template <class... Args> auto For(irange range, Args &&...args) {
  static_assert(sizeof...(Args) > 0, "For takes a range, what it carries, and a body");
  return detail::forImpl(range, std::tuple<Args &&...>(std::forward<Args>(args)...),
                         std::make_index_sequence<sizeof...(Args) - 1>{});
}

/// While(carried..., condition, body): as long as condition(carried...) holds.
template <class First, class... Args> auto While(First &&first, Args &&...args) {
  static_assert(sizeof...(Args) >= 2, "While takes what it carries, a condition and a body");
  detail::Where where = detail::lineOf(detail::CarriedTile<First>(first).id());
  return detail::whileImpl(
      std::tuple<First &&, Args &&...>(std::forward<First>(first), std::forward<Args>(args)...),
      std::make_index_sequence<sizeof...(Args) - 1>{}, where);
}

/// If(condition, then, otherwise): both return the same type, a tile or a tuple, or nothing.
template <class Then, class Otherwise>
auto If(const Tile<bool> &condition, Then &&then, Otherwise &&otherwise,
        detail::Where where = detail::Where::current()) {
  using R = std::invoke_result_t<Then &>;
  static_assert(std::is_same_v<R, std::invoke_result_t<Otherwise &>>,
                "both branches of If return values of the same types");
  detail::IfFrame frame(condition.id(), where);
  if constexpr (std::is_void_v<R>) {
    then();
    frame.otherwise({});
    otherwise();
    frame.finish({});
  } else {
    std::vector<detail::Id> ids = detail::idsOfResult(then());
    frame.otherwise(ids);
    ids = frame.finish(detail::idsOfResult(otherwise()));
    if constexpr (AnyTile<R>)
      return R(ids.empty() ? detail::Id() : ids[0]);
    else
      return [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
        return detail::tilesFrom<Ts...>(ids, std::index_sequence_for<Ts...>{});
      }(std::type_identity<R>{});
  }
}
template <class Then>
void If(const Tile<bool> &condition, Then &&then, detail::Where where = detail::Where::current()) {
  static_assert(std::is_void_v<std::invoke_result_t<Then &>>,
                "an If that returns a value needs both branches");
  detail::IfFrame frame(condition.id(), where);
  then();
  frame.otherwise({});
  frame.finish({});
}

} // namespace tessera::tile
