/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A client of the genetlink family "ebb" over a bare socket, so that tests see exactly what the
 * kernel says and can send what no library would.
 */
#ifndef EBB_SELFTEST_NL_H
#define EBB_SELFTEST_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ebb.h>

struct nl {
	int fd;
	int family;
	char text[256]; /* of the last error */
	unsigned char *reply; /* room for a message */
};

/* a request that is being made up */
struct nl_request {
	_Alignas(8) unsigned char data[32 * 1024];
	size_t len;
};

/* Connect. Returns 0 or -errno; -ENOENT: the module is not loaded. */
int nl_open(struct nl *nl);
void nl_close(struct nl *nl);

void nl_begin(struct nl *nl, struct nl_request *req, int cmd, bool is_dump);
void nl_put(struct nl_request *req, int attr, const void *data, size_t len);
void nl_put_u32(struct nl_request *req, int attr, uint32_t value);
void nl_put_u64(struct nl_request *req, int attr, uint64_t value);

/* Send only. Returns 0 or -errno. */
int nl_send(struct nl *nl, struct nl_request *req);

/* gets each attribute of each reply; a pointer valid during the call */
typedef void nl_attr_fn(int attr, const void *data, size_t len, void *arg);

/* Read the replies to what was sent. Returns 0 or the -errno that the kernel answered. */
int nl_receive(struct nl *nl, nl_attr_fn *fn, void *arg);

/* Read one message. Returns 1 when more may follow, else as nl_receive(). */
int nl_receive_one(struct nl *nl, nl_attr_fn *fn, void *arg);

/* Both. */
int nl_ask(struct nl *nl, struct nl_request *req, nl_attr_fn *fn, void *arg);

/* Take apart attributes, such as a nest's. */
void nl_each_attr(const void *data, size_t len, nl_attr_fn *fn, void *arg);

/* called for each run record */
typedef void nl_run_fn(const struct ebb_run *run, void *arg);

/*
 * A whole scan. @stats (may be NULL) gets the counters by enum ebb_stat. Returns 0 or -errno;
 * -EPROTO when there were no counters at the end.
 */
int nl_scan(struct nl *nl, int pid, uint64_t start, uint64_t end, uint32_t flags, nl_run_fn *fn,
	    void *arg, uint64_t stats[__EBB_STAT_MAX]);

/* Begin a scan, and read the first message only. Returns 1, or 0 or -errno when that was all. */
int nl_scan_begin(struct nl *nl, int pid, nl_run_fn *fn, void *arg);

/* Read the rest. Returns as nl_scan(). */
int nl_scan_go_on(struct nl *nl, nl_run_fn *fn, void *arg);

/* Reclaim ranges. Returns 0 or -errno. */
int nl_reclaim(struct nl *nl, int pid, const struct ebb_range *ranges, size_t nr, uint32_t flags,
	       uint64_t outcomes[__EBB_OUTCOME_MAX]);

#endif
