/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that is measured. It touches what it is told to, in logical epochs, and writes down
 * page by page what it touched: the truth that the contenders' answers are compared with.
 */
#ifndef EBB_BENCH_TARGET_H
#define EBB_BENCH_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "toucher.h"

#define PAGE 4096UL
#define MIB (1024 * 1024UL)

/**
 * enum layout - which pages are touched
 * @LAYOUT_HOT: the first ones, the same in each epoch; half of them read, half written
 * @LAYOUT_SPREAD: as many, in all page tables alike
 * @LAYOUT_MIXED: eight parts: read always; written always; every 2nd, 4th, 8th epoch; in the first
 *	only; never; one page of each 2 MiB, another one in each epoch
 */
enum layout {
	LAYOUT_HOT,
	LAYOUT_SPREAD,
	LAYOUT_MIXED,
};

/**
 * struct target - the process
 * @toucher: the process and its mapping
 * @truth: nonzero for each page of the mapping that the last epoch touched
 */
struct target {
	struct toucher toucher;
	volatile uint8_t *truth;
};

/**
 * target_layout() - what is touched from now on
 * @layout: which pages
 * @percent: how many; does not matter with LAYOUT_MIXED
 *
 * Comes before the first target_start().
 */
void target_layout(enum layout layout, unsigned int percent);

/**
 * target_start() - start it; all its pages are there
 * @target: the process
 * @nr: pages of its mapping
 *
 * The program ends when it cannot be had.
 */
void target_start(struct target *target, size_t nr);

/**
 * target_epoch() - have an epoch's pages touched
 * @target: the process
 * @epoch: number of the epoch
 * @ms: touch them over and over for so long; 0: once
 */
void target_epoch(struct target *target, unsigned int epoch, unsigned int ms);

/** target_run() - have epoch 0 touched over and over until target_halt() */
void target_run(struct target *target);

/**
 * target_halt() - end what target_run() began
 * @target: the process
 *
 * Return: pages that it touched in each microsecond.
 */
double target_halt(struct target *target);

/** target_stop() - end it */
void target_stop(struct target *target);

#endif
