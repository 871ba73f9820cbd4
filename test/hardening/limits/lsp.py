#!/usr/bin/env python3
"""What tessera-lsp-server does with messages that no editor sends: lsp.py SERVER. It answers with an error, or ends with a
reason and exit code 1; it never crashes, hangs, or takes the memory that a header promises."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import random
import resource
import subprocess
import sys

SERVER = sys.argv[1]
wrong = []
if "TESSERA_SANITIZED" in os.environ:  # whose shadow takes most addresses; this is of memory
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":hard_rss_limit_mb=2048"


def message(body, length=None):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body) if length is None else length, body)


def request(method, params, number=None):
    return message({"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})})


START = request("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1) + request("initialized", {})
END = request("shutdown", None, 99) + request("exit", None)


def opened(text, uri="test:///a.mlir"):
    return request("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}})


def changed(changes, version=2, uri="test:///a.mlir"):
    return request("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})


def limit():
    # What a header announces must not be taken: the server with its libraries needs less than this.
    if "TESSERA_SANITIZED" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def session(data):
    """Exit code, messages that came, and stderr; code None where it did not end."""
    process = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    try:
        out, err = process.communicate(data, timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return None, [], process.communicate()[1].decode(errors="replace")
    messages = []
    while out:
        header, _, rest = out.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        messages.append(json.loads(rest[:length]))
        out = rest[length:]
    return process.returncode, messages, err.decode(errors="replace")


def expect(name, data, code, said="", answered=None):
    got, messages, err = session(data)
    if got != code:
        wrong.append(f"{name}: exit code {got}, expected {code}; {err[-300:]}")
    if said not in err:
        wrong.append(f"{name}: expected '{said}' on stderr, but got '{err[-300:]}'")
    if answered and not any(answered(m) for m in messages):
        wrong.append(f"{name}: no message is the expected one among {str(messages)[-600:]}")


def is_error(number):
    return lambda m: m.get("error", {}).get("code") == number


def has_diagnostic(words, line):
    return lambda m: m.get("method") == "textDocument/publishDiagnostics" and any(
        words in d["message"] and d["range"]["start"]["line"] == line for d in m["params"]["diagnostics"])


# Headers.
expect("length of 2^64-1", b"Content-Length: 18446744073709551615\r\n\r\n{}", 1, "expects Content-Length to be a number up to")
expect("length of 2^64", b"Content-Length: 18446744073709551616\r\n\r\n{}", 1, "expects Content-Length")
expect("negative length", b"Content-Length: -1\r\n\r\n{}", 1, "but got '-1'")
expect("no number", b"Content-Length: \x1b[31m\r\n\r\n{}", 1, "\\x1b[31m")
expect("no length", b"Content-Type: a\r\n\r\n{}", 1, "expects a header with 'Content-Length: N'")
expect("no header", b"\r\n\r\n", 1, "expects a header")
expect("no colon", b"hello\r\n\r\n", 1, "but got 'hello'")
expect("a long line", b"A" * 100000, 1, "expects lines of a header of at most 1024 bytes")
expect("many lines", b"A: b\r\n" * 1000, 1, "expects a header of at most 64 lines")
expect("cut header", b"Content-Le", 1, "ends within a header")
expect("cut message", message(b"{}", 200000000), 1, "the stream ends after 2 of 200000000 bytes")
expect("cut message after a whole one", START + message(b"{}", 10), 1, "the stream ends after 2 of 10 bytes")

# JSON.
deep = b"[" * 200000 + b"]" * 200000
expect("JSON 200,000 deep", START + message(deep) + END, 0, answered=is_error(-32700))
expect("objects 200,000 deep", START + message(b'{"a":' * 200000 + b"1" + b"}" * 200000) + END, 0, answered=is_error(-32700))
expect("no JSON", START + message(b"\xff\xfe{") + END, 0, answered=is_error(-32700))
expect("empty message", START + message(b"") + END, 0, answered=is_error(-32700))
for odd in ([], 5, None, "a", {"method": 5}, {"params": []}, {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 5}}):
    got, _, err = session(START + message(odd) + END)
    if got is None or got < 0 or "crash" in err:
        wrong.append(f"{odd}: exit code {got}, {err[-200:]}")

# Files.
nested = "module {\n" + "scf.if %c {\n" * 5000 + "}\n" * 5000 + "}\n"
expect("regions 5,000 deep", START + opened(nested) + END, 0,
       answered=has_diagnostic("lie at most 256 deep in each other", 256))
expect("a file that becomes deep and shallow again",
       START + opened("module {}\n") + changed([{"text": nested}]) + changed([{"text": "module {} nonsense"}], 3) + END, 0,
       answered=lambda m: m.get("method") == "textDocument/publishDiagnostics" and any(
           "custom op 'nonsense'" in d["message"] or "expected" in d["message"] for d in m["params"]["diagnostics"]))
expect("bytecode", START + request("mlir/convertFromBytecode", {"uri": "test:///a.mlirbc"}, 7) + END, 0, answered=is_error(-32803))

# Noise, the same in every run.
random.seed(17)
for i in range(40):
    noise = bytes(random.randrange(256) for _ in range(random.randrange(1, 2000)))
    whole = START + (message(noise) if i % 2 else noise) + END
    got, _, err = session(whole if i % 4 < 2 else whole[:random.randrange(len(whole))])
    if got not in (0, 1):
        wrong.append(f"noise {i}: exit code {got}, {err[-200:]}")

for line in wrong:
    print(line)
print(f"lsp: {'wrong: %d' % len(wrong) if wrong else 'as it should be'}")
sys.exit(bool(wrong))
