// Modules, libraries, kernels and their attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Guarded.h"
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"
#include "tessera/cuda_driver/Fatbinary.h"
#include "tessera/ptx_text/Errors.h"
#include "tessera/ptx_text/Linking.h"
#include "tessera/ptx_text/Parser.h"
#include "tessera/run/Bytes.h"

#include <algorithm>

using namespace tessera::cuda_driver;
using tessera::Result;

namespace {

/// What a function loads: an image in the memory of the program, or a file.
struct Image {
  const void *start;

  Result<std::vector<Texts>> modules() const { return ptxOf(start); }
};
struct File {
  const char *path;

  Result<std::vector<Texts>> modules() const {
    TESSERA_TRY(tessera::run::Bytes bytes,
                tessera::run::readFile(path, tessera::run::mostProgramBytes));
    return ptxOfFile(bytes.span());
  }
};

/// The PTX for our GPU, or why there is none.
template <class From> Result<std::string> codeFor(const From &from) {
  TESSERA_TRY(std::vector<Texts> modules, from.modules());
  return chooseAndLink(std::move(modules), *Driver::get().gpu);
}

/// The code to return for PTX that cannot be read, chosen or loaded.
Code codeOfImage(const tessera::Reason &reason) {
  say(reason);
  auto is = [&](Error error) { return reason.id == errors[size_t(error)].id; };
  auto isOfRun = [&](tessera::run::Error error) {
    return reason.id == tessera::run::errors[size_t(error)].id;
  };
  return is(Error::NoPtx) || is(Error::NoPtxForGpu)                      ? Code::NoBinaryForGpu
         : is(Error::NotCode) || is(Error::Damaged) || is(Error::NoZstd) ? Code::InvalidImage
         : isOfRun(tessera::run::Error::FileRead)                        ? Code::FileNotFound
         : reason.id == tessera::sim::errors[size_t(tessera::sim::Error::NoMemory)].id ||
                 isOfRun(tessera::run::Error::HostMemory) || reason.id == tessera::outOfMemoryId
             ? Code::OutOfMemory
         : reason.id == tessera::ptx_text::errors[size_t(tessera::ptx_text::Error::Version)].id
             ? Code::UnsupportedPtxVersion
             : Code::InvalidPtx;
}

/// Where a program wants the messages of the compiler, as options and their values say. The value
/// of a size is a number, which the size that was used replaces.
class Log {
public:
  Log() = default;
  Log(unsigned count, const int *options, void **values) {
    for (unsigned i = 0; i < count; ++i)
      switch (options[i]) {
      case 3:
      case 5: buffers[options[i] == 5] = static_cast<char *>(values[i]); break;
      case 4:
      case 6: sizes[options[i] == 6] = &values[i]; break;
      default: break; // options of the compiler, which have no effect
      }
  }
  /// Writes errors, cut off where the buffer ends. There are no messages that are not errors.
  void put(std::string_view errors) const {
    for (bool isError : {false, true}) {
      if (!buffers[isError] || !sizes[isError])
        continue;
      size_t size = reinterpret_cast<uintptr_t>(*sizes[isError]) & 0xffffffff; // an unsigned
      std::string_view text = (isError ? errors : "").substr(0, size ? size - 1 : 0);
      if (size)
        buffers[isError][text.copy(buffers[isError], text.size())] = 0;
      *sizes[isError] = reinterpret_cast<void *>(text.empty() ? 0 : text.size() + 1);
    }
  }

private:
  // CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER, and their sizes.
  char *buffers[2] = {};
  void **sizes[2] = {};
};

template <class From> Code loadModule(Module **out, const From &from, const Log &log = {}) {
  return call([&](Driver &driver) {
    driver.flush();
    auto refused = [&](const tessera::Reason &reason) {
      log.put(reason.text);
      return codeOfImage(reason);
    };
    Result<std::string> ptx = codeFor(from);
    if (!ptx)
      return refused(ptx.reason());
    Result<Module *> module = driver.load(*ptx);
    if (!module)
      return refused(module.reason());
    log.put("");
    if (!out)
      return Code::InvalidValue;
    *out = *module;
    return Code::Success;
  });
}

} // namespace

/// Modules that a program links (CUlinkState).
struct tessera::cuda_driver::Linkage {
  std::vector<std::string> modules{};
  std::string linked{};
  Log log{};
};

namespace {

/// The linkages that live. The driver's lock guards them.
Registry<Linkage> &linkages() {
  static auto *all = new Registry<Linkage>; // programs may call when static objects have ended
  return *all;
}

Code addTo(Linkage *linkage, const Result<std::vector<Texts>> &found) {
  return call([&](Driver &driver) {
    if (!linkages().has(linkage))
      return Code::InvalidHandle;
    auto refused = [&](const tessera::Reason &reason) {
      linkage->log.put(reason.text);
      return codeOfImage(reason);
    };
    Result<std::string> text = found ? chooseAndLink(*found, *driver.gpu) : found.reason();
    if (!text)
      return refused(text.reason());
    if (auto parsed = tessera::ptx_text::parseModule(*text); !parsed)
      return refused(parsed.reason());
    linkage->modules.push_back(std::move(*text));
    return Code::Success;
  });
}

template <class From> Code loadLibrary(Library **out, const From &from) {
  return call(Needs::Sound, [&](Driver &driver) {
    Result<std::string> ptx = codeFor(from);
    bool isDamaged = !ptx && ptx.reason().id != errors[size_t(Error::NoPtx)].id &&
                     ptx.reason().id != errors[size_t(Error::NoPtxForGpu)].id;
    if (isDamaged)
      return codeOfImage(ptx.reason());
    // A library of which nothing is used may lack PTX.
    if (!out)
      return Code::InvalidValue;
    *out = driver.libraries.make(ptx ? Library{.ptx = *ptx} : Library{.reason = ptx.reason().text});
    return Code::Success;
  });
}

/// Does something with the module of a library.
template <class Body> Code withModule(Library *library, Body &&body) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.libraries.has(library))
      return Code::InvalidHandle;
    Result<Module *> module = driver.moduleOf(*library);
    return module ? body(driver, **module) : codeOfImage(module.reason());
  });
}

Code findKernel(Module &module, const char *name, Kernel **out) {
  auto found = module.kernels.find(std::string_view(name));
  if (found == module.kernels.end())
    return Code::NotFound;
  *out = found->second;
  return Code::Success;
}

Code findVariable(Driver &driver, const Module &module, const char *name, DevicePointer *address,
                  size_t *bytes, bool managedOnly = false) {
  for (const tessera::sim::GlobalVariable &variable : module.loaded.program->globals)
    if (variable.name == name && (variable.isManaged || !managedOnly)) {
      if (address)
        *address = *driver.machine->address(module.loaded, name);
      if (bytes)
        *bytes = variable.size;
      return Code::Success;
    }
  return Code::NotFound;
}

Code getAttribute(int *value, FunctionAttribute which, const Kernel *kernel) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    if (!value)
      return Code::InvalidValue;
    const tessera::sim::Function &f = *kernel->function;
    if (auto chosen = kernel->chosen.find(which); chosen != kernel->chosen.end()) {
      *value = chosen->second;
      return Code::Success;
    }
    int version = driver.gpu->major * 10 + driver.gpu->minor;
    switch (which) {
    case FunctionAttribute::MaxThreadsPerBlock:
      *value = f.atMost[0]
                   ? int(f.atMost[0] * std::max(1u, f.atMost[1]) * std::max(1u, f.atMost[2]))
                   : 1024;
      break;
    case FunctionAttribute::SharedBytes: *value = int(f.sharedBytes); break;
    case FunctionAttribute::LocalBytes: *value = int(f.localBytes); break;
    // The simulator gives out no registers; ptxas decides how many a GPU needs.
    case FunctionAttribute::Registers: *value = registersAssumed; break;
    // Machine code is made for the GPU, of PTX for its own target or an older one.
    case FunctionAttribute::PtxVersion:
      *value = kernel->module->loaded.program->targetVersion();
      break;
    case FunctionAttribute::BinaryVersion: *value = version; break;
    case FunctionAttribute::MaxDynamicSharedBytes:
      *value = 48 * 1024 - int(std::min(f.sharedBytes, 48u * 1024));
      break;
    case FunctionAttribute::RequiredClusterWidth: *value = int(f.cluster[0]); break;
    case FunctionAttribute::RequiredClusterHeight: *value = int(f.cluster[1]); break;
    case FunctionAttribute::RequiredClusterDepth: *value = int(f.cluster[2]); break;
    default:
      *value = 0;
      return int(which) >= 0 && int(which) <= 15 ? Code::Success : Code::InvalidValue;
    }
    return Code::Success;
  });
}

Code setAttribute(Kernel *kernel, FunctionAttribute which, int value) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    int most =
        int(driver.gpu->multiprocessor().sharedOfBlock()) - int(kernel->function->sharedBytes);
    if (which == FunctionAttribute::MaxDynamicSharedBytes && (value < 0 || value > most))
      return Code::InvalidValue;
    constexpr int clusterMustBeSet = 10; // CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET
    // Those that describe the code, and the clusters that it asks for itself, cannot be set.
    if (int(which) < int(FunctionAttribute::MaxDynamicSharedBytes) || int(which) > 15 ||
        int(which) == clusterMustBeSet)
      return Code::InvalidValue;
    kernel->chosen[which] = value;
    return Code::Success;
  });
}

Code getParameter(const Kernel *kernel, size_t index, size_t *offset, size_t *size) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    if (index >= kernel->function->parameters.size())
      return Code::InvalidValue;
    if (!offset)
      return Code::InvalidValue;
    *offset = kernel->function->parameters[index].offset;
    if (size)
      *size = kernel->function->parameters[index].size;
    return Code::Success;
  });
}

Code getName(const char **name, const Kernel *kernel) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    if (!name)
      return Code::InvalidValue;
    *name = kernel->function->name.c_str();
    return Code::Success;
  });
}

} // namespace

//===--- Modules -----------------------------------------------------------------------------===//

CUDA_API(cuModuleLoadData)(Module **module, const void *image) {
  if (!image)
    return Code::InvalidValue;
  return loadModule(module, Image{image});
}
CUDA_API(cuModuleLoadDataEx)
(Module **module, const void *image, unsigned count, const int *options, void **values) {
  if (!image)
    return Code::InvalidValue;
  return loadModule(module, Image{image}, Log(count, options, values));
}
CUDA_API(cuModuleLoadFatBinary)(Module **module, const void *image) {
  if (!image)
    return Code::InvalidValue;
  return loadModule(module, Image{image});
}
CUDA_API(cuModuleLoad)(Module **module, const char *path) {
  return path ? loadModule(module, File{path}) : Code::InvalidValue;
}
CUDA_API(cuModuleUnload)(Module *module) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!driver.modules.has(module))
      return Code::InvalidHandle;
    driver.flush();
    driver.unload(module);
    return Code::Success;
  });
}
CUDA_API(cuModuleGetFunction)(Kernel **kernel, Module *module, const char *name) {
  if (!kernel || !name)
    return Code::InvalidValue;
  return call([&](Driver &driver) {
    return driver.modules.has(module) ? findKernel(*module, name, kernel) : Code::InvalidHandle;
  });
}
CUDA_API(cuModuleGetFunctionCount)(unsigned *count, Module *module) {
  return call([&](Driver &driver) {
    if (!driver.modules.has(module))
      return Code::InvalidHandle;
    if (!count)
      return Code::InvalidValue;
    *count = unsigned(module->kernels.size());
    return Code::Success;
  });
}
CUDA_API(cuModuleEnumerateFunctions)(Kernel **kernels, unsigned count, Module *module) {
  if (!kernels)
    return Code::InvalidValue;
  return call([&](Driver &driver) {
    if (!driver.modules.has(module))
      return Code::InvalidHandle;
    for (auto &[name, kernel] : module->kernels)
      if (count)
        *kernels++ = kernel, --count;
    return Code::Success;
  });
}
CUDA_API(cuModuleGetGlobal_v2)
(DevicePointer *address, size_t *bytes, Module *module, const char *name) {
  return call([&](Driver &driver) {
    if (!driver.modules.has(module))
      return Code::InvalidHandle;
    // The name of a kernel gives another error than an unknown name.
    if ((!address && !bytes) || module->kernels.contains(std::string_view(name)))
      return Code::InvalidValue;
    return findVariable(driver, *module, name, address, bytes);
  });
}
CUDA_API(cuModuleGetLoadingMode)(int *mode) {
  return call(Needs::Initialised, [&](Driver &) {
    if (!mode)
      return Code::InvalidValue;
    *mode = 2; // CU_MODULE_LAZY_LOADING
    return Code::Success;
  });
}

//===--- Linking -----------------------------------------------------------------------------===//

CUDA_API(cuLinkCreate_v2)(unsigned count, const int *options, void **values, Linkage **out) {
  return call([&](Driver &) {
    if (!out)
      return Code::InvalidValue;
    *out = linkages().make(Linkage{.log = Log(count, options, values)});
    return Code::Success;
  });
}
CUDA_API(cuLinkCreate)(unsigned count, const int *options, void **values, Linkage **out) {
  return cuLinkCreate_v2(count, options, values, out);
}
CUDA_API(cuLinkAddData_v2)
(Linkage *linkage, int type, const void *data, size_t size, const char *, unsigned, const int *,
 void **) {
  if (!data || !size)
    return Code::InvalidValue;
  auto bytes = std::span(static_cast<const std::byte *>(data), size);
  constexpr int ptx = 1; // CU_JIT_INPUT_PTX: text that ends with a zero
  while (type == ptx && !bytes.empty() && bytes.back() == std::byte(0))
    bytes = bytes.first(bytes.size() - 1);
  return addTo(linkage, ptxOfFile(bytes));
}
CUDA_API(cuLinkAddData)
(Linkage *linkage, int type, const void *data, size_t size, const char *name, unsigned count,
 const int *options, void **values) {
  return cuLinkAddData_v2(linkage, type, data, size, name, count, options, values);
}
CUDA_API(cuLinkAddFile_v2)
(Linkage *linkage, int, const char *path, unsigned, const int *, void **) {
  return path ? addTo(linkage, File{path}.modules()) : Code::InvalidValue;
}
CUDA_API(cuLinkAddFile)
(Linkage *linkage, int type, const char *path, unsigned count, const int *options, void **values) {
  return cuLinkAddFile_v2(linkage, type, path, count, options, values);
}
CUDA_API(cuLinkComplete)(Linkage *linkage, void **image, size_t *size) {
  return call([&](Driver &) {
    if (!linkages().has(linkage))
      return Code::InvalidHandle;
    if (!image || linkage->modules.empty())
      return Code::InvalidValue;
    Result<std::string> linked = tessera::ptx_text::link(linkage->modules);
    linkage->log.put(linked ? "" : linked.reason().text);
    if (!linked)
      return codeOfImage(linked.reason());
    linkage->linked = std::move(*linked);
    *image = linkage->linked.data();
    if (size)
      *size = linkage->linked.size() + 1; // with the zero that ends the text
    return Code::Success;
  });
}
CUDA_API(cuLinkDestroy)(Linkage *linkage) {
  return call(
      [&](Driver &) { return linkages().remove(linkage) ? Code::Success : Code::InvalidHandle; });
}

//===--- Libraries ---------------------------------------------------------------------------===//

CUDA_API(cuLibraryLoadData)
(Library **library, const void *image, void *, void **, unsigned, void *, void **, unsigned) {
  if (!image)
    return Code::InvalidValue;
  return loadLibrary(library, Image{image});
}
CUDA_API(cuLibraryLoadFromFile)
(Library **library, const char *path, void *, void **, unsigned, void *, void **, unsigned) {
  return path ? loadLibrary(library, File{path}) : Code::InvalidValue;
}
CUDA_API(cuLibraryUnload)(Library *library) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!driver.libraries.has(library))
      return Code::InvalidHandle;
    driver.flush();
    if (library->module)
      driver.unload(library->module);
    driver.libraries.remove(library);
    return Code::Success;
  });
}
CUDA_API(cuLibraryGetModule)(Module **out, Library *library) {
  return withModule(library, [&](Driver &, Module &module) {
    if (!out)
      return Code::InvalidValue;
    *out = &module;
    return Code::Success;
  });
}
CUDA_API(cuLibraryGetKernel)(Kernel **kernel, Library *library, const char *name) {
  if (!kernel || !name)
    return Code::InvalidValue;
  return withModule(library,
                    [&](Driver &, Module &module) { return findKernel(module, name, kernel); });
}
CUDA_API(cuLibraryGetKernelCount)(unsigned *count, Library *library) {
  return withModule(library, [&](Driver &, Module &module) {
    if (!count)
      return Code::InvalidValue;
    *count = unsigned(module.kernels.size());
    return Code::Success;
  });
}
CUDA_API(cuLibraryEnumerateKernels)(Kernel **kernels, unsigned count, Library *library) {
  if (!kernels)
    return Code::InvalidValue;
  return withModule(library, [&](Driver &, Module &module) {
    for (auto &[name, kernel] : module.kernels)
      if (count)
        *kernels++ = kernel, --count;
    return Code::Success;
  });
}
CUDA_API(cuLibraryGetGlobal)
(DevicePointer *address, size_t *bytes, Library *library, const char *name) {
  return withModule(library, [&](Driver &driver, Module &module) {
    return findVariable(driver, module, name, address, bytes);
  });
}
CUDA_API(cuLibraryGetManaged)
(DevicePointer *address, size_t *bytes, Library *library, const char *name) {
  return withModule(library, [&](Driver &driver, Module &module) {
    return findVariable(driver, module, name, address, bytes, true);
  });
}

//===--- Kernels -----------------------------------------------------------------------------===//

CUDA_API(cuKernelGetFunction)(Kernel **function, Kernel *kernel) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!function)
      return Code::InvalidValue;
    *function = kernel;
    return driver.kernels.has(kernel) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuKernelGetLibrary)(Library **out, Kernel *kernel) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    if (!out)
      return Code::InvalidValue;
    Library *owner = nullptr; // none: the kernel is of a module
    driver.libraries.forEach([&](Library &library) {
      if (library.module == kernel->module)
        owner = &library;
    });
    *out = owner ? owner : *out;
    return owner ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuFuncGetModule)(Module **module, Kernel *kernel) {
  return call([&](Driver &driver) {
    if (!driver.kernels.has(kernel))
      return Code::InvalidHandle;
    if (!module)
      return Code::InvalidValue;
    *module = kernel->module;
    return Code::Success;
  });
}
CUDA_API(cuFuncGetAttribute)(int *value, FunctionAttribute which, Kernel *kernel) {
  return getAttribute(value, which, kernel);
}
CUDA_API(cuKernelGetAttribute)
(int *value, FunctionAttribute which, Kernel *kernel, DeviceOrdinal) {
  return getAttribute(value, which, kernel);
}
CUDA_API(cuFuncSetAttribute)(Kernel *kernel, FunctionAttribute which, int value) {
  return setAttribute(kernel, which, value);
}
CUDA_API(cuKernelSetAttribute)
(FunctionAttribute which, int value, Kernel *kernel, DeviceOrdinal) {
  return setAttribute(kernel, which, value);
}
CUDA_API(cuFuncGetParamInfo)(Kernel *kernel, size_t index, size_t *offset, size_t *size) {
  return getParameter(kernel, index, offset, size);
}
CUDA_API(cuKernelGetParamInfo)(Kernel *kernel, size_t index, size_t *offset, size_t *size) {
  return getParameter(kernel, index, offset, size);
}
CUDA_API(cuFuncGetName)(const char **name, Kernel *kernel) { return getName(name, kernel); }
CUDA_API(cuKernelGetName)(const char **name, Kernel *kernel) { return getName(name, kernel); }
CUDA_API(cuFuncSetCacheConfig)(Kernel *, int) {
  return call([](Driver &) { return Code::Success; });
}
CUDA_API(cuKernelSetCacheConfig)(Kernel *, int, DeviceOrdinal) {
  return call(Needs::Sound, [](Driver &) { return Code::Success; });
}
CUDA_API(cuFuncSetSharedMemConfig)(Kernel *, int) {
  return call([](Driver &) { return Code::Success; });
}
CUDA_API(cuFuncIsLoaded)(int *state, Kernel *) {
  return call([&](Driver &) {
    if (!state)
      return Code::InvalidValue;
    *state = 1; // CU_FUNCTION_LOADING_STATE_LOADED
    return Code::Success;
  });
}
CUDA_API(cuFuncLoad)(Kernel *) {
  return call([](Driver &) { return Code::Success; });
}
