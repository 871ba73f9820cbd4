// Device and host code of a file, kept together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/RunCode.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::cli;

namespace {

using Parts = std::vector<std::string>;
constexpr size_t fields = 3; // of a DeviceImage

/// What was said, how many device images, three texts for each, the host's.
Parts partsOf(const std::string &said, const RunCode &code) {
  Parts parts = {said, std::to_string(code.images.size())};
  for (const program::DeviceImage &image : code.images)
    for (const std::string &text : {image.module, image.code, image.log})
      parts.push_back(text);
  llvm::append_range(parts, code.host.image().parts());
  return parts;
}

std::optional<RunCode> codeFrom(std::span<const std::string> parts) {
  size_t images;
  if (parts.size() < 2 || !llvm::to_integer(parts[1], images) ||
      images > (parts.size() - 2) / fields)
    return std::nullopt;
  std::vector<program::DeviceImage> device;
  for (size_t i = 2; i < 2 + images * fields; i += fields)
    device.push_back({parts[i], parts[i + 1], parts[i + 2]});
  std::optional<jit::HostImage> host = jit::HostImage::from(parts.subspan(2 + images * fields));
  if (!host)
    return std::nullopt;
  Result<jit::HostCode> loaded = jit::HostCode::load(*host);
  if (!loaded)
    return std::nullopt;
  return RunCode{std::move(device), std::move(*loaded)};
}

} // namespace

Result<RunCode> tessera::cli::codeOf(Session &session, CompileCache &cache,
                                     const driver::CompileOptions &options) {
  cache::KeyOf key = cache.keyOf("run");
  driver::addOptions(key.add("host", jit::hostMachine()), options);
  if (std::optional<Parts> kept = cache.find(key))
    if (std::optional<RunCode> code = codeFrom(*kept)) {
      llvm::errs() << kept->front();
      return std::move(*code);
    }
  // Reading said the rest, as it does every time.
  size_t before = session.said().size();
  TESSERA_TRY(RunCode code, program::codeOf(session.compiler, *session.module, options));
  Parts parts = partsOf(session.said().substr(before), code);
  cache.put(key, {parts.begin(), parts.end()});
  return code;
}
