// Wrong kernels: each CASE does not compile, with the sentence after `expects:`; CASE 0 does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile.h"

using namespace tessera::tile;

void body(In<f32, 1> x, In<i32, 1> n, In<f16, 2> a, Out<f32, 8> y, [[maybe_unused]] Tile<f32 *> p) {
  [[maybe_unused]] auto tile = x.load<8>(bid().x);
  [[maybe_unused]] auto count = n.load<8>(0);
  [[maybe_unused]] auto half = a.load<8, 16>({0, 0});
#if CASE == 1
  // expects: the two tiles have different element types: convert one with element_cast<E>(x)
  y.store(tile + count);
#elif CASE == 2
  // expects: the shapes of the two tiles do not go together
  tile + x.load<16>(0);
#elif CASE == 3
  // expects: this condition is known only on the device: write If(condition, then, otherwise)
  if (bid().x == 0)
    y.store(tile);
#elif CASE == 4
  // expects: a tile's extents are powers of two; pad the tile to the next one
  x.load<12>(0);
#elif CASE == 5
  // expects: exp is for f16, bf16, f32 and f64: convert with element_cast<f32>(x)
  exp(count);
#elif CASE == 6
  // expects: mma takes tiles of M x K, K x N and M x N
  mma(half, half, zeros<f32, 8, 8>());
#elif CASE == 7
  // expects: mma adds f16 and f8 up in f16 or f32
  mma(half, transpose(half), zeros<f64, 8, 8>());
#elif CASE == 8
  // expects: mma takes two factors of one element type
  mma(half, element_cast<bf16>(transpose(half)), zeros<f32, 8, 8>());
#elif CASE == 9
  // expects: ftz::Enabled is for f32: other elements keep subnormals
  add(half, half, ftz::Enabled);
#elif CASE == 10
  // expects: this rounding is not one of the op
  add(tile, tile, rounding::Approx);
#elif CASE == 11
  // expects: floating-point arithmetic takes rounding:: and ftz::
  add(tile, tile, overflow::NoWrap);
#elif CASE == 12
  // expects: reshape keeps the number of elements
  reshape<4>(tile);
#elif CASE == 13
  // expects: an In is only read: make the parameter an Out or a Tensor
  x.store(tile, 0);
#elif CASE == 14
  // expects: padding of integers is padding::Zero or padding::None
  n.partition<8>(padding::NegInf);
#elif CASE == 15
  // expects: a load takes ordering::Weak, Relaxed or Acquire, scope:: and hint; of a view tma:: too
  x.load<8>(0, ordering::Release);
#elif CASE == 16
  // expects: atomics are for i32, i64 and their unsigned forms
  atomic_add(pointer_cast<i8>(p), i8(1));
#elif CASE == 17
  // expects: this number is not one of the tile's elements
  count + 0.5f;
#elif CASE == 18
  // expects: operators are for i1, i8 to i64, f16, bf16, f32 and f64
  element_cast<f8e4m3fn>(tile) + element_cast<f8e4m3fn>(tile);
#elif CASE == 19
  // expects: both branches of If return values of the same types
  If(bid().x == 0, [&] { return tile; }, [&] { return count; });
#elif CASE == 20
  // expects: the body returns the values that the loop carries, in their types
  For(4, tile, [&](Index, auto) { return count; });
#elif CASE == 21
  // expects: load takes a tile of pointers
  load(tile);
#elif CASE == 22
  // expects: permute takes a dimension_map that names each dimension of the tile once
  permute(half, dimension_map<0, 0>{});
#elif CASE == 23
  // expects: a view takes as many extents of a tile as the tensor has dimensions
  a.partition<8>();
#elif CASE == 24
  // expects: bitcast keeps the width of the elements
  bitcast<i32>(half);
#elif CASE == 25
  // expects: & | ^ << >> are for integers and bool
  tile & tile;
#elif CASE == 26
  // expects: cat takes tiles whose other extents are equal
  cat<0>(half, reshape<16, 8>(half));
#elif CASE == 27
  // expects: the body of a loop takes the index (For only), then what the loop carries
  For(4, tile, [&](Index) {});
#elif CASE == 28
  // expects: and deduced as 'int' in declaration of 'b'
  For(4, tile, [&](Index, auto &sum) { auto a = sum, b = 1; });
#elif CASE == 29
  // expects: write & in place of &&: both sides are computed on the device
  select(tile > 0.0f && tile < 1.0f, tile, 0.0f);
#elif CASE == 30
  // expects: If takes one truth, a Tile<bool>
  If(tile > 0.0f, [&] { y.store(tile); });
#elif CASE == 31
  // expects: a branch of If returns a tile, a tuple of tiles, or nothing
  If(bid().x == 0, [] { return 1.0f; }, [] { return 2.0f; });
#elif CASE == 32
  // expects: the dimension is one of the tile, counted from 0
  sum<1>(tile);
#elif CASE == 33
  // expects: the function of reduce and scan returns a scalar of the tile's elements
  reduce<0>(tile, 0.0f, [](auto a, auto b) { return a > b; });
#elif CASE == 34
  // expects: the function of reduce and scan returns a scalar of the tile's elements
  reduce<0>(std::tuple(tile, tile), std::tuple(0.0f, 0.0f),
            [](auto a, auto, auto, auto) { return a; });
#elif CASE == 35
  // expects: mulhi is for integers
  mulhi(tile, 2.0f);
#elif CASE == 36
  // expects: fma is for f16, bf16, f32 and f64
  fma(count, 2, count);
#elif CASE == 37
  // expects: the two tiles have different element types
  For(4, tile, [&](Index, auto &sum) { sum = sum + count; });
#endif
  y.store(tile);
}
[[maybe_unused]] double number = 0;
[[maybe_unused]] auto pair = [] { return std::tuple(ones<f32, 8>(), ones<f32, 8>()); };
[[maybe_unused]] auto firsts = [](auto a, auto b, auto, auto) { return std::tuple(a, b); };
void other(float) {}
int result(In<f32, 1>) { return 0; }
void truths(In<bool, 1>) {}

void launch() {
  std::vector<float> x(8), y(8);
  Array<int, 1> n(8);
  Array<f16, 2> a(8, 16);
#if CASE == 38
  // expects: the array's elements are of another type than the parameter's
  run(body, y, y, a, y, y.data());
#elif CASE == 39
  // expects: the array has another number of dimensions than the parameter
  run(body, a, n, a, y, y.data());
#elif CASE == 40
  // expects: a launch takes one argument for each parameter of the kernel
  run(body, x, n, a, y);
#elif CASE == 41
  // expects: a kernel's parameter is a Tile<E> (a number), a Tile<E *>, an In, an
  // Out or a Tensor
  run(other, 1.0f);
#elif CASE == 42
  // expects: two elements of 4 bits lie in a byte
  Array<f4e2m1fn, 1> packed(8);
#elif CASE == 43
  // expects: std::vector<bool> packs bits, which have no addresses
  run(truths, std::vector<bool>(8));
#elif CASE == 44
  // expects: a kernel returns nothing: it stores to its Outs and Tensors
  run(result, x);
#elif CASE == 45
  // expects: a kernel is a function, or a lambda whose parameters have types
  run([](auto y) { y.store(0.0f); }, x);
#elif CASE == 46
  // expects: this parameter takes a number
  run([](Tile<f32>, Out<f32, 8>) {}, y, y);
#elif CASE == 47
  // expects: this parameter takes an array
  run(body, x, n, a, y, nullptr);
#elif CASE == 48
  // expects: this parameter takes an integer: convert the argument
  run([](Tile<i32>, Out<f32, 8>) {}, 2.5, y);
#elif CASE == 49
  // expects: this number is not one of the tile's elements
  run([](In<i32, 1> n, Out<i32, 8> y) { y.store(n.load<8>(0) + f16(0.5)); }, n, n);
#elif CASE == 50
  // expects: a number of the host cannot take what the loop makes of it: declare
  run([](Out<f32, 8>) { For(4, number, [](Index, auto &) {}); }, y);
#elif CASE == 51
  // expects: write | in place of ||: both sides are computed on the device
  run([](Out<f32, 8>) { (void)(bid().x == 0 || bid().y == 0); }, y);
#elif CASE == 52
  // expects: atomics are for i32, i64 and their unsigned forms
  run([](Tile<i8 *> p) { atomic_exchange_masked(p, i8(1), bid().x == 0); }, y.data());
#elif CASE == 53
  // expects: the two tiles have different element types: convert one with element_cast<E>(x)
  run([](Out<f32, 8>) { rem(full<f32, 8>(1), full<i32, 8>(2)); }, y);
#elif CASE == 54
  // expects: scan takes one identity for each tile
  run([](Out<f32, 8>) { scan<0>(pair(), std::tuple(0), firsts); }, y);
#elif CASE == 55
  // expects: cmp takes a predicate::, then a cmp_ordering::
  run([](Out<f32, 8>) { cmp(full<f32, 8>(1), 2.0f, cmp_ordering::Ordered); }, y);
#elif CASE == 56
  // expects: a store takes ordering::Weak, Relaxed or Release, scope:: and hint; of a view tma::
  // too
  run([](Out<f32, 8> y) { y.store(zeros<f32, 8>(), ordering::Acquire); }, y);
#elif CASE == 57
  // expects: a load takes ordering::Weak, Relaxed or Acquire, scope:: and hint
  run([](Tile<f32 *> p) { load(p, tma::Enabled); }, y.data());
#endif
  run(body, x, n, a, y, y.data());
}
