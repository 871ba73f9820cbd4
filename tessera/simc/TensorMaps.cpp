// Tensor maps of tessera-c/Sim.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMap.h"
#include "tessera/simc/Handles.h"

#include <algorithm>
#include <cstring>

using namespace tessera;
using namespace tessera::simc;

namespace {

struct InterleaveRow {
  std::string_view name;
  atom::TensorMapInterleave interleave;
};
constexpr InterleaveRow interleaves[] = {{"NONE", atom::TensorMapInterleave::None},
                                         {"16B", atom::TensorMapInterleave::B16},
                                         {"32B", atom::TensorMapInterleave::B32}};
struct PromotionRow {
  std::string_view name;
  atom::TensorMapPromotion promotion;
};
constexpr PromotionRow promotions[] = {{"NONE", atom::TensorMapPromotion::None},
                                       {"L2_64B", atom::TensorMapPromotion::B64},
                                       {"L2_128B", atom::TensorMapPromotion::B128},
                                       {"L2_256B", atom::TensorMapPromotion::B256}};

/// The row with a name, NONE without; null after a refusal.
template <class Rows>
auto rowNamed(const Rows &rows, const char *name, const char *what, TesseraSimError **error) {
  std::string_view given = name ? name : "NONE";
  auto found = std::ranges::find(rows, given, [](const auto &row) { return row.name; });
  if (found != std::end(rows))
    return &*found;
  std::string names;
  for (const auto &row : rows)
    names += cat(names.empty() ? "" : ", ", row.name);
  refuse(error, simc::fail(simc::Error::TensorMapName, what, names, given));
  return decltype(&*found)(nullptr);
}

} // namespace

bool tesseraSimTensorMapEncode(const TesseraSimTensorMap *of, void *to, TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimTensorMapEncode",
             {{of, "a tensor map"},
              {to, "a place for 128 bytes"},
              {of ? of->type : "", "the name of a type"}}))
      return false;
    if (of->rank < 1 || of->rank > atom::TensorMap::maxRank)
      return refuse(error,
                    simc::fail(simc::Error::TensorMapRank, atom::TensorMap::maxRank, of->rank)),
             false;
    auto *type = rowNamed(atom::tensorMapTypes(), of->type, "type", error);
    auto *interleave = type ? rowNamed(interleaves, of->interleave, "interleave", error) : nullptr;
    auto *swizzle =
        interleave ? rowNamed(atom::tensorMapSwizzles(), of->swizzle, "swizzle", error) : nullptr;
    auto *promotion = swizzle ? rowNamed(promotions, of->promotion, "promotion", error) : nullptr;
    if (!promotion)
      return false;
    atom::TensorMap map{
        .kind = of->pixels ? atom::TensorMapKind::Im2col : atom::TensorMapKind::Tiled,
        .type = type->type,
        .rank = of->rank,
        .address = of->address,
        .channels = of->channels,
        .pixels = of->pixels,
        .interleave = interleave->interleave,
        .swizzle = swizzle->swizzle,
        .promotion = promotion->promotion,
        .fill = of->fills_nan ? atom::TensorMapFill::NaN : atom::TensorMapFill::Zeros};
    std::copy_n(of->extents, of->rank, map.dims.begin());
    std::copy_n(of->strides, of->rank - 1, map.strides.begin());
    for (uint32_t mode = 0; mode < of->rank; ++mode)
      map.steps[mode] = std::max(of->element_strides[mode], 1u);
    if (of->pixels) {
      std::ranges::copy(of->lower, map.lower.begin());
      std::ranges::copy(of->upper, map.upper.begin());
    } else {
      std::copy_n(of->box, of->rank, map.box.begin());
    }
    Result<atom::TensorMapImage> image = atom::encode(map);
    if (!image)
      return refuse(error, image.reason()), false;
    std::memcpy(to, image->words.data(), sizeof(image->words));
    return true;
  });
}
