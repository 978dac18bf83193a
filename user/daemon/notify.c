// SPDX-License-Identifier: GPL-2.0
#include "daemon/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/signals.h"

void ebb_notify(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	char text[128];
	socklen_t size;
	int fd, len;

	if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, strlen(path));
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (*path == '@')
		to.sun_path[0] = '\0';
	len = snprintf(text, sizeof(text), "%s\nMONOTONIC_USEC=%lu\n", state, ebb_now_ns() / 1000);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, text, (size_t)len, MSG_NOSIGNAL, (struct sockaddr *)&to, size) < 0)
		ebb_warn("cannot tell the service manager '%s': %m", state);
	if (fd >= 0)
		close(fd);
}
