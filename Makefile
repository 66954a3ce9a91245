# make          the library and the examples, into build/         make check    builds and runs the tests (needs Check)
# make demo     trains the repeated-token classifier              make asan     the tests under sanitizers
# make bench    how fast it is (tests/bench/README.md)            make clean    removes build/
# make install  headers and libraries, into PREFIX=/usr/local, LIBDIR, INCLUDEDIR below DESTDIR; make uninstall
# More: core/package/package.mk (install, amalgamation, reference page) and tests/tests.mk (all the checks).
#
# CC=clang, CFLAGS=..., CPPFLAGS and LDFLAGS work as usual; CFLAGS="-O2 -Wno-error" for a compiler that warns of more
# than gcc 12 and clang 14 do. Other flags want another folder: make BUILD=build/debug CFLAGS="-O0 -g".
BUILD  ?= build
CFLAGS ?= -O2
LIBS    = -lm -lpthread
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

# C11 and, in the library, what POSIX and Linux add to it (mapped memory, terminals, a thread's own locale).
# -ffp-contract=off: a * b + c is rounded twice, as in PyTorch, unless the source writes fma.
# -ftree-vectorize, -fvect-cost-model=dynamic: gcc's -O2 vectorizes loops only with these flags; clang's does so by
# default.
FLAGS    = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -I. -MD -MP -fPIC -fvisibility=hidden \
           -ffp-contract=off $(VECTORS)
VECTORS := $(if $(findstring clang,$(shell $(CC) --version)),,-ftree-vectorize -fvect-cost-model=dynamic)

library  := $(sort $(shell find core nn optim -name '*.c'))
folders  := $(filter-out examples/lessons/ examples/pytorch/,$(wildcard examples/*/))
examples := $(patsubst %,$(BUILD)/%,$(basename $(wildcard examples/*.c examples/pytorch/*/*.c)) \
            $(patsubst %/,%,$(folders)))
# $(call objects,a.c b.c): their object files. $(call say,CC,a.c): prints what is being made.
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
say       = @printf '  %-3s %s\n' $(1) $(2)

all: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so $(examples)

# ---- the library ----

$(BUILD)/libtapegrad.a: $(call objects,$(library))
	$(call say,AR,$@)
	@rm -f $@ && $(AR) rcs $@ $^

# Programs are linked with a library of this major version, before 1.0 of this minor one: libtapegrad.so.0.1
abi := $(shell sed -n 's/^.define TAPEGRAD_VERSION_M[A-Z]* //p' core/tensor/api.h | paste -sd. - | \
         sed 's/^\([1-9][0-9]*\)[.].*/\1/')
$(BUILD)/libtapegrad.so: $(call objects,$(library))
	$(call say,LD,$@)
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libtapegrad.so.$(abi) -Wl,-z,defs,-Bsymbolic-functions \
	    -o $@ $^ $(LIBS)
	@ln -sf libtapegrad.so $@.$(abi)

$(BUILD)/obj/%.o: %.c Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	@$(CC) $(FLAGS) $(CPPFLAGS) $(CFLAGS) $(FOLDER_FLAGS) -c -o $@ $<

# Additional flags depend on the folder alone.
$(call objects,$(library)): FOLDER_FLAGS = -D_DEFAULT_SOURCE

# ---- the examples: one file, or a folder of files ----

# $(call parts,char_gpt): the object files of the folder examples/char_gpt, or of one source file of that name
parts = $(call objects,$(wildcard examples/$(1).c examples/$(1)/*.c))
.SECONDEXPANSION:
$(BUILD)/examples/%: $$(call parts,$$*) $(BUILD)/libtapegrad.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
# The tests of an example's classes are linked with its files: the weak main gives way to the test's own.
$(BUILD)/obj/examples/%.o: FOLDER_FLAGS = -D'main=__attribute__((weak)) main'
$(BUILD)/obj/examples/pytorch/%.o: FOLDER_FLAGS =

demo: $(BUILD)/examples/train_classifier
	$<

clean:
	rm -rf build

# The first nine lines of this file.
help:
	@sed -n '1,9p' Makefile

include core/package/package.mk examples/lessons/lessons.mk tests/tests.mk
.PHONY: all demo clean help
# A test's output that a failing test wrote must not count as made: the next make would pass over the test.
.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
