# The things one does with Tessera, by name. `make` alone lists them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each target installs what is missing (utils/setup.sh), configures and builds its preset (utils/build.sh) and
# then does its work; what takes more than a line is a script of utils/.

MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
export TESSERA_STARTED := $(shell date +%s)

.PHONY: help python setup demo test test-long quality bench dist aarch64 old-glibc asan tsan roster clean
.DEFAULT_GOAL := help

help: ## List these targets
	@echo "Tessera: an open compiler for CuTe IR"
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo
	@echo "JOBS=N sets how many compilers run at once; TESSERA_SETUP=skip leaves the packages alone."

setup: ## Install what is missing, through apt
	@utils/setup.sh

demo: ## Compile the GEMM of examples/, run it on the GPU or on the CPU, check its numbers
	@utils/demo.sh --expected
	@SETUP_LABEL='[1/4] packages  ' utils/setup.sh
	@BUILD_LABEL='[2/4] build     ' utils/build.sh release tessera
	@utils/demo.sh build/release/bin/tessera

test: setup ## Build everything and run every test, of the longest ones a part of the cases
	@utils/build.sh dev
	@utils/test.sh dev

test-long: setup ## All cases of the long tests, many more random ones, the tour of docs/tour.md, rounds of faults, and fuzzers for a minute each
	@utils/build.sh dev
	@TESSERA_LONG=1 utils/test.sh dev
	@test/hardening/faults.py build/dev/bin build/dev/test/hardening/libtessera_faults.so --rounds 1000
	@utils/tour.py
	@utils/fuzz.sh 60
	@utils/fuzz-ir.py build/dev/bin/tessera --seconds 60 --seed $$RANDOM
	@utils/mutate-dumps.py build/dev/bin --count 1000 --seconds 300 --seed $$RANDOM

asan: setup ## The tests under the address and undefined-behaviour sanitizers
	@utils/build.sh asan
	@utils/test.sh asan

tsan: setup ## What threads do at once, under the thread sanitizer
	@utils/build.sh tsan tessera-hardening-threads tessera-hardening-compilers tessera-sim-test tessera-run-test tessera-cuda_driver-test \
	  tessera-program_capi-test tessera_libcuda
	@utils/test.sh tsan -R '^(hardening-threads|hardening-compilers|sim|run|cuda_driver|program_capi)$$'

python: setup ## Pack the Python package and its library into a wheel: dist/*.whl
	@utils/build.sh release tessera_program_capi tessera-worker
	@utils/glibc.py check 2.28 $$(find build/release/lib -maxdepth 1 -type f -name 'libtessera.so.*' -o -name tessera-worker -o -name tessera_call.abi3.so)
	@utils/wheel.py build/release/lib/libtessera.so.0.1.0

roster: setup ## List the ops, passes and diagnostics that no test names yet
	@utils/check-roster.py
	@utils/check-sentences.py

quality: setup ## Compare the code of every kernel with the last accepted values (needs ptxas 13.0)
	@utils/build.sh dev tessera tessera-dsl-test tessera-cute_cxx-test
	@utils/quality.py build/dev/bin/tessera

bench: setup ## Measure how long compiling takes
	@utils/build.sh release tessera tessera-opt
	@utils/bench.sh build/release/bin

dist: setup ## Make dist/tessera-linux-x86_64.xz, one binary that needs glibc 2.28 and nothing else
	@utils/build.sh dist tessera
	@utils/dist.sh build/dist/bin/tessera
	@utils/same-code.py build/dist/bin/tessera build/dev/bin/tessera

aarch64: ## Build the rooms without LLVM for AArch64 and run their tests under an emulator
	@utils/aarch64.sh

old-glibc: setup ## Run the portable binary and a wheel with the libraries of Debian 11, without what came after glibc 2.28
	@utils/build.sh dist tessera tessera_program_capi tessera-worker
	@rm -f build/dist/*.whl
	@utils/wheel.py build/dist/lib/libtessera.so.0.1.0 build/dist
	@utils/old-glibc.sh build/dist/bin/tessera build/dist/*.whl

clean: ## Remove build/ and dist/
	@rm -rf build dist
	@echo "clean: build/ and dist/ are gone"
