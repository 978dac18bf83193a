/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms whose slot i counts values of 2^i up to (not including) 2^(i+1); slot 0 also 0. */
#ifndef EBB_BASE_LOG2_H
#define EBB_BASE_LOG2_H

#include <stddef.h>
#include <stdint.h>

/**
 * ebb_log2_sum() - how many values there are
 * @slots: the histogram
 * @nr: its slots
 */
uint64_t ebb_log2_sum(const uint64_t *slots, size_t nr);

/**
 * ebb_log2_below() - a bound for a share of the values
 * @slots: the histogram
 * @nr: its slots, at most 63
 * @percent: the share, 1 to 100
 *
 * Return: at least @percent of the values are less than this; the upper end of a slot. 0: there are
 * no values.
 */
uint64_t ebb_log2_below(const uint64_t *slots, size_t nr, unsigned int percent);

#endif
