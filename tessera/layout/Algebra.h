// The CuTe layout algebra: every operation of this room, with its law.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This page teaches the algebra by example; each operation's law is at its declaration below.
// An example is an expression of `tessera layout`, two blanks, `=`, and its result: the test
// eval/ExamplesTest evaluates all of them. docs/glossary.md has the terms.
//
// 1. A layout is a function
//
// A layout `shape:stride` maps coordinates to indices. (2,4):(4,1) is a matrix of 2 rows and 4
// columns, row by row in memory: a step down moves the index by 4, a step right by 1.
//
//   index        column 0   1   2   3
//        row 0          0   1   2   3
//        row 1          4   5   6   7
//
// The index of a coordinate is the sum of its numbers times their strides, 1 * 4 + 2 * 1:
//
//   crd2idx((1,2), (2,4):(4,1))  =  6
//
// A coordinate may be a single integer. It counts coordinates with the first mode fastest, so 5 is
// row 1 (5 mod 2) of column 2 (5 div 2), whatever the strides are:
//
//   idx2crd(5, (2,4))  =  (1,2)
//   crd2idx(5, (2,4):(4,1))  =  6
//
// So a layout is also a function on the integers 0 .. size - 1. Size counts coordinates; cosize is
// one more than the largest index, the memory that the layout needs:
//
//   size((2,4):(8,1))  =  8
//   cosize((2,4):(8,1))  =  12
//
// Modes nest: the columns of (2,(2,4)):(4,(2,8)) are pairs, and (1,(1,2)) is 1*4 + 1*2 + 2*8.
//
//   crd2idx((1,(1,2)), (2,(2,4)):(4,(2,8)))  =  22
//
// Two layouts may be the same function on integers. Coalesce gives the one with the fewest modes:
//
//   coalesce((2,(2,4)):(1,(2,4)))  =  16:1
//   coalesce((2,4):(4,1))  =  (2,4):(4,1)
//
// 2. Composition
//
// Law: composition(A, B)(c) = A(B(c)) for each coordinate c of B, and the result has B's shape, its
// modes perhaps split. B selects elements of A and says in which order. Here B = 4:2 takes every
// second element of A, that is row 0 of each column:
//
//   composition((2,4):(4,1), 4:2)  =  4:1
//
// A mode of B that crosses modes of A is split, as the first one here:
//
//   composition((6,2):(8,2), (4,3):(3,1))  =  ((2,2),3):((24,2),8)
//
// With a tile, a layout for each mode, composition works mode by mode:
//
//   composition((4,8):(8,1), [2:1;4:2])  =  (2,4):(8,2)
//
// 3. Complement
//
// Law: complement(B, n) hits what B leaves out of 0 .. n - 1: each index below n is B(b) + C(c) for
// exactly one b and c, if B's strides divide. 4:2 takes 0 2 4 6; the complement within 16 begins
// the copies of it that fill the gaps (1) and what follows (8):
//
//   complement(4:2, 16)  =  (2,2):(1,8)
//
// 4. Divide: tiles
//
// Law: logical_divide(A, B) = composition(A, (B, complement(B, size(A)))): the elements of A as
// (tile, rest), the place within a tile and the number of the tile.
//
//   logical_divide(24:1, 4:1)  =  (4,6):(1,4)
//
// An 8 x 8 matrix in tiles of 4 x 2, mode by mode. The four ops group the same modes differently:
//
//   logical_divide((8,8):(8,1), [4:1;2:1])  =  ((4,2),(2,4)):((8,32),(1,2))
//   zipped_divide((8,8):(8,1), [4:1;2:1])  =  ((4,2),(2,4)):((8,1),(32,2))
//   tiled_divide((8,8):(8,1), [4:1;2:1])  =  ((4,2),2,4):((8,1),32,2)
//   flat_divide((8,8):(8,1), [4:1;2:1])  =  (4,2,2,4):(8,1,32,2)
//
// The tile in row 1, column 2 of tiles begins 1*32 + 2*2 elements into the matrix:
//
//   local_tile((8,8):(8,1), [4:1;2:1], (1,2))  =  (4,2):(8,1) + 36
//
// 5. Product: copies
//
// Law: logical_product(A, B) = (A, composition(complement(A), B)): the copies of A are disjoint and
// in the order of B. Three copies of a 2 x 2 block, then six blocks in 2 rows and 3 columns:
//
//   logical_product((2,2):(1,2), 3:1)  =  ((2,2),3):((1,2),4)
//   blocked_product((2,2):(1,2), (2,3):(1,2))  =  ((2,2),(2,3)):((1,4),(2,8))
//
// 6. Inverse
//
// Law: L(right_inverse(L)(i)) = i, as far as L hits indices without a gap. The inverse tells which
// coordinate, as an integer, holds index i:
//
//   right_inverse((2,4):(4,1))  =  (4,2):(2,1)
//   composition((2,4):(4,1), (4,2):(2,1))  =  (4,2):(1,4)
//
// 7. Leaves that are not known
//
// A leaf may be dynamic: `?`, with facts such as a divisor. Operations compute with what they know:
// how many tiles there are down is not known, and the stride from one pair of columns to the next
// is twice a stride, which the result states as a divisor:
//
//   logical_divide((?,8):(1,?), [4:1;2:1])  =  ((4,?),(2,4)):((1,4),(?,?{div=2}))
//
// Where a result is right for some values only, the condition goes through Arith::assume. Here,
// among others, that 2 divides the number of rows or that eight steps of 2 stay below it:
//
//   composition((?,4):(1,?), 8:2)  =  (?,?):(2,?)
//
// 8. Strides that are bases
//
// A stride 1@i is the unit vector of mode i: the index is then a coordinate. Divided, the identity
// layout tells which coordinates a tile has:
//
//   crd2idx((1,2), (2,4):(1@0,1@1))  =  (1,2)
//
// Conventions. The last mode of a layout goes on beyond its size when an integer coordinate does.
// Shapes are in elements. Semantics follow public CuTe (CUTLASS include/cute). All functions are
// pure; `Result` carries the refusal.
#pragma once

#include "tessera/base/Result.h"
#include "tessera/layout/Arith.h"
#include "tessera/layout/Layout.h"

#include <span>

namespace tessera::layout {

//===--- Structure (Tree.cpp); taking a tree apart and putting it together: Tree.h ------------===//

/// The number of modes; 1 for a leaf.
inline size_t rank(const Tree &t) { return t.rank(); }
inline size_t rank(const Layout &l) { return l.rank(); }
/// The levels of nesting: 0 for a leaf, 1 for `()` and for a tuple of leaves.
inline size_t depth(const Tree &t) { return t.depth(); }
inline size_t depth(const Layout &l) { return l.depth(); }
/// congruent: equal profiles. weaklyCongruent: the profile of `a` goes at most as deep, so every
/// leaf of `a` stands where `b` has a leaf or a tuple.
bool congruent(const Tree &a, const Tree &b);
bool weaklyCongruent(const Tree &a, const Tree &b);
/// The leaves as a flat tuple; a leaf stays a leaf. For layouts: below.
Tree flatten(const Tree &);
/// `flat` (one mode per leaf of `profile`) with the nesting of `profile`.
Tree unflatten(const Tree &flat, const Tree &profile);

//===--- Tuples (Tuple.cpp) -------------------------------------------------------------------===//

/// Product of all leaves; 1 for `()`.
Int product(Arith &, const Tree &);
/// A tuple with one product per top-level mode; `(n)` for a leaf `n`.
Tree productEach(Arith &, const Tree &);
/// Replaces each leaf of `guide` by the product of the part of `tree` in its place; guide weakly
/// congruent.
Result<Tree> productLike(Arith &, const Tree &tree, const Tree &guide);
/// Leaf by leaf; the structures must match, but 0 stands for any tuple of zeros.
Result<Tree> add(Arith &, const Tree &a, const Tree &b);
Result<Tree> sub(Arith &, const Tree &a, const Tree &b);
/// Leaf by leaf; a scalar applies to every leaf of the other.
Result<Tree> mul(Arith &, const Tree &a, const Tree &b);
Result<Tree> div(Arith &, const Tree &a, const Tree &b);
Result<Tree> mod(Arith &, const Tree &a, const Tree &b);
/// Coordinate-wise sum of evaluation results: shorter tuples are padded with zeros.
Tree addIndices(Arith &, const Tree &a, const Tree &b);
/// A scaled basis v@j@i as the nested tuple that holds v at path (i, j) and zeros before it.
Tree basisToTuple(const Leaf &);

/// shape_div: a / b where one divides the other, mode by mode, or an integer divided out of a tuple
/// from the left. Source: CUTLASS int_tuple.hpp.
Result<Tree> shapeDiv(Arith &, const Tree &a, const Tree &b);
/// ceil(a / b) leaf by leaf; modes of `a` beyond the rank of `b` stay; an integer is divided out of
/// a tuple from the left.
Result<Tree> ceilDiv(Arith &, const Tree &a, const Tree &b);
/// The number of copies of a tile that cover `a`, mode by mode: the shape of the rest in a division
/// by the tile; `_` keeps a mode.
Result<Tree> ceilDiv(Arith &, const Tree &a, const Tile &tile);
/// `a` rounded up to multiples of `b`, leaf by leaf; modes of `a` beyond the rank of `b` stay.
Result<Tree> roundUp(Arith &, const Tree &a, const Tree &b);
/// Over all leaves: the sum (0 for `()`), the largest, the smallest; the last two refuse `()`.
Int sum(Arith &, const Tree &);
Result<Int> maxLeaf(Arith &, const Tree &);
Result<Int> minLeaf(Arith &, const Tree &);
/// The greatest common divisor of all leaves, 0 for `()`. A dynamic leaf must be known to be a
/// multiple of it.
Result<Int> gcdOfLeaves(const Tree &);
/// The sum of the products of corresponding leaves; the structures must match.
Result<Int> innerProduct(Arith &, const Tree &a, const Tree &b);

//===--- Comparisons (Compare.cpp); each answer is an I1, static where the operands decide ----===//

/// elemLess: every leaf of `a` is less than the corresponding leaf of `b`; profiles must match. Leq
/// is not (b < a), Geq is not (a < b), as in CuTe: of (4,5) and (3,5) neither is elemwise less, so
/// each is Leq of the other. Source: CUTLASS int_tuple.hpp.
Result<Int> elemLess(Arith &, const Tree &a, const Tree &b);
Result<Int> elemLeq(Arith &, const Tree &a, const Tree &b);
Result<Int> elemGtr(Arith &, const Tree &a, const Tree &b);
Result<Int> elemGeq(Arith &, const Tree &a, const Tree &b);
/// Orders in which the first mode (lex) or the last mode (colex) counts most. If one tuple is a
/// prefix of the other, the shorter is less; a leaf and a tuple do not compare.
Result<Int> lexLess(Arith &, const Tree &a, const Tree &b);
Result<Int> lexLeq(Arith &, const Tree &a, const Tree &b);
Result<Int> colexLess(Arith &, const Tree &a, const Tree &b);
Result<Int> colexLeq(Arith &, const Tree &a, const Tree &b);
/// Same profile and equal leaves. Different profiles are unequal.
Int equal(Arith &, const Tree &a, const Tree &b);
/// For shapes: each coordinate of `a` is one of `b`, as each leaf of `a` has the size of the part
/// of `b` in its place. congruent and weaklyCongruent compare profiles alone.
Int compatible(Arith &, const Tree &a, const Tree &b);
/// There is a shape C, congruent to `a`, such that a * C leaf by leaf is compatible with `b`.
Int weaklyCompatible(Arith &, const Tree &a, const Tree &b);
/// Whether a tiler `b` leaves no remainder in `a`: the tile times ceilDiv(a, b) has as many
/// elements as `a`, mode by mode for a tuple. Integers are divided out of a tuple from the left.
Int evenlyDivides(Arith &, const Tree &a, const Tree &b);
Int evenlyDivides(Arith &, const Tree &a, const Tile &b);

//===--- Construction (Construct.cpp) ---------------------------------------------------------===//

/// Compact layout, first mode fastest (LayoutLeft). Modes of static extent 1 get stride 0.
Layout compactMajor(Arith &, const Tree &shape);
/// Compact layout, last leaf fastest (LayoutRight).
Layout compactRight(Arith &, const Tree &shape);
/// Compact layout whose strides grow in the order of the static ranks in `order` (same structure as
/// the shape, or a leaf for a sub-shape that is kept left-major). Modes of equal rank start at the
/// same stride, as in CuTe C++, and so overlap.
Result<Layout> orderedLayout(Arith &, const Tree &shape, const Tree &order);
/// Compact layout with the shape of `l` and strides in the order of the strides of `l`; stride 0
/// stays, dynamic and basis strides come after the static ones in order of position.
Layout layoutLike(Arith &, const Layout &l);
/// Register layout for a partition `l`: mode 0 compact, where stride 0 stays, the rest ordered as
/// the strides of `l`; compact if the shape is dynamic or has one mode. Source: CUTLASS layout.hpp
/// make_fragment_like.
Layout fragmentLike(Arith &, const Layout &l);
/// shape with strides 1@i: the coordinate of a coordinate.
Layout identityLayout(const Tree &shape);
/// A layout with the given layouts as modes. Refuses strides that cannot be in one layout, such as
/// a scaled basis beside a number; so do append, prepend, appendToRank, prependToRank, replace and
/// zip.
Result<Layout> concat(std::span<const Layout>);
inline Result<Layout> concat(std::initializer_list<Layout> modes) {
  return concat(std::span<const Layout>(modes.begin(), modes.size()));
}

//===--- Access and regrouping (Regroup.cpp) --------------------------------------------------===//

/// The mode at a path of mode indices.
Result<Tree> getMode(const Tree &, std::span<const int32_t> path);
Result<Layout> getMode(const Layout &, std::span<const int32_t> path);
Result<Tile> getMode(const Tile &, std::span<const int32_t> path);
/// The modes with these indices, in this order.
Result<Tree> select(const Tree &, std::span<const int32_t> modes);
Result<Tile> select(const Tile &, std::span<const int32_t> modes);
Result<Layout> select(const Layout &, std::span<const int32_t> modes);
/// Modes [begin, end), also none; of a tuple of integers: Tree.h.
Result<Layout> take(const Layout &, int64_t begin, int64_t end);
/// One more mode, after or before; a leaf becomes the first of two modes, or the second.
Tree append(const Tree &, const Tree &element);
Tree prepend(const Tree &, const Tree &element);
Result<Layout> append(const Layout &, const Layout &element);
Result<Layout> prepend(const Layout &, const Layout &element);
/// `element` in place of the mode with this index.
Result<Tree> replace(const Tree &, int64_t mode, const Tree &element);
Result<Layout> replace(const Layout &, int64_t mode, const Layout &element);
/// A tuple of tuples of one rank transposed: ((a,b),(c,d)) -> ((a,c),(b,d)). Undoes itself, so it
/// is unzip too.
Result<Tree> zip(const Tree &);
Result<Layout> zip(const Layout &);
/// Mode i is (mode i of a, mode i of b).
Result<Layout> zip(const Layout &a, const Layout &b);
/// Modes [begin, end) become one mode.
Result<Tree> groupModes(const Tree &, int64_t begin, int64_t end);
Result<Layout> groupModes(const Layout &, int64_t begin, int64_t end);
/// Fills up to `rank` modes with copies of `element`, after or before.
Result<Tree> appendToRank(const Tree &, int64_t rank, const Tree &element);
Result<Tree> prependToRank(const Tree &, int64_t rank, const Tree &element);
Result<Layout> appendToRank(const Layout &, int64_t rank, const Layout &element);
Result<Layout> prependToRank(const Layout &, int64_t rank, const Layout &element);
Layout flatten(const Layout &);
/// slice: the part of `tree` that `coord` keeps (`_`). dice: the part that it fixes. coord weakly
/// congruent.
Result<Tree> slice(const Tree &tree, const Tree &coord);
Result<Tree> dice(const Tree &tree, const Tree &coord);
Result<Layout> slice(const Layout &, const Tree &coord);
Result<Layout> dice(const Layout &, const Tree &coord);

//===--- Evaluation (Index.cpp) ---------------------------------------------------------------===//

Int size(Arith &, const Layout &);
/// 1 + the largest index, per mode of the codomain for basis strides; strides count by magnitude.
/// Of a swizzled layout: that of the outer layout, since a swizzle permutes.
Result<Tree> coshape(Arith &, const AnyLayout &);
/// The product of the coshape.
Result<Int> cosize(Arith &, const AnyLayout &);
/// The index of a coordinate: a number, or a tuple for basis strides. `_` counts as 0.
Result<Tree> crd2idx(Arith &, const Tree &coord, const Layout &);
Result<Tree> crd2idx(Arith &, const Tree &coord, const AnyLayout &);
/// The hierarchical coordinate of an index within `shape`; a tuple index goes mode by mode.
Result<Tree> idx2crd(Arith &, const Tree &index, const Tree &shape);
/// idx2crd of a compact layout's shape with its strides: (index / stride) % shape per leaf.
Tree idx2crd(Arith &, Int index, const Tree &shape, const Tree &stride);
/// The coordinate with one integer per top-level mode.
Result<Tree> flatCoord(Arith &, const Tree &index, const Tree &shape);
/// The coordinate of an index of a compact layout `l`, in the profile of `l`: the inverse of
/// crd2idx.
Tree hierCoord(Arith &, Int index, const Layout &l);
/// The same with one integer per top-level mode; the number itself for one mode.
Tree flatCoord(Arith &, Int index, const Layout &l);
/// A coordinate of one shape as the coordinate of another one with the same index, mode by mode
/// where all three are tuples.
Result<Tree> crd2crd(Arith &, const Tree &coord, const Tree &from, const Tree &to);
/// The profile of the codomain: 0, or a tuple of zeros for basis strides.
Tree coprofile(const AnyLayout &);
/// The next coordinate in first-mode-fastest order. After the last one comes the end of CuTe C++'s
/// iterators: the last leaf is its extent, and the others are 0.
Result<Tree> incrementCoord(Arith &, const Tree &coord, const Tree &shape);
Int applySwizzle(Arith &, const Swizzle &, Int index);

/// The result of a slice: the layout of the kept modes, and the index of the fixed ones.
struct Sliced {
  AnyLayout layout;
  Tree offset;
};
/// slice and crd2idx in one. A swizzled layout becomes a plain one with dynamic strides if its kept
/// modes touch only source bits or only target bits of the swizzle. Source: CUTLASS
/// swizzle_layout.hpp.
Result<Sliced> sliceAndOffset(Arith &, const Tree &coord, const AnyLayout &);

//===--- Parts at a coordinate (Tiling.cpp) ---------------------------------------------------===//

/// The layout from `coord` on: L(coord + c) = layout(c) + offset, if such a sum exists. A swizzled
/// layout takes the offset into itself.
Result<Sliced> domainOffset(Arith &, const Tree &coord, const AnyLayout &);
/// The tile at a coordinate of the rest of divide(l, tiler, Zipped), or the rest at a coordinate of
/// the tile; modes that `coord` does not name are kept. Source: CUTLASS tensor_impl.hpp.
Result<Sliced> innerPartition(Arith &, const AnyLayout &l, const Tile &tiler, const Tree &coord);
Result<Sliced> outerPartition(Arith &, const AnyLayout &l, const Tile &tiler, const Tree &coord);
/// innerPartition under CuTe's other name. A projection, as (1,_,1), drops modes of tiler and
/// coordinate.
Result<Sliced> localTile(Arith &, const AnyLayout &l, const Tile &tiler, const Tree &coord);
Result<Sliced> localTile(Arith &, const AnyLayout &l, const Tile &tiler, const Tree &coord,
                         const Tree &projection);
/// The part of thread `thread` in a layout of threads: its element of each tile of the size of
/// `threads`.
Result<Sliced> localPartition(Arith &, const AnyLayout &l, const Layout &threads, Int thread);
Result<Sliced> localPartition(Arith &, const AnyLayout &l, const Layout &threads, Int thread,
                              const Tree &projection);
// The coordinate of each (tile, rest) coordinate: divide(identityLayout(shape), tiler, ...).

//===--- Coalescing (Coalesce.cpp) ------------------------------------------------------------===//

/// Fewest modes for the same function on integers; `():()` stays.
Layout coalesce(Arith &, const Layout &);
/// Coalesces below each leaf of `profile`; modes beyond its rank stay. If the profile is a tuple, a
/// layout of one mode counts as a tuple with that mode.
Result<Layout> coalesce(Arith &, const Layout &, const Tree &profile);
/// Coalesces only while a combined mode has at most `maxExtent` elements, as TMA boxes need.
Layout coalesceBounded(Arith &, const Layout &, int64_t maxExtent);
/// Shape 1 and stride 0 where the stride is a static 0; same profile.
Layout filterZeros(const Layout &);
/// Shape 1 where `profile` has a static 0, strides untouched; profile weakly congruent.
Result<Layout> filterZeros(const Layout &, const Tree &profile);
/// coalesce(filterZeros(l)).
Layout filter(Arith &, const Layout &);
/// Filters below each leaf of `profile`; modes beyond its rank stay.
Result<Layout> filter(Arith &, const Layout &, const Tree &profile);

// Algebra (Composition, Swizzle, Complement, Inverse, Common, Divide, Stencil, Product, Recast)

/// R with R(c) = A(B(c)) and a shape compatible with B's. Refuses where that function is not a
/// layout.
Result<Layout> composition(Arith &, const Layout &a, const Layout &b);
Result<AnyLayout> composition(Arith &, const AnyLayout &a, const Layout &b);
/// Mode by mode; `_` keeps a mode; modes of `a` beyond the tile are dropped.
Result<AnyLayout> composition(Arith &, const AnyLayout &a, const Tile &b);
/// A swizzle, offset and layout combined; the layout alone if the others change nothing.
AnyLayout compose(const Swizzle &, const Tree &offset, Layout outer);

/// The swizzle that reads the source bits and changes the target bits: two runs with equally many
/// ones.
Result<Swizzle> makeSwizzle(int64_t sourceBits, int64_t targetBits);
/// R(i) = a(b(i)), for swizzles of one shift whose moved bits are one run, and for the identity.
Result<Swizzle> composition(const Swizzle &a, const Swizzle &b);
/// R(c) = A(S(c)) as a swizzle S' after A, for all c below the size of A. Static; each bit that S
/// reads or changes must become a separate bit. Parts of S that no c reaches may be left out.
Result<AnyLayout> composition(Arith &, const Layout &a, const Swizzle &b);
/// R(c) = A(B(c)) for a swizzled B, as before; two swizzles in a row become one.
Result<AnyLayout> composition(Arith &, const AnyLayout &a, const Composed &b);

/// How the rest of adjacent dynamic extents is stated: as one mode, their product, as in CuTe C++,
/// or as a mode for each, as in the public dialect. The function is the same.
enum class OpenRest : uint8_t {
  Joined,
  ByMode
};
/// The indices below `cotarget` (a number or shape) that `l` leaves out, in ascending order: no
/// index is hit twice by `l` and its complement. All indices up to `cotarget` are hit if each
/// stride of `l` is a multiple of what the smaller ones reach; otherwise gaps stay, as between
/// padded rows. A shape is divided mode by mode, rounding up: if that does not divide, the end may
/// fall short of `cotarget`. Needs static strides unless `l` has one mode.
Result<Layout> complement(Arith &, const Layout &l, const Tree &cotarget,
                          OpenRest = OpenRest::Joined);
/// With the cosize of `l` as cotarget.
Result<Layout> complement(Arith &, const Layout &l);

/// R with L(R(i)) = i on the largest prefix of indices that L hits contiguously.
Layout rightInverse(Arith &, const Layout &);
/// R with L(R(L(i))) = L(i), hence R(L(i)) = i for injective L. Modes of stride 0 come back as
/// their coordinate 0. Static strides; dynamic extents are assumed to stay below the next stride.
/// If modes overlap, some R(L(i)) is beyond the domain, where the last mode of `l` continues: the
/// public dialect inverts that too, while CuTe C++ does so whether the result is right or not.
enum class Overlap : uint8_t {
  Refused,
  LastModeGoesOn
};
Result<Layout> leftInverse(Arith &, const Layout &, Overlap = Overlap::Refused);

/// The same for swizzled layouts, as far as the inverse of the outer layout reaches: the swizzle,
/// then that inverse. With an offset n > 0 nothing is at index 0, so there is no right inverse. A
/// left inverse j -> L^+(S(j) - n) is a layout only if n is a multiple of all that L and S reach,
/// or if S changes nothing.
Result<AnyLayout> rightInverse(Arith &, const AnyLayout &);
Result<AnyLayout> leftInverse(Arith &, const AnyLayout &);

/// The coordinates that modes of static stride 0 map to index 0: L(N(i)) = 0, N injective, in leaf
/// order.
Layout nullspace(Arith &, const Layout &);
/// R with a(R(i)) = b(R(i)) = i: the indices that both layouts, with one domain, hit contiguously
/// at the same coordinates, as far as static leaves show. maxCommonVector: their number.
Result<Layout> maxCommonLayout(Arith &, const Layout &a, const Layout &b);
Result<Int> maxCommonVector(Arith &, const Layout &a, const Layout &b);
/// The same for swizzled layouts: the number of adjacent elements that the swizzle keeps together.
Result<Int> maxCommonVector(Arith &, const AnyLayout &a, const AnyLayout &b);
/// The largest N such that the first N indices are hit and the other modes step by multiples of N:
/// vectors of N elements are aligned. Static; a dynamic stride is assumed to be a multiple.
Int maxAlignment(Arith &, const Layout &);
/// A layout of at most `count` elements into the integer coordinates of `shape`, adjacent ones
/// first: each extent contributes its common divisor with the remaining `count`. Static. Source:
/// CUTLASS layout.hpp.
Result<Layout> domainDistribute(Arith &, const Tree &shape, Int count);

/// How divide and product regroup their (tile, rest) pairs.
enum class Grouping : uint8_t {
  Logical, // ((t0,r0),(t1,r1))
  Zipped,  // ((t0,t1),(r0,r1))
  Tiled,   // ((t0,t1),r0,r1)
  Flat     // (t0,t1,r0,r1)
};
/// composition(A, (B, complement(B, size A))): the elements of A in tiles of B. A layout as tiler
/// divides the whole domain, a tile divides mode by mode. A rest that does not divide is rounded
/// up.
Result<AnyLayout> divide(Arith &, const AnyLayout &a, const Layout &tiler, Grouping,
                         OpenRest = OpenRest::Joined);
Result<AnyLayout> divide(Arith &, const AnyLayout &a, const Tile &tiler, Grouping,
                         OpenRest = OpenRest::Joined);

/// divide from the last mode instead of the first: a tile divides the last modes, a layout the
/// domain with its last mode fastest, and the rest comes before the tile: ((r),(t)), (r0,r1,(t)),
/// (r0,r1,t0,t1); logical pairs stay.
Result<AnyLayout> outerDivide(Arith &, const AnyLayout &a, const Tile &tiler, Grouping);

/// Windows over modes. Trees are weakly congruent with `window`: a number holds for all modes
/// below. In `window`
/// `_` leaves a mode alone, as do ranks beyond it.
struct Stencil {
  Tree window, stride = 1, dilation = 1;
  Tree before = 0, after = 0; // padding, in elements
};
/// Each mode n:t under a window becomes (window, 1 + (before+n+after - ((window-1)*dilation+1)) /
/// stride) with the strides (dilation*t, stride*t); the offset is where the first window starts,
/// the index of the coordinate -before: R(w,o) + offset = L(w*dilation + o*stride - before). On
/// identityLayout(shape) the same division gives that coordinate, which is in the padding unless 0
/// <= it < n. Window, stride, dilation positive; the window must fit. Groupings as for divide,
/// (windows, outputs and other modes).
Result<Sliced> stencilDivide(Arith &, const AnyLayout &, const Stencil &,
                             Grouping = Grouping::Logical);

/// (A, composition(complement(A), B)): B-many copies of A side by side; strides of B are numbers. A
/// tile multiplies mode by mode.
Result<AnyLayout> product(Arith &, const AnyLayout &a, const Layout &b, Grouping);
Result<AnyLayout> product(Arith &, const AnyLayout &a, const Tile &b, Grouping);
/// Product whose modes pair up: block inside (blocked) or copies inside (raked).
Result<AnyLayout> blockedProduct(Arith &, const AnyLayout &a, const Layout &b);
Result<AnyLayout> rakedProduct(Arith &, const AnyLayout &a, const Layout &b);
/// `block` repeated to cover `target`, copies ordered by `order` (static ranks, one per mode).
Result<AnyLayout> tileToShape(Arith &, const AnyLayout &block, const Tree &target,
                              const Tree &order);

/// The same memory seen as elements of `newBits` instead of `oldBits`.
Result<AnyLayout> recast(Arith &, const AnyLayout &, int64_t oldBits, int64_t newBits);
Result<Layout> upcast(Arith &, const Layout &, int64_t factor);
Result<Layout> downcast(Arith &, const Layout &, int64_t factor);
Result<Swizzle> recast(const Swizzle &, int64_t oldBits, int64_t newBits);

//===--- Thread-value partitioning (PartitionCopy.cpp, PartitionMma.cpp) ----------------------===//

// How tiled copies and tiled MMAs split a tensor among threads. A thread-value (TV) layout maps
// (thread, value) to an index of a tile. Source of the laws: CUTLASS
// include/cute/atom/copy_atom.hpp and mma_atom.hpp.

/// The layouts of a copy atom, in elements of its value type: (thread, value) -> position, for the
/// source, the destination and the reference on which tiled copies are built.
struct CopyAtomLayouts {
  Layout src, dst, ref;
};

/// A copy atom repeated over threads and values: layoutTV maps (thread, value) to an index of the
/// tile.
struct TiledCopy {
  CopyAtomLayouts atom;
  Layout layoutTV;
  Tile tiler;
};

enum class CopySide : uint8_t {
  Src,
  Dst
};

/// (thread, value, rest): the tensor as distributed over all threads of the copy.
Result<AnyLayout> threadFragments(Arith &, const TiledCopy &, CopySide, const AnyLayout &tensor);
/// The part that thread `thread` (an integer coordinate) copies: (value, rest...), and its start.
Result<Sliced> partition(Arith &, const TiledCopy &, CopySide, const AnyLayout &tensor,
                         const Tree &thread);
/// A register fragment of another tiling of the same threads, with its values in the order of this
/// copy.
Result<Layout> retile(Arith &, const TiledCopy &, const Layout &fragment);

enum class MmaOperand : uint8_t {
  A,
  B,
  C
};

/// The atom of an MMA: its extents, the threads that execute it and the TV layouts of A (M,K), B
/// (N,K) and C (M,N).
struct MmaAtomLayouts {
  int64_t m, n, k;
  Layout threads;
  Layout a, b, c;
};

/// An MMA atom repeated over threads (atomLayout, in M, N, K) and values (permutation, or `_`).
struct TiledMma {
  MmaAtomLayouts atom;
  Layout atomLayout;
  Tile permutation;
};

/// (V, M, N, K) -> thread index.
Result<Layout> threadLayout(Arith &, const TiledMma &);
/// Extent of the tile in one of M, N, K (mode 0, 1, 2).
Result<Int> tileSize(Arith &, const TiledMma &, int mode);
/// ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN))) for C, likewise (M,K) for A and (N,K) for B.
Result<AnyLayout> threadFragments(Arith &, const TiledMma &, MmaOperand, const AnyLayout &tensor);
/// The part that thread `thread` computes with: (FrgV, RestM, RestN...), and its start.
Result<Sliced> partition(Arith &, const TiledMma &, MmaOperand, const AnyLayout &tensor,
                         const Tree &thread);
/// The shape of a partition of a tensor of shape `shape`.
Result<Tree> partitionShape(Arith &, const TiledMma &, MmaOperand, const Tree &shape);

} // namespace tessera::layout
