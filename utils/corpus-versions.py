#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files of the corpus are read and compiled, in each spelling, and whether spellings make the same PTX.

  utils/corpus-versions.py build/dev/bin                     compares with test/import/corpus-versions.tsv; exit code 1: differs
  utils/corpus-versions.py build/dev/bin --write             writes that file
  utils/corpus-versions.py build/dev/bin --only hopper       only the kernels with that word in their name
  utils/corpus-versions.py build/dev/bin --why               says what refused files are refused for, sorted by cause

A state is `refused` (tessera-opt does not read the file), `read` (it does, and `tessera compile` refuses it), or `ptx-N`: the N-th
of the different texts of PTX that the spellings of a kernel make, without names, lines and comments. A dump of several modules has several kernels,
of which the other spellings have the last one: `ptx-N of K` compares that one. Needs TESSERA_CORPUS; exit code 77 without.

Spellings of one release (`input` and `input_loc` of CuTe DSL 4.4, `input_pretty` and `input_loc_433` of 4.3.3) make one text. Where
releases differ, their programs do, by their ops before any pass: 4.3.3 chooses with arith.select where 4.4 branches (flash_attention_v2), waits for
barriers in another order (blackwell_dense_gemm) and has other constants (blackwell_fmha); `input_launch_func` has no precomputed divisors
(the persistent and grouped GEMMs), cluster arrivals and fences of its own (the Hopper and Blackwell GEMMs) and strides at run time (mla, blockscaled).
"""
import argparse
import collections
import concurrent.futures
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import turn

root = pathlib.Path(__file__).resolve().parent.parent
table = root / 'test/import/corpus-versions.tsv'


def target(kernel):
    """The architecture that a kernel of this name is for."""
    for word, arch in (('geforce', 'sm_120a'), ('hopper', 'sm_90a'), ('blackwell', 'sm_100a')):
        if word in kernel:
            return arch
    return 'sm_80'


def essence(ptx):
    """(the text of the last kernel, how many there are): without names, lines and comments; files and lines of assertions among them."""
    ptx = re.sub(r'//.*', '', ptx)
    ptx = re.sub(r'^.*\bassert_(?:file|function)_\d+\[.*$', '', ptx, flags=re.M)
    ptx = re.sub(r'(st\.param\.b32\s+\[param2\], )\d+', r'\g<1>LINE', ptx)
    ptx = re.sub(r'^\s*\.(loc|file|version|target|address_size)\b.*$', '', ptx, flags=re.M)
    head, *kernels = re.split(r'^(?=(?:\.visible\s+)?\.entry\b)', ptx, flags=re.M)
    if kernels:
        # What stands in front of the kernels belongs to those that name it; numbers in names count what is in the file.
        text = re.sub(r'\$L__BB\d+_', '$L_', kernels[-1])
        words = re.findall(r'[\w$]+', text)
        declared = {name: d for d in head.split(';')[:-1] for name in re.findall(r'([\w$]+)\s*[\[(]', d)[-1:] if name in words}
        text = ';'.join([*(declared[name] for name in sorted(declared, key=words.index)), text])
        for i, name in enumerate([re.search(r'\.entry\s+(\w+)', text)[1], *sorted(declared, key=words.index)]):
            text = re.sub(rf'(?<![\w$]){re.escape(name)}(?=\b|_param)', f'name{i}', text)
        head = text
    return re.sub(r'\s+', ' ', head), len(kernels)


def cause(log):
    """The first error, without what is of this file only."""
    found = re.search(r'error: (.*)', log)
    return re.sub(r"'[^']*'|\"[^\"]*\"|%\w+|\d+", '_', found[1])[:120] if found else 'no message'


def measure(tools, path, folder):
    """(kernel, spelling, state or PTX and its kernels, cause) of a file."""
    kernel, spelling = path.parent.name, path.name.split('.')[0]
    plain = folder / f'{kernel}.{spelling}.mlir'
    plain.write_bytes(lzma.decompress(path.read_bytes()) if path.suffix == '.xz' else path.read_bytes())
    read = subprocess.run([tools / 'tessera-opt', plain, '-o', os.devnull], capture_output=True, text=True)
    if read.returncode:
        return kernel, spelling, 'refused', cause(read.stderr)
    command = [tools / 'tessera', 'compile', plain, '--arch', target(kernel), '--no-cache', '--no-line-info']
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        return kernel, spelling, 'read', cause(made.stderr)
    return kernel, spelling, essence(made.stdout), ''


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('tools', type=pathlib.Path, help='the folder of tessera and tessera-opt')
    parser.add_argument('--write', action='store_true', help='write the table instead of comparing with it')
    parser.add_argument('--why', action='store_true', help='the causes of what is refused')
    parser.add_argument('--only', default='', help='only the kernels with this word in their name')
    parser.add_argument('--test', action='store_true', help='half of the kernels, another each day')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    corpus = os.environ.get('TESSERA_CORPUS')
    if not corpus:
        print('TESSERA_CORPUS is not set: nothing was read')
        return 77
    kernels = sorted(p.name for p in pathlib.Path(corpus).iterdir() if options.only in p.name and any(p.glob('input*.mlir*')))
    if options.test:
        kernels = turn.share(kernels, 2)
    files = [p for kernel in kernels for p in sorted(pathlib.Path(corpus, kernel).glob('input*.mlir*'))]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(lambda p: measure(options.tools, p, pathlib.Path(folder)), files))
    texts = collections.defaultdict(list)
    states = {}
    for kernel, spelling, state, _ in made:
        if state not in ('refused', 'read'):
            text, count = state
            if text not in texts[kernel]:
                texts[kernel].append(text)
            state = f'ptx-{texts[kernel].index(text) + 1}' + (f' of {count}' if count > 1 else '')
        states[kernel, spelling] = state
    spellings = sorted({spelling for _, spelling in states})
    for spelling in spellings:
        count = collections.Counter(re.sub(r'-.*', '', s) for (_, own), s in states.items() if own == spelling)
        print(f'{spelling:18}', ', '.join(f'{n} {state}' for state, n in sorted(count.items())))
    if options.why:
        for (state, why), n in collections.Counter((s if s in ('refused', 'read') else '', w) for *_, s, w in made).most_common():
            if state:
                print(f'{n:4} {state}: {why}')
    rows = {k: states[k] for k in sorted(states)}
    if options.write:
        table.write_text('kernel\tspelling\tstate\n' + ''.join(f'{k}\t{s}\t{state}\n' for (k, s), state in rows.items()))
        return 0
    known = {(k, s): state for k, s, state in (line.split('\t') for line in table.read_text().splitlines()[1:])
             if k in kernels}
    different = [k for k in sorted(known.keys() | rows.keys()) if known.get(k) != rows.get(k)]
    for key in different:
        print(f'{" ".join(key)}: {known.get(key)} -> {rows.get(key)}')
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main())
