/* SPDX-License-Identifier: LGPL-2.1 */
/* Decoder of the stream that /proc/PID/idle_pages gives: pure arithmetic, no I/O, no allocation. */
#ifndef EBB_PIP_H
#define EBB_PIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ebb.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ebb_pip_run - some equal neighbours of a stream
 * @start: address of the first one
 * @nr_units: how many, 1 to 15
 * @unit_shift: each is 1 << @unit_shift bytes: 12, 21 or 30
 * @type: &enum ebb_pip, never %EBB_PIP_CMD
 */
struct ebb_pip_run {
	uint64_t start;
	uint32_t nr_units;
	uint8_t unit_shift;
	uint8_t type;
};

/**
 * struct ebb_pip_decoder - between the pieces of a stream; begin with all zeros
 * @addr: where the next unit is
 * @has_addr: whether the stream has said so
 * @nr_pending: bytes of an address command that are still to come
 * @pending: what has come of it
 */
struct ebb_pip_decoder {
	uint64_t addr;
	bool has_addr;
	uint8_t nr_pending;
	uint64_t pending;
};

/**
 * typedef ebb_pip_fn - what is done with each run
 * @run: valid during the call
 * @arg: the caller's
 *
 * Return: 0 to go on; anything else ends the decoding and is returned to the caller.
 */
typedef int (*ebb_pip_fn)(const struct ebb_pip_run *run, void *arg);

/**
 * ebb_pip_decode() - decode the next piece of a stream
 * @decoder: state; a stream may be cut anywhere, also inside a command
 * @bytes: the piece
 * @len: its length
 * @fn: called for each run, in the order of the stream
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, or -EBADMSG: an unknown code, a repeat count of 0, a unit before
 * any address, or an address that overflows. After an error the decoder must be zeroed.
 */
int ebb_pip_decode(struct ebb_pip_decoder *decoder, const uint8_t *bytes, size_t len, ebb_pip_fn fn,
		   void *arg);

/**
 * ebb_pip_is_complete() - whether a stream may end here
 * @decoder: state
 *
 * Return: false in the middle of an address command.
 */
bool ebb_pip_is_complete(const struct ebb_pip_decoder *decoder);

/**
 * ebb_pip_to_run() - say the same in the words of a scan
 * @pip: a run of the stream
 * @run: filled
 *
 * Return: true, or false when nothing is present there or nothing is known of accesses.
 */
bool ebb_pip_to_run(const struct ebb_pip_run *pip, struct ebb_run *run);

#ifdef __cplusplus
}
#endif
#endif
