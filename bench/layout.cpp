// How many operations of the layout algebra a core does in a second, on layouts as kernels have
// them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static layouts of depth up to 3 with up to 8 leaves. Each iteration is one operation; parsing is
// not timed.
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <benchmark/benchmark.h>

using namespace tessera;
using namespace tessera::layout;

namespace {

struct Pair {
  const char *left, *right;
};
const Pair compositions[] = {
    {"(128,64):(64,1)", "(8,16):(1,512)"},
    {"((8,16),(64,2)):((64,512),(1,8192))", "(32,4):(1,2048)"},
    {"(4,8,2):(1,4,32)", "(2,16):(32,1)"},
    {"((2,(2,4)),(8,4,2)):((1,(2,4)),(16,128,512))", "((4,2),(8,8)):((1,8),(16,128))"}};
const Pair complements[] = {{"(8,16):(1,512)", "8192"},
                            {"4:2", "64"},
                            {"((4,2),8):((1,64),512)", "16384"},
                            {"((2,(2,4)),(8,2)):((1,(2,8)),(64,1024))", "65536"}};
const Pair divisions[] = {{"(128,64):(64,1)", "32:1"},
                          {"((8,16),64):((64,512),1)", "8:1"},
                          {"256:1", "(4,8):(1,16)"},
                          {"((2,(2,4)),(8,4,2)):((1,(2,4)),(16,128,512))", "(16,2):(1,64)"}};

Layout lay(const char *text) { return *parseLayout(text); }

void composition(benchmark::State &state) {
  const Pair &pair = compositions[size_t(state.range(0))];
  const Layout a = lay(pair.left), b = lay(pair.right);
  Const arith;
  for (auto _ : state)
    benchmark::DoNotOptimize(layout::composition(arith, a, b));
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(std::string(pair.left) + " o " + pair.right);
}
BENCHMARK(composition)->DenseRange(0, 3);

void complement(benchmark::State &state) {
  const Pair &pair = complements[size_t(state.range(0))];
  const Layout l = lay(pair.left);
  const Tree target = *parseTree(pair.right, TreeKind::Shape);
  Const arith;
  for (auto _ : state)
    benchmark::DoNotOptimize(layout::complement(arith, l, target));
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(std::string(pair.left) + " in " + pair.right);
}
BENCHMARK(complement)->DenseRange(0, 3);

void logicalDivide(benchmark::State &state) {
  const Pair &pair = divisions[size_t(state.range(0))];
  const AnyLayout a = lay(pair.left);
  const Layout tiler = lay(pair.right);
  Const arith;
  for (auto _ : state)
    benchmark::DoNotOptimize(divide(arith, a, tiler, Grouping::Logical));
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(std::string(pair.left) + " by " + pair.right);
}
BENCHMARK(logicalDivide)->DenseRange(0, 3);

} // namespace

BENCHMARK_MAIN();
