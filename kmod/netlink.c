// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family "ebb": checks requests and writes replies. Every refusal comes with a
 * text.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <net/genetlink.h>
#include <linux/ebb.h>

#include "cap.h"
#include "compat/genl.h"
#include "hold.h"
#include "ksym.h"
#include "netlink.h"
#include "reclaim.h"
#include "scan.h"
#include "stats.h"
#include "target.h"

#define VERSION_TEXT "0.1.0"
#define RUNS_MAX 2048 /* in one message */

static struct genl_family family;

/*
 * Checks
 */

/* Both who opened the socket and who sends must be allowed to. */
static int check_sender(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "needs CAP_SYS_ADMIN in the initial user namespace");
	return -EPERM;
}

static int check_cap(enum ebb_cap cap, struct netlink_ext_ack *extack)
{
	if (ebb_cap_available(cap))
		return 0;
	NL_SET_ERR_MSG(extack, "not possible on this kernel: the capability's reason says why");
	return -EOPNOTSUPP;
}

static void explain_target(int err, struct netlink_ext_ack *extack)
{
	if (err == -ESRCH)
		NL_SET_ERR_MSG(extack, "no such process, or it has no memory of its own");
	else if (err == -EPERM || err == -EACCES)
		NL_SET_ERR_MSG(extack, "not allowed to read the target, as ptrace sees it");
	else if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG(extack, "this kernel shows no way to check access to the target");
}

static int get_target(struct nlattr **attrs, struct mm_struct **mm, struct netlink_ext_ack *extack)
{
	int err;

	if (!attrs[EBB_A_PID]) {
		NL_SET_ERR_MSG(extack, "EBB_A_PID is missing");
		return -EINVAL;
	}
	err = ebb_target_get(nla_get_u32(attrs[EBB_A_PID]), mm);
	explain_target(err, extack);
	/* the ptrace check has one errno for all */
	return err == -EACCES ? -EPERM : err;
}

static u32 get_flags(struct nlattr **attrs)
{
	return attrs[EBB_A_FLAGS] ? nla_get_u32(attrs[EBB_A_FLAGS]) : 0;
}

/*
 * Replies
 */

struct reply {
	struct sk_buff *skb;
	void *head;
};

static int begin_reply(struct reply *reply, struct genl_info *info)
{
	reply->skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply->skb)
		return -ENOMEM;
	reply->head = genlmsg_put_reply(reply->skb, info, &family, 0, info->genlhdr->cmd);
	if (reply->head)
		return 0;
	nlmsg_free(reply->skb);
	return -EMSGSIZE;
}

/* Send the reply, or throw it away after an error. */
static int end_reply(struct reply *reply, struct genl_info *info, int err)
{
	if (err) {
		nlmsg_free(reply->skb);
		return err;
	}
	genlmsg_end(reply->skb, reply->head);
	return genlmsg_reply(reply->skb, info);
}

/* A nest of u64 counters, by their attribute number from 2 on. */
static int put_counters(struct sk_buff *skb, int attr, const u64 *v, int nr, int pad)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = pad + 1; i < nr; i++) {
		if (nla_put_u64_64bit(skb, i, v[i], pad))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_stats(struct sk_buff *skb, const struct ebb_stats *stats)
{
	return put_counters(skb, EBB_A_STATS, stats->v, __EBB_STAT_MAX, EBB_STAT_PAD);
}

static int put_outcomes(struct sk_buff *skb, const u64 *outcomes)
{
	return put_counters(skb, EBB_A_OUTCOMES, outcomes, __EBB_OUTCOME_MAX, EBB_OUTCOME_PAD);
}

/*
 * CAPS
 */

static int put_cap(struct sk_buff *skb, enum ebb_cap cap)
{
	char reason[EBB_CAP_REASON_MAX];
	struct nlattr *nest = nla_nest_start(skb, EBB_A_CAP);
	bool available = ebb_cap_get(cap, reason);

	if (!nest || nla_put_string(skb, EBB_CAP_A_NAME, ebb_cap_name(cap)) ||
	    nla_put_u8(skb, EBB_CAP_A_AVAILABLE, available))
		return -EMSGSIZE;
	if (!available && nla_put_string(skb, EBB_CAP_A_REASON, reason))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_caps(struct sk_buff *skb)
{
	enum ebb_cap cap;
	int err = nla_put_string(skb, EBB_A_VERSION, VERSION_TEXT);

	for (cap = 0; !err && cap < EBB_NR_CAPS; cap++)
		err = put_cap(skb, cap);
	return err;
}

static int do_caps(struct sk_buff *skb, struct genl_info *info)
{
	struct reply reply;
	int err;

	err = check_sender(skb, info->extack);
	if (err)
		return err;
	err = begin_reply(&reply, info);
	if (err)
		return err;
	return end_reply(&reply, info, put_caps(reply.skb));
}

/*
 * STATS
 */

static int put_lock_held(struct sk_buff *skb)
{
	u64 counts[EBB_LOCK_HELD_BUCKETS];

	ebb_hold_get(counts);
	return nla_put(skb, EBB_A_LOCK_HELD, sizeof(counts), counts);
}

static int put_sums(struct sk_buff *skb)
{
	u64 outcomes[__EBB_OUTCOME_MAX];
	struct ebb_stats stats;

	ebb_stats_get(&stats);
	ebb_outcomes_get(outcomes);
	return put_stats(skb, &stats) ?: put_outcomes(skb, outcomes) ?: put_lock_held(skb);
}

static int do_stats(struct sk_buff *skb, struct genl_info *info)
{
	struct reply reply;
	int err;

	err = check_sender(skb, info->extack);
	if (err)
		return err;
	err = begin_reply(&reply, info);
	if (err)
		return err;
	return end_reply(&reply, info, put_sums(reply.skb));
}

/*
 * RECLAIM
 */

static int check_ranges(struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const struct ebb_range *range = nla_data(attr);
	size_t i;

	for (i = 0; i < nla_len(attr) / sizeof(*range); i++) {
		if (!PAGE_ALIGNED(range[i].start) || !PAGE_ALIGNED(range[i].end)) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "ranges must consist of whole pages");
			return -EINVAL;
		}
		if (range[i].start >= range[i].end) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "a range must end after its start");
			return -EINVAL;
		}
	}
	return 0;
}

static int check_ranges_attr(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[EBB_A_RANGES];

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "EBB_A_RANGES is missing");
		return -EINVAL;
	}
	if (!nla_len(attr) || nla_len(attr) % sizeof(struct ebb_range)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "EBB_A_RANGES must be an array of struct ebb_range");
		return -EINVAL;
	}
	return check_ranges(attr, info->extack);
}

static int reclaim(struct genl_info *info, u64 *outcomes)
{
	struct nlattr *ranges = info->attrs[EBB_A_RANGES];
	struct mm_struct *mm;
	int err = get_target(info->attrs, &mm, info->extack);

	if (err)
		return err;
	err = ebb_reclaim_ranges(mm, nla_data(ranges), nla_len(ranges) / sizeof(struct ebb_range),
				 get_flags(info->attrs), outcomes);
	ebb_target_put(mm);
	explain_target(err, info->extack);
	return err;
}

static int do_reclaim(struct sk_buff *skb, struct genl_info *info)
{
	u64 outcomes[__EBB_OUTCOME_MAX];
	struct reply reply;
	int err;

	err = check_sender(skb, info->extack) ?: check_cap(EBB_CAP_RECLAIM, info->extack) ?:
	      check_ranges_attr(info) ?: reclaim(info, outcomes);
	if (err)
		return err;
	err = begin_reply(&reply, info);
	if (err)
		return err;
	return end_reply(&reply, info, put_outcomes(reply.skb, outcomes));
}

/*
 * SCAN. A dump: the scan goes on each time the reader has taken a message. args[0] is the scan,
 * args[1] tells that the last message was written.
 */

static int get_range(struct nlattr **attrs, struct ebb_range *range, struct netlink_ext_ack *extack)
{
	range->start = attrs[EBB_A_START] ? nla_get_u64(attrs[EBB_A_START]) : 0;
	range->end = attrs[EBB_A_END] ? nla_get_u64(attrs[EBB_A_END]) : TASK_SIZE_MAX;
	if (!PAGE_ALIGNED(range->start) || !PAGE_ALIGNED(range->end)) {
		NL_SET_ERR_MSG(extack,
			       "EBB_A_START and EBB_A_END must be multiples of the page size");
		return -EINVAL;
	}
	if (range->start >= range->end) {
		NL_SET_ERR_MSG(extack, "EBB_A_END must be more than EBB_A_START");
		return -EINVAL;
	}
	return 0;
}

static int check_views(u32 flags, struct netlink_ext_ack *extack)
{
	if (!(flags & EBB_SCAN_NO_HOST))
		return 0;
	if (flags & EBB_SCAN_NO_GUEST) {
		NL_SET_ERR_MSG(extack, "without the host's view and the guests' nothing is left");
		return -EINVAL;
	}
	return check_cap(EBB_CAP_GUESTS, extack);
}

static int begin_scan(struct netlink_callback *cb, struct mm_struct *mm,
		      const struct ebb_range *range)
{
	u32 flags = get_flags(ebb_dump_attrs(cb));
	struct ebb_scan *scan;
	int err = ebb_scan_begin(mm, range->start, range->end, flags, &scan);

	if (err == -EBUSY)
		NL_SET_ERR_MSG(cb->extack, "another scan of this memory is under way");
	if (err)
		return err;
	cb->args[0] = (long)scan;
	return 0;
}

static int check_and_begin(struct netlink_callback *cb)
{
	struct nlattr **attrs = ebb_dump_attrs(cb);
	struct ebb_range range;
	struct mm_struct *mm;
	int err;

	err = check_sender(cb->skb, cb->extack) ?: check_cap(EBB_CAP_SCAN, cb->extack) ?:
	      check_views(get_flags(attrs), cb->extack) ?:
	      get_range(attrs, &range, cb->extack) ?: get_target(attrs, &mm, cb->extack);
	if (err)
		return err;
	err = begin_scan(cb, mm, &range);
	ebb_target_put(mm);
	return err;
}

/*
 * Old kernels have no extended ack here; there the first call of scan_dump() begins the scan,
 * which is made on behalf of the sender as well.
 */
static int scan_start(struct netlink_callback *cb)
{
	return cb->extack ? check_and_begin(cb) : 0;
}

/*
 * The records are written into the message itself. Room is left behind them for the attribute's
 * alignment and the end of the dump.
 */
static ssize_t put_runs(struct sk_buff *skb, struct ebb_scan *scan)
{
	size_t max = min_t(size_t, skb_tailroom(skb) / sizeof(struct ebb_run), RUNS_MAX);
	struct nlattr *attr;
	ssize_t nr;

	if (max <= 2)
		return -EMSGSIZE;
	max -= 2;
	attr = nla_reserve(skb, EBB_A_RUNS, max * sizeof(struct ebb_run));
	if (!attr)
		return -EMSGSIZE;
	nr = ebb_scan_read(scan, nla_data(attr), max);
	if (nr <= 0)
		return nr;
	attr->nla_len = nla_attr_size(nr * sizeof(struct ebb_run));
	skb_trim(skb, skb->len - (max - nr) * sizeof(struct ebb_run));
	return nr;
}

/* Write a message of the dump: records while there are some, then the counters. */
static int put_scan(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ebb_scan *scan = (struct ebb_scan *)cb->args[0];
	unsigned int mark = skb->len;
	ssize_t nr = put_runs(skb, scan);

	if (nr)
		return min_t(ssize_t, nr, 0);
	skb_trim(skb, mark);
	cb->args[1] = 1;
	return put_stats(skb, ebb_scan_stats(scan));
}

static int scan_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned int mark = skb->len;
	void *head;
	int err;

	if (cb->args[1])
		return 0;
	if (!cb->args[0]) {
		err = check_and_begin(cb);
		if (err)
			return err;
	}
	head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			   NLM_F_MULTI, EBB_CMD_SCAN);
	if (!head)
		return -EMSGSIZE;
	err = put_scan(skb, cb);
	if (err) {
		skb_trim(skb, mark);
		if (err == -ESRCH)
			NL_SET_ERR_MSG(cb->extack,
				       "the process exited or runs another program now");
		return err;
	}
	genlmsg_end(skb, head);
	return skb->len;
}

static int scan_done(struct netlink_callback *cb)
{
	struct ebb_scan *scan = (struct ebb_scan *)cb->args[0];

	if (scan)
		ebb_scan_end(scan);
	return 0;
}

/*
 * The family
 */

static const struct nla_policy scan_policy[EBB_A_MAX + 1] = {
	[EBB_A_PID] = { .type = NLA_U32 },
	[EBB_A_START] = { .type = NLA_U64 },
	[EBB_A_END] = { .type = NLA_U64 },
	[EBB_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, EBB_SCAN_FLAGS),
};

static const struct nla_policy reclaim_policy[EBB_A_MAX + 1] = {
	[EBB_A_PID] = { .type = NLA_U32 },
	[EBB_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, EBB_RECLAIM_FLAGS),
	[EBB_A_RANGES] = { .type = NLA_BINARY, .len = EBB_RANGES_MAX * sizeof(struct ebb_range) },
};

static const struct nla_policy no_policy[EBB_A_MAX + 1] = {};

static const struct genl_ops ops[] = {
	{
		.cmd = EBB_CMD_CAPS,
		.doit = do_caps,
		.policy = no_policy,
		.maxattr = EBB_A_MAX,
	},
	{
		.cmd = EBB_CMD_STATS,
		.doit = do_stats,
		.policy = no_policy,
		.maxattr = EBB_A_MAX,
	},
	{
		.cmd = EBB_CMD_SCAN,
		.start = scan_start,
		.dumpit = scan_dump,
		.done = scan_done,
		.policy = scan_policy,
		.maxattr = EBB_A_MAX,
	},
	{
		.cmd = EBB_CMD_RECLAIM,
		.doit = do_reclaim,
		.policy = reclaim_policy,
		.maxattr = EBB_A_MAX,
	},
};

static struct genl_family family __ro_after_init = {
	.name = EBB_GENL_NAME,
	.version = EBB_GENL_VERSION,
	.maxattr = EBB_A_MAX,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.resv_start_op = __EBB_CMD_MAX,
};

/**
 * ebb_netlink_init() - register the family
 *
 * Context: module init, after everything that its handlers use.
 * Return: 0 or an error.
 */
int ebb_netlink_init(void)
{
	return genl_register_family(&family);
}

/**
 * ebb_netlink_exit() - unregister the family
 *
 * No handler runs afterwards: requests hold the family's lock or, dumps, a reference on the module.
 *
 * Context: module exit, sleeps.
 */
void ebb_netlink_exit(void)
{
	genl_unregister_family(&family);
}
