// Programs, their kernels and calls for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Ready.h"
#include "tessera/program_capi/Handles.h"

#include <algorithm>
#include <cstring>

using namespace tessera;
using program::Callable;
using program_capi::Error;

namespace {

static_assert(sizeof(TesseraTensor) == sizeof(run::DlTensor));
static_assert(offsetof(TesseraTensor, shape) == offsetof(run::DlTensor, shape));
static_assert(offsetof(TesseraTensor, byte_offset) == offsetof(run::DlTensor, byteOffset));

std::string textOr(const char *text) { return text ? text : ""; }

program::LoadOptions optionsOf(const TesseraLoadOptions *given) {
  program::LoadOptions options;
  if (!given)
    return options;
  options.arch = textOr(given->arch);
  options.inputVersion = textOr(given->input_version);
  if (given->cache_folder)
    options.cacheFolder = given->cache_folder;
  options.reinfer = given->reinfer;
  options.checkLayoutAssumptions = given->check_assumptions;
  options.noHostCode = given->no_host_code;
  options.compileTimeout = given->compile_timeout;
  return options;
}

TesseraProgram *handleOf(Result<std::shared_ptr<program::Program>> loaded, TesseraError **error) {
  if (!loaded)
    return refuse(error, loaded.reason()), nullptr;
  auto handle = std::make_unique<TesseraProgram>();
  for (const Callable &callable : (*loaded)->callables()) {
    std::vector<std::string> &texts = handle->constraints.emplace_back();
    for (const run::Parameter &parameter : callable.parameters)
      texts.push_back(run::constraintOf(parameter));
  }
  handle->program = *std::move(loaded);
  return handle.release();
}

/// The callable of a number, or null after an error.
const Callable *callableOf(const TesseraProgram *program, size_t index, const char *function,
                           TesseraError **error) {
  if (!program)
    return refuse(error, fail(Error::NullHandle, function, "a program")), nullptr;
  const std::vector<Callable> &callables = program->program->callables();
  if (index < callables.size())
    return &callables[index];
  return refuse(error, fail(Error::NoKernel, callables.size(), index)), nullptr;
}

void copyExtents(uint32_t (&to)[3], const run::Dim3 &from) {
  to[0] = uint32_t(from.x), to[1] = uint32_t(from.y), to[2] = uint32_t(from.z);
}
run::Dim3 extentsOf(const uint32_t (&from)[3]) { return {from[0], from[1], from[2]}; }

Result<run::CallArgument> argumentOf(const TesseraArgument &given, size_t number) {
  using Kind = run::CallArgument::Kind;
  run::CallArgument argument;
  // In C it may be any number. C++ may only read what the enumeration can hold, so it is read as a
  // number.
  int kind;
  static_assert(sizeof(kind) == sizeof(given.kind));
  std::memcpy(&kind, &given.kind, sizeof(kind));
  switch (kind) {
  case TESSERA_TENSOR:
  case TESSERA_READ_ONLY_TENSOR:
    if (!given.value.tensor)
      return fail(Error::NullHandle, cat("argument ", number), "a tensor");
    argument.kind = Kind::Tensor;
    argument.tensor = reinterpret_cast<const run::DlTensor *>(given.value.tensor);
    argument.isReadOnly = kind == TESSERA_READ_ONLY_TENSOR;
    return argument;
  case TESSERA_INTEGER: argument.integer = given.value.integer; return argument;
  case TESSERA_REAL:
    argument.kind = Kind::Real;
    argument.real = given.value.real;
    return argument;
  case TESSERA_ADDRESS:
    argument.kind = Kind::Address;
    argument.address = given.value.address;
    return argument;
  case TESSERA_BYTES:
    if (!given.value.bytes)
      return fail(Error::NullHandle, cat("argument ", number), "bytes");
    argument.kind = Kind::Bytes;
    argument.bytes = {static_cast<const std::byte *>(given.value.bytes), given.size};
    return argument;
  }
  return fail(Error::ArgumentKind, number, kind);
}

} // namespace

//===--- Loading

TesseraProgram *tesseraProgramLoad(TesseraDevice *device, const char *path,
                                   const TesseraLoadOptions *options, TesseraError **error) {
  return guarded(error, [&]() -> TesseraProgram * {
    if (!device || !path)
      return refuse(error,
                    fail(Error::NullHandle, "tesseraProgramLoad", device ? "a path" : "a device")),
             nullptr;
    return handleOf(program::Program::loadFile(device->device, path, optionsOf(options)), error);
  });
}
TesseraProgram *tesseraProgramRead(TesseraDevice *device, const void *content, size_t bytes,
                                   const char *name, const TesseraLoadOptions *options,
                                   TesseraError **error) {
  return guarded(error, [&]() -> TesseraProgram * {
    if (!device || !content)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramRead",
                                device ? "the content of a file" : "a device")),
             nullptr;
    std::string text(static_cast<const char *>(content), bytes);
    return handleOf(
        program::Program::load(device->device, text, name ? name : "program", optionsOf(options)),
        error);
  });
}
/// A program of a ready kernel, which `of` describes and `load` makes.
template <class Described, class Load>
static TesseraProgram *ready(const char *call, const char *what, TesseraDevice *device,
                             const Described *of, TesseraError **error, Load load) {
  return guarded(error, [&]() -> TesseraProgram * {
    if (!device || !of)
      return refuse(error, fail(Error::NullHandle, call, device ? what : "a device")), nullptr;
    return handleOf(load(), error);
  });
}
TesseraProgram *tesseraProgramGemm(TesseraDevice *device, const TesseraGemm *gemm,
                                   const TesseraLoadOptions *options, TesseraError **error) {
  return ready("tesseraProgramGemm", "a shape", device, gemm, error, [&] {
    program::GemmForm shape{gemm->m,
                            gemm->n,
                            gemm->k,
                            textOr(gemm->a),
                            textOr(gemm->b),
                            textOr(gemm->d),
                            textOr(gemm->groups),
                            gemm->block_scales,
                            textOr(gemm->major),
                            gemm->group_scales};
    return program::gemm(device->device, shape, optionsOf(options));
  });
}
static program::AttentionForm formOf(const TesseraAttention &of) {
  return {.element = textOr(of.element),
          .headDim = of.head_dim,
          .causal = of.causal,
          .window = of.window,
          .softcap = of.softcap,
          .alibi = of.alibi,
          .varlen = of.varlen,
          .groups = of.groups,
          .lengths = of.lengths,
          .pageSize = of.page_size,
          .lse = of.lse,
          .result = textOr(of.result),
          .workspace = of.workspace};
}
TesseraProgram *tesseraProgramAttention(TesseraDevice *device, const TesseraAttention *of,
                                        const TesseraLoadOptions *options, TesseraError **error) {
  return ready("tesseraProgramAttention", "a form of it", device, of, error,
               [&] { return program::attention(device->device, formOf(*of), optionsOf(options)); });
}
bool tesseraAttentionWorkspace(const TesseraAttention *of, int64_t rows, int64_t *numbers,
                               int64_t *counters, TesseraError **error) {
  return guarded(error, [&] {
    if (!of || !numbers || !counters)
      return refuse(error, fail(Error::NullHandle, "tesseraAttentionWorkspace",
                                of ? "places for the two numbers" : "a form of it")),
             false;
    Result<program::AttentionWorkspace> takes = program::workspaceOf(formOf(*of), rows);
    if (!takes)
      return refuse(error, takes.reason()), false;
    *numbers = takes->numbers, *counters = takes->counters;
    return true;
  });
}
TesseraProgram *tesseraProgramAttentionBackward(TesseraDevice *device,
                                                const TesseraAttentionBackward *of,
                                                const TesseraLoadOptions *options,
                                                TesseraError **error) {
  return ready("tesseraProgramAttentionBackward", "a form of it", device, of, error, [&] {
    program::AttentionBackwardForm form{textOr(of->element), of->head_dim, of->causal, of->window,
                                        of->softcap,         of->alibi,    of->varlen};
    return program::attentionBackward(device->device, form, optionsOf(options));
  });
}
TesseraProgram *tesseraProgramRows(TesseraDevice *device, const TesseraRows *of,
                                   const TesseraLoadOptions *options, TesseraError **error) {
  return ready("tesseraProgramRows", "a kernel's name", device, of, error, [&] {
    program::RowForm form{textOr(of->kernel),     textOr(of->element), textOr(of->result),
                          textOr(of->activation), of->columns,         of->segment};
    return program::rows(device->device, form, optionsOf(options));
  });
}
void tesseraProgramDestroy(TesseraProgram *program) { delete program; }

//===--- Questions

const char *tesseraProgramArch(const TesseraProgram *program) {
  return program ? program->program->arch().c_str() : "";
}
size_t tesseraProgramCodeCount(const TesseraProgram *program) {
  return program ? program->program->images().size() : 0;
}
const void *tesseraProgramCode(const TesseraProgram *program, size_t index, size_t *bytes) {
  const bool isThere = index < tesseraProgramCodeCount(program);
  if (bytes)
    *bytes = isThere ? program->program->images()[index].code.size() : 0;
  return isThere ? program->program->images()[index].code.data() : nullptr;
}
const char *tesseraProgramWarnings(const TesseraProgram *program) {
  return program ? program->program->said().c_str() : "";
}
size_t tesseraProgramKernelCount(const TesseraProgram *program) {
  return program ? program->program->callables().size() : 0;
}
bool tesseraProgramFind(const TesseraProgram *program, const char *name, size_t *kernel,
                        TesseraError **error) {
  return guarded(error, [&] {
    if (!program || !kernel)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramFind",
                                program ? "a place for the number" : "a program")),
             false;
    Result<size_t> found = program->program->find(textOr(name));
    if (!found)
      return refuse(error, found.reason()), false;
    *kernel = *found;
    return true;
  });
}
bool tesseraProgramKernel(const TesseraProgram *program, size_t index, TesseraKernel *to,
                          TesseraError **error) {
  return guarded(error, [&] {
    const Callable *callable = callableOf(program, index, "tesseraProgramKernel", error);
    if (!callable)
      return false;
    if (!to)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramKernel", "a place for it")),
             false;
    *to = {};
    to->name = callable->name.c_str();
    to->module = callable->module.c_str();
    to->is_host = callable->isHost;
    to->parameters = callable->parameters.size();
    copyExtents(to->block, callable->block);
    copyExtents(to->cluster, callable->cluster);
    to->registers = to->local_bytes = to->shared_bytes = -1;
    std::optional<run::KernelInfo> info = program->program->info(index);
    if (!info)
      return true;
    bool isGpu = program->program->device()->where() == program::Where::Gpu;
    to->registers = isGpu ? info->registers : -1; // the simulator shares none out
    to->local_bytes = info->localBytes;
    to->shared_bytes = info->staticSharedBytes;
    return true;
  });
}
bool tesseraProgramOccupancy(const TesseraProgram *program, size_t kernel, uint32_t threads,
                             uint64_t dynamicShared, TesseraOccupancy *to, TesseraError **error) {
  return guarded(error, [&] {
    if (!callableOf(program, kernel, "tesseraProgramOccupancy", error))
      return false;
    if (!to)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramOccupancy", "a place for it")),
             false;
    Result<atom::Occupancy> held = program->program->occupancy(
        kernel, threads, int64_t(std::min<uint64_t>(dynamicShared, 1u << 31)));
    if (!held)
      return refuse(error, held.reason()), false;
    *to = {held->blocks, held->warps, held->most, nameOf(held->limit).data()};
    return true;
  });
}
bool tesseraProgramParameter(const TesseraProgram *program, size_t kernel, size_t index,
                             TesseraParameter *to, TesseraError **error) {
  return guarded(error, [&] {
    const Callable *callable = callableOf(program, kernel, "tesseraProgramParameter", error);
    if (!callable)
      return false;
    if (!to)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramParameter", "a place for it")),
             false;
    if (index >= callable->parameters.size())
      return refuse(error,
                    fail(Error::NoParameter, callable->name, callable->parameters.size(), index)),
             false;
    const run::Parameter &parameter = callable->parameters[index];
    *to = {parameter.name.c_str(),    run::kindName(parameter.kind).data(),
           parameter.type.c_str(),    program->constraints[kernel][index].c_str(),
           parameter.takesArgument(), parameter.packing.size};
    return true;
  });
}

//===--- IR

char *tesseraPrintIr(const void *content, size_t bytes, const char *name,
                     const TesseraLoadOptions *options, TesseraError **error) {
  return guarded(error, [&]() -> char * {
    if (!content)
      return refuse(error, fail(Error::NullHandle, "tesseraPrintIr", "the content of a file")),
             nullptr;
    std::string file(static_cast<const char *>(content), bytes);
    Result<std::string> text =
        program::Program::printedIr(file, name ? name : "program", optionsOf(options));
    if (!text)
      return refuse(error, text.reason()), nullptr;
    return program_capi::textOf(*text);
  });
}

//===--- Calls

bool tesseraProgramCall(TesseraProgram *program, size_t kernel, const TesseraArgument *given,
                        size_t count, const TesseraLaunch *launch, void *stream,
                        TesseraError **error) {
  return guarded(error, [&] {
    if (!callableOf(program, kernel, "tesseraProgramCall", error))
      return false;
    if (count && !given)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramCall", "arguments")), false;
    std::vector<run::CallArgument> arguments;
    arguments.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      Result<run::CallArgument> argument = argumentOf(given[i], i);
      if (!argument)
        return refuse(error, argument.reason()), false;
      arguments.push_back(*argument);
    }
    program::Launch how;
    how.stream = run::StreamId(reinterpret_cast<uint64_t>(stream));
    if (launch) {
      how.grid = extentsOf(launch->grid);
      how.block = extentsOf(launch->block);
      how.cluster = extentsOf(launch->cluster);
      how.dynamicSharedBytes = int64_t(std::min<uint64_t>(launch->dynamic_shared, INT64_MAX));
    }
    Status done = program->program->call(kernel, arguments, how);
    if (!done)
      refuse(error, done.reason());
    return bool(done);
  });
}
bool tesseraProgramSynchronize(TesseraProgram *program, void *stream, TesseraError **error) {
  return guarded(error, [&] {
    if (!program)
      return refuse(error, fail(Error::NullHandle, "tesseraProgramSynchronize", "a program")),
             false;
    Status done = program->program->synchronize(run::StreamId(reinterpret_cast<uint64_t>(stream)));
    if (!done)
      refuse(error, done.reason());
    return bool(done);
  });
}
