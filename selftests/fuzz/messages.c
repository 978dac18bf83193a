// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the genetlink family: messages made up from the policies that the kernel tells of it
 * (CTRL_CMD_GETPOLICY), so that every command and attribute takes part as soon as it exists; most of
 * them are then spoilt.
 *
 *	messages SEED CALLS [SECONDS]
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "nl.h"
#include "tap.h"

#define PAGE 4096UL
#define ATTRS_MAX 64
#define POLICIES_MAX 64
#define OPS_MAX 64

/* what one attribute may be */
struct attr {
	unsigned int type; /* NL_ATTR_TYPE_...; 0: not allowed */
	uint64_t mask, max;
	unsigned int max_len;
	unsigned int policy; /* of what is nested */
};

/* one way to call a command */
struct op {
	int cmd;
	bool is_dump;
	unsigned int policy;
	unsigned long good; /* calls that succeeded */
};

static struct attr policies[POLICIES_MAX][ATTRS_MAX];
static struct op ops[OPS_MAX];
static size_t nr_ops;
static struct nl nl;

/*
 * The policies
 */

static uint64_t number_of(const void *data, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, data, len < sizeof(value) ? len : sizeof(value));
	return value;
}

static void take_limit(int type, const void *data, size_t len, void *arg)
{
	struct attr *attr = arg;

	switch (type) {
	case NL_POLICY_TYPE_ATTR_TYPE:
		attr->type = number_of(data, len);
		break;
	case NL_POLICY_TYPE_ATTR_MASK:
		attr->mask = number_of(data, len);
		break;
	case NL_POLICY_TYPE_ATTR_MAX_VALUE_U:
		attr->max = number_of(data, len);
		break;
	case NL_POLICY_TYPE_ATTR_MAX_LENGTH:
		attr->max_len = number_of(data, len);
		break;
	case NL_POLICY_TYPE_ATTR_POLICY_IDX:
		attr->policy = number_of(data, len);
		break;
	}
}

static void take_attr(int type, const void *data, size_t len, void *arg)
{
	struct attr *policy = arg;

	if (type < ATTRS_MAX)
		nl_each_attr(data, len, take_limit, &policy[type]);
}

static void take_policy(int index, const void *data, size_t len, void *arg)
{
	if (index < POLICIES_MAX)
		nl_each_attr(data, len, take_attr, policies[index]);
}

static void take_way(int way, const void *data, size_t len, void *arg)
{
	if (nr_ops == OPS_MAX || (way != CTRL_ATTR_POLICY_DO && way != CTRL_ATTR_POLICY_DUMP))
		return;
	ops[nr_ops++] = (struct op){ .cmd = *(int *)arg,
				     .is_dump = way == CTRL_ATTR_POLICY_DUMP,
				     .policy = number_of(data, len) };
}

static void take_op(int cmd, const void *data, size_t len, void *arg)
{
	nl_each_attr(data, len, take_way, &cmd);
}

static void take_reply(int type, const void *data, size_t len, void *arg)
{
	if (type == CTRL_ATTR_OP_POLICY)
		nl_each_attr(data, len, take_op, NULL);
	else if (type == CTRL_ATTR_POLICY)
		nl_each_attr(data, len, take_policy, NULL);
}

static void learn(void)
{
	struct nl_request req;
	struct nl control;
	uint16_t family;

	if (nl_open(&control))
		tap_bail("the family ebb: is the module loaded?");
	family = control.family;
	control.family = GENL_ID_CTRL;
	nl_begin(&control, &req, CTRL_CMD_GETPOLICY, true);
	nl_put(&req, CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	if (nl_ask(&control, &req, take_reply, NULL) || !nr_ops)
		tap_bail("the kernel does not tell the policies of ebb: %s", control.text);
	nl_close(&control);
}

/*
 * Good messages
 */

static void put_number(struct fuzz *fuzz, struct nl_request *req, int type, const struct attr *attr,
		       size_t size)
{
	uint64_t value = fuzz_number(fuzz);

	if (attr->mask && fuzz_chance(fuzz, 95))
		value = fuzz_chance(fuzz, 50) ? 0 : value & attr->mask;
	else if (attr->max && attr->max != UINT32_MAX && fuzz_chance(fuzz, 80))
		value = fuzz_below(fuzz, attr->max + 1);
	nl_put(req, type, &value, size);
}

static void put_ranges(struct fuzz *fuzz, struct nl_request *req, int type)
{
	struct ebb_range ranges[32];
	size_t i, nr = 1 + fuzz_below(fuzz, 32);

	for (i = 0; i < nr; i++) {
		ranges[i].start = fuzz_chance(fuzz, 99) ? fuzz_addr(fuzz) & -PAGE : fuzz_addr(fuzz);
		ranges[i].end = ranges[i].start + (1 + fuzz_below(fuzz, 40)) * PAGE;
	}
	nl_put(req, type, ranges, nr * sizeof(*ranges));
}

static void put_bytes(struct fuzz *fuzz, struct nl_request *req, int type, const struct attr *attr)
{
	unsigned char bytes[256];
	size_t max = attr->max_len && attr->max_len < sizeof(bytes) ? attr->max_len : 64;

	fuzz_bytes(fuzz, bytes, sizeof(bytes));
	if (attr->type != NL_ATTR_TYPE_BINARY)
		memset(bytes, 'a' + fuzz_below(fuzz, 26), max - 1);
	bytes[max - 1] = 0;
	nl_put(req, type, bytes, max);
}

static void put_attr(struct fuzz *fuzz, struct nl_request *req, int type, const struct attr *attr)
{
	switch (type) {
	case EBB_A_PID:
		nl_put_u32(req, type, fuzz_pid(fuzz));
		return;
	case EBB_A_START:
		nl_put_u64(req, type, fuzz_addr(fuzz));
		return;
	case EBB_A_END:
		nl_put_u64(req, type, fuzz_addr(fuzz) + fuzz_below(fuzz, 1 << 24) * PAGE);
		return;
	case EBB_A_RANGES:
		put_ranges(fuzz, req, type);
		return;
	}
	switch (attr->type) {
	case NL_ATTR_TYPE_FLAG:
		nl_put(req, type, "", 0);
		break;
	case NL_ATTR_TYPE_U8:
		put_number(fuzz, req, type, attr, 1);
		break;
	case NL_ATTR_TYPE_U16:
		put_number(fuzz, req, type, attr, 2);
		break;
	case NL_ATTR_TYPE_U32:
		put_number(fuzz, req, type, attr, 4);
		break;
	case NL_ATTR_TYPE_U64:
		put_number(fuzz, req, type, attr, 8);
		break;
	default:
		put_bytes(fuzz, req, type, attr);
	}
}

/* Which process, and which memory, are said mostly; the rest now and then. */
static unsigned int likelihood(int type)
{
	return type == EBB_A_PID || type == EBB_A_RANGES ? 98 : 35;
}

static struct op *make(struct fuzz *fuzz, struct nl_request *req)
{
	struct op *op = &ops[fuzz_below(fuzz, nr_ops)];
	const struct attr *policy = policies[op->policy % POLICIES_MAX];
	int type;

	nl_begin(&nl, req, op->cmd, op->is_dump);
	for (type = 1; type < ATTRS_MAX; type++)
		if (policy[type].type && fuzz_chance(fuzz, likelihood(type)))
			put_attr(fuzz, req, type, &policy[type]);
	return op;
}

/*
 * Spoiling
 */

#define HEAD (NLMSG_HDRLEN + GENL_HDRLEN)

/* an attribute of the message, or its end */
static struct nlattr *some_attr(struct fuzz *fuzz, struct nl_request *req)
{
	size_t at = HEAD, skip = fuzz_below(fuzz, 4);
	struct nlattr *attr;

	while (at + NLA_HDRLEN <= req->len) {
		attr = (struct nlattr *)(req->data + at);
		if (!skip-- || attr->nla_len < NLA_HDRLEN)
			return attr;
		at += NLA_ALIGN(attr->nla_len);
	}
	nl_put(req, fuzz_below(fuzz, 70), "garbage", fuzz_below(fuzz, 8));
	return (struct nlattr *)(req->data + HEAD);
}

static void spoil(struct fuzz *fuzz, struct nl_request *req)
{
	struct nlmsghdr *head = (struct nlmsghdr *)req->data;
	struct genlmsghdr *genl = (struct genlmsghdr *)(req->data + NLMSG_HDRLEN);

	switch (fuzz_below(fuzz, 10)) {
	case 0:
		req->data[HEAD + fuzz_below(fuzz, req->len - HEAD + 1)] = fuzz_number(fuzz);
		break;
	case 1:
		some_attr(fuzz, req)->nla_len = fuzz_number(fuzz) % (2 * req->len);
		break;
	case 2:
		some_attr(fuzz, req)->nla_type = fuzz_number(fuzz);
		break;
	case 3:
		some_attr(fuzz, req)->nla_type ^= NLA_F_NESTED;
		break;
	case 4:
		req->len = HEAD + fuzz_below(fuzz, req->len - HEAD + 1);
		break;
	case 5:
		nl_put(req, fuzz_below(fuzz, ATTRS_MAX), req->data, fuzz_below(fuzz, 300));
		break;
	case 6:
		genl->cmd = fuzz_below(fuzz, 40);
		break;
	case 7:
		genl->version = fuzz_number(fuzz);
		break;
	case 8:
		head->nlmsg_flags ^= 1 << fuzz_below(fuzz, 16);
		head->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
		break;
	default:
		fuzz_bytes(fuzz, req->data + HEAD, req->len - HEAD);
	}
}

/*
 * Calls
 */

static void connect_again(void)
{
	const struct timeval patience = { .tv_usec = 100000 };

	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	setsockopt(nl.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

static void reopen(void)
{
	nl_close(&nl);
	connect_again();
}

/* Read what is there: all, or a part; what no answer was due for has none. */
static int answers(struct fuzz *fuzz)
{
	unsigned int patience = fuzz_chance(fuzz, 90) ? 100000 : fuzz_below(fuzz, 3);
	int more = 1;

	while (more > 0 && patience--)
		more = nl_receive_one(&nl, NULL, NULL);
	return more;
}

static void step(struct fuzz *fuzz)
{
	struct nl_request req;
	struct op *op = make(fuzz, &req);
	bool is_good = fuzz_chance(fuzz, 60);
	int spoilt, ret;

	for (spoilt = 1 + fuzz_below(fuzz, 3); !is_good && spoilt; spoilt--)
		spoil(fuzz, &req);
	ret = nl_send(&nl, &req);
	if (!ret && fuzz_chance(fuzz, 97))
		ret = answers(fuzz);
	else
		reopen();
	if (ret == 1 || ret == -EAGAIN) {
		reopen(); /* the answer of this one must not be taken for that of the next */
		ret = 0;
	}
	fuzz_count(fuzz, -ret);
	op->good += is_good && !ret;
}

static void report_ops(void)
{
	size_t i;

	for (i = 0; i < nr_ops; i++)
		printf("op cmd=%d %s good=%lu\n", ops[i].cmd, ops[i].is_dump ? "dump" : "do",
		       ops[i].good);
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;
	int i;

	fuzz_begin(&fuzz, argc, argv);
	learn();
	connect_again();
	while (!fuzz_is_over(&fuzz))
		for (i = 0; i < 20; i++)
			step(&fuzz);
	report_ops();
	nl_close(&nl);
	return fuzz_end(&fuzz);
}
