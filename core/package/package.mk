# What other programs take the library from: make install, make uninstall, make amalgamation, make reference. Part of
# the Makefile.

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
	$(call say,CC,$<)
	@$(CC) -Wall -Wextra -Wpedantic -Werror $(CFLAGS) -c -o $@ $<

# The reference page, made from the headers, and "PyTorch line -> C line" on two sides of paper.
reference: $(BUILD)/reference.html $(BUILD)/cheatsheet.html
$(BUILD)/%.html: core/package/%.sh $(shell find core nn optim -name '*.h') $(wildcard core/package/*) \
    examples/PORTING.md
	$(call say,GEN,$@)
	@mkdir -p $(@D) && $< > $@.new && mv $@.new $@

.PHONY: install uninstall amalgamation reference
