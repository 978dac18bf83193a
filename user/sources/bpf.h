/* SPDX-License-Identifier: GPL-2.0 */
/* What the BPF sources share: libbpf's messages and what to say of its errors. */
#ifndef EBB_SOURCES_BPF_H
#define EBB_SOURCES_BPF_H

#include <stddef.h>

/**
 * ebb_bpf_quiet() - keep libbpf from printing; its last warning is kept
 *
 * Context: before the first use of libbpf; more often does no harm.
 */
void ebb_bpf_quiet(void);

/**
 * ebb_bpf_explain() - why a BPF program could not be used
 * @what: what was to be done: "read the counters of tasks"
 * @err: negative errno
 * @text: filled: what was asked, what is missing, what to do
 * @size: of @text
 */
void ebb_bpf_explain(const char *what, int err, char *text, size_t size);

#endif /* EBB_SOURCES_BPF_H */
