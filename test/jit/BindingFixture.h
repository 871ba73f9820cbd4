// What the tests of binding share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeDevice.h"
#include "Session.h"

#include "tessera/jit/Parameters.h"

#include <gtest/gtest.h>

namespace tessera::jit::test {

using run::Arguments, run::Bound;

/// The bytes of `value` with the address of the buffer, which differs from run to run, as "P".
inline std::string layoutBytes(const Bound &bound) {
  std::string text = hexOf(bound.valueBytes());
  run::Address address = bound.address();
  std::string pointer = hexOf(std::as_bytes(std::span(&address, 1)));
  size_t at = text.find(pointer);
  return at == std::string::npos ? text : text.replace(at, pointer.size(), "P");
}

class BindingTest : public testing::Test {
protected:
  Result<Bound> tryBind(const std::string &type, const std::string &text, size_t number = 0) {
    Result<run::Argument> argument = run::parseArgument(text);
    if (!argument)
      return argument.reason();
    return run::bind(parameterOf(session.type(type)), *argument, &device, number);
  }
  Bound must(const std::string &type, const std::string &text, size_t number = 0) {
    Result<Bound> bound = tryBind(type, text, number);
    EXPECT_TRUE(bound.ok()) << refusal(bound);
    return bound ? *std::move(bound) : Bound();
  }
  std::string bytesOf(const std::string &type, const std::string &text) {
    Result<Bound> bound = tryBind(type, text);
    return bound ? hexOf(bound->valueBytes()) : bound.reason().text;
  }
  std::vector<int64_t> stridesOf(const std::string &layout, const std::string &shape) {
    Bound bound = must("!cute.memref<f32, gmem, \"" + layout + "\">", "zeros:f32:" + shape);
    return bound.tensor() ? bound.tensor()->strides() : std::vector<int64_t>{-1};
  }

  Session session;
  FakeDevice device;
};

} // namespace tessera::jit::test
