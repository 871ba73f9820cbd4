// A GPU's context, memory, streams and events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include <algorithm>

namespace tessera::run {

using cuda::DeviceAttribute;

namespace {

/// Where an attribute of the device is stored.
struct Property {
  DeviceAttribute attribute;
  int64_t DeviceInfo::*member;
};
constexpr Property propertyRows[] = {
    {DeviceAttribute::ComputeMajor, &DeviceInfo::computeMajor},
    {DeviceAttribute::ComputeMinor, &DeviceInfo::computeMinor},
    {DeviceAttribute::Multiprocessors, &DeviceInfo::multiprocessors},
    {DeviceAttribute::WarpSize, &DeviceInfo::warpSize},
    {DeviceAttribute::MaxThreadsPerBlock, &DeviceInfo::maxThreadsPerBlock},
    {DeviceAttribute::SharedPerBlock, &DeviceInfo::sharedPerBlock},
    {DeviceAttribute::SharedPerBlockOptin, &DeviceInfo::sharedPerBlockOptin},
    {DeviceAttribute::SharedPerMultiprocessor, &DeviceInfo::sharedPerMultiprocessor},
    {DeviceAttribute::RegistersPerMultiprocessor, &DeviceInfo::registersPerMultiprocessor},
    {DeviceAttribute::L2Bytes, &DeviceInfo::l2Bytes},
    {DeviceAttribute::ClockRate, &DeviceInfo::clockRate},
    {DeviceAttribute::MemoryClockRate, &DeviceInfo::memoryClockRate},
    {DeviceAttribute::MemoryBusBits, &DeviceInfo::memoryBusBits},
    {DeviceAttribute::ClusterLaunch, &DeviceInfo::clusterLaunch},
    {DeviceAttribute::CooperativeLaunch, &DeviceInfo::cooperativeLaunch},
};

struct Extent {
  DeviceAttribute attribute;
  Dim3 DeviceInfo::*extents;
  int64_t Dim3::*axis;
};
constexpr Extent extentRows[] = {
    {DeviceAttribute::MaxBlockX, &DeviceInfo::maxBlock, &Dim3::x},
    {DeviceAttribute::MaxBlockY, &DeviceInfo::maxBlock, &Dim3::y},
    {DeviceAttribute::MaxBlockZ, &DeviceInfo::maxBlock, &Dim3::z},
    {DeviceAttribute::MaxGridX, &DeviceInfo::maxGrid, &Dim3::x},
    {DeviceAttribute::MaxGridY, &DeviceInfo::maxGrid, &Dim3::y},
    {DeviceAttribute::MaxGridZ, &DeviceInfo::maxGrid, &Dim3::z},
};

/// A status with words after its sentence, such as how many bytes went where.
Status explained(Status status, const std::string &words) {
  if (status)
    return status;
  Reason reason = std::move(status).reason();
  return Reason{reason.id, cat(reason.text, " (", words, ")")};
}

} // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(std::shared_ptr<const cuda::Driver> driver,
                                                     int ordinal) {
  if (ordinal < 0 || ordinal >= driver->deviceCount())
    return fail(Error::CudaOrdinal, ordinal, driver->deviceCount());
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(driver)));
  const cuda::Driver &d = *device->driver;
  TESSERA_CHECK(d.call(d.functions().deviceGet, &device->device, ordinal));
  TESSERA_CHECK(d.call(d.functions().primaryCtxRetain, &device->context, device->device));
  TESSERA_CHECK(device->makeCurrent());
  TESSERA_CHECK(device->readProperties());
  return device;
}

CudaDevice::~CudaDevice() {
  // Failures here repeat what calls have reported, or come from a context that a kernel has broken.
  if (!context)
    return;
  (void)makeCurrent();
  const cuda::Functions &f = functions();
  for (cuda::Event event : events)
    f.eventDestroy.pointer(event);
  for (cuda::GraphExec graph : graphs)
    f.graphExecDestroy.pointer(graph);
  for (cuda::Stream stream : streams)
    f.streamDestroy.pointer(stream);
  for (const auto &[module, record] : modules)
    f.moduleUnload.pointer(module);
  for (Address address : allocations)
    f.memFree.pointer(address);
  f.primaryCtxRelease.pointer(device);
}

Status CudaDevice::makeCurrent() { return driver->call(functions().ctxSetCurrent, context); }

Status CudaDevice::readProperties() {
  char name[256] = {};
  TESSERA_CHECK(driver->call(functions().deviceGetName, name, int(sizeof(name) - 1), device));
  properties.name = name;
  properties.driverVersion = driver->version();
  size_t globalBytes = 0;
  TESSERA_CHECK(driver->call(functions().deviceTotalMem, &globalBytes, device));
  properties.globalBytes = int64_t(globalBytes);
  int value = 0;
  for (const Property &row : propertyRows) {
    TESSERA_CHECK(driver->call(functions().deviceGetAttribute, &value, row.attribute, device));
    properties.*row.member = value;
  }
  for (const Extent &row : extentRows) {
    TESSERA_CHECK(driver->call(functions().deviceGetAttribute, &value, row.attribute, device));
    properties.*row.extents.*row.axis = value;
  }
  return Done{};
}

//===------------------------------------------------------------------------------------------===//
// Memory
//===------------------------------------------------------------------------------------------===//

Result<Address> CudaDevice::allocate(size_t bytes) {
  TESSERA_CHECK(makeCurrent());
  cuda::DevicePointer pointer = 0;
  Status status = driver->call(functions().memAlloc, &pointer, std::max<size_t>(bytes, 1));
  if (!status) {
    size_t available = 0, total = 0;
    functions().memGetInfo.pointer(&available, &total);
    return explained(std::move(status),
                     cat("asked for ", bytes, " bytes; ", available, " of ", total, " are free"))
        .reason();
  }
  allocations.insert(pointer);
  return Address(pointer);
}

Status CudaDevice::free(Address address) {
  TESSERA_CHECK(makeCurrent());
  if (!allocations.erase(address))
    return fail(Error::DeviceFree, hex(address));
  return driver->call(functions().memFree, address);
}

Status CudaDevice::copyToDevice(Address to, std::span<const std::byte> from) {
  TESSERA_CHECK(makeCurrent());
  if (from.empty())
    return Done{};
  return explained(driver->call(functions().memcpyHtoD, to, from.data(), from.size()),
                   cat(from.size(), " bytes to ", hex(to)));
}

Status CudaDevice::copyToHost(std::span<std::byte> to, Address from) {
  TESSERA_CHECK(makeCurrent());
  if (to.empty())
    return Done{};
  return explained(driver->call(functions().memcpyDtoH, to.data(), from, to.size()),
                   cat(to.size(), " bytes from ", hex(from)));
}

Status CudaDevice::fill(Address to, uint8_t value, size_t bytes, StreamId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Stream stream, find(id));
  if (bytes == 0)
    return Done{};
  return explained(driver->call(functions().memsetD8Async, to, value, bytes, stream),
                   cat(bytes, " bytes at ", hex(to)));
}

//===------------------------------------------------------------------------------------------===//
// Streams and events
//===------------------------------------------------------------------------------------------===//

Result<cuda::Stream> CudaDevice::find(StreamId id) const {
  auto *stream = reinterpret_cast<cuda::Stream>(id);
  if (stream && !streams.count(stream) && !foreignStreams.count(stream))
    return fail(Error::DeviceHandle, "stream", hex(uint64_t(id)));
  return stream;
}

Result<cuda::Event> CudaDevice::find(EventId id) const {
  auto *event = reinterpret_cast<cuda::Event>(id);
  if (!events.count(event))
    return fail(Error::DeviceHandle, "event", hex(uint64_t(id)));
  return event;
}

Result<StreamId> CudaDevice::createStream() {
  TESSERA_CHECK(makeCurrent());
  cuda::Stream stream = nullptr;
  TESSERA_CHECK(driver->call(functions().streamCreate, &stream, cuda::streamDefault));
  streams.insert(stream);
  return StreamId(reinterpret_cast<uint64_t>(stream));
}

Status CudaDevice::destroyStream(StreamId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Stream stream, find(id));
  if (!streams.erase(stream))
    return fail(Error::DeviceHandle, "stream", "the default one");
  return driver->call(functions().streamDestroy, stream);
}

void CudaDevice::acceptStream(StreamId id) {
  if (id != StreamId::Default)
    foreignStreams.insert(reinterpret_cast<cuda::Stream>(id));
}

Result<EventId> CudaDevice::createEvent() {
  TESSERA_CHECK(makeCurrent());
  cuda::Event event = nullptr;
  TESSERA_CHECK(driver->call(functions().eventCreate, &event, cuda::eventDefault));
  events.insert(event);
  return EventId(reinterpret_cast<uint64_t>(event));
}

Status CudaDevice::destroyEvent(EventId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Event event, find(id));
  events.erase(event);
  return driver->call(functions().eventDestroy, event);
}

Status CudaDevice::record(EventId id, StreamId on) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Event event, find(id));
  TESSERA_TRY(cuda::Stream stream, find(on));
  return driver->call(functions().eventRecord, event, stream);
}

Result<bool> CudaDevice::finished(EventId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Event event, find(id));
  cuda::Code code = functions().eventQuery.pointer(event);
  if (code == cuda::Code::NotReady)
    return false;
  TESSERA_CHECK(driver->status(functions().eventQuery.symbol, code));
  return true;
}

Result<double> CudaDevice::elapsedMilliseconds(EventId start, EventId end) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Event first, find(start));
  TESSERA_TRY(cuda::Event last, find(end));
  TESSERA_CHECK(driver->call(functions().eventSynchronize, last));
  float milliseconds = 0;
  TESSERA_CHECK(driver->call(functions().eventElapsedTime, &milliseconds, first, last));
  return double(milliseconds);
}

//===------------------------------------------------------------------------------------------===//
// Graphs
//===------------------------------------------------------------------------------------------===//

Result<cuda::GraphExec> CudaDevice::find(GraphId id) const {
  auto *graph = reinterpret_cast<cuda::GraphExec>(id);
  if (!graphs.count(graph))
    return fail(Error::DeviceHandle, "graph", hex(uint64_t(id)));
  return graph;
}

Result<GraphId> CudaDevice::capture(StreamId id, const std::function<Status()> &work) {
  if (!hasGraphs())
    return fail(Error::NoGraphs, info().name);
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Stream stream, find(id));
  constexpr int thisThread = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  TESSERA_CHECK(driver->call(functions().streamBeginCapture, stream, thisThread));
  Status done = work();
  // The capture ends also where the work failed: until then the stream takes nothing else.
  cuda::Graph graph = nullptr;
  Status ended = driver->call(functions().streamEndCapture, stream, &graph);
  cuda::GraphExec runs = nullptr;
  if (done && ended)
    ended = driver->call(functions().graphInstantiate, &runs, graph, 0);
  if (graph)
    functions().graphDestroy.pointer(graph);
  TESSERA_CHECK(done);
  TESSERA_CHECK(ended);
  graphs.insert(runs);
  return GraphId(reinterpret_cast<uint64_t>(runs));
}

Status CudaDevice::launchGraph(GraphId id, StreamId on) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::GraphExec graph, find(id));
  TESSERA_TRY(cuda::Stream stream, find(on));
  return driver->call(functions().graphLaunch, graph, stream);
}

Status CudaDevice::destroyGraph(GraphId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::GraphExec graph, find(id));
  graphs.erase(graph);
  return driver->call(functions().graphExecDestroy, graph);
}

Status CudaDevice::synchronize() {
  TESSERA_CHECK(makeCurrent());
  return driver->call(functions().ctxSynchronize);
}

Status CudaDevice::synchronize(StreamId id) {
  TESSERA_CHECK(makeCurrent());
  TESSERA_TRY(cuda::Stream stream, find(id));
  return driver->call(functions().streamSynchronize, stream);
}

Result<std::unique_ptr<Device>> openCudaDevice(int ordinal) {
  TESSERA_TRY(std::shared_ptr<const cuda::Driver> driver, cuda::Driver::instance());
  TESSERA_TRY(std::unique_ptr<CudaDevice> device, CudaDevice::open(std::move(driver), ordinal));
  return std::unique_ptr<Device>(std::move(device));
}

} // namespace tessera::run
