// Json: values that are written as JSON. RFC 8259.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::sim_reports {

class Value;
using Array = std::vector<Value>;

/// Written in the order of its names, or as it was made.
class Object {
public:
  using Entry = std::pair<std::string, Value>;
  Object();
  Object(std::initializer_list<Entry>);
  Object(const Object &);
  Object(Object &&) noexcept;
  Object &operator=(const Object &);
  Object &operator=(Object &&) noexcept;
  ~Object();

  Value &operator[](std::string_view name);
  bool isOrdered = false; // as it was made
  const std::vector<Entry> &entries() const { return all; }

private:
  std::vector<Entry> all;
};

/// A boolean, an integer, a text, an array or an object. Bytes of a text that are not UTF-8 become
/// U+FFFD.
class Value {
public:
  template <class T>
    requires std::is_same_v<T, bool>
  Value(T given) : held(given) {}
  Value(int given) : held(int64_t(given)) {}
  Value(int64_t given) : held(given) {}
  Value(std::string given) : held(std::move(given)) {}
  Value(std::string_view given) : held(std::string(given)) {}
  Value(const char *given) : held(std::string(given)) {}
  Value(Array given) : held(std::move(given)) {}
  Value(Object given) : held(std::move(given)) {}

  /// On lines of their own, each level a blank further in, and a line end after the last.
  std::string str() const;

private:
  void write(std::string &to, size_t level) const;
  std::variant<bool, int64_t, std::string, Array, Object> held;
};

} // namespace tessera::sim_reports
