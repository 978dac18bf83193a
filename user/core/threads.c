// SPDX-License-Identifier: GPL-2.0
#ifndef __SANITIZE_THREAD__
#define _LGPL_SOURCE /* liburcu inline */
#endif
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>
#include <urcu.h>
#include <urcu/rculfhash.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* Members that readers see: written by one thread, each on its own. */
#define LOAD(member) __atomic_load_n(&(member), __ATOMIC_RELAXED)
#define STORE(member, value) __atomic_store_n(&(member), (value), __ATOMIC_RELAXED)

/* a name as two words, so that it can be read while it changes */
union comm {
	char text[EBB_THREAD_COMM_MAX];
	uint64_t words[2];
};

struct process {
	struct cds_lfht_node node;
	struct rcu_head rcu;
	pid_t tgid;
	uint64_t start;
	union comm comm;
	struct ebb_faults total;
	struct ebb_faults exited;
	struct ebb_faults delta;
	size_t nr_threads;
	bool is_alive;
	bool is_final;
	/* only for the writer, as all that follows */
	struct ebb_faults live;
	struct ebb_faults last;
	uint64_t seen_epoch;
	/* of the read under way */
	struct ebb_faults first_gone;
	bool is_gone_settled;
	struct ebb_faults visited_live;
	struct ebb_faults visited_exited;
	struct ebb_faults unseen;
	size_t nr_visited;
};

struct thread {
	struct cds_lfht_node node;
	struct rcu_head rcu;
	pid_t tid;
	pid_t tgid;
	uint64_t start;
	union comm comm;
	struct ebb_faults total;
	struct ebb_faults delta;
	bool is_alive;
	/* only for the writer */
	uint64_t leader_start;
	struct ebb_faults last;
	uint64_t seen_epoch;
};

struct ebb_threads {
	struct cds_lfht *threads;
	struct cds_lfht *processes;
	size_t max;
	size_t nr_threads;
	size_t nr_processes;
	uint64_t epoch;
	uint64_t nr_evicted;
};

/* ThreadSanitizer does not see what liburcu orders by its own assembly. */
static char rcu_domain __attribute__((unused));
static char published __attribute__((unused));

static void before_publish(void)
{
#ifdef __SANITIZE_THREAD__
	__tsan_release(&published);
#endif
}

static void after_lookup(void)
{
#ifdef __SANITIZE_THREAD__
	__tsan_acquire(&published);
#endif
}

static void reader_begin(void)
{
	rcu_read_lock();
}

static void reader_end(void)
{
#ifdef __SANITIZE_THREAD__
	__tsan_release(&rcu_domain);
#endif
	rcu_read_unlock();
}

static void grace_period_over(void)
{
#ifdef __SANITIZE_THREAD__
	__tsan_acquire(&rcu_domain);
#endif
}

static void free_thread(struct rcu_head *rcu)
{
	grace_period_over();
	free(caa_container_of(rcu, struct thread, rcu));
}

static void free_process(struct rcu_head *rcu)
{
	grace_period_over();
	free(caa_container_of(rcu, struct process, rcu));
}

static void store_faults(struct ebb_faults *to, struct ebb_faults from)
{
	STORE(to->minor, from.minor);
	STORE(to->major, from.major);
}

static struct ebb_faults load_faults(const struct ebb_faults *from)
{
	return (struct ebb_faults){ .minor = LOAD(from->minor), .major = LOAD(from->major) };
}

static struct ebb_faults add(struct ebb_faults a, struct ebb_faults b)
{
	return (struct ebb_faults){ .minor = a.minor + b.minor, .major = a.major + b.major };
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static struct ebb_faults sub(struct ebb_faults a, struct ebb_faults b)
{
	return (struct ebb_faults){ .minor = less(a.minor, b.minor),
				    .major = less(a.major, b.major) };
}

static struct ebb_faults max_of(struct ebb_faults a, struct ebb_faults b)
{
	return (struct ebb_faults){ .minor = a.minor > b.minor ? a.minor : b.minor,
				    .major = a.major > b.major ? a.major : b.major };
}

static void store_comm(union comm *to, const char *text)
{
	union comm from = { 0 };

	memcpy(from.text, text, strnlen(text, sizeof(from.text) - 1));
	STORE(to->words[0], from.words[0]);
	STORE(to->words[1], from.words[1]);
}

static void load_comm(char *text, const union comm *from)
{
	union comm to;

	to.words[0] = LOAD(from->words[0]);
	to.words[1] = LOAD(from->words[1]);
	memcpy(text, to.text, sizeof(to.text));
	text[EBB_THREAD_COMM_MAX - 1] = '\0';
}

static unsigned long mix(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdULL;
	key ^= key >> 33;
	return key;
}

struct key {
	pid_t id;
	uint64_t start;
};

static int match_thread(struct cds_lfht_node *node, const void *arg)
{
	const struct thread *thread = caa_container_of(node, struct thread, node);
	const struct key *key = arg;

	after_lookup();
	return LOAD(thread->tid) == key->id && LOAD(thread->start) == key->start;
}

static int match_process(struct cds_lfht_node *node, const void *arg)
{
	const struct process *process = caa_container_of(node, struct process, node);

	after_lookup();
	return LOAD(process->tgid) == *(const pid_t *)arg;
}

/* under the read lock, as the two that follow */
static struct thread *find_thread(struct ebb_threads *table, pid_t tid, uint64_t start)
{
	const struct key key = { .id = tid, .start = start };
	struct cds_lfht_node *node;
	struct cds_lfht_iter iter;

	cds_lfht_lookup(table->threads, mix(tid ^ start), match_thread, &key, &iter);
	node = cds_lfht_iter_get_node(&iter);
	return node ? caa_container_of(node, struct thread, node) : NULL;
}

/* the latest process of that id that had begun by then */
static struct process *find_process(struct ebb_threads *table, pid_t tgid, uint64_t by)
{
	struct process *process, *best = NULL;
	struct cds_lfht_iter iter;

	cds_lfht_for_each_entry_duplicate(table->processes, mix(tgid), match_process, &tgid, &iter,
					  process, node)
	{
		if (LOAD(process->start) > by)
			continue;
		if (!best || LOAD(process->start) > LOAD(best->start))
			best = process;
	}
	return best;
}

static struct process *find_process_exactly(struct ebb_threads *table, pid_t tgid, uint64_t start)
{
	struct process *process = find_process(table, tgid, start);

	return process && process->start == start ? process : NULL;
}

static void *new_entry(struct ebb_threads *table, size_t nr, size_t size)
{
	void *entry = nr < table->max ? calloc(1, size) : NULL;

	if (!entry)
		STORE(table->nr_evicted, table->nr_evicted + 1);
	return entry;
}

static struct thread *add_thread(struct ebb_threads *table, const struct ebb_thread_sample *sample)
{
	struct thread *thread = new_entry(table, table->nr_threads, sizeof(*thread));

	if (!thread)
		return NULL;
	cds_lfht_node_init(&thread->node);
	STORE(thread->tid, sample->tid);
	STORE(thread->tgid, sample->tgid);
	STORE(thread->start, sample->start_boottime_ns);
	STORE(thread->is_alive, true);
	store_comm(&thread->comm, sample->comm);
	store_faults(&thread->total, sample->own);
	store_faults(&thread->delta, (struct ebb_faults){ 0 });
	thread->leader_start = sample->leader_start_boottime_ns;
	/* it began since the last read, except at the first one */
	if (table->epoch <= 1)
		thread->last = sample->own;
	before_publish();
	cds_lfht_add(table->threads, mix(sample->tid ^ sample->start_boottime_ns), &thread->node);
	table->nr_threads++;
	return thread;
}

static struct process *add_process(struct ebb_threads *table,
				   const struct ebb_thread_sample *sample)
{
	struct process *process = new_entry(table, table->nr_processes, sizeof(*process));

	if (!process)
		return NULL;
	cds_lfht_node_init(&process->node);
	STORE(process->tgid, sample->tgid);
	STORE(process->start, sample->leader_start_boottime_ns);
	STORE(process->is_alive, true);
	STORE(process->is_final, false);
	store_comm(&process->comm, sample->comm);
	store_faults(&process->total, (struct ebb_faults){ 0 });
	store_faults(&process->exited, (struct ebb_faults){ 0 });
	store_faults(&process->delta, (struct ebb_faults){ 0 });
	STORE(process->nr_threads, 0);
	before_publish();
	cds_lfht_add(table->processes, mix(sample->tgid), &process->node);
	table->nr_processes++;
	return process;
}

static void raise_total(struct process *process)
{
	store_faults(&process->total, max_of(process->total, add(process->exited, process->live)));
}

/* the first task of a process that this read meets */
static void begin_process(struct ebb_threads *table, struct process *process,
			  const struct ebb_thread_sample *sample)
{
	process->seen_epoch = table->epoch;
	process->first_gone = sample->gone;
	process->is_gone_settled = sample->is_gone_settled;
	process->visited_live = (struct ebb_faults){ 0 };
	process->visited_exited = (struct ebb_faults){ 0 };
	process->nr_visited = 0;
}

static struct process *visit_process(struct ebb_threads *table,
				     const struct ebb_thread_sample *sample)
{
	struct process *process;

	process = find_process_exactly(table, sample->tgid, sample->leader_start_boottime_ns);
	if (!process)
		process = add_process(table, sample);
	if (process && process->seen_epoch != table->epoch)
		begin_process(table, process, sample);
	if (process && sample->tid == sample->tgid)
		store_comm(&process->comm, sample->comm);
	return process;
}

static struct thread *visit_thread(struct ebb_threads *table,
				   const struct ebb_thread_sample *sample)
{
	struct thread *thread = find_thread(table, sample->tid, sample->start_boottime_ns);

	if (!thread)
		thread = add_thread(table, sample);
	if (!thread)
		return NULL;
	thread->seen_epoch = table->epoch;
	/* the event of that may have come before we knew the thread */
	if (sample->is_exiting)
		STORE(thread->is_alive, false);
	store_comm(&thread->comm, sample->comm);
	/* not the larger one: execve() of a thread gives it the leader's id and begin */
	store_faults(&thread->total, sample->own);
	return thread;
}

void ebb_threads_begin(struct ebb_threads *table)
{
	table->epoch++;
}

void ebb_threads_sample(struct ebb_threads *table, const struct ebb_thread_sample *sample)
{
	struct process *process;
	struct thread *thread;

	reader_begin();
	process = visit_process(table, sample);
	thread = visit_thread(table, sample);
	if (process && thread && !thread->is_alive) {
		/* exiting or a zombie: counted with the exited ones, not yet by the kernel */
		process->visited_exited = add(process->visited_exited, thread->total);
	} else if (process) {
		process->visited_live = add(process->visited_live, sample->own);
		process->nr_visited++;
	}
	reader_end();
}

/* after the read: @thread was not seen by it, or its figures are complete */
static void end_thread(struct ebb_threads *table, struct thread *thread)
{
	struct process *process;

	if (thread->seen_epoch != table->epoch && thread->is_alive) {
		STORE(thread->is_alive, false);
		process = find_process_exactly(table, thread->tgid, thread->leader_start);
		if (process)
			process->unseen = add(process->unseen, thread->total);
	}
	store_faults(&thread->delta, sub(thread->total, thread->last));
	thread->last = thread->total;
}

static void end_process(struct ebb_threads *table, struct process *process)
{
	struct ebb_faults exited = add(process->exited, process->unseen);
	bool is_first = process->last.minor == 0 && process->last.major == 0;

	process->unseen = (struct ebb_faults){ 0 };
	if (process->seen_epoch == table->epoch) {
		/* else the sum may hold one that was visited as well; the next read tells */
		if (process->is_gone_settled)
			exited = max_of(exited, add(process->first_gone, process->visited_exited));
		process->live = process->visited_live;
		STORE(process->nr_threads, process->nr_visited);
	} else {
		process->live = (struct ebb_faults){ 0 };
		STORE(process->nr_threads, 0);
		STORE(process->is_alive, false);
	}
	store_faults(&process->exited, exited);
	raise_total(process);
	if (is_first && table->epoch <= 1)
		process->last = process->total;
	store_faults(&process->delta, sub(process->total, process->last));
	process->last = process->total;
}

static void drop_thread(struct ebb_threads *table, struct thread *thread)
{
	if (cds_lfht_del(table->threads, &thread->node) == 0) {
		table->nr_threads--;
		call_rcu(&thread->rcu, free_thread);
	}
}

static void drop_process(struct ebb_threads *table, struct process *process)
{
	if (cds_lfht_del(table->processes, &process->node) == 0) {
		table->nr_processes--;
		call_rcu(&process->rcu, free_process);
	}
}

/* unseen by this read and shown as exited since the last one */
static bool is_over(const struct ebb_threads *table, uint64_t seen_epoch)
{
	return seen_epoch + 1 < table->epoch;
}

void ebb_threads_end(struct ebb_threads *table)
{
	struct cds_lfht_iter iter;
	struct process *process;
	struct thread *thread;

	reader_begin();
	cds_lfht_for_each_entry(table->threads, &iter, thread, node) {
		if (!thread->is_alive && is_over(table, thread->seen_epoch))
			drop_thread(table, thread);
		else
			end_thread(table, thread);
	}
	cds_lfht_for_each_entry(table->processes, &iter, process, node) {
		if (!process->is_alive && is_over(table, process->seen_epoch))
			drop_process(table, process);
		else
			end_process(table, process);
	}
	reader_end();
}

void ebb_threads_exited(struct ebb_threads *table, const struct ebb_thread_sample *sample)
{
	struct process *process;
	struct thread *thread;

	reader_begin();
	thread = find_thread(table, sample->tid, sample->start_boottime_ns);
	process = thread ? find_process_exactly(table, thread->tgid, thread->leader_start) : NULL;
	/* one that no read has seen is in the kernel's sum as soon as it is released */
	if (process && thread->is_alive) {
		process->live = sub(process->live, thread->total);
		store_faults(&thread->total, max_of(thread->total, sample->own));
		store_faults(&process->exited, add(process->exited, thread->total));
		STORE(thread->is_alive, false);
		raise_total(process);
	}
	reader_end();
}

void ebb_threads_gone(struct ebb_threads *table, const struct ebb_thread_sample *sample)
{
	struct process *process;

	reader_begin();
	process = find_process(table, sample->tgid, sample->start_boottime_ns);
	if (process) {
		store_faults(&process->exited, max_of(process->exited, sample->gone));
		raise_total(process);
		if (sample->tid == sample->tgid && sample->start_boottime_ns == process->start)
			STORE(process->is_final, true);
	}
	reader_end();
}

uint64_t ebb_threads_nr_evicted(const struct ebb_threads *table)
{
	return LOAD(table->nr_evicted);
}

static void read_thread(const struct thread *thread, struct ebb_thread_info *info)
{
	after_lookup();
	info->tid = LOAD(thread->tid);
	info->tgid = LOAD(thread->tgid);
	info->start_boottime_ns = LOAD(thread->start);
	info->total = load_faults(&thread->total);
	info->delta = load_faults(&thread->delta);
	info->is_alive = LOAD(thread->is_alive);
	load_comm(info->comm, &thread->comm);
}

static void read_process(const struct process *process, struct ebb_process_info *info)
{
	after_lookup();
	info->tgid = LOAD(process->tgid);
	info->start_boottime_ns = LOAD(process->start);
	info->total = load_faults(&process->total);
	info->exited = load_faults(&process->exited);
	info->delta = load_faults(&process->delta);
	info->nr_threads = LOAD(process->nr_threads);
	info->is_alive = LOAD(process->is_alive);
	info->is_final = LOAD(process->is_final);
	load_comm(info->comm, &process->comm);
}

void ebb_threads_each(struct ebb_threads *table, ebb_thread_fn fn, void *arg)
{
	struct ebb_thread_info info;
	struct cds_lfht_iter iter;
	struct thread *thread;

	reader_begin();
	cds_lfht_for_each_entry(table->threads, &iter, thread, node) {
		read_thread(thread, &info);
		fn(&info, arg);
	}
	reader_end();
}

void ebb_threads_each_process(struct ebb_threads *table, ebb_process_fn fn, void *arg)
{
	struct ebb_process_info info;
	struct cds_lfht_iter iter;
	struct process *process;

	reader_begin();
	cds_lfht_for_each_entry(table->processes, &iter, process, node) {
		read_process(process, &info);
		fn(&info, arg);
	}
	reader_end();
}

bool ebb_threads_process(struct ebb_threads *table, pid_t tgid, struct ebb_process_info *info)
{
	struct process *process;

	reader_begin();
	process = find_process(table, tgid, UINT64_MAX);
	if (process)
		read_process(process, info);
	reader_end();
	return process != NULL;
}

void ebb_threads_join(void)
{
	rcu_register_thread();
}

void ebb_threads_leave(void)
{
	rcu_unregister_thread();
}

struct ebb_threads *ebb_threads_new(size_t max)
{
	struct ebb_threads *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->max = max;
	table->threads = cds_lfht_new(1024, 1024, 0, CDS_LFHT_AUTO_RESIZE, NULL);
	table->processes = cds_lfht_new(256, 256, 0, CDS_LFHT_AUTO_RESIZE, NULL);
	if (table->threads && table->processes)
		return table;
	ebb_threads_free(table);
	return NULL;
}

static void drop_all(struct ebb_threads *table)
{
	struct cds_lfht_iter iter;
	struct process *process;
	struct thread *thread;

	reader_begin();
	if (table->threads)
		cds_lfht_for_each_entry(table->threads, &iter, thread, node)
			drop_thread(table, thread);
	if (table->processes)
		cds_lfht_for_each_entry(table->processes, &iter, process, node)
			drop_process(table, process);
	reader_end();
}

void ebb_threads_free(struct ebb_threads *table)
{
	if (!table)
		return;
	drop_all(table);
	rcu_barrier();
	if (table->threads)
		cds_lfht_destroy(table->threads, NULL);
	if (table->processes)
		cds_lfht_destroy(table->processes, NULL);
	free(table);
}
