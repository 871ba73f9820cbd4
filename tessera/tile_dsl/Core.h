// Core: the functions that templates of tile kernels call to trace a kernel, op by op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread traces one kernel at a time. Values are ids; 0 is the result of a mistake, and ops on
// a value 0 also give 0, so that a mistake is reported once. All functions may be called when no
// kernel is being traced: they do nothing then, and return 0.
#pragma once

#include "tessera/tile_bytecode/Ops.h"
#include "tessera/tile_dsl/Element.h"
#include "tessera/tile_dsl/Markers.h"

#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace tessera::tile::detail {

using tile_bytecode::Op;
using Where = std::source_location;
/// A value of the traced kernel; 0: none. A type of its own, so that it cannot be confused with a
/// number of the host.
struct Id {
  uint32_t number = 0;
  uint32_t trace = 0; // the trace that made it

  constexpr Id() = default;
  constexpr Id(size_t index, uint32_t owner) : number(uint32_t(index)), trace(owner) {}
  explicit operator bool() const { return number != 0; }
  auto operator<=>(const Id &) const = default;
  /// The value n places after this one, for ops with several results.
  Id next(size_t n) const { return number ? Id(number + n, trace) : Id(); }
};
/// A type of the traced program.
using TypeIndex = uint32_t;

/// A tile type: its elements and extents.
struct TileType {
  TypeKind element;
  bool isPointer = false;
  std::span<const int64_t> shape = {};
};
TypeIndex typeOf(const TileType &);
TypeIndex typeOf(Id);
TypeIndex tokenType();
/// "tile<4x8xf32>"; "" for a value that does not exist.
std::string typeText(Id);

/// Arrays that may overlap are in one set; the accesses of a set keep their order.
using AliasSet = int32_t;
/// For a pointer of which nothing is known: its accesses keep their order with all others.
inline constexpr AliasSet everySet = -1;
AliasSet setOf(Id pointer);
/// The place where a value was made.
Where lineOf(Id);

/// Records a mistake of the author: place and sentence.
void mistake(const Where &, const std::string &sentence);

/// One instruction, column by column as in Ops.def. `done` adds it to the open block.
class Emit {
public:
  Emit(Op op, const Where &where);
  Emit(const Emit &) = delete;
  ~Emit();

  Emit &out(TypeIndex type);
  Emit &out(const TileType &type) { return out(typeOf(type)); }
  Emit &outLike(Id value);

  /// The next column of operands: one, several, or an optional one (0: missing).
  Emit &in(Id value);
  Emit &in(std::span<const Id> values);
  Emit &inOptional(Id value);

  /// The next column of attributes: a number or keyword, a unit, or a missing attribute.
  Emit &with(uint64_t number);
  template <class Enum>
    requires std::is_enum_v<Enum>
  Emit &with(Enum keyword) {
    return with(uint64_t(keyword));
  }
  Emit &unit(bool isThere);
  Emit &without();
  Emit &text(std::string_view text);
  /// 32-bit numbers, such as a permutation.
  Emit &numbers(std::span<const int64_t> numbers);
  Emit &flags(std::span<const int64_t> flags);
  Emit &hints(const hint &hints);
  Emit &divisible(uint64_t by, std::optional<int64_t> every, std::optional<int64_t> along);
  Emit &sameElements(std::span<const int64_t> counts);
  Emit &bounded(std::optional<int64_t> lower, std::optional<int64_t> upper);
  /// The bits of one number of each type.
  Emit &identities(std::span<const TypeKind> kinds, std::span<const uint64_t> codes);

  /// Takes the tokens that order a read or write of a set as the next column of operands, and makes
  /// later accesses wait for this one. The last result is its token.
  Emit &reads(AliasSet set);
  Emit &writes(AliasSet set);

  /// The id of the first result; the ids of the others follow it.
  Id done();

private:
  struct State;
  State *state = nullptr;
};

/// A scalar, or a tile with equal elements: the bits of one. Equal constants in a block are one
/// value.
Id constant(const TileType &type, uint64_t code, const Where &where);
/// A tile of these elements in row-major order.
Id constants(const TileType &type, std::span<const uint64_t> codes, const Where &where);

/// The block's coordinates in the grid, and the grid's extents.
Id blockId(int dim);
Id blockCount(int dim);
/// newToken: a token that orders nothing. tokensOf: what comes after all accesses of a set so far,
/// for which nothing is emitted; joinedToken: the same as one token.
Id newToken(const Where &);
std::vector<Id> tokensOf(AliasSet set);
Id joinedToken(std::span<const Id> tokens, const Where &);
/// Makes later accesses of the set wait for the tokens too.
void orderAfter(AliasSet set, std::span<const Id> tokens);
/// As print_tko, whose order is that of the text.
void print(const char *format, std::span<const Id> values, const Where &);

/// A module-level array of constants. Returns its address as a scalar pointer.
Id globalArray(TypeKind element, std::span<const uint64_t> codes, bool isConstant, const Where &);

//===--- Regions. Each is opened, filled by the ops traced meanwhile, and closed.

/// `for`: holds the index and the carried values inside, then takes the values to carry on.
struct ForFrame {
  ForFrame(Id lower, Id upper, Id step, bool isUnsigned, std::span<const Id> carried,
           const Where &where);
  Id index;
  std::vector<Id> inside;
  std::vector<Id> finish(std::span<const Id> next);

private:
  Where where;
  Id lower, upper, step;
  bool isUnsigned;
  std::vector<Id> initial;
};
/// `loop` that runs while a condition holds; the condition is computed from the carried values.
struct WhileFrame {
  WhileFrame(std::span<const Id> carried, const Where &where);
  std::vector<Id> inside;
  void condition(Id goesOn);
  std::vector<Id> finish(std::span<const Id> next);

private:
  Where where;
  std::vector<Id> initial;
  struct Saved;
  std::shared_ptr<Saved> saved;
};
/// `if`: the first branch is open from the start, the second from `otherwise` on.
struct IfFrame {
  IfFrame(Id condition, const Where &where);
  void otherwise(std::span<const Id> yielded);
  std::vector<Id> finish(std::span<const Id> yielded);

private:
  Where where;
  Id condition;
  std::vector<Id> first;
  struct Saved;
  std::shared_ptr<Saved> saved;
};
/// The combiner of `reduce` and `scan`: 2N scalars, for each operand the current element and the
/// accumulated value.
struct CombineFrame {
  CombineFrame(std::span<const Id> operands, const Where &where);
  std::vector<Id> current, accumulated;
  /// The first result.
  Id finish(std::span<const Id> yielded, Op op, uint32_t dim, bool isReverse,
            std::span<const uint64_t> identities, std::span<const TypeIndex> results);

private:
  Where where;
  std::vector<Id> operands;
};
/// Ends the kernel within an `If`.
void emitReturn(const Where &);

//===--- Tensors

/// A tensor in memory, as the traced kernel sees it.
struct TensorInfo {
  std::string name;
  Id base, view;                  // a scalar pointer, a tensor_view
  std::vector<Id> shape, strides; // scalars of i32
  std::vector<int64_t> extents;   // static ones, else -1
  AliasSet set = everySet;
  int parameter = -1; // of the entry, counted from 0
};
/// The tensor of a default-constructed Tensor.
const TensorInfo *noTensor();
/// Row-major if `strides` is 0. The info lives as long as the trace.
const TensorInfo *makeTensor(TypeKind element, Id base, std::span<const Id> shape,
                             std::span<const int64_t> extents, std::span<const Id> strides,
                             std::span<const int64_t> staticStrides, const Where &);

/// The extent or stride of a dimension.
Id numberOf(const TensorInfo *, bool isStride, int dim, const Where &);

/// How a view cuts a tensor into tiles.
struct ViewForm {
  TypeKind kind = TypeKind::PartitionView;
  std::span<const int64_t> tile;
  std::span<const int64_t> strides = {}; // of a strided_view
  std::span<const int> dims = {};        // empty: the identity
  std::optional<PaddingValue> padding = {};
  uint32_t sparseDim = 0;
};
Id makeView(const TensorInfo *, const ViewForm &, const Where &);
/// Emits checks of an access at tile indices, as the kernel's Checks require.
void checkAccess(const TensorInfo *, Id view, std::span<const Id> indices, const Where &);

//===--- What is known of numbers, for checks before a launch

/// Records that `quotient` is ceil(number / divisor).
void noteCeilDiv(Id quotient, Id number, int64_t divisor);

} // namespace tessera::tile::detail
