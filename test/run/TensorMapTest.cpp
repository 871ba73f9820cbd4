// Tensor maps by the fake driver: what it is asked, and what is done with what it answers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/Check.h"
#include "test/run/FakeLibrary.h"

using namespace tessera;
using namespace tessera::run;
using atom::TensorMap;
using atom::TensorMapImage;
using atom::TensorMapKind;

namespace {

class TensorMapTest : public FakeLibrary {
protected:
  std::unique_ptr<CudaDevice> open(const char *library = TESSERA_FAKE_CUDA) {
    return must(CudaDevice::open(must(cuda::Driver::load(library)), 0));
  }
  /// The image, with what went to stderr.
  TensorMapImage encoded(Device &device, const TensorMap &map) {
    testing::internal::CaptureStderr();
    TensorMapImage image = must(device.encodeTensorMap(map));
    warning = testing::internal::GetCapturedStderr();
    return image;
  }
  std::string warning;
};

/// A map of each kind in which all parameters differ.
TensorMap mapOf(TensorMapKind kind) {
  TensorMap map;
  map.kind = kind;
  map.type = atom::TensorMapType::F16;
  map.rank = 4;
  map.address = 0x7f0000001230;
  map.dims = {64, 50, 40, 30};
  map.strides = {128, 6400, 256000};
  map.steps = {1, 2, 3, 4, 1};
  map.swizzle = atom::TensorMapSwizzle::B128;
  map.promotion = atom::TensorMapPromotion::B256;
  map.fill = atom::TensorMapFill::NaN;
  if (kind == TensorMapKind::Tiled) {
    map.box = {64, 8, 4, 2};
    return map;
  }
  map.lower = {-3, -2};
  map.upper = {1, 2};
  map.channels = 32;
  map.pixels = 100;
  if (kind == TensorMapKind::Im2colWide)
    map.lower[1] = map.upper[1] = 0;
  return map;
}
constexpr TensorMapKind kinds[] = {TensorMapKind::Tiled, TensorMapKind::Im2col,
                                   TensorMapKind::Im2colWide};

} // namespace

TEST_F(TensorMapTest, TheDriverIsAskedForWhatTheMapSays) {
  for (TensorMapKind kind : kinds) {
    state().deviceAttributes[cuda::DeviceAttribute::ComputeMajor] = 10; // im2col::w is for sm_100
    std::unique_ptr<CudaDevice> device = open();
    state().contextCurrent = false; // as on another thread
    state().tensorMap.words[3] = 42;
    EXPECT_EQ(encoded(*device, mapOf(kind)), state().tensorMap);
    EXPECT_EQ(state().tensorMaps.back(), mapOf(kind)) << int(kind);
    EXPECT_EQ(warning, ""); // nothing is known of these bits on sm_100
  }
}

TEST_F(TensorMapTest, WhatTheDriverEncodesAsWeDoIsSilent) {
  std::unique_ptr<CudaDevice> device = open();
  state().tensorMap = must(atom::encode(mapOf(TensorMapKind::Tiled)));
  EXPECT_EQ(encoded(*device, mapOf(TensorMapKind::Tiled)), state().tensorMap);
  EXPECT_EQ(warning, "");
}

TEST_F(TensorMapTest, TheDriversBytesWinAndOneWarningSaysSo) {
  std::unique_ptr<CudaDevice> device = open();
  state().tensorMap.words[3] = 42;
  EXPECT_EQ(encoded(*device, mapOf(TensorMapKind::Tiled)), state().tensorMap);
  EXPECT_EQ(warning, "warning: the CUDA driver (for CUDA 12.4) encodes a tensor map otherwise than "
                     "tessera/atom/TensorMapFields.def says; the driver's is used\n");
  EXPECT_EQ(encoded(*device, mapOf(TensorMapKind::Im2col)), state().tensorMap);
  EXPECT_EQ(warning, "");
}

TEST_F(TensorMapTest, ALimitIsToldInASentenceAndTheDriverNotAsked) {
  std::unique_ptr<CudaDevice> device = open();
  TensorMap map = mapOf(TensorMapKind::Tiled);
  map.box[1] = 257;
  EXPECT_EQ(device->encodeTensorMap(map).reason().id, "TensorMapBox");
  EXPECT_EQ(device->encodeTensorMap(mapOf(TensorMapKind::Im2colWide)).reason().id, "TargetLacks");
  EXPECT_TRUE(state().tensorMaps.empty());
}

TEST_F(TensorMapTest, FailuresOfTheDriverAreReported) {
  std::unique_ptr<CudaDevice> device = open();
  state().failures = {{"cuTensorMapEncodeTiled", cuda::Code::InvalidValue}};
  EXPECT_EQ(refusal(device->encodeTensorMap(mapOf(TensorMapKind::Tiled))),
            "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(TensorMapTest, ADriverWithoutTheFunctionLeavesItToUs) {
  std::unique_ptr<CudaDevice> device = open(TESSERA_FAKE_CUDA_12_3);
  EXPECT_EQ(encoded(*device, mapOf(TensorMapKind::Tiled)),
            must(atom::encode(mapOf(TensorMapKind::Tiled))));
}

TEST_F(TensorMapTest, TheSameMapIsMadeOnce) {
  std::unique_ptr<CudaDevice> device = open();
  TensorMap map = mapOf(TensorMapKind::Tiled);
  state().tensorMap.words[3] = 7;
  TensorMapImage first = encoded(*device, map);
  state().tensorMap.words[3] = 8;
  EXPECT_EQ(encoded(*device, map), first);
  EXPECT_EQ(state().tensorMaps.size(), 1u);
  // Every parameter counts; what came long ago is asked for again.
  map.box[1] = 4;
  EXPECT_EQ(encoded(*device, map).words[3], 8u);
  map.strides[0] = 256;
  encoded(*device, map);
  EXPECT_EQ(state().tensorMaps.size(), 3u);
  for (int i = 0; i < 100; ++i) {
    map.address += 128;
    encoded(*device, map);
  }
  EXPECT_EQ(encoded(*device, mapOf(TensorMapKind::Tiled)).words[3], 8u);
  EXPECT_EQ(state().tensorMaps.size(), 104u);
}
