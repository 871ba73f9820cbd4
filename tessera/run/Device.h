// Device: the interface of everything that runs kernels. Bytes in, bytes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CudaDevice implements it with the CUDA driver. A simulator can implement it on the CPU, as the
// interface names nothing of CUDA. Only one thread at a time may use a device. Work is queued on
// streams and runs in their order; copies and frees wait for all work queued before them on every
// stream of the device.
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/run/Bytes.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::run {

/// A place in the device's global memory, in bytes.
using Address = uint64_t;

/// Handles are valid on the device that made them, until it destroys them.
enum class StreamId : uint64_t {
  Default = 0
};
enum class EventId : uint64_t {
};
enum class GraphId : uint64_t {
};
enum class ModuleId : uint64_t {
};
enum class KernelId : uint64_t {
};

/// Extents of a grid in blocks (or in clusters of blocks), of a block in threads.
struct Dim3 {
  int64_t x = 1, y = 1, z = 1;
  int64_t volume() const { return x * y * z; }
  friend bool operator==(const Dim3 &, const Dim3 &) = default;
};
/// "(8, 4, 1)".
std::string str(const Dim3 &);

/// Properties of a device. Sizes in bytes, frequencies in kHz.
struct DeviceInfo {
  std::string name;
  int64_t driverVersion = 0; // 1000 * major + 10 * minor of the CUDA version it supports: 13000
  int64_t computeMajor = 0, computeMinor = 0;
  int64_t multiprocessors = 0;
  int64_t warpSize = 32;
  int64_t maxThreadsPerBlock = 0;
  Dim3 maxBlock, maxGrid;
  int64_t sharedPerBlock = 0;      // without opting in
  int64_t sharedPerBlockOptin = 0; // the most that is possible, static and dynamic together
  int64_t sharedPerMultiprocessor = 0;
  int64_t registersPerMultiprocessor = 0;
  int64_t l2Bytes = 0;
  int64_t globalBytes = 0;
  int64_t clockRate = 0, memoryClockRate = 0;
  int64_t memoryBusBits = 0;
  int64_t clusterLaunch = 0; // 1 if blocks can form clusters
  int64_t cooperativeLaunch = 0;

  /// "sm_90".
  std::string target() const { return cat("sm_", computeMajor, computeMinor); }
  /// "12.4".
  std::string driverVersionText() const;
};

/// Options for loading code. For PTX they control the JIT; a cubin is loaded as it is.
struct ModuleOptions {
  std::optional<int> optimizationLevel{}; // 0 .. 4
  std::optional<int> maxRegisters{};      // per thread
  bool lineInfo = false;
  bool debugInfo = false;
  bool verbose = true; // ask for registers and spills in the log
};

/// A loaded module and the compiler's log; the log is empty if a JIT took its result from a cache.
struct Module {
  ModuleId id{};
  std::string log;
};

/// One parameter of a kernel as it lies in the parameter space, in bytes.
struct ParameterInfo {
  size_t offset = 0, size = 0;
  friend bool operator==(const ParameterInfo &, const ParameterInfo &) = default;
};

/// Properties of a kernel that the device reports.
struct KernelInfo {
  std::string name;
  int64_t registers = 0;         // per thread
  int64_t localBytes = 0;        // per thread: stack and spills
  int64_t staticSharedBytes = 0; // per block
  int64_t constantBytes = 0;
  int64_t maxThreadsPerBlock = 0;      // given its registers, on this device
  int64_t ptxVersion = 0;              // 10 * major + minor of the virtual architecture
  int64_t binaryVersion = 0;           // 10 * major + minor of the real one
  std::optional<Dim3> requiredCluster; // fixed by the kernel (.reqnctapercluster)
  /// Sizes of the parameters; none where the device cannot tell.
  std::optional<std::vector<ParameterInfo>> parameters;
};

struct Kernel {
  KernelId id{};
  KernelInfo info;
};

/// How a kernel is launched.
struct LaunchConfig {
  Dim3 grid{};                   // in blocks
  Dim3 block{};                  // in threads
  std::optional<Dim3> cluster{}; // in blocks; must divide the grid
  int64_t dynamicSharedBytes = 0;
  StreamId stream = StreamId::Default;
  bool cooperative = false; // all blocks resident at once, for grid-wide barriers
  /// The kernel may start before the previous one in the stream has ended (griddepcontrol).
  bool programmaticStreamSerialization = false;
};

/// The rules of a launch on any device, as messages: positive extents, limits of grid and block,
/// threads with their registers, cluster supported, of at most 16 blocks, dividing the grid and
/// equal to the required one, static and dynamic shared memory within sharedPerBlockOptin, as many
/// arguments as parameters, none of them null.
Status checkLaunch(const DeviceInfo &, const KernelInfo &, const LaunchConfig &,
                   std::span<void *const> arguments);

/// Whether machine code for a target such as sm_90a runs on the device: with suffix a on exactly
/// that architecture, else on any device of its generation that is not older.
bool runsCubin(const DeviceInfo &, std::string_view target);
/// Whether PTX for the target runs on the device. Later generations also compile it, unless the
/// target has a suffix. A name that is not a target is accepted.
Status checkTarget(const DeviceInfo &, std::string_view target);

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceInfo &info() const = 0;

  /// Memory with undefined content, aligned to 256 bytes. 0 bytes get an address of their own too.
  virtual Result<Address> allocate(size_t bytes) = 0;
  virtual Status free(Address) = 0;
  virtual Status copyToDevice(Address to, std::span<const std::byte> from) = 0;
  virtual Status copyToHost(std::span<std::byte> to, Address from) = 0;
  /// Queues the filling of `bytes` bytes with one value.
  virtual Status fill(Address, uint8_t value, size_t bytes, StreamId = StreamId::Default) = 0;

  /// Loads PTX text or a cubin (see ModuleImage.h). A reason holds the compiler's log.
  virtual Result<Module> loadModule(std::span<const std::byte> image,
                                    const ModuleOptions & = {}) = 0;
  /// Unloads a module with its kernels.
  virtual Status unloadModule(ModuleId) = 0;
  virtual Result<Kernel> kernel(ModuleId, const std::string &name) = 0;
  /// Queues the kernel. `arguments[i]` points to the value of parameter i, which is copied before
  /// this returns. Errors of the kernel itself come from a later synchronize() or copy.
  virtual Status launch(KernelId, const LaunchConfig &, std::span<void *const> arguments) = 0;

  /// The 128 bytes of a tensor map for this device, or the limit that the map exceeds. A device
  /// without an encoding of its own uses ours, which is that of sm_90.
  virtual Result<atom::TensorMapImage> encodeTensorMap(const atom::TensorMap &map) {
    return atom::encode(map);
  }

  virtual Result<StreamId> createStream() = 0;
  virtual Status destroyStream(StreamId) = 0;
  /// Makes the device accept a stream made by someone else, such as PyTorch, by its handle in the
  /// CUDA driver. It must outlive its last use here. Only CUDA devices accept streams.
  virtual void acceptStream(StreamId) {}
  virtual Result<EventId> createEvent() = 0;
  virtual Status destroyEvent(EventId) = 0;
  /// Queues the event: it takes place when the earlier work on the stream is done.
  virtual Status record(EventId, StreamId = StreamId::Default) = 0;
  /// Whether the event has taken place, without waiting. Reports failures before it.
  virtual Result<bool> finished(EventId) = 0;
  /// Waits for `end` and returns the milliseconds from `start` to it. Both must have been recorded.
  virtual Result<double> elapsedMilliseconds(EventId start, EventId end) = 0;

  /// Whether it supports graphs of work that are queued at once.
  virtual bool hasGraphs() const { return false; }
  /// Records the work that `work` queues on a non-default stream as a graph, without running it.
  virtual Result<GraphId> capture(StreamId, const std::function<Status()> &work);
  /// Queues the work of a graph.
  virtual Status launchGraph(GraphId, StreamId);
  virtual Status destroyGraph(GraphId);

  /// Waits for all work on the device, or on one stream, and reports its failures.
  virtual Status synchronize() = 0;
  virtual Status synchronize(StreamId) = 0;
};

/// Device memory that is freed with its owner, which must not outlive the device.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  static Result<DeviceBuffer> make(Device &, size_t bytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : device(std::exchange(other.device, nullptr)), start(other.start), count(other.count) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(count, other.count);
    return *this;
  }
  ~DeviceBuffer();

  Address address() const { return start; }
  size_t size() const { return count; }

private:
  Device *device = nullptr;
  Address start = 0;
  size_t count = 0;
};

} // namespace tessera::run
