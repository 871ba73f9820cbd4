// Distances between names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Nearest.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/Row.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::import {

namespace {
/// The name that is most like one of its dialect.
class Nearest {
public:
  /// A letter in four may differ: more of them make another word.
  explicit Nearest(StringRef given)
      : given(given), best(unsigned(std::max<size_t>(1, own(given).size() / 4)) + 1) {}

  void see(StringRef other) {
    if (other == given || other.split('.').first != given.split('.').first)
      return;
    unsigned distance = own(other).edit_distance(own(given), true, best);
    if (distance < best || (distance == best && !nearest.empty() && other.str() < nearest)) {
      best = distance;
      nearest = other.str();
    }
  }
  /// Empty if none is close enough to be meant.
  const std::string &name() const { return nearest; }

private:
  static StringRef own(StringRef name) { return name.split('.').second; }

  StringRef given;
  unsigned best;
  std::string nearest;
};

template <class... Ts> constexpr StringLiteral namesOf[] = {Ts::name...};

/// The types and attributes that our dialects define.
// clang-format off
constexpr ArrayRef<StringLiteral> ourTypes[] = {
    namesOf<
#define GET_TYPEDEF_LIST
#include "tessera/cute/Types.cpp.inc"
        >,
    namesOf<
#define GET_TYPEDEF_LIST
#include "tessera/cute_nvgpu/Types.cpp.inc"
        >,
    namesOf<
#define GET_TYPEDEF_LIST
#include "tessera/cuda/Types.cpp.inc"
        >};
constexpr ArrayRef<StringLiteral> ourAttributes[] = {
    namesOf<
#define GET_ATTRDEF_LIST
#include "tessera/cute/Attrs.cpp.inc"
        >,
    namesOf<
#define GET_ATTRDEF_LIST
#include "tessera/cute_nvgpu/Attrs.cpp.inc"
        >,
    namesOf<
#define GET_ATTRDEF_LIST
#include "tessera/cuda/Attrs.cpp.inc"
        >};
// clang-format on

/// Types and ops of newer builds of CuTe DSL of which no public document says what they do, and
/// what there is instead. Names that begin with one that ends in a dot belong to it.
struct Elsewhere {
  StringLiteral name, instead;
};
constexpr StringLiteral multimem = "multimem instructions as llvm.inline_asm",
                        circular = "cute_nvgpu.make_umma_smem_desc for each block of the ring",
                        sm107 = "what sm_100 or sm_103 has: LLVM 22 has no sm_107",
                        tensorMapsAt = "cute_nvgpu.copy_tma_desc and cute_nvgpu.update_tma_desc",
                        printTensorMap = "cute.printf of its words",
                        otherTensorMaps = "cute_nvgpu.make_tma_desc_im2col or "
                                          "cute_nvgpu.make_tma_desc_tiled, and cute.make_atom",
                        anAtom = "a type of atom, such as !cute_nvgpu.atom.universal_copy<f32>",
                        aFragment = "cute.mma.make_fragment, to which the atom says what it takes";
constexpr Elsewhere elsewhere[] = {
    {"cute_nvgpu.atom.simt_multimem_ld_reduce", multimem},
    {"cute_nvgpu.atom.simt_multimem_red", multimem},
    {"cute_nvgpu.atom.simt_multimem_st", multimem},
    {"cute_nvgpu.sm103.smem_desc_circular", circular},
    {"cute_nvgpu.sm107.smem_desc_circular", circular},
    {"cute_nvgpu.atom.sm100_s2t_copy_v2", "cute_nvgpu.atom.s2t_copy"},
    {"cute_nvgpu.atom.non_exec_im2col_tma_reduce",
     "cp.reduce.async.bulk.tensor with im2col as llvm.inline_asm"},
    {"cute.tiled_copy_v2", "cute.tiled_copy, with an atom that it takes"},
    {"cute.make_tiled_copy_v2", "cute.make_tiled_copy, with an atom that it takes"},
    {"cute.copy.make_fragment", "cute.make_fragment_like of a partition"},
    {"cute.sparse_elem", "the type of the elements that are stored"},
    {"cute.make_sparse_elem", "the elements that are stored"},
    {"cute.tuple", "its values, one by one"},
    {"cute.unpack_tuple", "the values that the tuple was made of"},
    {"cute.get_integral_coord",
     "cute.crd2idx of cute.get_hier_coord's coordinate and the layout's shape"},
    {"cute.reduce", "cute.memref.load_vec and vector.reduction"},
    {"cute.load_scaled_index", "cute.ptr.load at cute.add_offset"},
    {"cute.smem_partition_size", "the number of bytes"},
    {"cute.symbolic", "an argument of the function"},
    {"cute_nvgpu.workid_response", "128 bits of shared memory"},
    {"cute_nvgpu.make_tma_desc_tiled_at", tensorMapsAt},
    {"cute_nvgpu.make_tma_desc_im2col_at", tensorMapsAt},
    {"cute_nvgpu.sm103.make_umma_smem_desc_circular", circular},
    {"cute_nvgpu.sm107.", sm107},
    {"cute_nvgpu.atom.sm107.", sm107},
    {"cute_nvgpu.arch.copy.SM107.", sm107},
    {"cute_nvgpu.arch.mma.SM107.", sm107},
    {"cute_nvgpu.atom.tmem_load_spcompress", sm107},
    {"cute.print_tma_desc_tiled", printTensorMap},
    {"cute.print_tma_desc_im2col", printTensorMap},
    {"cute_nvgpu.arch.alloc_rmem", "cute.memref.alloca"},
    {"cute_nvgpu.atom.get_coord_tensor", "the tensor that came with the atom"},
    {"cute_nvgpu.atom.make_tma_residue_tensor", "a coordinate tensor for the last tile"},
    {"cute_nvgpu.atom.make_non_exec_2d_gather4_tma_load", otherTensorMaps},
    {"cute_nvgpu.atom.make_non_exec_2d_scatter4_tma_store", otherTensorMaps},
    {"cute_nvgpu.atom.make_non_exec_im2col_tma_load", otherTensorMaps},
    {"cute_nvgpu.atom.make_non_exec_im2col_tma_store", otherTensorMaps},
    {"cute_nvgpu.cast_tma_desc_to_integer", "cute_nvgpu.get_tma_desc_addr and cute.ptrtoint"},
    {"cute_nvgpu.get_grid_constant_pointer",
     "the atom or tensor map itself, as the kernel's argument"},
    // Types and attributes.
    {"cute.i1", "i1"},
    {"cute.i8", "i8"},
    {"cute.i16", "i16, or !cute.i32"},
    {"cute.i128", "i128, or !cute.i64"},
    {"cute.bitlayout", "a pointer to whole elements"},
    {"cute.copy_atom", anAtom},
    {"cute.copy_atom_v2", anAtom},
    {"cute.mma_atom", anAtom},
    {"cute.mx_mma_atom", anAtom},
    {"cute.sparse_mma_atom", anAtom},
    {"cute.sparse_mx_mma_atom", anAtom},
    {"cute.reduction_op", "the kind of vector.reduction"},
    {"cute_nvgpu.not_implemented_frg", aFragment},
    {"cute_nvgpu.rmem_frg", aFragment},
    {"cute_nvgpu.arch.sm90.smem_frg", aFragment},
    {"cute_nvgpu.arch.sm100.smem_frg", aFragment},
    {"cute_nvgpu.arch.sm100.circular_smem_frg", aFragment},
    {"cute_nvgpu.arch.sm100.tmem_frg", aFragment},
    {"cute_nvgpu.arch.sm100.tmem_e_frg", aFragment},
    {"cute_nvgpu.arch.sm100.tmem_sf_frg", aFragment},
    {"cute_nvgpu.arch.sm107.", sm107},
};

/// What there is instead of a name; nothing if it is not of the table.
std::optional<std::string> noteElsewhere(StringRef name) {
  for (const Elsewhere &other : elsewhere)
    if (name == other.name || (other.name.ends_with(".") && name.starts_with(other.name)))
      return sentence(Diag::Elsewhere, name, other.instead);
  return std::nullopt;
}

/// The notes on a name that is none of `known`, the `kind` of our dialects.
std::vector<std::string> notesOn(StringRef kind, StringRef name,
                                 ArrayRef<ArrayRef<StringLiteral>> known) {
  if (std::optional<std::string> note = noteElsewhere(name))
    return {*note};
  Nearest nearest(name);
  for (ArrayRef<StringLiteral> ofDialect : known)
    for (StringRef other : ofDialect)
      nearest.see(other);
  std::vector<std::string> notes;
  if (!nearest.name().empty())
    notes.push_back(sentence(Diag::NearestOf, kind, nearest.name()));
  notes.push_back(sentence(Diag::UnknownName, name, kind == "type" ? "a type" : "an attribute",
                           name.split('.').first));
  return notes;
}
} // namespace

std::string nearestOp(StringRef name, MLIRContext &context) {
  Nearest nearest(name);
  StringRef dialect = name.split('.').first;
  context.getOrLoadDialect(dialect);
  for (RegisteredOperationName known : context.getRegisteredOperationsByDialect(dialect))
    nearest.see(known.getStringRef());
  for (const Row &row : rows())
    nearest.see(row.name);
  return nearest.name();
}

/// The text between `before` and the next quote; empty if there is none.
static StringRef quotedAfter(StringRef text, StringRef before, char quote = '\'') {
  size_t at = text.find(before);
  return at == StringRef::npos ? StringRef() : text.substr(at + before.size()).split(quote).first;
}

/// The messages of MLIR's parser and that of `cute` for types and attributes that a dialect does
/// not define.
static std::vector<std::string> notesOnUnknownTypes(StringRef error) {
  StringRef dialect = quotedAfter(error, "in dialect `", '`');
  const std::pair<StringRef, bool> unknown[] = {
      {"unknown  type `", false}, {"unknown type `", false}, {"unknown attribute `", true}};
  for (auto [before, isAttribute] : unknown)
    if (StringRef name = quotedAfter(error, before, '`'); !name.empty() && !dialect.empty())
      return notesOn(isAttribute ? "attribute" : "type", (dialect + "." + name).str(),
                     isAttribute ? ourAttributes : ourTypes);
  if (StringRef name = quotedAfter(error, "the name of a type of the dialect cute, but got '");
      !name.empty())
    return notesOn("type", ("cute." + name).str(), ourTypes);
  return {};
}

std::vector<std::string> notesOnUnknown(StringRef error, MLIRContext &context) {
  if (error.contains("operation being parsed with an unregistered dialect")) {
    std::vector<StringRef> read = context.getAvailableDialects();
    llvm::sort(read);
    return {sentence(Diag::UnknownDialect, llvm::join(read, ", "))};
  }
  if (std::vector<std::string> notes = notesOnUnknownTypes(error); !notes.empty())
    return notes;
  // mlir/lib/AsmParser/Parser.cpp and mlir/lib/IR/Verifier.cpp.
  StringRef name;
  for (StringRef before : {"custom op '", "unregistered operation '"})
    if (StringRef found = quotedAfter(error, before); !found.empty())
      name = found;
  // MLIR begins what it says of an op's text with the same words.
  const bool isKnown = rowOf(name) || RegisteredOperationName::lookup(name, &context);
  if (!name.contains('.') || isKnown)
    return {};
  if (std::optional<std::string> note = noteElsewhere(name))
    return {*note};
  std::string nearest = nearestOp(name, context);
  std::vector<std::string> notes;
  if (!nearest.empty())
    notes.push_back(sentence(Diag::NearestOp, nearest));
  // MLIR says which dialects there are where it does not know this one.
  StringRef dialect = name.split('.').first;
  if (llvm::is_contained(context.getAvailableDialects(), dialect))
    notes.push_back(sentence(Diag::UnknownOp, name, dialect));
  return notes;
}

} // namespace tessera::import
