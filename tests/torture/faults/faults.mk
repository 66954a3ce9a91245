# Allocations and I/O calls that fail below every public function, while the suites run. Part of torture.mk.
#
# make torture-alloc       every allocation; make torture-io: every call of open, read, write and their kin
#
# FAULT_SUITES="npy zip": only these suites. FAULT_SEED=0: which modes and errors come first. FAULT_VISITS=1: how many
# calls are attempted for each place in the tests that calls a function; with more than 1 also the 4th, 8th, 16th, ...
# FAULT_SECONDS=3600: the bound; the suites after it are not run. What was found and the figures of each function are in
# build/torture.
torture_parts += torture-alloc torture-io
torture_faults := $(BUILD)/tests/torture_faults
FAULT_SEED    ?= 0
FAULT_VISITS  ?= 1
FAULT_SECONDS ?= 3600
attempt = TORTURE_KIND=$(1) TORTURE_SEED=$(FAULT_SEED) TORTURE_VISITS=$(FAULT_VISITS) \
    TORTURE_LEFT_OUT=tests/torture/faults/left_out.txt TORTURE_REPORT=$(BUILD)/torture/$(1).txt TAPEGRAD_CACHE=off \
    CK_DEFAULT_TIMEOUT=600
torture-alloc: $(torture_faults)
	$(call attempt,alloc) TAPEGRAD_NUM_THREADS=1 timeout $(FAULT_SECONDS) $< $(FAULT_SUITES)
torture-io: $(torture_faults)
	$(call attempt,io) timeout $(FAULT_SECONDS) $< $(FAULT_SUITES)
# A sample for make check.
torture-faults-check: $(torture_faults)
	@$(call attempt,alloc) CK_FORK=no $< dict default_dtype npy argparse containers watch pandas \
	        tape_html > $(BUILD)/torture/sample.txt 2>&1 && \
	    $(call attempt,io) CK_FORK=no $< npy text >> $(BUILD)/torture/sample.txt 2>&1 || \
	    { cat $(BUILD)/torture/sample.txt; exit 1; }
	@grep '^torture' $(BUILD)/torture/sample.txt
small-checks: torture-faults-check
.PHONY: torture-alloc torture-io torture-faults-check

fault_files := tests/torture/faults/faults.c tests/torture/faults/attempts.c tests/torture/faults/world.c
wrapped     := access fstat stat fsync ftruncate rename link unlink mkdir opendir readdir fopen flock fchmod fchown \
    open close read pread write mmap pthread_create tg_object_init tg_object_dispose run_suites tcase_fn_start \
    tg_alloc_fail t_unwind set_faults reset_file_calls srunner_ntests_failed
comma       := ,
$(BUILD)/torture/headers.i: core/package/headers.sh $(shell find core nn optim -name '*.h')
	@mkdir -p $(@D)
	@core/package/headers.sh --faces | sed 's/.*/#include "&"/' | $(CC) -std=c11 -I. -E -P -x c - -o $@
$(BUILD)/torture/wrappers.c: tests/torture/faults/wrappers.awk $(BUILD)/torture/headers.i
	$(call say,GEN,$@)
	@{ core/package/headers.sh --faces | sed 's/.*/#include "&"/'; \
	    awk -v names=$(BUILD)/torture/wrapped -f $^; } > $@.new && mv $@.new $@
$(BUILD)/torture/wrappers.o: $(BUILD)/torture/wrappers.c
	$(call say,CC,$<)
	@$(CC) -std=c11 -I. -w -O0 -c -o $@ $<
$(BUILD)/obj/tests/torture/faults/%.o: FOLDER_FLAGS = $(check_flags)
$(torture_faults): $(call objects,$(tests) $(fault_files)) $(BUILD)/torture/wrappers.o $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) $(addprefix -Wl$(comma)--wrap=,$(wrapped)) -Wl,@$(BUILD)/torture/wrapped -o $@ $^ \
	    $(LIBS) $(check_libs)
