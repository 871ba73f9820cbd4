// Fuzzes the expression language: any text gives a value or a refusal, soon, a layout reads back as
// itself, and what an operation accepts obeys its law.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/Tokens.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Points.h"
#include "tessera/eval/Report.h"

#include <cstdio>
#include <functional>

using namespace tessera;
using namespace tessera::eval;

TESSERA_FUZZ_TEXT()

namespace {
[[noreturn]] void wrong(const std::string &what, const std::string &expression) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), expression.c_str());
  __builtin_trap();
}

/// Domains that are walked here, in points and in leaves of all of them: what laws hold for is seen
/// on small ones, and larger ones only take time. One expression in 256 is walked further.
struct Bounds {
  int64_t points, leaves;
};
constexpr Bounds usual = {64, 1 << 10}, seldom = {1 << 12, 1 << 16};

/// The laws of operations; those of any layout may fail.
void obey(const Evaluation &done) {
  for (const Law &law : laws()) {
    if (law.functions.empty())
      continue;
    Result<Verdict> verdict = check(law.name, done);
    if (verdict ? !verdict->holds : verdict.reason().text.empty())
      wrong(cat("the law ", law.name, " fails: ", verdict ? verdict->text : "no reason"),
            done.text);
  }
}

void walk(const Evaluation &done) {
  const layout::AnyLayout *l = layoutOf(*done.result);
  std::optional<Value> known = l ? resolved(Value(*l), done.values) : std::nullopt;
  if (!known)
    return;
  const Bounds most = std::hash<std::string>()(done.text) % 256 == 0 ? seldom : usual;
  const int64_t points = sizeOf(layoutOf(*known)->shape());
  if (points > most.points || points * int64_t(weight(*known)) > most.leaves)
    return;
  (void)json(done);
  (void)functionTable(done, most.points, [](std::string_view) {});
  obey(done);
  if (!std::holds_alternative<layout::AnyLayout>(*done.result))
    return;
  Result<Verdict> same = equal(done, done);
  if (!same || !same->holds)
    wrong("differs from itself", done.text);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Evaluation done = evaluate(text);
  (void)explanation(done);
  if (!done.ok()) {
    if (str(done.refusal, done.text).empty() || done.refusal.reason.text.empty())
      wrong("refused without a reason", text);
    return 0;
  }
  const std::string printed = str(*done.result, done.values);
  if (std::holds_alternative<layout::AnyLayout>(*done.result) &&
      !emptyExtent(*done.result, done.values)) {
    Evaluation again = evaluate(printed);
    if (!again.ok() || str(*again.result, again.values) != printed)
      wrong("does not read back: " + printed, text);
  }
  walk(done);
  return 0;
}
