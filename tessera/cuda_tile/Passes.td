// Passes over tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_PASSES_TD
#define TESSERA_CUDA_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseFma : Pass<"fuse-fma"> {
  let summary = "Fuses a product with the only sum or difference that uses it";
  let description = [{
    `a * b + c` becomes `fma(a, b, c)`, and `a * b - c` becomes `fma(a, b, -c)`, where both ops round alike and treat subnormal numbers
    alike. The result is rounded once instead of twice.
  }];
}

def LoopSplit : Pass<"loop-split", "::tessera::cuda_tile::EntryOp"> {
  let summary = "Splits loops where their body compares the induction variable with a fixed value";
  let description = [{
    `for i in (lb to ub) { if i < c {A} else {B} }` becomes `for i in (lb to min(c, ub)) {A}` and `for i in (max(c, lb) to ub) {B}`, which
    have no comparison left. A loop is split if a branch has a load, a store, a product, a reduction, an `if` or a loop in it, or as many ops as
    the attribute `cuda_tile.loop_split` of the `if`, else of its loop, else of the entry, else the option says; 1: always, 0: never.
  }];
  let options = [Option<"splitThreshold", "split-threshold", "int", /*default=*/"1",
                        "how many ops a branch must have for its loop to be split; 1: always, 0: never">];
}

def SynthesizeDebugInfoScopes : Pass<"synthesize-debug-info-scopes", "::tessera::cuda_tile::EntryOp"> {
  let summary = "Gives plain locations the scope of their entry";
  let description = [{
    Bytecode keeps places in files only with the scope that they are in. An entry at a place in a file, without a scope, gets a subprogram of
    its name, file and line; what is in the entry and has a place without a scope gets that one. Locations that name or fuse several places
    keep the first one. Entries that have a scope are left as they are.
  }];
}

#endif
