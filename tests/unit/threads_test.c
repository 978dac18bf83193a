// SPDX-License-Identifier: GPL-2.0
/* The table of threads: single cases, a simulated kernel, and readers beside the writer. */
#include "unit.h"

#include <pthread.h>

#include "core/threads.h"

#ifdef __SANITIZE_THREAD__
const char *__tsan_default_suppressions(void);

/* liburcu orders what it shares by its own assembly, which ThreadSanitizer does not see */
const char *__tsan_default_suppressions(void)
{
	return "race:liburcu.so*\nrace:liburcu-cds.so*\ncalled_from_lib:liburcu.so*\n";
}
#endif

#define TGID 100
#define START 1000

static struct ebb_thread_sample sample(pid_t tid, uint64_t start, uint64_t minor, uint64_t gone)
{
	return (struct ebb_thread_sample){
		.tid = tid,
		.tgid = TGID,
		.start_boottime_ns = start,
		.leader_start_boottime_ns = START,
		.own = { .minor = minor, .major = minor / 2 },
		.gone = { .minor = gone, .major = gone / 2 },
		.is_gone_settled = true,
		.comm = "thread",
	};
}

static void read_tasks(struct ebb_threads *table, const struct ebb_thread_sample *samples,
		       size_t nr)
{
	ebb_threads_begin(table);
	for (size_t i = 0; i < nr; i++)
		ebb_threads_sample(table, &samples[i]);
	ebb_threads_end(table);
}

static struct ebb_process_info process(struct ebb_threads *table)
{
	struct ebb_process_info info;

	assert_true(ebb_threads_process(table, TGID, &info));
	return info;
}

struct found {
	pid_t tid;
	size_t nr;
	struct ebb_thread_info info;
};

static void take(const struct ebb_thread_info *info, void *arg)
{
	struct found *found = arg;

	if (info->tid == found->tid) {
		found->info = *info;
		found->nr++;
	}
}

static struct found find(struct ebb_threads *table, pid_t tid)
{
	struct found found = { .tid = tid };

	ebb_threads_each(table, take, &found);
	return found;
}

static void test_sums_and_deltas(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0), sample(101, 2000, 4, 0) };

	read_tasks(table, now, 2);
	assert_int_equal(process(table).total.minor, 14);
	assert_int_equal(process(table).total.major, 7);
	assert_int_equal(process(table).delta.minor, 0);
	assert_int_equal(process(table).nr_threads, 2);
	now[1] = sample(101, 2000, 9, 0);
	read_tasks(table, now, 2);
	assert_int_equal(process(table).delta.minor, 5);
	assert_int_equal(find(table, 101).info.delta.minor, 5);
	assert_int_equal(find(table, TGID).info.delta.minor, 0);
	assert_string_equal(find(table, 101).info.comm, "thread");
	ebb_threads_free(table);
}

/* told by an event, by the kernel's sum, by its absence: one thread counts once */
static void test_exit_counts_once(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0), sample(101, 2000, 4, 0) };
	struct ebb_thread_sample end = sample(101, 2000, 6, 0);

	read_tasks(table, now, 2);
	ebb_threads_exited(table, &end);
	assert_int_equal(process(table).total.minor, 16);
	ebb_threads_exited(table, &end);
	assert_int_equal(process(table).total.minor, 16);
	end = sample(101, 2000, 6, 6);
	ebb_threads_gone(table, &end);
	assert_int_equal(process(table).total.minor, 16);
	now[0] = sample(TGID, START, 10, 6);
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 16);
	assert_int_equal(process(table).exited.minor, 6);
	assert_false(find(table, 101).info.is_alive);
	assert_int_equal(find(table, 101).info.delta.minor, 2);
	read_tasks(table, now, 1);
	assert_int_equal(find(table, 101).nr, 0);
	ebb_threads_free(table);
}

static void test_exit_without_event(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0), sample(101, 2000, 4, 0) };

	read_tasks(table, now, 2);
	/* the sum was read before its release: nothing is lost in between */
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 14);
	now[0] = sample(TGID, START, 10, 8);
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 18);
	ebb_threads_free(table);
}

/* the leader has exited and is a zombie that the iterator still meets */
static void test_zombie_leader(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0) };
	struct ebb_thread_sample end = sample(TGID, START, 12, 0);

	read_tasks(table, now, 1);
	ebb_threads_exited(table, &end);
	/* short threads that no read has seen, and one fault after the event */
	now[0] = sample(TGID, START, 13, 100);
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 113);
	assert_int_equal(process(table).nr_threads, 0);
	assert_false(process(table).is_final);
	end = sample(TGID, START, 13, 113);
	ebb_threads_gone(table, &end);
	assert_int_equal(process(table).total.minor, 113);
	assert_true(process(table).is_final);
	ebb_threads_free(table);
}

/* the kernel's sum holds a thread that the same read meets */
static void test_unsettled_sum(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0), sample(101, 2000, 4, 0) };

	read_tasks(table, now, 2);
	now[0].gone.minor = 4;
	now[0].is_gone_settled = false;
	read_tasks(table, now, 2);
	assert_int_equal(process(table).total.minor, 14);
	now[0].is_gone_settled = true;
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 14);
	ebb_threads_free(table);
}

static void test_id_used_again(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now[] = { sample(TGID, START, 10, 0), sample(101, 2000, 4, 0) };

	read_tasks(table, now, 2);
	now[0] = sample(TGID, START, 10, 4);
	now[1] = sample(101, 3000, 1, 4);
	read_tasks(table, now, 2);
	assert_int_equal(find(table, 101).nr, 2);
	assert_int_equal(process(table).total.minor, 15);
	ebb_threads_free(table);
}

/* another process with the id of an ended one: late news of the old one are not its own */
static void test_process_id_used_again(void **state)
{
	struct ebb_threads *table = ebb_threads_new(64);
	struct ebb_thread_sample now = sample(TGID, START, 10, 0);
	struct ebb_thread_sample late = sample(101, 2000, 50, 500);

	read_tasks(table, &now, 1);
	now.start_boottime_ns = now.leader_start_boottime_ns = 9000;
	now.own.minor = 3;
	read_tasks(table, &now, 1);
	assert_int_equal(process(table).start_boottime_ns, 9000);
	assert_int_equal(process(table).total.minor, 3);
	ebb_threads_gone(table, &late);
	assert_int_equal(process(table).total.minor, 3);
	ebb_threads_free(table);
}

static void test_bounded(void **state)
{
	struct ebb_thread_sample now[50] = { sample(TGID, START, 1, 0) };
	struct ebb_threads *table = ebb_threads_new(8);

	for (int i = 1; i < 50; i++)
		now[i] = sample(TGID + i, 2000 + i, 1, 0);
	read_tasks(table, now, 50);
	assert_int_equal(ebb_threads_nr_evicted(table), 42);
	/* those without a place are in the sum */
	assert_int_equal(process(table).total.minor, 50);
	assert_int_equal(process(table).nr_threads, 50);
	now[0] = sample(TGID, START, 1, 49);
	read_tasks(table, now, 1);
	assert_int_equal(process(table).total.minor, 50);
	/* places of exited ones are used again once they were shown */
	read_tasks(table, now, 1);
	read_tasks(table, now, 8);
	assert_int_equal(ebb_threads_nr_evicted(table), 42);
	ebb_threads_free(table);
}

/* A kernel: threads are born, fault, exit, are released, and tell or lose their events. */
#define SIM_THREADS 24

struct sim_thread {
	struct ebb_thread_sample now;
	bool is_there;
	bool has_exited;
};

struct sim {
	struct ebb_threads *table;
	struct sim_thread threads[SIM_THREADS];
	uint64_t clock;
	uint64_t gone;
	uint64_t truth;
	bool loses_events;
};

static unsigned int sim_random(struct sim *sim, unsigned int max)
{
	sim->clock = sim->clock * 6364136223846793005ULL + 1442695040888963407ULL;
	return (sim->clock >> 33) % max;
}

static void sim_step(struct sim *sim, uint64_t serial)
{
	struct sim_thread *thread = &sim->threads[1 + sim_random(sim, SIM_THREADS - 1)];
	pid_t tid = TGID + (thread - sim->threads);

	if (!thread->is_there) {
		*thread = (struct sim_thread){ .now = sample(tid, 2000 + serial, 0, 0),
					       .is_there = true };
	} else if (!thread->has_exited && sim_random(sim, 4)) {
		thread->now.own.minor += 1 + sim_random(sim, 9);
	} else if (!thread->has_exited) {
		thread->has_exited = true;
		if (!sim->loses_events || sim_random(sim, 2))
			ebb_threads_exited(sim->table, &thread->now);
		/* from Linux 6.16 on it still faults then */
		thread->now.own.minor += sim_random(sim, 3);
	} else {
		thread->is_there = false;
		sim->gone += thread->now.own.minor;
		thread->now.gone.minor = sim->gone;
		if (!sim->loses_events)
			ebb_threads_gone(sim->table, &thread->now);
	}
}

static uint64_t sim_truth(const struct sim *sim)
{
	uint64_t truth = sim->gone;

	for (int i = 0; i < SIM_THREADS; i++)
		truth += sim->threads[i].is_there ? sim->threads[i].now.own.minor : 0;
	return truth;
}

static void sim_read(struct sim *sim)
{
	ebb_threads_begin(sim->table);
	for (int i = 0; i < SIM_THREADS; i++) {
		sim->threads[i].now.gone.minor = sim->gone;
		sim->threads[i].now.is_exiting = sim->threads[i].has_exited;
		if (sim->threads[i].is_there)
			ebb_threads_sample(sim->table, &sim->threads[i].now);
	}
	ebb_threads_end(sim->table);
}

static void simulate(bool loses_events)
{
	struct sim sim = { .table = ebb_threads_new(4096), .clock = 42 };
	uint64_t last = 0, now;

	sim.loses_events = loses_events;
	sim.threads[0] = (struct sim_thread){ .now = sample(TGID, START, 5, 0), .is_there = true };
	for (uint64_t i = 0; i < 20000; i++) {
		sim_step(&sim, i);
		if (sim_random(&sim, 10) == 0) {
			sim_read(&sim);
			assert_int_equal(process(sim.table).total.minor, sim_truth(&sim));
		} else if (i > 100) {
			now = process(sim.table).total.minor;
			assert_true(now >= last);
			assert_true(now <= sim_truth(&sim));
			last = now;
		}
	}
	ebb_threads_free(sim.table);
}

static void test_simulated_kernel(void **state)
{
	simulate(false);
}

static void test_simulated_kernel_losing_events(void **state)
{
	simulate(true);
}

#define READERS 3
#define ROUNDS 400

struct reader {
	struct ebb_threads *table;
	int is_over;
	uint64_t nr_seen;
	int nr_wrong;
};

static void look(const struct ebb_thread_info *info, void *arg)
{
	struct reader *reader = arg;

	reader->nr_seen++;
	if (info->tgid != TGID || strcmp(info->comm, "thread"))
		reader->nr_wrong++;
}

static void *run_reader(void *arg)
{
	struct reader *reader = arg;
	struct ebb_process_info info;
	uint64_t last = 0;

	ebb_threads_join();
	while (!__atomic_load_n(&reader->is_over, __ATOMIC_ACQUIRE)) {
		ebb_threads_each(reader->table, look, reader);
		if (ebb_threads_process(reader->table, TGID, &info)) {
			if (info.total.minor < last)
				reader->nr_wrong++;
			last = info.total.minor;
		}
	}
	ebb_threads_leave();
	return NULL;
}

/* threads come and go with every read */
static void churn(struct ebb_threads *table)
{
	struct ebb_thread_sample now[20];
	uint64_t gone = 0;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		now[0] = sample(TGID, START, 1 + round, gone);
		for (int i = 1; i < 20; i++)
			now[i] = sample(TGID + i, 2000 + round / (i % 3 + 1), i, gone);
		read_tasks(table, now, 20);
		for (int i = 1; i < 20; i++) {
			/* the next round shows another thread of that id */
			if ((round + 1) / (i % 3 + 1) == round / (i % 3 + 1))
				continue;
			ebb_threads_exited(table, &now[i]);
			gone += i;
		}
	}
}

static void test_readers(void **state)
{
	struct reader readers[READERS];
	pthread_t threads[READERS];
	struct ebb_threads *table = ebb_threads_new(4096);

	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .table = table };
		assert_int_equal(pthread_create(&threads[i], NULL, run_reader, &readers[i]), 0);
	}
	churn(table);
	for (int i = 0; i < READERS; i++) {
		__atomic_store_n(&readers[i].is_over, 1, __ATOMIC_RELEASE);
		pthread_join(threads[i], NULL);
		assert_int_equal(readers[i].nr_wrong, 0);
	}
	ebb_threads_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_and_deltas),
		cmocka_unit_test(test_exit_counts_once),
		cmocka_unit_test(test_exit_without_event),
		cmocka_unit_test(test_zombie_leader),
		cmocka_unit_test(test_unsettled_sum),
		cmocka_unit_test(test_id_used_again),
		cmocka_unit_test(test_process_id_used_again),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_simulated_kernel),
		cmocka_unit_test(test_simulated_kernel_losing_events),
		cmocka_unit_test(test_readers),
	};
	int failed;

	ebb_threads_join();
	failed = cmocka_run_group_tests_name("threads", tests, NULL, NULL);
	ebb_threads_leave();
	return failed;
}
