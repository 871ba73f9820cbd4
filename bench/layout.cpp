// How many operations of the layout algebra a core does in a second, and how that grows with the
// leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One iteration is one operation; parsing is not timed. Rows of layout_cases.def are
// `operation/number`; growth is `operation/leaves:N`, a layout of N leaves that do not coalesce.
// With TESSERA_ITERATIONS=N each runs N times, for tools that count instructions
// (bench/layout_count.py).
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>

using namespace tessera;
using namespace tessera::layout;

namespace {

struct Case {
  const char *operation, *left, *right;
};
const Case cases[] = {
#define CASE(operation, left, right) {#operation, left, right},
#include "bench/layout_cases.def"
#undef CASE
};

struct Operands {
  Layout left, right;
  Tree tree;            // a cotarget, or a coordinate
  AnyLayout any = left; // for operations that take any kind of layout
};

struct Operation {
  const char *name;
  void (*run)(Arith &, const Operands &);
};
template <auto body> void once(Arith &arith, const Operands &in) {
  benchmark::DoNotOptimize(body(arith, in));
}
#define OPERATION(name, expression)                                                                \
  {name, once<[](Arith &arith, const Operands &in) { return expression; }>}
const Operation operations[] = {
    OPERATION("composition", composition(arith, in.left, in.right)),
    OPERATION("complement", complement(arith, in.left, in.tree)),
    OPERATION("logical_divide", divide(arith, in.any, in.right, Grouping::Logical)),
    OPERATION("logical_product", product(arith, in.any, in.right, Grouping::Logical)),
    OPERATION("zipped_divide", divide(arith, in.any, in.right, Grouping::Zipped)),
    OPERATION("coalesce", coalesce(arith, in.left)),
    OPERATION("filter", filter(arith, in.left)),
    OPERATION("flatten", flatten(in.left)),
    OPERATION("right_inverse", rightInverse(arith, in.left)),
    OPERATION("left_inverse", leftInverse(arith, in.left)),
    OPERATION("size", size(arith, in.left)),
    OPERATION("cosize", cosize(arith, in.any)),
    OPERATION("crd2idx", crd2idx(arith, in.tree, in.left)),
    OPERATION("idx2crd", idx2crd(arith, in.tree, in.left.shape)),
    OPERATION("make_layout", compactMajor(arith, in.left.shape)),
    OPERATION("make_layout_like", layoutLike(arith, in.left)),
    OPERATION("composition_both", composition(arith, in.left, in.right)),
    OPERATION("copy", in.left), // what making and freeing a result costs
    OPERATION("print", str(in.left)),
    OPERATION("checked", checked(in.left)),
};
constexpr std::string_view bothGrow = "composition_both";

/// N modes of 2 whose strides change places in pairs, so that no two are one mode; they hit 0, ...,
/// 2^N - 1. More than 48 of them would not fit 64 bits in all operations: beyond, modes of 1 stand
/// between them.
Layout layoutOf(size_t leaves) {
  constexpr size_t most = 48;
  const size_t twos = std::min(leaves, most);
  std::vector<Tree> shape, stride;
  for (size_t i = 0, made = 0; i < leaves; ++i) {
    const bool two = made * leaves < (i + 1) * twos && made < twos;
    shape.emplace_back(int64_t(two ? 2 : 1));
    stride.emplace_back(int64_t(two ? int64_t(1) << (made ^ 1) : 0));
    made += two;
  }
  return {Tree(std::move(shape)), Tree(std::move(stride))};
}

Operands read(const Case &row) {
  const bool layouts = std::string_view(row.operation) != "complement";
  return {*parseLayout(row.left), layouts ? *parseLayout(row.right) : Layout(),
          layouts ? Tree() : *parseTree(row.right, TreeKind::Shape)};
}

Operands grown(const Operation &operation, size_t leaves) {
  Const arith;
  Layout left = layoutOf(leaves), small = *parseLayout("(4,2):(1,4)");
  Tree whole = size(arith, left);
  if (operation.name == bothGrow)
    return {left, compactMajor(arith, left.shape), whole};
  return {std::move(left), std::move(small), std::move(whole)};
}

void measure(const std::string &name, const Operation &operation, Operands in,
             const std::string &label) {
  auto *registered = benchmark::RegisterBenchmark(
      name.c_str(), [&operation, in = std::move(in), label](benchmark::State &state) {
        Const arith;
        for (auto _ : state)
          operation.run(arith, in);
        state.SetItemsProcessed(state.iterations());
        state.SetLabel(label);
      });
  if (const char *iterations = std::getenv("TESSERA_ITERATIONS"))
    registered->Iterations(std::atoll(iterations));
}

} // namespace

int main(int argc, char **argv) {
  for (const Operation &operation : operations) {
    size_t number = 0;
    for (const Case &row : cases)
      if (std::string_view(operation.name) == row.operation)
        measure(cat(operation.name, "/", number++), operation, read(row),
                cat(row.left, " | ", row.right));
  }
  for (const Operation &operation : operations)
    for (size_t leaves = 4; leaves <= 256; leaves *= 2)
      measure(cat(operation.name, "/leaves:", leaves), operation, grown(operation, leaves), "");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
