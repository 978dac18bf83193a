/* SPDX-License-Identifier: GPL-2.0 */
/* The service manager's readiness protocol: a datagram to $NOTIFY_SOCKET. */
#ifndef EBB_DAEMON_NOTIFY_H
#define EBB_DAEMON_NOTIFY_H

/**
 * ebb_notify() - tell the service manager, if there is one
 * @state: "READY=1", "STOPPING=1", "RELOADING=1"; the time that the latter needs is added
 */
void ebb_notify(const char *state);

#endif /* EBB_DAEMON_NOTIFY_H */
