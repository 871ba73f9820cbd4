// The parser of `--arg` texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Argument.h"

#include "tessera/base/Scanner.h"
#include "tessera/run/Npy.h"

#include <algorithm>
#include <charconv>

namespace tessera::run {

namespace {

struct Fill {
  std::string_view word;
  ArgumentKind kind;
};
constexpr Fill fills[] = {
    {"rand", ArgumentKind::Random}, {"zeros", ArgumentKind::Zeros}, {"out", ArgumentKind::Output}};

constexpr std::string_view fileSuffix = ".npy";
constexpr std::string_view fillExample = "rand:f16:4096x4096:seed=1";
constexpr std::string_view fileExample = "bf16:A.npy:stride=64,1";
constexpr std::string_view scalarExample = "i32:5 or f32:0.5";

const Fill *findFill(std::string_view word) {
  for (const Fill &fill : fills)
    if (fill.word == word)
      return &fill;
  return nullptr;
}

/// Pieces between colons are views into the text, so that a piece knows its position.
class ArgumentParser {
public:
  explicit ArgumentParser(std::string_view text) : text(text), left(text) { argument.text = text; }

  Result<Argument> parse() {
    std::string_view first = text.substr(0, text.find(':'));
    Status status = Done{};
    if (const Fill *fill = findFill(first))
      status = parseFill(*fill);
    else if (size_t end = fileEnd(); end != std::string_view::npos)
      status = parseFile(end);
    else
      status = parseScalar();
    if (!status)
      return std::move(status).reason();
    return argument;
  }

private:
  /// Takes the text up to the next colon, and the colon.
  std::string_view next() {
    size_t end = left.find(':');
    std::string_view piece = left.substr(0, end);
    left = end == std::string_view::npos ? left.substr(left.size()) : left.substr(end + 1);
    return piece;
  }
  bool atEnd() const { return left.empty(); }

  Reason wrong(std::string_view piece, std::string_view expected, std::string_view example) const {
    return fail(Error::Argument, text, piece.empty() ? "nothing" : cat("\"", piece, "\""),
                piece.data() - text.data() + 1, expected, example);
  }

  Result<Dtype> parseType(std::string_view piece, std::string_view example) const {
    if (Result<Dtype> type = parseDtype(piece))
      return type;
    return wrong(piece, cat("an element type (", dtypeNames(), ")"), example);
  }

  Status parseFill(const Fill &fill) {
    argument.kind = fill.kind;
    next();
    TESSERA_TRY(argument.dtype, parseType(next(), fillExample));
    std::string_view shape = next();
    TESSERA_TRY(argument.shape,
                parseNumbers(shape, "x", 1, "a shape of positive extents", fillExample));
    if (!elementCount(argument.shape))
      return wrong(shape, "a shape of fewer than 2^63 elements", fillExample);
    return parseOptions(fillExample);
  }

  /// Where a file's name ends: after the last ".npy" that a colon or nothing follows.
  size_t fileEnd() const {
    for (size_t at = text.rfind(fileSuffix); at != std::string_view::npos;) {
      size_t end = at + fileSuffix.size();
      if (end == text.size() || text[end] == ':')
        return end;
      at = at ? text.rfind(fileSuffix, at - 1) : std::string_view::npos;
    }
    return std::string_view::npos;
  }

  Status parseFile(size_t end) {
    argument.kind = ArgumentKind::File;
    std::string_view path = text.substr(0, end), head = path.substr(0, path.find(':'));
    bool hasHead = head.size() < path.size();
    Result<Dtype> type = parseDtype(head);
    // A colon belongs to the name where what precedes it looks like a path: ./a:b.npy
    bool isPath = head.find_first_of("/.") != std::string_view::npos;
    if (hasHead && !type && !isPath)
      return parseType(head, cat(fileExample, " (a file whose name has a colon: ./", path, ")"))
          .reason();
    if (hasHead && type) {
      argument.dtype = *type;
      path.remove_prefix(head.size() + 1);
    }
    argument.file = path;
    left = text.substr(std::min(end + 1, text.size()));
    return parseOptions(fileExample);
  }

  Status parseOptions(std::string_view example) {
    bool colonAtEnd = text.ends_with(':');
    while (!atEnd()) {
      std::string_view piece = next(), key = piece.substr(0, piece.find('='));
      std::string_view value = piece.substr(std::min(key.size() + 1, piece.size()));
      if (key == "seed" && argument.kind == ArgumentKind::Random && !argument.seed) {
        TESSERA_TRY(argument.seed, parseSeed(value));
      } else if (key == "stride" && !argument.strides) {
        TESSERA_TRY(argument.strides,
                    parseNumbers(value, ",", 0, "strides in elements, 0 or more", example));
        if (argument.kind != ArgumentKind::File)
          TESSERA_CHECK(checkStrides(value, example));
      } else {
        return wrong(piece, optionsExpected(), example);
      }
    }
    return colonAtEnd ? Status(wrong(text.substr(text.size()), optionsExpected(), example))
                      : Done{};
  }

  std::string optionsExpected() const {
    bool random = argument.kind == ArgumentKind::Random;
    return cat("stride=N,N,...", random ? " or seed=N" : "", " once, or the end");
  }

  Result<uint64_t> parseSeed(std::string_view piece) const {
    uint64_t seed = 0;
    auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), seed);
    if (error != std::errc() || end != piece.data() + piece.size())
      return wrong(piece, "an integer from 0 to 2^64-1", fillExample);
    return seed;
  }

  Status checkStrides(std::string_view piece, std::string_view example) const {
    if (argument.strides->size() != argument.shape.size())
      return wrong(piece, cat(argument.shape.size(), " strides, one for each mode"), example);
    int64_t last = 0, step;
    for (size_t mode = 0; mode < argument.shape.size(); ++mode)
      if (__builtin_mul_overflow(argument.shape[mode] - 1, (*argument.strides)[mode], &step) ||
          __builtin_add_overflow(last, step, &last))
        return wrong(piece, "strides whose last element lies before 2^63", example);
    return Done{};
  }

  /// Integers of at least `least`, separated.
  Result<std::vector<int64_t>> parseNumbers(std::string_view piece, std::string_view separator,
                                            int64_t least, std::string_view expected,
                                            std::string_view example) const {
    Scanner scanner(piece);
    std::vector<int64_t> numbers;
    do {
      scanner.peek(); // to the number
      std::string_view rest = scanner.rest();
      std::optional<int64_t> number = scanner.takeInteger();
      if (!number || *number < least)
        return wrong(rest.empty() ? piece : rest, expected, example);
      numbers.push_back(*number);
    } while (scanner.take(separator));
    if (!scanner.atEnd())
      return wrong(scanner.rest(), cat("\"", separator, "\" between numbers"), example);
    return numbers;
  }

  //===----------------------------------------------------------------------------------------===//
  // Scalars
  //===----------------------------------------------------------------------------------------===//

  Status parseScalar() {
    std::string_view first = next();
    if (first.size() == text.size())
      return parseBareScalar(first);
    Result<Dtype> type = parseDtype(first);
    if (!type)
      return wrong(first, cat("rand, zeros, out or an element type (", dtypeNames(), ")"),
                   cat(fillExample, ", ", fileExample, ", ", scalarExample));
    argument.dtype = *type;
    std::string_view number = left;
    TESSERA_TRY(argument.scalar, code(*type, number));
    return Done{};
  }

  Status parseBareScalar(std::string_view piece) {
    for (Dtype type : {Dtype::b1, Dtype::s32, Dtype::s64, Dtype::f32}) {
      if (type == Dtype::b1 && piece != "true" && piece != "false")
        continue;
      Result<uint64_t> read = code(type, piece);
      if (!read)
        continue;
      argument.dtype = type;
      argument.scalar = *read;
      return Done{};
    }
    return wrong(piece, "a .npy file, a fill (rand, zeros, out) or a number",
                 cat(fillExample, ", ", fileExample, ", ", scalarExample));
  }

  Result<uint64_t> code(Dtype type, std::string_view piece) const {
    Result<uint64_t> read = number::parse(type, piece);
    if (read)
      return read;
    std::string typed = cat("a number of type ", name(type));
    if (isInteger(type)) {
      auto [min, max] = integerRange(type);
      return wrong(piece, cat("an integer from ", min, " to ", max), scalarExample);
    }
    if (read.reason().id == number::errors[size_t(number::Error::FloatRange)].id)
      return wrong(piece, cat(typed, ", up to ", decimal(largestFinite(type))), scalarExample);
    return wrong(piece, cat(typed, " or a .npy file"), scalarExample);
  }

  std::string_view text, left;
  Argument argument;
};

} // namespace

Result<Argument> parseArgument(std::string_view text) { return ArgumentParser(text).parse(); }

Result<Tensor> makeTensor(const Argument &argument, uint64_t defaultSeed) {
  if (argument.kind == ArgumentKind::Scalar)
    return fail(Error::ArgumentNoTensor, argument.text);
  if (argument.kind == ArgumentKind::File) {
    TESSERA_TRY(NpyArray array, readNpy(argument.file));
    Result<Tensor> tensor = fromNpy(array, argument.dtype, argument.strides);
    if (!tensor)
      return prefixed(cat(argument.file, ": "), std::move(tensor).reason());
    return tensor;
  }
  TESSERA_TRY(Tensor tensor, Tensor::make(*argument.dtype, argument.shape, argument.strides));
  if (argument.kind == ArgumentKind::Random)
    fillRandom(tensor, argument.seed.value_or(defaultSeed));
  if (argument.kind == ArgumentKind::Output)
    fillPoison(tensor);
  return tensor;
}

} // namespace tessera::run
