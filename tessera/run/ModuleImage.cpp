// Inspects PTX text and cubins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/ModuleImage.h"

#include "tessera/base/Printable.h"
#include "tessera/cubin/Cubin.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Parser.h"

#include <algorithm>

namespace tessera::run {

namespace {

Result<ModuleImage> inspectPtx(std::string_view text) {
  size_t nul = text.find('\0');
  // A terminating NUL is common in embedded text and harmless.
  if (nul != std::string_view::npos && text.find_first_not_of('\0', nul) != std::string_view::npos)
    return fail(Error::PtxNul, nul);
  text = text.substr(0, nul);
  ModuleImage out{ImageKind::Ptx, {}};
  ptx_text::Lexer lexer(text);
  Result<ptx_text::Token> first = lexer.next();
  if (!first || !first->is(".version"))
    return fail(Error::NotCode, printable(text.substr(0, std::min<size_t>(text.find('\n'), 40))));
  TESSERA_TRY(ptx_text::Outline outline, ptx_text::outlineOf(text));
  out.kernels.assign(outline.kernels.begin(), outline.kernels.end());
  return out;
}

} // namespace

Result<ModuleImage> inspectImage(std::span<const std::byte> image) {
  if (!cubin::isElf(image))
    return inspectPtx({reinterpret_cast<const char *>(image.data()), image.size()});
  TESSERA_TRY(std::vector<std::string> kernels, cubin::kernelsOf(image));
  return ModuleImage{ImageKind::Cubin, std::move(kernels)};
}

} // namespace tessera::run
