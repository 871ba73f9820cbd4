// Which GEMM a target has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Activation.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmType.h"
#include "tessera/kernels/sm100/Gemm.h"
#include "tessera/kernels/sm80/Gemm.h"
#include "tessera/kernels/sm90/Gemm.h"

using namespace tessera;
using namespace tessera::kernels;

static const GemmKernel &kernelOf(const GemmConfig &c) {
  return c.hasTensorMemory()     ? sm100::gemmKernel
         : c.multipliesByWarps() ? sm80::gemmKernel
                                 : sm90::gemmKernel;
}

int GemmConfig::tileK() const { return kernelOf(*this).tileK(*this); }
int64_t GemmConfig::smemBytes() const { return kernelOf(*this).smemBytes(*this); }
int GemmConfig::teamsOfSlices() const { return kernelOf(*this).teamsOfSlices; }

std::optional<Reason> kernels::refused(const GemmConfig &c) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  if (auto why = refusedTypes(c))
    return why;
  if (!c.multipliesByWarps() && !c.hasTensorMemory() && !hasGroupMma(c.target))
    return fail(Error::GemmTarget, c.target.str());
  if (!among(c.major, "kk", "km", "mk", "mm"))
    return fail(Error::GemmMajor, c.major);
  if (!c.hasTensorMemory() && findGemmType(c.a)->bits() != 16 && c.major != "kk")
    return fail(Error::GemmMajorBits, c.major);
  if (!among(c.bias, "none", "f32", c.d))
    return fail(Error::GemmBias, c.d, c.bias);
  if (!findActivation(c.activation))
    return fail(Error::GemmActivation, c.activation);
  return kernelOf(c).refused(c);
}

void kernels::buildGemm(const GemmConfig &config) { kernelOf(config).build(config); }
