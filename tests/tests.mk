# The checks. Part of the Makefile.
#
# make check               builds and runs the suites and the small checks (needs Check and pkg-config)
# make asan, tsan          the suites under AddressSanitizer + UBSan; the threads under ThreadSanitizer
# make valgrind            a part of the suites and a short training under valgrind
# make examples-check      every example with short options against its recorded output, the ports of PyTorch's own
#                          tutorials against PyTorch's, statement by statement; examples-asan: with sanitizers
# make check-isa           the suites under each instruction set and with other thread counts
# make check-resume        a training that is killed 50 times and resumes each time
# make check-curriculum    train_classifier --curriculum learns under each instruction set (minutes)
# make check-install, check-amalgamation, check-ctypes    the ways to take the library
# make check-arm64, check-musl    under qemu; with another C library
# make interop             files and state dicts to a real PyTorch and back
# make sample-inputs       PyTorch's own sample inputs through PyTorch and through this library
# make bench, gemm-bench   how fast
# make fuzz                readers of files under libFuzzer

# The suites are in the folders of what they test; they are linked into one program.
suite_folders := support tensor kernels autograd func ops linalg nn optim io data distributions python plot vision \
    profiler
suite_folders += text
suite_folders += pandas
suite_folders += tensorboard loggers
suite_folders += sklearn
tests := $(foreach folder,$(suite_folders),$(shell find tests/$(folder) -name '*.c'))
link   = @mkdir -p $(@D) && $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
check_libs = $(shell pkg-config --libs check)
$(BUILD)/obj/tests/%.o: FOLDER_FLAGS = $(check_flags) -O0 -U_FORTIFY_SOURCE
check_flags := $(shell pkg-config --cflags check 2>/dev/null)

# ---- make check ----

tutorials := $(patsubst tests/tutorials/%.c,$(BUILD)/tests/tutorials/%,$(wildcard tests/tutorials/*.c))
programs := $(patsubst tests/programs/%.c,$(BUILD)/tests/%,$(wildcard tests/programs/*.c))

check: need-check all $(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(programs) $(tutorials)
	@$(MAKE) --no-print-directory -Otarget suites small-checks run-programs

need-check:
	@pkg-config --exists check || \
	    { echo "make check needs Check and pkg-config: apt-get install check pkg-config"; exit 1; }

$(BUILD)/tests/run: $(call objects,$(tests)) $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link) $(check_libs)
$(BUILD)/tests/%: $(BUILD)/obj/tests/programs/%.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link) -ldl
# The test of a tutorial's port: the classes of its folder against PyTorch's values for the tutorial's. char_gpt_files
# is a second program with char_gpt's classes.
replay := $(call objects,$(addprefix tests/support/,runner.c support.c golden.c output.c models/model_support.c \
    models/replay.c models/port_cases.c))
$(BUILD)/tests/tutorials/%: $(BUILD)/obj/tests/tutorials/%.o $$(call parts,$$(subst _files,,$$*)) $(replay) \
    $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link) $(check_libs)

# Each line of these is a process. Check would fork for each test, which costs more than most tests do: so all run in
# one process, and if that fails again with forks, so that the test is named even if it crashed. CK_FORK=yes make check
# has the forks at once.
suites: suite-4 suite-3 suite-ops suite-1 suite-2 $(patsubst $(BUILD)/tests/tutorials/%,tutorial-%,$(tutorials))
suite-%:
	$(call in_one_process,$(BUILD)/tests/run $(if $(filter ops,$*),ops functional_each,$*/4))
tutorial-%:
	$(call in_one_process,$(BUILD)/tests/tutorials/$*)
in_one_process = @out=$(BUILD)/$@.txt; CK_FORK=$${CK_FORK:-no} timeout $(LIMIT) $(RUN) $(1) > $$out 2>&1 && \
    cat $$out || \
    { $(RUN) $(1) && cat $$out; exit 1; }
LIMIT = 1200

small-checks: layers-check paths-check line-length-check library-check headers-check readme-check misuse-check \
    output-check step-check debugger-check profile-check tape-html-check parity-check reference-check
# Includes between folders, and include cycles. A wrong include that is planted must be found.
layers-check:
	tests/checks/check_layers.sh
	@cd $(BUILD) && mkdir -p planted/core/kernels planted/nn planted/optim && \
	    echo '#include "core/ops/ops.h"' > planted/core/kernels/planted.c
	@tests/checks/check_layers.sh $(BUILD)/planted 2>&1 | grep -q 'planted.c (core/kernels) must not include'
# The paths that pages and sources name. And a planted wrong path is found.
paths-check:
	tests/checks/check_paths.sh
	@printf 'See `core/ops/%s`.' planted.c > $(BUILD)/planted_path.md
	@tests/checks/check_paths.sh $(BUILD)/planted_path.md | grep -q 'planted.c, which does not exist'
# And a planted line of 121 columns is found; one of 120 characters in more bytes is none.
line-length-check:
	tests/checks/check_line_length.sh
	@printf '/* %0114d */\n/* \303\251%0113d */\n/* \303\251%0114d */\n' 0 0 0 > $(BUILD)/planted_line.c
	@tests/checks/check_line_length.sh $(BUILD)/planted_line.c > $(BUILD)/planted_line.log; \
	    [ "$$(cut -d' ' -f2,3 $(BUILD)/planted_line.log)" = "$(BUILD)/planted_line.c:3: 121" ] || \
	    { cat $(BUILD)/planted_line.log; echo "check_line_length: the planted line was not found"; exit 1; }
library-check:
	tests/checks/check_library.sh $(BUILD)/libtapegrad.so
headers-check:
	@if command -v $(CXX) >/dev/null; then $(CXX) -std=c++17 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only \
	    tests/programs/headers.cpp; fi
# The programs and tables of the pages, and the lines of the worked example: a planted wrong line must be found.
readme-check:
	CC="$(CC)" tests/checks/check_readme.sh $(BUILD)
	tests/checks/check_op_example.sh
	@sed 's/UNARY(sgn, sign(x))/UNARY(sgn, sing(x))/' README.md > $(BUILD)/planted.md
	@! tests/checks/check_op_example.sh $(BUILD)/planted.md > $(BUILD)/planted.log || \
	    { echo "check_op_example: the planted line was not found"; exit 1; }
misuse-check:
	CC="$(CC)" tests/checks/check_misuse.sh $(BUILD)
step-check:
	tests/checks/check_step.sh $(BUILD)
debugger-check:
	CC="$(CC)" tests/checks/check_debugger.sh $(BUILD)
profile-check: $(BUILD)/examples/backprop
	tests/checks/check_profile.sh $(BUILD)
tape-html-check: $(BUILD)/tests/tape_pages
	tests/checks/check_tape_html.sh $(BUILD)
output-check:
	tests/checks/check_same_output.sh $(BUILD)
parity-check:
	tests/checks/check_parity.sh
reference-check: $(BUILD)/reference.html $(BUILD)/cheatsheet.html
	tests/checks/check_reference.sh $(BUILD)

# The guide's programs print; the others say what they found.
guides := $(filter $(BUILD)/tests/guide%,$(programs))
run-programs: $(addsuffix .txt,$(guides)) $(BUILD)/tests/torture_callbacks
	$(BUILD)/tests/no_malloc
	$(BUILD)/tests/flat_memory
	$(BUILD)/tests/no_memory_text
	$(BUILD)/tests/address_space
	$(BUILD)/tests/fuzz_replay
	$(BUILD)/tests/torture_callbacks
$(addsuffix .txt,$(guides)): %.txt: %
	$< > $@

# ---- sanitizers, valgrind, examples, instruction sets ----

SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Two deliberate errors must be caught first: they show that the sanitizers work.
asan: need-check
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" build/asan/tests/run build/asan/tests/fuzz_replay \
	    build/asan/tests/sanitizer_selftest $(patsubst $(BUILD)/%,build/asan/%,$(tutorials))
	build/asan/tests/sanitizer_selftest release 2>&1 | grep -q heap-use-after-free
	build/asan/tests/sanitizer_selftest overflow 2>&1 | grep -q heap-buffer-overflow
	build/asan/tests/fuzz_replay
	$(MAKE) --no-print-directory -Otarget BUILD=build/asan suites

# The suite of threads and a short training, with more threads than most machines have processors.
tsan: need-check
	$(MAKE) BUILD=build/tsan CFLAGS="-O1 -g -fsanitize=thread" build/tsan/tests/run \
	    build/tsan/examples/train_classifier
	CK_FORK=no $(RACES) build/tsan/tests/run threads workers
	TAPEGRAD_NUM_THREADS=3 $(RACES) build/tsan/examples/train_classifier --samples 1024 --epochs 1 --d-model 128 \
	    --d-ff 512 > build/tsan/training.txt
RACES = env TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" timeout 300

# A short suite and a short training, with the cache off so that valgrind sees each block.
valgrind: need-check $(BUILD)/tests/run $(BUILD)/examples/train_classifier
	CK_FORK=no TAPEGRAD_CACHE=off $(MEMCHECK) $(BUILD)/tests/run module
	TAPEGRAD_CACHE=off $(MEMCHECK) $(BUILD)/examples/train_classifier --samples 256 --epochs 1 --d-model 16 \
	    --d-ff 32
MEMCHECK = valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible

examples-check: $(examples) $(BUILD)/tests/same_output
	tests/checks/check_examples.sh $(BUILD)
	@if command -v $(PYTHON) >/dev/null; then $(PYTHON) tests/golden/pytorch/pair.py; \
	    else echo "examples-check: without $(PYTHON) the statements of examples/pytorch are not paired"; fi
examples-asan:
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" examples-check
check-resume: $(BUILD)/examples/train_classifier
	tests/checks/check_resume.sh $(BUILD)
# SEEDS="42 3 11" for others
check-curriculum: $(BUILD)/examples/train_classifier
	tests/checks/check_curriculum.sh $(BUILD) $(SEEDS)

# If the machine lacks an instruction set, the library takes the best one available. The kernels of 64 bytes are tested
# as plain C too, where there is no AVX-512.
check-isa: need-check all $(BUILD)/tests/run $(tutorials)
	@for isa in baseline avx2 avx512; do \
	    echo "TAPEGRAD_ISA=$$isa"; TAPEGRAD_ISA=$$isa $(MAKE) --no-print-directory -Otarget suites || exit 1; done
	@for threads in 1 3 8; do \
	    echo "TAPEGRAD_NUM_THREADS=$$threads"; TAPEGRAD_NUM_THREADS=$$threads $(MAKE) --no-print-directory \
	    -Otarget suites || exit 1; done
ifeq ($(shell uname -m),x86_64)
	$(MAKE) BUILD=build/wide CFLAGS="-O2 -DTG_WIDE_ON_AVX2 -Wno-psabi" build/wide/tests/run
	@for suite in gemm attention feed_forward training; do build/wide/tests/run $$suite || exit 1; done
endif

# ---- the ways to take the library ----

check-install: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	+CC="$(CC)" CXX="$(CXX)" tests/checks/check_install.sh $(BUILD)
check-ctypes: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	CC="$(CC)" tests/checks/check_ctypes.sh $(BUILD)
# The full suite with the two files instead of the library, and a program with them as a user would build one.
check-amalgamation: need-check $(BUILD)/amalgamation/run \
    $(patsubst $(BUILD)/tests/tutorials/%,$(BUILD)/amalgamation/tutorials/%,$(tutorials))
	CC="$(CC)" tests/checks/check_amalgamation.sh $(BUILD)
$(BUILD)/amalgamation/run: $(call objects,$(tests)) $(BUILD)/amalgamation/tapegrad.o
	$(call say,LD,$@)
	$(link) $(check_libs)
$(BUILD)/amalgamation/tutorials/%: $(BUILD)/obj/tests/tutorials/%.o $$(call parts,$$(subst _files,,$$*)) $(replay) \
    $(BUILD)/amalgamation/tapegrad.o
	$(call say,LD,$@)
	$(link) $(check_libs)

# ---- other platforms, and PyTorch ----

# arm64 under qemu, where products take a hundred times as long (tests print what they leave out for that
# reason, or since qemu cannot do it).
check-arm64:
	@for tool in aarch64-linux-gnu-gcc qemu-aarch64; do command -v $$tool >/dev/null || \
	    { echo "make check-arm64 needs $$tool: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross" \
	    "qemu-user"; exit 1; }; done
	@test -e /usr/lib/aarch64-linux-gnu/libcheck.a || \
	    { echo "make check-arm64 needs Check for arm64: dpkg --add-architecture arm64; apt-get update;" \
	    "apt-get install check:arm64"; exit 1; }
	$(MAKE) BUILD=build/arm64 CC=aarch64-linux-gnu-gcc build/arm64/libtapegrad.so build/arm64/tests/run \
	    $(patsubst $(BUILD)/%,build/arm64/%,$(tutorials))
	@$(MAKE) --no-print-directory -Otarget BUILD=build/arm64 RUN="$(EMULATED)" LIMIT=7200 suites
EMULATED = env TAPEGRAD_EMULATED=1 TAPEGRAD_NUM_THREADS=1 CK_FORK=no qemu-aarch64

# musl, for which there is no Check: the programs that need none, the fuzzer's corpus and the examples.
check-musl:
	@command -v musl-gcc >/dev/null || \
	    { echo "make check-musl needs musl-gcc: apt-get install musl-tools"; exit 1; }
	$(MAKE) BUILD=build/musl CC=musl-gcc all build/musl/tests/fuzz_replay \
	    $(patsubst $(BUILD)/%,build/musl/%,$(filter-out %/sanitizer_selftest,$(programs)))
	@for program in $(notdir $(guides)) no_malloc fuzz_replay; do \
	    build/musl/tests/$$program > build/musl/printed.txt || \
	    { cat build/musl/printed.txt; echo "check-musl: $$program fails"; exit 1; }; done
	build/musl/tests/load build/musl/libtapegrad.so
	tests/checks/check_examples.sh build/musl

# Files that cross to and from the Python packages, and ids of texts: make interop PYTHON=python3, which needs torch,
# torchvision, numpy, safetensors, onnx, onnxruntime, tiktoken and tokenizers. GPT2=FOLDER: with GPT-2's own vocab.json
# and merges.txt.
PYTHON ?= python3
interop: $(BUILD)/tests/interop $(BUILD)/tests/interop_state $(BUILD)/tests/interop_pack \
    $(BUILD)/tests/interop_tokenizers $(BUILD)/tests/interop_models $(BUILD)/tests/interop_tensorboard \
    $(BUILD)/tests/interop_onnx
	$(PYTHON) tests/interop/event_files.py $(BUILD)/tests/interop_tensorboard
	$(PYTHON) tests/interop/interop.py $(BUILD)/tests/interop
	$(PYTHON) tests/interop/pack.py $(BUILD)/tests/interop_pack
	$(PYTHON) tests/interop/state.py $(BUILD)/tests/interop_state
	$(PYTHON) tests/interop/tokenizers_compare.py $(BUILD)/tests/interop_tokenizers $(GPT2)
	$(PYTHON) tests/interop/models.py $(BUILD)/tests/interop_models
	$(PYTHON) tests/interop/onnx_models.py $(BUILD)/tests/interop_onnx
$(BUILD)/tests/interop: $(BUILD)/obj/tests/interop/copy.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_tensorboard: $(call objects,tests/interop/event_files.c tests/support/files/event_support.c) \
    $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_pack: $(BUILD)/obj/tests/interop/pack.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_onnx: $(call objects,tests/interop/onnx_models.c tests/support/models/onnx_cases.c) \
    $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_models: $(BUILD)/obj/tests/interop/models.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_tokenizers: $(BUILD)/obj/tests/interop/tokenizers_program.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
$(BUILD)/tests/interop_state: $(BUILD)/obj/tests/interop/state.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)

# The operations, modules and optimizers with the sample inputs of torch.testing._internal, for at most half an hour:
# make sample-inputs PYTHON=python3 SAMPLE_INPUTS="--only add,nn.LSTM --samples 0 --texts" (tests/README.md).
sample-inputs: $(BUILD)/libtapegrad.so
	$(PYTHON) tests/golden/sample_inputs $< $(SAMPLE_INPUTS)

# ---- benchmarks ----

# Training steps and single operations, a line of JSON each, in about 8 minutes (tests/bench/README.md).
bench: $(BUILD)/tests/bench
	@$< $(BENCH)
other_benches := tests/bench/gemm_bench.c tests/bench/read_images.c tests/bench/read_csv.c
$(BUILD)/tests/bench: $(call objects,$(filter-out $(other_benches),$(wildcard tests/bench/*.c))) \
    $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
# A folder of images, for tests/bench/images.py: make build/tests/read_images
$(BUILD)/tests/read_images: $(BUILD)/obj/tests/bench/read_images.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
# A CSV file, for tests/bench/csv_files.py: make build/tests/read_csv
$(BUILD)/tests/read_csv: $(BUILD)/obj/tests/bench/read_csv.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
# Matrix products alone, compared with the peak of the machine or with OpenBLAS: make gemm-bench GEMM=sweep
gemm-bench: $(BUILD)/tests/gemm_bench
	@$< $(GEMM)
$(BUILD)/tests/gemm_bench: $(BUILD)/obj/tests/bench/gemm_bench.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link) -ldl
$(BUILD)/obj/tests/bench/%.o: FOLDER_FLAGS =

# ---- fuzzing of the file readers ----

# make fuzz PARSER=safetensors SECONDS=60, with clang. What it finds worth keeping goes into build/fuzz/corpus; make
# fuzz-keep copies inputs that reach new code into tests/fuzz/corpus, whose files make check reads once each; make
# fuzz-coverage lists the lines they reach. Only the readers and writers are instrumented; the rest is the ordinary
# library.
PARSER  ?= safetensors
SECONDS ?= 60
fuzzed_folders := core/io core/io/text core/io/zlib core/text core/pandas core/pandas/datetime core/pandas/io \
    core/vision/io core/vision/datasets core/tensorboard core/loggers
harnesses := $(filter-out %/replay.c %/target.c,$(wildcard tests/fuzz/*.c)) tests/support/files/gif_support.c
fuzzed := $(call objects,$(wildcard $(fuzzed_folders:=/*.c)) $(harnesses))
fuzz: $(BUILD)/libtapegrad.a
	$(MAKE) CC=clang BUILD=build/fuzz CFLAGS="$(SANITIZE) -fsanitize=fuzzer-no-link -Wno-error" REST=$< \
	    build/fuzz/tests/fuzz-$(PARSER)
	@mkdir -p build/fuzz/corpus/$(PARSER)
	build/fuzz/tests/fuzz-$(PARSER) -max_total_time=$(SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
	    -malloc_limit_mb=64 -artifact_prefix=build/fuzz/ \
	    $(addprefix -dict=,$(wildcard tests/fuzz/dictionaries/$(PARSER).dict)) $(FUZZ) \
	    build/fuzz/corpus/$(PARSER) tests/fuzz/corpus/$(PARSER)
$(BUILD)/tests/fuzz-%: $(fuzzed) $(REST) tests/fuzz/target.c
	$(call say,LD,$@)
	@mkdir -p $(@D) && $(CC) -std=c11 -I. $(CFLAGS) -DPARSER='"$*"' -fsanitize=fuzzer -o $@ tests/fuzz/target.c \
	    $(filter %.o %.a,$^) $(LIBS)
$(BUILD)/tests/fuzz_replay: $(call objects,$(harnesses) tests/fuzz/replay.c) $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)

fuzz-keep:
	build/fuzz/tests/fuzz-$(PARSER) -merge=1 -use_counters=0 tests/fuzz/corpus/$(PARSER) build/fuzz/corpus/$(PARSER)

covered = $(fuzzed:$(BUILD)/%=build/coverage/%) build/coverage/obj/tests/fuzz/replay.o
fuzz-coverage: $(BUILD)/libtapegrad.a
	@$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS="-O0 -g --coverage" $(covered)
	@find build/coverage -name '*.gcda' -delete
	$(CC) --coverage -o build/coverage/fuzz_replay $(covered) $(BUILD)/libtapegrad.a $(LIBS)
	build/coverage/fuzz_replay
	@gcov -n $$(find build/coverage/obj/core -name '*.gcda') | \
	    awk -F"'" '/^File/ { file = $$2 } \
	    /^Lines/ && file ~ /^core\/(io|text|pandas|tensorboard|vision|loggers)\/.*c$$/ { print file ": " $$0; file = "" }'

.PHONY: check need-check suites small-checks layers-check paths-check line-length-check library-check headers-check \
    readme-check misuse-check output-check step-check debugger-check tape-html-check parity-check reference-check
.PHONY: run-programs asan tsan valgrind examples-check examples-asan check-resume check-curriculum check-isa \
    check-install check-ctypes
.PHONY: check-amalgamation check-arm64 check-musl interop sample-inputs bench gemm-bench fuzz fuzz-keep fuzz-coverage

include tests/torture/torture.mk
