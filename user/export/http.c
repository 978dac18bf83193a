// SPDX-License-Identifier: GPL-2.0
#include "export/http.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "export/metrics.h"

#define CONNECTIONS_MAX 64u
#define IDLE_SECONDS 10u
#define ADDRESS_MAX 108

#define TYPE_TEXT "text/plain; version=0.0.4; charset=utf-8"
#define TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct ebb_http {
	struct MHD_Daemon *daemon;
	struct ebb_metrics *metrics;
	int fd;
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      struct MHD_Response *response, const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned int status,
				   const char *text)
{
	return answer(
		connection, status,
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT),
		"text/plain; charset=utf-8");
}

static enum MHD_Result answer_metrics(struct ebb_http *http, struct MHD_Connection *connection)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool is_openmetrics = accept && strstr(accept, "application/openmetrics-text");
	size_t size = 0;
	char *text = ebb_metrics_text(http->metrics, is_openmetrics, &size);
	struct MHD_Response *response;

	if (!text)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
	response = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return answer(connection, MHD_HTTP_OK, response,
		      is_openmetrics ? TYPE_OPENMETRICS : TYPE_TEXT);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	/* an upload is not read: the answer closes the connection */
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
	if (strcmp(url, "/metrics"))
		return answer_text(connection, MHD_HTTP_NOT_FOUND, "see /metrics\n");
	return answer_metrics(arg, connection);
}

/* a numeric address and port: nothing that would ask a name server */
static int resolve(const char *listen, struct addrinfo **found)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV };
	char host[ADDRESS_MAX], *port, *name = host;

	snprintf(host, sizeof(host), "%s", listen);
	port = strrchr(host, ':');
	if (!port || port == host || !port[1])
		return EAI_NONAME;
	*port++ = '\0';
	if (*host == '[' && port[-2] == ']') {
		port[-2] = '\0';
		name = host + 1;
	}
	return getaddrinfo(name, port, &hints, found);
}

static int start(struct ebb_http *http, const struct sockaddr *address)
{
	const union MHD_DaemonInfo *info;
	unsigned int flags = MHD_USE_EPOLL;

	if (address->sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	http->daemon =
		MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_SOCK_ADDR,
				 address, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
				 MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
	if (!http->daemon)
		return -errno;
	info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EOPNOTSUPP;
	http->fd = info->epoll_fd;
	return 0;
}

struct ebb_http *ebb_http_open(const char *listen, struct ebb_metrics *metrics, char *why,
			       size_t size)
{
	struct ebb_http *http = calloc(1, sizeof(*http));
	struct addrinfo *address = NULL;
	int err;

	if (!http) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	http->metrics = metrics;
	if (resolve(listen, &address)) {
		snprintf(why, size,
			 "[metrics] listen '%s' is not ADDRESS:PORT, such as 127.0.0.1:9464 or "
			 "[::1]:9464",
			 listen);
		free(http);
		return NULL;
	}
	err = start(http, address->ai_addr);
	freeaddrinfo(address);
	if (!err)
		return http;
	snprintf(why, size,
		 "cannot listen on %s: %s; set [metrics] listen to another port or to off", listen,
		 strerror(-err));
	ebb_http_close(http);
	return NULL;
}

int ebb_http_fd(const struct ebb_http *http)
{
	return http->fd;
}

int ebb_http_timeout_ms(const struct ebb_http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return -1;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

void ebb_http_run(struct ebb_http *http)
{
	MHD_run(http->daemon);
}

void ebb_http_close(struct ebb_http *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	free(http);
}
