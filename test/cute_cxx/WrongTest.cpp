// Wrong programs: each mistake is one sentence at its line, and nothing aborts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;

namespace {
/// What the kernel of the running test does, and for which architecture it is traced.
std::function<void(Tensor)> body;
void device(Tensor x) { body(x); }
void host(Tensor x) { launch(device, {.block = 128}, x); }

Outcome outcomeOf(std::function<void(Tensor)> does, const char *arch = "sm_80") {
  body = std::move(does);
  alignas(16) static float numbers[32 * 64];
  std::string ptx;
  return kernel(host, "k", arch).ptx(ptx, tessera::tile::view(numbers, {32, 64}));
}
/// One diagnostic, that begins with `text`, in this file at `line`.
void expectOne(const Outcome &found, unsigned line, const std::string &text) {
  ASSERT_EQ(found.diagnostics.size(), 1u) << text << "\n" << found.text();
  const Diagnostic &d = found.diagnostics[0];
  EXPECT_TRUE(d.file.ends_with("WrongTest.cpp")) << d.str();
  EXPECT_EQ(d.line, line) << d.str();
  EXPECT_EQ(d.text.substr(0, text.size()), text);
}
} // namespace

/// A test of one mistake: the statement that makes it stands on the line of the macro's end.
#define WRONG(NAME, TEXT, ...)                                                                     \
  TEST(Wrong, NAME) {                                                                              \
    expectOne(outcomeOf([]([[maybe_unused]] Tensor x) { __VA_ARGS__; }), __LINE__, TEXT);          \
  }
#define WRONG_ON(ARCH, NAME, TEXT, ...)                                                            \
  TEST(Wrong, NAME) {                                                                              \
    expectOne(outcomeOf([]([[maybe_unused]] Tensor x) { __VA_ARGS__; }, ARCH), __LINE__, TEXT);    \
  }

// clang-format off: a statement a line
WRONG(TypesDiffer, "operator+: expects operands of one type, but got f32 and i32", Num(1.0f) + Num(threadIdx.x))
WRONG(DeviceCondition, "condition: expects a number that C++ knows while it traces", if (bool(threadIdx.x == 0)) {})
WRONG(DeviceExtent, "number: expects a number that C++ knows while it traces", (void)int(size<0>(x)))
WRONG(DynamicRegisters, "make_fragment_like: expects a shape that is known", make_fragment_like(x))
WRONG(NoSuchMode, "get: expects one of the 2 modes", x.shape().mode(2))
WRONG(NotANumber, "number: expects one number, but got (8,4)", Num(make_shape(8, 4)) + 1)
WRONG(IndexIsACoordinate, "number: expects one number, but got (1,2)", make_identity_layout(make_shape(4, 5))(1, 2) + 1)
WRONG(TupleDeclaredOnly, "tuple: expects a tuple with a value, but got an IntTuple that was declared only", IntTuple shape; make_layout(shape))
WRONG(ModeDeclaredOnly, "tuple: expects a tuple with a value", IntTuple mode; make_shape(4, mode))
WRONG(CoordinateDeclaredOnly, "tuple: expects a tuple with a value", IntTuple coord; x(coord) = 1.0f)
WRONG(SizeOfNothing, "tuple: expects a tuple with a value", IntTuple shape; size(shape))
WRONG(WalkOfUnknownExtents, "make_coord_iterator: expects tuples that C++ knows", make_coord_iterator(x.shape()))
WRONG(WalkFromAnotherNesting, "make_coord_iterator: expects a coordinate and an order of the nesting of (4,5), but got 3", make_coord_iterator(3, make_shape(4, 5)))
WRONG(SizeTooLarge, "operator*: expects a result of 64 bits, but got 1152921504606846976 * 1073741824", size(make_shape(1 << 30, 1 << 30, 1 << 30)))
WRONG(SumTooLarge, "operator+: expects a result of 64 bits", Num(INT64_MAX) + 1)
WRONG(LayoutText, "Layout: ", Layout("(8,4):(1"))
WRONG(StrideNotCongruent, "make_layout: ", make_layout(make_shape(4, 2), make_stride(1, 4, 8)))
WRONG(CompositionRefused, "composition: ", composition(Layout("(3,5):(1,7)"), Layout("4:2")))
WRONG(DynamicCosize, "cosize: expects a layout that C++ knows", cosize(x.layout()))
WRONG(DynamicTiler, "tiler: expects extents that C++ knows", local_tile(x, make_shape(size<0>(x), 8), make_coord(0, 0)))
WRONG(RankOfSlice, "slice: ", x(_, 0, 0))
WRONG(StoredType, "store: ", x(0, 0) = Num(threadIdx.x))
WRONG(DivisionByZero, "operator/: expects a divisor other than 0", Num(4) / 0)
WRONG(AtomOfLaterTarget, "make_mma_atom: ", MMA_Atom<SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>())
WRONG(CopyOfOtherSize, "copy: expects as many elements in both tensors, but got 8 ((4,2)) and 6 ((3,2))", Tensor r = make_tensor<float>(make_shape(4, 2)), s = make_tensor<float>(make_shape(3, 2)); copy(r, s))
WRONG(CopyOfOtherType, "copy: expects elements of one type, but got f32 and f16; convert the elements of one with convert<T>", Tensor r = make_tensor<float>(make_shape(4)), s = make_tensor<half_t>(make_shape(4)); copy(r, s))
WRONG(CopyOfUnknownExtents, "copy: expects tensors of known extents, but got one of ", Tensor v = make_tensor(x.data(), make_shape(Num(threadIdx.x) + 1)); copy(v, v))
WRONG(CopyOfOtherBits, "make_copy_atom: ", Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>, float>())
WRONG(AtomsOfTiles, "make_tiled_copy: ", make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, x.layout()))
WRONG(TooManyBarriers, "make_barriers: expects at least one barrier", make_barriers(0))
WRONG(Alignment, "make_smem_tensor: expects an alignment that is a power of two", make_smem_tensor<float>(Layout("8:1"), 24))
WRONG(ThreadsOfReduction, "block_reduce: expects a multiple of 32 threads, but got 100", block_sum(1.0f, 100))
WRONG(NotSet, "operator+: expects values that are set", Num() + Num(threadIdx.x))
WRONG(KernelInKernel, "launch: expects a host function that is traced", launch(device, {.block = 32}, x))
WRONG(FractionBesideWhole, "literal: expects an integer literal next to an integer", Num(threadIdx.x) * 0.5)
WRONG(AtomicOfRegisters, "atomic: expects an element of global or shared memory", Tensor r = make_tensor<int>(make_shape(4)); atomicAdd(r(0), 1))
WRONG(AtomicOfOtherType, "atomic: expects a number of the element type f32, but got i32", atomicAdd(x(0, 0), Num(threadIdx.x)))
WRONG(ExchangeOfFloats, "atomic_cas: expects integers of 32 or 64 bits", atomicCAS(x(0, 0), 1.0f, 2.0f))
WRONG(AtomicMaximumOfFloats, "atomic: expects integers of 32 or 64 bits", atomicMax(x(0, 0), 1.0f))
WRONG(SwizzledModes, "make_layout: expects layouts without a swizzle as modes", make_layout(composition(Swizzle<3, 3, 3>{}, Layout("(8,64):(64,1)")), Layout("2:1")))
WRONG(DynamicTuples, "shape_div: expects tuples that C++ knows while it traces, but got (?,?)", shape_div(x.shape(), 4))
WRONG(RecastOfCoordinates, "recast: expects a tensor of elements, but got one of coordinates", recast<half_t>(make_identity_tensor(make_shape(8, 4))))
WRONG(ModesThatThereAreNot, "take: ", take<1, 4>(Layout("(8,4):(4,1)")))
WRONG(ProfileOfOtherRank, "coalesce: ", coalesce(Layout("(8,4):(4,1)"), make_step(1, 1, 1)))
WRONG(PredicateOfOtherShape, "copy_if: ", Tensor r = make_tensor<float>(make_shape(4, 2)), p = make_tensor<bool>(make_shape(3, 2)); copy_if(p, r, r))
WRONG(BasisAsNumber, "number: expects a number, but got the basis 1@1; basis_value gives its number", [[maybe_unused]] Num n = IntTuple(E<1>{}))
WRONG(LeavesOfAnotherNumber, "unflatten: expects a mode for each of the 4 leaves of (2,(3,(4,5))), but got (1,2,3)", unflatten(make_tuple(1, 2, 3), make_shape(2, make_shape(3, make_shape(4, 5)))))
WRONG(RanksOfZip, "zip: expects tuples of one rank, but got ((1,2),(1,2,3))", zip(make_tuple(1, 2), make_tuple(1, 2, 3)))
WRONG(RankOfSlicedTuple, "slice: expects a coordinate with a mode for each of (2,3,4), but got (_,1)", slice(make_coord(_, 1), make_shape(2, 3, 4)))
WRONG(RankOfSlicedLayout, "slice: expects a coordinate with a mode for each of (2,3), but got (_,1,2)", Layout("(2,3):(1,2)")(_, 1, 2))
WRONG(MoreModesThanAsked, "append: expects at most 2 modes, but got (1,2,3)", append<2>(make_shape(1, 2, 3), _1{}))
WRONG(ModeOfReplace, "replace: expects modes of (1,2,3), which has 3, but got 5 to 6", replace<5>(make_shape(1, 2, 3), _1{}))
WRONG(PartnersOfProduct, "inner_product: expects tuples of one nesting, but got (1,2) and (1,2,3)", inner_product(make_tuple(1, 2), make_tuple(1, 2, 3)))
WRONG(DivisorOfDeviceNumbers, "gcd: expects numbers that C++ knows while it traces", gcd(Num(threadIdx.x), 4))
WRONG(TwoSwizzles, "make_composed_layout: expects one swizzle at most, but got S<2,0,3> o 0 o (8,4):(1,8)", make_composed_layout(Swizzle<2, 0, 3>{}, 0, composition(Swizzle<2, 0, 3>{}, Layout("(8,4):(1,8)"))))
WRONG(AlignmentOfDynamicLayout, "max_alignment: expects a layout that C++ knows while it traces", max_alignment(x.layout()))
WRONG(CoordinatesOfNumbers, "make_coord_tensor: expects a layout whose strides are bases", make_coord_tensor(Layout("(8,4):(1,8)")))
WRONG(ValuesOfCopyOfSums, "make_tiled_copy_C_atom: expects an atom of at most the 4 values of a thread, but got 8", make_tiled_copy_C_atom(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{})))
WRONG(FragmentsOfDynamicLayout, "thrfrg_A: expects a layout that C++ knows while it traces", make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}).thrfrg_A(x.layout()))
WRONG(ThreadsOfAtom, "make_tiled_copy: expects a multiple of the 32 threads of the atom, but got 16:1", make_tiled_copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Layout("16:1"), Layout("8:1")))
WRONG(ValuesOfAtom, "make_tiled_copy: expects a multiple of the 4 values of the atom, but got 2:1", make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, Layout("32:1"), Layout("2:1")))
WRONG(StepsOfVectors, "copy: expects a source whose modes all step by multiples of the 16 bytes that one instruction moves, but got f32 by (4,2):(1,33)", Tensor t = make_tensor(x.data(), make_shape(4, 2), make_stride(1, 33)); Tensor r = make_fragment_like(t); copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, t, r))
WRONG(DynamicKOfProduct, "gemm: expects a K that C++ knows while it traces, but got (?,?); loop over tiles of it with For", gemm(x, x, make_tensor<float>(make_shape(4, 4))))
WRONG(OrderOfDynamicTuples, "lex_less: expects tuples that C++ knows while it traces, but got (?,?)", lex_less(x.shape(), make_shape(3, 4)))
WRONG(RepeatedByALoop, "operator+: expects operands of one type, but got f32 and i32", for (int i = 0; i < 4; ++i) Num(1.0f) + Num(threadIdx.x))
WRONG(StaticAssertion, "CUTE_STATIC_ASSERT_V: does not hold: eight rows", CUTE_STATIC_ASSERT_V(size<0>(Layout("(8,4):(4,1)")) == 4, "eight rows"))
WRONG(StaticAssertionOfTheDevice, "CUTE_STATIC_ASSERT_V: expects a condition that C++ knows while it traces", CUTE_STATIC_ASSERT_V(size<0>(x) == 4))
WRONG(FillOfUnknownExtents, "fill: expects a static shape, but got (?,?)", fill(x, 1.0f))
WRONG(MaskOfShuffle, "__shfl_sync: expects the mask 0xffffffff: all lanes of the warp take part", __shfl_sync(1, Num(threadIdx.x), 0))
WRONG(RealForWhole, "printf: expects an integer for %04d, but got f32; %f prints it", printf("%04d", x(0, 0)))
WRONG(TextForPrintf, "printf: expects conversions of numbers, such as %d, %x and %5.2f, but got \"%*\" in \"%*d\"", printf("%*d", Num(threadIdx.x)))
WRONG(ComparedDynamicLayouts, "operator==: expects layouts that C++ knows while it traces", (void)(x.layout() == Layout("(8,4):(4,1)")))
WRONG(FactorsOfAnotherRank, "elem_scale: expects a factor for each mode of (2,3), but got (4,5,6)", elem_scale(make_shape(2, 3), make_shape(4, 5, 6)))
WRONG(ModesOfReduction, "batch_reduce: expects modes (reduced, kept), the second with the 2 elements of the result, but got (4,3)", batch_reduce(make_tensor<float>(make_shape(4, 3)), make_tensor<float>(make_shape(2))))
WRONG(ReductionOfUnknownExtents, "reduce: expects a static shape, but got (?,?)", reduce(x, 0.0f))
WRONG(ShapeOfAnyTile, "shape: expects a tiler of extents and layouts, but got _", shape(make_tile(_, _2{})))
WRONG(ModeOfTiler, "get: expects one of the 2 modes of [2:1;4:1], counted from 0, but got 3", get<3>(make_tile(_2{}, _4{})))
WRONG(SumOfTuples, "number: expects one number, but got (8,4)", make_shape(8, 4) + 1)
WRONG(NumbersOfPrintf, "printf: expects a number for each conversion of \"%d of %d\", but got 1 for 2", printf("%d of %d", Num(threadIdx.x)))
WRONG(SharedPointerToGlobal, "make_smem_ptr: expects a pointer to smem, but got one to gmem", make_smem_ptr(x.data()))
WRONG(GlobalPointerToShared, "make_gmem_ptr: expects a pointer to gmem, but got one to smem", make_gmem_ptr<int>(allocate_smem<float>(4)))
WRONG(RegisterPointerToCoordinates, "make_rmem_ptr: expects a pointer to rmem, but got one to coordinates", make_rmem_ptr(make_inttuple_iter(make_coord(0, 0))))
WRONG(PointerNotSet, "make_gmem_ptr: expects a pointer that is set", make_gmem_ptr(Pointer()))
WRONG(SharedAddressOfGlobal, "cast_smem_ptr_to_uint: expects a pointer to smem, but got one to gmem", cast_smem_ptr_to_uint(x.data()))
WRONG(TensorLikeOneOfUnknownShape, "make_layout_like: expects a shape that C++ knows while it traces, but got (?,?)", make_tensor_like(x))
WRONG(TensorLikeCoordinates, "make_tensor_like: expects a tensor of elements; make_tensor_like<T> says which", make_tensor_like(make_identity_tensor(make_shape(8, 4))))
WRONG(AlignedCopyOfUnknownExtents, "copy: expects tensors of known extents", copy_aligned(x, x))
WRONG(ShiftOfFloats, "operator>>: expects integers, but got f32", shiftr(x(0, 0), 3))
WRONG(FastDivisionOfIntegers, "divide_approx: expects floating-point numbers, but got i32", fast_divide(Num(threadIdx.x), 3))
WRONG(MultipleOfDeviceNumbers, "lcm: expects numbers that C++ knows while it traces", lcm(Num(threadIdx.x), 4))
WRONG(RoundedToNothing, "operator/: expects a divisor other than 0", round_up(make_shape(3, 4), make_shape(0, 1)))
WRONG(PartitionShapeOfUnknownExtents, "partition_shape: expects a shape of numbers that are known while the kernel is traced", partition_shape_A(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}), x.shape()))
WRONG(PartitionShapeOfNoProduct, "partition_shape: expects values that are set", partition_shape_B(TiledMMA(), make_shape(32, 16)))
WRONG(TileSizeOfNoProduct, "tile_size: expects values that are set", (void)TiledMMA().tile_size_mnk<0>())
WRONG(SliceOfNoCopy, "partition_S: expects values that are set", TiledCopy().get_thread_slice(threadIdx.x).partition_S(x))
WRONG(BarrierThatThereIsNot, "barriers: expects a number from 0 to 1, but got 2", BarrierArray all = make_barriers(2); all[2].arrive())
WRONG(BarrierOfNobody, "init: expects a number of arrivals from 1 to 1048575, but got 0", make_barriers(2)[0].init(0))
WRONG(PipelineOfNobody, "PipelineTmaAsync: expects arrivals from 1 to 1048575, but got 0", PipelineTmaAsync ring(2, 0, 16); ring.consumer_release(ring.make_consumer_start_state()))
WRONG(NamedBarrierThatThereIsNot, "named_barrier_sync: expects a barrier from 0 to 15, but got 16", named_barrier_sync(16, 64))
WRONG(NamedBarrierOfHalfAWarp, "named_barrier_arrive: expects a multiple of 32 threads, but got 80", named_barrier_arrive(1, 80))
WRONG(GroupsOfCopies, "cp_async_wait: expects a number of pending groups from 0 to 2147483647, but got -1", cp_async_wait(-1))
WRONG(ReductionWithoutAFunction, "block_reduce: expects a function that combines two numbers", block_reduce(1, 64, {}))
WRONG(MoreModesThanAskedOfALayout, "prepend: expects at most 1 mode, but got (8,4):(4,1)", prepend<1>(Layout("(8,4):(4,1)")))
WRONG(TensorMapInAKernel, "make_tma_copy: expects a host function", make_tma_copy(SM90_TMA_LOAD{}, x, Layout("(32,64):(64,1)")))
WRONG(RegistersOfAnOlderTarget, "'nvvm.setmaxregister' op setmaxnreg needs sm_90a", warpgroup_reg_alloc<240>())
WRONG(IterationOfAnotherType, "While: expects a body to leave values of the types that they began with", Num n = 0; While(n, [](Num n) { return n < 1; }, [](Num &n) { n = 1.5f; }))
WRONG(BranchOfAnotherType, "If: expects a body to leave values of the types that they began with", Num n = 0; If(threadIdx.x == 0, n, [](Num &n) { n = 1.5f; }))
WRONG(RecastOfNothing, "recast: expects a tensor that is set", recast<half_t>(Tensor()))
WRONG(FragmentLikeNothing, "make_fragment_like: expects a tensor that is set", make_fragment_like(Tensor()))
WRONG(RawPointerOfNothing, "raw_pointer_cast: expects a pointer that is set", raw_pointer_cast(Pointer()))
WRONG(NegativeSharedMemory, "allocate_smem: expects a number of elements from 0 to 2147483647, but got -4", allocate_smem<float>(-4))
WRONG(TransformWithoutAFunction, "transform: expects a function of elements", transform(make_tensor<float>(make_shape(4)), std::function<Num(Num)>()))
WRONG(VectorReducedWithoutAFunction, "reduce: expects a function that combines two numbers", reduce(make_tensor<float>(make_shape(4)).load(), {}))
WRONG(BarrierBeyondTheReserved, "named_barrier_sync: expects a barrier from 0 to 15, but got 16", NamedBarrier::sync(64, 8))
WRONG(MulticastToTooManyBlocks, "create_tma_multicast_mask: expects a cluster from 1 to 16, but got 32", create_tma_multicast_mask(make_layout(make_shape(8, 4)), make_coord(_, 1)))
WRONG(ClusterBarrierOfAnOlderTarget, "'nvvm.cluster.arrive' op barrier.cluster needs sm_90", cluster_arrive())
WRONG(FunctorOfFloats, "operator&: expects integers, but got f32", bit_and{}(Num(1.0f), 2))
WRONG(MultipleOfNoBasis, "number: expects one number, but got (1,2)", ScaledBasis(make_tuple(1, 2)) * 3)
WRONG(BasisNotSet, "operator*: expects values that are set", ScaledBasis() * 3)
WRONG(PlaceAfterNothing, "offset: expects values that are set", Pointer() + 1)
WRONG(RankOfNothing, "get_layout: expects values that are set", (void)rank(Tensor()))
WRONG(NegationOfATuple, "number: expects one number, but got (1,2)", !make_shape(1, 2))
WRONG_ON("sm_90a", RegistersByEight, "set_max_registers: 'nvvm.setmaxregister' op new register size must be multiple of 8", warpgroup_reg_alloc<241>())
WRONG_ON("sm_90a", FewRegisters, "set_max_registers: 'nvvm.setmaxregister' op new register size must be in between 24 to 256", warpgroup_reg_dealloc<16>())
WRONG_ON("sm_90a", GroupsOfProducts, "warpgroup_wait: expects a number of pending groups from 0 to 7, but got 8", warpgroup_wait<8>())
WRONG_ON("sm_90a", GroupsOfStores, "tma_store_wait: expects a number of pending groups", tma_store_wait<-1>())
WRONG_ON("sm_90a", BlockOfGlobalMemory, "map_to_rank: 'cute_nvgpu.arch.map_dsmem_ptr' op expects ptr in smem, but got gmem", map_to_block(x.data(), 0))
// clang-format on

TEST(Wrong, ValueOfALoopThatHasEnded) {
  unsigned line = 0;
  Outcome found = outcomeOf([&](Tensor x) {
    Num last;
    For(4, [&](Num i) { last = i + 1; });
    line = __LINE__ + 1;
    x(last, 0) = 1.0f;
  });
  expectOne(found, line, "store: expects a value that is there where the call is written");
}

TEST(Wrong, AllAreFoundAndWhatFollowsIsSilent) {
  unsigned first = 0, second = 0;
  Outcome found = outcomeOf([&](Tensor x) {
    first = __LINE__ + 1;
    Num bad = Num(1.0f) + Num(threadIdx.x);
    Num more = exp(bad) * 2 + x(0, 0);
    If(more > 0.0f, [&] {
      second = __LINE__ + 1;
      (void)composition(Layout("(3,5):(1,7)"), Layout("4:2"));
    });
    x(0, 0) = more;
  });
  ASSERT_EQ(found.diagnostics.size(), 2u) << found.text();
  EXPECT_EQ(found.diagnostics[0].line, first);
  EXPECT_EQ(found.diagnostics[1].line, second);
}

namespace {
LaunchConfig refusedConfig;
constexpr unsigned launchLine = __LINE__ + 3;
void refusedHost(Tensor x) {
  body = [](Tensor) {};
  launch(device, {refusedConfig.grid, 32, refusedConfig.cluster_x}, x);
}
} // namespace
/// What a device refuses when the call is made has the line of the launch.
TEST(Wrong, LaunchesThatADeviceRefuses) {
  alignas(16) static float numbers[32 * 64];
  struct Case {
    Dim3 grid;
    int cluster;
    const char *text;
  };
  for (const Case &c :
       {Case{{-1}, 1, "the grid is (-1, 1, 1)"}, Case{{1, 70000}, 1, "the grid is (1, 70000, 1)"},
        Case{{4}, 3, "the grid (4, 1, 1) is not a multiple of the cluster (3, 1, 1)"}}) {
    refusedConfig = {.grid = c.grid, .cluster_x = c.cluster};
    Outcome found = kernel(refusedHost, "refused",
                           "sm_90a")(simulator(), tessera::tile::view(numbers, {32, 64}));
    expectOne(found, launchLine, "launch of @kernels::@refused_kernel: ");
    EXPECT_NE(found.text().find(c.text), std::string::npos) << found.text();
  }
}

TEST(Wrong, HostFunctionWithoutALaunch) {
  std::string ptx;
  unsigned line = __LINE__ + 1;
  Outcome found = kernel(+[](Num) {}, "nothing").ptx(ptx, 1.0f);
  expectOne(found, line, "host function 'nothing' launches no kernel");
}

namespace {
/// A host function that does something wrong, and launches.
std::function<void(Tensor)> hostBody;
void wrongHost(Tensor x) {
  hostBody(x);
  body = [](Tensor) {};
  launch(device, {.block = 128}, x);
}
Outcome outcomeOfHost(std::function<void(Tensor)> does, const char *arch = "sm_80") {
  hostBody = std::move(does);
  alignas(16) static float numbers[32 * 64];
  return kernel(wrongHost, "k", arch)(simulator(), tessera::tile::view(numbers, {32, 64}));
}
} // namespace
TEST(Wrong, DeviceThingsInAHostFunction) {
  unsigned line = 0;
  auto stores = [&](Tensor x) {
    line = __LINE__ + 1;
    x(0, 0) = 1.0f;
  };
  expectOne(outcomeOfHost(stores), line, "host function: 'cute.memref.store' is for kernels");
  auto asks = [&](Tensor x) {
    line = __LINE__ + 1;
    Num thread = threadIdx.x;
    launch(device, {.grid = {thread}, .block = 32}, x);
  };
  expectOne(outcomeOfHost(asks), line, "host function: 'nvvm.read.ptx.sreg.tid.x' is for kernels");
  auto prints = [](Tensor x) { host_check(size<0>(x) == 32, "32 rows"); };
  EXPECT_TRUE(outcomeOfHost(prints)) << outcomeOfHost(prints).text();
}
TEST(Wrong, ClustersOnAnOlderTarget) {
  unsigned line = 0;
  auto launches = [&](Tensor x) {
    line = __LINE__ + 1;
    launch(device, {.grid = {4}, .block = 32, .cluster_x = 2}, x);
  };
  expectOne(outcomeOfHost(launches), line,
            "launch: expects blocks without clusters on sm_80, as those need sm_90 or later, but "
            "got clusters of 2 x 1");
  EXPECT_TRUE(outcomeOfHost(launches, "sm_90")) << outcomeOfHost(launches, "sm_90").text();
}
TEST(Wrong, NamesThatPtxDoesNotHave) {
  float number[4] = {};
  auto x = tessera::tile::view(number, {4});
  body = [](Tensor) {};
  for (const char *name : {"", "my kernel", "7up", "a-b"}) {
    unsigned line = __LINE__ + 1;
    Outcome found = kernel(host, name)(simulator(), x);
    expectOne(found, line, "expects the name of a kernel to be letters, digits and _");
  }
  auto named = [](Tensor x) { launch(device, {.block = 32, .name = "my kernel"}, x); };
  EXPECT_NE(outcomeOfHost(named).text().find("'my kernel'"), std::string::npos);
}
TEST(Wrong, Arguments) {
  alignas(16) static float numbers[16];
  auto takesTensor = kernel(host, "k");
  auto takesNumber = kernel(+[](Num, Tensor x) { launch(device, {.block = 32}, x); }, "k");
  body = [](Tensor) {};
  using tessera::tile::view;
  auto text = [&](Outcome found) {
    EXPECT_EQ(found.diagnostics.size(), 1u) << found.text();
    return found.diagnostics.empty() ? std::string() : found.diagnostics[0].text;
  };
  EXPECT_EQ(text(takesTensor(simulator(), 1.0f)),
            "argument 1: the parameter is a Tensor and takes an array, but got a number");
  EXPECT_EQ(text(takesNumber(simulator(), view(numbers, {4}), view(numbers, {4}))),
            "argument 1: the parameter is a Num and takes a number, but got an array");
  EXPECT_EQ(text(takesTensor(simulator(), view<float>(nullptr, {4}))),
            "argument 1: expects the address of an array, but got a null pointer");
  EXPECT_EQ(text(takesTensor(simulator(), view(numbers, {-4}))),
            "argument 1: expects extents from 0 to 2147483647 and strides from 0, but mode 0 has "
            "-4:1");
  EXPECT_EQ(text(takesTensor(simulator(), view(numbers, {4}, {-1}))),
            "argument 1: expects extents from 0 to 2147483647 and strides from 0, but mode 0 has "
            "4:-1");
  EXPECT_EQ(text(takesTensor(simulator(), view(numbers, {4}, {int64_t(1) << 60}))),
            "argument 1: expects at most 140737488355328 bytes from the first to the last element");
  EXPECT_EQ(text(takesTensor(simulator(), view(numbers + 1, {4}))),
            "argument 1: expects an array at a multiple of 16 bytes");
  alignas(16) bool truths[4] = {};
  EXPECT_EQ(
      text(takesTensor(simulator(), std::span<bool>(truths))),
      "argument 1: memory has no booleans of one bit: pass an array of uint8_t, and compare its "
      "elements with 0");
  EXPECT_TRUE(takesTensor(simulator(), view<float>(nullptr, {0})));
  EXPECT_TRUE(takesNumber(simulator(), 1.0f, view(numbers, {4})));
}
TEST(Wrong, AKernelThatThrowsMayBeCalledAgain) {
  bool throws = true;
  body = [&](Tensor) {
    if (throws)
      throw 7;
  };
  alignas(16) static float numbers[4];
  auto k = kernel(host, "k");
  EXPECT_THROW(k(simulator(), tessera::tile::view(numbers, {4})), int);
  // Nothing is traced now, so that a launch is a mistake of nobody.
  launch(device, {.block = 32}, Tensor());
  throws = false;
  Outcome done = k(simulator(), tessera::tile::view(numbers, {4}));
  EXPECT_TRUE(done) << done.text();
}
TEST(Wrong, ArchitectureThatThereIsNot) {
  std::string ptx;
  Outcome found = kernel(+[](Num) {}, "nothing", "sm_7").ptx(ptx, 1.0f);
  ASSERT_EQ(found.diagnostics.size(), 1u);
  EXPECT_NE(found.diagnostics[0].text.find("sm_7"), std::string::npos);
}
/// A race is found by the sanitizer, with the line that wrote.
TEST(Wrong, RaceOnTheSimulator) {
  unsigned line = 0;
  body = [&](Tensor x) {
    Tensor s = make_smem_tensor<float>(Layout("128:1"));
    s(Num(threadIdx.x)) = 1.0f;
    line = __LINE__ + 1;
    x(0, Num(threadIdx.x) % 64) = s(127 - Num(threadIdx.x));
  };
  alignas(16) static float numbers[32 * 64];
  Outcome found = kernel(host, "race")(simulator(), tessera::tile::view(numbers, {32, 64}));
  ASSERT_FALSE(found);
  EXPECT_NE(found.text().find("WrongTest.cpp:" + std::to_string(line)), std::string::npos)
      << found.text();
}
