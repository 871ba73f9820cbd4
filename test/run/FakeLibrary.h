// A test fixture that holds the fake libcuda open and gives each test a fresh state of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/run/FakeCuda.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace tessera::run {

class FakeLibrary : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(TESSERA_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    auto *get = reinterpret_cast<decltype(&fakeCudaState)>(dlsym(library, "fakeCudaState"));
    resetState = reinterpret_cast<decltype(&fakeCudaReset)>(dlsym(library, "fakeCudaReset"));
    ASSERT_TRUE(get && resetState);
    shared = get();
    reset();
  }
  void TearDown() override { dlclose(library); }

  fake::State &state() { return *shared; }
  void reset() { resetState(); }

private:
  void *library = nullptr;
  fake::State *shared = nullptr;
  decltype(&fakeCudaReset) resetState = nullptr;
};

} // namespace tessera::run
