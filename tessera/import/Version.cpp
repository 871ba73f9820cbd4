// The table of versions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Version.h"

#include "tessera/cute/Cute.h"

using namespace mlir;

namespace tessera::import {

namespace {
/// Until 4.3, `get_iter` of a coordinate tensor is an int_tuple.
Type tupleOfIterator(Type ours) {
  auto iterator = dyn_cast<cute::ArithTupleIterType>(ours);
  return iterator ? cute::IntTupleType::get(ours.getContext(), iterator.getValue()) : ours;
}
constexpr ResultRow tupleIterators[] = {{"cute.get_iter", tupleOfIterator}};

constexpr StringLiteral marks41[] = {"gpu.launch_func", ", row_major :", "internal_val_type ="};
constexpr StringLiteral marks43[] = {"cuda.kernel", "cuda.launch_ex"};
constexpr StringLiteral marks44[] = {
    "arith_tuple_iter", "tma_format =", "cuda.launch_cfg.programmatic_stream_serialization_allowed",
    "cuda.launch_cfg.cooperative"};
constexpr StringLiteral marks45[] = {
    "cute.kernel_smem_size", "smem.partition_num", "smem.partition_id", "cute.memref.alloc_smem",
    "tma_reduce_kind",       "max_attrs = 17",     "atom.set_value<"};
constexpr StringLiteral marks46[] = {"smem.merge_branch_allocs",
                                     "cuda.launch_cfg.shared_mem_carveout"};

constexpr Version table[] = {
    {"4.1", "4.0, 4.1", marks41, tupleIterators},
    {"4.2", "4.2", {}, tupleIterators},
    {"4.3", "4.3", marks43, tupleIterators},
    {"4.4", "4.4", marks44},
    {"4.5", "4.5", marks45},
    {"4.6", "4.6, 4.7, 4.8", marks46},
};
} // namespace

ArrayRef<Version> versions() { return table; }

const Version *versionNamed(StringRef name) {
  // "4.3.3" is a patch of 4.3.
  auto [major, rest] = name.split('.');
  StringRef minor = rest.split('.').first;
  for (const Version &version : table) {
    SmallVector<StringRef> releases;
    version.releases.split(releases, ", ");
    if (llvm::is_contained(releases, (major + "." + minor).str()))
      return &version;
  }
  return nullptr;
}

SmallVector<Recognised> candidates(StringRef text, const Version *given) {
  if (given)
    return {{given, {}}};
  SmallVector<Recognised> all{recognise(text)};
  for (const Version &version : llvm::reverse(versions()))
    if (llvm::none_of(all, [&](const Recognised &other) {
          return other.version->results.data() == version.results.data();
        }))
      all.push_back({&version, {}});
  return all;
}

Recognised recognise(StringRef text) {
  for (const Version &version : llvm::reverse(table))
    for (StringRef mark : version.marks)
      if (text.contains(mark))
        return {&version, mark};
  return {&std::rbegin(table)[0], {}};
}

} // namespace tessera::import
