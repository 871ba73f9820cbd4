// For, While, If: control flow whose conditions are known only on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   For(n, acc, [&](Index i, auto &acc) { acc += x.load<64>(i); });            changes acc
//   auto [m, l] = For(irange(lo, hi), 0.f, 1.f, [&](Index i, auto m, auto l) {
//     return std::tuple(m + l, l); });                                         returns new values
//   auto y = If(x > 0, [&] { return a; }, [&] { return b; });
//
// The variables between the range and the body are carried from one iteration to the next: the body
// receives them, and the next iteration gets its results. Other assignments in the body are lost.
#pragma once

#include "tessera/tile_dsl/Views.h"

namespace tessera::tile {

/// The numbers from `lower` to `upper`, `upper` not included. Bounds are numbers or scalars.
struct irange {
  irange(const Index &to, detail::Where at = detail::Where::current())
      : irange(Index(0, at), to, Index(1, at), at) {}
  template <class V>
    requires std::is_integral_v<V>
  irange(V to, detail::Where at = detail::Where::current()) : irange(Index(int(to), at), at) {}
  irange(const Index &from, const Index &to, const Index &by = Index(),
         detail::Where at = detail::Where::current())
      : lower(from), upper(to), step(by.id() ? by : Index(1, at)), where(at) {}

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
/// The tile type that carries an argument.
template <class T> using CarriedTile = typename Carried<std::remove_cvref_t<T>>::type;

/// The values of a body's result: a tile, or a tuple of tiles.
template <class T> std::vector<Id> idsOfResult(const T &result) {
  if constexpr (AnyTile<T>)
    return {result.id()};
  else
    return idsOfTiles(result);
}
template <class T> inline constexpr bool isTupleOfTiles = false;
template <AnyTile... Ts> inline constexpr bool isTupleOfTiles<std::tuple<Ts...>> = true;
/// A single value as it is; several as a tuple.
template <class... Ts> auto unpacked(std::tuple<Ts...> tiles) {
  if constexpr (sizeof...(Ts) == 1)
    return std::get<0>(std::move(tiles));
  else
    return tiles;
}

/// Whether a body can be called with a loop's index, if it has one, and the carried values. Not
/// std::is_invocable, whose notes of the compiler lead through the standard library.
template <class Body, class... Args>
concept TakenBy = requires(Body &body, Args &...args) { body(args...); };

/// A variable of the host, which cannot take the result of a loop.
template <class Arg>
inline constexpr bool isHostVariable =
    std::is_lvalue_reference_v<Arg> && !std::is_const_v<std::remove_reference_t<Arg>> &&
    !AnyTile<std::remove_cvref_t<Arg>>;
template <class Args, size_t... i> constexpr bool carriesHostVariables(std::index_sequence<i...>) {
  return (isHostVariable<std::tuple_element_t<i, Args>> || ...);
}

/// Calls a body with the carried values and stores the ids of its results. The second member is
/// true if the body returned nothing and so changes its variables by reference. `Args` are what the
/// loop was given.
template <class Args, class... Ts, class Body, class... First>
std::pair<std::vector<Id>, bool> runBody(std::tuple<Ts...> &inside, Body &body,
                                         const First &...first) {
  constexpr bool fits = TakenBy<Body, const First..., Ts...>;
  static_assert(fits, "the body of a loop takes the index (For only), then what the loop carries; "
                      "or it does not compile, as the error above says");
  bool assigns = true;
  if constexpr (fits) {
    auto call = [&](Ts &...values) { return body(first..., values...); };
    using R = decltype(std::apply(call, inside));
    if constexpr (std::is_void_v<R>) {
      constexpr bool isLost = carriesHostVariables<Args>(std::index_sequence_for<Ts...>{});
      static_assert(!isLost, "a number of the host cannot take what the loop makes of it: declare "
                             "the variable as a tile, Tile<f32> s = 0.0f");
      std::apply(call, inside);
    } else {
      assigns = false;
      auto result = std::apply(call, inside);
      constexpr bool isOne = AnyTile<R>;
      using Results = std::conditional_t<isOne, std::tuple<R>, R>;
      constexpr bool agree = std::is_same_v<Results, std::tuple<Ts...>>;
      static_assert(agree, "the body returns the values that the loop carries, in their types");
      if constexpr (agree)
        inside = Results(result);
    }
  }
  return {idsOfTiles(inside), assigns};
}

/// Assigns a loop's results to the carried variables if the body changes them by reference.
template <class Tuple, class... Args, size_t... i>
void giveBack(bool assigns, const Tuple &results, std::tuple<Args...> &arguments,
              std::index_sequence<i...>) {
  if (assigns)
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
  auto [next, assigns] = runBody<Args>(inside, body, Index(frame.index));
  Inside results = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.finish(next), indices);
  giveBack(assigns, results, args, indices);
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
  constexpr bool fits =
      TakenBy<std::remove_reference_t<decltype(goesOn)>, const std::tuple_element_t<i, Inside>...>;
  static_assert(fits, "the condition of While takes what the loop carries; or it does not compile, "
                      "as the error above says");
  if constexpr (fits) {
    auto condition = std::apply([&](const auto &...values) { return goesOn(values...); }, inside);
    constexpr bool isTruth = std::is_same_v<decltype(condition), Tile<bool>>;
    static_assert(isTruth, "the condition of While returns a scalar of bool: Tile<bool>");
    if constexpr (isTruth)
      frame.condition(condition.id());
  }
  auto [next, assigns] = runBody<Args>(inside, body);
  Inside results = tilesFrom<std::tuple_element_t<i, Inside>...>(frame.finish(next), indices);
  giveBack(assigns, results, args, indices);
  if constexpr (sizeof...(i) > 0)
    return unpacked(results);
}
struct LineOnly {
  LineOnly(Where at = Where::current()) : where(at) {}
  Where where;
};
} // namespace detail

/// For(range, carried..., body): body(index, carried...) changes them by reference, or returns
/// them. Returns the values after the last iteration. An empty range leaves them as they are.
template <class... Args> auto For(irange range, Args &&...args) {
  static_assert(sizeof...(Args) > 0, "For takes a range, what it carries, and a body");
  return detail::forImpl(range, std::tuple<Args &&...>(std::forward<Args>(args)...),
                         std::make_index_sequence<sizeof...(Args) - 1>{});
}

/// While(carried..., condition, body): iterates while condition(carried...) holds.
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
  using R = decltype(then());
  constexpr bool agree = std::is_same_v<R, decltype(otherwise())>;
  constexpr bool areTiles = std::is_void_v<R> || AnyTile<R> || detail::isTupleOfTiles<R>;
  static_assert(agree, "both branches of If return values of the same types");
  static_assert(areTiles || !agree, "a branch of If returns a tile, a tuple of tiles, or nothing: "
                                    "Tile<f32>(0) makes a tile of a number");
  detail::IfFrame frame(condition.id(), where);
  if constexpr (!agree || !areTiles)
    return R();
  else if constexpr (std::is_void_v<R>) {
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
  static_assert(std::is_void_v<decltype(then())>, "an If that returns a value needs both branches");
  detail::IfFrame frame(condition.id(), where);
  then();
  frame.otherwise({});
  frame.finish({});
}
/// A tile of several elements is not a condition.
template <AnyTile C, class... Branches>
  requires(!std::is_same_v<C, Tile<bool>>)
void If(const C &, Branches &&...) {
  static_assert(detail::never<C>, "If takes one truth, a Tile<bool>: all_of(x) and any_of(x) make "
                                  "one of a tile, and select chooses element by element");
}

} // namespace tessera::tile
