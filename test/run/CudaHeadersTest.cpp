// What we declare and compute ourselves against NVIDIA's own headers, where they are installed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaTypes.h"
#include "tessera/run/Dtype.h"

#include "test/run/Check.h"

#include <bit>
#include <cmath>

#if __has_include(<cuda.h>) && __has_include(<cuda_fp8.h>) && __has_include(<cuda_fp4.h>)
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

using namespace tessera;
using namespace tessera::run;

//===------------------------------------------------------------------------------------------===//
// cuda.h
//===------------------------------------------------------------------------------------------===//

namespace {

struct Value {
  const char *name;
  int ours, theirs;
};
#define VALUE(ours, theirs) {#theirs, int(ours), int(theirs)}

const Value values[] = {
#define RESULT(number, name, enumerator) VALUE(cuda::Code::enumerator, name),
#include "tessera/run/CudaResults.def"
#undef RESULT
#define DEVICE(ours, theirs) VALUE(cuda::DeviceAttribute::ours, CU_DEVICE_ATTRIBUTE_##theirs)
    DEVICE(MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    DEVICE(MaxBlockX, MAX_BLOCK_DIM_X),
    DEVICE(MaxBlockY, MAX_BLOCK_DIM_Y),
    DEVICE(MaxBlockZ, MAX_BLOCK_DIM_Z),
    DEVICE(MaxGridX, MAX_GRID_DIM_X),
    DEVICE(MaxGridY, MAX_GRID_DIM_Y),
    DEVICE(MaxGridZ, MAX_GRID_DIM_Z),
    DEVICE(SharedPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    DEVICE(WarpSize, WARP_SIZE),
    DEVICE(ClockRate, CLOCK_RATE),
    DEVICE(Multiprocessors, MULTIPROCESSOR_COUNT),
    DEVICE(MemoryClockRate, MEMORY_CLOCK_RATE),
    DEVICE(MemoryBusBits, GLOBAL_MEMORY_BUS_WIDTH),
    DEVICE(L2Bytes, L2_CACHE_SIZE),
    DEVICE(ComputeMajor, COMPUTE_CAPABILITY_MAJOR),
    DEVICE(ComputeMinor, COMPUTE_CAPABILITY_MINOR),
    DEVICE(SharedPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    DEVICE(RegistersPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
    DEVICE(CooperativeLaunch, COOPERATIVE_LAUNCH),
    DEVICE(SharedPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    DEVICE(ClusterLaunch, CLUSTER_LAUNCH),
#define FUNCTION(ours, theirs) VALUE(cuda::FunctionAttribute::ours, CU_FUNC_ATTRIBUTE_##theirs)
    FUNCTION(MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    FUNCTION(SharedBytes, SHARED_SIZE_BYTES),
    FUNCTION(ConstantBytes, CONST_SIZE_BYTES),
    FUNCTION(LocalBytes, LOCAL_SIZE_BYTES),
    FUNCTION(Registers, NUM_REGS),
    FUNCTION(PtxVersion, PTX_VERSION),
    FUNCTION(BinaryVersion, BINARY_VERSION),
    FUNCTION(MaxDynamicSharedBytes, MAX_DYNAMIC_SHARED_SIZE_BYTES),
    FUNCTION(RequiredClusterWidth, REQUIRED_CLUSTER_WIDTH),
    FUNCTION(RequiredClusterHeight, REQUIRED_CLUSTER_HEIGHT),
    FUNCTION(RequiredClusterDepth, REQUIRED_CLUSTER_DEPTH),
    FUNCTION(NonPortableClusterAllowed, NON_PORTABLE_CLUSTER_SIZE_ALLOWED),
    VALUE(cuda::JitOption::MaxRegisters, CU_JIT_MAX_REGISTERS),
    VALUE(cuda::JitOption::InfoLog, CU_JIT_INFO_LOG_BUFFER),
    VALUE(cuda::JitOption::InfoLogBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES),
    VALUE(cuda::JitOption::ErrorLog, CU_JIT_ERROR_LOG_BUFFER),
    VALUE(cuda::JitOption::ErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
    VALUE(cuda::JitOption::OptimizationLevel, CU_JIT_OPTIMIZATION_LEVEL),
    VALUE(cuda::JitOption::DebugInfo, CU_JIT_GENERATE_DEBUG_INFO),
    VALUE(cuda::JitOption::Verbose, CU_JIT_LOG_VERBOSE),
    VALUE(cuda::JitOption::LineInfo, CU_JIT_GENERATE_LINE_INFO),
    VALUE(cuda::LaunchAttributeId::Cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE),
    VALUE(cuda::LaunchAttributeId::ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION),
    VALUE(cuda::LaunchAttributeId::ProgrammaticStreamSerialization,
          CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION),
#define TENSOR_MAP(kind, ours, theirs) VALUE(atom::TensorMap##kind::ours, CU_TENSOR_MAP_##theirs)
    TENSOR_MAP(Type, U8, DATA_TYPE_UINT8),
    TENSOR_MAP(Type, U16, DATA_TYPE_UINT16),
    TENSOR_MAP(Type, U32, DATA_TYPE_UINT32),
    TENSOR_MAP(Type, S32, DATA_TYPE_INT32),
    TENSOR_MAP(Type, U64, DATA_TYPE_UINT64),
    TENSOR_MAP(Type, S64, DATA_TYPE_INT64),
    TENSOR_MAP(Type, F16, DATA_TYPE_FLOAT16),
    TENSOR_MAP(Type, F32, DATA_TYPE_FLOAT32),
    TENSOR_MAP(Type, F64, DATA_TYPE_FLOAT64),
    TENSOR_MAP(Type, BF16, DATA_TYPE_BFLOAT16),
    TENSOR_MAP(Type, F32Ftz, DATA_TYPE_FLOAT32_FTZ),
    TENSOR_MAP(Type, TF32, DATA_TYPE_TFLOAT32),
    TENSOR_MAP(Type, TF32Ftz, DATA_TYPE_TFLOAT32_FTZ),
    TENSOR_MAP(Type, B4x16, DATA_TYPE_16U4_ALIGN8B),
    TENSOR_MAP(Type, B4x16Padded, DATA_TYPE_16U4_ALIGN16B),
    TENSOR_MAP(Type, B6x16Padded, DATA_TYPE_16U6_ALIGN16B),
    TENSOR_MAP(Interleave, None, INTERLEAVE_NONE),
    TENSOR_MAP(Interleave, B16, INTERLEAVE_16B),
    TENSOR_MAP(Interleave, B32, INTERLEAVE_32B),
    TENSOR_MAP(Swizzle, None, SWIZZLE_NONE),
    TENSOR_MAP(Swizzle, B32, SWIZZLE_32B),
    TENSOR_MAP(Swizzle, B64, SWIZZLE_64B),
    TENSOR_MAP(Swizzle, B128, SWIZZLE_128B),
    TENSOR_MAP(Swizzle, B128Atom32, SWIZZLE_128B_ATOM_32B),
    TENSOR_MAP(Swizzle, B128Atom32Flip8, SWIZZLE_128B_ATOM_32B_FLIP_8B),
    TENSOR_MAP(Swizzle, B128Atom64, SWIZZLE_128B_ATOM_64B),
    TENSOR_MAP(Promotion, None, L2_PROMOTION_NONE),
    TENSOR_MAP(Promotion, B64, L2_PROMOTION_L2_64B),
    TENSOR_MAP(Promotion, B128, L2_PROMOTION_L2_128B),
    TENSOR_MAP(Promotion, B256, L2_PROMOTION_L2_256B),
    TENSOR_MAP(Fill, Zeros, FLOAT_OOB_FILL_NONE),
    TENSOR_MAP(Fill, NaN, FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
    TENSOR_MAP(WideMode, W, IM2COL_WIDE_MODE_W),
    TENSOR_MAP(WideMode, W128, IM2COL_WIDE_MODE_W128),
    VALUE(cuda::streamDefault, CU_STREAM_DEFAULT),
    VALUE(cuda::eventDefault, CU_EVENT_DEFAULT),
};

// Same size and alignment, member by member; of pointers their own size is meant, which clang-tidy
// doubts.
#define SAME_MEMBER(ourType, ours, theirType, theirs)                                              \
  static_assert(offsetof(ourType, ours) == offsetof(theirType, theirs) &&                          \
                sizeof(ourType::ours) == sizeof(theirType::theirs))
using OurConfig = cuda::LaunchConfig;
using OurAttribute = cuda::LaunchAttribute;
static_assert(sizeof(OurConfig) == sizeof(CUlaunchConfig));
static_assert(alignof(OurConfig) == alignof(CUlaunchConfig));
SAME_MEMBER(OurConfig, gridX, CUlaunchConfig, gridDimX);
SAME_MEMBER(OurConfig, gridY, CUlaunchConfig, gridDimY);
SAME_MEMBER(OurConfig, gridZ, CUlaunchConfig, gridDimZ);
SAME_MEMBER(OurConfig, blockX, CUlaunchConfig, blockDimX);
SAME_MEMBER(OurConfig, blockY, CUlaunchConfig, blockDimY);
SAME_MEMBER(OurConfig, blockZ, CUlaunchConfig, blockDimZ);
SAME_MEMBER(OurConfig, sharedBytes, CUlaunchConfig, sharedMemBytes);
SAME_MEMBER(OurConfig, stream, CUlaunchConfig, hStream);   // NOLINT(bugprone-sizeof-expression)
SAME_MEMBER(OurConfig, attributes, CUlaunchConfig, attrs); // NOLINT(bugprone-sizeof-expression)
SAME_MEMBER(OurConfig, attributeCount, CUlaunchConfig, numAttrs);
static_assert(sizeof(OurAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(OurAttribute) == alignof(CUlaunchAttribute));
SAME_MEMBER(OurAttribute, id, CUlaunchAttribute, id);
SAME_MEMBER(OurAttribute, value, CUlaunchAttribute, value);
static_assert(sizeof(cuda::TensorMap) == sizeof(CUtensorMap) &&
              alignof(cuda::TensorMap) == alignof(CUtensorMap));
using OurValue = cuda::LaunchAttribute::Value;
SAME_MEMBER(OurValue, flag, CUlaunchAttributeValue, cooperative);
SAME_MEMBER(OurValue, flag, CUlaunchAttributeValue, programmaticStreamSerializationAllowed);
SAME_MEMBER(OurValue, cluster, CUlaunchAttributeValue, clusterDim);

/// Types that mean the same to the machine: pointers to such types, or integers of one size.
template <class A, class B> constexpr bool sameType() {
  using X = std::remove_cv_t<A>;
  using Y = std::remove_cv_t<B>;
  if constexpr (std::is_pointer_v<X> && std::is_pointer_v<Y>) {
    using P = std::remove_pointer_t<X>;
    using Q = std::remove_pointer_t<Y>;
    if constexpr (std::is_class_v<P> || std::is_void_v<P>) // handles, structs compared above, void
      return std::is_void_v<P> == std::is_void_v<Q> && std::is_const_v<P> == std::is_const_v<Q>;
    else
      return std::is_const_v<P> == std::is_const_v<Q> && sameType<P, Q>();
  } else {
    return std::is_pointer_v<X> == std::is_pointer_v<Y> && sizeof(X) == sizeof(Y);
  }
}
template <class A, class B> struct SameSignature : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameSignature<R(A...), S(B...)>
    : std::bool_constant<sameType<R, S>() && (sameType<A, B>() && ...)> {};

} // namespace

namespace tessera::run::cuda {
// cuda.h turns old names into new ones with macros; the symbols of the rows are past that.
#define CUDA_FUNCTION(member, symbol, need, parameters)                                            \
  static_assert(SameSignature<Code parameters, decltype(::symbol)>::value, #symbol);
#include "tessera/run/CudaFunctions.def"
#undef CUDA_FUNCTION
} // namespace tessera::run::cuda

TEST(CudaHeaders, ValuesAreThoseOfCudaH) {
  for (const Value &value : values)
    EXPECT_EQ(value.ours, value.theirs) << value.name;
}

//===------------------------------------------------------------------------------------------===//
// Conversions
//===------------------------------------------------------------------------------------------===//

namespace {

/// Doubles around everything that matters to narrow formats: random ones in their ranges, codes of
/// f16 and bf16, middles between them.
std::vector<double> probes() {
  std::mt19937_64 random = generator();
  std::vector<double> out = {0.0, -0.0, INFINITY, -INFINITY, 448, 464, 465, 57344, 61439, 61440};
  for (int i = 0; i < 200000; ++i) {
    double fraction = 1 + double(random() >> 11) * 0x1p-53;
    out.push_back(std::ldexp(i % 2 ? fraction : -fraction, int(random() % 300) - 150));
    out.push_back(std::ldexp(i % 2 ? fraction : -fraction, int(random() % 40) - 20));
  }
  for (uint64_t code = 0; code < 65536; ++code)
    for (Dtype type : {Dtype::f16, Dtype::bf16}) {
      double value = toDouble(type, code), next = toDouble(type, (code + 1) & 0xFFFF);
      if (!std::isfinite(value) || !std::isfinite(next))
        continue;
      out.insert(out.end(),
                 {value, (value + next) / 2, std::nextafter((value + next) / 2, INFINITY)});
    }
  return out;
}

} // namespace

TEST(CudaHeaders, NarrowingAgrees) {
  for (double x : probes()) {
    ASSERT_EQ(fromDouble(Dtype::e4m3, x), __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3))
        << x;
    ASSERT_EQ(fromDouble(Dtype::e5m2, x), __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2))
        << x;
    ASSERT_EQ(fromDouble(Dtype::e2m1, x), __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest))
        << x;
    ASSERT_EQ(fromDouble(Dtype::e2m3, x), __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest))
        << x;
    ASSERT_EQ(fromDouble(Dtype::e3m2, x), __nv_cvt_double_to_fp6(x, __NV_E3M2, cudaRoundNearest))
        << x;
    ASSERT_EQ(fromDouble(Dtype::f16, x), __half_raw(__double2half(x)).x) << x;
    ASSERT_EQ(fromDouble(Dtype::bf16, x), __nv_bfloat16_raw(__double2bfloat16(x)).x) << x;
  }
}

TEST(CudaHeaders, NanAgrees) {
  EXPECT_EQ(fromDouble(Dtype::e4m3, NAN), __nv_cvt_double_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3));
  EXPECT_EQ(fromDouble(Dtype::e5m2, NAN), __nv_cvt_double_to_fp8(NAN, __NV_SATFINITE, __NV_E5M2));
  EXPECT_EQ(fromDouble(Dtype::e2m1, NAN), __nv_cvt_double_to_fp4(NAN, __NV_E2M1, cudaRoundNearest));
  EXPECT_EQ(fromDouble(Dtype::e2m3, NAN), __nv_cvt_double_to_fp6(NAN, __NV_E2M3, cudaRoundNearest));
  EXPECT_EQ(fromDouble(Dtype::e3m2, NAN), __nv_cvt_double_to_fp6(NAN, __NV_E3M2, cudaRoundNearest));
  EXPECT_EQ(fromDouble(Dtype::f16, NAN), __half_raw(__double2half(NAN)).x);
  EXPECT_EQ(fromDouble(Dtype::bf16, NAN), __nv_bfloat16_raw(__double2bfloat16(NAN)).x);
}

TEST(CudaHeaders, WideningAgrees) {
  auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (unsigned code = 0; code < 256; ++code) {
    __half_raw e4m3 = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(code), __NV_E4M3);
    __half_raw e5m2 = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(code), __NV_E5M2);
    EXPECT_TRUE(same(toDouble(Dtype::e4m3, code), double(float(__half(e4m3))))) << code;
    EXPECT_TRUE(same(toDouble(Dtype::e5m2, code), double(float(__half(e5m2))))) << code;
    __nv_bfloat16_raw e8m0 = __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t(code));
    EXPECT_TRUE(same(toDouble(Dtype::ue8m0, code), double(float(__nv_bfloat16(e8m0))))) << code;
  }
  for (unsigned code = 0; code < 16; ++code) {
    __half_raw e2m1 = __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t(code), __NV_E2M1);
    EXPECT_EQ(toDouble(Dtype::e2m1, code), double(float(__half(e2m1)))) << code;
  }
}

// CUDA rounds to powers of two only towards zero and up; the nearest is one of the two.
TEST(CudaHeaders, ScalesLieBetweenCudasRoundings) {
  for (double x : probes()) {
    uint64_t code = fromDouble(Dtype::ue8m0, x);
    uint64_t down = __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundZero);
    uint64_t up = __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
    ASSERT_TRUE(code == down || code == up) << x;
  }
}

#else
TEST(CudaHeaders, NotInstalled) { GTEST_SKIP() << "cuda.h, cuda_fp8.h, cuda_fp4.h were not found"; }
#endif
