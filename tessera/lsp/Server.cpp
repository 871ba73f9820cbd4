// A process between the editor and MLIR's language server, which has no hook for hovers (LLVM 22).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lsp/Server.h"

#include "tessera/lsp/Note.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace tessera::lsp;

//===--- texts --------------------------------------------------------------------------------===//

namespace {
/// Where a line begins, counted from 0; after the end if there are fewer.
size_t startOf(StringRef text, size_t line) {
  size_t at = 0;
  for (; line > 0 && at < text.size(); --line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}
/// A number of units of UTF-16 in a line of UTF-8, in bytes.
size_t bytesOf(StringRef line, size_t units) {
  size_t bytes = 0;
  while (units > 0 && bytes < line.size()) {
    size_t length = getNumBytesForUTF8(UTF8(line[bytes]));
    units -= std::min<size_t>(units, length == 4 ? 2 : 1);
    bytes += length;
  }
  return std::min(bytes, line.size());
}
size_t offsetOf(StringRef text, const json::Object &position) {
  size_t start = startOf(text, size_t(position.getInteger("line").value_or(0)));
  StringRef line = text.substr(start).take_until([](char c) { return c == '\n'; });
  return start + bytesOf(line, size_t(position.getInteger("character").value_or(0)));
}
/// Whether the word at a column is a value (%x) or an alias (!x).
bool onName(StringRef line, size_t column) {
  auto inWord = [](char c) {
    return isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '#' || c == '-';
  };
  while (column > 0 && column < line.size() && inWord(line[column]))
    --column;
  return column < line.size() && (line[column] == '%' || line[column] == '!');
}
std::string textOf(const json::Value &value) { return formatv("{0}", value).str(); }
} // namespace

std::optional<std::pair<std::string, size_t>> Conversation::textAt(const Place &place) const {
  auto found = documents.find(place.document);
  if (found == documents.end())
    return std::nullopt;
  StringRef text = found->second;
  StringRef line =
      text.substr(startOf(text, place.line)).take_until([](char c) { return c == '\n'; });
  return std::pair(line.str(), bytesOf(line, place.character));
}

//===--- messages -----------------------------------------------------------------------------===//

void Conversation::fromEditor(StringRef message) {
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed)
    return consumeError(parsed.takeError()); // the server says so
  const json::Object *object = parsed->getAsObject();
  const json::Object *params = object ? object->getObject("params") : nullptr;
  const json::Object *document = params ? params->getObject("textDocument") : nullptr;
  if (!document)
    return;
  std::lock_guard lock(mutex);
  StringRef method = object->getString("method").value_or("");
  std::string uri = document->getString("uri").value_or("").str();
  if (method == "textDocument/didOpen") {
    documents[uri] = document->getString("text").value_or("").str();
  } else if (method == "textDocument/didClose") {
    documents.erase(uri);
  } else if (method == "textDocument/didChange") {
    std::string &text = documents[uri];
    if (const json::Array *changes = params->getArray("contentChanges"))
      for (const json::Value &change : *changes) {
        const json::Object *what = change.getAsObject();
        const json::Object *range = what ? what->getObject("range") : nullptr;
        const json::Object *start = range ? range->getObject("start") : nullptr,
                           *end = range ? range->getObject("end") : nullptr;
        std::string fresh = what ? what->getString("text").value_or("").str() : "";
        if (!start || !end) {
          text = fresh;
          continue;
        }
        size_t from = offsetOf(text, *start), to = std::max(from, offsetOf(text, *end));
        text.replace(from, to - from, fresh);
      }
  } else if (method == "textDocument/hover") {
    const json::Object *position = params->getObject("position");
    const json::Value *id = object->get("id");
    if (position && id)
      asked[textOf(*id)] = {uri, size_t(position->getInteger("line").value_or(0)),
                            size_t(position->getInteger("character").value_or(0))};
  }
}

std::string Conversation::toEditor(StringRef message) {
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed) {
    consumeError(parsed.takeError());
    return message.str();
  }
  json::Object *object = parsed->getAsObject();
  const json::Value *id = object ? object->get("id") : nullptr;
  std::lock_guard lock(mutex);
  auto found = id ? asked.find(textOf(*id)) : asked.end();
  if (found == asked.end() || !object->get("result"))
    return message.str();
  Place place = found->second;
  asked.erase(found);
  json::Object *result = object->getObject("result"),
               *contents = result ? result->getObject("contents") : nullptr;
  std::string said = contents ? contents->getString("value").value_or("").str() : "";
  std::optional<std::string> note;
  if (auto text = textAt(place)) {
    note = noteAt(text->first, text->second);
    if (!note && onName(text->first, text->second))
      note = noteOf(said); // which shows the type
  }
  if (!note)
    return message.str();
  std::string all = said.empty() ? *note : said + "\n\n" + *note;
  if (contents)
    (*contents)["value"] = all;
  else
    (*object)["result"] =
        json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", all}}}};
  return textOf(*parsed);
}

//===--- streams ------------------------------------------------------------------------------===//

namespace {
/// The next message, after its header; nothing at the end of the stream.
std::optional<std::string> readMessage(FILE *stream) {
  size_t length = 0;
  for (std::string line;;) {
    int c = std::fgetc(stream);
    if (c == EOF)
      return std::nullopt;
    if (c != '\n') {
      line += char(c);
      continue;
    }
    StringRef header = StringRef(line).rtrim();
    if (header.empty() && length)
      break;
    if (header.consume_front_insensitive("content-length:"))
      header.trim().getAsInteger(10, length);
    line.clear();
  }
  std::string message(length, 0);
  if (std::fread(message.data(), 1, length, stream) != length)
    return std::nullopt;
  return message;
}
void writeMessage(FILE *stream, const std::string &message) {
  std::fprintf(stream, "Content-Length: %zu\r\n\r\n", message.size());
  std::fwrite(message.data(), 1, message.size(), stream);
  std::fflush(stream);
}
} // namespace

int tessera::lsp::serve(const std::function<int()> &server) {
  int down[2], up[2]; // to the server, and back
  if (pipe(down) != 0 || pipe(up) != 0)
    return std::perror("tessera-lsp-server: no pipe"), 1;
  pid_t child = fork();
  if (child < 0)
    return std::perror("tessera-lsp-server: no process"), 1;
  if (child == 0) {
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    for (int end : {down[0], down[1], up[0], up[1]})
      close(end);
    std::exit(server());
  }
  close(down[0]);
  close(up[1]);
  std::signal(SIGPIPE, SIG_IGN); // a server that ended early shows in its exit code
  FILE *toServer = fdopen(down[1], "w"), *fromServer = fdopen(up[0], "r");
  Conversation conversation;
  // The editor's side may wait forever in a read, so it is the one that is left after.
  std::thread([&] {
    while (std::optional<std::string> message = readMessage(stdin)) {
      conversation.fromEditor(*message);
      writeMessage(toServer, *message);
    }
    std::fclose(toServer);
  }).detach();
  while (std::optional<std::string> message = readMessage(fromServer))
    writeMessage(stdout, conversation.toEditor(*message));
  int status = 0;
  waitpid(child, &status, 0);
  std::fflush(stdout);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status)
                               : 1); // not through destructors of what the thread uses
}
