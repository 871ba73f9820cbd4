// Keeping and showing diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Captured.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tessera::import {

Captured::Captured(MLIRContext *context) {
  handler.emplace(context,
                  [this](Diagnostic &diagnostic) { messages.push_back(read(diagnostic)); });
}

Captured::Message Captured::read(Diagnostic &diagnostic) {
  Message message{diagnostic.getSeverity(), {}, {}, diagnostic.str(), {}};
  llvm::raw_string_ostream(message.location) << diagnostic.getLocation();
  if (auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    message.position = {file.getLine(), file.getColumn()};
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(read(note));
  return message;
}

bool Captured::hasErrors() const {
  return llvm::any_of(messages,
                      [](const Message &m) { return m.severity == DiagnosticSeverity::Error; });
}

Position Captured::lastError() const {
  for (const Message &message : llvm::reverse(messages))
    if (message.severity == DiagnosticSeverity::Error)
      return message.position;
  return {0, 0};
}

StringRef Captured::firstError() const {
  for (const Message &message : messages)
    if (message.severity == DiagnosticSeverity::Error)
      return message.text;
  return {};
}

/// The location that prints as `text`.
static Location location(const std::string &text, MLIRContext *context) {
  auto read = dyn_cast_or_null<LocationAttr>(parseAttribute(text, context));
  return read ? Location(read) : UnknownLoc::get(context);
}

void Captured::replay(MLIRContext *target, ArrayRef<std::string> notes) const {
  for (const Message &message : messages) {
    Diagnostic shown(location(message.location, target), message.severity);
    shown << message.text;
    for (const Message &other : message.notes)
      shown.attachNote(location(other.location, target)) << other.text;
    if (message.severity == DiagnosticSeverity::Error)
      for (const std::string &note : std::exchange(notes, {}))
        shown.attachNote() << note;
    target->getDiagEngine().emit(std::move(shown));
  }
}

} // namespace tessera::import
