// Random kernels that are valid tile programs without undefined behaviour: values of any type and
// shape, made, moved, combined, loaded and stored in any way, in loops and branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel leaves in its arrays is what the dialect says, except where it leaves something
// open. So each value carries how far it is known (Trust), and what it may be used for follows from
// that: the bits of a NaN that arithmetic made are any, and the result of an approximation has no
// bits that may decide anything. Sums and products of floating-point numbers in any order are made
// of small integers, which are exact.
#pragma once

#include "Comparison.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera::tile_lower::test {

using Shape = std::vector<int64_t>;
inline int64_t product(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// How large kernels and their tiles are.
struct RandomOptions {
  int statements = 12;
  int64_t mostElements = 2048;
};
struct RandomKernel {
  std::string text;
  std::vector<Array> arrays;
  std::vector<Match> least; // of each array
  Setup setup;              // grid and numbers
};
RandomKernel randomKernel(uint64_t seed, const RandomOptions &options = {});

/// How far the dialect says what a value is.
enum class Trust {
  Bits,    // all
  Numbers, // except the bits of NaNs
  Close    // within a tolerance
};
struct Val {
  std::string name, element; // "%v3", "f32"
  Shape shape = {};
  Trust trust = Trust::Bits;
  double bound = std::numeric_limits<double>::infinity(); // of an integer's magnitude
};

/// Puts a kernel together; the parts of the dialect are in files of their own.
class KernelMaker {
public:
  KernelMaker(uint64_t seed, const RandomOptions &options) : random(seed), options(options) {}
  RandomKernel make();

private:
  //===--- Chance
  size_t below(size_t n) { return n ? random() % n : 0; }
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(below(size_t(high - low + 1)));
  }
  bool chance(unsigned percent) { return random() % 100 < percent; }
  template <class T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }
  std::string word(std::initializer_list<const char *> words) {
    return words.begin()[below(words.size())];
  }
  Shape randomShape(int64_t most, size_t leastRank = 0);
  Shape split(int64_t count, size_t rank); // a shape of that many elements
  std::vector<int64_t> permutation(size_t rank);

  //===--- Values (RandomKernel.cpp)
  std::string fresh() { return "%v" + std::to_string(next++); }
  void line(const std::string &text) { body += std::string(indent, ' ') + text + "\n"; }
  /// A new value, which later statements may use.
  Val emit(Val out, const std::string &text);
  std::string scalarConstant(const std::string &element, uint64_t code);
  Val constant(const std::string &element, const Shape &shape, double most);
  Val splat(const std::string &element, const Shape &shape, int64_t number);
  Val reshaped(const Val &from, const Shape &shape);
  Val broadcast(const Val &scalar, const Shape &shape);
  /// A value of a type: one that there is, or a new one.
  Val value(const std::string &element, const Shape &shape, Trust trust = Trust::Numbers);
  /// A value of small integers.
  Val small(const std::string &element, const Shape &shape, double most = 3);
  /// An integer scalar that is `number`, said in one of several ways.
  std::string number(int64_t number, const std::string &element);
  std::string condition(); // a scalar of i1
  std::string anyElement();
  std::string parameter(const std::string &type);
  /// A new array argument; its pointer.
  std::string array(const std::string &element, size_t count, double most, bool isOutput,
                    Match least);

  //===--- Ops on elements (RandomOps.cpp)
  void integerOp();
  void realOp();
  void function();
  void comparison();
  void conversion();
  void pack();
  void shapeOp();
  void assumption();
  void message();

  //===--- Combinations of elements (RandomCombine.cpp)
  void combine();
  void multiply();
  void multiplyScaled();

  //===--- Memory (RandomMemory.cpp)
  struct View {
    std::string name, type, indexType, tensorType;
    std::vector<std::string> indices, indexTypes;
    std::vector<bool> isInside;
    bool isWhole = true; // no element is outside
  };
  struct LoopNumber { // the number of a loop's iteration: low, low + step, ... below high
    std::string name, element;
    int64_t low, high, step;
  };
  Val load(const std::string &element, const Shape &shape, double most);
  Val loadPointers(const std::string &element, const Shape &shape, double most);
  Val loadView(const std::string &element, const Shape &shape, double most,
               const LoopNumber *loop = nullptr);
  Val loadGlobal();
  View view(const std::string &element, const Shape &tile, double most, bool isStore, Match least,
            const LoopNumber *loop, std::string padding);
  std::string pointers(const std::string &base, const std::string &element, const Shape &shape,
                       const std::string &offsets, const std::string &offsetElement);
  /// Offsets of each element of a shape: all numbers below the count, in some order, times
  /// `stride`.
  Val offsets(const Shape &shape, int64_t stride, std::string element = {});
  void store(const Val &value);
  void update(); // atomics
  void roundTrip();
  std::string order(bool isLoad);
  std::string hints(bool isView);
  std::string ofBlock(const std::string &pointer, const std::string &element, int64_t count);

  //===--- Control flow (RandomControl.cpp)
  void statement(int depth);
  void block(int depth, int count);
  void branch(int depth);
  void forLoop(int depth);
  void endlessLoop(int depth);
  void productLoop();
  std::vector<Val> carried();
  std::string namesOf(const std::vector<Val> &values);
  std::string typesOf(const std::vector<Val> &values);
  std::vector<Val> valuesFor(const std::vector<Val> &like);
  std::vector<std::string> fewResults(const std::string &text, const std::vector<Val> &types);

  std::mt19937_64 random;
  RandomOptions options;
  RandomKernel out;
  std::string body, parameters, globals;
  std::vector<Val> pool;
  std::vector<LoopNumber> loops; // around the statement
  size_t next = 0, indent = 4, arrayParameters = 0;
  std::vector<std::string> pointerParameters, numberParameters;
  int64_t blocks = 1;
  int repeats = 0; // loops around the statement
};

std::string typeOf(const std::string &element, const Shape &shape);
inline std::string typeOf(const Val &value) { return typeOf(value.element, value.shape); }
inline bool isReal(const std::string &element) { return element[0] != 'i'; }
inline tile_eval::TypeKind kindOf(const Val &value) { return kindNamed(value.element); }
std::string listOf(const std::vector<int64_t> &numbers, const char *separator = ", ");

} // namespace tessera::tile_lower::test
