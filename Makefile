# make          the library and the examples, into build/        make asan      the tests under AddressSanitizer + UBSan
# make demo     trains the repeated-token classifier             make valgrind  a part of them under valgrind
# make check    builds and runs the tests (needs Check)          make clean     removes build/
# make examples-check   runs every example beside its kept output; examples-asan does so under the sanitizers
# make tsan     the threads under ThreadSanitizer                make check-isa the suites under each instruction set
# make bench    how fast (tests/bench/README.md)                 make check-install  programs against an installed copy
# make check-resume  a training run killed 50 times              make interop  files and state dicts to a real PyTorch and back
# make check-curriculum  train_classifier --curriculum learns under each instruction set (minutes)
# make reference     reference.html from the headers, and cheatsheet.html to print, in build/
# make check-arm64, check-musl, check-ctypes   for arm64 under qemu; with musl; from Python
# make check-amalgamation   the tests against the library as two files, which make amalgamation leaves in build/amalgamation
# make install  headers and libraries; PREFIX=/usr/local, LIBDIR, INCLUDEDIR and DESTDIR say where; make uninstall takes them away
#
# CC=clang, CFLAGS=..., CPPFLAGS and LDFLAGS work as usual; a compiler that warns of more than gcc 12 and clang 14 do is calmed by
# CFLAGS="-O2 -Wno-error", and -g is for debuggers. Other builds have a folder of their own: make BUILD=build/debug CFLAGS="-O0 -g".
BUILD  ?= build
CFLAGS ?= -O2
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
STRICT  = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror
FLAGS   = $(STRICT) -I. -MD -MP -fPIC -fvisibility=hidden $(LOCALS) -ffp-contract=off -fno-semantic-interposition $(LEAN) $(VECTORS)
# The thread-locals are few, and glibc keeps room for them in libraries that are loaded while a program runs; others have none.
LOCALS  = $(if $(filter 2,$(firstword $(SYSTEM))),-ftls-model=initial-exec)
# No tables for C++ exceptions, which no code here throws: they would make the library a sixth larger, and an exception that
# passes through would leave scopes, grad mode and a running backward as they are. gcc's -O2 turns a loop into vector code only
# if told to (as fast as -O3 here, and a fifth smaller); of what it aligns, only loops are worth the bytes.
LEAN    = -fno-asynchronous-unwind-tables -fno-unwind-tables
VECTORS := $(if $(IS_CLANG),,-ftree-vectorize -fvect-cost-model=dynamic -fno-align-functions -fno-align-jumps -fno-align-labels \
    -fno-reorder-blocks-and-partition)
# Passes of gcc's that take a tenth of its time, and without which the hot loops are the same or no longer.
LEAVE   := $(if $(IS_CLANG),,-fno-tree-slsr -fno-tree-tail-merge -fno-tree-dse -fno-dse -fno-tree-ccp \
    -fno-ipa-sra -fno-ipa-icf $(shell $(CC) -fno-ipa-modref -E -xc /dev/null >/dev/null 2>&1 && echo -fno-ipa-modref))
# What is not hot is made small. More passes are left out there that make such code longer (pieces of structs in registers,
# registers saved around calls, jumps threaded, what does not change in a loop computed before it), or hardly shorter.
SMALL   := $(if $(IS_CLANG),-Os,$(shell $(CC) -Oz $(LEAVE) -E -xc /dev/null >/dev/null 2>&1 && echo -Oz || echo -Os) $(LEAVE) \
    -fno-tree-sra -fno-caller-saves -fno-tree-dominator-opts -fno-tree-loop-im -fno-move-loop-invariants -fno-ira-hoist-pressure \
    -fno-shrink-wrap -fno-expensive-optimizations -fno-schedule-insns2 -fno-tree-pta -fno-tree-vrp -fno-tree-pre \
    -fno-tree-copy-prop -fno-ipa-cp -fno-partial-inlining -fno-gcse -fno-tree-loop-optimize -fno-tree-sink -fno-forward-propagate \
    -fno-cse-follow-jumps -fno-rerun-cse-after-loop -fno-dce)
# The C library: "2 36 1" of glibc 2.36 on x86-64.
SYSTEM := $(shell printf '\043include <features.h>\n__GLIBC__ __GLIBC_MINOR__ __x86_64__\n' | $(CC) -E -xc - 2>/dev/null | tail -n 1)
# No gaps between segments, and the addresses that the loader fills in as a list of bits, which glibc reads from 2.36 on (and
# linkers of 2022 write for x86-64 only).
PACKED := ,-z,noseparate-code$(shell echo $(SYSTEM) | awk '$$1 == 2 && $$2 >= 36 && $$3 == 1 { print ",-z,pack-relative-relocs" }')
LIBS    = -lm -lpthread
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules

# What programs are linked with: a library of this major version, before 1.0 of this minor one.
abi      := $(shell sed -n 's/^.define TAPEGRAD_VERSION_M[A-Z]* //p' core/api.h | paste -sd. - | sed 's/^\([1-9][0-9]*\)[.].*/\1/')
library  := $(wildcard core/*.c core/*/*.c nn/*.c optim/*.c)
examples := $(patsubst examples/%,$(BUILD)/examples/%,$(basename $(wildcard examples/*.c)) $(patsubst %/,%,$(wildcard examples/*/)))
tests    := $(wildcard tests/*.c)
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

all: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so $(examples)
.SECONDEXPANSION:

# What make says, and the folder of a target: no processes of their own in each recipe.
say = $(info $()  $1  $2)
%/:
	@mkdir -p $@

$(BUILD)/libtapegrad.a: $$(compiled)
	$(call say,AR ,$@)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libtapegrad.so: $$(compiled)
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libtapegrad.so.$(abi) -Wl,-z,defs,-Bsymbolic-functions$(PACKED) -o $@ $^ $(LIBS)
	@ln -sf libtapegrad.so $@.$(abi)

# An example is one file, or a folder of files. What is hot in it is in the library.
$(BUILD)/examples/%: $$(call objects,$$(wildcard examples/$$*.c)) $$(parts_of_$$*) $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The flags, and which file is in which unit (below): where they differ from the last time, objects are made anew. (But make install
# takes what is there: as another user it may not see CFLAGS or CC.)
$(BUILD)/obj/flags.txt: $(unless_installing) | $(BUILD)/obj/
	$(call remember,$(CC) $(CPPFLAGS) $(CFLAGS))
$(BUILD)/obj/units.txt: $(unless_installing) | $(BUILD)/obj/
	$(call remember,$(UNITS) $(library))
unless_installing = $(if $(filter install,$(MAKECMDGOALS)),,always)
remember = @echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@

$(BUILD)/obj/%.o: %.c Makefile $(BUILD)/obj/flags.txt | $$(@D)/
	$(call say,CC ,$<)
	@$(CC) $(FLAGS) $(CPPFLAGS) $(CFLAGS) $(LAST) $(with_precompiled) -c -o $@ $<
with_precompiled = $(patsubst %.gch,-include %,$(filter %.gch,$^))
$(BUILD)/obj/examples/%: LAST = $(plain)
plain = $(if $(findstring -O2,$(CFLAGS)),-O0)

# What every op on a small tensor runs through, and loops over elements, are made fast; the rest small. (With -Os gcc would leave
# out vzeroupper at the kernels' ends, and the next SSE instruction then takes 100 ns.)
fast := $(filter-out $(addprefix core/kernels/,attention.c attention_backward.c),$(wildcard core/kernels/*.c)) \
    $(addprefix core/,alloc.c autograd.c backward.c backward_grads.c context.c inplace.c iter.c iter_copy.c iter_rows.c \
        iter_tiles.c list.c scope.c tape.c tensor.c tensor_check.c) \
    $(addprefix core/ops/,access.c activation.c binary.c copy.c creation.c cummax.c fold_walk.c gather.c gather_loops.c \
        index_write.c matmul.c order.c pointwise.c remainder.c scan.c select.c softmax.c sort.c unary.c unique.c) \
    core/io/convert.c $(addprefix nn/functional_,cross_entropy.c dropout.c embedding.c interpolate.c) \
    $(addprefix optim/,adagrad.c adam.c rmsprop.c sgd.c)
kernels := $(sort $(wildcard core/kernels/*.c) $(shell grep -lE 'instances[.]inc|mmintrin[.]h' $(fast)))
small  = $(if $(findstring -O2,$(CFLAGS)),$(SMALL))
# (Passes of a sixth of gcc's time for these files, without which tiny operations take as many instructions, and loops stay vectors'.)
quick  = -fno-inline-functions $(if $(IS_CLANG),,-fno-schedule-insns2 -fno-tree-dominator-opts -fno-tree-pta -fno-cse-follow-jumps \
    -fno-ipa-cp -fno-tree-slp-vectorize) $(LEAVE)
$(call objects,$(filter-out $(fast),$(kernels))): LAST = $(small)
$(call objects,$(addprefix core/kernels/,multinomial.c parallel.c)): LAST = $(quick)

# All but the kernels are compiled four dozen at a time, those of a folder and the same flags as if they were one file: gcc reads
# the headers once for all of them. (So what is static in one has no namesake in its folder.) make UNITS=1 compiles each alone.
# $(call units,FLAGS,FILES): the objects for FILES, each named after the first file in it
UNITS ?= 48
unit_object = $(BUILD)/obj/$(basename $(firstword $(1))).unit.o
units = $(if $(2),$(call unit_object,$(2))$(eval $(call unit,$(call unit_object,$(2)),$(1),$(wordlist 1,$(UNITS),$(2)))) $(call \
    units,$(1),$(wordlist $(words 1 $(wordlist 1,$(UNITS),$(2))),$(words $(2)),$(2))))
define unit
$(1): $(3) Makefile $(BUILD)/obj/flags.txt $(BUILD)/obj/units.txt | $(dir $(1))
	$$(call say,CC ,$(firstword $(3))$(if $(word 2,$(3)), ... $(lastword $(3))))
	@printf '#include "%s"\n' $(3) | $$(CC) $$(FLAGS) $$(CPPFLAGS) $$(CFLAGS) $$($(2)) $$(with_precompiled) -c -o $$@ -xc -
endef
units_of = $(call units,quick,$(filter-out $(kernels),$(filter $(fast),$(wildcard $(1)/*.c)))) \
    $(call units,small,$(filter-out $(fast),$(wildcard $(1)/*.c)))
compiled := $(call objects,$(kernels)) $(foreach folder,core core/data core/io core/ops core/plot core/python nn optim,$(call units_of,$(folder)))
$(foreach folder,$(patsubst %/,%,$(wildcard examples/*/)),$(eval parts_of_$(notdir $(folder)) := \
    $(call units,plain,$(wildcard $(folder)/*.c))))
# A test of such a folder's files has a main of its own, which stands before the example's.
$(BUILD)/obj/examples/%.unit.o: FLAGS += -D'main=__attribute__((weak)) main'
# The library is C11 and what POSIX and Linux add to it: descriptors, mapped memory, terminals, locales of a thread's own.
$(sort $(compiled) $(call objects,$(library))) $(BUILD)/obj/intrinsics.h.gch: FLAGS += -D_DEFAULT_SOURCE

# What many files include gcc reads once, and keeps what it made of it (a precompiled header, which it passes over where a flag
# differs): <immintrin.h>, which takes it longer than most kernels, the headers of the examples, and those of the tests.
# $(call precompiled,NAME,HEADERS,OBJECTS)
ifeq ($(IS_CLANG),)
define precompiled
$(3): $(BUILD)/obj/$(1).h.gch
$(BUILD)/obj/$(1).h.gch: Makefile $(BUILD)/obj/flags.txt | $(dir $(BUILD)/obj/$(1))
	$$(call say,GCH,$$@)
	@printf '#include %s\n' $(2) > $$(@:.gch=)
	@$$(CC) $$(FLAGS) $$(CPPFLAGS) $$(CFLAGS) $$(LAST) -xc-header -o $$@ $$(@:.gch=)
endef
without_source = $(call objects,$(shell grep -L '_SOURCE' $(1)))
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
# Kernels write their vectors out, and need no loops made for them.
instances := $(call objects,$(shell grep -lE 'instances[.]inc|<immintrin' $(kernels)))
$(instances) $(BUILD)/obj/intrinsics.h.gch: LAST = -fno-tree-vectorize $(LEAVE)
$(eval $(call precompiled,intrinsics,'<immintrin.h>',$(instances)))
endif
$(eval $(call precompiled,examples/all,'"core/core.h"' '"nn/nn.h"' '"optim/optim.h"',$(call \
    without_source,$(wildcard examples/*.c)) $(foreach example,$(wildcard examples/*/),$(parts_of_$(notdir $(example:/=))))))
$(eval $(call precompiled,tests/all,'"tests/support.h"',$(call without_source,$(tests) $(wildcard tests/ports/*.c))))
endif

# ---- the main job ----
demo: $(BUILD)/examples/train_classifier
	$<

# ---- what other programs take it from ----
PREFIX     ?= /usr/local
LIBDIR     ?= lib
INCLUDEDIR ?= include
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export INCLUDEDIR := $(INCLUDEDIR)
install uninstall: export DESTDIR := $(DESTDIR)
install: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	@core/package/install.sh $(BUILD) $(abi)
uninstall:
	@core/package/install.sh --remove $(abi)

# The library as two files, for cc demo.c tapegrad.c -lm -lpthread.
amalgamation: $(BUILD)/amalgamation/tapegrad.c
$(BUILD)/amalgamation/tapegrad.c: $(shell find core nn optim -type f)
	$(call say,GEN,$@)
	@CC="$(CC)" core/package/amalgamate.sh $(@D)
$(BUILD)/amalgamation/tapegrad.o: $(BUILD)/amalgamation/tapegrad.c
	$(call say,CC ,$<)
	@$(CC) -Wall -Wextra -Wpedantic -Werror $(CFLAGS) -c -o $@ $<

# The reference page from the headers, and "PyTorch line -> C line" on two sides of paper.
reference: $(BUILD)/reference.html $(BUILD)/cheatsheet.html
$(BUILD)/reference.html $(BUILD)/cheatsheet.html: $(wildcard core/*.h core/*/*.h nn/*.h optim/*.h core/package/*) examples/README.md | $(BUILD)/
	$(call say,GEN,$@)
	@core/package/$(notdir $(basename $@)).sh > $@.new && mv $@.new $@

# ---- tests ----
$(BUILD)/obj/tests/%: FLAGS += $(check_flags)
# Asked once, by the first object that needs them.
check_flags = $(eval check_flags := $$(shell pkg-config --cflags check 2>/dev/null))$(check_flags)
$(BUILD)/obj/tests/%: LAST = -O0 -U_FORTIFY_SOURCE
# What computes much by itself, in loops over elements, is done sooner when it takes longer to compile.
$(call objects,$(addprefix tests/,golden.c model_support.c support.c test_gemm.c test_movement.c)): LAST = -U_FORTIFY_SOURCE
ports := $(patsubst tests/ports/%.c,$(BUILD)/tests/ports/%,$(wildcard tests/ports/*.c))
alone := $(patsubst tests/alone/%.c,$(BUILD)/tests/%,$(wildcard tests/alone/*.c))

check: need-check all $(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(alone) $(ports)
	@$(MAKE) --no-print-directory -Otarget suites library-check headers-check readme-check misuse-check output-check parity-check reference-check programs
library-check:
	tests/check_library.sh $(BUILD)/libtapegrad.so
headers-check:
	@if command -v $(CXX) >/dev/null; then $(CXX) -std=c++17 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only tests/alone/headers.cpp; fi
readme-check:
	CC="$(CC)" tests/check_readme.sh $(BUILD)
misuse-check:
	CC="$(CC)" tests/check_misuse.sh $(BUILD)
output-check:
	tests/check_same_output.sh $(BUILD)
parity-check:
	tests/check_parity.sh
reference-check:
	@core/package/reference.sh > $(BUILD)/reference.html && core/package/cheatsheet.sh > $(BUILD)/cheatsheet.html && tests/check_reference.sh $(BUILD)
programs:
	$(BUILD)/tests/no_malloc
	$(BUILD)/tests/flat_memory
	$(BUILD)/tests/no_memory_text
	$(BUILD)/tests/fuzz_replay
	$(BUILD)/tests/guide > $(BUILD)/tests/guide.txt
	$(BUILD)/tests/guide_modules > $(BUILD)/tests/guide_modules.txt
	$(BUILD)/tests/guide_ops > $(BUILD)/tests/guide_ops.txt
	$(BUILD)/tests/guide_files > $(BUILD)/tests/guide_files.txt
	$(BUILD)/tests/guide_parity > $(BUILD)/tests/guide_parity.txt

# Each line of these is a process, as many at a time as make may run, the longest first. Check would fork for each test, which costs
# more than most tests do: so all run in the one process, and if that fails again with forks, so that the test is named even if it
# crashed. CK_FORK=yes make check has the forks at once.
suites: $(addprefix share-,4 3) tables $(addprefix share-,1 2) $(patsubst $(BUILD)/tests/ports/%,port-%,$(ports))
tables:
	$(call in_one_process,$(BUILD)/tests/run ops functional_each)
share-%:
	$(call in_one_process,$(BUILD)/tests/run $*/4)
port-%:
	$(call in_one_process,$(BUILD)/tests/ports/$*)
in_one_process = @CK_FORK=$${CK_FORK:-no} timeout $(LIMIT) $(RUN) $(1) > $(BUILD)/$@.txt 2>&1 && cat $(BUILD)/$@.txt || \
    { $(RUN) $(1) && cat $(BUILD)/$@.txt; exit 1; }
LIMIT = 1200

# The test of a tutorial's port: its classes (the folder's files), beside what PyTorch gave for the tutorial's. One may have
# a second program, char_gpt_files.c.
port_of = $(subst _files,,$*)
replay := $(call objects,$(addprefix tests/,runner.c support.c golden.c output.c model_support.c replay.c port_cases.c))
$(BUILD)/tests/ports/%: $(BUILD)/obj/tests/ports/%.o $$(parts_of_$$(port_of)) $(replay) $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)

$(BUILD)/tests/run: $(call objects,$(tests)) $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/alone/%.o $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

# How fast: whole training steps and single operations, a line of JSON each, in about 8 minutes (tests/bench/README.md).
bench: $(BUILD)/tests/bench
	@$< $(BENCH)

$(BUILD)/tests/bench: $(call objects,$(filter-out tests/bench/gemm_bench.c,$(wildcard tests/bench/*.c))) $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/obj/tests/bench/%.o: LAST = -O2

# Matrix products alone, beside the peak of the machine or in turn with OpenBLAS: make gemm-bench GEMM=sweep
gemm-bench: $(BUILD)/tests/gemm_bench
	@$< $(GEMM)

$(BUILD)/tests/gemm_bench: $(BUILD)/obj/tests/bench/gemm_bench.o $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

# Files that cross to and from the Python packages: make interop PYTHON=python3, which needs torch, numpy and safetensors.
PYTHON ?= python3
interop: $(BUILD)/tests/interop $(BUILD)/tests/interop_state
	$(PYTHON) tests/interop/interop.py $(BUILD)/tests/interop
	$(PYTHON) tests/interop/state.py $(BUILD)/tests/interop_state

$(BUILD)/tests/interop_state: $(BUILD)/obj/tests/interop/state.o $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/interop: $(BUILD)/obj/tests/interop/copy.o $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Any bytes at all through a reader of files, under libFuzzer (clang): make fuzz PARSER=safetensors SECONDS=60. What it finds
# worth keeping goes into build/fuzz/corpus; make fuzz-keep takes of that what reaches something new into tests/fuzz/corpus,
# whose files make check reads once each; make fuzz-coverage says which lines they reach.
PARSER  ?= safetensors
SECONDS ?= 60
fuzz:
	$(MAKE) CC=clang BUILD=build/fuzz CFLAGS="$(SANITIZE) -fsanitize=fuzzer-no-link -Wno-error" build/fuzz/tests/fuzz-$(PARSER)
	@mkdir -p build/fuzz/corpus/$(PARSER)
	build/fuzz/tests/fuzz-$(PARSER) -max_total_time=$(SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=64 \
	    -artifact_prefix=build/fuzz/ -dict=tests/fuzz/$(PARSER).dict $(FUZZ) build/fuzz/corpus/$(PARSER) tests/fuzz/corpus/$(PARSER)

fuzz-keep:
	build/fuzz/tests/fuzz-$(PARSER) -merge=1 -use_counters=0 tests/fuzz/corpus/$(PARSER) build/fuzz/corpus/$(PARSER)

covered = $(patsubst %.c,build/coverage/obj/%.o,$(wildcard core/io/*.c) tests/fuzz/replay.c tests/fuzz/parsers.c)
fuzz-coverage: $(BUILD)/libtapegrad.a
	@$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS="-O0 -g --coverage" $(covered)
	@find build/coverage -name '*.gcda' -delete
	$(CC) --coverage -o build/coverage/fuzz_replay $(covered) $(BUILD)/libtapegrad.a $(LIBS)
	build/coverage/fuzz_replay
	@gcov -n build/coverage/obj/core/io/*.gcda | awk -F"'" '/^File/ { file = $$2 } /^Lines/ && file ~ /^core\/io\/.*c$$/ { print file ": " $$0; file = "" }'

$(BUILD)/tests/fuzz-%: $(BUILD)/obj/tests/fuzz/parsers.o $(BUILD)/libtapegrad.a tests/fuzz/target.c | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(STRICT) -I. $(CFLAGS) -DPARSER='"$*"' -fsanitize=fuzzer -o $@ tests/fuzz/target.c $(filter %.o %.a,$^) $(LIBS)

$(BUILD)/tests/fuzz_replay: $(call objects,tests/fuzz/replay.c tests/fuzz/parsers.c) $(BUILD)/libtapegrad.a | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

need-check:
	@pkg-config --exists check || { echo "make check needs Check and pkg-config: apt-get install check pkg-config"; exit 1; }

# Every example in a short setting, its output beside the one that is kept; the same under the sanitizers.
examples-check: $(examples) $(BUILD)/tests/same_output
	tests/check_examples.sh $(BUILD)

# A training run that is killed 50 times at random moments, and resumes each time.
check-resume: $(BUILD)/examples/train_classifier
	tests/check_resume.sh $(BUILD)

# train_classifier --curriculum learns its task under each instruction set (a minute or two for each); SEEDS="42 3 11" for others.
check-curriculum: $(BUILD)/examples/train_classifier
	tests/check_curriculum.sh $(BUILD) $(SEEDS)

examples-asan:
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" examples-check

# Two planted mistakes must be caught before the suite's silence means anything.
asan: need-check
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" build/asan/tests/run build/asan/tests/fuzz_replay build/asan/tests/planted $(patsubst $(BUILD)/%,build/asan/%,$(ports))
	build/asan/tests/planted release 2>&1 | grep -q heap-use-after-free
	build/asan/tests/planted overflow 2>&1 | grep -q heap-buffer-overflow
	build/asan/tests/fuzz_replay
	$(MAKE) --no-print-directory -Otarget BUILD=build/asan suites
SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# The suite of threads and a short training under ThreadSanitizer, with more threads than most machines have processors.
tsan: need-check
	$(MAKE) BUILD=build/tsan CFLAGS="-O1 -g -fsanitize=thread" build/tsan/tests/run build/tsan/examples/train_classifier
	CK_FORK=no $(RACES) build/tsan/tests/run threads
	TAPEGRAD_NUM_THREADS=3 $(RACES) build/tsan/examples/train_classifier --samples 1024 --epochs 1 --d-model 128 --d-ff 512 > build/tsan/training.txt
RACES = env TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" timeout 300

# The suites under each instruction set; of one that the machine lacks the library takes the best that it has; with other numbers
# of threads; and those of the kernels of 64 bytes as plain C (simd.inc), which tests their tiles where there is no AVX-512.
check-isa: need-check all $(BUILD)/tests/run $(ports)
	@for isa in baseline avx2 avx512; do \
	    echo "TAPEGRAD_ISA=$$isa"; TAPEGRAD_ISA=$$isa $(MAKE) --no-print-directory -Otarget suites || exit 1; done
	@for threads in 1 3 8; do \
	    echo "TAPEGRAD_NUM_THREADS=$$threads"; TAPEGRAD_NUM_THREADS=$$threads $(MAKE) --no-print-directory -Otarget suites || exit 1; done
ifeq ($(shell uname -m),x86_64)
	$(MAKE) BUILD=build/wide CFLAGS="-O2 -DTG_WIDE_ON_AVX2 -Wno-psabi" build/wide/tests/run
	@for suite in gemm attention feed_forward training; do build/wide/tests/run $$suite || exit 1; done
endif

# From an installed copy: by pkg-config, by CMake and without either; the headers alone in each C and C++.
check-install: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	+CC="$(CC)" CXX="$(CXX)" tests/check_install.sh $(BUILD)

# The shared library from Python, by ctypes alone, beside the same program in C.
check-ctypes: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	CC="$(CC)" tests/check_ctypes.sh $(BUILD)

# The whole suite with the amalgamation in the library's place, and a program with it as a user would build one.
check-amalgamation: need-check $(BUILD)/amalgamation/run $(patsubst $(BUILD)/tests/ports/%,$(BUILD)/amalgamation/ports/%,$(ports))
	CC="$(CC)" tests/check_amalgamation.sh $(BUILD)

$(BUILD)/amalgamation/run: $(call objects,$(tests)) $(BUILD)/amalgamation/tapegrad.o
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)
$(BUILD)/amalgamation/ports/%: $(BUILD)/obj/tests/ports/%.o $$(parts_of_$$(port_of)) $(replay) $(BUILD)/amalgamation/tapegrad.o | $$(@D)/
	$(call say,LD ,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)

# Elsewhere: the suites for arm64 under qemu, where products take a hundred times as long (what is left out for that, or since qemu
# cannot do it, is printed); and with musl for the C library, where there is no Check: the programs that need none, the fuzzer's
# corpus and the examples.
check-arm64:
	@for tool in aarch64-linux-gnu-gcc qemu-aarch64; do command -v $$tool >/dev/null || { echo "make check-arm64 needs $$tool: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"; exit 1; }; done
	@test -e /usr/lib/aarch64-linux-gnu/libcheck.a || { echo "make check-arm64 needs Check for arm64: dpkg --add-architecture arm64; apt-get update; apt-get install check:arm64"; exit 1; }
	$(MAKE) BUILD=build/arm64 CC=aarch64-linux-gnu-gcc build/arm64/libtapegrad.so build/arm64/tests/run $(patsubst $(BUILD)/%,build/arm64/%,$(ports))
	@$(MAKE) --no-print-directory -Otarget BUILD=build/arm64 RUN="$(EMULATED)" LIMIT=7200 suites
EMULATED = env TAPEGRAD_EMULATED=1 TAPEGRAD_NUM_THREADS=1 CK_FORK=no qemu-aarch64

check-musl:
	@command -v musl-gcc >/dev/null || { echo "make check-musl needs musl-gcc: apt-get install musl-tools"; exit 1; }
	$(MAKE) BUILD=build/musl CC=musl-gcc all build/musl/tests/fuzz_replay $(patsubst $(BUILD)/%,build/musl/%,$(filter-out %/planted,$(alone)))
	@for program in guide guide_modules guide_ops guide_files guide_parity no_malloc fuzz_replay; do build/musl/tests/$$program > build/musl/printed.txt || { cat build/musl/printed.txt; echo "check-musl: $$program fails"; exit 1; }; done
	build/musl/tests/load build/musl/libtapegrad.so
	tests/check_examples.sh build/musl

# A short suite and a short training, with the cache off so that valgrind sees each block.
valgrind: need-check $(BUILD)/tests/run $(BUILD)/examples/train_classifier
	CK_FORK=no TAPEGRAD_CACHE=off $(MEMCHECK) $(BUILD)/tests/run module
	TAPEGRAD_CACHE=off $(MEMCHECK) $(BUILD)/examples/train_classifier --samples 256 --epochs 1 --d-model 16 --d-ff 32
MEMCHECK = valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible

clean:
	rm -rf build

help:
	@sed -n '1,11p' Makefile

.PHONY: all always check-resume check-curriculum demo bench gemm-bench interop fuzz fuzz-keep fuzz-coverage check suites tables programs examples-check examples-asan need-check asan tsan check-isa valgrind clean help
.PHONY: library-check headers-check readme-check misuse-check output-check parity-check reference-check
.PHONY: install uninstall amalgamation reference check-install check-ctypes check-amalgamation check-arm64 check-musl
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
