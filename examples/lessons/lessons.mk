# The course (examples/lessons/README.md). Part of the Makefile.
#
# make lesson L=03 TO=DIR      writes the skeleton and the page of lesson 03 into DIR; overwrites nothing
# make try L=03 FROM=DIR       compiles and runs the student's program, with the arguments ARGS="--plots ."
# make grade L=03 FROM=DIR     prints its points; SEED=7 draws other cases, JSON=1 prints Gradescope's results.json
# make grades L=03 FROM=DIR    a table of the points of all submissions DIR/STUDENT/
# make course OUT=DIR          a handout that needs only a compiler and make
# make lessons-check           tests the skeletons, solutions, wrong variants and pages; lessons-asan: with sanitizers

lesson_tool = CC="$(CC)" LIBRARY=$(BUILD)/libtapegrad.a examples/lessons/lesson.sh
lesson_arguments = $(or $(L),$(error which lesson? make $@ L=03 ...)) $(or $(1),$(error $(2)))

lesson:
	@$(lesson_tool) lesson $(call lesson_arguments,$(TO),where to? make lesson L=$(L) TO=DIR)
try grade grades: $(BUILD)/libtapegrad.a
	@$(lesson_tool) $@ $(call lesson_arguments,$(FROM),whose? make $@ L=$(L) FROM=DIR) $(if $(SEED),--seed \
	    $(SEED)) $(if $(JSON),--json) $(ARGS)
course: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so
	@CC="$(CC)" BUILD=$(BUILD) examples/lessons/course.sh $(or $(OUT),$(error where to? make course OUT=DIR))
lessons-check: $(BUILD)/libtapegrad.a $(BUILD)/tests/same_output
	@CC="$(CC)" CFLAGS="$(CFLAGS)" tests/checks/check_lessons.sh $(BUILD) $(L)
lessons-asan:
	$(MAKE) BUILD=build/asan CFLAGS="$(SANITIZE)" lessons-check

.PHONY: lessons-asan lesson try grade grades course lessons-check
