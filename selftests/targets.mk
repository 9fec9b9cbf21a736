# SPDX-License-Identifier: GPL-2.0
# The targets of the Makefiles here: kselftest's in a kernel tree, outside of one the same in short.
# They set COLLECTION, which run_tests names, before they include this.

KSELFTEST_LIB := $(wildcard $(dir $(lastword $(MAKEFILE_LIST)))../../lib.mk)

ifneq ($(KSELFTEST_LIB),)
CFLAGS += -Wall -Wextra -O2
include $(KSELFTEST_LIB)
else
CFLAGS ?= -Wall -Wextra -O2
OUTPUT ?= $(CURDIR)

all: $(addprefix $(OUTPUT)/,$(TEST_GEN_FILES))

$(OUTPUT)/%: %.c $(LOCAL_HDRS)
	$(CC) $(CFLAGS) -o $@ $<

run_tests: all
	@fail=0; for prog in $(TEST_PROGS); do \
		echo "# selftests: $(COLLECTION): $$prog"; \
		PATH="$(OUTPUT):$$PATH" ./$$prog || fail=1; \
	done; exit $$fail

clean:
	rm -f $(addprefix $(OUTPUT)/,$(TEST_GEN_FILES))

.PHONY: all run_tests clean
endif
