#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two builds of one commit make the same PTX: where they do not, one of them reads memory that nobody wrote, or that is gone.

  utils/same-code.py PROGRAM OTHER [--jobs N]

Both are `tessera`, optimised differently. Inputs are those of utils/code-hashes.py, and the tile programs of examples/tile and of the
folder that TESSERA_CUTILE names. Exit code 1: they differ.
"""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location('code_hashes', root / 'utils/code-hashes.py')
code_hashes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(code_hashes)


def tile_programs(folder):
    """Yields (name, file, target) as code_hashes.inputs does."""
    for path in sorted((root / 'examples/tile').glob('*.tilebc')):
        yield f'examples/tile/{path.name}', path, 'sm_90a'
    if cutile := os.environ.get('TESSERA_CUTILE'):
        with tarfile.open(pathlib.Path(cutile) / 'samples.tar.xz') as archive:
            archive.extractall(folder, filter='data')
        for path in sorted(folder.glob('**/*.tilebc')):
            for target in ('sm_80', 'sm_90a', 'sm_100a'):
                yield f'samples/{path.name}', path, target


def ptx(tessera, path, target):
    """What a program makes of a file, or that it refuses it."""
    done = subprocess.run([tessera, 'compile', path, '--arch', target, '--no-cache', '-o', '-'], capture_output=True)
    return done.stdout if done.returncode == 0 else f'exit code {done.returncode}'.encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('other')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not os.access(options.other, os.X_OK):
        print(f'same-code: {options.other} is not built; nothing to compare with')
        return 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(folder)
        work = [*tile_programs(folder), *code_hashes.inputs(options.other, folder)]
        same = pool.map(lambda w: ptx(options.program, *w[1:]) == ptx(options.other, *w[1:]), work)
        different = [f'{name} for {target}' for (name, _, target), equal in zip(work, same) if not equal]
    for name in different:
        print(f'error: expected the same PTX from both builds, but it differs: {name}', file=sys.stderr)
    print(f'same-code: {len(work)} inputs, {len(different)} differ')
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main())
