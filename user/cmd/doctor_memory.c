// SPDX-License-Identifier: GPL-2.0
/* Where idle memory can go, and what the kernel itself does with it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"
#include "base/units.h"
#include "cmd/doctor.h"

static void add_swap(struct ebb_findings *findings, const char *path, uint64_t size, uint64_t used)
{
	char all[EBB_UNITS_MAX], taken[EBB_UNITS_MAX], name[40];
	bool is_full = used >= size;

	snprintf(name, sizeof(name), "swap %.30s", path);
	ebb_finding_add(findings, "memory", name, is_full ? EBB_FINDING_LACKING : EBB_FINDING_OK,
			is_full ? "add swap" : "", "%s of %s used%s", ebb_format_size(taken, used),
			ebb_format_size(all, size),
			strstr(path, "zram") ? ", compressed memory" : "");
}

static void look_at_swap(struct ebb_findings *findings)
{
	char text[8192], path[256], *save = NULL;
	unsigned long long size, used;
	size_t nr = 0;

	if (ebb_proc_read("/proc/swaps", text, sizeof(text)) < 0)
		*text = '\0';
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%255s %*s %llu %llu", path, &size, &used) != 3)
			continue;
		if (nr++ < 4)
			add_swap(findings, path, size << 10, used << 10);
	}
	if (!nr)
		ebb_finding_add(findings, "memory", "swap", EBB_FINDING_LACKING,
				"swapon a device, or zram for swap in compressed memory",
				"none: only pages that a file has can go");
}

static void look_at_lru(struct ebb_findings *findings)
{
	char text[64];

	if (ebb_proc_read("/sys/kernel/mm/lru_gen/enabled", text, sizeof(text)) < 0)
		ebb_finding_add(findings, "memory", "multi-gen LRU", EBB_FINDING_INFO, "",
				"this kernel has none");
	else
		ebb_finding_add(findings, "memory", "multi-gen LRU", EBB_FINDING_INFO, "",
				"%s (enabled: %s)",
				strtoul(text, NULL, 16) ? "on: it reads accessed bits as well"
							: "off",
				text);
}

static void look_at_thp(struct ebb_findings *findings)
{
	char text[128], *open, *close;

	if (ebb_proc_read("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)) < 0) {
		ebb_finding_add(findings, "memory", "huge pages", EBB_FINDING_INFO, "",
				"this kernel has no transparent ones");
		return;
	}
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	ebb_finding_add(
		findings, "memory", "huge pages", EBB_FINDING_INFO, "", "transparent: %s%s",
		close ? open + 1 : text,
		close && !strcmp(open + 1, "always") ? "; one touched byte makes 2 MiB young" : "");
}

void ebb_doctor_memory(struct ebb_findings *findings)
{
	look_at_swap(findings);
	look_at_lru(findings);
	look_at_thp(findings);
}
