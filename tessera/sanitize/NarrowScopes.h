// NarrowScopes: the strong accesses of a program whose scope is a block or a cluster, by lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Program.h"

#include <unordered_map>

namespace tessera::sanitize {

class NarrowScopes {
public:
  explicit NarrowScopes(const sim::Program &program) {
    for (const auto &function : program.functions)
      for (const sim::Instruction &i : function->code)
        if (i.order != sim::Order::Weak && i.scope != sim::Scope::Gpu)
          scopes[i.line] = i.scope;
  }
  bool isEmpty() const { return scopes.empty(); }
  sim::Scope of(int line) const {
    auto found = scopes.find(line);
    return found == scopes.end() ? sim::Scope::Gpu : found->second;
  }

private:
  std::unordered_map<int, sim::Scope> scopes;
};

} // namespace tessera::sanitize
