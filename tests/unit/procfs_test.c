// SPDX-License-Identifier: GPL-2.0
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procfs.h"

#define STAT_TAIL                                                                                \
	" S 7 8 9 10 11 12 1001 1002 1003 1004 1005 1006 1007 1008 20 0 3 0 99887766 123456 77 " \
	"18446744073709551615 1 1\n"

static void check_stat(const char *text, const char *comm)
{
	struct ebb_proc_stat stat;

	assert_int_equal(ebb_proc_parse_stat(text, &stat), 0);
	assert_string_equal(stat.comm, comm);
	assert_int_equal(stat.pid, 42);
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.ppid, 7);
	assert_int_equal(stat.flags, 12);
	assert_int_equal(stat.minor_faults, 1001);
	assert_int_equal(stat.major_faults, 1003);
	assert_int_equal(stat.user_ticks, 1005);
	assert_int_equal(stat.system_ticks, 1006);
	assert_int_equal(stat.nr_threads, 3);
	assert_int_equal(stat.start_ticks, 99887766);
	assert_int_equal(stat.rss_pages, 77);
}

static void test_stat_names(void **state)
{
	check_stat("42 (redis-server)" STAT_TAIL, "redis-server");
	check_stat("42 (a b)" STAT_TAIL, "a b");
	check_stat("42 (a) S 1 (b)" STAT_TAIL, "a) S 1 (b");
	check_stat("42 (a\nb)" STAT_TAIL, "a\nb");
	check_stat("42 ()" STAT_TAIL, "");
	check_stat("42 ())" STAT_TAIL, ")");
	check_stat("42 (kworker/u16:3+events_unbound_that_is_really_very_long_indeed_"
		   "123456789)" STAT_TAIL,
		   "kworker/u16:3+events_unbound_that_is_really_very_long_indeed_123");
}

static void test_stat_rubbish(void **state)
{
	static const char *const texts[] = { "",
					     "42",
					     "42 (a",
					     "42 a)" STAT_TAIL,
					     "x (a)" STAT_TAIL,
					     "42 (a) S 7",
					     "42 (a) S 7 8 9 10 11 12 1001 1002 1003 1004 1005" };
	struct ebb_proc_stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(ebb_proc_parse_stat(texts[i], &stat), -EBADMSG);
}

static void test_map_lines(void **state)
{
	struct ebb_proc_map map;

	assert_int_equal(ebb_proc_parse_map("7f00-8f00 rw-p 00001000 fd:01 4711       "
					    "/tmp/a b (deleted)",
					    &map),
			 0);
	assert_int_equal(map.start, 0x7f00);
	assert_int_equal(map.end, 0x8f00);
	assert_int_equal(map.size, 0x1000);
	assert_string_equal(map.perms, "rw-p");
	assert_int_equal(map.offset, 0x1000);
	assert_int_equal(map.inode, 4711);
	assert_string_equal(map.path, "/tmp/a b (deleted)");
	assert_int_equal(ebb_proc_parse_map("1000-2000 ---p 0 00:00 0 ", &map), 0);
	assert_string_equal(map.path, "");
	assert_int_equal(ebb_proc_parse_map("1000-2000 ---p 0 00:00 0", &map), 0);
	assert_string_equal(map.path, "");
	assert_int_equal(ebb_proc_parse_map("ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 "
					    "[vsyscall]",
					    &map),
			 0);
}

static void test_map_rubbish(void **state)
{
	static const char *const lines[] = { "",
					     "Rss: 12 kB",
					     "1000-1000 rw-p 0 0:0 0",
					     "2000-1000 rw-p 0 0:0 0",
					     "1000-2000 rw 0 0:0 0",
					     "1000-2000",
					     "1000-2000 rw-p 0 0:0" };
	struct ebb_proc_map map;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(ebb_proc_parse_map(lines[i], &map), -EBADMSG);
}

static pid_t start_child(const char *name)
{
	int fds[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(fds[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_find(void **state)
{
	pid_t first = start_child("ebb) u(nit\n"), second, *pids = NULL;
	struct ebb_proc_stat stat;
	size_t nr;

	assert_int_equal(ebb_proc_stat(first, 0, &stat), 0);
	assert_string_equal(stat.comm, "ebb) u(nit\n");
	assert_int_equal(stat.ppid, getpid());
	assert_int_equal(ebb_proc_find("ebb) u(nit\n", &pids, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(pids[0], first);
	free(pids);
	second = start_child("ebb) u(nit\n");
	assert_int_equal(ebb_proc_find("ebb) u(nit\n", &pids, &nr), 0);
	assert_int_equal(nr, 2);
	free(pids);
	stop_child(second);
	stop_child(first);
	assert_int_equal(ebb_proc_find("ebb) u(nit\n", &pids, &nr), 0);
	assert_int_equal(nr, 0);
	free(pids);
	assert_int_equal(ebb_proc_stat(first, 0, &stat), -ESRCH);
}

struct wanted {
	uint64_t start;
	uint64_t size;
	struct ebb_proc_map map;
	size_t nr;
};

static int take_map(const struct ebb_proc_map *map, void *arg)
{
	struct wanted *wanted = arg;

	wanted->nr++;
	if (map->start == wanted->start) {
		wanted->map = *map;
		wanted->map.path = NULL;
	}
	return 0;
}

static void test_own_smaps(void **state)
{
	const size_t size = 64 * 4096;
	/* a shared mapping is never merged with its neighbours */
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct wanted wanted = { .start = (uint64_t)(uintptr_t)memory };

	assert_true(memory != MAP_FAILED);
	memset(memory, 1, 16 * 4096);
	assert_int_equal(ebb_proc_smaps(getpid(), take_map, &wanted), 0);
	assert_int_equal(wanted.map.size, size);
	assert_int_equal(wanted.map.rss, 16 * 4096);
	assert_string_equal(wanted.map.perms, "rw-s");
	assert_true(wanted.nr > 5);
	wanted.nr = 0;
	assert_int_equal(ebb_proc_maps(getpid(), take_map, &wanted), 0);
	assert_true(wanted.nr > 5);
	munmap(memory, size);
}

static int stop_at_third(const struct ebb_proc_map *map, void *arg)
{
	return ++*(int *)arg == 3 ? 77 : 0;
}

static void test_callback_ends(void **state)
{
	int calls = 0;

	assert_int_equal(ebb_proc_maps(getpid(), stop_at_third, &calls), 77);
	assert_int_equal(calls, 3);
	calls = 0;
	assert_int_equal(ebb_proc_smaps(getpid(), stop_at_third, &calls), 77);
	assert_int_equal(calls, 3);
}

static void test_memory(void **state)
{
	struct ebb_proc_memory memory;

	assert_int_equal(ebb_proc_memory(getpid(), &memory), 0);
	assert_true(memory.has_mm);
	assert_true(memory.rss > 0);
	assert_int_equal(memory.rss, memory.rss_anon + memory.rss_file + memory.rss_shmem);
	assert_int_equal(memory.uid, getuid());
}

static void test_cmdline(void **state)
{
	char line[256], cut[4];
	ssize_t len = ebb_proc_cmdline(getpid(), line, sizeof(line));

	assert_true(len > 0);
	assert_int_equal((size_t)len, strlen(line));
	assert_non_null(strstr(line, "procfs_test"));
	assert_int_equal(ebb_proc_cmdline(getpid(), cut, sizeof(cut)), 3);
	assert_int_equal(strlen(cut), 3);
}

static int count_id(pid_t id, void *arg)
{
	++*(int *)arg;
	return id == getpid() ? 0 : 1;
}

static void test_own_threads(void **state)
{
	int nr = 0;

	assert_int_equal(ebb_proc_each_thread(getpid(), count_id, &nr), 0);
	assert_int_equal(nr, 1);
}

static void test_no_process(void **state)
{
	pid_t pid = start_child("x");
	struct ebb_proc_memory memory;
	struct ebb_proc_stat stat;
	char line[16];
	int nr = 0;

	stop_child(pid);
	assert_int_equal(ebb_proc_stat(pid, 0, &stat), -ESRCH);
	assert_int_equal(ebb_proc_stat(pid, pid, &stat), -ESRCH);
	assert_int_equal(ebb_proc_memory(pid, &memory), -ESRCH);
	assert_int_equal(ebb_proc_maps(pid, take_map, NULL), -ESRCH);
	assert_int_equal(ebb_proc_smaps(pid, take_map, NULL), -ESRCH);
	assert_int_equal(ebb_proc_cmdline(pid, line, sizeof(line)), -ESRCH);
	assert_int_equal(ebb_proc_each_thread(pid, count_id, &nr), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_names),    cmocka_unit_test(test_stat_rubbish),
		cmocka_unit_test(test_map_lines),     cmocka_unit_test(test_map_rubbish),
		cmocka_unit_test(test_find),	      cmocka_unit_test(test_own_smaps),
		cmocka_unit_test(test_callback_ends), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_cmdline),	      cmocka_unit_test(test_own_threads),
		cmocka_unit_test(test_no_process),
	};

	return cmocka_run_group_tests_name("procfs", tests, NULL, NULL);
}
