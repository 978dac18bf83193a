// SPDX-License-Identifier: GPL-2.0
/* The module and its capabilities. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/log2.h"
#include "base/units.h"
#include "cmd/doctor.h"
#include "ebb/libebb.h"

static void say_not_loaded(struct ebb_findings *findings)
{
	struct utsname name;

	uname(&name);
	if (strcmp(name.machine, "x86_64"))
		ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_FATAL, "",
				"not loaded; it exists for x86_64 only");
	else if (access("/proc/modules", F_OK))
		ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_FATAL,
				"take a kernel with CONFIG_MODULES, as Debian's are",
				"this kernel takes no modules");
	else
		ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_FATAL, "modprobe ebb",
				"not loaded");
}

/* without these there is nothing to do */
static bool is_needed(const char *name)
{
	return !strcmp(name, "scan") || !strcmp(name, "reclaim");
}

static void take_cap(const struct ebb_cap *cap, void *arg)
{
	enum ebb_finding_state state = EBB_FINDING_OK;

	if (!cap->is_available)
		state = is_needed(cap->name) ? EBB_FINDING_FATAL : EBB_FINDING_LACKING;
	ebb_finding_add(arg, "module", cap->name, state, "", "%s",
			cap->is_available ? "available" : cap->reason);
}

/* What the targets had to wait for at most. */
static void ask_lock(struct ebb_findings *findings, struct ebb_client *client)
{
	char most[EBB_UNITS_MAX], all[EBB_UNITS_MAX];
	const uint64_t *held = findings->lock_held;
	uint64_t nr;

	findings->knows_lock = !ebb_client_lock_held(client, findings->lock_held);
	nr = ebb_log2_sum(held, EBB_LOCK_HELD_BUCKETS);
	if (!findings->knows_lock)
		return;
	if (!nr) {
		ebb_finding_add(findings, "module", "mmap_lock", EBB_FINDING_INFO, "",
				"not taken yet");
		return;
	}
	ebb_format_duration(most, ebb_log2_below(held, EBB_LOCK_HELD_BUCKETS, 99));
	ebb_format_duration(all, ebb_log2_below(held, EBB_LOCK_HELD_BUCKETS, 100));
	ebb_finding_add(findings, "module", "mmap_lock", EBB_FINDING_INFO, "",
			"held %llu times, 99%% of them for less than %s, all less than %s",
			(unsigned long long)nr, most, all);
}

static void ask_module(struct ebb_findings *findings, struct ebb_client *client)
{
	size_t place = findings->nr;
	char version[32] = "";
	int err;

	ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_OK, "", "loaded");
	err = ebb_client_caps(client, take_cap, findings, version, sizeof(version));
	if (err) {
		findings->nr = place;
		ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_FATAL, "",
				"loaded, but it refuses to tell what it can do: %s",
				ebb_client_error(client));
	} else if (*version) {
		strcpy(findings->at[place].detail, "loaded, version ");
		strcat(findings->at[place].detail, version);
	}
	if (!err)
		ask_lock(findings, client);
}

void ebb_doctor_module(struct ebb_findings *findings)
{
	struct ebb_client *client;
	int err = ebb_client_open(&client);

	if (err == -ENOENT) {
		say_not_loaded(findings);
	} else if (err) {
		ebb_finding_add(findings, "module", "ebb.ko", EBB_FINDING_FATAL, "",
				"cannot talk to it: %s", strerror(-err));
	} else {
		ask_module(findings, client);
		ebb_client_close(client);
	}
}
