// SPDX-License-Identifier: GPL-2.0
#include "sources/bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char last_warning[256];

static int keep_warning(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN)
		vsnprintf(last_warning, sizeof(last_warning), format, args);
	last_warning[strcspn(last_warning, "\n")] = '\0';
	return 0;
}

void ebb_bpf_quiet(void)
{
	libbpf_set_print(keep_warning);
	last_warning[0] = '\0';
}

void ebb_bpf_explain(const char *what, int err, char *text, size_t size)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		snprintf(text, size,
			 "cannot %s: the kernel tells no types (/sys/kernel/btf/vmlinux): it needs "
			 "CONFIG_DEBUG_INFO_BTF",
			 what);
	else if ((err == -EPERM || err == -EACCES) && geteuid())
		snprintf(text, size,
			 "cannot %s: BPF programs need root, or CAP_BPF and CAP_PERFMON: run it as "
			 "root",
			 what);
	else if (err == -EPERM)
		snprintf(
			text, size,
			"cannot %s: the kernel refuses this kind of BPF program (%s), or a container "
			"without CAP_BPF and CAP_PERFMON",
			what, strerror(-err));
	else
		snprintf(text, size, "cannot %s: %s%s%s", what, strerror(-err),
			 last_warning[0] ? ": " : "", last_warning);
}
