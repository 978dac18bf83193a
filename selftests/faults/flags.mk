# SPDX-License-Identifier: GPL-2.0
# stacks/touch.c in several builds, without -g, which adds .debug_frame: what their stacks can be
# unwound by differs.

touch_FLAGS := -O1 -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -fno-optimize-sibling-calls
touch_fp := -fno-omit-frame-pointer
touch_tables := -fomit-frame-pointer
touch_bare := -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
touch_src := faults/stacks

all: $(patsubst %,$(out)/faults/touch-%,fp tables bare)

$(out)/faults/touch-%: $(touch_src)/touch.c $(touch_src)/touch.h $(out)/faults/libtouch-%.so \
		faults/flags.mk
	$(Q)$(CC) $(touch_FLAGS) $(touch_$*) -o $@ $< -L$(@D) -ltouch-$* -Wl,-rpath,'$$ORIGIN'

$(out)/faults/libtouch-%.so: $(touch_src)/touchlib.c $(touch_src)/touch.h faults/flags.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(touch_FLAGS) $(touch_$*) -fPIC -shared -o $@ $<

.SECONDARY: $(patsubst %,$(out)/faults/libtouch-%.so,fp tables bare)
