// Refine: the partial order of values: whether one states more than another about the same thing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value with dynamic leaves stands for all its instances, values without such leaves:
// `(?{div=4},8):(1,?)` for (4,8):(1,3), (12,8):(1,0) and so on. `refines(a, b)`: each instance of
// `a` is an instance of `b`, so `b` may be stated where `a` is known. It is defined on leaves and
// extended to trees:
//
// - A number refines itself, and a dynamic leaf that is wide enough and whose divisor divides it.
// - A dynamic leaf refines one that is as wide or wider and whose divisor divides its own.
// - `_` refines `_`. A basis refines one of the same path with a weaker number.
// - A layout refines one of the same profile with weaker leaves. A stride whose extent is 1 does
// not matter, since the function does not depend on it.
//
// Laws (test/layout/RefineTest): reflexive, transitive, antisymmetric up to strides of extent 1,
// and the statement on instances above, for types and instances by brute force.
#pragma once

#include "tessera/layout/Layout.h"

namespace tessera::layout {

bool refines(const Int &a, const Int &b);
bool refines(const Leaf &a, const Leaf &b);
bool refines(const Tree &a, const Tree &b);
bool refines(const Layout &a, const Layout &b);
/// Part by part: the same swizzle, or a refined inner layout; refined offset and outer layout.
bool refines(const Composed &a, const Composed &b);
bool refines(const AnyLayout &a, const AnyLayout &b);
bool refines(const Tile &a, const Tile &b);

} // namespace tessera::layout
