// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding a copied piece of stack by .eh_frame.
 *
 * libdwfl runs the tables' little programs for every frame, while a busy thread takes its faults in
 * few chains of calls. So each chain is kept with the places of its return addresses: one that
 * begins with the same instruction, stack and frame pointer and has the same return addresses in
 * the same places is the same chain.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/user_private.h"

#define NR_CHAINS 4096
#define REG_BP 6
#define REG_SP 7
#define REG_IP 16

struct ebb_chain {
	uint64_t ip;
	uint64_t sp;
	uint64_t bp;
	size_t stack_bytes;
	size_t nr;
	uint64_t frames[EBB_UNWIND_MAX];
	uint64_t places[EBB_UNWIND_MAX]; /* of the frame's return address; 0: the first frame */
};

void ebb_chains_drop(struct ebb_usyms *syms)
{
	for (size_t i = 0; syms->chains && i < NR_CHAINS; i++) {
		free(syms->chains[i]);
		syms->chains[i] = NULL;
	}
}

static bool read_stack(const struct ebb_unwind_input *input, uint64_t addr, uint64_t *word)
{
	uint64_t at = addr - input->stack_start;

	if (addr < input->stack_start || at > input->stack_bytes ||
	    input->stack_bytes - at < sizeof(*word))
		return false;
	memcpy(word, (const char *)input->stack + at, sizeof(*word));
	return true;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct ebb_usyms *syms = arg;

	if (*thread_arg)
		return 0;
	*thread_arg = syms;
	return syms->input->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	*thread_arg = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *arg)
{
	const struct ebb_usyms *syms = arg;
	uint64_t value;

	if (!read_stack(syms->input, addr, &value))
		return false;
	*word = value;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct ebb_usyms *syms = arg;
	Dwarf_Word regs[EBB_UNWIND_REGS];

	for (size_t i = 0; i < EBB_UNWIND_REGS; i++)
		regs[i] = syms->input->regs[i];
	return dwfl_thread_state_registers(thread, 0, EBB_UNWIND_REGS, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static bool is_covered(Dwarf_CFI *cfi, Dwarf_Addr addr)
{
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return false;
	free(frame);
	return true;
}

/* without a table for it libdwfl guesses the caller by the frame pointer, which may be none */
static bool has_table(Dwfl *dwfl, Dwarf_Addr addr)
{
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, addr);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi;

	if (!mod)
		return false;
	cfi = dwfl_module_eh_cfi(mod, &bias);
	if (is_covered(cfi, addr - bias))
		return true;
	cfi = dwfl_module_dwarf_cfi(mod, &bias);
	return is_covered(cfi, addr - bias);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct ebb_chain *chain = arg;
	Dwarf_Addr pc;
	Dwarf_Word sp;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	if (chain->nr && !has_table(dwfl_thread_dwfl(dwfl_frame_thread(frame)),
				    chain->frames[chain->nr - 1] - (chain->nr > 1)))
		return DWARF_CB_ABORT;
	chain->places[chain->nr] = 0;
	/* the return address lies just below where the stack pointer is after the return */
	if (chain->nr && dwfl_frame_reg(frame, REG_SP, &sp) == 0)
		chain->places[chain->nr] = sp - sizeof(uint64_t);
	chain->frames[chain->nr++] = pc;
	return chain->nr < EBB_UNWIND_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static bool attach(struct ebb_usyms *syms)
{
	if (!syms->is_attached)
		syms->is_attached =
			dwfl_attach_state(syms->dwfl, NULL, syms->pid, &thread_callbacks, syms);
	return syms->is_attached;
}

static void unwind(struct ebb_usyms *syms, const struct ebb_unwind_input *input,
		   struct ebb_chain *chain)
{
	chain->ip = input->regs[REG_IP];
	chain->sp = input->regs[REG_SP];
	chain->bp = input->regs[REG_BP];
	chain->stack_bytes = input->stack_bytes;
	chain->nr = 0;
	syms->input = input;
	if (attach(syms))
		dwfl_getthread_frames(syms->dwfl, input->tid, add_frame, chain);
	syms->input = NULL;
}

static bool is_same(const struct ebb_chain *chain, const struct ebb_unwind_input *input)
{
	uint64_t word;

	/* one frame says nothing of what is above it */
	if (chain->nr < 2 || chain->stack_bytes != input->stack_bytes ||
	    chain->ip != input->regs[REG_IP] || chain->sp != input->regs[REG_SP] ||
	    chain->bp != input->regs[REG_BP])
		return false;
	for (size_t i = 1; i < chain->nr; i++) {
		if (!read_stack(input, chain->places[i], &word) || word != chain->frames[i])
			return false;
	}
	return true;
}

static struct ebb_chain **find_place(struct ebb_usyms *syms, const struct ebb_unwind_input *input)
{
	uint64_t hash =
		input->regs[REG_IP] ^ (input->regs[REG_SP] << 20) ^ (input->regs[REG_BP] << 7);

	if (!syms->chains)
		syms->chains = calloc(NR_CHAINS, sizeof(struct ebb_chain *));
	hash *= 0xff51afd7ed558ccdULL;
	return syms->chains ? &syms->chains[hash >> 52] : NULL;
}

size_t ebb_usyms_unwind(struct ebb_usyms *syms, const struct ebb_unwind_input *input,
			uint64_t *frames, size_t max)
{
	struct ebb_chain **place = find_place(syms, input);
	struct ebb_chain *chain;
	size_t nr;

	if (!place)
		return 0;
	if (!*place)
		*place = calloc(1, sizeof(**place));
	chain = *place;
	if (!chain)
		return 0;
	if (!is_same(chain, input))
		unwind(syms, input, chain);
	nr = chain->nr < max ? chain->nr : max;
	memcpy(frames, chain->frames, nr * sizeof(*frames));
	return nr;
}
