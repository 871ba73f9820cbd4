// Result<T>: a value, or the reason why there is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tessera {

/// Why an operation refused: the id of a row in a `.def` file and the sentence a user reads.
struct Reason {
  std::string_view id;
  std::string text;
};

/// Either a `T` or a `Reason`. Pure rooms return it if input may be wrong; nothing throws.
template <class T> class [[nodiscard]] Result {
public:
  Result(T &&value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(const T &value) : state(std::in_place_index<0>, value) {}
  /// A new value, to be filled in place.
  explicit Result(std::in_place_t) : state(std::in_place_index<0>) {}
  Result(Reason reason) : state(std::in_place_index<1>, std::move(reason)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return std::get<0>(state); }
  const T &operator*() const & { return std::get<0>(state); }
  T &&operator*() && { return std::get<0>(std::move(state)); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }

  const Reason &reason() const & { return std::get<1>(state); }
  Reason &&reason() && { return std::get<1>(std::move(state)); }

private:
  std::variant<T, Reason> state;
};

namespace detail {
inline void appendPiece(std::string &out, std::string_view piece) { out += piece; }
inline void appendPiece(std::string &out, char piece) { out += piece; }
template <class N>
  requires std::is_arithmetic_v<N>
void appendPiece(std::string &out, N number) {
  out += std::to_string(number);
}
} // namespace detail

/// Concatenates text and numbers, to build messages.
template <class... Pieces> std::string cat(const Pieces &...pieces) {
  std::string out;
  (detail::appendPiece(out, pieces), ...);
  return out;
}

} // namespace tessera

/// `TESSERA_TRY(auto x, compute());` binds the value, or returns the reason to the caller.
#define TESSERA_TRY(declaration, expression) TESSERA_TRY_AT(declaration, expression, __LINE__)
#define TESSERA_TRY_AT(declaration, expression, line)                                              \
  TESSERA_TRY_NAMED(declaration, expression, line)
#define TESSERA_TRY_NAMED(declaration, expression, line)                                           \
  auto result_##line = (expression);                                                               \
  if (!result_##line)                                                                              \
    return std::move(result_##line).reason();                                                      \
  declaration = *std::move(result_##line)
