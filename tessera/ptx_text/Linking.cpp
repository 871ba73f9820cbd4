// Links on the level of words: what stays keeps its lines, so that places of the source still fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Linking.h"

#include "tessera/ptx_text/Lexer.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace tessera::ptx_text {

namespace {

/// How far a name reaches; of two definitions the later of these counts.
enum class Linkage : uint8_t {
  Own,
  Extern,
  Common,
  Weak,
  Visible
};
constexpr std::pair<std::string_view, Linkage> linkages[] = {{".extern", Linkage::Extern},
                                                             {".common", Linkage::Common},
                                                             {".weak", Linkage::Weak},
                                                             {".visible", Linkage::Visible}};
constexpr std::string_view variableSpaces[] = {".global", ".const",      ".shared",
                                               ".texref", ".samplerref", ".surfref"};

/// A function or variable of a module: its tokens from `first` up to before `end`.
struct Entity {
  std::string_view name = {};
  Linkage linkage = Linkage::Own;
  bool isDefinition = false; // and not a prototype, nor declared .extern
  size_t first = 0, end = 0;
  int line = 0;
};

class Module {
public:
  explicit Module(std::string_view text) : text(text) {}

  Status read() {
    TESSERA_TRY(tokens, tokenize(text));
    for (size_t at = 0; at < tokens.size() && tokens[at].kind != Token::End;) {
      if (isHead(tokens[at]))
        at = entity(at);
      else if (tokens[at].is(".section"))
        at = pastBraces(at);
      else
        ++at;
    }
    return Done{};
  }

  std::string_view text;
  std::vector<Token> tokens{};
  std::vector<Entity> entities{};

private:
  static bool isHead(const Token &token) {
    auto is = [&](std::string_view word) { return token.is(word); };
    return is(".entry") || is(".func") ||
           std::any_of(std::begin(variableSpaces), std::end(variableSpaces), is) ||
           std::any_of(std::begin(linkages), std::end(linkages),
                       [&](auto &row) { return is(row.first); });
  }
  bool ended(size_t at) const { return at >= tokens.size() || tokens[at].kind == Token::End; }

  size_t pastBraces(size_t at) const {
    while (!ended(at) && !tokens[at].is("{"))
      ++at;
    for (int open = 0; !ended(at); ++at) {
      open += tokens[at].is("{") ? 1 : tokens[at].is("}") ? -1 : 0;
      if (!open)
        return at + 1;
    }
    return at;
  }

  /// Of a function the name is the first word after the results; of a variable the last before its
  /// extents, its value or its end. A list of variables goes by its first name.
  size_t entity(size_t at) {
    Entity e{.first = at, .line = tokens[at].line};
    bool isFunction = false;
    for (; !ended(at) && tokens[at].text.starts_with('.'); ++at) {
      for (auto [word, linkage] : linkages)
        if (tokens[at].is(word))
          e.linkage = linkage;
      isFunction |= tokens[at].is(".func") || tokens[at].is(".entry");
      // .align 8, .attribute(.managed)
      if (tokens[at].is(".align"))
        ++at;
      if (tokens[at].is(".attribute"))
        at = pastParentheses(at + 1) - 1;
    }
    if (isFunction && !ended(at) && tokens[at].is("("))
      at = pastParentheses(at);
    if (!ended(at))
      e.name = tokens[at].text;
    bool hasBody = false;
    for (; !ended(at) && !tokens[at].is(";"); ++at)
      if (tokens[at].is("{")) {
        size_t after = pastBraces(at);
        hasBody = isFunction;
        at = after - 1;
        if (isFunction)
          break;
      }
    e.end = std::min(at + 1, tokens.size());
    e.isDefinition = isFunction ? hasBody : e.linkage != Linkage::Extern;
    entities.push_back(e);
    return e.end;
  }
  size_t pastParentheses(size_t at) const {
    for (int open = 0; !ended(at); ++at) {
      open += tokens[at].is("(") ? 1 : tokens[at].is(")") ? -1 : 0;
      if (!open)
        return at + 1;
    }
    return at;
  }
};

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Writes a module after what is there already.
class Writer {
public:
  /// Of all modules.
  std::string version, target;

  void add(const Module &module, const std::vector<bool> &isLeftOut,
           const std::map<std::string_view, std::string> &renamed, size_t index) {
    size_t copied = 0; // of the text
    auto upTo = [&](size_t place) {
      out.append(module.text.substr(copied, place - copied));
      copied = place;
    };
    auto replace = [&](const Token &token, std::string_view by) {
      size_t place = size_t(token.text.data() - module.text.data());
      upTo(place);
      out += by;
      copied = place + token.text.size();
    };
    const int firstFile = lastFile;
    auto file = [&](const Token &token) {
      int index = firstFile + number(token.text);
      lastFile = std::max(lastFile, index);
      replace(token, std::to_string(index));
    };
    const std::vector<Token> &t = module.tokens;
    for (size_t i = 0; i + 1 < t.size(); ++i) {
      if (t[i].kind == Token::String)
        continue;
      bool isHeader = t[i].is(".version") || t[i].is(".target") || t[i].is(".address_size");
      if (isHeader && index == 0) {
        if (!t[i].is(".address_size"))
          replace(t[i + 1], t[i].is(".version") ? version : target);
        ++i;
      } else if (isHeader) {
        replace(t[i], "");
        while (i + 1 < t.size() && t[i + 1].line == t[i].line && t[i + 1].kind != Token::End)
          replace(t[++i], "");
      } else if (isLeftOut[i])
        replace(t[i], "");
      else if (t[i].is(".file") || t[i].is(".loc") || t[i].is("inlined_at"))
        file(t[i + 1]);
      else if (auto found = renamed.find(t[i].text); found != renamed.end())
        replace(t[i], found->second);
      else if (index && t[i].text.starts_with("$L__info_string"))
        replace(t[i], cat(t[i].text, "$", index)); // names of functions, in sections of all modules
    }
    upTo(module.text.size());
    out += '\n';
  }
  std::string take() { return std::move(out); }

private:
  std::string out;
  int lastFile = 0;
};

/// "sm_90a" after "sm_90" after "sm_80".
bool isOlder(std::string_view a, std::string_view b) {
  auto key = [](std::string_view target) {
    size_t digits = std::min(target.find_first_of("0123456789"), target.size());
    return std::pair(number(target.substr(digits)), target);
  };
  return key(a) < key(b);
}

} // namespace

Result<std::string> link(const std::vector<std::string> &texts) {
  std::vector<Module> modules(texts.begin(), texts.end());
  Writer writer;
  std::set<std::string_view> taken; // names that more than one module may use
  struct Defined {
    const Entity *entity;
    const Module *module;
  };
  std::map<std::string_view, Defined> defined;
  for (Module &module : modules) {
    TESSERA_CHECK(module.read());
    for (size_t i = 0; i + 1 < module.tokens.size(); ++i) {
      std::string_view next = module.tokens[i + 1].text;
      if (module.tokens[i].is(".version") && (writer.version.empty() || next > writer.version))
        writer.version = next;
      if (module.tokens[i].is(".target") && (writer.target.empty() || isOlder(writer.target, next)))
        writer.target = next;
    }
    for (const Entity &e : module.entities) {
      if (e.linkage == Linkage::Own)
        continue;
      taken.insert(e.name);
      if (!e.isDefinition)
        continue;
      auto [found, isNew] = defined.try_emplace(e.name, Defined{&e, &module});
      if (isNew)
        continue;
      Defined &other = found->second;
      if (e.linkage == Linkage::Visible && other.entity->linkage == Linkage::Visible)
        return atLine(module.text, e.line, fail(Error::MultipleDefinitions, e.name));
      if (e.linkage > other.entity->linkage)
        other = {&e, &module};
    }
  }
  for (size_t index = 0; index < modules.size(); ++index) {
    const Module &module = modules[index];
    std::map<std::string_view, std::string> renamed;
    std::set<std::string_view> own; // prototypes come before their definitions
    std::vector<bool> isLeftOut(module.tokens.size());
    for (const Entity &e : module.entities) {
      auto found = defined.find(e.name);
      if (e.linkage == Linkage::Own) {
        if (own.insert(e.name).second && !taken.insert(e.name).second)
          renamed[e.name] = cat(e.name, "$", index);
      } else if (found != defined.end() && found->second.entity != &e &&
                 (e.isDefinition || e.linkage == Linkage::Extern))
        std::fill(isLeftOut.begin() + ptrdiff_t(e.first), isLeftOut.begin() + ptrdiff_t(e.end),
                  true);
    }
    writer.add(module, isLeftOut, renamed, index);
  }
  return writer.take();
}

} // namespace tessera::ptx_text
