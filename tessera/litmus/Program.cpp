// Reads litmus tests: places and locations here, the code by ptx_text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/litmus/Program.h"

#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Parser.h"

#include <algorithm>

namespace tessera::litmus {

namespace {

using ptx_text::Operand;
using ptx_text::Statement;

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t start = 0;;) {
    size_t dot = name.find('.', start);
    words.push_back(name.substr(start, dot - start));
    if (dot == name.npos)
      return words;
    start = dot + 1;
  }
}

bool isOne(std::string_view word, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), word) != of.end();
}

std::optional<Scope> scopeOf(std::string_view word) {
  constexpr std::pair<std::string_view, Scope> names[] = {
      {"cta", Scope::Cta}, {"cluster", Scope::Cluster}, {"gpu", Scope::Gpu},
      {"sys", Scope::Sys}, {"gl", Scope::Gpu}, // of membar
  };
  for (auto [name, scope] : names)
    if (name == word)
      return scope;
  return std::nullopt;
}

/// Makes an operation of a statement.
class Reader {
public:
  Reader(Program &test, Thread &thread, const Statement &s, int line)
      : test(test), thread(thread), s(s), line(line), words(split(s.name)) {}

  Result<Operation> read() {
    std::string_view first = words[0];
    if (s.kind != Statement::Instruction || !s.guard.empty())
      return failed(Error::Instruction, s.name.empty() ? "{" : s.name);
    out.line = line;
    if (isOne(first, {"ld", "st", "atom", "red"}))
      return memory();
    if (isOne(first, {"fence", "membar"}))
      return fence();
    if (isOne(first, {"barrier", "bar"}))
      return barrier();
    if (isOne(first, {"mov", "add", "sub", "mul", "and", "or", "xor"}))
      return arithmetic();
    return failed(Error::Instruction, s.name);
  }

private:
  template <class... Pieces> Reason failed(Error error, const Pieces &...pieces) const {
    Reason reason = fail(error, pieces...);
    return {reason.id, cat("line ", line, ": ", reason.text)};
  }
  Reason unknown(std::string_view word) const { return failed(Error::Modifier, s.name, word); }
  Reason wrong(size_t which, std::string_view what) const {
    return failed(Error::Operand, which + 1, s.name, what);
  }

  static bool isType(std::string_view word) { return isOne(word, {"u32", "s32", "b32"}); }

  Result<Value> value(size_t which) const {
    const Operand &o = s.operands[which];
    if (o.kind == Operand::Integer)
      return Value{uint32_t(o.bits), ""};
    if (o.kind != Operand::Name || o.offset || o.minus)
      return wrong(which, "a register or an integer");
    if (std::find(thread.registers.begin(), thread.registers.end(), o.name) ==
        thread.registers.end())
      return failed(Error::Register, o.name);
    return Value{0, o.name};
  }
  Status result(size_t which) {
    const Operand &o = s.operands[which];
    if (o.kind == Operand::Sink)
      return Done{};
    if (o.kind != Operand::Name || o.offset)
      return wrong(which, "a register");
    out.result = o.name;
    return Done{};
  }
  Status address(size_t which) {
    const Operand &o = s.operands[which];
    if (o.kind != Operand::Address || o.parts.size() != 1 || o.offset ||
        o.parts[0].kind != Operand::Name)
      return wrong(which, "a location, such as [x]");
    auto found = std::find_if(test.locations.begin(), test.locations.end(),
                              [&](const Location &l) { return l.name == o.parts[0].name; });
    if (found == test.locations.end())
      return failed(Error::Location, o.parts[0].name);
    out.location = size_t(found - test.locations.begin());
    return Done{};
  }
  Status count(size_t least, size_t most) const {
    if (s.operands.size() >= least && s.operands.size() <= most)
      return Done{};
    return wrong(std::min(s.operands.size(), most), cat("to be one of ", least, " to ", most));
  }

  /// .relaxed, .acquire, ... PTX ISA 9.7.9.8 (ld), 9.7.9.12 (st), 9.7.13.13 (atom).
  bool takeOrder(std::string_view word) {
    bool any = isOne(word, {"relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"});
    out.isStrong |= any;
    out.acquires |= isOne(word, {"acquire", "acq_rel"});
    out.releases |= isOne(word, {"release", "acq_rel"});
    if (isOne(word, {"volatile", "mmio"}))
      out.scope = Scope::Sys;
    return any;
  }

  Result<Operation> memory() {
    const bool isLoad = words[0] == "ld", isStore = words[0] == "st", returns = words[0] == "atom";
    out.kind = isLoad ? Operation::Load : isStore ? Operation::Store : Operation::Atomic;
    out.isReduction = words[0] == "red";
    if (out.kind == Operation::Atomic) { // relaxed and .gpu where nothing else is written
      out.isStrong = true;
      out.scope = Scope::Gpu;
    }
    for (size_t i = 1; i < words.size(); ++i) {
      if (std::optional<Scope> scope = scopeOf(words[i]))
        out.scope = *scope;
      else if (out.kind == Operation::Atomic &&
               isOne(words[i], {"add", "exch", "cas", "inc", "min", "max", "and", "or", "xor"}))
        out.name = words[i];
      else if (!takeOrder(words[i]) && !isType(words[i]) && !isOne(words[i], {"weak", "global"}))
        return unknown(words[i]);
    }
    if (!isType(words.back()))
      return unknown(words.back());
    if (out.isStrong && out.kind != Operation::Atomic && out.scope == Scope::Cta &&
        std::find(words.begin(), words.end(), "cta") == words.end())
      return failed(Error::Scope, s.name);
    const size_t values = isLoad ? 0 : out.name == "cas" ? 2 : 1, before = isLoad || returns;
    if (out.kind == Operation::Atomic &&
        (out.name.empty() || (out.isReduction && out.name == "exch")))
      return failed(Error::Instruction, s.name);
    TESSERA_CHECK(count(before + 1 + values, before + 1 + values));
    if (before)
      TESSERA_CHECK(result(0));
    TESSERA_CHECK(address(before));
    for (size_t i = 0; i < values; ++i) {
      TESSERA_TRY(Value v, value(before + 1 + i));
      out.operands.push_back(v);
    }
    return finished();
  }

  /// PTX ISA 9.7.13.4: membar is fence.sc; fence without .sem is fence.acq_rel.
  Result<Operation> fence() {
    out.kind = Operation::Fence;
    out.isStrong = true;
    bool sequential = words[0] == "membar", acquires = false, releases = false;
    std::optional<Scope> scope;
    for (size_t i = 1; i < words.size(); ++i) {
      sequential |= words[i] == "sc";
      acquires |= words[i] == "acquire";
      releases |= words[i] == "release";
      if (std::optional<Scope> given = scopeOf(words[i]))
        scope = given;
      else if (!isOne(words[i], {"sc", "acq_rel", "acquire", "release"}))
        return unknown(words[i]);
    }
    if (!scope)
      return unknown(words.back());
    out.scope = *scope;
    out.isSequential = sequential;
    out.acquires = acquires || !releases;
    out.releases = releases || !acquires;
    TESSERA_CHECK(count(0, 0));
    return finished();
  }

  Result<Operation> barrier() {
    if (words.size() > 2 && words[1] == "cluster") {
      out.kind = words[2] == "arrive" ? Operation::ClusterArrive : Operation::ClusterWait;
      if (!isOne(words[2], {"arrive", "wait"}))
        return unknown(words[2]);
      out.releases = words[2] == "arrive";
      out.acquires = words[2] == "wait";
      for (size_t i = 3; i < words.size(); ++i)
        if (words[i] == "relaxed")
          out.releases = false;
        else if (!isOne(words[i], {"acquire", "release"}))
          return unknown(words[i]);
      TESSERA_CHECK(count(0, 0));
      return finished();
    }
    std::string_view what =
        words.size() > 1 ? words[1] == "cta" && words.size() > 2 ? words[2] : words[1] : "";
    if (!isOne(what, {"sync", "arrive"}) || words.size() > 3 || words[0] == "bar")
      return failed(Error::Instruction, s.name); // bar is .aligned: of a whole warp
    out.kind = what == "sync" ? Operation::BarrierSync : Operation::BarrierArrive;
    TESSERA_CHECK(count(1, 2));
    TESSERA_TRY(Value id, value(0));
    if (!id.reg.empty())
      return wrong(0, "an integer");
    out.barrier = id.number;
    return finished();
  }

  Result<Operation> arithmetic() {
    out.name = words[0];
    const size_t values = words[0] == "mov" ? 1 : 2;
    for (size_t i = 1; i < words.size(); ++i)
      if (!isType(words[i]) && !(words[0] == "mul" && words[i] == "lo"))
        return unknown(words[i]);
    TESSERA_CHECK(count(1 + values, 1 + values));
    TESSERA_CHECK(result(0));
    for (size_t i = 0; i < values; ++i) {
      TESSERA_TRY(Value v, value(1 + i));
      out.operands.push_back(v);
    }
    return finished();
  }

  Result<Operation> finished() {
    if (!out.result.empty() && std::find(thread.registers.begin(), thread.registers.end(),
                                         out.result) == thread.registers.end())
      thread.registers.push_back(out.result);
    return out;
  }

  Program &test;
  Thread &thread;
  const Statement &s;
  const int line;
  std::vector<std::string_view> words;
  Operation out;
};

class Parser {
public:
  explicit Parser(Program &test) : test(test), lexer(test.text) {}

  Status run() {
    TESSERA_CHECK(take());
    while (token.kind != ptx_text::Token::End)
      TESSERA_CHECK(token.is("block") ? thread() : location());
    size_t operations = 0;
    for (const Thread &thread : test.threads)
      operations += thread.code.size();
    constexpr size_t most = 40; // with the locations: a bit of a word for each
    if (operations > most)
      return fail(Error::TooMany, most, "operations", operations);
    if (test.locations.size() > 8)
      return fail(Error::TooMany, 8, "locations", test.locations.size());
    return Done{};
  }

private:
  Status take() {
    TESSERA_TRY(token, lexer.next());
    return Done{};
  }
  Reason expects(std::string_view what) const {
    Reason reason =
        fail(Error::Expected, what, token.kind == ptx_text::Token::End ? "the end" : token.text);
    return {reason.id, cat("line ", token.line, ": ", reason.text)};
  }
  Result<uint32_t> number() {
    uint32_t value = 0;
    if (token.kind != ptx_text::Token::Number || token.text.size() > 9 ||
        !std::all_of(token.text.begin(), token.text.end(),
                     [](char c) { return c >= '0' && c <= '9'; }))
      return expects("a number");
    for (char c : token.text)
      value = value * 10 + uint32_t(c - '0');
    TESSERA_CHECK(take());
    return value;
  }

  /// `x = 0`, with or without a semicolon.
  Status location() {
    if (token.kind != ptx_text::Token::Word)
      return expects("a location, such as x = 0, or a thread, such as block 0 { ... }");
    Location made{token.text, 0};
    TESSERA_CHECK(take());
    if (!token.is("="))
      return expects("'='");
    TESSERA_CHECK(take());
    TESSERA_TRY(made.initial, number());
    if (token.is(";"))
      TESSERA_CHECK(take());
    test.locations.push_back(made);
    return Done{};
  }

  Status thread() {
    Thread made;
    std::optional<uint32_t> cluster;
    TESSERA_CHECK(take());
    TESSERA_TRY(made.block, number());
    while (token.is("cluster") || token.is("gpu")) {
      bool isCluster = token.is("cluster");
      TESSERA_CHECK(take());
      TESSERA_TRY(uint32_t given, number());
      if (isCluster)
        cluster = given;
      else
        made.gpu = given;
    }
    constexpr uint32_t alone = 1u << 31; // clusters that have no number
    made.cluster = cluster.value_or(alone + made.block);
    if (!token.is("{"))
      return expects("'{'");
    const int line = token.line;
    const char *begin = token.text.data() + 1;
    do
      TESSERA_CHECK(take());
    while (token.kind != ptx_text::Token::End && !token.is("}"));
    if (!token.is("}"))
      return expects("'}'");
    made.text = {begin, size_t(token.text.data() - begin)};
    TESSERA_CHECK(take());
    auto statements = ptx_text::parseStatements(made.text);
    if (!statements)
      return statements.reason();
    for (const Statement &s : *statements) {
      TESSERA_TRY(Operation one, Reader(test, made, s, line + s.line - 1).read());
      made.code.push_back(std::move(one));
    }
    test.threads.push_back(std::move(made));
    return Done{};
  }

  Program &test;
  ptx_text::Lexer lexer;
  ptx_text::Token token;
};

} // namespace

std::vector<std::string> Program::names() const {
  std::vector<std::string> out;
  for (size_t t = 0; t < threads.size(); ++t)
    for (std::string_view reg : threads[t].registers)
      out.push_back(cat(t, ":", reg));
  for (const Location &location : locations)
    out.emplace_back(location.name);
  return out;
}

Result<std::unique_ptr<Program>> parse(std::string text) {
  auto test = std::make_unique<Program>();
  test->text = std::move(text);
  TESSERA_CHECK(Parser(*test).run());
  return test;
}

} // namespace tessera::litmus
