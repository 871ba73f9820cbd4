// The C API of the simulator: each function checks its arguments, calls the C++ one, and turns
// reasons into errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/simc/Handles.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::simc;

bool simc::has(TesseraSimError **error, const char *function,
               std::initializer_list<std::pair<const void *, const char *>> arguments) {
  for (auto [pointer, what] : arguments)
    if (!pointer)
      return refuse(error, simc::fail(simc::Error::NullArgument, function, what)), false;
  return true;
}
bool simc::done(TesseraSimError **error, const Status &status) {
  if (!status)
    refuse(error, status.reason());
  return bool(status);
}

namespace {

/// Null after a refusal.
const sim::Function *kernelOf(const sim::Program &program, const char *name,
                              TesseraSimError **error) {
  const sim::Function *kernel = program.findKernel(name);
  if (kernel)
    return kernel;
  std::string names;
  for (std::string_view other : program.kernels())
    names += cat(names.empty() ? "'" : ", '", other, "'");
  refuse(error, sim::fail(sim::Error::NoKernel, name, names.empty() ? "none" : names));
  return nullptr;
}

sim::Dim3 extents(const uint32_t (&of)[3]) { return {of[0], of[1], of[2]}; }

} // namespace

//===--- Errors

const char *tesseraSimErrorId(const TesseraSimError *error) { return idOf(error); }
const char *tesseraSimErrorText(const TesseraSimError *error) { return textOf(error); }
void tesseraSimErrorDestroy(TesseraSimError *error) { destroyError(error); }

//===--- Programs

TesseraSimProgram *tesseraSimProgramParse(const char *text, size_t length,
                                          TesseraSimError **error) {
  return guarded(error, [&]() -> TesseraSimProgram * {
    if (!has(error, __func__, {{text, "a text"}}))
      return nullptr;
    Result<sim::Program> parsed = sim::Program::parse(std::string(text, length));
    if (!parsed)
      return refuse(error, parsed.reason()), nullptr;
    auto out = std::make_unique<TesseraSimProgram>();
    out->program = std::make_shared<const sim::Program>(*std::move(parsed));
    for (std::string_view name : out->program->kernels())
      out->names.emplace_back(name);
    return out.release();
  });
}
void tesseraSimProgramDestroy(TesseraSimProgram *program) { delete program; }
size_t tesseraSimKernelCount(const TesseraSimProgram *program) {
  return program ? program->names.size() : 0;
}
const char *tesseraSimKernelName(const TesseraSimProgram *program, size_t kernel) {
  return program && kernel < program->names.size() ? program->names[kernel].c_str() : nullptr;
}
size_t tesseraSimParameterCount(const TesseraSimProgram *program, const char *name) {
  const sim::Function *kernel = program && name ? program->program->findKernel(name) : nullptr;
  return kernel ? kernel->parameters.size() : 0;
}
bool tesseraSimParameter(const TesseraSimProgram *program, const char *name, size_t index,
                         TesseraSimParameter *to, TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimParameter",
             {{program, "a program"},
              {name, "the name of a kernel"},
              {to, "a place for the parameter"}}))
      return false;
    const sim::Function *kernel = kernelOf(*program->program, name, error);
    if (!kernel)
      return false;
    if (index >= kernel->parameters.size())
      return refuse(error,
                    simc::fail(simc::Error::NoParameter, name, kernel->parameters.size(), index)),
             false;
    const sim::Parameter &parameter = kernel->parameters[index];
    *to = {parameter.name.c_str(), parameter.offset, parameter.size};
    return true;
  });
}

//===--- Machines and memory

TesseraSimLimits tesseraSimDefaultLimits(void) {
  sim::Limits l;
  return {l.instructions, l.globalBytes, l.sharedBytes, l.localBytes,
          l.hostThreads,  l.lateCopies,  false};
}
TesseraSimMachine *tesseraSimMachineCreate(const TesseraSimLimits *limits,
                                           TesseraSimError **error) {
  return guarded(error, [&] {
    TesseraSimLimits given = limits ? *limits : tesseraSimDefaultLimits();
    sim::Limits l;
    l.instructions = given.instructions;
    l.globalBytes = given.global_bytes;
    l.sharedBytes = given.shared_bytes;
    l.localBytes = given.local_bytes;
    l.hostThreads = given.host_threads;
    l.lateCopies = given.late_copies;
    auto launches = std::make_shared<Launches>(given.sanitize);
    return new TesseraSimMachine{launches, sim::Machine(l, launches), sim::Streams(), ""};
  });
}
void tesseraSimMachineDestroy(TesseraSimMachine *machine) { delete machine; }

bool tesseraSimAllocate(TesseraSimMachine *machine, uint64_t bytes, uint64_t *address,
                        TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimAllocate",
             {{machine, "a machine"}, {address, "a place for the address"}}))
      return false;
    Result<uint64_t> made = machine->machine.memory().allocate(bytes);
    if (!made)
      return refuse(error, made.reason()), false;
    *address = *made;
    return true;
  });
}
bool tesseraSimFree(TesseraSimMachine *machine, uint64_t address, TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimFree", {{machine, "a machine"}}) &&
           done(error, machine->machine.memory().free(address));
  });
}
bool tesseraSimWrite(TesseraSimMachine *machine, uint64_t to, const void *from, size_t bytes,
                     TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimWrite", {{machine, "a machine"}, {bytes ? from : "", "bytes"}}) &&
           done(error,
                machine->machine.memory().write(to, {static_cast<const std::byte *>(from), bytes}));
  });
}
bool tesseraSimRead(TesseraSimMachine *machine, void *to, uint64_t from, size_t bytes,
                    TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimRead",
               {{machine, "a machine"}, {bytes ? to : "", "a place for bytes"}}) &&
           done(error, machine->machine.memory().read({static_cast<std::byte *>(to), bytes}, from));
  });
}

//===--- Running

TesseraSimModule *tesseraSimModuleLoad(TesseraSimMachine *machine, const TesseraSimProgram *program,
                                       TesseraSimError **error) {
  return guarded(error, [&]() -> TesseraSimModule * {
    if (!has(error, "tesseraSimModuleLoad", {{machine, "a machine"}, {program, "a program"}}))
      return nullptr;
    Result<sim::LoadedProgram> loaded = machine->machine.load(program->program);
    if (!loaded)
      return refuse(error, loaded.reason()), nullptr;
    return new TesseraSimModule{*machine, *std::move(loaded)};
  });
}
void tesseraSimModuleDestroy(TesseraSimModule *module) {
  guarded(nullptr, [&] { return module && module->owner.machine.unload(module->loaded).ok(); });
  delete module;
}
bool tesseraSimSymbol(const TesseraSimModule *module, const char *name, uint64_t *address,
                      TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimSymbol",
             {{module, "a module"}, {name, "a name"}, {address, "a place for the address"}}))
      return false;
    Result<uint64_t> found = module->owner.machine.address(module->loaded, name);
    if (!found)
      return refuse(error, found.reason()), false;
    *address = *found;
    return true;
  });
}

std::optional<Launch> simc::launchOf(TesseraSimModule *module, const char *name,
                                     const TesseraSimLaunch *launch, const void *const *arguments,
                                     size_t count, const char *function, TesseraSimError **error) {
  if (!has(error, function,
           {{module, "a module"},
            {name, "the name of a kernel"},
            {launch, "a launch"},
            {count ? (const void *)arguments : "", "arguments"}}))
    return std::nullopt;
  const sim::Function *kernel = kernelOf(*module->loaded.program, name, error);
  if (!kernel)
    return std::nullopt;
  if (count != kernel->parameters.size())
    return refuse(error,
                  simc::fail(simc::Error::ArgumentCount, name, kernel->parameters.size(), count)),
           std::nullopt;
  Launch made{name,
              {.grid = extents(launch->grid),
               .block = extents(launch->block),
               .cluster = {},
               .dynamicShared = launch->dynamic_shared},
              std::vector<std::byte>(kernel->parameterBytes)};
  if (launch->cluster[0])
    made.config.cluster = extents(launch->cluster);
  for (size_t i = 0; i < count; ++i) {
    if (!has(error, function, {{arguments[i], "a pointer to each argument"}}))
      return std::nullopt;
    std::copy_n(static_cast<const std::byte *>(arguments[i]), kernel->parameters[i].size,
                made.parameters.begin() + kernel->parameters[i].offset);
  }
  return made;
}

bool tesseraSimLaunch(TesseraSimModule *module, const char *name, const TesseraSimLaunch *launch,
                      const void *const *arguments, size_t count, TesseraSimError **error) {
  return guarded(error, [&] {
    std::optional<Launch> made =
        launchOf(module, name, launch, arguments, count, "tesseraSimLaunch", error);
    return made && done(error, module->owner.machine.launch(module->loaded, made->kernel,
                                                            made->config, made->parameters));
  });
}

TesseraSimStatistics tesseraSimLastLaunch(const TesseraSimMachine *machine) {
  if (!machine)
    return {0, 0};
  return {machine->machine.statistics().warpInstructions,
          machine->machine.statistics().threadInstructions};
}
const char *tesseraSimTakeOutput(TesseraSimMachine *machine) {
  if (!machine)
    return "";
  machine->output.clear();
  guarded(nullptr, [&] {
    machine->output = machine->machine.takeOutput();
    return true;
  });
  return machine->output.c_str();
}
