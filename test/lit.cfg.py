# lit's configuration of test/ir; the folders of a build come from lit.site.cfg.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess

import lit.formats

config.name = "tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ir")
config.test_exec_root = os.path.join(config.tessera_test_build, "ir")

# tessera, tessera-opt; FileCheck, not, split-file.
config.environment["PATH"] = os.pathsep.join(
    [config.tessera_tools, config.llvm_tools, config.environment.get("PATH", "")])
# Sanitizers' options reach the tools; what chooses a ptxas or a GPU does not.
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Each test compiles; test/ir/cli-cache.test names a folder of its own.
config.environment["TESSERA_CACHE_DIR"] = ""

# %fakecuda: a libcuda that runs nothing (test/run/FakeCuda.cpp).
config.substitutions.append(("%fakecuda", os.path.join(config.tessera_test_build, "run", "libfakecuda.so")))

# Whether pdflatex can make a page of a picture.
if shutil.which("pdflatex") and not subprocess.run(
        ["kpsewhich", "standalone.cls", "tikz.sty", "helvet.sty", "ecrm1000.tfm"], capture_output=True).returncode:
    config.available_features.add("pdflatex")

# A static build has two programs fewer (tools/CMakeLists.txt).
if os.path.exists(os.path.join(config.tessera_tools, "tessera-reduce")):
    config.available_features.add("shared-llvm")

# Whether the tests can make a repository.
if shutil.which("git"):
    config.available_features.add("git")

# %exits CODE COMMAND...: the command ends with this very code, which a crash does not.
config.substitutions.append(("%exits", "bash -c 'code=$1; shift; \"$@\"; test $? -eq $code' exits"))
