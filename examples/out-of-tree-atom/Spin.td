// The dialect `spin`: one copy atom that no hardware has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "tessera/cute/Interfaces.td"

def SpinDialect : Dialect {
  let name = "spin";
  let cppNamespace = "::spin";
  let useDefaultTypePrinterParser = 1;
}

def Spin_Rotate : TypeDef<SpinDialect, "Rotate",
    [DeclareTypeInterfaceMethods<CopyAtomType, ["expandCall"]>, DeclareTypeInterfaceMethods<MaybeStaticType>]> {
  let mnemonic = "rotate";
  let summary = "a thread copies `count` values, the first one last: `<f32, 4>`";
  let parameters = (ins "::mlir::Type":$value, "int64_t":$count);
  let assemblyFormat = "`<` $value `,` $count `>`";
  let genVerifyDecl = 1;
}
