// tessera/program.h: kernels as C++ values, over the C API: nothing but std and libtessera.so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tessera::Device gpu("gpu");
//   tessera::Program program(gpu, "dump.mlir");
//   tessera::Kernel k = program.kernel();
//   k(stream, {x, y, 0.5f});                           // DLTensor *, or anything with its fields
//
// Functions that can refuse throw tessera::Error. Everything here is said in tessera-c/Tessera.h.
#pragma once

#include "tessera-c/Tessera.h"

#include <array>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {

/// Why something was refused: a rule's stable name and a sentence.
class Error : public std::runtime_error {
public:
  Error(std::string id, const std::string &text) : std::runtime_error(text), name(std::move(id)) {}
  const std::string &id() const { return name; }

private:
  std::string name;
};

namespace detail {
/// The result of a function of C, given a place for its error; throws what it refuses.
template <class Call> auto checked(Call &&call) {
  TesseraError *error = nullptr;
  auto result = call(&error);
  if (!error)
    return result;
  Error thrown(tesseraErrorId(error), tesseraErrorText(error));
  tesseraErrorDestroy(error);
  throw thrown;
}
} // namespace detail

/// gpu, gpu:N, sim or interp.
class Device {
public:
  explicit Device(const std::string &name = "gpu",
                  const TesseraDeviceOptions &options = tesseraDeviceDefaultOptions())
      : handle(detail::checked([&](TesseraError **error) {
                 return tesseraDeviceOpen(name.c_str(), &options, error);
               }),
               tesseraDeviceDestroy) {}

  std::string hardware() const { return tesseraDeviceHardware(handle.get()); }
  /// The texts of what the sanitizer found since this was asked last; tesseraReport has more.
  std::vector<std::string> takeReports() {
    std::unique_ptr<TesseraReports, void (*)(TesseraReports *)> reports(
        tesseraDeviceTakeReports(handle.get()), tesseraReportsDestroy);
    std::vector<std::string> texts;
    TesseraReport report;
    for (size_t i = 0; tesseraReport(reports.get(), i, &report); ++i)
      texts.emplace_back(report.text);
    return texts;
  }
  TesseraDevice *get() const { return handle.get(); }

private:
  std::shared_ptr<TesseraDevice> handle;
};

/// What a caller gives for a parameter: a number, the address of a DLTensor, or an address.
class Argument : public TesseraArgument {
public:
  template <std::integral N> Argument(N number) : TesseraArgument{TESSERA_INTEGER, {}, 0} {
    value.integer = int64_t(number);
  }
  template <std::floating_point N> Argument(N number) : TesseraArgument{TESSERA_REAL, {}, 0} {
    value.real = double(number);
  }
  /// A DLTensor of dlpack.h, or a TesseraTensor; it has to live until the call.
  template <class Tensor>
    requires requires(const Tensor &t) { t.data, t.shape, t.strides, t.byte_offset; } &&
             (sizeof(Tensor) == sizeof(TesseraTensor))
  Argument(const Tensor &tensor) : TesseraArgument{TESSERA_TENSOR, {}, 0} {
    value.tensor = reinterpret_cast<const TesseraTensor *>(&tensor);
  }
  /// One that nobody may write: the simulator and the interpreter refuse what does.
  template <class Tensor> static Argument readOnly(const Tensor &tensor) {
    Argument argument(tensor);
    argument.kind = TESSERA_READ_ONLY_TENSOR;
    return argument;
  }
  /// What the kernel sees of a pointer; not checked.
  static Argument address(uint64_t address) {
    Argument argument(0);
    argument.kind = TESSERA_ADDRESS;
    argument.value.address = address;
    return argument;
  }
};

class Kernel {
public:
  TesseraKernel info() const {
    TesseraKernel info;
    detail::checked([&](TesseraError **error) {
      return tesseraProgramKernel(program.get(), index, &info, error);
    });
    return info;
  }
  /// How many blocks a multiprocessor of its GPU holds; threads 0: those that it was compiled for.
  TesseraOccupancy occupancy(uint32_t threads = 0, uint64_t dynamicShared = 0) const {
    TesseraOccupancy held;
    detail::checked([&](TesseraError **error) {
      return tesseraProgramOccupancy(program.get(), index, threads, dynamicShared, &held, error);
    });
    return held;
  }
  std::vector<TesseraParameter> parameters() const {
    std::vector<TesseraParameter> all(info().parameters);
    for (size_t i = 0; i < all.size(); ++i)
      detail::checked([&](TesseraError **error) {
        return tesseraProgramParameter(program.get(), index, i, &all[i], error);
      });
    return all;
  }

  /// Calls a host function; `stream` is a CUstream or cudaStream_t.
  void operator()(void *stream, const std::vector<Argument> &arguments) const {
    call(stream, arguments, nullptr);
  }
  /// Launches a kernel.
  void operator()(void *stream, const TesseraLaunch &launch,
                  const std::vector<Argument> &arguments) const {
    call(stream, arguments, &launch);
  }

private:
  friend class Program;
  Kernel(std::shared_ptr<TesseraProgram> program, size_t index)
      : program(std::move(program)), index(index) {}

  void call(void *stream, const std::vector<Argument> &arguments,
            const TesseraLaunch *launch) const {
    static_assert(sizeof(Argument) == sizeof(TesseraArgument));
    detail::checked([&](TesseraError **error) {
      return tesseraProgramCall(program.get(), index, arguments.data(), arguments.size(), launch,
                                stream, error);
    });
  }

  std::shared_ptr<TesseraProgram> program;
  size_t index;
};

/// A file, compiled and loaded.
class Program {
public:
  Program(const Device &device, const std::string &path, const TesseraLoadOptions &options = {})
      : handle(detail::checked([&](TesseraError **error) {
                 return tesseraProgramLoad(device.get(), path.c_str(), &options, error);
               }),
               tesseraProgramDestroy) {}
  /// The content of a file; `name` is what messages call it.
  static Program read(const Device &device, const std::string &content, const std::string &name,
                      const TesseraLoadOptions &options = {}) {
    return Program(detail::checked([&](TesseraError **error) {
      return tesseraProgramRead(device.get(), content.data(), content.size(), name.c_str(),
                                &options, error);
    }));
  }

  /// Ready kernels.
  static Program of(const Device &device, const TesseraGemm &gemm,
                    const TesseraLoadOptions &options = {}) {
    return ready(tesseraProgramGemm, device, gemm, options);
  }
  static Program of(const Device &device, const TesseraAttention &attention,
                    const TesseraLoadOptions &options = {}) {
    return ready(tesseraProgramAttention, device, attention, options);
  }
  static Program of(const Device &device, const TesseraAttentionBackward &backward,
                    const TesseraLoadOptions &options = {}) {
    return ready(tesseraProgramAttentionBackward, device, backward, options);
  }
  static Program of(const Device &device, const TesseraRows &rows,
                    const TesseraLoadOptions &options = {}) {
    return ready(tesseraProgramRows, device, rows, options);
  }

  std::string arch() const { return tesseraProgramArch(handle.get()); }
  /// What the device loaded, for each module of the file: PTX or a cubin.
  std::vector<std::string> code() const {
    std::vector<std::string> all(tesseraProgramCodeCount(handle.get()));
    for (size_t i = 0, bytes; i < all.size(); ++i) {
      const void *from = tesseraProgramCode(handle.get(), i, &bytes);
      all[i].assign(static_cast<const char *>(from), bytes);
    }
    return all;
  }
  /// The kernel of a name or a unique part of it; without one the only host function, or the only
  /// kernel.
  Kernel kernel(const std::string &name = "") const {
    size_t index = 0;
    detail::checked([&](TesseraError **error) {
      return tesseraProgramFind(handle.get(), name.c_str(), &index, error);
    });
    return Kernel(handle, index);
  }
  void synchronize(void *stream) const {
    detail::checked([&](TesseraError **error) {
      return tesseraProgramSynchronize(handle.get(), stream, error);
    });
  }

private:
  template <class Call, class Described>
  static Program ready(Call call, const Device &device, const Described &of,
                       const TesseraLoadOptions &options) {
    return Program(detail::checked(
        [&](TesseraError **error) { return call(device.get(), &of, &options, error); }));
  }
  explicit Program(TesseraProgram *handle) : handle(handle, tesseraProgramDestroy) {}
  std::shared_ptr<TesseraProgram> handle;
};

/// The IR of a file as Tessera prints it; `name` is what messages call the file.
inline std::string printIr(const std::string &content, const std::string &name = "program",
                           const TesseraLoadOptions &options = {}) {
  std::unique_ptr<char, void (*)(char *)> text(
      detail::checked([&](TesseraError **error) {
        return tesseraPrintIr(content.data(), content.size(), name.c_str(), &options, error);
      }),
      tesseraTextDestroy);
  return text.get();
}

} // namespace tessera
