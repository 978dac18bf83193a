/* SPDX-License-Identifier: GPL-2.0 */
/* /metrics over HTTP, driven by the caller's event loop. */
#ifndef EBB_EXPORT_HTTP_H
#define EBB_EXPORT_HTTP_H

#include <stddef.h>

struct ebb_http;
struct ebb_metrics;

/**
 * ebb_http_open() - begin to listen
 * @listen: "ADDRESS:PORT", IPv6 in brackets
 * @metrics: what is served; must outlive it
 * @why: on failure: what is wrong and what to do
 * @size: of @why
 *
 * At most 64 connections, each idle for 10 s at most: silent clients go.
 *
 * Return: the server, or NULL.
 */
struct ebb_http *ebb_http_open(const char *listen, struct ebb_metrics *metrics, char *why,
			       size_t size);

/** ebb_http_fd() - a descriptor that is readable when ebb_http_run() has work */
int ebb_http_fd(const struct ebb_http *http);

/** ebb_http_timeout_ms() - ebb_http_run() is due after so long at the latest; -1: when readable */
int ebb_http_timeout_ms(const struct ebb_http *http);

/** ebb_http_run() - serve what is ready; never waits. Context: a thread of the table */
void ebb_http_run(struct ebb_http *http);

/** ebb_http_close() - end it; NULL is allowed */
void ebb_http_close(struct ebb_http *http);

#endif /* EBB_EXPORT_HTTP_H */
