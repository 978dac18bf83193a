// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the kernel's unexported symbols when the module is loaded. See ksym.h.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "ksym.h"

#define EBB_KSYM_DEFINE(name, needed_by, ret, args) \
	DEFINE_STATIC_CALL_NULL(ebb_ksym_##name, ebb_ksym_##name##_fn);
EBB_KSYM_FUNCTIONS(EBB_KSYM_DEFINE)

typedef unsigned long ebb_ksym_lookup_fn(const char *name);
DEFINE_STATIC_CALL_NULL(ebb_ksym_lookup, ebb_ksym_lookup_fn);

struct ksym_row {
	const char *name;
	unsigned long needed_by; /* bits of enum ebb_cap */
	unsigned long addr; /* 0: not there */
};

#define EBB_KSYM_ROW(sym, needs, ...) [EBB_KSYM_##sym] = { .name = #sym, .needed_by = (needs) },
static struct ksym_row rows[EBB_NR_KSYMS] = { EBB_KSYM_FUNCTIONS(EBB_KSYM_ROW)
						      EBB_KSYM_ADDRESSES(EBB_KSYM_ROW) };

/*
 * A kprobe may be placed by name, and tells the address: the one lookup that is open to modules.
 * It is not armed: no code is changed, and nothing can fail when it goes.
 */
static unsigned long find_by_kprobe(const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	unsigned long addr;

	if (register_kprobe(&probe))
		return 0;
	addr = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return addr;
}

/*
 * The lookup goes on in modules when the kernel itself has no such name; what is found there is
 * not the function that was meant.
 */
static bool is_in_module(unsigned long addr)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol(text, addr);
	return strchr(text, '[');
}

/* Only the exact name counts: a clone such as name.isra.0 may take other arguments. */
static unsigned long find(const char *name)
{
	unsigned long addr = static_call(ebb_ksym_lookup)(name);

	if (!addr || is_in_module(addr))
		return 0;
	return addr;
}

#define EBB_KSYM_PATCH(name, ...)                   \
	if (ebb_has(name))                          \
		static_call_update(ebb_ksym_##name, \
				   (ebb_ksym_##name##_fn *)ebb_ksym_addr(EBB_KSYM_##name));

/**
 * ebb_ksym_init() - find all symbols
 *
 * What is missing stays away and is told by ebb_ksym_missing(); that is no error.
 *
 * Context: module init, may sleep.
 * Return: 0.
 */
int ebb_ksym_init(void)
{
	unsigned long lookup = find_by_kprobe("kallsyms_lookup_name");
	size_t i;

	if (!lookup)
		return 0;
	static_call_update(ebb_ksym_lookup, (ebb_ksym_lookup_fn *)lookup);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		rows[i].addr = find(rows[i].name);
	EBB_KSYM_FUNCTIONS(EBB_KSYM_PATCH)
	return 0;
}

/**
 * ebb_ksym_addr() - address of a symbol
 * @sym: which
 *
 * Context: any.
 * Return: the address, 0 when this kernel does not have the symbol.
 */
unsigned long ebb_ksym_addr(enum ebb_ksym sym)
{
	return rows[sym].addr;
}

/**
 * ebb_ksym_size() - bytes from a symbol to the next one
 * @sym: which
 *
 * Context: any.
 * Return: the size, alignment behind the object included; 0 when it is not known.
 */
size_t ebb_ksym_size(enum ebb_ksym sym)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	char *plus;

	if (!rows[sym].addr)
		return 0;
	sprint_symbol(text, rows[sym].addr);
	plus = strrchr(text, '+');
	if (!plus || sscanf(plus, "+%lx/%lx", &offset, &size) != 2 || offset)
		return 0;
	return size;
}

/**
 * ebb_ksym_missing() - what a capability lacks
 * @cap: the capability
 *
 * Context: any.
 * Return: name of the first symbol that @cap needs and that is not there; NULL: has all.
 */
const char *ebb_ksym_missing(enum ebb_cap cap)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if ((rows[i].needed_by & BIT(cap)) && !rows[i].addr)
			return rows[i].name;
	return NULL;
}
