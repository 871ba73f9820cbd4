// Small kernels in PTX and the checks that run them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/run/GpuChecks.h"

#include "tessera/run/Compare.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace tessera::run {

namespace {

// c[i] = a[i] + b[i] for i < n.
constexpr const char *addPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra DONE;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  mul.wide.u32 %d4, %r4, 4;
  add.u64 %d5, %d1, %d4;
  add.u64 %d6, %d2, %d4;
  add.u64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  add.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%d7], %f3;
DONE:
  ret;
}
)";

// Stores a word at the end of `bytes` bytes of dynamic shared memory, and what it reads there in
// out.
constexpr const char *sharedPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry far(.param .u64 out, .param .u32 bytes)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [bytes];
  mov.u32 %r2, memory;
  add.u32 %r3, %r2, %r1;
  st.shared.u32 [%r3+-4], 4711;
  bar.sync 0;
  ld.shared.u32 %r4, [%r3+-4];
  st.global.u32 [%d1], %r4;
  ret;
}
)";

// out[block] = number of blocks in its cluster.
constexpr const char *clusterPtx = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry clusters(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  mov.u32 %r2, %cluster_nctarank;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

// Takes as long as it is told to.
constexpr const char *pausePtx = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry pause(.param .u64 nanoseconds)
{
  .reg .pred %p<2>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [nanoseconds];
  mov.u64 %d2, %globaltimer;
AGAIN:
  mov.u64 %d3, %globaltimer;
  sub.u64 %d4, %d3, %d2;
  setp.lt.u64 %p1, %d4, %d1;
  @%p1 bra AGAIN;
  ret;
}
)";

// out = the box of 32 x 8 words at the coordinates (column, row), by one tensor copy (TMA).
constexpr const char *boxPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 column, .param .u32 row)
{
  .shared .align 128 .b8 tile[1024];
  .shared .align 8 .b64 barrier;
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %d<7>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, barrier;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  fence.mbarrier_init.release.cluster;
READY:
  bar.sync 0;
  @%p1 bra WAIT;
  ld.param.u32 %r4, [column];
  ld.param.u32 %r5, [row];
  mov.b64 %d1, map;
  cvta.param.u64 %d2, %d1;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d3, [%r3], 1024;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%d2, {%r4, %r5}], [%r3];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
  @!%p2 bra WAIT;
  mul.wide.u32 %d4, %r1, 4;
  ld.param.u64 %d5, [out];
  add.u64 %d6, %d5, %d4;
  shl.b32 %r6, %r1, 2;
  add.u32 %r7, %r2, %r6;
  ld.shared.u32 %r8, [%r7];
  st.global.u32 [%d6], %r8;
  ret;
}
)";

constexpr const char *brokenPtx = ".version 7.0\n.target sm_80\n.address_size 64\n"
                                  ".visible .entry broken() { nonsense.u32 %r1; ret; }\n";

Reason failed(std::string text) { return {"GpuCheck", std::move(text)}; }

Result<Kernel> load(Device &device, const char *ptx, const std::string &kernel) {
  TESSERA_TRY(Module module, device.loadModule(bytesOf(ptx)));
  return device.kernel(module.id, kernel);
}

std::string fixed(double value, const char *format) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

/// Two random vectors on the device, room for their sum, and the sum that the host computes.
class Addition {
public:
  static Result<Addition> make(Device &device, int64_t count) {
    Addition out(device);
    TESSERA_TRY(out.sum, Tensor::make(Dtype::f32, {count}));
    TESSERA_TRY(out.expected, out.sum->clone());
    TESSERA_TRY(Tensor a, out.sum->clone());
    TESSERA_TRY(Tensor b, out.sum->clone());
    fillRandom(a, 1);
    fillRandom(b, 2);
    auto *numbers = reinterpret_cast<float *>(out.expected->bytes().data());
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = reinterpret_cast<const float *>(a.bytes().data())[i] +
                   reinterpret_cast<const float *>(b.bytes().data())[i];
    for (DeviceBuffer *buffer : {&out.a, &out.b, &out.c}) {
      TESSERA_TRY(*buffer, DeviceBuffer::make(device, a.bytes().size()));
    }
    TESSERA_CHECK(device.copyToDevice(out.a.address(), a.bytes()));
    TESSERA_CHECK(device.copyToDevice(out.b.address(), b.bytes()));
    TESSERA_TRY(out.kernel, load(device, addPtx, "add"));
    return out;
  }

  Status launch(LaunchConfig config) {
    Address addresses[] = {a.address(), b.address(), c.address()};
    uint32_t count = uint32_t(sum->size());
    void *arguments[] = {&addresses[0], &addresses[1], &addresses[2], &count};
    config.block = {256, 1, 1};
    config.grid = {(sum->size() + 255) / 256, 1, 1};
    return device->launch(kernel.id, config, arguments);
  }

  /// Runs once into poisoned memory; the comparison with the host, or what differs.
  Result<Comparison> check(const LaunchConfig &config) {
    TESSERA_CHECK(device->fill(c.address(), 0xFF, c.size(), config.stream));
    TESSERA_CHECK(launch(config));
    TESSERA_CHECK(device->copyToHost(sum->bytes(), c.address()));
    TESSERA_TRY(Comparison comparison, compare(*sum, *expected, {.relative = 0, .absolute = 0}));
    if (!comparison.ok())
      return failed(comparison.str());
    return comparison;
  }

  Kernel kernel;

private:
  explicit Addition(Device &device) : device(&device) {}
  Device *device;
  std::optional<Tensor> sum, expected;
  DeviceBuffer a, b, c;
};

Result<std::string> addVectors(Device &device) {
  constexpr int64_t count = 1 << 24; // 192 MiB of traffic: beyond the L2 cache
  constexpr int warmUps = 5, runs = 30;
  TESSERA_TRY(Addition addition, Addition::make(device, count));
  TESSERA_TRY(Comparison comparison, addition.check({}));
  TESSERA_TRY(EventId start, device.createEvent());
  TESSERA_TRY(EventId end, device.createEvent());
  std::vector<double> times;
  for (int run = 0; run < warmUps + runs; ++run) {
    TESSERA_CHECK(device.record(start));
    TESSERA_CHECK(addition.launch({}));
    TESSERA_CHECK(device.record(end));
    TESSERA_TRY(double milliseconds, device.elapsedMilliseconds(start, end));
    if (run >= warmUps)
      times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  double median = (times[runs / 2 - 1] + times[runs / 2]) / 2;
  return cat(count, " floats: ", fixed(median, "%.4f"), " ms (median of ", runs, ", least ",
             fixed(times.front(), "%.4f"), "), ", fixed(12.0 * count / median / 1e6, "%.0f"),
             " GB/s; ", addition.kernel.info.registers, " registers; ", comparison.str());
}

Result<std::string> attributes(Device &device) {
  TESSERA_TRY(Addition addition, Addition::make(device, 1000));
  TESSERA_TRY(StreamId stream, device.createStream());
  TESSERA_CHECK(addition.check({.cooperative = true}));
  TESSERA_CHECK(addition.check({.programmaticStreamSerialization = true}));
  TESSERA_CHECK(addition.check({.stream = stream}));
  TESSERA_CHECK(device.synchronize(stream));
  TESSERA_CHECK(device.destroyStream(stream));
  return std::string("cooperative, programmatic stream serialization, own stream: right numbers");
}

Result<std::string> sharedMemory(Device &device) {
  TESSERA_TRY(Kernel kernel, load(device, sharedPtx, "far"));
  TESSERA_TRY(DeviceBuffer out, DeviceBuffer::make(device, 4));
  int64_t most = device.info().sharedPerBlockOptin;
  for (int64_t bytes : {device.info().sharedPerBlock, most}) {
    TESSERA_CHECK(device.fill(out.address(), 0xFF, 4));
    Address address = out.address();
    uint32_t size = uint32_t(bytes), got = 0;
    void *arguments[] = {&address, &size};
    TESSERA_CHECK(device.launch(kernel.id, {.dynamicSharedBytes = bytes}, arguments));
    TESSERA_CHECK(device.copyToHost(std::as_writable_bytes(std::span(&got, 1)), address));
    if (got != 4711)
      return failed(cat("the last word of ", bytes, " bytes is ", got, " instead of 4711"));
  }
  LaunchConfig beyond{.dynamicSharedBytes = most + 1};
  void *nothing[] = {&out, &out};
  Status refused = device.launch(kernel.id, beyond, nothing);
  if (refused)
    return failed(cat(most + 1, " bytes were accepted"));
  return cat("up to ", most, " bytes; beyond: ", refused.reason().text);
}

Result<std::string> clusters(Device &device) {
  if (!device.info().clusterLaunch)
    return cat("skipped: ", device.info().target(), " has no clusters");
  TESSERA_TRY(Kernel kernel, load(device, clusterPtx, "clusters"));
  constexpr int64_t blocks = 32;
  TESSERA_TRY(DeviceBuffer out, DeviceBuffer::make(device, blocks * 4));
  // 16 is beyond what every GPU has; the data centre GPUs of sm_90 and sm_100 have it.
  int64_t largest = device.info().computeMajor <= 10 ? 16 : 8;
  for (int64_t size = 1; size <= largest; size *= 2) {
    Address address = out.address();
    void *arguments[] = {&address};
    LaunchConfig config{.grid = {blocks, 1, 1}, .cluster = Dim3{size, 1, 1}};
    TESSERA_CHECK(device.launch(kernel.id, config, arguments));
    std::array<uint32_t, blocks> got{};
    TESSERA_CHECK(device.copyToHost(std::as_writable_bytes(std::span(got)), address));
    for (uint32_t reported : got)
      if (reported != size)
        return failed(cat("a block sees a cluster of ", reported, " instead of ", size));
  }
  return cat("1 to ", largest, " blocks");
}

Result<std::string> unfinished(Device &device) {
  TESSERA_TRY(Kernel kernel, load(device, pausePtx, "pause"));
  TESSERA_TRY(EventId event, device.createEvent());
  uint64_t nanoseconds = 300'000'000;
  void *arguments[] = {&nanoseconds};
  TESSERA_CHECK(device.launch(kernel.id, {}, arguments));
  TESSERA_CHECK(device.record(event));
  TESSERA_TRY(bool early, device.finished(event));
  TESSERA_CHECK(device.synchronize());
  TESSERA_TRY(bool late, device.finished(event));
  if (early || !late)
    return failed(cat("a kernel of 0.3 s ",
                      early ? "has finished at once" : "has not finished after waiting"));
  return std::string("a kernel of 0.3 s is seen running, then finished");
}

Result<std::string> refusals(Device &device) {
  Result<Module> broken = device.loadModule(bytesOf(brokenPtx));
  if (broken || broken.reason().text.find("nonsense") == std::string::npos)
    return failed(cat("PTX that is none: ", broken ? "accepted" : broken.reason().text));
  TESSERA_TRY(Module module, device.loadModule(bytesOf(addPtx)));
  Result<Kernel> missing = device.kernel(module.id, "sub");
  if (missing)
    return failed("a kernel that does not exist was found");
  TESSERA_TRY(Kernel kernel, device.kernel(module.id, "add"));
  void *few[] = {&kernel};
  if (kernel.info.parameters && device.launch(kernel.id, {}, few))
    return failed("1 argument was accepted for 4 parameters");
  return cat("parameters ", kernel.info.parameters ? "counted" : "not counted (old driver)", "; ",
             missing.reason().text, "; ", broken.reason().text);
}

/// Boxes of a matrix of 64 x 40 words, inside it and over its edges, by a map that we encoded.
Result<std::string> tensorMaps(Device &device) {
  if (device.info().computeMajor != 9)
    return cat("skipped: the bits of tensor maps are known for sm_90, not for ",
               device.info().target());
  constexpr uint32_t columns = 64, rows = 40, width = 32, height = 8;
  std::array<uint32_t, columns * rows> matrix;
  for (uint32_t i = 0; i < matrix.size(); ++i)
    matrix[i] = i + 1;
  TESSERA_TRY(DeviceBuffer in, DeviceBuffer::make(device, sizeof(matrix)));
  TESSERA_TRY(DeviceBuffer out, DeviceBuffer::make(device, width * height * 4));
  TESSERA_CHECK(device.copyToDevice(in.address(), std::as_bytes(std::span(matrix))));
  atom::TensorMap map;
  map.type = atom::TensorMapType::U32;
  map.rank = 2;
  map.address = in.address();
  map.dims = {columns, rows};
  map.strides = {columns * 4};
  map.box = {width, height};
  TESSERA_TRY(atom::TensorMapImage image, atom::encode(map));
  TESSERA_TRY(atom::TensorMapImage drivers, device.encodeTensorMap(map));
  if (image != drivers)
    return failed("the driver encodes the map otherwise");
  TESSERA_TRY(Kernel kernel, load(device, boxPtx, "box"));
  for (auto [column, row] : {std::pair(0, 0), {32, 24}, {48, 36}, {-5, -3}}) {
    Address address = out.address();
    void *arguments[] = {&image, &address, &column, &row};
    TESSERA_CHECK(device.fill(address, 0xFF, out.size()));
    TESSERA_CHECK(device.launch(kernel.id, {.block = {width * height, 1, 1}}, arguments));
    std::array<uint32_t, width * height> got{};
    TESSERA_CHECK(device.copyToHost(std::as_writable_bytes(std::span(got)), address));
    for (uint32_t i = 0; i < got.size(); ++i) {
      uint32_t x = uint32_t(column) + i % width, y = uint32_t(row) + i / width;
      uint32_t expected = x < columns && y < rows ? matrix[y * columns + x] : 0;
      if (got[i] != expected)
        return failed(cat("word ", i, " of the box at ", column, ", ", row, " is ", got[i],
                          " instead of ", expected));
    }
  }
  return std::string("our bytes are the driver's; a box inside, and three over edges, are right");
}

constexpr GpuCheck checks[] = {{"add two vectors", addVectors},
                               {"launch attributes", attributes},
                               {"dynamic shared memory", sharedMemory},
                               {"clusters", clusters},
                               {"tensor maps", tensorMaps},
                               {"unfinished kernels", unfinished},
                               {"refusals", refusals}};

} // namespace

std::span<const GpuCheck> gpuChecks() { return checks; }

} // namespace tessera::run
