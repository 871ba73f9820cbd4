#!/usr/bin/env python3
"""A session of an editor with tessera-lsp-server: session.py SERVER. Expected values are written here by hand."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess
import sys

TEXT = '''func.func @f(%v: !cute.memref<f16, smem, align<16>, S<1,1,2>, "(2,4):(4,1)">) -> !cute.layout<"(3,5):(1,7)"> {
  %l = cute.static : !cute.layout<"(3,5):(1,7)">
  return %l : !cute.layout<"(3,5):(1,7)">
}
'''
URI = "test:///a.mlir"


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.notes = []  # what the server says without being asked

    def send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.count += 1
        self.send(method, params, id=self.count)
        while (message := self.receive()).get("id") != self.count:
            self.notes.append(message)
        return message["result"]

    def diagnostics(self):
        """Those of the last change, which the server sends by itself."""
        while not self.notes or self.notes[-1].get("method") != "textDocument/publishDiagnostics":
            self.notes.append(self.receive())
        return [d["message"] for d in self.notes.pop()["params"]["diagnostics"]]


def at(text, what, offset=0):
    """The place of a word's first occurrence."""
    before = text[:text.index(what) + offset]
    return {"line": before.count("\n"), "character": len(before) - (before.rfind("\n") + 1)}


def main():
    server = Server(sys.argv[1])
    wrong = []

    def expect(what, good, got):
        if not good:
            wrong.append(f"{what}: {got}")

    def hover(text, what, offset=0):
        result = server.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": at(text, what, offset)})
        return result["contents"]["value"] if result else ""

    def places(text, method, what, offset=0, **more):
        """Lines and columns of the answer."""
        result = server.ask(f"textDocument/{method}", {"textDocument": {"uri": URI}, "position": at(text, what, offset), **more})
        return [(one["range"]["start"]["line"], one["range"]["start"]["character"], one["range"]["end"]["character"]) for one in result]

    able = server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    expect("capabilities", able.get("hoverProvider") and able.get("completionProvider"), able)
    server.send("initialized", {})
    server.send("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": TEXT}})
    expect("no diagnostics", server.diagnostics() == [], "some")

    # 3 * 5 coordinates; the largest offset is 2 + 4 * 7 = 30.
    said = hover(TEXT, '(3,5)', 2)
    expect("a layout", "size 15" in said and "cosize 31" in said, said)
    expect("its picture", "2  9 16 23 30" in said, said)
    # Bit 3 of the offset is exclusive-ored into bit 1; 7 is the largest offset, so no bit 3 is ever set.
    said = hover(TEXT, '(2,4)')
    expect("after a swizzle", "S<1,1,2> o 0 o (2,4):(4,1)" in said and "size 8" in said, said)
    # On the word of a type, its layout; on a value, what MLIR says and its layout.
    said = hover(TEXT, 'cute.layout')
    expect("a type", "size 15" in said, said)
    said = hover(TEXT, '%l')
    expect("a value", "cute.static" in said and "size 15" in said, said)
    expect("its definition", places(TEXT, "definition", "return %l", 8) == [(1, 2, 4)], places(TEXT, "definition", "return %l", 8))
    said = hover(TEXT, 'func.func')
    expect("nothing to add", "size" not in said, said)

    # A change of a few characters: another layout, and a mistake.
    place = at(TEXT, '"(3,5):(1,7)">\n', 0)
    wrongly = TEXT.replace('cute.static : !cute.layout<"(3,5):(1,7)">', 'cute.static : !cute.layout<"(3,5):(1,-)">')
    position = at(TEXT, '7)">\n')
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [
        {"range": {"start": position, "end": {**position, "character": position["character"] + 1}}, "text": "-"}]})
    messages = server.diagnostics()
    expect("a diagnostic", any("stride" in m or "expected" in m or "expects" in m for m in messages), messages)
    expect("no note on it", "size" not in hover(wrongly, '(1,-)'), "a note")
    longer = TEXT.replace("(3,5):(1,7)", "(3,6):(1,7)")
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": longer}]})
    expect("mended", server.diagnostics() == [], "diagnostics")
    said = hover(longer, '(3,6)', 1)
    expect("the new layout", "size 18" in said and "cosize 38" in said, said)

    # Completion knows the dialects' ops.
    started = longer.replace("  return", "  cute.\n  return")
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 4}, "contentChanges": [{"text": started}]})
    server.diagnostics()
    items = server.ask("textDocument/completion", {"textDocument": {"uri": URI}, "position": at(started, "cute.\n", 5)})
    labels = [item["label"] for item in items["items"]]
    expect("completion", any("composition" in label for label in labels), labels[:20])

    # A dump of CuTe DSL, which MLIR's server cannot read: no diagnostics, and values have their types, also while it is changed.
    dump = ('''"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    %3 = "cute.static"() : () -> !cute.layout<"(3,5):(1,7)">
    %4:2 = "cute.get_leaves"(%5) : (!cute.shape<"(8,9)">) -> (!cute.shape<"8">, !cute.shape<"9">)
    %6 = "nvvm.mbarrier.of.yore"(%4#1, %3) <{x = #nvvm<what ever>}> : (!cute.shape<"9">, !cute.layout<"(3,5):(1,7)">) -> i32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
''').replace("(%5)", "(%2)").replace("    %3 =", '    %2 = "cute.static"() : () -> !cute.shape<"(8,9)">\n    %3 =')
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 5}, "contentChanges": [{"text": dump}]})
    expect("no diagnostics of a dump", server.diagnostics() == [], "some")
    said = hover(dump, "%3")
    expect("a value of a dump", '!cute.layout<"(3,5):(1,7)">' in said and "size 15" in said, said)
    said = hover(dump, "%3)", 1)
    expect("its use", '!cute.layout<"(3,5):(1,7)">' in said, said)
    said = hover(dump, "%6")
    expect("a number", "i32" in said and "size" not in said, said)
    said = hover(dump, "%4#1", 1)
    expect("a second result", '!cute.shape<"9">' in said, said)
    expect("no value", hover(dump, "sym_name") == "", "a note")
    got = places(dump, "definition", "%3)", 1)
    expect("where a value of a dump is defined", got == [(3, 4, 6)], got)
    got = places(dump, "definition", "%4#1", 1)
    expect("where a second result is defined", got == [(4, 4, 6)], got)
    column = dump.splitlines()[4].index("(%2)") + 1
    got = places(dump, "references", "%2 = ", context={"includeDeclaration": True})
    expect("a value and its uses", got == [(2, 4, 6), (4, column, column + 2)], got)
    got = places(dump, "references", "(%2)", 1, context={"includeDeclaration": False})
    expect("its uses", got == [(4, column, column + 2)], got)
    expect("no definition", places(dump, "definition", "sym_name") == [], "one")
    # Each function has names of its own; the first has a character of two units of UTF-16 before the use.
    function = '''  "func.func"() <{{function_type = () -> (), sym_name = "{}"}}> ({{
    %3 = "cute.static"() : () -> !cute.layout<"(3,5):(1,7)">
    "nvvm.of.yore"() <{{x = "{}"}}> : () -> () "nvvm.of.yore"(%3) <{{x = #nvvm<what ever>}}> : (!cute.layout<"(3,5):(1,7)">) -> ()
    "func.return"() : () -> ()
  }}) : () -> ()
'''
    pair = '"builtin.module"() ({\n' + function.format("f", "\U0001d400") + function.format("g", "b") + "}) : () -> ()\n"
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 5}, "contentChanges": [{"text": pair}]})
    server.diagnostics()
    for line, wide in ((2, 1), (7, 0)):
        column = pair.splitlines()[line + 1].index("%3") + wide
        asked = {"textDocument": {"uri": URI}, "position": {"line": line, "character": 4}, "context": {"includeDeclaration": False}}
        got = [one["range"]["start"] for one in server.ask("textDocument/references", asked)]
        expect(f"uses in the function of line {line}", got == [{"line": line + 1, "character": column}], got)
    broken = dump.replace("%2 = ", "\n%2 = (")
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 6}, "contentChanges": [{"text": broken}]})
    expect("diagnostics of a broken dump", server.diagnostics() != [], "none")
    said = hover(broken, "%3")
    expect("a value as it was", '!cute.layout<"(3,5):(1,7)">' in said, said)

    # Types that only uses state, in our own spelling: what the compiler reads, editors do. Every second column of the sliced
    # mode, 8 * 16 apart; the uses say less than the slice would.
    weaker = ('''func.func @f(%l: !cute.layout<"(4,?{div=8}):(1,?{div=16})">, %c: !cute.coord<"(0,_)">, %k: !cute.layout<"(3,5):(1,7)">) -> !cute.layout<"(?):(?)"> {
  %r = cute.slice(%l, %c) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">
  %s = cute.size(%r) : (!cute.layout<"(?):(?)">) -> !cute.int_tuple<"?">
  return %r : !cute.layout<"(?):(?)">
}
''')
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 7}, "contentChanges": [{"text": weaker}]})
    expect("no diagnostics of weaker types", server.diagnostics() == [], "some")
    for what, offset in (("%r = ", 0), ("(%r)", 1), ("return %r", 7)):
        said = hover(weaker, what, offset)
        expect(f"a weaker type at {what}", '!cute.layout<"(?):(?)">' in said, said)
    said = hover(weaker, "%s")
    expect("what follows from it", '!cute.int_tuple<"?">' in said, said)
    said = hover(weaker, "%k")
    expect("a value beside it", "size 15" in said, said)

    # What would end MLIR's parser is an error at its place, and no end of the server.
    deadly = "func.func private @f() attributes {a = array < index: 1>}\n"
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 8}, "contentChanges": [{"text": deadly}]})
    messages = server.diagnostics()
    expect("an array of index", [m for m in messages if "array<...>, but got index" in m] == messages != [], messages)
    server.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 9}, "contentChanges": [{"text": deadly.replace("index", "i32")}]})
    expect("one of i32", server.diagnostics() == [], "some")

    server.ask("shutdown", None)
    server.send("exit", None)
    code = server.process.wait(10)
    expect("exit code", code == 0, code)
    print("\n".join(wrong) or "lsp: all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
