// tessera devices, and which one runs what.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/run/SimDevice.h"

#include <CLI/CLI.hpp>

#include <cstdio>

using namespace tessera;
using namespace tessera::cli;

Result<std::unique_ptr<run::Device>>
tessera::cli::openDevice(const std::string &name, const sim::Limits &limits,
                         std::shared_ptr<sim::Observer> observer) {
  if (name == "sim")
    return std::unique_ptr<run::Device>(
        std::make_unique<run::SimDevice>(limits, std::move(observer)));
  return run::openCudaDevice();
}

static int listDevices() {
  Result<std::unique_ptr<run::Device>> device = run::openCudaDevice();
  if (!device)
    return fail(device.reason().text, NoDevice);
  const run::DeviceInfo &info = (*device)->info();
  std::printf("%s  %s  %lld multiprocessors  %lld MiB  driver for CUDA %s\n", info.target().c_str(),
              info.name.c_str(), (long long)info.multiprocessors,
              (long long)(info.globalBytes >> 20), info.driverVersionText().c_str());
  return Right;
}

void tessera::cli::addDevices(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand(
      "devices", "Shows the GPU that `tessera run` would use; exit code 3 if none");
  addTimeout(*command);
  command->callback([&exit] { exit = listDevices(); });
}
