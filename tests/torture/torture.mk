# Long runs that attack the library. Part of the Makefile.
#
# make torture             all of them, one after the other
#
# Each part is a target of its own, has a bound that can be set, prints what it covered and fails if it finds something.

torture_parts :=
SEED ?= 1
torture:
	@for part in $(torture_parts); do $(MAKE) --no-print-directory $$part || exit 1; done
.PHONY: torture

include tests/torture/faults/faults.mk

# ---- coverage ----

# make coverage            which lines of core/, nn/ and optim/ the programs of make check reach, with each instruction
#                          set that the machine has. COVERAGE="--show core/io/npy.c" prints a file's lines that do not
#                          run; a line that cannot is in tests/torture/uncovered.txt, with the reason.
#
# Only the library is compiled anew, without optimization, so that a count belongs to a line.
torture_parts += coverage
coverage: coverage-run
	$(PYTHON) tests/torture/coverage.py build/gcov $(COVERAGE)
coverage-run: coverage-build
	@find build/gcov/obj -name '*.gcda' -delete
	+@for isa in $(ISAS); do echo "TAPEGRAD_ISA=$$isa"; TAPEGRAD_ISA=$$isa $(GCOV) -k suites || exit 1; done
	+@$(GCOV) run-programs step-check profile-check tape-html-check
coverage-build: need-check all $(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(programs) $(tutorials)
	@mkdir -p build/gcov/obj
	@ln -sfn $(abspath $(BUILD))/obj/tests build/gcov/obj/tests
	@ln -sfn $(abspath $(BUILD))/obj/examples build/gcov/obj/examples
	+@$(GCOV) $(patsubst $(BUILD)/%,build/gcov/%,$(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(programs) $(tutorials) \
	    $(BUILD)/examples/backprop)
GCOV = env CK_DEFAULT_TIMEOUT=1200 $(MAKE) --no-print-directory -Otarget BUILD=build/gcov CFLAGS="-O0 --coverage"
ISAS ?= baseline avx2 avx512
.PHONY: coverage coverage-run coverage-build

# ---- random graphs ----

# make torture-graphs PYTHON=python3       GRAPHS=10000 random graphs of operations and modules against PyTorch with
#                                          each instruction set of ISAS, first and second order, from SEED on
torture_parts += torture-graphs
torture-graphs: $(BUILD)/libtapegrad.so
	@$(PYTHON) tests/torture/graphs/random_graphs.py $< --vocabulary
	@for isa in $(ISAS); do echo "TAPEGRAD_ISA=$$isa"; TAPEGRAD_ISA=$$isa TAPEGRAD_NUM_THREADS=1 \
	    $(PYTHON) tests/torture/graphs/random_graphs.py $< --graphs $(GRAPHS) --seed $(SEED) || exit 1; done
GRAPHS ?= 10000
.PHONY: torture-graphs

# ---- make torture-api: every public function, hostile arguments ----
# SEED=1 CALLS=100000; API_ONLY="t_add,t_sum" for these functions, API_FLAGS="--unreached --slow --exceptions
# --seconds 600".
# generate.py reads the public headers and writes calls.c; macros.py finds how their macros are called.
torture_parts += torture-api
CALLS ?= 100000
api     = $(BUILD)/torture/api
api_sources := $(wildcard tests/torture/api/*.c)
api_python  := $(wildcard tests/torture/api/*.py) tests/golden/sample_inputs/headers.py tests/torture/api/api.h
$(BUILD)/torture/api/macros.txt: $(api_python) $(BUILD)/libtapegrad.a
	@mkdir -p $(@D)
	$(PYTHON) tests/torture/api/macros.py $@ "$(CC)"
$(BUILD)/torture/api/calls.c: $(BUILD)/torture/api/macros.txt
	$(PYTHON) tests/torture/api/generate.py $@ $<
$(BUILD)/torture/api/plain.c: $(api_python) $(BUILD)/libtapegrad.a
	@mkdir -p $(@D)
	@$(PYTHON) tests/torture/api/generate.py $@
$(BUILD)/torture/api/%.o: $(BUILD)/torture/api/%.c
	$(call say,CC,$<)
	@$(CC) -std=c11 -I. -MD -MP $(CPPFLAGS) $(CFLAGS) -O0 -w -c -o $@ $<
$(BUILD)/torture/api/torture: $(BUILD)/torture/api/calls.o $(call objects,$(api_sources)) $(BUILD)/libtapegrad.a
	$(link)
$(BUILD)/torture/api/sample: $(BUILD)/torture/api/plain.o $(call objects,$(api_sources)) $(BUILD)/libtapegrad.a
	$(link)
# Paths in texts name files of this folder, which files.py writes.
$(BUILD)/torture/api/scratch: $(wildcard tests/fuzz/corpus/*) tests/torture/api/files.py
	@rm -rf $@ && mkdir -p $@
	@$(PYTHON) tests/torture/api/files.py $@/files
api_environment = ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=512:exitcode=99 \
    UBSAN_OPTIONS=print_stacktrace=1 TAPEGRAD_WARNINGS=off TAPEGRAD_NUM_THREADS=1 \
    TIKTOKEN_CACHE_DIR=data
torture-api:
	+@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS="$(SANITIZE)" build/asan/torture/api/torture \
	    build/asan/torture/api/scratch
	$(api_environment) build/asan/torture/api/torture --scratch build/asan/torture/api/scratch --seed $(SEED) \
	    --calls $(CALLS) --chunk 2000 --macros 50 $(if $(API_ONLY),--only $(API_ONLY)) $(API_FLAGS)
# A sample for make check: no sanitizer, no macros, little search.
small-checks: api-sample
api-sample:
	@if command -v $(PYTHON) >/dev/null; then \
	    $(MAKE) --no-print-directory $(BUILD)/torture/api/sample $(BUILD)/torture/api/scratch && \
	    $(api_environment) $(BUILD)/torture/api/sample --scratch $(BUILD)/torture/api/scratch --seed 1 --tries 3 \
	        --each 2 --chunk 100000; \
	else echo "api-sample: without $(PYTHON) no calls are generated"; fi
.PHONY: torture-api api-sample

# ---- mutation ----

# make mutation MUTANTS=100 SEED=1         random one-token changes of lines that the suites reach, which they must
#                                          notice: 95 % of those that are not equivalent. Runs add up in
#                                          build/mutation; MUTATION=--survivors tries the survivors again,
#                                          MUTATION=--report prints what there is
torture_parts += mutation
mutation: all $(BUILD)/tests/run build/gcov/suites.json
	@FLAGS='$(CC) $(FLAGS) $(CPPFLAGS) $(CFLAGS) -D_DEFAULT_SOURCE' OBJECTS='$(call objects,$(tests))' \
	    LINK='$(CC) $(CFLAGS) $(LDFLAGS)' LIBRARIES='$(check_libs) $(LIBS)' \
	    $(PYTHON) tests/torture/mutation.py --count $(MUTANTS) --seed $(SEED) $(MUTATION)
# The suites that reach each line: made once, from the build of make coverage. Remove it when lines or suites have
# changed much.
build/gcov/suites.json:
	+@$(MAKE) --no-print-directory coverage-build
	$(PYTHON) tests/torture/suite_lines.py build/gcov
MUTANTS ?= 100
.PHONY: mutation

# ---- callbacks that misbehave: make torture-callbacks, with sanitizers; a run without them is part of make check ----

torture_parts += torture-callbacks
torture-callbacks:
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" build/asan/tests/torture_callbacks
	build/asan/tests/torture_callbacks
$(BUILD)/tests/torture_callbacks: $(call objects,$(wildcard tests/torture/callbacks/*.c)) $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
.PHONY: torture-callbacks

# ---- threads: make torture-threads THREADS=64 ROUNDS=3, plain, with ThreadSanitizer and with AddressSanitizer ----

torture_parts += torture-threads
torture-threads: $(BUILD)/tests/torture_threads
	$(MAKE) BUILD=build/tsan CFLAGS="-O1 -g -fsanitize=thread" build/tsan/tests/torture_threads
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" build/asan/tests/torture_threads
	timeout 1200 $< $(THREADS) $(ROUNDS)
	timeout 1200 build/asan/tests/torture_threads $(THREADS) $(ROUNDS)
	env TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" timeout 1200 build/tsan/tests/torture_threads $(THREADS) 1
THREADS ?= 64
ROUNDS  ?= 3
$(BUILD)/tests/torture_threads: $(BUILD)/obj/tests/torture/threads.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	$(link)
.PHONY: torture-threads

# ---- soak ----

# make torture-soak SECONDS=60 COUNT=1e4 OPERATIONS=1e7: the main programs side by side for SECONDS, each object made
# and destroyed up to COUNT times, and small operations: the resident size stays flat within 1 MB.
torture_parts += torture-soak
torture-soak: $(BUILD)/tests/flat_memory $(examples)
	$< $(COUNT) > $(BUILD)/soak.txt || { cat $(BUILD)/soak.txt; exit 1; }
	@tail -n 1 $(BUILD)/soak.txt
	$< $(OPERATIONS) "small operations"
	tests/torture/soak.sh $(BUILD) $(SECONDS)
COUNT      ?= 1e4
OPERATIONS ?= 1e7
.PHONY: torture-soak
