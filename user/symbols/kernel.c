// SPDX-License-Identifier: GPL-2.0
#include "symbols/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sym {
	uint64_t addr;
	uint32_t name; /* offsets in text */
	uint32_t module;
};

struct ebb_ksyms {
	struct sym *syms;
	size_t nr;
	size_t max_syms;
	char *text;
	size_t text_len;
	size_t max_text;
};

static int grow(void **array, size_t *max, size_t need, size_t size)
{
	size_t wanted = *max ? *max : 4096;
	void *larger;

	while (wanted < need)
		wanted *= 2;
	if (wanted == *max)
		return 0;
	larger = realloc(*array, wanted * size);
	if (!larger)
		return -1;
	*array = larger;
	*max = wanted;
	return 0;
}

static int add_text(struct ebb_ksyms *syms, const char *text, uint32_t *at)
{
	size_t len = strlen(text) + 1;

	if (grow((void **)&syms->text, &syms->max_text, syms->text_len + len, 1))
		return -1;
	memcpy(syms->text + syms->text_len, text, len);
	*at = syms->text_len;
	syms->text_len += len;
	return 0;
}

/* "ffffffff81000000 T name\t[module]" */
static int add_line(struct ebb_ksyms *syms, const char *line)
{
	char name[256], module[64] = "", type;
	struct sym *sym;
	uint64_t addr;

	if (sscanf(line, "%" SCNx64 " %c %255s [%63[^]]", &addr, &type, name, module) < 3)
		return 0;
	if (!addr || !strchr("tTwW", type))
		return 0;
	if (grow((void **)&syms->syms, &syms->max_syms, syms->nr + 1, sizeof(*syms->syms)))
		return -1;
	sym = &syms->syms[syms->nr];
	sym->addr = addr;
	if (add_text(syms, name, &sym->name))
		return -1;
	sym->module = 0;
	if (module[0] && add_text(syms, module, &sym->module))
		return -1;
	syms->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int read_all(struct ebb_ksyms *syms, FILE *file)
{
	char line[512];
	uint32_t empty;

	if (add_text(syms, "", &empty))
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (add_line(syms, line))
			return -1;
	}
	return syms->nr ? 0 : -1;
}

struct ebb_ksyms *ebb_ksyms_open(void)
{
	struct ebb_ksyms *syms = calloc(1, sizeof(*syms));
	FILE *file = fopen("/proc/kallsyms", "re");

	if (!syms || !file || read_all(syms, file)) {
		ebb_ksyms_close(syms);
		syms = NULL;
	} else {
		qsort(syms->syms, syms->nr, sizeof(*syms->syms), compare);
	}
	if (file)
		fclose(file);
	return syms;
}

void ebb_ksyms_close(struct ebb_ksyms *syms)
{
	if (!syms)
		return;
	free(syms->syms);
	free(syms->text);
	free(syms);
}

const char *ebb_ksyms_find(const struct ebb_ksyms *syms, uint64_t addr, uint64_t *offset,
			   const char **module)
{
	size_t low = 0, high = syms->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (syms->syms[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* the last one has no end: what is far behind it is none of its code */
	if (!low || addr - syms->syms[low - 1].addr > 1 << 20)
		return NULL;
	*offset = addr - syms->syms[low - 1].addr;
	*module = syms->text + syms->syms[low - 1].module;
	return syms->text + syms->syms[low - 1].name;
}
