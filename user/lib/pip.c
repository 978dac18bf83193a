// SPDX-License-Identifier: LGPL-2.1
#include "ebb/pip.h"

#include <errno.h>
#include <string.h>

#define SHIFT_PTE 12
#define SHIFT_PMD 21
#define SHIFT_PUD 30
#define NO_RUN -1

struct type_info {
	uint8_t unit_shift;
	int8_t run_kind;
};

static const struct type_info types[] = {
	[EBB_PIP_PTE_ACCESSED] = { SHIFT_PTE, EBB_RUN_YOUNG },
	[EBB_PIP_PMD_ACCESSED] = { SHIFT_PMD, EBB_RUN_YOUNG },
	[EBB_PIP_PUD_PRESENT] = { SHIFT_PUD, NO_RUN },
	[EBB_PIP_PTE_DIRTY] = { SHIFT_PTE, EBB_RUN_YOUNG },
	[EBB_PIP_PMD_DIRTY] = { SHIFT_PMD, EBB_RUN_YOUNG },
	[EBB_PIP_PTE_IDLE] = { SHIFT_PTE, EBB_RUN_IDLE },
	[EBB_PIP_PMD_IDLE] = { SHIFT_PMD, EBB_RUN_IDLE },
	[EBB_PIP_PMD_IDLE_PTES] = { SHIFT_PMD, EBB_RUN_IDLE_TABLE },
	[EBB_PIP_PTE_HOLE] = { SHIFT_PTE, NO_RUN },
	[EBB_PIP_PMD_HOLE] = { SHIFT_PMD, NO_RUN },
};

static void take_address_byte(struct ebb_pip_decoder *decoder, uint8_t byte)
{
	decoder->pending = decoder->pending << 8 | byte;
	if (--decoder->nr_pending)
		return;
	decoder->addr = decoder->pending;
	decoder->has_addr = true;
}

static int take_units(struct ebb_pip_decoder *decoder, uint8_t byte, ebb_pip_fn fn, void *arg)
{
	struct ebb_pip_run run = {
		.start = decoder->addr,
		.nr_units = byte & 0xf,
		.type = byte >> 4,
	};

	if (!decoder->has_addr || run.type >= EBB_PIP_CMD || !run.nr_units)
		return -EBADMSG;
	run.unit_shift = types[run.type].unit_shift;
	if (__builtin_add_overflow(decoder->addr, (uint64_t)run.nr_units << run.unit_shift,
				   &decoder->addr))
		return -EBADMSG;
	return fn(&run, arg);
}

static int take_byte(struct ebb_pip_decoder *decoder, uint8_t byte, ebb_pip_fn fn, void *arg)
{
	if (decoder->nr_pending) {
		take_address_byte(decoder, byte);
		return 0;
	}
	if (byte == EBB_PIP_SET_ADDR) {
		decoder->nr_pending = 8;
		decoder->pending = 0;
		return 0;
	}
	return take_units(decoder, byte, fn, arg);
}

int ebb_pip_decode(struct ebb_pip_decoder *decoder, const uint8_t *bytes, size_t len, ebb_pip_fn fn,
		   void *arg)
{
	int err = 0;

	for (size_t i = 0; !err && i < len; i++)
		err = take_byte(decoder, bytes[i], fn, arg);
	return err;
}

bool ebb_pip_is_complete(const struct ebb_pip_decoder *decoder)
{
	return !decoder->nr_pending;
}

bool ebb_pip_to_run(const struct ebb_pip_run *pip, struct ebb_run *run)
{
	const struct type_info *info = &types[pip->type];

	if (info->run_kind == NO_RUN)
		return false;
	memset(run, 0, sizeof(*run));
	run->start = pip->start;
	run->kind = (uint8_t)info->run_kind;
	run->nr_pages = pip->nr_units;
	run->page_shift = info->unit_shift;
	if (run->kind == EBB_RUN_IDLE_TABLE) {
		run->page_shift = SHIFT_PTE;
		run->nr_pages <<= SHIFT_PMD - SHIFT_PTE;
	}
	return true;
}
