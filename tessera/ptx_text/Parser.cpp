// Reads modules: directives, variables, functions and their bodies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Parser.h"

#include "tessera/base/Nearest.h"
#include "tessera/ptx_text/Cursor.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

namespace tessera::ptx_text {

namespace {

constexpr uint64_t maxVariableBytes = uint64_t(1) << 32;

constexpr std::pair<std::string_view, Space> spaces[] = {
    {".reg", Space::Reg},       {".sreg", Space::Special},      {".const", Space::Const},
    {".global", Space::Global}, {".local", Space::Local},       {".param", Space::Param},
    {".shared", Space::Shared}, {".shared::cta", Space::Shared}};

std::optional<Space> findSpace(std::string_view word) {
  for (auto [name, space] : spaces)
    if (name == word)
      return space;
  return std::nullopt;
}

/// How far a directive extends that has no effect on what a kernel computes.
enum class Skip : uint8_t {
  Nothing,
  Integer,
  Line,
  Statement,
  Section
};
constexpr std::pair<std::string_view, Skip> skipped[] = {{".visible", Skip::Nothing},
                                                         {".weak", Skip::Nothing},
                                                         {".common", Skip::Nothing},
                                                         {".noreturn", Skip::Nothing},
                                                         {".unified", Skip::Nothing},
                                                         {".explicitcluster", Skip::Nothing},
                                                         {".blocksareclusters", Skip::Nothing},
                                                         {".maxnctapersm", Skip::Integer},
                                                         {".maxclusterrank", Skip::Integer},
                                                         {".address_size", Skip::Integer},
                                                         {".abi_preserve", Skip::Integer},
                                                         {".abi_preserve_control", Skip::Integer},
                                                         {".file", Skip::Line},
                                                         {".loc", Skip::Line},
                                                         {".pragma", Skip::Statement},
                                                         {".alias", Skip::Statement},
                                                         {".section", Skip::Section}};

constexpr std::string_view topLevelNames[] = {".version", ".target", ".extern", ".entry", ".func"};
constexpr std::string_view qualifierNames[] = {".align", ".v2", ".v4", ".v8", ".ptr", ".attribute"};
constexpr std::string_view attributeNames[] = {".reqntid", ".maxntid", ".reqnctapercluster",
                                               ".maxnreg", ".minnctapersm"};

/// Names the nearest of the directives that are known: those of the place, of spaces and types, and
/// those that are skipped.
Reason unknownDirective(std::string_view word, std::span<const std::string_view> ofPlace) {
  std::vector<std::string> names(ofPlace.begin(), ofPlace.end());
  for (auto [name, space] : spaces)
    names.emplace_back(name);
  for (auto [name, reach] : skipped)
    names.emplace_back(name);
  for (const TypeRow &row : types)
    names.push_back(cat(".", row.name));
  const std::string_view near = nearestOf(word, names);
  const bool isNear = !near.empty() && editDistance(word, near) <= word.size() / 3;
  return fail(Error::Directive, word, isNear ? cat("; the nearest: '", near, "'") : "");
}

class Parser {
public:
  Parser(Module &module, std::string_view text, std::vector<Token> tokens)
      : module(module), in(text, std::move(tokens)) {}

  Status run() {
    while (!in.atEnd())
      TESSERA_CHECK(topLevel());
    return Done{};
  }

  /// Statements up to the `}` of a body whose `{` has been taken, or up to the end of a text that
  /// is a piece of one.
  Status body(std::vector<Statement> &out, bool isPiece = false) {
    for (int open = isPiece ? 0 : 1; open || isPiece;) {
      Statement s;
      s.line = in.peek().line;
      if (in.peek().is(".pragma"))
        usedBytes = usedBytesOf(in.peek(1).text).value_or(usedBytes);
      TESSERA_TRY(bool done, skip());
      if (done)
        continue;
      if (isPiece && in.atEnd())
        return open ? Status(in.unexpected("'}'")) : Status(Done{});
      if (in.take("{"))
        s.kind = Statement::Open, ++open;
      else if ((open || !isPiece) && in.take("}"))
        s.kind = Statement::Close, --open;
      else if (findSpace(in.peek().text)) {
        TESSERA_CHECK(declarations(out));
        continue;
      } else if (in.peek(1).is(":"))
        TESSERA_CHECK(label(s));
      else if (in.take(";"))
        continue;
      else
        TESSERA_CHECK(instruction(s, isPiece));
      if (open || isPiece)
        out.push_back(std::move(s));
    }
    return Done{};
  }

private:
  /// Takes a directive without effect if one comes next.
  Result<bool> skip() {
    for (auto [name, reach] : skipped) {
      if (!in.peek().is(name))
        continue;
      if (reach == Skip::Line) {
        in.skipLine();
        return true;
      }
      in.take();
      if (reach == Skip::Integer)
        TESSERA_CHECK(in.integer());
      while (reach == Skip::Statement && !in.atEnd() && !in.take(";"))
        in.take();
      while (reach == Skip::Section && !in.atEnd() && !in.peek().is("{"))
        in.take();
      if (reach == Skip::Section && in.take("{"))
        TESSERA_CHECK(in.skipBraces());
      return true;
    }
    return false;
  }

  Status skipAll() {
    while (true) {
      TESSERA_TRY(bool done, skip());
      if (!done)
        return Done{};
    }
  }

  Status topLevel() {
    TESSERA_TRY(bool done, skip());
    if (done)
      return Done{};
    if (in.take(".version"))
      return version();
    if (in.take(".target")) {
      TESSERA_TRY(module.target, in.word("a target"));
      while (in.take(","))
        in.take();
      return Done{};
    }
    bool isExtern = in.take(".extern");
    TESSERA_CHECK(skipAll());
    if (in.peek().is(".entry") || in.peek().is(".func"))
      return function();
    if (!findSpace(in.peek().text))
      return in.at_(unknownDirective(in.peek().text, topLevelNames));
    return variables(module.variables, isExtern, ";");
  }

  Status version() {
    std::string_view text = in.peek().text;
    bool shaped = text.size() == 3 && text[1] == '.' && text[0] >= '6' && text[0] <= '9' &&
                  text[2] >= '0' && text[2] <= '9';
    if (!shaped)
      return in.at_(fail(Error::Version, text));
    module.version = (text[0] - '0') * 10 + text[2] - '0';
    in.take();
    return Done{};
  }

  //===--- Variables --------------------------------------------------------------------------===//

  /// `.space .align 8 .v2 .type name<count>[n][m] = init, name2 ...` up to `end`, which is taken if
  /// it is `;`.
  Status variables(std::vector<Variable> &out, bool isExtern, std::string_view end) {
    Variable common;
    common.isExtern = isExtern;
    common.line = in.peek().line;
    TESSERA_CHECK(qualifiers(common));
    do {
      Variable variable = common;
      TESSERA_CHECK(declarator(variable));
      out.push_back(std::move(variable));
    } while (end == ";" && in.take(","));
    return end == ";" ? in.expect(end) : Status(Done{});
  }

  Status qualifiers(Variable &v) {
    bool typed = false;
    uint32_t align = 0;
    while (in.peek().kind == Token::Word && in.peek().text[0] == '.') {
      std::string_view word = in.take().text;
      if (std::optional<Space> space = findSpace(word); space && !typed)
        v.space = *space;
      else if (std::optional<Type> type = findType(word.substr(1)))
        v.type = *type, typed = true;
      else if (word == ".align") {
        TESSERA_TRY(uint64_t value, in.integer());
        align = uint32_t(std::clamp<uint64_t>(value, 1, 4096));
      } else if (word == ".v2" || word == ".v4" || word == ".v8")
        v.vector = uint8_t(word[2] - '0');
      // .ptr .global .align N of a parameter: what it points to, and N is not its own alignment
      else if (word == ".ptr")
        return pointer(v);
      else if (word == ".attribute")
        TESSERA_CHECK(attributes(v));
      else if (word != ".unified" && !findSpace(word))
        return in.at_(unknownDirective(word, qualifierNames));
    }
    v.align =
        std::max<uint32_t>(align, std::max<uint32_t>(1, bytes(v.type) * (align ? 1 : v.vector)));
    return typed ? Status(Done{}) : Status(in.unexpected("a type"));
  }

  /// (.managed) or (.unified(uuid1, uuid2)), several with commas. PTX ISA 5.4.8.
  Status attributes(Variable &v) {
    TESSERA_CHECK(in.expect("("));
    for (int open = 1; open;) {
      Token token = in.take();
      if (token.kind == Token::End)
        return in.unexpected("')'");
      open += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      v.isManaged |= token.is(".managed");
    }
    return Done{};
  }

  Status pointer(Variable &v) {
    v.align = std::max(1u, bytes(v.type));
    while (in.peek().kind == Token::Word && in.peek().text[0] == '.')
      if (in.take().is(".align"))
        TESSERA_CHECK(in.integer());
    return Done{};
  }

  Status declarator(Variable &v) {
    TESSERA_TRY(v.name, in.word("a name"));
    if (in.take("<")) {
      TESSERA_TRY(uint64_t count, in.integer());
      v.count = uint32_t(std::min<uint64_t>(count, UINT32_MAX));
      TESSERA_CHECK(in.expect(">"));
    }
    while (in.take("[")) {
      if (in.take("]")) {
        v.isOpen = true;
        continue;
      }
      TESSERA_TRY(uint64_t extent, in.extent());
      TESSERA_CHECK(in.expect("]"));
      if (extent && v.elements > maxVariableBytes / extent)
        return in.at_(
            fail(Error::TooLarge, cat("'", v.name, "'"), "2^32 or more", maxVariableBytes));
      v.elements *= extent;
    }
    if (in.take("=")) {
      TESSERA_TRY(Operand init, in.operand());
      flatten(init, v.init);
      if (v.isOpen)
        v.elements = std::max<uint64_t>(v.elements, 1) * v.init.size() / v.vector;
    } else if (v.isOpen)
      v.elements = 0;
    if (v.bytes() > maxVariableBytes)
      return in.at_(fail(Error::TooLarge, cat("'", v.name, "'"), v.bytes(), maxVariableBytes));
    return Done{};
  }

  static void flatten(Operand &from, std::vector<Operand> &to) {
    if (from.kind != Operand::Vector)
      to.push_back(std::move(from));
    else
      for (Operand &part : from.parts)
        flatten(part, to);
  }

  //===--- Functions --------------------------------------------------------------------------===//

  Result<std::vector<Variable>> parameters() {
    std::vector<Variable> out;
    TESSERA_CHECK(in.expect("("));
    while (!in.take(")")) {
      TESSERA_CHECK(variables(out, false, ")"));
      if (!in.peek().is(")"))
        TESSERA_CHECK(in.expect(","));
    }
    return out;
  }

  Status function() {
    Function f;
    f.line = in.peek().line;
    f.isEntry = in.take().is(".entry");
    TESSERA_CHECK(skipAll());
    if (in.peek().is("(")) {
      TESSERA_TRY(f.results, parameters());
    }
    TESSERA_TRY(f.name, in.word("the name of a function"));
    if (in.peek().is("(")) {
      TESSERA_TRY(f.parameters, parameters());
    }
    while (!in.peek().is("{") && !in.take(";"))
      TESSERA_CHECK(attribute(f));
    if (in.take("{")) {
      f.hasBody = true;
      TESSERA_CHECK(body(f.body));
    }
    module.functions.push_back(std::move(f));
    return Done{};
  }

  Status attribute(Function &f) {
    for (auto [name, extents] : {std::pair{".reqntid", &Function::required},
                                 {".maxntid", &Function::atMost},
                                 {".reqnctapercluster", &Function::cluster}})
      if (in.take(name)) {
        Extent3 &value = f.*extents;
        value = {1, 1, 1};
        for (uint32_t &extent : value) {
          TESSERA_TRY(uint64_t given, in.integer());
          extent = uint32_t(std::min<uint64_t>(given, UINT32_MAX));
          if (!in.take(","))
            break;
        }
        return Done{};
      }
    for (auto [name, number] :
         {std::pair{".maxnreg", &Function::registers}, {".minnctapersm", &Function::blocks}})
      if (in.take(name)) {
        TESSERA_TRY(uint64_t given, in.integer());
        f.*number = uint32_t(std::min<uint64_t>(given, UINT32_MAX));
        return Done{};
      }
    TESSERA_TRY(bool done, skip());
    return done ? Status(Done{}) : Status(in.at_(unknownDirective(in.peek().text, attributeNames)));
  }

  Status declarations(std::vector<Statement> &out) {
    std::vector<Variable> declared;
    TESSERA_CHECK(variables(declared, false, ";"));
    for (Variable &variable : declared) {
      Statement s;
      s.kind = Statement::Declaration;
      s.line = variable.line;
      s.variable = std::move(variable);
      out.push_back(std::move(s));
    }
    return Done{};
  }

  /// `name:`, or a table: `name: .branchtargets a, b;`. A prototype says nothing that a call does
  /// not.
  Status label(Statement &s) {
    TESSERA_TRY(s.name, in.word("a label"));
    TESSERA_CHECK(in.expect(":"));
    s.kind = Statement::Label;
    if (in.take(".branchtargets") || in.take(".calltargets")) {
      s.kind = Statement::Table;
      TESSERA_TRY(s.operands, in.operands(";"));
    } else if (in.take(".callprototype"))
      while (!in.atEnd() && !in.take(";"))
        in.take();
    return Done{};
  }

  Status instruction(Statement &s, bool endsAtEnd) {
    if (in.take("@")) {
      s.guardNegated = in.take("!");
      TESSERA_TRY(s.guard, in.word("a predicate"));
    }
    s.line = in.peek().line;
    TESSERA_TRY(s.name, in.word("an instruction"));
    TESSERA_TRY(s.operands, in.operandsOf(s.name, endsAtEnd));
    s.usedBytes = std::exchange(usedBytes, ~0u);
    return Done{};
  }

  /// PTX ISA 11.4: `.pragma "used_bytes_mask 15";` stands before a load.
  static std::optional<uint32_t> usedBytesOf(std::string_view pragma) {
    constexpr std::string_view name = "used_bytes_mask ";
    if (!pragma.starts_with(name))
      return std::nullopt;
    return uint32_t(std::strtoull(std::string(pragma.substr(name.size())).c_str(), nullptr, 0));
  }

  Module &module;
  Cursor in;
  uint32_t usedBytes = ~0u; // of the next load
};

} // namespace

Result<std::unique_ptr<Module>> parseModule(std::string text) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  TESSERA_TRY(std::vector<Token> tokens, tokenize(module->text));
  TESSERA_CHECK(Parser(*module, module->text, std::move(tokens)).run());
  return module;
}

Result<std::vector<Statement>> parseStatements(std::string_view text) {
  Module none;
  TESSERA_TRY(std::vector<Token> tokens, tokenize(text));
  std::vector<Statement> out;
  TESSERA_CHECK(Parser(none, text, std::move(tokens)).body(out, /*isPiece=*/true));
  return out;
}

Result<Outline> outlineOf(std::string_view text) {
  Lexer lexer(text);
  auto next = [&] { return lexer.next(); };
  TESSERA_TRY(Token first, next());
  if (!first.is(".version"))
    return atLine(text, first.line, fail(Error::Expected, "'.version'", cat("'", first.text, "'")));
  Outline out;
  TESSERA_TRY(Token version, next());
  out.version = version.text;
  while (true) {
    TESSERA_TRY(Token token, next());
    if (token.kind == Token::End)
      return out;
    if (!token.is(".entry") && !token.is(".target"))
      continue;
    TESSERA_TRY(Token named, next());
    if (token.is(".entry"))
      out.kernels.push_back(named.text);
    else
      out.target = named.text;
  }
}

} // namespace tessera::ptx_text
