// The `cuda` dialect: kernels and host-side launches, as CuTe DSL emits them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TD
#define TESSERA_CUDA_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cuda_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::tessera::cuda";
  let summary = "kernels, and the host code that launches them";
  let description = [{
    `cuda.kernel` is a kernel in a `gpu.module`. Host functions build a launch configuration, launch with
    `cuda.launch_ex`, and return early with `cuda.return_if_error`. Grid and block extents are in blocks
    and threads, shared memory is in bytes.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Function attributes that go to the driver (cuFuncSetAttribute), a dictionary.
    static constexpr ::llvm::StringLiteral functionAttrsName = "cu_attrs";
  }];
}

class Cuda_Op<string mnemonic, list<Trait> traits = []> : Op<Cuda_Dialect, mnemonic, traits>;
class Cuda_Type<string name, string typeMnemonic, string summary_>
    : TypeDef<Cuda_Dialect, name> {
  let mnemonic = typeMnemonic;
  let summary = summary_;
}
class Cuda_Attr<string name, string attrMnemonic, string summary_>
    : AttrDef<Cuda_Dialect, name> {
  let mnemonic = attrMnemonic;
  let summary = summary_;
}

//===--- Types and attributes -----------------------------------------------------------------===//

def Cuda_Stream : Cuda_Type<"Stream", "stream", "a CUstream">;
def Cuda_Result : Cuda_Type<"Result", "result", "a CUresult; 0 is success">;
def Cuda_LaunchCfg : Cuda_Type<"LaunchCfg", "launch_cfg", "a launch configuration with room for attributes"> {
  let parameters = (ins "int64_t":$max_attrs);
  let assemblyFormat = "`<` `max_attrs` `=` $max_attrs `>`";
  let genVerifyDecl = 1;
}

def Cuda_DevMaxSharedMemoryOptin
    : Cuda_Attr<"DevMaxSharedMemoryOptin", "dev_max_shared_memory_optin",
                "as much dynamic shared memory as the device allows a block to opt into">;
def Cuda_AssumeKernelAttr
    : Cuda_Attr<"AssumeKernel", "assume_kernel_attr",
                "whether the callee's function attributes may be taken as set"> {
  let parameters = (ins "bool":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Cuda_ComputeTarget
    : Cuda_Attr<"ComputeTarget", "compute_target",
                "what a `gpu.module` is to be compiled to: the kind of code, when, and the targets"> {
  let description = [{
    As in `#cuda.compute_target<sass, conditional, [sm_90]>` of `compute_targets`, a list on a `gpu.module`. It
    is kept, and decides nothing: the target of a compilation is that of `--arch`, of the module or of the GPU.
  }];
  let parameters = (ins "::mlir::StringAttr":$code, "::mlir::StringAttr":$when,
                        ArrayRefParameter<"::mlir::StringAttr">:$targets);
  let hasCustomAssemblyFormat = 1;
}

//===--- Kernels ------------------------------------------------------------------------------===//

def Cuda_KernelOp
    : Cuda_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, Symbol,
                         DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "a kernel";
  let description = [{
    In its body `cuda` is the default dialect: `return` is `cuda.return`. Discardable attributes carry the
    launch bounds (`nvvm.reqntid`, `nvvm.minctasm`), the kernel marks (`cute.kernel`, `gpu.kernel`) and
    `cu_attrs`, the function attributes for the driver.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                   OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                   OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Cuda_ReturnOp : Cuda_Op<"return", [Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "end of a kernel";
  let assemblyFormat = "attr-dict";
}

//===--- Launches -----------------------------------------------------------------------------===//

def Cuda_CastValue : AnyTypeOf<[AnySignlessInteger, Cuda_Stream, Cuda_Result], "an integer, a stream or a result">;
def Cuda_CastOp : Cuda_Op<"cast", [Pure]> {
  let summary = "between integers and streams or results";
  let arguments = (ins Cuda_CastValue:$input);
  let results = (outs Cuda_CastValue:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Cuda_LaunchCfgCreateOp : Cuda_Op<"launch_cfg.create", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a launch configuration";
  let arguments = (ins I32:$blockDimX, I32:$blockDimY, I32:$blockDimZ, I64:$dynamicSmemBytes,
                   I32:$gridDimX, I32:$gridDimY, I32:$gridDimZ, Cuda_Stream:$stream,
                   I32Attr:$maxNumAttrs);
  let results = (outs Cuda_LaunchCfg:$config);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class Cuda_LaunchAttributeOp<string mnemonic, dag ins, string summary_>
    : Cuda_Op<"launch_cfg." # mnemonic, [MemoryEffects<[MemWrite]>]> {
  let summary = summary_;
  let arguments = ins;
}
def Cuda_LaunchCfgClusterDimOp
    : Cuda_LaunchAttributeOp<"cluster_dim", (ins Cuda_LaunchCfg:$config, I32:$x, I32:$y, I32:$z),
                             "blocks in a cluster"> {
  let assemblyFormat = [{
    `[` $config `]` ` ` `(` $x `,` $y `,` $z `)` attr-dict `:` qualified(type($config)) `,` type($x) `,` type($y)
    `,` type($z)
  }];
}
class Cuda_LaunchFlagOp<string mnemonic, string summary_>
    : Cuda_LaunchAttributeOp<mnemonic, (ins Cuda_LaunchCfg:$config, I32:$value), summary_> {
  let assemblyFormat = "`[` $config `]` $value attr-dict `:` qualified(type($config)) `,` type($value)";
}
def Cuda_LaunchCfgProgrammaticStreamSerializationAllowedOp
    : Cuda_LaunchFlagOp<"programmatic_stream_serialization_allowed",
                        "whether the kernel may start before its predecessor in the stream ends (PDL)">;
def Cuda_LaunchCfgCooperativeOp
    : Cuda_LaunchFlagOp<"cooperative", "whether all blocks run at the same time">;

def Cuda_LaunchExOp : Cuda_Op<"launch_ex", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launches a kernel";
  let description = [{
    `%r = cuda.launch_ex @kernels::@kernel<%config> (%a, %b) : !cuda.launch_cfg<max_attrs = 2>, (T, U) -> !cuda.result`
  }];
  let arguments = (ins Cuda_LaunchCfg:$config, Variadic<AnyType>:$arguments, SymbolRefAttr:$callee,
                   OptionalAttr<Cuda_AssumeKernelAttr>:$assume_kernel_attr);
  let results = (outs Cuda_Result:$result);
  let assemblyFormat = [{
    $callee `<` $config `>` ` ` `(` $arguments `)` attr-dict `:` qualified(type($config)) `,`
    functional-type($arguments, $result)
  }];
}

def Cuda_ReturnIfErrorOp : Cuda_Op<"return_if_error"> {
  let summary = "returns the value from the function if it is not 0";
  let arguments = (ins I32:$status);
  let assemblyFormat = "$status attr-dict `:` type($status)";
}

#endif
