// cuGetExportTable, which NVIDIA's own runtime asks for undocumented tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of them is a check by which that runtime tells NVIDIA's driver from others. It is not
// answered (docs/decisions.md): programs run on the runtime of tessera/cuda_runtime instead.
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>
#include <dlfcn.h>

using namespace tessera::cuda_driver;

namespace {

/// The library that has the code at an address; empty: the program itself, or nobody knows.
std::string libraryAt(const void *code) {
  Dl_info info{};
  if (!::dladdr(code, &info) || !info.dli_fname)
    return "";
  const std::string file = info.dli_fname, name = file.substr(file.rfind('/') + 1);
  return name.find(".so") == name.npos ? "" : name;
}

void sayWhoAsks(const std::string &library) {
  if (library.starts_with("libnvrtc"))
    return; // it asks, and compiles without an answer
  const bool isNvidias = std::ranges::any_of(
      std::initializer_list<std::string_view>{"libcu", "libnv", "libnccl", "libnpp"},
      [&](std::string_view begin) { return library.starts_with(begin); });
  if (isNvidias)
    say(fail(Error::ForeignLibrary, library));
  else
    say(fail(Error::ForeignRuntime, library.empty() ? "the program" : library));
}

} // namespace

CUDA_API(cuGetExportTable)(const void **table, const Uuid *) {
  if (!table)
    return Code::InvalidValue;
  *table = nullptr;
  const void *from = __builtin_return_address(0);
  return call(Needs::Nothing, [&](Driver &) {
    static std::set<std::string> said;
    const std::string library = libraryAt(from);
    if (said.insert(library).second)
      sayWhoAsks(library);
    return Code::NotFound;
  });
}
