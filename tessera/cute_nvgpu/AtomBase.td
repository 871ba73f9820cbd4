// What the atom types of all families start from: columns, and the two classes that write a type's C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type of an atom is a list of columns, a text, and what its row does not say (fields, a gate of its own). All MMA atoms have one form
// (MmaForm) as storage, all copy atoms another (CopyForm): a column names its place there. The classes below write constructors, accessors,
// the verifier and the fields. The answers to the interfaces of `cute` are those of the C++ classes TableMmaAtom and TableCopyAtom, for all rows alike.
#ifndef TESSERA_CUTE_NVGPU_ATOMBASE_TD
#define TESSERA_CUTE_NVGPU_ATOMBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "tessera/cute/Interfaces.td"
include "tessera/cute_nvgpu/Enums.td"
include "tessera/cute_nvgpu/Interfaces.td"

class CuteNvgpu_Type<string name, string typeMnemonic, list<Trait> traits = [], string base = "::mlir::Type">
    : TypeDef<CuteNvgpu_Dialect, name, traits, base> {
  let mnemonic = typeMnemonic;
}

//===--- columns ------------------------------------------------------------------------------===//

/// A parameter of an atom type: its C++ type, its name in texts, that of its accessor, its place in the form, and how it is read from there.
class Column<AttrOrTypeParameter parameter_, string name_, string accessor_, string place_, string read_ = place_> {
  AttrOrTypeParameter parameter = parameter_;
  string name = name_;
  string accessor = "get" # accessor_;
  string place = place_;
  string read = read_;
  string cppType = parameter_.cppType;
}
class Must<string cppType> : AttrOrTypeParameter<cppType, "">;
class May<string cppType, string value> : DefaultValuedParameter<cppType, value>;

// MMA atoms. Shapes are printed MxNxK; element types as (A, B, C).
def ColShape : Column<Must<"::tessera::cute_nvgpu::ShapeMnk">, "shape", "Shape", "shape">;
def ColA : Column<Must<"::mlir::Type">, "a", "A", "a">;
def ColB : Column<Must<"::mlir::Type">, "b", "B", "b">;
def ColC : Column<Must<"::mlir::Type">, "c", "C", "c">;
def ColSf : Column<Must<"::mlir::Type">, "sf", "Sf", "sf">;
def ColE : Column<Must<"::mlir::Type">, "e", "E", "e">;
def ColAMajor : Column<Must<"::tessera::atom::Major">, "a_major", "AMajor", "query.aMajor">;
def ColBMajor : Column<Must<"::tessera::atom::Major">, "b_major", "BMajor", "query.bMajor">;
def ColMayAMajor : Column<May<"::tessera::atom::Major", "::tessera::atom::Major::K">, "a_major", "AMajor", "query.aMajor">;
def ColMayBMajor : Column<May<"::tessera::atom::Major", "::tessera::atom::Major::K">, "b_major", "BMajor", "query.bMajor">;
def ColFragKind : Column<Must<"::tessera::atom::Residency">, "frag_kind", "FragKind", "query.aFrom", "query.aFrom.value()">;
def ColOverflow : Column<May<"::tessera::atom::Overflow", "::tessera::atom::Overflow::Wrapped">, "overflow", "Overflow", "query.overflow">;
def ColBinaryOp : Column<May<"::tessera::atom::BitOp", "::tessera::atom::BitOp::None">, "binary_op", "BinaryOp", "query.bitOp">;
def ColMetadata : Column<Must<"::tessera::atom::Metadata">, "sparse_metadata_format", "SparseMetadataFormat", "query.metadata">;
def ColNumCta : Column<Must<"int32_t">, "num_cta", "NumCta", "query.ctas">;
def ColVecSize : Column<Must<"int32_t">, "vec_size", "VecSize", "query.vec">;
/// The first target that has the product, as a number: 100 or 103.
def ColArchPromote : Column<May<"int32_t", "100">, "arch_promote", "ArchPromote", "archPromote">;
def ColNegA : Column<May<"bool", "false">, "neg_a", "NegA", "negA">;
def ColNegB : Column<May<"bool", "false">, "neg_b", "NegB", "negB">;
/// Whether products take a mask of lanes of D that stay.
def ColLaneMask : Column<May<"bool", "false">, "lane_mask", "LaneMask", "laneMask">;
def ColCScaleExp : Column<Must<"int32_t">, "c_scale_exp", "CScaleExp", "cScaleExp">;
def ColUseSfLayoutTv : Column<May<"bool", "false">, "use_sf_layout_tv", "UseSfLayoutTv", "useSfLayoutTv">;

// Copy atoms. The amount is in bits, or in repetitions for tensor memory.
def ColValType : Column<Must<"::mlir::Type">, "val_type", "ValType", "valType">;
def ColCopyBits : Column<Must<"int64_t">, "copy_bits", "CopyBits", "amount">;
def ColThreadBits : Column<Must<"int32_t">, "copy_bits", "CopyBits", "amount">;
def ColMatrix : Column<Must<"::tessera::cute::ShapeAttr">, "mode", "Mode", "matrix">;
def ColNumMatrices : Column<Must<"int32_t">, "num_matrices", "NumMatrices", "key.matrices">;
def ColTranspose : Column<Must<"bool">, "transpose", "Transpose", "key.transpose">;
def ColNumDp : Column<Must<"int32_t">, "num_dp", "NumDp", "key.rows">;
def ColNumBit : Column<Must<"int32_t">, "num_bit", "NumBit", "key.columns">;
def ColNumRep : Column<Must<"int32_t">, "num_rep", "NumRep", "amount">;
def ColPack16b : Column<May<"bool", "false">, "pack16b", "Pack16b", "key.packed16">;
def ColCopyCtas : Column<Must<"int32_t">, "num_cta", "NumCta", "key.ctas">;
def ColMcast : Column<May<"bool", "false">, "mcast", "Mcast", "key.multicast">;
def ColIm2colMode : Column<May<"::tessera::atom::TmaMode", "::tessera::atom::TmaMode::Im2col">, "mode", "Mode", "key.mode">;
def ColTmaMode : Column<Must<"::tessera::atom::TmaMode">, "mode", "Mode", "key.mode">;
def ColReduction : Column<Must<"::tessera::atom::Reduction">, "kind", "Kind", "key.reduction">;
def ColTmaGbasis : Column<Must<"::tessera::cute::LayoutAttr">, "tma_gbasis", "TmaGbasis", "tmaGbasis">;
def ColGStride : Column<Must<"::tessera::cute::IntTupleAttr">, "g_stride", "GStride", "gStride">;

//===--- fields -------------------------------------------------------------------------------===//

/// A run-time field: the enum of its name, and its type as a method of FieldTypes; types of which it is none do not have it.
class AtomField<string enum_, string which_, string type_ = "none()"> {
  string name = which_;
  string key = enum_ # "Attr::get(getContext(), " # enum_ # "::" # which_ # ")";
  string type = type_;
}

//===--- the classes --------------------------------------------------------------------------===//

class CuteNvgpu_Atom<string name, string typeMnemonic, string kind, list<Trait> interfaces, list<Column> columns, string format>
    : CuteNvgpu_Type<name, typeMnemonic, interfaces # [MaybeStaticType, TableAtomType], "::tessera::cute_nvgpu::Table" # kind # "Atom"> {
  /// The family of its rows, as C++.
  string family = "";
  /// C++ that sets what the type fixes in its `form`, from the parameters.
  string fixed = "";
  /// A function of the form that has the last word in the verifier: LogicalResult (Emitter, const Form &).
  string gate = "";
  list<AtomField> fields = [];
  bit hasTensorMap = 0;

  let parameters = !dag(ins, !foreach(column, columns, column.parameter), !foreach(column, columns, column.name));
  let assemblyFormat = format;
  let genVerifyDecl = 1;
  let genStorageClass = 0;
  let storageNamespace = "::tessera::cute_nvgpu";
  let storageClass = "AtomStorage<" # name # "Type, " # kind # "Form>";

  defvar form = "::tessera::cute_nvgpu::" # kind # "Form";
  string signature = !interleave(!foreach(column, columns, column.cppType # " " # column.name), ", ");
  string names = !interleave(!foreach(column, columns, column.name), ", ");
  let extraClassDeclaration = [{
    /// The form of a type with these parameters.
    static }] # form # " formOf(" # signature # [{);
    static constexpr auto family = }] # family # [{;
    /// The type with this form; null, after an error, where the form picks no row.
    static }] # name # "Type ofForm(::tessera::cute_nvgpu::Emitter, ::mlir::MLIRContext *, const " # form # [{ &);
    ::llvm::SmallVector<::tessera::cute_nvgpu::AtomField> getFields() const;
    bool carriesTensorMap() const { return }] # !if(hasTensorMap, "true", "false") # [{; }
  }];
  let extraClassDefinition =
      !interleave(!foreach(column, columns, column.cppType # " $cppClass::" # column.accessor # "() const { return static_cast<" #
                           column.cppType # ">(getForm()." # column.read # "); }\n"), "") #
      "$cppClass $cppClass::ofForm(Emitter emit, ::mlir::MLIRContext *context, const " # form # " &form) {\n  return getChecked(emit, context" #
      !interleave(!foreach(column, columns, ", static_cast<" # column.cppType # ">(form." # column.read # ")"), "") # ");\n}\n" #
      form # " $cppClass::formOf(" # signature # ") {\n  " # form # " form;\n" #
      !interleave(!foreach(column, columns, "  form." # column.place # " = " # column.name # ";\n"), "") #
      "  " # fixed # "\n  form.complete();\n  return form;\n}\n" #
      "::llvm::LogicalResult $cppClass::verify(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, " # signature # ") {\n  " #
      form # " form = formOf(" # names # ");\n  if (::mlir::failed(verifyForm(emitError, form)))\n    return ::mlir::failure();\n  return " #
      !if(!empty(gate), "::mlir::success()", gate # "(emitError, form)") # ";\n}\n" #
      "::llvm::SmallVector<AtomField> $cppClass::getFields() const {\n  [[maybe_unused]] FieldTypes of{getContext()};\n  return {" #
      !interleave(!foreach(f, fields, "{\"" # f.name # "\", " # f.key # ", of." # f.type # "}"), ", ") # "};\n}\n";
}

/// An MMA atom. Its parameters pick a row of the family `ofRows`; a type whose parameters pick none is refused.
class CuteNvgpu_Mma<string name, string typeMnemonic, list<Column> columns, string format, string ofRows = name, string constants = "">
    : CuteNvgpu_Atom<name, typeMnemonic, "Mma", [MmaAtomType], columns, format> {
  let family = "::tessera::atom::MmaFamily::" # ofRows;
  let fixed = "form.query.family = family; " # constants;
}

/// A copy atom, likewise.
class CuteNvgpu_Copy<string name, string typeMnemonic, list<Column> columns, string format, string ofRows = name, string constants = "",
                     list<Trait> more = []>
    : CuteNvgpu_Atom<name, typeMnemonic, "Copy", [CopyAtomType] # more, columns, format> {
  let family = "::tessera::atom::CopyFamily::" # ofRows;
  let fixed = "form.key.family = family; " # constants;
}

#endif
