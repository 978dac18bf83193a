// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nl.h"

#define REPLY_ROOM (1 << 20)

static void put_header(struct nl_request *req, int type, int flags, int cmd, int version)
{
	struct nlmsghdr *head = (struct nlmsghdr *)req->data;
	struct genlmsghdr *genl = NLMSG_DATA(head);

	memset(req->data, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	head->nlmsg_type = type;
	head->nlmsg_flags = NLM_F_REQUEST | flags;
	head->nlmsg_seq = 1;
	genl->cmd = cmd;
	genl->version = version;
	req->len = NLMSG_HDRLEN + GENL_HDRLEN;
}

void nl_begin(struct nl *nl, struct nl_request *req, int cmd, bool is_dump)
{
	put_header(req, nl->family, is_dump ? NLM_F_DUMP : NLM_F_ACK, cmd, EBB_GENL_VERSION);
}

void nl_put(struct nl_request *req, int attr, const void *data, size_t len)
{
	struct nlattr head = { .nla_len = NLA_HDRLEN + len, .nla_type = attr };

	if (req->len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(req->data))
		abort();
	memset(req->data + req->len, 0, NLA_HDRLEN + NLA_ALIGN(len));
	memcpy(req->data + req->len, &head, sizeof(head));
	memcpy(req->data + req->len + NLA_HDRLEN, data, len);
	req->len += NLA_HDRLEN + NLA_ALIGN(len);
}

void nl_put_u32(struct nl_request *req, int attr, uint32_t value)
{
	nl_put(req, attr, &value, sizeof(value));
}

void nl_put_u64(struct nl_request *req, int attr, uint64_t value)
{
	nl_put(req, attr, &value, sizeof(value));
}

int nl_send(struct nl *nl, struct nl_request *req)
{
	((struct nlmsghdr *)req->data)->nlmsg_len = req->len;
	nl->text[0] = '\0';
	return send(nl->fd, req->data, req->len, 0) < 0 ? -errno : 0;
}

void nl_each_attr(const void *data, size_t len, nl_attr_fn *fn, void *arg)
{
	const unsigned char *at = data;
	struct nlattr head;

	while (len >= NLA_HDRLEN) {
		memcpy(&head, at, sizeof(head));
		if (head.nla_len < NLA_HDRLEN || head.nla_len > len)
			return;
		if (fn)
			fn(head.nla_type & NLA_TYPE_MASK, at + NLA_HDRLEN,
			   head.nla_len - NLA_HDRLEN, arg);
		if ((size_t)NLA_ALIGN(head.nla_len) > len)
			return;
		at += NLA_ALIGN(head.nla_len);
		len -= NLA_ALIGN(head.nla_len);
	}
}

static void take_text(int attr, const void *data, size_t len, void *arg)
{
	struct nl *nl = arg;

	if (attr != NLMSGERR_ATTR_MSG)
		return;
	if (len >= sizeof(nl->text))
		len = sizeof(nl->text) - 1;
	memcpy(nl->text, data, len);
	nl->text[len] = '\0';
}

/* An error, an acknowledgement, or the end of a dump: all begin with an errno. */
static int take_end(struct nl *nl, const struct nlmsghdr *head)
{
	size_t used = sizeof(int);
	int err;

	memcpy(&err, NLMSG_DATA(head), sizeof(err));
	if (head->nlmsg_type == NLMSG_ERROR)
		used = sizeof(struct nlmsgerr);
	if (head->nlmsg_flags & NLM_F_ACK_TLVS)
		nl_each_attr((char *)NLMSG_DATA(head) + used, head->nlmsg_len - NLMSG_HDRLEN - used,
			     take_text, nl);
	return err;
}

static bool is_end(const struct nlmsghdr *head)
{
	return head->nlmsg_type == NLMSG_ERROR || head->nlmsg_type == NLMSG_DONE;
}

int nl_receive_one(struct nl *nl, nl_attr_fn *fn, void *arg)
{
	struct nlmsghdr *head;
	ssize_t len;

	len = recv(nl->fd, nl->reply, REPLY_ROOM, 0);
	if (len < 0)
		return -errno;
	for (head = (void *)nl->reply; NLMSG_OK(head, len); head = NLMSG_NEXT(head, len)) {
		if (is_end(head))
			return take_end(nl, head);
		nl_each_attr((char *)NLMSG_DATA(head) + GENL_HDRLEN,
			     head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, fn, arg);
	}
	return 1;
}

int nl_receive(struct nl *nl, nl_attr_fn *fn, void *arg)
{
	int more;

	do {
		more = nl_receive_one(nl, fn, arg);
	} while (more > 0);
	return more;
}

int nl_ask(struct nl *nl, struct nl_request *req, nl_attr_fn *fn, void *arg)
{
	int err = nl_send(nl, req);

	return err ? err : nl_receive(nl, fn, arg);
}

static void take_family(int attr, const void *data, size_t len, void *arg)
{
	uint16_t id;

	if (attr != CTRL_ATTR_FAMILY_ID)
		return;
	memcpy(&id, data, sizeof(id));
	*(int *)arg = id;
}

static int find_family(struct nl *nl)
{
	struct nl_request req;

	put_header(&req, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY, 1);
	nl_put(&req, CTRL_ATTR_FAMILY_NAME, EBB_GENL_NAME, sizeof(EBB_GENL_NAME));
	return nl_ask(nl, &req, take_family, &nl->family);
}

int nl_open(struct nl *nl)
{
	int err, on = 1;

	memset(nl, 0, sizeof(*nl));
	nl->reply = malloc(REPLY_ROOM);
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (nl->fd < 0 || !nl->reply)
		return -errno;
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	err = find_family(nl);
	if (err)
		nl_close(nl);
	return err;
}

void nl_close(struct nl *nl)
{
	close(nl->fd);
	free(nl->reply);
}

struct scan_reply {
	nl_run_fn *fn;
	void *arg;
	uint64_t *stats;
	bool has_stats;
};

struct counters {
	uint64_t *v;
	int max;
};

static void take_counter(int attr, const void *data, size_t len, void *arg)
{
	struct counters *counters = arg;

	if (attr < counters->max && len == sizeof(uint64_t))
		memcpy(&counters->v[attr], data, len);
}

static void take_counters(const void *nest, size_t len, uint64_t *v, int max)
{
	struct counters counters = { v, max };

	memset(v, 0, max * sizeof(*v));
	nl_each_attr(nest, len, take_counter, &counters);
}

static void take_scan(int attr, const void *data, size_t len, void *arg)
{
	struct scan_reply *reply = arg;
	struct ebb_run run;

	if (attr == EBB_A_STATS) {
		reply->has_stats = true;
		take_counters(data, len, reply->stats, __EBB_STAT_MAX);
	}
	for (; attr == EBB_A_RUNS && len >= sizeof(run); len -= sizeof(run)) {
		memcpy(&run, data, sizeof(run));
		data = (const char *)data + sizeof(run);
		if (reply->fn)
			reply->fn(&run, reply->arg);
	}
}

static void request_scan(struct nl *nl, struct nl_request *req, int pid, uint64_t start,
			 uint64_t end, uint32_t flags)
{
	nl_begin(nl, req, EBB_CMD_SCAN, true);
	nl_put_u32(req, EBB_A_PID, pid);
	if (start)
		nl_put_u64(req, EBB_A_START, start);
	if (end)
		nl_put_u64(req, EBB_A_END, end);
	if (flags)
		nl_put_u32(req, EBB_A_FLAGS, flags);
}

int nl_scan(struct nl *nl, int pid, uint64_t start, uint64_t end, uint32_t flags, nl_run_fn *fn,
	    void *arg, uint64_t stats[__EBB_STAT_MAX])
{
	uint64_t unused[__EBB_STAT_MAX];
	struct scan_reply reply = { fn, arg, stats ? stats : unused, false };
	struct nl_request req;
	int err;

	request_scan(nl, &req, pid, start, end, flags);
	err = nl_ask(nl, &req, take_scan, &reply);
	return err || reply.has_stats ? err : -EPROTO;
}

int nl_scan_begin(struct nl *nl, int pid, nl_run_fn *fn, void *arg)
{
	uint64_t unused[__EBB_STAT_MAX];
	struct scan_reply reply = { fn, arg, unused, false };
	struct nl_request req;
	int err;

	request_scan(nl, &req, pid, 0, 0, 0);
	err = nl_send(nl, &req);
	return err ? err : nl_receive_one(nl, take_scan, &reply);
}

int nl_scan_go_on(struct nl *nl, nl_run_fn *fn, void *arg)
{
	uint64_t unused[__EBB_STAT_MAX];
	struct scan_reply reply = { fn, arg, unused, false };
	int err = nl_receive(nl, take_scan, &reply);

	return err || reply.has_stats ? err : -EPROTO;
}

static void take_outcomes(int attr, const void *data, size_t len, void *arg)
{
	if (attr == EBB_A_OUTCOMES)
		take_counters(data, len, arg, __EBB_OUTCOME_MAX);
}

int nl_reclaim(struct nl *nl, int pid, const struct ebb_range *ranges, size_t nr, uint32_t flags,
	       uint64_t outcomes[__EBB_OUTCOME_MAX])
{
	struct nl_request req;

	memset(outcomes, 0, __EBB_OUTCOME_MAX * sizeof(*outcomes));
	nl_begin(nl, &req, EBB_CMD_RECLAIM, false);
	nl_put_u32(&req, EBB_A_PID, pid);
	nl_put(&req, EBB_A_RANGES, ranges, nr * sizeof(*ranges));
	if (flags)
		nl_put_u32(&req, EBB_A_FLAGS, flags);
	return nl_ask(nl, &req, take_outcomes, outcomes);
}
