// Tensors of a kernel, and views that cut them into tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is a value together with what is known of it: base, shape, strides, and the token after
// which its accesses come. The C++ type fixes only the static extents. Strides and all optional
// parts (padding, dimension map) of its type in the program come from the values it was made of.
#pragma once

#include "tessera/tile_dsl/Memory.h"

namespace tessera::tile {

/// An extent that is known only when the kernel is launched.
inline constexpr int dyn = -1;

/// Indices of a tile: one scalar or number for each dimension.
template <int R> struct Indices {
  template <class... I>
    requires(sizeof...(I) == size_t(R) && (std::is_convertible_v<I, Index> && ...))
  Indices(const I &...indices) : ids{Index(indices).id()...} {}
  Indices(const BlockIndex &at)
    requires(R <= 3)
  {
    const Index all[] = {at.x, at.y, at.z};
    for (size_t d = 0; d < size_t(R); ++d)
      ids[d] = all[d].id();
  }
  /// Numbers: std::array<int, 2>{} is the first tile.
  explicit(R == 0) Indices(const std::array<int, size_t(R)> &numbers) {
    for (size_t d = 0; d < size_t(R); ++d)
      ids[d] = Index(numbers[d]).id();
  }
  std::array<detail::Id, size_t(R)> ids{};
};

namespace detail {
/// The first index of an access, with the line of the program.
struct LocatedIndex {
  LocatedIndex(const Index &i, Where at = Where::current()) : index(i), where(at) {}
  template <class V>
    requires std::is_integral_v<V>
  LocatedIndex(V i, Where at = Where::current()) : index(int(i), at), where(at) {}
  Index index;
  Where where;
};

template <class P> std::optional<PaddingValue> paddingOf(P) {
  if constexpr (says<PaddingValue, P>)
    return P::value;
  else {
    static_assert(std::is_same_v<P, padding::NoPadding>,
                  "padding is padding::None, Zero, NegZero, Nan, PosInf or NegInf");
    return std::nullopt;
  }
}
template <Element E, class P> constexpr bool paddingFits() {
  if constexpr (says<PaddingValue, P>)
    return AnyFloat<E> || P::value == PaddingValue::Zero;
  else
    return true;
}
inline std::span<const int> dimsOf(dim_map::IdentityMap) { return {}; }
template <int... d> std::span<const int> dimsOf(dimension_map<d...>) {
  static constexpr std::array<int, sizeof...(d)> dims{d...};
  bool isIdentity = true;
  for (size_t i = 0; i < dims.size(); ++i)
    isIdentity = isIdentity && dims[i] == int(i);
  return isIdentity ? std::span<const int>() : std::span<const int>(dims);
}

/// Loads a tile of a view. `indices` are ids; for a gather_scatter_view one is a tile of rows.
template <class T, class... Ms>
T loadView(const TensorInfo *tensor, Id view, std::span<const Id> indices, const Where &where,
           const Ms &...ms) {
  static_assert(
      loads<ViewMarkers, Ms...>,
      "a load takes ordering::Weak, Relaxed or Acquire, scope:: and hint; of a view tma:: too");
  Emit emit(Op::LoadViewTko, where);
  emit.out(T::type()).out(tokenType());
  orderAndHints(emit, ms...).without().in(view).in(indices);
  return T(emit.reads(tensor->set).done());
}
template <class T, class... Ms>
void storeView(const TensorInfo *tensor, Id view, const T &tile, std::span<const Id> indices,
               const Where &where, const Ms &...ms) {
  static_assert(
      stores<ViewMarkers, Ms...>,
      "a store takes ordering::Weak, Relaxed or Release, scope:: and hint; of a view tma:: "
      "too");
  Emit emit(Op::StoreViewTko, where);
  emit.out(tokenType());
  orderAndHints(emit, ms...).without().in(tile.id()).in(view).in(indices);
  emit.writes(tensor->set).done();
}
} // namespace detail

/// What all views share: a tensor with tiles that indices name.
template <Element E, int... D> class Partition {
public:
  using tile_type = Tile<E, D...>;
  static constexpr int rank() { return sizeof...(D); }

  Partition(const detail::TensorInfo *of, detail::Id own) : tensor(of), view(own) {}

  detail::Id id() const { return view; }
  /// The type in assembly syntax.
  std::string type_text() const { return detail::typeText(view); }
  /// What travels with a partition: an extent of its tensor, and the token of its accesses.
  Index tensor_shape(int dim, detail::Where where = detail::Where::current()) const {
    return Index(detail::numberOf(tensor, false, dim, where));
  }
  Token token() const { return Token(detail::tokensOf(tensor->set)); }
  /// Number of tiles along a dimension.
  Index num_tiles(int dim, detail::Where where = detail::Where::current()) const {
    detail::Emit emit(detail::Op::GetIndexSpaceShape, where);
    for (int d = 0; d < rank(); ++d)
      emit.out(Index::type());
    detail::Id first = emit.in(view).done();
    return Index(first.next(size_t(dim)));
  }

  /// The tile at indices: load({i, j}, hint{.latency = 4}), or load(i, j).
  template <class M = detail::NoMarker, class N = detail::NoMarker, class O = detail::NoMarker,
            class Q = detail::NoMarker>
  tile_type load(const Indices<sizeof...(D)> &at, M m = {}, N n = {}, O o = {}, Q q = {},
                 detail::Where where = detail::Where::current()) const {
    detail::checkAccess(tensor, view, at.ids, where);
    return detail::loadView<tile_type>(tensor, view, at.ids, where, m, n, o, q);
  }
  template <class... I>
    requires(sizeof...(I) + 1 == sizeof...(D) && sizeof...(I) > 0 &&
             (std::is_convertible_v<I, Index> && ...))
  tile_type load(detail::LocatedIndex i, const I &...rest) const {
    return load(Indices<sizeof...(D)>(i.index, rest...), {}, {}, {}, {}, i.where);
  }

protected:
  const detail::TensorInfo *tensor;
  detail::Id view;
};

/// A view whose tiles may be stored.
template <Element E, int... D> class PartitionMut : public Partition<E, D...> {
public:
  using Partition<E, D...>::Partition;
  using tile_type = Tile<E, D...>;

  /// Elements outside of the tensor are not written.
  template <class M = detail::NoMarker, class N = detail::NoMarker, class O = detail::NoMarker,
            class Q = detail::NoMarker>
  void store(const tile_type &tile, const Indices<sizeof...(D)> &at, M m = {}, N n = {}, O o = {},
             Q q = {}, detail::Where where = detail::Where::current()) const {
    detail::checkAccess(this->tensor, this->view, at.ids, where);
    detail::storeView(this->tensor, this->view, tile, at.ids, where, m, n, o, q);
  }
  template <class... I>
    requires(sizeof...(I) + 1 == sizeof...(D) && sizeof...(I) > 0 &&
             (std::is_convertible_v<I, Index> && ...))
  void store(const tile_type &tile, detail::LocatedIndex i, const I &...rest) const {
    store(tile, Indices<sizeof...(D)>(i.index, rest...), {}, {}, {}, {}, i.where);
  }
  /// Adds the tile, or does another atomic update, without results; order relaxed.
  template <class M = Marker<MemoryScope::Device>>
  void reduce(tile_bytecode::AtomicRMWMode mode, const tile_type &tile,
              const Indices<sizeof...(D)> &at, M = {},
              detail::Where where = detail::Where::current()) const {
    static_assert(detail::says<MemoryScope, M>, "reduce takes scope::");
    detail::checkAccess(this->tensor, this->view, at.ids, where);
    detail::Emit emit(detail::Op::AtomicRedViewTko, where);
    emit.out(detail::tokenType())
        .with(MemoryOrderingSemantics::Relaxed)
        .with(M::value)
        .with(mode)
        .in(this->view)
        .in(at.ids)
        .in(tile.id());
    emit.writes(this->tensor->set).done();
  }
  void atomic_add(const tile_type &tile, const Indices<sizeof...(D)> &at,
                  detail::Where where = detail::Where::current()) const {
    reduce(BaseFloat<E> ? tile_bytecode::AtomicRMWMode::AddF : tile_bytecode::AtomicRMWMode::Add,
           tile, at, scope::Device, where);
  }
};

/// Rows of a tensor by their numbers: dimension `sparse` takes a tile of row numbers, which may lie
/// outside of the tensor. The other dimensions take the element at which the tile starts.
template <int sparse, Element E, int... D> class GatherScatterView {
public:
  using tile_type = Tile<E, D...>;
  static constexpr int rows = int(Shape<D...>::extents[size_t(sparse)]);

  GatherScatterView(const detail::TensorInfo *of, detail::Id own) : tensor(of), view(own) {}
  detail::Id id() const { return view; }
  std::string type_text() const { return detail::typeText(view); }

  template <class M = detail::NoMarker, class N = detail::NoMarker, class O = detail::NoMarker,
            class Q = detail::NoMarker>
  tile_type load(const Tile<i32, rows> &numbers, const Indices<sizeof...(D) - 1> &others, M m = {},
                 N n = {}, O o = {}, Q q = {},
                 detail::Where where = detail::Where::current()) const {
    return detail::loadView<tile_type>(tensor, view, all(numbers, others), where, m, n, o, q);
  }
  template <class M = detail::NoMarker, class N = detail::NoMarker, class O = detail::NoMarker,
            class Q = detail::NoMarker>
  void store(const tile_type &tile, const Tile<i32, rows> &numbers,
             const Indices<sizeof...(D) - 1> &others, M m = {}, N n = {}, O o = {}, Q q = {},
             detail::Where where = detail::Where::current()) const {
    detail::storeView(tensor, view, tile, all(numbers, others), where, m, n, o, q);
  }

private:
  static std::vector<detail::Id> all(const Tile<i32, rows> &numbers,
                                     const Indices<sizeof...(D) - 1> &others) {
    std::vector<detail::Id> ids(others.ids.begin(), others.ids.end());
    ids.insert(ids.begin() + sparse, numbers.id());
    return ids;
  }
  const detail::TensorInfo *tensor;
  detail::Id view;
};

/// A tensor in memory. D are its extents, `dyn` for those that come with the launch.
template <Element E, int... D> class Tensor {
public:
  using element_type = E;
  static constexpr int rank() { return sizeof...(D); }

  Tensor() : tensor(detail::noTensor()) {}
  explicit Tensor(const detail::TensorInfo *info) : tensor(info) {}

  const detail::TensorInfo *info() const { return tensor; }
  std::string type_text() const { return detail::typeText(tensor->view); }

  //--- Facts that travel with the value; nothing is emitted.
  Tile<E *> base() const { return Tile<E *>(tensor->base); }
  Index shape(int dim, detail::Where where = detail::Where::current()) const {
    return Index(detail::numberOf(tensor, false, dim, where));
  }
  /// The extents as those of a tile, where all of them are static.
  static constexpr Shape<D...> shape()
    requires((D != dyn) && ...)
  {
    return {};
  }
  Index stride(int dim, detail::Where where = detail::Where::current()) const {
    return Index(detail::numberOf(tensor, true, dim, where));
  }
  Token token() const { return Token(detail::tokensOf(tensor->set)); }
  void set_token(const Token &token) const { detail::orderAfter(tensor->set, token.after()); }

  //--- Views
  template <int... T, class P = Marker<PaddingValue::Zero>, class Dims = dim_map::IdentityMap>
  PartitionMut<E, T...> partition(P pad = {}, Dims dims = {},
                                  detail::Where where = detail::Where::current()) const {
    return PartitionMut<E, T...>(tensor, view<T...>(TypeKind::PartitionView, pad, dims, where));
  }
  /// Tiles that begin every `strides` elements, so they may overlap or leave gaps.
  template <int... T, class P = Marker<PaddingValue::Zero>>
  PartitionMut<E, T...> strided_view(const std::array<int64_t, sizeof...(T)> &strides, P pad = {},
                                     detail::Where where = detail::Where::current()) const {
    check<P, T...>();
    return PartitionMut<E, T...>(tensor, detail::makeView(tensor,
                                                          {.kind = TypeKind::StridedView,
                                                           .tile = Shape<T...>::extents,
                                                           .strides = strides,
                                                           .padding = detail::paddingOf(pad)},
                                                          where));
  }
  template <int sparse, int... T, class P = Marker<PaddingValue::Zero>>
  GatherScatterView<sparse, E, T...>
  gather_scatter_view(P pad = {}, detail::Where where = detail::Where::current()) const {
    static_assert(sparse >= 0 && sparse < int(sizeof...(T)), "a dimension of the tensor is sparse");
    check<P, T...>();
    return {tensor, detail::makeView(tensor,
                                     {.kind = TypeKind::GatherScatterView,
                                      .tile = Shape<T...>::extents,
                                      .padding = detail::paddingOf(pad),
                                      .sparseDim = sparse},
                                     where)};
  }

  //--- Tiles of a partition with tiles of this shape; elements outside of the tensor are 0.
  template <int... T, class M = detail::NoMarker, class N = detail::NoMarker,
            class O = detail::NoMarker, class Q = detail::NoMarker>
  Tile<E, T...> load(const Indices<sizeof...(D)> &at, M m = {}, N n = {}, O o = {}, Q q = {},
                     detail::Where where = detail::Where::current()) const {
    return partition<T...>(padding::Zero, dim_map::Identity, where).load(at, m, n, o, q, where);
  }
  template <int... T, class M = detail::NoMarker, class N = detail::NoMarker,
            class O = detail::NoMarker, class Q = detail::NoMarker>
  void store(const Tile<E, T...> &tile, const Indices<sizeof...(D)> &at, M m = {}, N n = {},
             O o = {}, Q q = {}, detail::Where where = detail::Where::current()) const {
    partition<T...>(padding::None, dim_map::Identity, where).store(tile, at, m, n, o, q, where);
  }

protected:
  const detail::TensorInfo *tensor;

private:
  template <class P, int... T> static constexpr void check() {
    static_assert(sizeof...(T) == sizeof...(D),
                  "a view takes as many extents of a tile as the tensor has dimensions");
    static_assert(detail::paddingFits<E, P>(),
                  "padding of integers is padding::Zero or padding::None");
  }
  template <int... T, class P, class Dims>
  detail::Id view(TypeKind kind, P pad, Dims dims, const detail::Where &where) const {
    check<P, T...>();
    return detail::makeView(tensor,
                            {.kind = kind,
                             .tile = Shape<T...>::extents,
                             .dims = detail::dimsOf(dims),
                             .padding = detail::paddingOf(pad)},
                            where);
  }
};

namespace detail {
template <class E, class R> struct AllDynamic;
template <class E, size_t... i> struct AllDynamic<E, std::index_sequence<i...>> {
  using type = Tensor<E, (void(i), dyn)...>;
};
} // namespace detail
/// A tensor whose R extents come with the launch.
template <Element E, int R>
using DynamicTensor = typename detail::AllDynamic<E, std::make_index_sequence<size_t(R)>>::type;

/// A parameter that is only read.
template <Element E, int R> class In : public DynamicTensor<E, R> {
public:
  using DynamicTensor<E, R>::DynamicTensor;
  template <int... T, class P = Marker<PaddingValue::Zero>, class Dims = dim_map::IdentityMap>
  Partition<E, T...> partition(P pad = {}, Dims dims = {},
                               detail::Where where = detail::Where::current()) const {
    return DynamicTensor<E, R>::template partition<T...>(pad, dims, where);
  }
  template <class... T> void store(const T &...) const {
    static_assert(detail::never<std::tuple<T...>>,
                  "an In is only read: make the parameter an Out or a Tensor");
  }
};

/// A parameter cut into tiles of shape D, one for each tile block: the tile at the block's
/// coordinates in the grid. The grid follows from the tensor's shape.
template <Element E, int... D> class Out : public DynamicTensor<E, sizeof...(D)> {
  using Base = DynamicTensor<E, sizeof...(D)>;
  static_assert(
      sizeof...(D) >= 1 && sizeof...(D) <= 3,
      "an Out has 1 to 3 dimensions, as the grid has; take a Tensor and store tiles of it");

public:
  using Base::Base;
  using tile_type = Tile<E, D...>;

  Indices<sizeof...(D)> index() const { return Indices<sizeof...(D)>(bid()); }
  /// This block's tile.
  tile_type load(detail::Where where = detail::Where::current()) const {
    return mine(where).load(index(), {}, {}, {}, {}, where);
  }
  template <class M = hint, class N = detail::NoMarker, class O = detail::NoMarker,
            class Q = detail::NoMarker>
  void store(const tile_type &tile, M m = {}, N n = {}, O o = {}, Q q = {},
             detail::Where where = detail::Where::current()) const {
    mine(where).store(tile, index(), m, n, o, q, where);
  }

private:
  PartitionMut<E, D...> mine(const detail::Where &where) const {
    return Base::template partition<D...>(padding::Zero, dim_map::Identity, where);
  }
};

//===--- The primitives by the names of the dialect

/// A tensor from a pointer, extents, and strides in elements: make_tensor_view<f32, dyn, 64>(p, {n,
/// 64}, {stride, 1}).
template <Element E, int... D>
Tensor<E, D...> make_tensor_view(const Tile<E *> &base, const Indices<sizeof...(D)> &shape,
                                 const std::array<int64_t, sizeof...(D)> &strides,
                                 detail::Where where = detail::Where::current()) {
  constexpr std::array<int64_t, sizeof...(D)> extents{D...};
  return Tensor<E, D...>(
      detail::makeTensor(kindOf<E>, base.id(), shape.ids, extents, {}, strides, where));
}
/// The same with strides that come with the launch.
template <Element E, int... D>
Tensor<E, D...> make_tensor_view(const Tile<E *> &base, const Indices<sizeof...(D)> &shape,
                                 const Indices<sizeof...(D)> &strides,
                                 detail::Where where = detail::Where::current()) {
  constexpr std::array<int64_t, sizeof...(D)> extents{D...};
  return Tensor<E, D...>(
      detail::makeTensor(kindOf<E>, base.id(), shape.ids, extents, strides.ids, {}, where));
}
template <Element E, int... D, int... T, class P, class Dims>
Partition<E, T...> make_partition_view(const Tensor<E, D...> &tensor, Shape<T...>, P pad, Dims dims,
                                       Token token,
                                       detail::Where where = detail::Where::current()) {
  tensor.set_token(token);
  return tensor.template partition<T...>(pad, dims, where);
}
template <Element E, int... D, int... T, class P>
PartitionMut<E, T...> make_partition_view_mut(const Tensor<E, D...> &tensor, Shape<T...>, P pad,
                                              Token token,
                                              detail::Where where = detail::Where::current()) {
  tensor.set_token(token);
  return tensor.template partition<T...>(pad, dim_map::Identity, where);
}
/// The extents that the tensor was made of; nothing is emitted.
template <Element E, int... D>
std::array<Index, sizeof...(D)> get_tensor_shape(const Tensor<E, D...> &tensor,
                                                 detail::Where where = detail::Where::current()) {
  std::array<Index, sizeof...(D)> out;
  for (size_t d = 0; d < out.size(); ++d)
    out[d] = tensor.shape(int(d), where);
  return out;
}
/// The extents as the op get_tensor_shape reads them from the view.
template <Element E, int... D>
std::array<Index, sizeof...(D)> read_tensor_shape(const Tensor<E, D...> &tensor,
                                                  detail::Where where = detail::Where::current()) {
  detail::Emit emit(detail::Op::GetTensorShape, where);
  for (size_t d = 0; d < sizeof...(D); ++d)
    emit.out(Index::type());
  detail::Id first = emit.in(tensor.info()->view).done();
  std::array<Index, sizeof...(D)> out;
  for (size_t d = 0; d < out.size(); ++d)
    out[d] = Index(first.next(d));
  return out;
}
template <class T> Token get_tensor_token(const T &tensor) { return tensor.token(); }
template <class T> void set_tensor_token(const T &tensor, const Token &token) {
  tensor.set_token(token);
}

template <Element E, int... D> Token get_partition_token(const Partition<E, D...> &partition) {
  return partition.token();
}
template <Element E, int... D>
Token get_partition_token_mut(const PartitionMut<E, D...> &partition) {
  return partition.token();
}

namespace detail {
/// A latency as the number that it is, or none, beside the other markers.
template <class M> auto accessMarker(const M &marker) {
  if constexpr (std::is_convertible_v<M, std::optional<int>>)
    return hint{.latency = marker};
  else
    return marker;
}
} // namespace detail
/// The accesses of views by the names of their ops, with markers in any order; a latency may be a
/// number or std::nullopt.
template <Element E, int... D, class M = detail::NoMarker, class N = detail::NoMarker,
          class O = detail::NoMarker, class Q = detail::NoMarker>
Tile<E, D...> load_view_tko(const Partition<E, D...> &view, const Indices<sizeof...(D)> &at,
                            M m = {}, N n = {}, O o = {}, Q q = {},
                            detail::Where where = detail::Where::current()) {
  return view.load(at, detail::accessMarker(m), detail::accessMarker(n), detail::accessMarker(o),
                   detail::accessMarker(q), where);
}
template <Element E, int... D, class M = detail::NoMarker, class N = detail::NoMarker,
          class O = detail::NoMarker, class Q = detail::NoMarker>
void store_view_tko_mut(const PartitionMut<E, D...> &view, const Tile<E, D...> &tile,
                        const Indices<sizeof...(D)> &at, M m = {}, N n = {}, O o = {}, Q q = {},
                        detail::Where where = detail::Where::current()) {
  view.store(tile, at, detail::accessMarker(m), detail::accessMarker(n), detail::accessMarker(o),
             detail::accessMarker(q), where);
}

/// Composites, which emit no op of their own: a tile of a tensor, and this block's tile of an
/// output.
template <Element E, int... D, int... T>
Tile<E, T...> load_tile(const Tensor<E, D...> &tensor, Shape<T...> shape,
                        const Indices<sizeof...(D)> &at,
                        detail::Where where = detail::Where::current()) {
  return make_partition_view(tensor, shape, padding::Zero, dim_map::Identity,
                             get_tensor_token(tensor), where)
      .load(at, {}, {}, {}, {}, where);
}
template <Element E, int... D>
void store_tile(const Out<E, D...> &y, const Tile<E, D...> &result,
                detail::Where where = detail::Where::current()) {
  y.store(result, hint(), {}, {}, {}, where);
}
/// The whole of a tensor whose extents are those of the tile.
template <Element E, int... D>
  requires((D != dyn) && ...)
void store_tile(const Tensor<E, D...> &y, const Tile<E, D...> &result,
                detail::Where where = detail::Where::current()) {
  PartitionMut<E, D...> whole =
      make_partition_view_mut(y, y.shape(), padding::Zero, get_tensor_token(y), where);
  store_view_tko_mut(whole, result, std::array<int, sizeof...(D)>{}, ordering::Weak,
                     scope::TileBlock, std::nullopt, tma::Enabled, where);
  set_tensor_token(y, get_partition_token_mut(whole));
}
template <Element E, int... D, int... T>
void store_tile(const Tensor<E, D...> &y, const Tile<E, T...> &result,
                const Indices<sizeof...(D)> &at, detail::Where where = detail::Where::current()) {
  make_partition_view_mut(y, Shape<T...>{}, padding::Zero, get_tensor_token(y), where)
      .store(result, at, {}, {}, {}, {}, where);
}

} // namespace tessera::tile
