// SPDX-License-Identifier: GPL-2.0
/* BTF, and the kinds of BPF programs that load here: each is tried with a program of two lines. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"

/**
 * struct kind - a kind of BPF program
 * @name: what it is called
 * @use: what ebb does with it
 * @type: of the program
 * @attach: of the program
 * @function: what it is tied to by BTF, or NULL
 * @needs: a file that has to exist as well, or NULL
 */
struct kind {
	const char *name;
	const char *use;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	const char *function;
	const char *needs;
};

static const struct kind kinds[] = {
	{ "BPF iter/task", "fault counts of every thread", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER,
	  "task", NULL },
	{ "BPF tp_btf", "begins and ends of threads", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
	  "sched_process_exit", NULL },
	{ "BPF fentry", "latency and stack of each fault", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
	  "handle_mm_fault", NULL },
	{ "BPF kprobe", "the same, in the second place", BPF_PROG_TYPE_KPROBE, 0, NULL,
	  "/sys/bus/event_source/devices/kprobe" },
	{ "BPF perf event", "the same without latency, in the third place",
	  BPF_PROG_TYPE_PERF_EVENT, 0, NULL, "/sys/bus/event_source/devices/software" },
};

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* 0 or a negative errno */
static int try_to_load(const struct kind *kind)
{
	/* r0 = 0; exit */
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = kind->attach);
	int fd;

	if (kind->function) {
		int id = libbpf_find_vmlinux_btf_id(kind->function, kind->attach);

		if (id < 0)
			return id;
		opts.attach_btf_id = (__u32)id;
	}
	fd = bpf_prog_load(kind->type, "ebb_doctor", "GPL", program, 2, &opts);
	if (fd < 0)
		return fd;
	close(fd);
	return kind->needs && access(kind->needs, F_OK) ? -EOPNOTSUPP : 0;
}

static void look_at_kind(struct ebb_findings *findings, const struct kind *kind)
{
	int err = try_to_load(kind);

	if (!err)
		ebb_finding_add(findings, "events", kind->name, EBB_FINDING_OK, "", "%s",
				kind->use);
	else if (err == -EPERM && geteuid())
		ebb_finding_add(findings, "events", kind->name, EBB_FINDING_LACKING,
				"run it as root", "%s: not permitted", kind->use);
	else
		ebb_finding_add(findings, "events", kind->name, EBB_FINDING_LACKING, "",
				"%s: this kernel refuses it (%s)", kind->use, strerror(-err));
}

void ebb_doctor_events(struct ebb_findings *findings)
{
	libbpf_set_print(say_nothing);
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		ebb_finding_add(findings, "events", "BTF", EBB_FINDING_LACKING,
				"take a kernel with CONFIG_DEBUG_INFO_BTF",
				"no /sys/kernel/btf/vmlinux: no page faults can be watched");
		return;
	}
	ebb_finding_add(findings, "events", "BTF", EBB_FINDING_OK, "", "/sys/kernel/btf/vmlinux");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		look_at_kind(findings, &kinds[i]);
}
