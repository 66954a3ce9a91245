# make          the library and the examples, into build/        make asan    the tests under AddressSanitizer + UBSan
# make demo     trains the repeated-token classifier             make clean   removes build/
# make check    builds and runs the tests (needs Check)          make help    prints these lines
#
# CC=clang and CFLAGS=... work as usual. Other builds have a folder of their own: make BUILD=build/debug CFLAGS=-O0.
BUILD  ?= build
CFLAGS ?= -O2 -g
STRICT  = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror
FLAGS   = $(STRICT) -I. -MMD -MP -fPIC -fvisibility=hidden -ftls-model=initial-exec -ffp-contract=off
LIBS    = -lm -lpthread

library  := $(wildcard core/*.c core/*/*.c nn/*.c optim/*.c)
examples := $(patsubst examples/%,$(BUILD)/examples/%,$(basename $(wildcard examples/*.c)) $(patsubst %/,%,$(wildcard examples/*/)))
tests    := $(wildcard tests/*.c)
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

all: $(BUILD)/libtapegrad.a $(BUILD)/libtapegrad.so $(examples)

$(BUILD)/libtapegrad.a: $(call objects,$(library))
	rm -f $@
	ar rcs $@ $^

$(BUILD)/libtapegrad.so: $(call objects,$(library))
	$(CC) $(CFLAGS) -shared -Wl,-z,defs -o $@ $^ $(LIBS)

# An example is one file, or a folder of files.
.SECONDEXPANSION:
$(BUILD)/examples/%: $$(call objects,$$(wildcard examples/$$*.c examples/$$*/*.c)) $(BUILD)/libtapegrad.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CFLAGS) -c -o $@ $<

# ---- the main job ----
demo: $(BUILD)/examples/train_classifier
	$<

# ---- tests ----
$(BUILD)/obj/tests/%.o: FLAGS += $(CHECK_FLAGS)
check: CHECK_FLAGS = $(shell pkg-config --cflags check)
check: need-check $(BUILD)/tests/run all
	$(BUILD)/tests/run

$(BUILD)/tests/run: $(call objects,$(tests)) $(BUILD)/libtapegrad.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(shell pkg-config --libs check) $(LIBS)

need-check:
	@pkg-config --exists check || { echo "make check needs Check and pkg-config: apt-get install check pkg-config"; exit 1; }

asan:
	$(MAKE) check BUILD=build/asan CFLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

clean:
	rm -rf build

help:
	@sed -n '1,3p' Makefile

.PHONY: all demo check need-check asan clean help
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
