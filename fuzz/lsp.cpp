// Fuzzes what passes between an editor and the language server: any stream is cut into messages or
// refused, any message becomes JSON that goes on, and no file that is too deep gets through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input is lines. Each is a message of the editor, or with a '<' before it one of the server; a
// change of tokens makes other messages of them. The bytes as they are also are a stream.
#include "fuzz/Tokens.h"
#include "tessera/base/Nesting.h"
#include "tessera/lsp/Server.h"

#include "llvm/Support/JSON.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::lsp;

TESSERA_FUZZ_TEXT()

namespace {

[[noreturn]] void wrong(const char *what, llvm::StringRef text) {
  std::fprintf(stderr, "%s: %.*s\n", what, int(text.size()), text.data());
  __builtin_trap();
}

llvm::json::Value parsed(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    wrong("is passed on and no JSON", text);
  }
  return std::move(*value);
}

/// What MLIR's server gets can be parsed by it, and its bytecode is not converted there.
void checkForServer(llvm::StringRef text) {
  if (isJsonTooDeep(text, mostJsonDepth))
    wrong("is too deep and passed on", text);
  llvm::json::Value value = parsed(text);
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return;
  if (object->get("id") && object->getString("method").value_or("").starts_with("mlir/convert"))
    wrong("asks for bytecode", text);
  const llvm::json::Object *params = object->getObject("params"),
                           *document = params ? params->getObject("textDocument") : nullptr;
  if (object->getString("method") == "textDocument/didOpen" && document &&
      findTooDeep(document->getString("text").value_or("")))
    wrong("opens a file that is too deep", text);
}

void streamOf(const uint8_t *data, size_t size) {
  FILE *stream = fmemopen(const_cast<uint8_t *>(data), size, "r");
  for (Incoming message{Incoming::Message, ""}; message.what == Incoming::Message;) {
    message = readMessage(stream);
    if (message.what == Incoming::Message && message.text.size() > size)
      wrong("a message is longer than the stream", message.text);
    if (message.what == Incoming::Damaged && message.text.empty())
      wrong("damaged without a reason", "");
  }
  std::fclose(stream);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  streamOf(data, size);
  Conversation conversation;
  llvm::StringRef rest(reinterpret_cast<const char *>(data), size);
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("<")) {
      (void)conversation.toEditor(line);
      continue;
    }
    Conversation::Passed passed = conversation.fromEditor(line);
    if (passed.toServer.empty() && passed.toEditor.empty())
      wrong("a message gets lost", line);
    for (const std::string &one : passed.toServer)
      checkForServer(one);
    for (const std::string &one : passed.toEditor)
      (void)parsed(one);
  }
  return 0;
}
