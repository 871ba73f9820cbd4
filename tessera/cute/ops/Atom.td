// Atoms and what runs them: copies and matrix multiplications.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_ATOM_TD
#define TESSERA_CUTE_OPS_ATOM_TD

include "tessera/cute/ops/Base.td"

def Cute_MakeAtomOp : Cute_Op<"make_atom", [Pure, Cute_FoldByEvaluation]> {
  let summary = "atom of the result type";
  let description = [{Operands are the run-time fields of the atom, if its type has any.}];
  let arguments = (ins Variadic<Cute_Anything>:$fields);
  let results = (outs Cute_Anything:$result);
  let assemblyFormat = "`(` $fields `)` attr-dict `:` functional-type($fields, $result)";
  let hasVerifier = 1;
}

class Cute_ExecOp<string mnemonic, dag ins> : Cute_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = ins;
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}

def Cute_CopyOp : Cute_ExecOp<"copy", (ins Cute_Atom:$atom, Cute_View:$src, Cute_View:$dst,
                                       Optional<Cute_View>:$pred)> {
  let summary = "copies a tensor, one atom call for each of its rest modes";
  let description = [{
    Mode 0 of both tensors is what the atom copies at once; the other modes are the rest, equal in size on
    both sides. A predicate has one element for each rest coordinate (or for each element, if mode 0 of it
    has as many): false skips the copy, or fills with zeros where the atom does so.
  }];
}
def Cute_CopyAtomCallOp : Cute_ExecOp<"copy_atom_call", (ins Cute_Atom:$atom, Cute_View:$src, Cute_View:$dst,
                                                        Optional<Cute_View>:$pred)> {
  let summary = "one execution of a copy atom (or of the parts of its value mode)";
}
def Cute_GemmOp : Cute_ExecOp<"gemm", (ins Cute_Atom:$atom, Cute_View:$d, Cute_View:$a, Cute_View:$b,
                                       Cute_View:$c, OptionalAttr<I32Attr>:$selector)> {
  let summary = "D = A * B + C on fragments, one atom call for each (m, n, k) of their rest modes";
  let description = [{
    Fragments are (V, M, K), (V, N, K) and (V, M, N); K may be left out. `selector` is the sparsity selector of
    sparse warp-level atoms (0 if left out).
  }];
}
def Cute_MmaAtomCallOp : Cute_ExecOp<"mma_atom_call", (ins Cute_Atom:$atom, Cute_View:$d, Cute_View:$a,
                                                      Cute_View:$b, Cute_View:$c,
                                                      OptionalAttr<I32Attr>:$selector)> {
  let summary = "one execution of an MMA atom";
}
def Cute_PrefetchOp : Cute_ExecOp<"prefetch", (ins Cute_Atom:$atom, Cute_View:$src)> {
  let summary = "brings a tensor closer, one atom call for each of its rest modes";
}
def Cute_PrefetchAtomCallOp : Cute_ExecOp<"prefetch_atom_call", (ins Cute_Atom:$atom, Cute_View:$src)> {
  let summary = "one prefetch";
}

#endif
