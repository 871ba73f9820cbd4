// Compiled: compiled files, and requests and answers of a worker, as bytes and back, by one list of
// fields for both ways.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Worker.h"

#include <cstring>
#include <optional>
#include <type_traits>

namespace tessera::program {

namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
public:
  template <Plain T> void operator()(const T &value) {
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void operator()(const std::string &text) {
    (*this)(uint64_t(text.size()));
    out += text;
  }
  template <class T> void operator()(const std::vector<T> &list);
  template <class T> void operator()(const std::optional<T> &value) {
    (*this)(uint8_t(value.has_value()));
    if (value)
      (*this)(*value);
  }

  std::string out;
};

class Reader {
public:
  explicit Reader(std::string_view left) : left(left) {}

  template <Plain T> void operator()(T &value) {
    if (take(sizeof value))
      std::memcpy(&value, taken.data(), sizeof value);
  }
  void operator()(std::string &text) {
    uint64_t size = 0;
    (*this)(size);
    if (take(size))
      text = taken;
  }
  template <class T> void operator()(std::vector<T> &list);
  template <class T> void operator()(std::optional<T> &value) {
    uint8_t has = 0;
    (*this)(has);
    if (has)
      (*this)(value.emplace());
  }

  bool isWhole() const { return whole && left.empty(); }

private:
  bool take(uint64_t size) {
    whole &= size <= left.size();
    if (!whole)
      return false;
    taken = left.substr(0, size);
    left.remove_prefix(size);
    return true;
  }
  std::string_view left, taken;
  bool whole = true;
};

template <class To, class... Fields> void all(To &to, Fields &...fields) { (to(fields), ...); }

template <class To, class T>
  requires(Plain<std::remove_const_t<T>> || std::is_same_v<std::remove_const_t<T>, std::string>)
void fields(To &to, T &value) {
  to(value);
}
// Const where they are written.
#define FIELDS(Type)                                                                               \
  template <class To, class T>                                                                     \
    requires(std::is_same_v<std::remove_const_t<T>, Type>)                                         \
  void fields(To &to, T &v)
FIELDS(layout::Int) { all(to, v.value, v.id, v.width, v.div); }
FIELDS(run::Packing::Leaf) { all(to, v.offset, v.bits); }
FIELDS(run::Dim3) { all(to, v.x, v.y, v.z); }
FIELDS(DeviceImage) { all(to, v.module, v.code, v.log); }
FIELDS(run::Parameter) {
  all(to, v.kind, v.name, v.type, v.packing.size, v.packing.leaves, v.element.text,
      v.element.dtypes, v.onDevice, v.alignment, v.divisor, v.modes.extents, v.modes.steps,
      v.modes.text, v.refusal, v.refused);
}
FIELDS(Callable) {
  all(to, v.isHost, v.module, v.name, v.parameters);
  fields(to, v.block);
  fields(to, v.cluster);
}
FIELDS(Compiled) { all(to, v.arch, v.callables, v.images, v.host, v.tiles, v.said); }
FIELDS(run::DeviceInfo) {
  all(to, v.name, v.driverVersion, v.computeMajor, v.computeMinor, v.multiprocessors, v.warpSize,
      v.maxThreadsPerBlock);
  fields(to, v.maxBlock);
  fields(to, v.maxGrid);
  all(to, v.sharedPerBlock, v.sharedPerBlockOptin, v.sharedPerMultiprocessor,
      v.registersPerMultiprocessor, v.l2Bytes, v.globalBytes, v.clockRate, v.memoryClockRate,
      v.memoryBusBits, v.clusterLaunch, v.cooperativeLaunch);
}
FIELDS(LoadOptions) {
  all(to, v.arch, v.reinfer, v.inputVersion, v.checkLayoutAssumptions, v.optLevel, v.noHostCode,
      v.cacheBytes, v.kernel);
}
FIELDS(Request) {
  all(to, v.folder, v.content, v.name, v.where, v.devices, v.cacheFolder);
  fields(to, v.options);
}
FIELDS(Answer) {
  all(to, v.id, v.text);
  fields(to, v.compiled);
}
#undef FIELDS

template <class T> void Writer::operator()(const std::vector<T> &list) {
  (*this)(uint64_t(list.size()));
  for (const T &one : list)
    fields(*this, one);
}
template <class T> void Reader::operator()(std::vector<T> &list) {
  uint64_t size = 0;
  (*this)(size);
  for (uint64_t i = 0; i < size && whole; ++i)
    fields(*this, list.emplace_back());
}

template <class T> std::string packed(const T &value) {
  Writer writer;
  fields(writer, value);
  return std::move(writer.out);
}

template <class T> std::optional<T> unpacked(std::string_view text) {
  Reader reader(text);
  T value{};
  fields(reader, value);
  return reader.isWhole() ? std::optional(std::move(value)) : std::nullopt;
}

} // namespace

std::string pack(const Compiled &compiled) { return packed(compiled); }
std::string pack(const Request &request) { return packed(request); }
std::string pack(const Answer &answer) { return packed(answer); }
std::optional<Compiled> unpack(std::string_view text) { return unpacked<Compiled>(text); }
std::optional<Request> unpackRequest(std::string_view text) { return unpacked<Request>(text); }
std::optional<Answer> unpackAnswer(std::string_view text) { return unpacked<Answer>(text); }

} // namespace tessera::program
