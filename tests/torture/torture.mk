# Long runs that attack the library. Part of the Makefile.
#
# make torture             all of them, one after the other
#
# Each part is a target of its own, has a bound that can be set, prints what it covered and fails if it finds something.

torture_parts :=
torture:
	@for part in $(torture_parts); do $(MAKE) --no-print-directory $$part || exit 1; done
.PHONY: torture

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
	+@$(GCOV) run-programs
coverage-build: need-check all $(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(programs) $(tutorials)
	@mkdir -p build/gcov/obj
	@ln -sfn $(abspath $(BUILD))/obj/tests build/gcov/obj/tests
	@ln -sfn $(abspath $(BUILD))/obj/examples build/gcov/obj/examples
	+@$(GCOV) $(patsubst $(BUILD)/%,build/gcov/%,$(BUILD)/tests/run $(BUILD)/tests/fuzz_replay $(programs) $(tutorials))
GCOV = $(MAKE) --no-print-directory -Otarget BUILD=build/gcov CFLAGS="-O0 --coverage"
ISAS ?= baseline avx2 avx512
.PHONY: coverage coverage-run coverage-build

# ---- random graphs ----

# make torture-graphs PYTHON=python3       GRAPHS=10000 random graphs of operations and modules against PyTorch with
#                                          each instruction set of ISAS, first and second order, from SEED on
torture_parts += torture-graphs
torture-graphs: $(BUILD)/libtapegrad.so
	@$(PYTHON) tests/fuzz/random_graphs.py $< --vocabulary
	@for isa in $(ISAS); do echo "TAPEGRAD_ISA=$$isa"; TAPEGRAD_ISA=$$isa TAPEGRAD_NUM_THREADS=1 \
	    $(PYTHON) tests/fuzz/random_graphs.py $< --graphs $(GRAPHS) --seed $(SEED) || exit 1; done
GRAPHS ?= 10000
SEED   ?= 1
.PHONY: torture-graphs
