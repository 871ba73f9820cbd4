// The parser of expressions: recursive descent with one token of lookahead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Syntax.h"

#include "tessera/base/Scanner.h"
#include "tessera/eval/Errors.h"

#include <algorithm>

namespace tessera::eval {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continuesName(char c) { return startsName(c) || isDigit(c); }

/// Line ends are blanks here, unlike in the notation of layouts.
std::string onOneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

class Parser {
public:
  explicit Parser(std::string_view text) : line(onOneLine(text)), in(line) {}

  bool expression(Node &out) {
    out.kind = NodeKind::Let;
    out.span.begin = next();
    while (peekName() == "let")
      if (!binding(out))
        return false;
    Node result;
    if (!chain(result))
      return false;
    if (!in.atEnd())
      return expected(out.children.empty() && result.kind == NodeKind::Name
                          ? "`(` or the end"
                          : "`o`, `:` or the end");
    out.span.end = result.span.end;
    if (out.names.empty())
      out = std::move(result);
    else
      out.children.push_back(std::move(result));
    return true;
  }

  Refusal refusal;

private:
  /// One pair of brackets that is being read.
  class Level {
  public:
    explicit Level(Parser &parser) : parser(parser) { ++parser.levels; }
    Level(const Level &) = delete;
    ~Level() { --parser.levels; }
    bool tooDeep() {
      return parser.levels > maxLevels &&
             !parser.fails(fail(Error::NestedTooDeep, maxLevels), parser.next());
    }

  private:
    Parser &parser;
  };

  //===--- Tokens -----------------------------------------------------------------------------===//

  size_t next() { return in.peek(), in.position(); }
  /// Where the last token ended.
  size_t end() const {
    size_t at = in.position();
    while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t'))
      --at;
    return at;
  }
  std::string_view peekName() {
    if (!startsName(in.peek()))
      return {};
    std::string_view rest = in.rest();
    size_t end = 1;
    while (end < rest.size() && continuesName(rest[end]))
      ++end;
    return rest.substr(0, end);
  }
  /// What comes next, for a message.
  std::string found() {
    if (in.atEnd())
      return "the end";
    std::string_view name = peekName();
    return cat("`", name.empty() ? in.rest().substr(0, 1) : name.substr(0, 40), "`");
  }
  bool fails(Reason reason, size_t begin, size_t end = 0) {
    if (refusal.reason.id.empty())
      refusal = {std::move(reason), {begin, std::max(end, begin + 1)}, "", ""};
    return false;
  }
  bool expected(std::string_view what) {
    size_t begin = next();
    return fails(fail(Error::Unexpected, what, found()), begin, begin + peekName().size());
  }
  bool integer(int64_t &out) {
    size_t begin = next();
    if (std::optional<int64_t> n = in.takeInteger()) {
      out = *n;
      return true;
    }
    std::string_view rest = in.rest();
    size_t length = !rest.empty() && rest[0] == '-';
    const size_t sign = length;
    while (length < rest.size() && isDigit(rest[length]))
      ++length;
    if (length == sign)
      return expected("a number");
    return fails(fail(Error::NumberTooLarge, rest.substr(0, std::min<size_t>(length, 40))), begin,
                 begin + length);
  }
  bool integers(Node &out, std::string_view close) {
    do {
      if (!integer(out.numbers.emplace_back()))
        return false;
    } while (in.take(","));
    return in.take(close) || expected(cat("`,` or `", close, "`"));
  }

  //===--- Rules ------------------------------------------------------------------------------===//

  bool binding(Node &out) {
    in.take("let");
    std::string name(peekName());
    if (name.empty())
      return expected("a name");
    if (name == "_" || name == "o" || name == "let")
      return fails(fail(Error::ReservedName, cat("`", name, "`")), next(), next() + name.size());
    in.take(name);
    if (!in.take("="))
      return expected("`=`");
    out.names.push_back(std::move(name));
    return chain(out.children.emplace_back()) && (in.take(";") || expected("`;`"));
  }

  bool chain(Node &out) {
    if (!pair(out))
      return false;
    if (peekName() != "o")
      return true;
    Node first = std::move(out);
    out = {NodeKind::Chain, first.span, {}, {}, {}, {}};
    out.children.push_back(std::move(first));
    while (peekName() == "o") {
      in.take("o");
      if (!pair(out.children.emplace_back()))
        return false;
    }
    out.span.end = end();
    return true;
  }

  bool pair(Node &out) {
    if (!primary(out))
      return false;
    if (!in.take(":"))
      return true;
    Node shape = std::move(out);
    out = {NodeKind::Layout, shape.span, {}, {}, {}, {}};
    out.children.push_back(std::move(shape));
    if (!primary(out.children.emplace_back()))
      return false;
    out.span.end = end();
    return true;
  }

  bool primary(Node &out) {
    out = {};
    out.span.begin = next();
    bool good = false;
    char c = in.peek();
    if (c == '(')
      good = bracketed(out, NodeKind::Tuple, ")", false);
    else if (c == '[')
      good = tile(out);
    else if (c == '<')
      good = (out.kind = NodeKind::Modes, in.take("<")) && integers(out, ">");
    else if (c == '?')
      good = dynamic(out);
    else if (startsName(c))
      good = named(out);
    else if (c == '-' || isDigit(c))
      good = number(out);
    else
      return expected("a value");
    out.span.end = end();
    return good;
  }

  /// What stands between brackets: elements with one kind of separator.
  bool bracketed(Node &out, NodeKind kind, std::string_view close, bool arguments) {
    Level level(*this);
    if (level.tooDeep())
      return false;
    out.kind = kind;
    in.take("(");
    if (in.take(close))
      return true;
    do {
      if (arguments)
        label();
      if (!chain(out.children.emplace_back()))
        return false;
    } while (in.take(",") || (arguments && in.take("|")));
    return in.take(close) || expected(arguments ? "`,`, `|` or `)`" : "`,` or `)`");
  }

  /// `Y=` in front of an argument says what it is, and no more.
  void label() {
    std::string_view name = peekName();
    size_t end = name.size();
    if (end && in.rest().substr(end, 1) == "=")
      in.take(std::string(in.rest().substr(0, end + 1)));
  }

  bool tile(Node &out) {
    Level level(*this);
    if (level.tooDeep())
      return false;
    in.take("[");
    out.kind = NodeKind::Tile;
    if (in.take("]"))
      return true;
    std::string_view separator;
    do {
      if (!chain(out.children.emplace_back()))
        return false;
      if (separator.empty() && (in.peek() == ';' || in.peek() == ','))
        separator = in.peek() == ';' ? ";" : ",";
    } while (!separator.empty() && in.take(separator));
    if (separator == ",")
      out.kind = NodeKind::List;
    return in.take("]") ||
           expected(separator.empty() ? "`;`, `,` or `]`" : cat("`", separator, "` or `]`"));
  }

  bool number(Node &out) {
    out.kind = NodeKind::Number;
    if (!integer(out.numbers.emplace_back()))
      return false;
    if (in.take("->")) {
      out.kind = NodeKind::Bits;
      if (!integer(out.numbers.emplace_back()))
        return false;
      if (peekName() == "bits")
        in.take("bits");
      return true;
    }
    return basis(out);
  }
  bool basis(Node &out) {
    while (in.take("@"))
      if (!integer(out.numbers.emplace_back()))
        return false;
    return true;
  }

  bool dynamic(Node &out) {
    out.kind = NodeKind::Dynamic;
    out.numbers = {32, 1, 0, 0};
    in.take("?");
    if (in.take("{"))
      while (!in.take("}"))
        if (!fact(out.numbers))
          return false;
    return basis(out);
  }
  bool fact(std::vector<int64_t> &facts) {
    if (in.take("i64") || in.take("i32")) {
      facts[0] = line[in.position() - 2] == '6' ? 64 : 32;
      return true;
    }
    if (in.take("div="))
      return integer(facts[1]) && (facts[1] > 0 || expected("a positive divisor"));
    char c = in.peek();
    if (c != '-' && !isDigit(c))
      return expected("`i32`, `i64`, `div=N`, a value or `}`");
    facts[2] = 1;
    return integer(facts[3]);
  }

  bool named(Node &out) {
    std::string_view name = peekName();
    out.text = name;
    in.take(name);
    if (name == "_") {
      out.kind = NodeKind::Any;
      return true;
    }
    if (in.peek() == '<') {
      in.take("<");
      const bool swizzle = name == "S";
      Node list = {swizzle ? NodeKind::Swizzle : NodeKind::Modes, {next(), 0}, {}, {}, {}, {}};
      if (!integers(list, ">"))
        return false;
      list.span.end = end();
      if (swizzle) {
        list.span.begin = out.span.begin;
        out = std::move(list);
        return out.numbers.size() == 3 ||
               fails(fail(Error::Unexpected, "three numbers `S<bits,base,shift>`",
                          cat(out.numbers.size())),
                     out.span.begin, out.span.end);
      }
      if (in.peek() != '(')
        return expected("`(`");
      // The numbers come last, but `f<1>(L, x)` has its value after them: see the evaluator.
      out.names.emplace_back("template");
      return bracketed(out, NodeKind::Call, ")", true) &&
             (out.children.push_back(std::move(list)), true);
    }
    out.kind = NodeKind::Name;
    return in.peek() != '(' || bracketed(out, NodeKind::Call, ")", true);
  }

  std::string line;
  Scanner in;
  size_t levels = 0;
};

} // namespace

std::variant<Node, Refusal> parse(std::string_view text) {
  if (text.size() > maxText)
    return Refusal{fail(Error::TextTooLong, maxText, text.size()), {0, 1}, "", ""};
  Parser parser(text);
  Node node;
  if (!parser.expression(node))
    return std::move(parser.refusal);
  return node;
}

} // namespace tessera::eval
