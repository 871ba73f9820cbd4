"""Where the headers and examples of CUTLASS are: TESSERA_CUTLASS names a checkout, or an archive (.tar.xz) of one.

An archive has one folder with `include` and what else a test reads. It is unpacked once for each folder of a test.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess
from pathlib import Path


def checkout(folder):
    """The checkout, unpacked below `folder` if it is an archive; None if the variable is not set."""
    named = os.environ.get("TESSERA_CUTLASS")
    if not named:
        return None
    source = Path(named)
    if source.is_file():
        state = source.stat()
        # Whole or not there: another archive, and one whose unpacking was interrupted, is unpacked again.
        source = Path(folder) / f"cutlass-{state.st_size}-{int(state.st_mtime)}"
        if not source.is_dir():
            part = source.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            subprocess.run(["tar", "-xf", named, "-C", part], check=True)
            part.rename(source)
        source = next((path.parent for path in source.glob("*/include")), source)
    if not (source / "include").is_dir():
        raise SystemExit(f"TESSERA_CUTLASS is {named}, but expected a checkout of CUTLASS with the folder include, or a .tar.xz of one")
    return source
