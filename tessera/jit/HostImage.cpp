// Host code as texts that can be kept, and the machine it is for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/HostCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"

using namespace tessera;
using namespace tessera::jit;

/// The object, then three texts for each function.
std::vector<std::string> HostImage::parts() const {
  std::vector<std::string> parts = {object};
  for (const HostFunction &function : functions)
    for (const std::string &text :
         {function.name, std::to_string(function.parameters), function.result})
      parts.push_back(text);
  return parts;
}

std::optional<HostImage> HostImage::from(std::span<const std::string> parts) {
  if (parts.size() % 3 != 1)
    return std::nullopt;
  HostImage image;
  image.object = parts[0];
  for (size_t i = 1; i < parts.size(); i += 3) {
    HostFunction function{.name = parts[i], .result = parts[i + 2]};
    if (!llvm::to_integer(parts[i + 1], function.parameters))
      return std::nullopt;
    image.functions.push_back(std::move(function));
  }
  return image;
}

std::string tessera::jit::hostMachine() {
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return "";
  }
  return cat(machine->getTargetTriple().str(), " ", machine->getCPU(), " ",
             machine->getFeatures().getString());
}
