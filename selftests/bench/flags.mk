# SPDX-License-Identifier: GPL-2.0
# compare: one program of all of bench/compare/*.c; libebb and user/base come from user's build.

compare_src := $(wildcard bench/compare/*.c)
compare_obj := $(patsubst %.c,$(out)/%.o,$(compare_src))
compare_user := $(addprefix $(top)/build/user/,base/json.o base/table.o base/text.o libebb.a)

all: $(out)/bench/compare-scans

$(out)/bench/compare/%.o: CPPFLAGS += -I$(top)/user -I$(top)/user/lib
$(out)/bench/compare/%.o: bench/compare/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(out)/bench/compare-scans: $(compare_obj) $(lib_objs) $(compare_user)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

-include $(compare_obj:.o=.d)
.SECONDARY: $(compare_obj)
