// CudaDevice: a GPU as a Device, through the CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/CudaDriver.h"
#include "tessera/run/Device.h"

#include <map>
#include <set>

namespace tessera::run {

/// Retains the device's primary context, so that it shares memory with other users of CUDA in the
/// process, and makes it current on the calling thread at every call. Its destructor releases
/// remaining memory, modules, streams and events. Handles are the driver's pointers; those of
/// another device are refused.
class CudaDevice final : public Device {
public:
  static Result<std::unique_ptr<CudaDevice>> open(std::shared_ptr<const cuda::Driver>, int ordinal);
  ~CudaDevice() override;

  const DeviceInfo &info() const override { return properties; }

  Result<Address> allocate(size_t bytes) override;
  Status free(Address) override;
  Status copyToDevice(Address to, std::span<const std::byte> from) override;
  Status copyToHost(std::span<std::byte> to, Address from) override;
  Status fill(Address, uint8_t value, size_t bytes, StreamId = StreamId::Default) override;

  Result<Module> loadModule(std::span<const std::byte> image, const ModuleOptions & = {}) override;
  /// The cubin that the driver's compiler makes from PTX, for this GPU. That compiler is in
  /// libcuda, so no toolkit is needed.
  struct Assembled {
    std::string cubin, log;
  };
  Result<Assembled> assemble(const std::string &ptx, const ModuleOptions & = {});
  Status unloadModule(ModuleId) override;
  Result<Kernel> kernel(ModuleId, const std::string &name) override;
  /// As the launch needs it, raises the kernel's limit of dynamic shared memory and allows cluster
  /// sizes beyond 8.
  Status launch(KernelId, const LaunchConfig &, std::span<void *const> arguments) override;

  /// The driver's encoding. If ours differs, stderr says so once. The latest maps are cached, since
  /// a host function that is called again with the same tensors asks for the same ones.
  Result<atom::TensorMapImage> encodeTensorMap(const atom::TensorMap &) override;

  Result<StreamId> createStream() override;
  Status destroyStream(StreamId) override;
  void acceptStream(StreamId) override;
  Result<EventId> createEvent() override;
  Status destroyEvent(EventId) override;
  Status record(EventId, StreamId = StreamId::Default) override;
  Result<bool> finished(EventId) override;
  Result<double> elapsedMilliseconds(EventId start, EventId end) override;
  bool hasGraphs() const override { return functions().streamBeginCapture.pointer; }
  Result<GraphId> capture(StreamId, const std::function<Status()> &work) override;
  Status launchGraph(GraphId, StreamId) override;
  Status destroyGraph(GraphId) override;
  Status synchronize() override;
  Status synchronize(StreamId) override;

private:
  struct ModuleRecord {
    std::vector<std::string> kernels;
  };
  struct KernelRecord {
    cuda::Module module;
    KernelInfo info;
    int64_t dynamicSharedLimit; // what the driver allows at present, in bytes
    bool nonPortableCluster = false;
  };

  explicit CudaDevice(std::shared_ptr<const cuda::Driver> driver) : driver(std::move(driver)) {}
  const cuda::Functions &functions() const { return driver->functions(); }
  Status makeCurrent();
  Status readProperties();
  Result<cuda::Stream> find(StreamId) const;
  Result<cuda::Event> find(EventId) const;
  Result<cuda::GraphExec> find(GraphId) const;
  Result<std::string> load(cuda::Module &, const void *image, const ModuleOptions &);
  Result<KernelInfo> describe(cuda::Function, const std::string &name) const;
  std::optional<std::vector<ParameterInfo>> parametersOf(cuda::Function) const;
  Status raiseLimits(cuda::Function, KernelRecord &, const LaunchConfig &);
  Result<atom::TensorMapImage> makeTensorMap(const atom::TensorMap &);
  void warnOfTensorMaps();

  std::shared_ptr<const cuda::Driver> driver;
  cuda::DeviceOrdinal device = 0;
  cuda::Context context = nullptr;
  DeviceInfo properties;
  std::set<Address> allocations;
  std::map<cuda::Module, ModuleRecord> modules;
  std::map<cuda::Function, KernelRecord> kernels;
  std::set<cuda::Stream> streams, foreignStreams;
  std::set<cuda::Event> events;
  std::set<cuda::GraphExec> graphs;
  struct TensorMapRecord {
    atom::TensorMap map;
    atom::TensorMapImage image;
  };
  static constexpr size_t tensorMapsKept = 64;
  std::vector<TensorMapRecord> tensorMaps;
  size_t oldestTensorMap = 0;
  bool warnedOfTensorMaps = false;
};

/// GPU number `ordinal` of the process's driver (cuda::Driver::instance). Reasons begin with
/// "no CUDA device: ".
Result<std::unique_ptr<Device>> openCudaDevice(int ordinal = 0);

} // namespace tessera::run
