# Long runs that attack the library. Part of the Makefile.
#
# make torture             all of them, one after the other
#
# Each part is a target of its own, has a bound that can be set, prints what it covered and fails if it finds something.

torture_parts :=
torture:
	@for part in $(torture_parts); do $(MAKE) --no-print-directory $$part || exit 1; done
.PHONY: torture
