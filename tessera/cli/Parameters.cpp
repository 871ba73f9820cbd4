// Parameters of a text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Parameters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace tessera::cli {

namespace {

using Text = std::string_view;
constexpr size_t none = Text::npos;

struct Span {
  size_t begin, end;
};

bool isOneOf(char c, Text set) { return set.find(c) != none; }
bool isInName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || isOneOf(c, "_$.-"); }

/// The end of the string that begins at `at`.
size_t endOfString(Text text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// What is in the string that begins at `at`, up to the end of the text where it does not end.
Span insideOfString(Text text, size_t at) {
  size_t end = endOfString(text, at);
  return {at + 1, end > at + 1 && text[end - 1] == '"' ? end - 1 : end};
}

/// Where a text ends at a comma or bracket that was not opened in it.
size_t endOfValue(Text text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      i = endOfString(text, i) - 1;
      continue;
    }
    if (isOneOf(c, "([{<"))
      ++depth;
    bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    bool closes = isOneOf(c, ")]}>") && !arrow;
    if (depth == 0 && (c == ',' || closes || c == '\n'))
      return i;
    depth -= closes;
  }
  return text.size();
}

std::vector<std::string> parted(Text values) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= values.size();) {
    size_t end = endOfValue(values, at);
    if (end < values.size() && values[end] != ',') // a bracket too many belongs to the value
      end = values.size();
    out.emplace_back(values.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

size_t lineOf(Text text, size_t at) {
  return size_t(std::count(text.begin(), text.begin() + long(at), '\n')) + 1;
}

/// The statement that begins at `at`, without its location: up to the next line that begins one.
Span statement(Text text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != none) {
    size_t next = text.find_first_not_of(" \t\n", end);
    bool goesOn = next != none && !isOneOf(text[next], "%}^!#") && text[next] != '"' &&
                  !std::isalpha(static_cast<unsigned char>(text[next]));
    if (!goesOn)
      break;
    end = text.find('\n', next);
  }
  end = std::min(end, text.size());
  size_t location = text.substr(at, end - at).find(" loc(");
  return {at, location == none ? end : at + location};
}

/// Where names of that spelling are defined: at the beginning of a line, before `=`.
std::vector<Span> definitions(Text text, Text name) {
  std::vector<Span> found;
  for (size_t line = 0; line < text.size();) {
    size_t end = std::min(text.find('\n', line), text.size());
    Text all = text.substr(line, end - line);
    size_t begin = all.find_first_not_of(" \t"), equals = all.find(" =");
    if (begin != none && equals != none && begin < equals) {
      Text names = all.substr(begin, equals - begin);
      for (size_t at = names.find(name); at != none; at = names.find(name, at + 1)) {
        size_t after = at + name.size();
        bool whole = after == names.size() || !isInName(names[after]);
        if (whole && (at == 0 || names[at - 1] == ' ' || names[at - 1] == ',')) {
          Span all = statement(text, line + equals + 2);
          found.push_back({std::min(text.find_first_not_of(' ', all.begin), all.end), all.end});
        }
      }
    }
    line = end + 1;
  }
  return found;
}

/// The values after `key =` in a part of a text.
std::vector<Span> valuesOf(Text text, Span in, Text key) {
  std::vector<Span> found;
  for (size_t at = text.find(key, in.begin); at != none && at < in.end;
       at = text.find(key, at + 1)) {
    size_t after = text.find_first_not_of(' ', at + key.size());
    if ((at > 0 && isInName(text[at - 1])) || after == none || text[after] != '=')
      continue;
    size_t begin = text.find_first_not_of(' ', after + 1);
    if (begin == none)
      continue;
    Span value{begin, endOfValue(text, begin)};
    // <"...">: what is in the quotes; `4 : i32`: the number.
    if (text.substr(value.begin).starts_with("<\""))
      value = insideOfString(text, value.begin + 1);
    else if (size_t type = text.substr(value.begin, value.end - value.begin).find(" : ");
             type != none)
      value.end = value.begin + type;
    while (value.end > value.begin && text[value.end - 1] == ' ')
      --value.end;
    found.push_back(value);
  }
  return found;
}

/// The texts in quotes of a statement, without the name of its op.
std::vector<Span> quoted(Text text, Span in) {
  std::vector<Span> found;
  for (size_t i = in.begin; i < in.end; ++i)
    if (text[i] == '"') {
      size_t end = endOfString(text, i);
      if (end >= text.size() || text[end] != '(')
        found.push_back(insideOfString(text, i));
      i = end - 1;
    }
  return found;
}

/// The number of an arith.constant in either form, or of `constant <i32: 64> : tile<i32>`.
std::optional<Span> constant(Text text, Span in) {
  constexpr Text pretty = "arith.constant ", generic = "\"arith.constant\"";
  Text all = text.substr(in.begin, in.end - in.begin);
  if (all.starts_with(generic)) {
    std::vector<Span> values = valuesOf(text, in, "value");
    return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
  }
  if (all.starts_with("constant <") || all.starts_with("cuda_tile.constant <")) {
    size_t colon = all.find(": "), end = all.find('>');
    if (colon > end || end == none)
      return std::nullopt;
    return Span{in.begin + colon + 2, in.begin + end};
  }
  if (!all.starts_with(pretty))
    return std::nullopt;
  size_t begin = in.begin + pretty.size();
  size_t end = std::min(text.find(" :", begin), in.end);
  return Span{begin, end};
}

std::string linesOf(Text text, const std::vector<Span> &places) {
  std::string lines;
  for (const Span &place : places)
    lines += cat(lines.empty() ? "" : ", ", lineOf(text, place.begin));
  return lines;
}

/// The only one, or that on the line.
Result<Span> onlyOne(Text text, std::vector<Span> places, size_t line, Text name, Text what) {
  if (line)
    std::erase_if(places, [&](const Span &place) { return lineOf(text, place.begin) != line; });
  if (places.size() == 1)
    return places[0];
  if (places.empty())
    return Reason{"NoParameter", cat("--param ", name, ": the file has no ", what,
                                     line ? cat(" on line ", line) : std::string())};
  return Reason{"ManyParameters",
                cat("--param ", name, ": the file has ", places.size(), " of it, ", "on lines ",
                    linesOf(text, places), "; choose one with @LINE after the name")};
}

} // namespace

std::vector<std::string> valuesIn(Text list) { return parted(list); }

Result<Parameter> findParameter(Text text, Text option) {
  size_t equals = option.find('=');
  if (equals == none || equals == 0 || equals + 1 == option.size())
    return Reason{"Parameter", cat("--param expects NAME=VALUE,VALUE,... but got '", option, "'")};
  Parameter out{std::string(option.substr(0, equals)), parted(option.substr(equals + 1))};
  Text name = out.name;
  size_t line = 0;
  if (size_t at = name.rfind('@'); at != none) {
    Text digits = name.substr(at + 1);
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (error != std::errc() || stop != digits.data() + digits.size() || line == 0)
      return Reason{"Parameter", cat("--param ", out.name, ": expects a line after @, from 1")};
    name = name.substr(0, at);
    if (name.empty())
      return Reason{"Parameter", cat("--param ", out.name, ": expects a name before @")};
  }
  if (!isOneOf(name[0], "%!#")) {
    TESSERA_TRY(Span value, onlyOne(text, valuesOf(text, {0, text.size()}, name), line, out.name,
                                    cat("'", name, " = ...'")));
    out.begin = value.begin;
    out.end = value.end;
    return out;
  }
  // A dot may be part of the name: the longest name that is defined.
  std::vector<Span> defined = definitions(text, name);
  Text key;
  for (size_t dot = name.rfind('.'); defined.empty() && dot != none && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    defined = definitions(text, name.substr(0, dot));
    key = name.substr(dot + 1);
  }
  TESSERA_TRY(Span definition, onlyOne(text, defined, line, out.name, cat("definition of ", name)));
  const bool isAlias = name[0] != '%';
  std::vector<Span> places;
  if (!key.empty())
    places = valuesOf(text, definition, key);
  else if (std::optional<Span> number = constant(text, definition))
    places = {*number};
  else
    places = quoted(text, definition);
  if (!isAlias && key.empty() && places.size() > 1)
    places = {places.back()};
  if (isAlias && key.empty()) {
    out.whole = definition.begin;
    out.wholeEnd = definition.end;
    bool allWhole = std::all_of(out.values.begin(), out.values.end(), [](const std::string &value) {
      return value.starts_with('!') || value.starts_with('#');
    });
    if (allWhole)
      places = {definition};
  }
  if (places.size() != 1)
    return Reason{"ParameterPlace",
                  cat("--param ", out.name, ": its definition on line ",
                      lineOf(text, definition.begin), " has ", places.size(),
                      " values that could be meant", key.empty() ? "" : cat(" by ", key),
                      "; name one as ", name, ".KEY, for what stands after 'KEY ='")};
  out.begin = places[0].begin;
  out.end = places[0].end;
  return out;
}

Result<std::string> withValues(Text text, const std::vector<Parameter> &parameters,
                               const std::vector<size_t> &chosen) {
  struct Edit {
    size_t begin, end;
    const std::string *value;
  };
  std::vector<Edit> edits;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &p = parameters[i];
    if (!p.hint.empty())
      continue;
    const std::string &value = p.values[chosen[i]];
    bool whole = p.wholeEnd && (value.starts_with('!') || value.starts_with('#'));
    edits.push_back({whole ? p.whole : p.begin, whole ? p.wholeEnd : p.end, &value});
  }
  std::sort(edits.begin(), edits.end(),
            [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
  std::string out;
  size_t at = 0;
  for (const Edit &edit : edits) {
    if (edit.begin < at)
      return Reason{"SameParameter", "two --param name the same place of the file"};
    out += text.substr(at, edit.begin - at);
    out += *edit.value;
    at = edit.end;
  }
  out += text.substr(at);
  return out;
}

} // namespace tessera::cli
