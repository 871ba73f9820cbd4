// A process between the editor and MLIR's language server, which has no hook for hovers (LLVM 22).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lsp/Server.h"

#include "tessera/base/Nesting.h"
#include "tessera/base/Printable.h"
#include "tessera/base/Result.h"
#include "tessera/lsp/Note.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace tessera;
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
/// The other way around.
size_t unitsOf(StringRef line, size_t bytes) {
  size_t units = 0;
  for (size_t at = 0; at < std::min(bytes, line.size());) {
    size_t length = getNumBytesForUTF8(UTF8(line[at]));
    units += length == 4 ? 2 : 1;
    at += length;
  }
  return units;
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

namespace {
/// JSON-RPC 2.0, section 5.1: the error of a message that cannot be read, or is not taken.
std::string errorAnswer(json::Value id, int code, StringRef text) {
  return textOf(json::Object{{"jsonrpc", "2.0"},
                             {"id", std::move(id)},
                             {"error", json::Object{{"code", code}, {"message", text}}}});
}
constexpr int parseError = -32700, requestFailed = -32803;

/// The one diagnostic of a document, or none.
std::string diagnosticOf(StringRef uri, const std::optional<Refusal> &refused) {
  json::Array all;
  if (refused) {
    json::Object at{{"line", int64_t(refused->line - 1)},
                    {"character", int64_t(refused->column - 1)}};
    all.push_back(
        json::Object{{"range", json::Object{{"start", json::Value(json::Object(at))},
                                            {"end", json::Value(std::move(at))}}},
                     {"severity", 1},
                     {"source", "tessera"},
                     {"message", refused->text + "; the rest of the file is not looked at"}});
  }
  return textOf(
      json::Object{{"jsonrpc", "2.0"},
                   {"method", "textDocument/publishDiagnostics"},
                   {"params", json::Object{{"uri", uri}, {"diagnostics", std::move(all)}}}});
}
} // namespace

/// Applies what didChange says to a text.
static void change(std::string &text, const json::Object &params) {
  if (const json::Array *changes = params.getArray("contentChanges"))
    for (const json::Value &one : *changes) {
      const json::Object *what = one.getAsObject();
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
}

template <class Place>
static std::optional<typename Place::What> whatIsAsked(StringRef method,
                                                       const json::Object &params) {
  if (method == "textDocument/hover")
    return Place::Hover;
  if (method == "textDocument/definition")
    return Place::Definition;
  if (method != "textDocument/references")
    return std::nullopt;
  const json::Object *context = params.getObject("context");
  bool both = context && context->getBoolean("includeDeclaration").value_or(false);
  return both ? Place::DefinitionAndUses : Place::Uses;
}

std::optional<Refusal> Conversation::refused(const std::string &text) const {
  if (std::optional<TooDeep> deep = findTooDeep(text))
    return Refusal{deep->line, deep->column,
                   cat("expects regions, types and attributes to lie at most ", mostMlirNesting,
                       " deep in each other")};
  return refuser ? refuser(text) : std::nullopt;
}

Conversation::Passed Conversation::fromEditor(StringRef message) {
  if (isJsonTooDeep(message, mostJsonDepth))
    return {{},
            {errorAnswer(nullptr, parseError,
                         cat("expects JSON at most ", mostJsonDepth, " levels deep"))}};
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed)
    return {{}, {errorAnswer(nullptr, parseError, toString(parsed.takeError()))}};
  json::Object *object = parsed->getAsObject();
  StringRef method = object ? object->getString("method").value_or("") : "";
  if (const json::Value *id = object ? object->get("id") : nullptr;
      id && method.starts_with("mlir/convert"))
    return {
        {},
        {errorAnswer(*id, requestFailed,
                     "bytecode is not converted here, as MLIR's reader crashes on damaged files; "
                     "tessera-opt FILE -o FILE.mlir reads it in a process of its own")}};
  json::Object *params = object ? object->getObject("params") : nullptr;
  json::Object *document = params ? params->getObject("textDocument") : nullptr;
  if (!document)
    return {{message.str()}, {}};
  std::lock_guard lock(mutex);
  std::string uri = document->getString("uri").value_or("").str();
  if (method == "textDocument/didClose") {
    documents.erase(uri);
    readings.drop(uri);
    hidden.erase(uri);
  } else if (std::optional<Place::What> what = whatIsAsked<Place>(method, *params)) {
    const json::Object *position = params->getObject("position");
    const json::Value *id = object->get("id");
    if (position && id)
      asked[textOf(*id)] = {uri, size_t(position->getInteger("line").value_or(0)),
                            size_t(position->getInteger("character").value_or(0)), *what};
  }
  bool opens = method == "textDocument/didOpen", changes = method == "textDocument/didChange";
  if (!opens && !changes)
    return {{message.str()}, {}};
  std::string &text = documents[uri];
  if (opens)
    text = document->getString("text").value_or("").str();
  else
    change(text, *params);
  readings.put(uri, text); // whose reader refuses what is too deep; while it reads, we look too
  std::optional<Refusal> error = refused(text);
  bool was = hidden.contains(uri);
  if (!error && !was)
    return {{message.str()}, {}};
  // From here on the server gets whole texts, until it has what the editor has.
  std::string shown = error ? "" : text;
  if (error)
    hidden.insert(uri);
  else
    hidden.erase(uri);
  if (opens)
    (*document)["text"] = shown;
  else
    (*params)["contentChanges"] = json::Array{json::Object{{"text", shown}}};
  return {{textOf(*parsed)}, {diagnosticOf(uri, error)}};
}

/// How long a hover waits for a text that was just changed.
constexpr std::chrono::milliseconds patience{50};

std::optional<std::string> Conversation::valueAt(const Place &place, const std::string &line,
                                                 size_t column) {
  std::optional<std::string> type =
      readings.typeAt(place.document, place.line, line, column, patience);
  return type ? std::optional("```mlir\n" + *type + "\n```") : std::nullopt;
}

json::Value Conversation::locationsAt(const Place &place, const std::string &line, size_t column) {
  std::vector<Name> names = readings.placesOf(place.document, place.line, line, column, patience);
  json::Array all;
  std::lock_guard lock(mutex);
  for (const Name &name : names) {
    bool asked = name.isUse ? place.what != Place::Definition : place.what != Place::Uses;
    auto text = textAt({place.document, name.line, 0});
    if (!asked || !text)
      continue;
    auto at = [&](size_t byte) {
      return json::Object{{"line", int64_t(name.line)},
                          {"character", int64_t(unitsOf(text->first, byte))}};
    };
    all.push_back(
        json::Object{{"uri", place.document},
                     {"range", json::Object{{"start", at(name.begin)}, {"end", at(name.end)}}}});
  }
  return all;
}

void Conversation::sendWithoutForeign(StringRef message, json::Value &parsed) {
  json::Object *params = parsed.getAsObject()->getObject("params");
  json::Array *all = params ? params->getArray("diagnostics") : nullptr;
  if (!all || all->empty())
    return later(message.str());
  *all = json::Array();
  readings.whenRead(params->getString("uri").value_or("").str(),
                    [this, given = message.str(), none = textOf(parsed)](bool isForeign) {
                      later(isForeign ? none : given);
                    });
}

void Conversation::settle() {
  constexpr std::chrono::seconds farewell{2};
  readings.settle(farewell);
}

std::string Conversation::toEditor(StringRef message) {
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed) {
    consumeError(parsed.takeError());
    return message.str();
  }
  json::Object *object = parsed->getAsObject();
  if (object && object->getString("method") == "textDocument/publishDiagnostics") {
    // What the server says of the empty text that it got would take our error from the editor.
    if (const json::Object *params = object->getObject("params"))
      if (std::lock_guard lock(mutex); hidden.contains(params->getString("uri").value_or("").str()))
        return "";
    if (later) {
      sendWithoutForeign(message, *parsed);
      return "";
    }
  }
  const json::Value *id = object ? object->get("id") : nullptr;
  std::unique_lock lock(mutex);
  auto found = id ? asked.find(textOf(*id)) : asked.end();
  if (found == asked.end() || !object->get("result"))
    return message.str();
  Place place = found->second;
  asked.erase(found);
  auto text = textAt(place);
  lock.unlock(); // reading takes a while, and the editor goes on
  if (place.what != Place::Hover) {
    const json::Array *known = object->getArray("result");
    if (text && (!known || known->empty()))
      (*object)["result"] = locationsAt(place, text->first, text->second);
    return textOf(*parsed);
  }
  json::Object *result = object->getObject("result"),
               *contents = result ? result->getObject("contents") : nullptr;
  std::string said = contents ? contents->getString("value").value_or("").str() : "";
  if (text && said.empty() && onName(text->first, text->second))
    said = valueAt(place, text->first, text->second).value_or("");
  std::optional<std::string> note;
  if (text) {
    note = noteAt(text->first, text->second);
    if (!note && onName(text->first, text->second))
      note = noteOf(said); // which shows the type
  }
  if (!note && !contents && !said.empty())
    note = "";
  if (!note)
    return message.str();
  std::string all = said.empty() || note->empty() ? said + *note : said + "\n\n" + *note;
  if (contents)
    (*contents)["value"] = all;
  else
    (*object)["result"] =
        json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", all}}}};
  return textOf(*parsed);
}

//===--- streams ------------------------------------------------------------------------------===//

Incoming tessera::lsp::readMessage(FILE *stream) {
  std::optional<size_t> length;
  std::string line;
  for (size_t lines = 0;;) {
    int c = std::fgetc(stream);
    if (c == EOF)
      return lines || !line.empty() ? Incoming{Incoming::Damaged, "the stream ends within a header"}
                                    : Incoming{Incoming::End, ""};
    if (c != '\n') {
      line += char(c);
      if (line.size() > mostHeaderBytes)
        return {Incoming::Damaged,
                cat("expects lines of a header of at most ", mostHeaderBytes, " bytes")};
      continue;
    }
    if (++lines > mostHeaderLines)
      return {Incoming::Damaged, cat("expects a header of at most ", mostHeaderLines, " lines")};
    StringRef header = StringRef(line).rtrim();
    if (header.empty())
      break;
    auto [name, value] = header.split(':');
    if (name.size() == header.size())
      return {Incoming::Damaged,
              "expects 'Content-Length: N' in a header, but got '" + printable(header) + "'"};
    if (name.trim().equals_insensitive("content-length")) {
      size_t given = 0;
      if (value.trim().getAsInteger(10, given) || given > mostMessageBytes)
        return {Incoming::Damaged,
                cat("expects Content-Length to be a number up to ", mostMessageBytes, ", but got '",
                    printable(value.trim()), "'")};
      length = given;
    }
    line.clear();
  }
  if (!length)
    return {Incoming::Damaged, "expects a header with 'Content-Length: N'"};
  // In pieces, so that memory is taken for what comes and not for what is announced.
  std::string message;
  while (message.size() < *length) {
    char piece[1 << 16];
    size_t got = std::fread(piece, 1, std::min(sizeof(piece), *length - message.size()), stream);
    if (got == 0)
      return {Incoming::Damaged, cat("the stream ends after ", message.size(), " of ", *length,
                                     " bytes of a message")};
    message.append(piece, got);
  }
  return {Incoming::Message, std::move(message)};
}

namespace {
/// Both threads answer the editor.
std::mutex writing;

void writeMessage(FILE *stream, const std::string &message) {
  std::lock_guard lock(writing);
  std::fprintf(stream, "Content-Length: %zu\r\n\r\n", message.size());
  std::fwrite(message.data(), 1, message.size(), stream);
  std::fflush(stream);
}
} // namespace

int tessera::lsp::serve(const std::function<int()> &server, const Reader &reader,
                        const Refuser &refuser,
                        const std::function<void(int code, std::string_view last)> &leave) {
  int down[2], up[2]; // to the server, and back
  if (pipe(down) != 0 || pipe(up) != 0)
    return std::perror("tessera-lsp-server: cannot make a pipe"), 1;
  pid_t child = fork();
  if (child < 0)
    return std::perror("tessera-lsp-server: cannot start a process"), 1;
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
  if (!toServer || !fromServer)
    return std::perror("tessera-lsp-server: cannot open a stream"), 1;
  // Never destroyed: its threads go on while an exception leaves this function.
  auto &conversation = *new Conversation(
      reader, [](const std::string &message) { writeMessage(stdout, message); }, refuser);
  static std::atomic<bool> damaged = false;
  // The editor's side may wait forever in a read, so its thread is detached and still there when
  // this function returns.
  std::thread([&conversation, toServer] {
    for (;;) {
      Incoming message = readMessage(stdin);
      if (message.what == Incoming::Damaged) {
        damaged = true;
        std::fprintf(stderr, "tessera-lsp-server: %s\n", message.text.c_str());
      }
      if (message.what != Incoming::Message)
        break;
      Conversation::Passed passed = conversation.fromEditor(message.text);
      for (const std::string &one : passed.toServer)
        writeMessage(toServer, one);
      for (const std::string &one : passed.toEditor)
        writeMessage(stdout, one);
    }
    std::fclose(toServer);
  }).detach();
  for (;;) {
    Incoming message = readMessage(fromServer);
    if (message.what != Incoming::Message)
      break;
    if (std::string answer = conversation.toEditor(message.text); !answer.empty())
      writeMessage(stdout, answer);
  }
  int status = 0;
  waitpid(child, &status, 0);
  conversation.settle();
  std::fflush(stdout);
  std::string why;
  if (WIFSIGNALED(status))
    why =
        cat("tessera-lsp-server: MLIR's language server crashed (signal ", WTERMSIG(status), ")\n");
  // `leave` ends the process without the destructors of what that thread uses.
  int code = WIFEXITED(status) && !damaged ? WEXITSTATUS(status) : 1;
  leave(code, why);
  return code;
}
