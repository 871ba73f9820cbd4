// Layouts of tensors of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/HostTensors.h"

#include "tessera/cute_cxx/LayoutCall.h"

#include <cstdio>

using namespace tessera;

namespace tessera::cute {

std::vector<std::vector<detail::HostExtent>> detail::host_extents(const Layout<> &l, int64_t &size,
                                                                  Place at) {
  size = 0;
  if (l.is_poisoned())
    return {};
  if (!l.is_set() || !l.is_static()) {
    mistake("make_tensor",
            cat("expects a layout that C++ knows for memory of the host, but got ",
                l.is_set() ? l.str() : "none"),
            at);
    return {};
  }
  layout::Const arith;
  const layout::AnyLayout own = layoutOf(l).get();
  size = layout::product(arith, own.shape()).value;
  const layout::Layout *plain = own.affine();
  if (!plain)
    return {};
  std::vector<std::vector<HostExtent>> modes;
  for (size_t i = 0; i < plain->rank(); ++i) {
    const layout::Layout mode = (*plain)[i];
    std::vector<layout::Leaf> extents = mode.shape.leaves(), steps = mode.stride.leaves();
    modes.emplace_back();
    for (size_t j = 0; j < extents.size(); ++j)
      modes.back().push_back({extents[j].value.value, steps[j].value.value});
  }
  return modes;
}
std::vector<detail::HostExtent> detail::host_argument(const Layout<> &l, Place at) {
  int64_t size = 0;
  std::vector<HostExtent> out;
  for (const std::vector<HostExtent> &mode : host_extents(l, size, at))
    out.insert(out.end(), mode.begin(), mode.end());
  if (out.empty() && size != 0)
    mistake("launch",
            cat("expects tensors of the host that strides describe, but got one of ", l.str(),
                "; copy it to one without a swizzle"),
            at);
  return out;
}
int64_t detail::host_index(const Layout<> &l, const IntTuple &coord, Place at) {
  Num index = l.at(coord, at);
  return index.is_static() ? int64_t(index) : 0;
}
Layout<> detail::host_slice(const Layout<> &l, const IntTuple &coord, int64_t &offset, Place at) {
  auto [rest, first] = slice_and_offset(coord, l, at);
  offset = rest.is_poisoned() || first.is_poisoned() ? 0 : int64_t(first);
  return rest;
}
/// In CuTe C++'s notation, if there is no swizzle.
static std::string textOf(const Layout<> &l) {
  const layout::AnyLayout own = layoutOf(l).get();
  const layout::Layout *plain = own.affine();
  return plain ? textOf(*plain) : l.str();
}
std::string detail::host_text(const void *address, int bits, const Layout<> &l) {
  char start[64];
  std::snprintf(start, sizeof(start), "ptr[%db](%p) o ", bits, address);
  return l.is_poisoned() ? start : start + textOf(l);
}
/// CUTLASS include/cute/util/print.hpp and numeric/numeric_types.hpp.
void detail::print_element(Format format, double x) {
  bool isFloat = number::kindOf(format) == number::Kind::Float;
  int bits = number::storedBits(format);
  if (format == Format::b1)
    std::printf("%3d", int(x));
  else if (!isFloat)
    std::printf("%5lld", static_cast<long long>(x));
  else if (bits == 64)
    std::printf("%11.3e", x);
  else if (bits == 32)
    std::printf("%10.2e", x);
  else
    std::printf("%8.2f", x);
}

} // namespace tessera::cute
