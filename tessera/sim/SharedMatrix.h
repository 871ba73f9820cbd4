// SharedMatrix: reads a matrix from a block's shared memory, by a descriptor of wgmma or tcgen05.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Mma.h"

namespace tessera::sim {

class SharedMatrix {
public:
  SharedMatrix(Warp &w, const Cta &cta, atom::DescriptorKind kind, const atom::Operand &operand,
               atom::Major major, int lane = 0)
      : w(w), cta(cta), kind(kind), operand(operand), major(major), lane(lane) {}

  static constexpr uint32_t unitBytes = 16;

  /// Calls f(bytes, address, row, unit) for each unit of 16 bytes, as long as it returns true.
  /// False after a fault of the warp.
  template <class F> bool units(uint64_t word, size_t mn, size_t k, F f) {
    Result<atom::SmemMatrix> matrix = atom::smemMatrix(kind, word, major);
    if (!matrix) {
      bool isWgmma = kind == atom::DescriptorKind::Wgmma;
      return w.fault(lane, isWgmma ? Error::GroupDescriptor : Error::TensorProduct,
                     matrix.reason().text),
             false;
    }
    bool inK = major == atom::Major::K;
    size_t rows = inK ? mn : k, units = (inK ? k : mn) / perUnit();
    for (size_t r = 0; r < rows; ++r)
      for (size_t u = 0; u < units; ++u) {
        uint32_t address = matrix->address(int64_t(r), int64_t(u)) + (cta.rank << clusterRankShift);
        Access access =
            kind == atom::DescriptorKind::Wgmma ? Access::GroupRead : Access::TensorRead;
        const std::byte *from = w.locate(Space::Shared, address, unitBytes, access, lane);
        if (!from || !f(from, address, r, u))
          return false;
      }
    return true;
  }
  /// Calls f(m or n, k, values, count) for each unit; the values are adjacent along the major mode.
  template <class F> bool read(uint64_t word, size_t mn, size_t k, F f) {
    // Numbers of 4 and 6 bits that count as bytes are packed at the low end of their 16 bytes. PTX
    // ISA 9.7.16.5.
    atom::PackedFormat format = operand.containerBits != 8         ? atom::PackedFormat::None
                                : atom::bits(operand.element) == 6 ? atom::PackedFormat::B6x16P32
                                : atom::bits(operand.element) == 4 ? atom::PackedFormat::B4x16P64
                                                                   : atom::PackedFormat::None;
    bool inK = major == atom::Major::K;
    size_t count = perUnit();
    double values[128];
    uint8_t unpacked[unitBytes];
    return units(word, mn, k, [&](const std::byte *from, uint32_t, size_t r, size_t u) {
      if (format != atom::PackedFormat::None)
        unpack(format, from, unpacked), from = reinterpret_cast<const std::byte *>(unpacked);
      decode(operand, from, count, values);
      inK ? f(r, u * count, values, count) : f(u * count, r, values, count);
      return true;
    });
  }

private:
  size_t perUnit() const { return unitBytes * 8 / size_t(operand.storedBits()); }

  Warp &w;
  const Cta &cta;
  atom::DescriptorKind kind;
  const atom::Operand &operand;
  atom::Major major;
  int lane;
};

} // namespace tessera::sim
