# SPDX-License-Identifier: GPL-2.0
# Everything is done by the folders' own Makefiles and by scripts/; this one only names it.
#
#   make run      set up, build, and show the main job on a real redis in a VM
#   make test     set up, build, and run all tests
#   make V=1      show the commands

prefix ?= /usr/local
export prefix DESTDIR V
ifneq ($(V),1)
MAKEFLAGS += -s --no-print-directory
endif

all: kmod bpf user selftests Documentation

kmod bpf user selftests Documentation:
	@[ ! -f $@/Makefile ] || $(MAKE) -C $@
user: bpf
selftests: user

setup:
	@scripts/setup

run: setup
	@$(MAKE) all
	@scripts/demo

test: setup
	@$(MAKE) all
	@scripts/test

check: setup
	@scripts/check

format:
	@scripts/check --format

bench: setup
	@$(MAKE) all
	@scripts/bench

install: all
	@for d in kmod user Documentation; do [ ! -f $$d/Makefile ] || $(MAKE) -C $$d install || exit; done

clean:
	@rm -rf build

.PHONY: all kmod bpf user selftests Documentation setup run test check format bench install clean
