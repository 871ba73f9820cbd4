// Atoms, tiled copies and tiled MMAs, under CuTe C++'s names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Tensors.h"

namespace tessera::cute {

//===--- instructions -------------------------------------------------------------------------===//

/// A plain load and store of one T at a time.
template <class T> struct UniversalCopy {
  static constexpr const char *name = "UniversalCopy";
  static constexpr int bits = sizeof_bits_v<T>;
};
/// As wide as layouts and alignments allow, up to `Bits` bits.
template <int Bits = 128> struct AutoVectorizingCopyWithAssumedAlignment {
  static constexpr const char *name = "UniversalCopy";
  static constexpr int bits = Bits;
  static constexpr bool is_default = true; // also for calls without an instruction
};
using AutoVectorizingCopy = AutoVectorizingCopyWithAssumedAlignment<128>;
using DefaultCopy = AutoVectorizingCopyWithAssumedAlignment<8>;
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEALWAYS {
  static constexpr const char *name = "SM80_CP_ASYNC_CACHEALWAYS";
  static constexpr int bits = sizeof_bits_v<S>;
};
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEGLOBAL {
  static constexpr const char *name = "SM80_CP_ASYNC_CACHEGLOBAL";
  static constexpr int bits = sizeof_bits_v<S>;
};
// The _ZFILL atoms zero what the predicate excludes. copy_if with the atoms above already does so.
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEALWAYS_ZFILL : SM80_CP_ASYNC_CACHEALWAYS<S, D> {};
template <class S, class D = S>
struct SM80_CP_ASYNC_CACHEGLOBAL_ZFILL : SM80_CP_ASYNC_CACHEGLOBAL<S, D> {};

namespace detail {
template <class T> struct FmaName;
template <> struct FmaName<float> {
  static constexpr const char *name = "UniversalFMA<f32>";
};
template <> struct FmaName<double> {
  static constexpr const char *name = "UniversalFMA<f64>";
};
template <> struct FmaName<half_t> {
  static constexpr const char *name = "UniversalFMA<f16>";
};
template <> struct FmaName<bfloat16_t> {
  static constexpr const char *name = "UniversalFMA<bf16>";
};
} // namespace detail
/// d = a b + c, in each thread.
template <class D, class A = D, class B = A, class C = D>
  requires(std::is_same_v<D, A> && std::is_same_v<A, B> && std::is_same_v<B, C>)
struct UniversalFMA : detail::FmaName<D> {};

/// Which mode of an operand is contiguous.
namespace GMMA {
enum class Major {
  K,
  MN
};
/// The factor of an operand; negation is not supported here.
enum class ScaleIn {
  One = 1
};
/// Whether a product adds to its accumulator: mma.accumulate(GMMA::ScaleOut::Zero).
enum class ScaleOut {
  Zero = 0,
  One = 1
};
} // namespace GMMA
#define TESSERA_ATOM(NAME)                                                                         \
  struct NAME {                                                                                    \
    static constexpr const char *name = #NAME;                                                     \
  };
#define TESSERA_GROUP_ATOM(NAME)                                                                   \
  template <GMMA::Major A, GMMA::Major B, GMMA::ScaleIn = GMMA::ScaleIn::One,                      \
            GMMA::ScaleIn = GMMA::ScaleIn::One>                                                    \
  struct NAME {                                                                                    \
    static constexpr const char *name = #NAME;                                                     \
    static constexpr GMMA::Major a_major = A, b_major = B;                                         \
  };
#define TESSERA_SCALED_ATOM(NAME)                                                                  \
  template <GMMA::ScaleIn = GMMA::ScaleIn::One, GMMA::ScaleIn = GMMA::ScaleIn::One> struct NAME {  \
    static constexpr const char *name = #NAME;                                                     \
  };
#include "tessera/cute_cxx/Atoms.def"
#undef TESSERA_ATOM
#undef TESSERA_GROUP_ATOM
#undef TESSERA_SCALED_ATOM

// SM75 instructions that CuTe C++ also has under a name of SM80.
#define TESSERA_SAME_ATOMS(A, B)                                                                   \
  using SM80_8x8x16_S32##A##8##B##8S32_TN = SM75_8x8x16_S32##A##8##B##8S32_TN;                     \
  using SM80_8x8x16_S32##A##8##B##8S32_TN_SATURATE = SM75_8x8x16_S32##A##8##B##8S32_TN_SATURATE;   \
  using SM80_8x8x32_S32##A##4##B##4S32_TN = SM75_8x8x32_S32##A##4##B##4S32_TN;                     \
  using SM80_8x8x32_S32##A##4##B##4S32_TN_SATURATE = SM75_8x8x32_S32##A##4##B##4S32_TN_SATURATE;
TESSERA_SAME_ATOMS(S, S)
TESSERA_SAME_ATOMS(S, U)
TESSERA_SAME_ATOMS(U, S)
TESSERA_SAME_ATOMS(U, U)
#undef TESSERA_SAME_ATOMS
using SM80_16x8x8_F16F16F16F16_TN = SM75_16x8x8_F16F16F16F16_TN;
using SM80_16x8x8_F32F16F16F32_TN = SM75_16x8x8_F32F16F16F32_TN;

//===--- copies -------------------------------------------------------------------------------===//

class CopyAtom : public Value {
public:
  using Value::Value;
  CopyAtom() = default;
};
namespace detail {
CopyAtom copy_atom(const char *name, Format, int bits, Place);
} // namespace detail
/// A copy instruction for elements of one type.
template <class Op, ElementType T> struct Copy_Atom : CopyAtom {
  Copy_Atom(Place at = Place::current())
      : CopyAtom(detail::copy_atom(Op::name, format_of<T>, bits(), at)) {}

private:
  static constexpr int bits() {
    if constexpr (requires { Op::bits; })
      return Op::bits < sizeof_bits_v<T> ? sizeof_bits_v<T> : Op::bits;
    else
      return 0;
  }
};

class TiledCopy;
/// A thread's part of a tiled copy.
class ThrCopy {
public:
  ThrCopy(Value whole, Num index) : copy(std::move(whole)), thread(std::move(index)) {}
  Tensor partition_S(const Tensor &, Place = Place::current()) const;
  Tensor partition_D(const Tensor &, Place = Place::current()) const;
  Tensor retile_S(const Tensor &, Place = Place::current()) const;
  Tensor retile_D(const Tensor &t, Place at = Place::current()) const { return retile_S(t, at); }

private:
  friend void print(const ThrCopy &);
  Value copy;
  Num thread;
};
class TiledCopy : public Value {
public:
  using Value::Value;
  TiledCopy() = default;
  ThrCopy get_slice(const Num &thread) const { return ThrCopy(*this, thread); }
  ThrCopy get_thread_slice(const Num &thread) const { return ThrCopy(*this, thread); }
  // (thread, value) -> index of the tile, for the source and for the destination.
  Layout<> get_layoutS_TV(Place = Place::current()) const;
  Layout<> get_layoutD_TV(Place = Place::current()) const;
  /// (thread, value, rest...) for a layout or tensor whose extents C++ knows.
  Layout<> tidfrg_S(const Layout<> &, Place = Place::current()) const;
  Layout<> tidfrg_D(const Layout<> &, Place = Place::current()) const;
  Tensor tidfrg_S(const Tensor &t, Place at = Place::current()) const {
    return detail::with_layout(t, tidfrg_S(t.layout(at), at), at);
  }
  Tensor tidfrg_D(const Tensor &t, Place at = Place::current()) const {
    return detail::with_layout(t, tidfrg_D(t.layout(at), at), at);
  }
};
/// The atom repeated over threads, each with some values.
TiledCopy make_tiled_copy(const CopyAtom &, const Layout<> &threads,
                          const Layout<> &values = make_layout(1), Place = Place::current());
class TiledMMA;
// The copy whose values are those of an operand of a product.
TiledCopy make_tiled_copy_A(const CopyAtom &, const TiledMMA &, Place = Place::current());
TiledCopy make_tiled_copy_B(const CopyAtom &, const TiledMMA &, Place = Place::current());
TiledCopy make_tiled_copy_C(const CopyAtom &, const TiledMMA &, Place = Place::current());
/// The copy that takes only the first values of C in each thread, as many as the atom copies at
/// once.
TiledCopy make_tiled_copy_C_atom(const CopyAtom &, const TiledMMA &, Place = Place::current());
// A copy with another atom, whose threads and values are those that a copy reads or writes.
TiledCopy make_tiled_copy_S(const CopyAtom &, const TiledCopy &, Place = Place::current());
TiledCopy make_tiled_copy_D(const CopyAtom &, const TiledCopy &, Place = Place::current());
/// A copy whose (thread, value) is at an index of the layout `data`: it is given by where elements
/// are in memory, not by their coordinates.
TiledCopy make_cotiled_copy(const CopyAtom &, const Layout<> &thread_value, const Layout<> &data,
                            Place = Place::current());
int size(const TiledCopy &, Place = Place::current());

/// A copy by one thread, as wide as layouts and alignments allow. Shapes must be static.
void copy(const Tensor &from, const Tensor &to, Place = Place::current());
namespace detail {
void copy_assumed(int bits, const Tensor &from, const Tensor &to, Place);
} // namespace detail
/// The same in pieces of at most `Bits` bits, where the author promises that the tensors are
/// aligned to such pieces if their layouts allow them. A false promise is a misaligned access.
template <int Bits>
void copy(AutoVectorizingCopyWithAssumedAlignment<Bits>, const Tensor &from, const Tensor &to,
          Place at = Place::current()) {
  detail::copy_assumed(Bits, from, to, at);
}
inline void copy_aligned(const Tensor &from, const Tensor &to, Place at = Place::current()) {
  detail::copy_assumed(128, from, to, at);
}
/// Mode 0 is what the atom copies at once.
void copy(const CopyAtom &, const Tensor &from, const Tensor &to, Place = Place::current());
void copy(const TiledCopy &, const Tensor &from, const Tensor &to, Place = Place::current());
// Copies only where the predicate holds. It has one element for each coordinate of the modes after
// mode 0, or without an atom for each element. cp.async writes zeros elsewhere.
void copy_if(const Tensor &pred, const Tensor &from, const Tensor &to, Place = Place::current());
void copy_if(const CopyAtom &, const Tensor &pred, const Tensor &from, const Tensor &to,
             Place = Place::current());
void copy_if(const TiledCopy &, const Tensor &pred, const Tensor &from, const Tensor &to,
             Place = Place::current());

void cp_async_fence(Place = Place::current());
/// Waits until all but the last `pending` groups have arrived.
void cp_async_wait(int pending, Place = Place::current());
template <int N> void cp_async_wait(Place at = Place::current()) { cp_async_wait(N, at); }

//===--- products -----------------------------------------------------------------------------===//

class MMAAtom : public Value {
public:
  using Value::Value;
  MMAAtom() = default;
  template <class Op>
    requires requires { Op::name; }
  MMAAtom(Op, Place at = Place::current());
};
namespace detail {
MMAAtom mma_atom(const char *name, GMMA::Major a, GMMA::Major b, Place);
}
template <class Op>
  requires requires { Op::name; }
MMAAtom::MMAAtom(Op, Place at) {
  if constexpr (requires { Op::a_major; })
    *this = detail::mma_atom(Op::name, Op::a_major, Op::b_major, at);
  else
    *this = detail::mma_atom(Op::name, GMMA::Major::K, GMMA::Major::K, at);
}
template <class Op> struct MMA_Atom : MMAAtom {
  MMA_Atom(Place at = Place::current()) : MMAAtom(Op{}, at) {}
};

/// A thread's part of a product.
class ThrMMA {
public:
  ThrMMA(Value whole, Num index) : mma(std::move(whole)), thread(std::move(index)) {}
  // (value, rest...) for a tensor A (M,K), B (N,K) or C (M,N).
  Tensor partition_A(const Tensor &, Place = Place::current()) const;
  Tensor partition_B(const Tensor &, Place = Place::current()) const;
  Tensor partition_C(const Tensor &, Place = Place::current()) const;
  // The fragment of a partition: registers or matrix descriptors.
  Tensor make_fragment_A(const Tensor &partition, Place = Place::current()) const;
  Tensor make_fragment_B(const Tensor &partition, Place = Place::current()) const;
  Tensor make_fragment_C(const Tensor &partition, Place = Place::current()) const;
  Tensor partition_fragment_A(const Tensor &t, Place at = Place::current()) const {
    return make_fragment_A(partition_A(t, at), at);
  }
  Tensor partition_fragment_B(const Tensor &t, Place at = Place::current()) const {
    return make_fragment_B(partition_B(t, at), at);
  }
  Tensor partition_fragment_C(const Tensor &t, Place at = Place::current()) const {
    return make_fragment_C(partition_C(t, at), at);
  }

private:
  friend void print(const ThrMMA &);
  Value mma;
  Num thread;
};
class TiledMMA : public Value {
public:
  using Value::Value;
  TiledMMA() = default;
  ThrMMA get_slice(const Num &thread) const { return ThrMMA(*this, thread); }
  ThrMMA get_thread_slice(const Num &thread) const { return ThrMMA(*this, thread); }
  /// Sets whether products of a warpgroup add to the accumulator; by default they do.
  TiledMMA accumulate(const Num &whether, Place = Place::current()) const;
  TiledMMA accumulate(GMMA::ScaleOut out, Place at = Place::current()) const {
    return accumulate(Num(out == GMMA::ScaleOut::One, at), at);
  }
  /// A product with scale factors: whether it adds, and where in tensor memory those of A and B
  /// are.
  TiledMMA with(const Num &accumulates, const Tensor &factorsA, const Tensor &factorsB,
                Place = Place::current()) const;
  // (thread, value) -> index of the tile of A (M,K), B (N,K) and C (M,N).
  Layout<> get_layoutA_TV(Place = Place::current()) const;
  Layout<> get_layoutB_TV(Place = Place::current()) const;
  Layout<> get_layoutC_TV(Place = Place::current()) const;
  // ((thread of the atom, (threads)), (value of the atom, (rests))) for a layout or tensor whose
  // extents C++ knows.
  Layout<> thrfrg_A(const Layout<> &, Place = Place::current()) const;
  Layout<> thrfrg_B(const Layout<> &, Place = Place::current()) const;
  Layout<> thrfrg_C(const Layout<> &, Place = Place::current()) const;
  Tensor thrfrg_A(const Tensor &t, Place at = Place::current()) const {
    return detail::with_layout(t, thrfrg_A(t.layout(at), at), at);
  }
  Tensor thrfrg_B(const Tensor &t, Place at = Place::current()) const {
    return detail::with_layout(t, thrfrg_B(t.layout(at), at), at);
  }
  Tensor thrfrg_C(const Tensor &t, Place at = Place::current()) const {
    return detail::with_layout(t, thrfrg_C(t.layout(at), at), at);
  }
  /// The threads of the atom; of a product of SM100 the blocks of a pair.
  Layout<> AtomThrID(Place = Place::current()) const;
  /// (thread of the atom, M, N, K) -> thread.
  Layout<> get_thr_layout_vmnk(Place = Place::current()) const;
  template <int I> int tile_size_mnk(Place = Place::current()) const;
};
/// The atom repeated over threads in M, N and K. The permutation says how many elements of each
/// mode one product of all threads covers.
TiledMMA make_tiled_mma(const MMAAtom &, const Layout<> &atoms = make_layout(make_shape(1, 1, 1)),
                        const Tiler &permutation = {}, Place = Place::current());
int size(const TiledMMA &, Place = Place::current());
namespace detail {
int tile_size(const TiledMMA &, int mode, Place);
}
template <int I> int tile_size(const TiledMMA &mma, Place at = Place::current()) {
  static_assert(0 <= I && I < 3, "tile_size<I> takes mode 0 (M), 1 (N) or 2 (K)");
  return detail::tile_size(mma, I, at);
}
template <int I> int TiledMMA::tile_size_mnk(Place at) const { return tile_size<I>(*this, at); }
inline IntTuple tile_shape(const TiledMMA &mma, Place at = Place::current()) {
  return make_shape(tile_size<0>(mma, at), tile_size<1>(mma, at), tile_size<2>(mma, at));
}
/// Registers for the accumulator of an extent (M,N).
Tensor partition_fragment_C(const TiledMMA &, const IntTuple &shape, Place = Place::current());
IntTuple partition_shape_A(const TiledMMA &, const IntTuple &shape, Place = Place::current());
IntTuple partition_shape_B(const TiledMMA &, const IntTuple &shape, Place = Place::current());
IntTuple partition_shape_C(const TiledMMA &, const IntTuple &shape, Place = Place::current());

/// c = a b + c, fragment by fragment; d = a b + c.
void gemm(const TiledMMA &, const Tensor &a, const Tensor &b, const Tensor &c,
          Place = Place::current());
void gemm(const TiledMMA &, const Tensor &d, const Tensor &a, const Tensor &b, const Tensor &c,
          Place = Place::current());
void gemm(const MMAAtom &, const Tensor &a, const Tensor &b, const Tensor &c,
          Place = Place::current());
/// C (M,N) += A (M,K) B (N,K) with fma instructions of the thread, in the type of C. A and B may be
/// in memory.
void gemm(const Tensor &a, const Tensor &b, const Tensor &c, Place = Place::current());

//===--- pictures -----------------------------------------------------------------------------===//

// Printed while tracing, as CuTe C++ prints them.
void print(const CopyAtom &);
void print(const TiledCopy &);
void print(const ThrCopy &);
void print(const MMAAtom &);
void print(const TiledMMA &);
void print(const ThrMMA &);
/// Pictures of the thread and value of each element: source and destination of a copy; A, B and C.
void print_latex(const TiledCopy &, Place = Place::current());
void print_latex(const TiledMMA &, Place = Place::current());
inline void print_latex(const MMAAtom &atom, Place at = Place::current()) {
  print_latex(make_tiled_mma(atom, make_layout(make_shape(1, 1, 1)), {}, at), at);
}
/// The same of a layout (thread, value) -> index of a tile (M,N).
void print_latex_tv(const Layout<> &, const IntTuple &tile, Place = Place::current());

} // namespace tessera::cute
