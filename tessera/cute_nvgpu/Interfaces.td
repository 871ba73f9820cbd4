// What an atom type answers whose row stands in tessera/atom, and what an op that is such an instruction does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_INTERFACES_TD
#define TESSERA_CUTE_NVGPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TableAtomType : TypeInterface<"TableAtomType"> {
  let cppNamespace = "::tessera::cute_nvgpu";
  let description = [{
    An atom of the tables of `tessera/atom`: an `TableMmaAtom` or a `TableCopyAtom`, whose row answers most questions. These methods are what a row does not
    say. `AtomBase.td` writes them from what the type's definition states.
  }];
  let methods = [
    InterfaceMethod<[{
      The fields that `atom.set_value` and `atom.get_value` name, in the order of the lowered struct. A field without a type has no place there yet.
    }], "::llvm::SmallVector<::tessera::cute_nvgpu::AtomField>", "getFields">,
    InterfaceMethod<"Whether the atom carries its tensor map: kernels take it by address.", "bool", "carriesTensorMap">,
  ];
}

def TableMmaOp : OpInterface<"TableMmaOp"> {
  let cppNamespace = "::tessera::cute_nvgpu";
  let description = [{
    A product of the tables of `tessera/atom`, as an instruction. What it needs of a target stands in its row.
  }];
  let methods = [
    InterfaceMethod<"The row that attributes and registers pick, or why there is none.",
                    "::tessera::Result<const ::tessera::atom::MmaRow *>", "getRow">,
  ];
}

#endif
