// Pictures of layouts for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Report.h"
#include "tessera/program_capi/Handles.h"
#include "tessera/render/Draw.h"

#include <cstdlib>
#include <cstring>

using namespace tessera;
using program_capi::Error;

static std::optional<render::Format> formOf(std::string_view name) {
  constexpr std::pair<std::string_view, render::Format> forms[] = {
      {"text", render::Format::Terminal},
      {"svg", render::Format::Svg},
      {"latex", render::Format::Latex}};
  for (auto [form, format] : forms)
    if (form == name)
      return format;
  return std::nullopt;
}

char *program_capi::textOf(const std::string &text) {
  char *out = static_cast<char *>(std::malloc(text.size() + 1));
  if (!out)
    throw std::bad_alloc();
  return std::strcpy(out, text.c_str());
}

char *tesseraDraw(const TesseraValue *value, const char *form, TesseraError **error) {
  return guarded(error, [&]() -> char * {
    auto refused = [&](const Reason &reason) { return refuse(error, reason), nullptr; };
    if (!value || !form)
      return refused(
          fail(Error::NullHandle, "tesseraDraw", value ? "the name of a form" : "a layout"));
    std::optional<render::Format> format = formOf(form);
    if (!format)
      return refused(fail(Error::PictureForm, form));
    eval::Evaluation evaluation;
    evaluation.result = value->value;
    evaluation.values = value->values;
    Result<layout::AnyLayout> layout = eval::knownLayout(evaluation, "tesseraDraw");
    if (!layout)
      return refused(layout.reason());
    Result<render::Picture> picture = render::drawLayout(*layout);
    if (!picture)
      return refused(picture.reason());
    return program_capi::textOf(render::written(*picture, {.format = *format, .terminal = {}}));
  });
}
void tesseraTextDestroy(char *text) { std::free(text); }
