#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes dumps as another release of CuTe DSL or a hand would, and asks every tool that reads them for an answer.

  utils/mutate-dumps.py build/dev/bin [FILE...]              32 mutants of the files (default: $TESSERA_CORPUS, else examples/ and test/ir)
  utils/mutate-dumps.py build/dev/bin --count 10000 --seed 7  more of them, other ones

A mutant has one change: an attribute dropped, an op renamed, a number changed, a line cut off, an op twice, a type for another, a
value for another, an attribute added. utils/fuzz-ir.py damages texts in any place; here they stay texts of MLIR as far as they can.
One of the tools reads it: tessera-opt, `tessera compile`, `tessera layout --from`, tessera-reduce, the language server. Right is a result,
or an error: with its place in the file, in fewer than 20 lines, by an exit code below 100, within 60 seconds. What is not right is kept in FOLDER
(--keep, default: build/mutants) and listed with its seed. Exit code 1 if there was any.
"""
import argparse
import collections
import importlib.util
import json
import lzma
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import turn

root = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location('fuzz_ir', root / 'utils/fuzz-ir.py')
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)

most_lines, most_seconds = 20, 60
upstream = re.compile(r'LLVM ERROR: out of memory')  # a shape of 2^60 elements that upstream's `vector` takes

ATTRIBUTE = re.compile(r'(?<=[{,<] )?\b[a-zA-Z_][\w.]* = (?:#?[\w.]+(?:<[^<>]*>)?|"[^"\n]*"|\[[^\]\n]*\]|-?\d+(?: : \w+)?)(?:, )?')
OP = re.compile(r'\b(?:cute|cute_nvgpu|cuda|nvvm|arith|scf|vector|llvm|math|cf|func|gpu)\.[\w.]*\w')
TYPES = re.compile(r'![\w.]+(?:<(?:[^<>\n]|<[^<>\n]*>)*>)?|\b(?:i1|i8|i16|i32|i64|f16|bf16|f32|f8E4M3FN)\b')
VALUE = re.compile(r'%[\w]+(?:#\d+)?')


def other(pattern, text, rng):
    """A match, and the text of another one."""
    found = list(pattern.finditer(text))
    if len(found) < 2:
        return None
    at = rng.choice(found)
    return at.start(), at.end(), rng.choice(found)[0]


def drop_attribute(text, rng):
    found = list(ATTRIBUTE.finditer(text))
    at = rng.choice(found) if found else None
    return at and (at.start(), at.end(), '')


def rename_op(text, rng):
    found = list(OP.finditer(text))
    at = rng.choice(found) if found else None
    if not at:
        return None
    name, spot = at[0], rng.randrange(5, len(at[0]))
    new = rng.choice([name[:spot] + name[spot + 1:], name + '.new', name[:spot] + 'x' + name[spot:], rng.choice(found)[0]])
    return at.start(), at.end(), new


def add_attribute(text, rng):
    """As newer releases do: on an op that has some."""
    found = [m for m in re.finditer(r'<?\{(?=\w)', text)]
    at = rng.choice(found) if found else None
    return at and (at.end(), at.end(), rng.choice(['new_flag = true, ', 'smem.new = 2 : i32, ', 'mode = #cute.new<a>, ', 'unit, ', 'kind = 3 : i32, ']))


def operand(text, rng):
    return other(VALUE, text, rng)


def types(text, rng):
    return other(TYPES, text, rng)


def space(text, rng):
    found = list(fuzz.SPACE.finditer(text))
    at = rng.choice(found) if found else None
    return at and (at.start(), at.end(), rng.choice(fuzz.SPACES))


changes = {
    'attribute dropped': drop_attribute, 'attribute added': add_attribute, 'op renamed': rename_op,
    'number': fuzz.one_of(fuzz.NUMBER, lambda old, found, rng: rng.choice(fuzz.NUMBERS + [found[0][0], str(int(old) + 1)])),
    'line cut off': fuzz.drop_line, 'op twice': fuzz.repeat_line, 'type': types, 'value': operand, 'space': space,
    'tuple': fuzz.one_of(fuzz.TUPLE, lambda old, found, rng: rng.choice(found)[0]), 'end': fuzz.truncate,
}


def target(name):
    for word, arch in (('geforce', 'sm_120a'), ('hopper', 'sm_90a'), ('blackwell', 'sm_100a')):
        if word in name:
            return arch
    return 'sm_80'


def ask(command, **more):
    """(exit code or None, stderr) of a command at low priority."""
    try:
        done = subprocess.run(['nice', '-n', '15', *map(str, command)], capture_output=True, timeout=most_seconds, **more)
    except subprocess.TimeoutExpired:
        return None, f'no answer in {most_seconds} s'
    return done.returncode, done.stderr.decode('utf-8', 'replace')


def lines_with_values(text):
    return [i + 1 for i, line in enumerate(text.splitlines()) if re.match(r'\s*(%[\w:]+(, )?)+ = |!\w+ = ', line)]


class Tools:
    def __init__(self, folder):
        self.folder = folder
        self.all = {'tessera-opt': self.opt, 'compile': self.compile, 'layout --from': self.layout, 'tessera-reduce': self.reduce,
                    'language server': self.server}

    def opt(self, path, text, rng, name):
        return ask([self.folder / 'tessera-opt', path, '-o', os.devnull])

    def compile(self, path, text, rng, name):
        return ask([self.folder / 'tessera', 'compile', path, '--arch', target(name), '--no-cache', '-o', os.devnull])

    def layout(self, path, text, rng, name):
        line = rng.choice(lines_with_values(text) or [1])
        return ask([self.folder / 'tessera', 'layout', '--from', f'{path}:{line}'])

    def reduce(self, path, text, rng, name):
        test = path.with_name('interesting.sh')
        test.write_text('#!/bin/sh\nexit 0\n')
        test.chmod(0o700)
        # mlir-reduce of LLVM 22 does not give back its copy of a file that is of no interest.
        kept = dict(os.environ, ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0')
        return ask([self.folder / 'tessera-reduce', path, f'--opt-reduction-pass=opt-pass=symbol-dce test={test}', '-o', os.devnull], env=kept)

    def server(self, path, text, rng, name):
        """An editor opens the file, asks for some hovers and leaves; it has to get an answer to each."""
        uri, messages = f'file://{path}', []
        rows = text.splitlines()
        asked = [rng.choice(lines_with_values(text) or [1]) - 1 for _ in range(3)]
        for i, line in enumerate(asked):
            column = rows[line].find('%') + 1 if line < len(rows) else 0
            messages.append({'id': i + 2, 'method': 'textDocument/hover',
                             'params': {'textDocument': {'uri': uri}, 'position': {'line': line, 'character': max(0, column)}}})
        messages = [{'id': 1, 'method': 'initialize', 'params': {'processId': None, 'rootUri': None, 'capabilities': {}}},
                    {'method': 'textDocument/didOpen',
                     'params': {'textDocument': {'uri': uri, 'languageId': 'mlir', 'version': 1, 'text': text}}},
                    *messages, {'id': 9, 'method': 'shutdown', 'params': None}, {'method': 'exit', 'params': None}]
        sent = b''
        for message in messages:
            body = json.dumps({'jsonrpc': '2.0', **message}).encode()
            sent += b'Content-Length: %d\r\n\r\n%s' % (len(body), body)
        try:
            done = subprocess.run(['nice', '-n', '15', str(self.folder / 'tessera-lsp-server')], input=sent, capture_output=True, timeout=most_seconds)
        except subprocess.TimeoutExpired:
            return None, f'no answer in {most_seconds} s'
        answered = set(map(int, re.findall(rb'"id":(\d+)', done.stdout)))
        if done.returncode == 0 and not answered >= {1, 2, 3, 4, 9}:
            return 200, f'answers to {sorted(answered)} of [1, 2, 3, 4, 9]'
        return done.returncode, done.stderr.decode('utf-8', 'replace') if done.returncode else ''


def wrong(tool, code, said):
    """Why that is not an answer; an empty string if it is."""
    if code is None:
        return said
    if code < 0 or code >= 100:
        return fuzz.head_of(code, said)
    if code == 0 or tool == 'language server':
        return ''
    errors = [line for line in said.splitlines() if 'error' in line]
    if not errors:
        return f'exit code {code} without an error: {said[-200:]}'
    # What is not about a place of the file is a sentence by itself.
    if not any(re.search(r':\d+:\d+: error: |^(Error: |error: )|^loc\(', line) for line in errors):
        return f'an error without a place: {errors[0][:200]}'
    if 'a pass of Tessera made an op that does not verify' in said:
        return f'made an invalid op: {errors[0][:200]}'
    if len(said.splitlines()) >= most_lines:
        return f'{len(said.splitlines())} lines for an error: {errors[0][:160]}'
    return ''


def kind_of(why):
    return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"|/\S+", '_', why)[:120]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('tools', type=pathlib.Path)
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=32)
    parser.add_argument('--of', type=int, default=1, help='only every OF-th mutant, others each day (turn.py)')
    parser.add_argument('--seconds', type=float, default=float('inf'), help='end before the count is reached')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--first', type=int, default=0, help='the number of the first mutant, to see one again')
    parser.add_argument('--tool', default='', help='only tools with this word in their name')
    parser.add_argument('--largest', type=int, default=600_000, help='leave out files of more bytes (default: %(default)s)')
    parser.add_argument('--keep', type=pathlib.Path, default=root / 'build/mutants')
    options = parser.parse_args()
    files = options.files
    if not files and (corpus := os.environ.get('TESSERA_CORPUS')):
        files = sorted(pathlib.Path(corpus).glob('*/input*.mlir*'))
    if not files:
        files = sorted([*root.glob('examples/*.mlir'), *root.glob('test/ir/ops-*.mlir')])
    texts = []
    for path in files:
        text = (lzma.decompress(path.read_bytes()) if path.suffix == '.xz' else path.read_bytes()).decode()
        if len(text) <= options.largest:
            texts.append((f'{path.parent.name}/{path.name}', text))
    tools = {name: f for name, f in Tools(options.tools.resolve()).all.items() if options.tool in name}
    print(f'mutate-dumps: seed {options.seed}, mutants {options.first} to {options.first + options.count - 1} of {len(texts)} files', flush=True)
    options.keep.mkdir(parents=True, exist_ok=True)
    bad, made, started = collections.Counter(), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in turn.share(range(options.first, options.first + options.count), options.of):
            if time.monotonic() - started > options.seconds:
                break
            rng = random.Random(f'{options.seed}:{number}')
            # Small files more often: what is not about size shows there too, and sooner.
            name, text = min(rng.sample(texts, min(2, len(texts))), key=lambda one: len(one[1]) * rng.random())
            change, tool = rng.choice(list(changes)), rng.choice(list(tools))
            edit = changes[change](text, rng)
            if not edit:
                continue
            mutant = fuzz.apply(text, [edit])
            if fuzz.UPSTREAM.search(mutant):
                continue
            made += 1
            path = pathlib.Path(folder) / 'mutant.mlir'
            path.write_text(mutant)
            why = wrong(tool, *tools[tool](path, mutant, rng, name))
            if not why or upstream.search(why):
                continue
            bad[kind_of(why)] += 1
            if bad[kind_of(why)] > 3:
                continue
            kept = options.keep / f'{options.seed}-{number}.mlir'
            kept.write_text(mutant)
            print(f'{kept} ({tool}; {name}; {change}: {text[edit[0]:edit[1]][:50]!r} -> {edit[2][:50]!r})\n  {why}', flush=True)
    print(f'mutate-dumps: {made} mutants in {time.monotonic() - started:.0f} s, {sum(bad.values())} wrong answers of {len(bad)} kinds')
    for kind, count in bad.most_common():
        print(f'  {count:4} {kind}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
