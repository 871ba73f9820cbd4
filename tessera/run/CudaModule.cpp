// Modules and kernels of a GPU: loading with the JIT's log, attributes, launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "tessera/run/ModuleImage.h"

#include <algorithm>
#include <array>

namespace tessera::run {

using cuda::FunctionAttribute;
using cuda::JitOption;

namespace {

/// Sizes of the JIT's logs; the driver cuts off what does not fit.
constexpr size_t infoLogBytes = 256 << 10, errorLogBytes = 64 << 10;

constexpr int portableClusterBlocks = 8; // CUDA programming guide, thread block clusters

struct Attribute {
  FunctionAttribute attribute;
  int64_t KernelInfo::*member;
};
constexpr Attribute attributeRows[] = {
    {FunctionAttribute::MaxThreadsPerBlock, &KernelInfo::maxThreadsPerBlock},
    {FunctionAttribute::SharedBytes, &KernelInfo::staticSharedBytes},
    {FunctionAttribute::ConstantBytes, &KernelInfo::constantBytes},
    {FunctionAttribute::LocalBytes, &KernelInfo::localBytes},
    {FunctionAttribute::Registers, &KernelInfo::registers},
    {FunctionAttribute::PtxVersion, &KernelInfo::ptxVersion},
    {FunctionAttribute::BinaryVersion, &KernelInfo::binaryVersion},
};

struct ClusterAttribute {
  FunctionAttribute attribute;
  int64_t Dim3::*axis;
};
constexpr ClusterAttribute clusterRows[] = {
    {FunctionAttribute::RequiredClusterWidth, &Dim3::x},
    {FunctionAttribute::RequiredClusterHeight, &Dim3::y},
    {FunctionAttribute::RequiredClusterDepth, &Dim3::z},
};

/// The options of the driver's compiler and their values, which it takes in two arrays, and what it
/// says.
class Jit {
public:
  explicit Jit(const ModuleOptions &options)
      : info(infoLogBytes, '\0'), error(errorLogBytes, '\0') {
    add(JitOption::InfoLog, info.data());
    add(JitOption::InfoLogBytes, info.size());
    add(JitOption::ErrorLog, error.data());
    add(JitOption::ErrorLogBytes, error.size());
    add(JitOption::Verbose, uintptr_t(options.verbose));
    if (options.optimizationLevel)
      add(JitOption::OptimizationLevel, uintptr_t(*options.optimizationLevel));
    if (options.maxRegisters)
      add(JitOption::MaxRegisters, uintptr_t(*options.maxRegisters));
    if (options.lineInfo)
      add(JitOption::LineInfo, uintptr_t(1));
    if (options.debugInfo)
      add(JitOption::DebugInfo, uintptr_t(1));
  }
  Jit(const Jit &) = delete;

  unsigned int size() const { return unsigned(names.size()); }
  JitOption *options() { return names.data(); }
  void **values() { return held.data(); }

  /// The log of its work, or the status with its error log.
  Result<std::string> log(Status status) const {
    std::string wrong = error.substr(0, error.find('\0'));
    if (status)
      return info.substr(0, info.find('\0'));
    Reason reason = std::move(status).reason();
    return Reason{reason.id, cat(reason.text, wrong.empty() ? "" : "\n", wrong)};
  }

private:
  template <class T> void add(JitOption option, T value) {
    names.push_back(option);
    held.push_back(reinterpret_cast<void *>(value));
  }

  std::string info, error;
  std::vector<JitOption> names;
  std::vector<void *> held;
};

std::string joined(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += cat(out.empty() ? "" : ", ", name);
  return out.empty() ? "no kernel" : out;
}

cuda::LaunchAttribute flagAttribute(cuda::LaunchAttributeId id) {
  cuda::LaunchAttribute attribute{};
  attribute.id = id;
  attribute.value.flag = 1;
  return attribute;
}

/// The attributes that a launch asks for. A cluster of one block is what devices without clusters
/// have anyway.
std::vector<cuda::LaunchAttribute> attributesOf(const DeviceInfo &device,
                                                const LaunchConfig &config) {
  std::vector<cuda::LaunchAttribute> out;
  if (config.cooperative)
    out.push_back(flagAttribute(cuda::LaunchAttributeId::Cooperative));
  if (config.programmaticStreamSerialization)
    out.push_back(flagAttribute(cuda::LaunchAttributeId::ProgrammaticStreamSerialization));
  // A cluster of one block is what a launch has anyway, and saying so costs a Hopper GEMM 5 %
  // (docs/benchmarks.md).
  bool several = config.cluster && config.cluster->volume() != 1;
  if (several && device.clusterLaunch) {
    cuda::LaunchAttribute attribute{};
    attribute.id = cuda::LaunchAttributeId::ClusterDimension;
    attribute.value.cluster = {unsigned(config.cluster->x), unsigned(config.cluster->y),
                               unsigned(config.cluster->z)};
    out.push_back(attribute);
  }
  return out;
}

} // namespace

//===------------------------------------------------------------------------------------------===//
// Modules
//===------------------------------------------------------------------------------------------===//

Result<std::string> CudaDevice::load(cuda::Module &module, const void *image,
                                     const ModuleOptions &options) {
  Jit jit(options);
  return jit.log(driver->call(functions().moduleLoadDataEx, &module, image, jit.size(),
                              jit.options(), jit.values()));
}

Result<CudaDevice::Assembled> CudaDevice::assemble(const std::string &ptx,
                                                   const ModuleOptions &options) {
  TESSERA_CHECK(makeCurrent());
  Jit jit(options);
  cuda::LinkState state = nullptr;
  TESSERA_CHECK(
      driver->call(functions().linkCreate, jit.size(), jit.options(), jit.values(), &state));
  // The state keeps the cubin.
  std::string text = ptx; // with its NUL, and not const
  void *cubin = nullptr;
  size_t bytes = 0;
  Status added = driver->call(functions().linkAddData, state, cuda::JitInput::Ptx,
                              static_cast<void *>(text.data()), text.size() + 1, "kernel.ptx", 0u,
                              static_cast<JitOption *>(nullptr), static_cast<void **>(nullptr));
  Status made = added ? driver->call(functions().linkComplete, state, &cubin, &bytes) : added;
  Assembled out;
  if (made)
    out.cubin.assign(static_cast<const char *>(cubin), bytes);
  Result<std::string> log = jit.log(std::move(made));
  Status destroyed = driver->call(functions().linkDestroy, state);
  TESSERA_TRY(out.log, std::move(log));
  TESSERA_CHECK(std::move(destroyed));
  return out;
}

Result<Module> CudaDevice::loadModule(std::span<const std::byte> image,
                                      const ModuleOptions &options) {
  TESSERA_TRY(ModuleImage inspected, inspectImage(image));
  TESSERA_CHECK(makeCurrent());
  // The driver finds the end of PTX text by its NUL.
  std::string terminated;
  if (inspected.kind == ImageKind::Ptx)
    terminated.assign(reinterpret_cast<const char *>(image.data()), image.size());
  const void *start = inspected.kind == ImageKind::Ptx ? terminated.c_str()
                                                       : static_cast<const void *>(image.data());
  cuda::Module module = nullptr;
  TESSERA_TRY(std::string log, load(module, start, options));
  modules[module] = {std::move(inspected.kernels)};
  return Module{ModuleId(reinterpret_cast<uint64_t>(module)), std::move(log)};
}

Status CudaDevice::unloadModule(ModuleId id) {
  TESSERA_CHECK(makeCurrent());
  auto *module = reinterpret_cast<cuda::Module>(id);
  if (!modules.erase(module))
    return fail(Error::DeviceHandle, "module", hex(uint64_t(id)));
  std::erase_if(kernels, [&](const auto &entry) { return entry.second.module == module; });
  return driver->call(functions().moduleUnload, module);
}

//===------------------------------------------------------------------------------------------===//
// Kernels
//===------------------------------------------------------------------------------------------===//

std::optional<std::vector<ParameterInfo>> CudaDevice::parametersOf(cuda::Function function) const {
  if (!functions().funcGetParamInfo.pointer)
    return std::nullopt;
  std::vector<ParameterInfo> parameters;
  while (true) {
    ParameterInfo parameter;
    cuda::Code code = functions().funcGetParamInfo.pointer(function, parameters.size(),
                                                           &parameter.offset, &parameter.size);
    // The only way to learn the number of parameters is to ask for one too many.
    if (code == cuda::Code::InvalidValue)
      return parameters;
    if (code != cuda::Code::Success) // a kernel whose parameters are not known can run all the same
      return std::nullopt;
    parameters.push_back(parameter);
  }
}

Result<KernelInfo> CudaDevice::describe(cuda::Function function, const std::string &name) const {
  KernelInfo info;
  info.name = name;
  int value = 0;
  for (const Attribute &row : attributeRows) {
    TESSERA_CHECK(driver->call(functions().funcGetAttribute, &value, row.attribute, function));
    info.*row.member = value;
  }
  if (properties.clusterLaunch) {
    Dim3 cluster;
    for (const ClusterAttribute &row : clusterRows) {
      TESSERA_CHECK(driver->call(functions().funcGetAttribute, &value, row.attribute, function));
      cluster.*row.axis = value;
    }
    if (cluster.volume() > 0) // all 0 where the kernel requires none
      info.requiredCluster = cluster;
  }
  info.parameters = parametersOf(function);
  return info;
}

Result<Kernel> CudaDevice::kernel(ModuleId id, const std::string &name) {
  TESSERA_CHECK(makeCurrent());
  auto *module = reinterpret_cast<cuda::Module>(id);
  auto record = modules.find(module);
  if (record == modules.end())
    return fail(Error::DeviceHandle, "module", hex(uint64_t(id)));
  cuda::Function function = nullptr;
  cuda::Code code = functions().moduleGetFunction.pointer(&function, module, name.c_str());
  if (code == cuda::Code::NotFound)
    return fail(Error::KernelNotFound, name, joined(record->second.kernels));
  TESSERA_CHECK(driver->status(functions().moduleGetFunction.symbol, code));
  TESSERA_TRY(KernelInfo info, describe(function, name));
  int limit = 0;
  TESSERA_CHECK(driver->call(functions().funcGetAttribute, &limit,
                             FunctionAttribute::MaxDynamicSharedBytes, function));
  kernels.insert_or_assign(function, KernelRecord{module, info, limit});
  return Kernel{KernelId(reinterpret_cast<uint64_t>(function)), std::move(info)};
}

Status CudaDevice::raiseLimits(cuda::Function function, KernelRecord &record,
                               const LaunchConfig &config) {
  if (config.dynamicSharedBytes > record.dynamicSharedLimit) {
    TESSERA_CHECK(driver->call(functions().funcSetAttribute, function,
                               FunctionAttribute::MaxDynamicSharedBytes,
                               int(config.dynamicSharedBytes)));
    record.dynamicSharedLimit = config.dynamicSharedBytes;
  }
  std::optional<Dim3> cluster = config.cluster ? config.cluster : record.info.requiredCluster;
  if (cluster && cluster->volume() > portableClusterBlocks && !record.nonPortableCluster) {
    TESSERA_CHECK(driver->call(functions().funcSetAttribute, function,
                               FunctionAttribute::NonPortableClusterAllowed, 1));
    record.nonPortableCluster = true;
  }
  return Done{};
}

Status CudaDevice::launch(KernelId id, const LaunchConfig &config,
                          std::span<void *const> arguments) {
  TESSERA_CHECK(makeCurrent());
  auto *function = reinterpret_cast<cuda::Function>(id);
  auto found = kernels.find(function);
  if (found == kernels.end())
    return fail(Error::DeviceHandle, "kernel", hex(uint64_t(id)));
  KernelRecord &record = found->second;
  TESSERA_TRY(cuda::Stream stream, find(config.stream));
  TESSERA_CHECK(checkLaunch(properties, record.info, config, arguments));
  TESSERA_CHECK(raiseLimits(function, record, config));

  std::vector<cuda::LaunchAttribute> attributes = attributesOf(properties, config);
  cuda::LaunchConfig launch{
      .gridX = unsigned(config.grid.x),
      .gridY = unsigned(config.grid.y),
      .gridZ = unsigned(config.grid.z),
      .blockX = unsigned(config.block.x),
      .blockY = unsigned(config.block.y),
      .blockZ = unsigned(config.block.z),
      .sharedBytes = unsigned(config.dynamicSharedBytes),
      .stream = stream,
      .attributes = attributes.data(),
      .attributeCount = unsigned(attributes.size()),
  };
  // The driver reads the array and does not write to it, although its type would let it.
  void **values = const_cast<void **>(arguments.data());
  void **extra = nullptr;
  cuda::Code code = functions().launchKernelEx.pointer(&launch, function, values, extra);
  Status status = driver->status(functions().launchKernelEx.symbol, code);
  if (status)
    return status;
  // Facts that no attribute of the kernel tells, so that checkLaunch cannot know them.
  std::string_view likely =
      code == cuda::Code::InvalidValue ? " (is the block that of the kernel's nvvm.reqntid?)" : "";
  return prefixed(cat("kernel '", record.info.name, "', grid ", str(config.grid), ", block ",
                      str(config.block), ", ", config.dynamicSharedBytes,
                      " bytes of dynamic shared memory", likely, ": "),
                  std::move(status).reason());
}

} // namespace tessera::run
