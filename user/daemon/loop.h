/* SPDX-License-Identifier: GPL-2.0 */
/* ebbd's event loop. */
#ifndef EBB_DAEMON_LOOP_H
#define EBB_DAEMON_LOOP_H

#include "daemon/config.h"

/**
 * ebb_loop_run() - collect and serve until SIGTERM or SIGINT
 * @path: configuration file that SIGHUP reads again
 * @config: what it says now
 *
 * Says itself what is wrong.
 *
 * Return: 0 ended by a signal, or a negative errno: not possible here.
 */
int ebb_loop_run(const char *path, const struct ebb_config *config);

#endif /* EBB_DAEMON_LOOP_H */
