// Writes JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Json.h"

#include "tessera/base/Printable.h"

#include <algorithm>

namespace tessera::sim_reports {

Object::Object() = default;
Object::Object(std::initializer_list<Entry> given) : all(given) {}
Object::Object(const Object &) = default;
Object::Object(Object &&) noexcept = default;
Object &Object::operator=(const Object &) = default;
Object &Object::operator=(Object &&) noexcept = default;
Object::~Object() = default;

Value &Object::operator[](std::string_view name) {
  auto found =
      std::find_if(all.begin(), all.end(), [&](const Entry &e) { return e.first == name; });
  return found == all.end() ? all.emplace_back(std::string(name), Value(false)).second
                            : found->second;
}

namespace {

void quote(std::string &to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    size_t length = 1;
    constexpr char digits[] = "0123456789abcdef";
    if (c == '"' || c == '\\')
      to += {'\\', c};
    else if (c == '\n')
      to += "\\n";
    else if (c == '\t')
      to += "\\t";
    else if (c == '\r')
      to += "\\r";
    else if (byte < 0x20)
      to += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    else if (byte < 0x80)
      to += c;
    else if (size_t whole = detail::printableLength(text))
      to += text.substr(0, length = whole);
    else
      to += "\xef\xbf\xbd";
    text.remove_prefix(length);
  }
  to += '"';
}

} // namespace

void Value::write(std::string &to, size_t level) const {
  auto lines = [&](const auto &list, char begin, char end, auto one) {
    to += begin;
    bool first = true;
    for (const auto &element : list) {
      to += first ? "\n" : ",\n";
      to.append(level + 1, ' ');
      one(element);
      first = false;
    }
    if (!first) {
      to += '\n';
      to.append(level, ' ');
    }
    to += end;
  };
  if (auto *is = std::get_if<bool>(&held))
    to += *is ? "true" : "false";
  else if (auto *number = std::get_if<int64_t>(&held))
    to += std::to_string(*number);
  else if (auto *text = std::get_if<std::string>(&held))
    quote(to, *text);
  else if (auto *array = std::get_if<Array>(&held))
    lines(*array, '[', ']', [&](const Value &value) { value.write(to, level + 1); });
  else {
    const Object &object = std::get<Object>(held);
    std::vector<const Object::Entry *> entries;
    for (const Object::Entry &entry : object.entries())
      entries.push_back(&entry);
    if (!object.isOrdered)
      std::stable_sort(entries.begin(), entries.end(),
                       [](auto *a, auto *b) { return a->first < b->first; });
    lines(entries, '{', '}', [&](const Object::Entry *entry) {
      quote(to, entry->first);
      to += ": ";
      entry->second.write(to, level + 1);
    });
  }
}

std::string Value::str() const {
  std::string out;
  write(out, 0);
  return out + '\n';
}

} // namespace tessera::sim_reports
