// Arguments made of the names of entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"

#include "tessera/tile_eval/Element.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>

namespace tessera::tile_eval::test {

using tile_bytecode::Function;
using tile_bytecode::Program;
using tile_bytecode::Type;

namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::stringstream in{std::string(text)};
  for (std::string word; std::getline(in, word, '_');)
    out.push_back(word);
  return out;
}
bool isGroup(const std::string &word) {
  size_t digits = word.find_first_not_of("0123456789abcdef");
  return digits != 0 && digits != word.npos;
}

/// What the name says of the dimensions of an array: extents and strides; 0: not constant.
struct Known {
  explicit Known(size_t rank) : extents(rank), strides(rank) {}

  /// "3i16v2l0": a mask of dimensions, then letters with numbers.
  void add(const std::string &group) {
    char *at = nullptr;
    unsigned long mask = std::strtoul(group.c_str(), &at, 16);
    while (*at) {
      char letter = *at++;
      unsigned long number = std::strtoul(at, &at, 10);
      for (size_t d = 0; d < extents.size(); ++d)
        if ((mask >> d & 1) && (letter == 's' || letter == 't'))
          (letter == 's' ? extents : strides)[d] = number;
    }
  }
  std::vector<uint64_t> extents, strides;
};

} // namespace

std::string Arguments::fill(const Program &program, const Function &function, int64_t extent,
                            uint64_t scalar) {
  const std::vector<tile_bytecode::Index> &parameters = program.type(function.type).parameters;
  std::mt19937 random(1);
  auto kindOf = [&](size_t i) {
    const Type &element = program.type(program.type(parameters[i]).element);
    return element.kind == TypeKind::Pointer ? program.type(element.element).kind : element.kind;
  };
  auto isPointer = [&](size_t i) {
    return i < parameters.size() &&
           program.type(program.type(parameters[i]).element).kind == TypeKind::Pointer;
  };
  /// An array of a number type, with extents and strides after its address.
  auto array = [&](TypeKind kind, const Known &known, std::vector<uint64_t> &to) {
    size_t rank = known.extents.size(), bits = rowOf(kind).memoryBits;
    std::vector<uint64_t> shape(rank, uint64_t(extent)), strides(rank, 1);
    size_t innermost = rank - 1;
    bool isDense = rank == 0;
    for (size_t d = 0; d < rank; ++d) {
      shape[d] = known.extents[d] ? known.extents[d] : shape[d];
      if (known.strides[d] == 1 && (!isDense || shape[innermost] == 1)) {
        innermost = d;
        isDense = true;
      }
    }
    // Elements of an array whose innermost stride is not said are apart.
    size_t step = isDense ? 1 : 16, count = step;
    if (rank)
      strides[innermost] = std::exchange(count, count * shape[innermost]);
    for (size_t d = rank; d-- > 0;)
      if (d != innermost)
        strides[d] = known.strides[d] ? known.strides[d] : std::exchange(count, count * shape[d]);
    size_t room = std::max<size_t>(count * bits / 8, 1 << 16);
    std::vector<std::byte> &bytes = arrays.emplace_back(room * 2 + 512);
    size_t base = (reinterpret_cast<uint64_t>(bytes.data()) + 255) / 256 * 256 -
                  reinterpret_cast<uint64_t>(bytes.data());
    size_t size = std::max(bits / 8, size_t(1));
    for (size_t i = base; i < base + 2 * room; i += size) {
      uint64_t code =
          isFloat(kind) ? encode(kind, double(random() % 2001) / 1000 - 1) : 1 + random() % 7;
      if (kind == TypeKind::I1)
        code = random() % 2;
      std::memcpy(&bytes[i], &code, size);
    }
    to.push_back(reinterpret_cast<uint64_t>(bytes.data()) + base);
    to.insert(to.end(), shape.begin(), shape.end());
    to.insert(to.end(), strides.begin(), strides.end());
  };

  std::string_view name = program.text(function.name);
  size_t mark = name.rfind("_K");
  if (mark == name.npos)
    return "no list of parameters in the name";
  std::vector<std::string> all = words(name.substr(mark + 2));
  for (size_t w = 1; w < all.size() && values.size() < parameters.size(); ++w) {
    const std::string &word = all[w];
    size_t list = word.find('L'), a = word.find('A');
    if (word[0] == 'A' || (list == 0 && a != word.npos)) {
      if (!isPointer(values.size()))
        return "no pointer where the name has an array";
      Known known(size_t(std::strtoul(word.c_str() + a + 1, nullptr, 10)));
      for (size_t g = w + 1; g < all.size() && (isGroup(all[g]) || all[g][0] == 'p'); ++g)
        known.add(all[g]);
      if (word[0] == 'A') {
        array(kindOf(values.size()), known, values);
        continue;
      }
      // A list: rows of address, extents and strides.
      std::vector<uint64_t> rows;
      for (int row = 0; row < 3; ++row)
        array(TypeKind::I32, known, rows);
      std::vector<std::byte> &bytes = arrays.emplace_back(rows.size() * 8);
      std::memcpy(bytes.data(), rows.data(), bytes.size());
      values.push_back(reinterpret_cast<uint64_t>(bytes.data()));
      values.push_back(3);
      continue;
    }
    size_t s = word.find('S');
    if (s != word.npos && (s == 0 || word[0] == 'T')) {
      TypeKind kind = kindOf(values.size());
      values.push_back(isFloat(kind) ? encode(kind, 0.5) : scalar & lowBits(bitsOf(kind)));
    }
  }
  if (values.size() != parameters.size())
    return "the name has other parameters than the function";
  return {};
}

} // namespace tessera::tile_eval::test
