// Names as C++ writes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>

namespace tessera {

/// A name of the Itanium ABI, as made by nvcc, in C++ notation; other names unchanged.
inline std::string demangled(const std::string &name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> text(
      name.starts_with("_Z") ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)
                             : nullptr,
      std::free);
  return text ? std::string(text.get()) : name;
}

} // namespace tessera
