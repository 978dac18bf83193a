// SPDX-License-Identifier: LGPL-2.1
#include "ebb/libebb.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RECEIVE_ROOM (64 * 1024) /* of a message: the kernel fills 32 KiB when there is room */
#define REASON_MAX 256

typedef int (*message_fn)(struct nl_msg *msg, void *arg);

struct ebb_client {
	struct nl_sock *sock;
	int family;
	char error[REASON_MAX];
};

/* a request under way: what its callbacks share */
struct exchange {
	struct ebb_client *client;
	message_fn fn;
	void *arg;
	int err; /* of the kernel or of fn */
	bool is_done;
};

static int from_nl_error(int err)
{
	switch (-err) {
	case NLE_SUCCESS:
		return 0;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_INTR:
		return -EINTR;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OPNOTSUPP:
	case NLE_AF_NOSUPPORT:
		return -EOPNOTSUPP;
	case NLE_MSG_TOOSHORT:
	case NLE_MSG_TRUNC:
	case NLE_MSG_OVERFLOW:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

static void set_option(struct nl_sock *sock, int option)
{
	int on = 1;

	/* an old kernel without it gives no texts: the errno's is used then */
	(void)setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, option, &on, sizeof(on));
}

static int connect_socket(struct ebb_client *client)
{
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	if (!sock)
		return -ENOMEM;
	err = genl_connect(sock);
	if (err) {
		nl_socket_free(sock);
		return from_nl_error(err);
	}
	nl_socket_set_msg_buf_size(sock, RECEIVE_ROOM);
	set_option(sock, NETLINK_EXT_ACK);
	set_option(sock, NETLINK_CAP_ACK);
	client->sock = sock;
	return 0;
}

/* A request that was left half-read: only a new socket is clean again */
static void reconnect(struct ebb_client *client)
{
	nl_socket_free(client->sock);
	client->sock = NULL;
	connect_socket(client);
}

int ebb_client_open(struct ebb_client **client)
{
	struct ebb_client *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	err = connect_socket(c);
	if (!err) {
		c->family = genl_ctrl_resolve(c->sock, EBB_GENL_NAME);
		err = c->family < 0 ? from_nl_error(c->family) : 0;
	}
	if (err) {
		ebb_client_close(c);
		return err;
	}
	*client = c;
	return 0;
}

void ebb_client_close(struct ebb_client *client)
{
	if (!client)
		return;
	nl_socket_free(client->sock);
	free(client);
}

const char *ebb_client_error(const struct ebb_client *client)
{
	return client->error;
}

static void take_reason(struct ebb_client *client, struct nlattr *attrs, int len)
{
	struct nlattr *text = nla_find(attrs, len, NLMSGERR_ATTR_MSG);

	if (text)
		nla_strlcpy(client->error, text, sizeof(client->error));
}

/* the kernel's error message: struct nlmsgerr, the request or its header, attributes */
static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct exchange *exchange = arg;
	struct nlmsghdr *header = (struct nlmsghdr *)((char *)error - NLMSG_HDRLEN);
	size_t used = NLMSG_HDRLEN + sizeof(*error);

	exchange->err = error->error;
	exchange->is_done = true;
	if (!(header->nlmsg_flags & NLM_F_CAPPED) && error->msg.nlmsg_len > sizeof(error->msg))
		used += error->msg.nlmsg_len - sizeof(error->msg);
	used = NLMSG_ALIGN(used);
	if ((header->nlmsg_flags & NLM_F_ACK_TLVS) && header->nlmsg_len > used)
		take_reason(exchange->client, (struct nlattr *)((char *)header + used),
			    (int)(header->nlmsg_len - used));
	return NL_STOP;
}

/* the end of a dump: its errno, attributes */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct exchange *exchange = arg;
	struct nlmsghdr *header = nlmsg_hdr(msg);
	int len = nlmsg_datalen(header), used = NLMSG_ALIGN(sizeof(int));
	int err = 0;

	exchange->is_done = true;
	if (len >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(header), sizeof(err));
	if (err < 0 && !exchange->err)
		exchange->err = err;
	if (err < 0 && len > used)
		take_reason(exchange->client, (struct nlattr *)((char *)nlmsg_data(header) + used),
			    len - used);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct exchange *exchange = arg;

	exchange->is_done = true;
	return NL_STOP;
}

static int on_message(struct nl_msg *msg, void *arg)
{
	struct exchange *exchange = arg;

	if (exchange->fn)
		exchange->err = exchange->fn(msg, exchange->arg);
	return exchange->err ? NL_STOP : NL_OK;
}

static struct nl_cb *make_callbacks(struct exchange *exchange)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_CUSTOM);

	if (!cb)
		return NULL;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, exchange);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_message, exchange);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, exchange);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, exchange);
	return cb;
}

static int receive(struct exchange *exchange)
{
	struct nl_cb *cb = make_callbacks(exchange);
	int err = 0;

	if (!cb)
		return -ENOMEM;
	while (!err && !exchange->is_done && !exchange->err)
		err = nl_recvmsgs(exchange->client->sock, cb);
	nl_cb_put(cb);
	if (exchange->err)
		return exchange->err;
	return err < 0 && !exchange->is_done ? from_nl_error(err) : 0;
}

static struct nl_msg *new_request(struct ebb_client *client, uint8_t cmd, int flags, size_t room)
{
	struct nl_msg *msg = nlmsg_alloc_size(room + 1024);

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family, 0, flags, cmd,
			 EBB_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int send_and_receive(struct exchange *exchange, struct nl_msg *msg)
{
	int err = nl_send_auto(exchange->client->sock, msg);

	if (err < 0)
		return from_nl_error(err);
	return receive(exchange);
}

/* sends @msg and frees it; @fn gets each answer */
static int ask(struct ebb_client *client, struct nl_msg *msg, message_fn fn, void *arg)
{
	struct exchange exchange = { .client = client, .fn = fn, .arg = arg };
	int err = client->sock ? 0 : connect_socket(client);

	client->error[0] = '\0';
	if (!err)
		err = send_and_receive(&exchange, msg);
	nlmsg_free(msg);
	if (err && !exchange.is_done && client->sock)
		reconnect(client);
	if (err && !client->error[0])
		snprintf(client->error, sizeof(client->error), "%s", strerror(-err));
	return err;
}

static int no_memory(struct ebb_client *client, struct nl_msg *msg)
{
	nlmsg_free(msg);
	snprintf(client->error, sizeof(client->error), "%s", strerror(ENOMEM));
	return -ENOMEM;
}

static int parse(struct nl_msg *msg, struct nlattr **attrs)
{
	static struct nla_policy policy[EBB_A_MAX + 1] = {
		[EBB_A_VERSION] = { .type = NLA_NUL_STRING },
		[EBB_A_STATS] = { .type = NLA_NESTED },
		[EBB_A_OUTCOMES] = { .type = NLA_NESTED },
		[EBB_A_CAP] = { .type = NLA_NESTED },
	};

	return genlmsg_parse(nlmsg_hdr(msg), 0, attrs, EBB_A_MAX, policy) ? -EBADMSG : 0;
}

/* a nest of u64 attributes, added to sums[type]; unknown types are left out */
static void add_counts(struct nlattr *nest, uint64_t *sums, int max)
{
	struct nlattr *attr;
	int rest;

	if (!nest)
		return;
	nla_for_each_nested(attr, nest, rest) {
		int type = nla_type(attr);

		if (type <= max && nla_len(attr) == sizeof(uint64_t))
			sums[type] += nla_get_u64(attr);
	}
}

struct caps_args {
	ebb_cap_fn fn;
	void *arg;
	char *version;
	size_t size;
};

static void take_cap(struct nlattr *nest, const struct caps_args *args)
{
	static struct nla_policy policy[EBB_CAP_A_MAX + 1] = {
		[EBB_CAP_A_NAME] = { .type = NLA_NUL_STRING },
		[EBB_CAP_A_AVAILABLE] = { .type = NLA_U8 },
		[EBB_CAP_A_REASON] = { .type = NLA_NUL_STRING },
	};
	struct nlattr *attrs[EBB_CAP_A_MAX + 1];
	struct ebb_cap cap = { .reason = "" };

	if (nla_parse_nested(attrs, EBB_CAP_A_MAX, nest, policy) || !attrs[EBB_CAP_A_NAME])
		return;
	cap.name = nla_get_string(attrs[EBB_CAP_A_NAME]);
	cap.is_available = attrs[EBB_CAP_A_AVAILABLE] && nla_get_u8(attrs[EBB_CAP_A_AVAILABLE]);
	if (attrs[EBB_CAP_A_REASON])
		cap.reason = nla_get_string(attrs[EBB_CAP_A_REASON]);
	args->fn(&cap, args->arg);
}

/* EBB_A_CAP comes several times, a parsed table would keep the last one only */
static int take_caps(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *header = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[EBB_A_MAX + 1], *attr;
	struct caps_args *args = arg;
	int rest, err = parse(msg, attrs);

	if (err)
		return err;
	if (args->version && attrs[EBB_A_VERSION])
		snprintf(args->version, args->size, "%s", nla_get_string(attrs[EBB_A_VERSION]));
	if (!args->fn)
		return 0;
	nla_for_each_attr(attr, genlmsg_attrdata(header, 0), genlmsg_attrlen(header, 0), rest) {
		if (nla_type(attr) == EBB_A_CAP)
			take_cap(attr, args);
	}
	return 0;
}

int ebb_client_caps(struct ebb_client *client, ebb_cap_fn fn, void *arg, char *version, size_t size)
{
	struct caps_args args = { .fn = fn, .arg = arg, .version = version, .size = size };
	struct nl_msg *msg = new_request(client, EBB_CMD_CAPS, 0, 0);

	if (!msg)
		return no_memory(client, msg);
	return ask(client, msg, take_caps, &args);
}

struct scan_args {
	ebb_runs_fn fn;
	void *arg;
	struct ebb_scan_stats *stats;
};

static int take_runs(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[EBB_A_MAX + 1], *runs;
	struct scan_args *args = arg;
	int err = parse(msg, attrs);

	if (err)
		return err;
	if (args->stats)
		add_counts(attrs[EBB_A_STATS], args->stats->counts, EBB_STAT_MAX);
	runs = attrs[EBB_A_RUNS];
	if (!runs)
		return 0;
	if ((size_t)nla_len(runs) % sizeof(struct ebb_run))
		return -EBADMSG;
	return args->fn(nla_data(runs), (size_t)nla_len(runs) / sizeof(struct ebb_run), args->arg);
}

static int put_scan(struct nl_msg *msg, const struct ebb_scan_request *request)
{
	int err = nla_put_u32(msg, EBB_A_PID, (uint32_t)request->pid);

	if (!err && request->flags)
		err = nla_put_u32(msg, EBB_A_FLAGS, request->flags);
	if (!err && request->start)
		err = nla_put_u64(msg, EBB_A_START, request->start);
	if (!err && request->end)
		err = nla_put_u64(msg, EBB_A_END, request->end);
	return err;
}

int ebb_client_scan(struct ebb_client *client, const struct ebb_scan_request *request,
		    ebb_runs_fn fn, void *arg, struct ebb_scan_stats *stats)
{
	struct scan_args args = { .fn = fn, .arg = arg, .stats = stats };
	struct nl_msg *msg = new_request(client, EBB_CMD_SCAN, NLM_F_DUMP, 0);

	if (!msg || put_scan(msg, request))
		return no_memory(client, msg);
	if (stats)
		memset(stats, 0, sizeof(*stats));
	return ask(client, msg, take_runs, &args);
}

static int take_outcomes(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[EBB_A_MAX + 1];
	struct ebb_outcomes *outcomes = arg;
	int err = parse(msg, attrs);

	if (!err)
		add_counts(attrs[EBB_A_OUTCOMES], outcomes->pages, EBB_OUTCOME_MAX);
	return err;
}

int ebb_client_reclaim(struct ebb_client *client, pid_t pid, const struct ebb_range *ranges,
		       size_t nr_ranges, uint32_t flags, struct ebb_outcomes *outcomes)
{
	size_t size = nr_ranges * sizeof(*ranges);
	struct nl_msg *msg;

	if (!nr_ranges || nr_ranges > EBB_RANGES_MAX) {
		snprintf(client->error, sizeof(client->error), "1 to %d ranges are taken",
			 EBB_RANGES_MAX);
		return -EINVAL;
	}
	msg = new_request(client, EBB_CMD_RECLAIM, 0, size);
	if (!msg || nla_put_u32(msg, EBB_A_PID, (uint32_t)pid) ||
	    nla_put(msg, EBB_A_RANGES, (int)size, ranges) ||
	    (flags && nla_put_u32(msg, EBB_A_FLAGS, flags)))
		return no_memory(client, msg);
	return ask(client, msg, take_outcomes, outcomes);
}

struct stats_args {
	struct ebb_scan_stats *stats;
	struct ebb_outcomes *outcomes;
};

static int take_stats(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[EBB_A_MAX + 1];
	struct stats_args *args = arg;
	int err = parse(msg, attrs);

	if (err)
		return err;
	add_counts(attrs[EBB_A_STATS], args->stats->counts, EBB_STAT_MAX);
	add_counts(attrs[EBB_A_OUTCOMES], args->outcomes->pages, EBB_OUTCOME_MAX);
	return 0;
}

int ebb_client_stats(struct ebb_client *client, struct ebb_scan_stats *stats,
		     struct ebb_outcomes *outcomes)
{
	struct stats_args args = { .stats = stats, .outcomes = outcomes };
	struct nl_msg *msg = new_request(client, EBB_CMD_STATS, 0, 0);

	if (!msg)
		return no_memory(client, msg);
	memset(stats, 0, sizeof(*stats));
	memset(outcomes, 0, sizeof(*outcomes));
	return ask(client, msg, take_stats, &args);
}

static int take_lock_held(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[EBB_A_MAX + 1];
	int err = parse(msg, attrs);

	if (err)
		return err;
	if (!attrs[EBB_A_LOCK_HELD])
		return -ENODATA;
	nla_memcpy(arg, attrs[EBB_A_LOCK_HELD], EBB_LOCK_HELD_BUCKETS * sizeof(uint64_t));
	return 0;
}

int ebb_client_lock_held(struct ebb_client *client, uint64_t counts[EBB_LOCK_HELD_BUCKETS])
{
	struct nl_msg *msg = new_request(client, EBB_CMD_STATS, 0, 0);

	if (!msg)
		return no_memory(client, msg);
	memset(counts, 0, EBB_LOCK_HELD_BUCKETS * sizeof(*counts));
	return ask(client, msg, take_lock_held, counts);
}
