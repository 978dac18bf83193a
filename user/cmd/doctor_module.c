// SPDX-License-Identifier: GPL-2.0
/* The module and its capabilities. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
