// A libcuda that runs nothing: it remembers what it is asked and fails where a test wants it to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/run/FakeCuda.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <tuple>

using namespace tessera;
using namespace tessera::run;
using namespace tessera::run::cuda;
using fake::State;

namespace {

/// A machine whose environment says that kernels do not finish; whatever waits for one hangs, as
/// the real driver does.
const bool hangs = std::getenv("FAKE_CUDA_HANGS");
void hangIfLaunched() {
  while (hangs && !fakeCudaState()->launches.empty())
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

State state = fake::freshState();

constexpr uint64_t firstAddress = 0x7f0000000000;

/// Notes the call; the code that the test wants it to fail with, if any.
Code enter(const char *symbol) {
  state.calls.push_back(symbol);
  auto failure = state.failures.find(symbol);
  return failure == state.failures.end() ? Code::Success : failure->second;
}
#define ENTER(symbol)                                                                              \
  if (Code code_ = enter(#symbol); code_ != Code::Success)                                         \
  return code_
/// What the driver says where no context is current on the thread.
#define NEED_CONTEXT()                                                                             \
  if (!state.contextCurrent)                                                                       \
  return Code::InvalidContext

/// Keeps what all encoders of tensor maps are given.
[[maybe_unused]] atom::TensorMap &noteTensorMap(int type, unsigned rank, void *address,
                                                const uint64_t *dims, const uint64_t *strides,
                                                const unsigned *steps, int interleave, int swizzle,
                                                int promotion, int fill) {
  atom::TensorMap &map = state.tensorMaps.emplace_back();
  map.type = atom::TensorMapType(type);
  map.rank = rank;
  map.address = reinterpret_cast<uint64_t>(address);
  std::copy_n(dims, rank, map.dims.begin());
  std::copy_n(strides, rank - 1, map.strides.begin());
  std::copy_n(steps, rank, map.steps.begin());
  map.interleave = atom::TensorMapInterleave(interleave);
  map.swizzle = atom::TensorMapSwizzle(swizzle);
  map.promotion = atom::TensorMapPromotion(promotion);
  map.fill = atom::TensorMapFill(fill);
  return map;
}

/// The host bytes of a range of device memory, or null.
char *bytesAt(DevicePointer address, size_t size) {
  auto after = state.allocations.upper_bound(address);
  if (after == state.allocations.begin())
    return nullptr;
  auto &[start, bytes] = *std::prev(after);
  bool inside = address - start <= bytes.size() && size <= bytes.size() - (address - start);
  return inside ? bytes.data() + (address - start) : nullptr;
}

/// A new handle, never reused while the library is loaded, not for another kind either.
uintptr_t lastHandle = 0x1000;
template <class Handle> Handle newHandle() { return reinterpret_cast<Handle>(lastHandle += 16); }

/// Handles of functions are the entries of the map of kernels.
using KernelEntry = std::pair<const std::string, fake::KernelModel>;
/// The options of a load, with its logs written.
fake::Load loadOf(unsigned int count, const JitOption *options, void *const *values) {
  fake::Load load;
  for (unsigned int i = 0; i < count; ++i)
    load.options[options[i]] = reinterpret_cast<uint64_t>(values[i]);
  fake::writeLog(load, JitOption::InfoLog, JitOption::InfoLogBytes, state.infoLog);
  fake::writeLog(load, JitOption::ErrorLog, JitOption::ErrorLogBytes, state.errorLog);
  return load;
}

KernelEntry &kernelOf(Function function) { return *reinterpret_cast<KernelEntry *>(function); }

} // namespace

extern "C" {

// A definition below that differs from what CudaDriver calls does not compile.
#define CUDA_FUNCTION(member, symbol, need, parameters) Code symbol parameters;
#include "tessera/run/CudaFunctions.def"
#undef CUDA_FUNCTION

State *fakeCudaState() { return &state; }

void fakeCudaReset() { state = fake::freshState(); }

Code cuInit(unsigned int) {
  ENTER(cuInit);
  return Code::Success;
}
Code cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion);
  *version = state.version;
  return Code::Success;
}
Code cuGetErrorName(Code code, const char **name) {
  const fake::CodeName *row = fake::findCode(code);
  *name = row ? row->name : nullptr;
  return row ? Code::Success : Code::InvalidValue;
}
Code cuGetErrorString(Code code, const char **text) {
  const fake::CodeName *row = fake::findCode(code);
  *text = row ? row->text : nullptr;
  return row ? Code::Success : Code::InvalidValue;
}

Code cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount);
  *count = state.devices;
  return Code::Success;
}
Code cuDeviceGet(DeviceOrdinal *device, int ordinal) {
  ENTER(cuDeviceGet);
  *device = ordinal;
  return Code::Success;
}
Code cuDeviceGetName(char *name, int length, DeviceOrdinal) {
  ENTER(cuDeviceGetName);
  std::strncpy(name, "NVIDIA H100 80GB HBM3", size_t(length));
  return Code::Success;
}
Code cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceOrdinal) {
  ENTER(cuDeviceGetAttribute);
  if (!state.deviceAttributes.count(attribute))
    return Code::InvalidValue;
  *value = state.deviceAttributes.at(attribute);
  return Code::Success;
}
Code cuDeviceTotalMem_v2(size_t *bytes, DeviceOrdinal) {
  ENTER(cuDeviceTotalMem_v2);
  *bytes = state.memory;
  return Code::Success;
}
Code cuDevicePrimaryCtxRetain(Context *context, DeviceOrdinal) {
  ENTER(cuDevicePrimaryCtxRetain);
  ++state.contexts;
  *context = reinterpret_cast<Context>(&state);
  return Code::Success;
}
Code cuDevicePrimaryCtxRelease_v2(DeviceOrdinal) {
  hangIfLaunched();
  ENTER(cuDevicePrimaryCtxRelease_v2);
  --state.contexts;
  return Code::Success;
}
Code cuCtxSetCurrent(Context context) {
  ENTER(cuCtxSetCurrent);
  state.contextCurrent = context != nullptr;
  return Code::Success;
}
Code cuCtxSynchronize() {
  hangIfLaunched();
  ENTER(cuCtxSynchronize);
  NEED_CONTEXT();
  return Code::Success;
}

Code cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER(cuMemGetInfo_v2);
  size_t used = 0;
  for (const auto &[address, bytes] : state.allocations)
    used += bytes.size();
  *free = state.memory - used;
  *total = state.memory;
  return Code::Success;
}
Code cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  NEED_CONTEXT();
  if (bytes == 0)
    return Code::InvalidValue;
  if (bytes > state.memory)
    return Code::OutOfMemory;
  uint64_t end = firstAddress;
  if (!state.allocations.empty())
    end = state.allocations.rbegin()->first + state.allocations.rbegin()->second.size();
  *pointer = (end + 511) / 256 * 256;
  state.allocations[*pointer].assign(bytes, '\x5A');
  return Code::Success;
}
Code cuMemFree_v2(DevicePointer pointer) {
  hangIfLaunched();
  ENTER(cuMemFree_v2);
  NEED_CONTEXT();
  return state.allocations.erase(pointer) ? Code::Success : Code::InvalidValue;
}
Code cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  ENTER(cuMemcpyHtoD_v2);
  NEED_CONTEXT();
  char *place = bytesAt(to, bytes);
  if (!place)
    return Code::InvalidValue;
  std::memcpy(place, from, bytes);
  return Code::Success;
}
Code cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  hangIfLaunched();
  ENTER(cuMemcpyDtoH_v2);
  NEED_CONTEXT();
  char *place = bytesAt(from, bytes);
  if (!place)
    return Code::InvalidValue;
  std::memcpy(to, place, bytes);
  return Code::Success;
}
Code cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes, Stream) {
  ENTER(cuMemsetD8Async);
  NEED_CONTEXT();
  char *place = bytesAt(to, bytes);
  if (!place)
    return Code::InvalidValue;
  std::memset(place, value, bytes);
  return Code::Success;
}

Code cuModuleLoadDataEx(Module *module, const void *image, unsigned int count, JitOption *options,
                        void **values) {
  state.loads.push_back(loadOf(count, options, values));
  state.loads.back().image = static_cast<const char *>(image);
  ENTER(cuModuleLoadDataEx);
  NEED_CONTEXT();
  *module = newHandle<Module>();
  state.modules.insert(*module);
  return Code::Success;
}
Code cuLinkCreate_v2(unsigned int count, JitOption *options, void **values, LinkState *link) {
  state.loads.push_back(loadOf(count, options, values));
  ENTER(cuLinkCreate_v2);
  NEED_CONTEXT();
  *link = newHandle<LinkState>();
  state.links.insert(*link);
  return Code::Success;
}
Code cuLinkAddData_v2(LinkState link, JitInput kind, void *data, size_t bytes, const char *,
                      unsigned int, JitOption *, void **) {
  ENTER(cuLinkAddData_v2);
  // PTX ends with its NUL, which the size counts (cuda.h, cuLinkAddData).
  const char *text = static_cast<const char *>(data);
  if (!state.links.count(link) || kind != JitInput::Ptx || !bytes || text[bytes - 1])
    return Code::InvalidValue;
  state.loads.back().image = text;
  return Code::Success;
}
Code cuLinkComplete(LinkState link, void **cubin, size_t *bytes) {
  ENTER(cuLinkComplete);
  if (!state.links.count(link))
    return Code::InvalidValue;
  *cubin = state.cubin.data();
  *bytes = state.cubin.size();
  return Code::Success;
}
Code cuLinkDestroy(LinkState link) {
  ENTER(cuLinkDestroy);
  return state.links.erase(link) ? Code::Success : Code::InvalidValue;
}
Code cuModuleUnload(Module module) {
  hangIfLaunched();
  ENTER(cuModuleUnload);
  return state.modules.erase(module) ? Code::Success : Code::InvalidValue;
}
Code cuModuleGetFunction(Function *function, Module module, const char *name) {
  ENTER(cuModuleGetFunction);
  auto kernel = state.kernels.find(name);
  // For test/ir: what `tessera generate gemm` wrote.
  if (kernel == state.kernels.end() && std::string_view(name).starts_with("gemm_")) {
    using F = FunctionAttribute;
    fake::KernelModel gemm{
        {{F::MaxThreadsPerBlock, 384}, {F::Registers, 168}, {F::MaxDynamicSharedBytes, 232448}},
        {}};
    gemm.tellsParameters = false;
    kernel = state.kernels.emplace(name, std::move(gemm)).first;
  }
  if (!state.modules.count(module) || kernel == state.kernels.end())
    return Code::NotFound;
  *function = reinterpret_cast<Function>(&*kernel);
  return Code::Success;
}
Code cuFuncGetAttribute(int *value, FunctionAttribute attribute, Function function) {
  ENTER(cuFuncGetAttribute);
  *value = kernelOf(function).second.attributes[attribute];
  return Code::Success;
}
Code cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  ENTER(cuFuncSetAttribute);
  auto &[name, kernel] = kernelOf(function);
  kernel.attributes[attribute] = value;
  state.attributesSet.push_back({name, {attribute, value}});
  return Code::Success;
}
#ifndef FAKE_WITHOUT_PARAM_INFO // a driver before CUDA 12.4
Code cuFuncGetParamInfo(Function function, size_t index, size_t *offset, size_t *size) {
  ENTER(cuFuncGetParamInfo);
  if (!kernelOf(function).second.tellsParameters)
    return Code::NotSupported;
  const auto &parameters = kernelOf(function).second.parameters;
  if (index >= parameters.size())
    return Code::InvalidValue;
  std::tie(*offset, *size) = parameters[index];
  return Code::Success;
}
#endif
#ifndef FAKE_WITHOUT_LAUNCH_EX // a driver before CUDA 11.8
Code cuLaunchKernelEx(const LaunchConfig *config, Function function, void **arguments, void **) {
  ENTER(cuLaunchKernelEx);
  NEED_CONTEXT();
  auto &[name, kernel] = kernelOf(function);
  if (int(config->sharedBytes) > kernel.attributes[FunctionAttribute::MaxDynamicSharedBytes])
    return Code::InvalidValue;
  fake::Launch launch{name, *config, {}, {}};
  launch.attributes.assign(config->attributes, config->attributes + config->attributeCount);
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    launch.arguments.emplace_back(static_cast<const char *>(arguments[i]),
                                  kernel.parameters[i].second);
  state.launches.push_back(launch);
  return Code::Success;
}
#endif

#ifndef FAKE_WITHOUT_PARAM_INFO // say: before CUDA 12.0
Code cuTensorMapEncodeTiled(TensorMap *map, int type, unsigned int rank, void *address,
                            const uint64_t *dims, const uint64_t *strides, const unsigned int *box,
                            const unsigned int *steps, int interleave, int swizzle, int promotion,
                            int fill) {
  ENTER(cuTensorMapEncodeTiled);
  NEED_CONTEXT();
  auto &asked = noteTensorMap(type, rank, address, dims, strides, steps, interleave, swizzle,
                              promotion, fill);
  std::copy_n(box, rank, asked.box.begin());
  *map = state.tensorMap;
  return Code::Success;
}
Code cuTensorMapEncodeIm2col(TensorMap *map, int type, unsigned int rank, void *address,
                             const uint64_t *dims, const uint64_t *strides, const int *lower,
                             const int *upper, unsigned int channels, unsigned int pixels,
                             const unsigned int *steps, int interleave, int swizzle, int promotion,
                             int fill) {
  ENTER(cuTensorMapEncodeIm2col);
  NEED_CONTEXT();
  auto &asked = noteTensorMap(type, rank, address, dims, strides, steps, interleave, swizzle,
                              promotion, fill);
  asked.kind = atom::TensorMapKind::Im2col;
  std::copy_n(lower, rank - 2, asked.lower.begin());
  std::copy_n(upper, rank - 2, asked.upper.begin());
  asked.channels = channels;
  asked.pixels = pixels;
  *map = state.tensorMap;
  return Code::Success;
}
Code cuTensorMapEncodeIm2colWide(TensorMap *map, int type, unsigned int rank, void *address,
                                 const uint64_t *dims, const uint64_t *strides, int lower,
                                 int upper, unsigned int channels, unsigned int pixels,
                                 const unsigned int *steps, int interleave, int mode, int swizzle,
                                 int promotion, int fill) {
  ENTER(cuTensorMapEncodeIm2colWide);
  NEED_CONTEXT();
  auto &asked = noteTensorMap(type, rank, address, dims, strides, steps, interleave, swizzle,
                              promotion, fill);
  asked.kind = atom::TensorMapKind::Im2colWide;
  asked.lower[0] = lower;
  asked.upper[0] = upper;
  asked.channels = channels;
  asked.pixels = pixels;
  asked.mode = atom::TensorMapWideMode(mode);
  *map = state.tensorMap;
  return Code::Success;
}
#endif

Code cuStreamCreate(Stream *stream, unsigned int) {
  ENTER(cuStreamCreate);
  *stream = newHandle<Stream>();
  state.streams.insert(*stream);
  return Code::Success;
}
Code cuStreamDestroy_v2(Stream stream) {
  ENTER(cuStreamDestroy_v2);
  return state.streams.erase(stream) ? Code::Success : Code::InvalidValue;
}
Code cuStreamSynchronize(Stream) {
  hangIfLaunched();
  ENTER(cuStreamSynchronize);
  return Code::Success;
}
Code cuEventCreate(Event *event, unsigned int) {
  ENTER(cuEventCreate);
  *event = newHandle<Event>();
  state.events.insert(*event);
  return Code::Success;
}
Code cuEventDestroy_v2(Event event) {
  ENTER(cuEventDestroy_v2);
  return state.events.erase(event) ? Code::Success : Code::InvalidValue;
}
Code cuEventRecord(Event, Stream) {
  ENTER(cuEventRecord);
  return Code::Success;
}
Code cuEventQuery(Event) {
  ENTER(cuEventQuery);
  return hangs && !state.launches.empty() ? Code::NotReady : Code::Success;
}
Code cuEventSynchronize(Event) {
  hangIfLaunched();
  ENTER(cuEventSynchronize);
  return Code::Success;
}
Code cuStreamBeginCapture_v2(Stream, int) {
  ENTER(cuStreamBeginCapture_v2);
  NEED_CONTEXT();
  return Code::Success;
}
Code cuStreamEndCapture(Stream, Graph *graph) {
  ENTER(cuStreamEndCapture);
  *graph = newHandle<Graph>();
  state.graphs.insert(*graph);
  return Code::Success;
}
Code cuGraphInstantiateWithFlags(GraphExec *runs, Graph, unsigned long long) {
  ENTER(cuGraphInstantiateWithFlags);
  *runs = newHandle<GraphExec>();
  state.graphs.insert(*runs);
  return Code::Success;
}
Code cuGraphLaunch(GraphExec, Stream) {
  ENTER(cuGraphLaunch);
  return Code::Success;
}
Code cuGraphDestroy(Graph graph) {
  ENTER(cuGraphDestroy);
  return state.graphs.erase(graph) ? Code::Success : Code::InvalidValue;
}
Code cuGraphExecDestroy(GraphExec graph) {
  ENTER(cuGraphExecDestroy);
  return state.graphs.erase(graph) ? Code::Success : Code::InvalidValue;
}
Code cuEventElapsedTime(float *milliseconds, Event, Event) {
  ENTER(cuEventElapsedTime);
  *milliseconds = 1.5f;
  return Code::Success;
}

} // extern "C"
