// SPDX-License-Identifier: GPL-2.0
/*
 * VMA_SCAN_FLAG: idle_pages tells the marked mappings and no others. A process has one touched page
 * in each of several mappings; marked are those whose name begins with the module parameter "mark".
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <linux/prctl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "tap.h"

#define PAGE 4096L
#define PARAMETER "/sys/module/ebb/parameters/mark"
#define DISTANCE (64UL << 20)
#define LONGEST 63

static const struct mapping {
	const char *what;
	const char *memfd; /* its name; NULL: anonymous */
	const char *name; /* by PR_SET_VMA_ANON_NAME */
	int flags;
	bool is_default; /* told without the flag */
	bool is_marked; /* with "etmem" */
	bool is_other; /* with "other" */
} mappings[] = {
	{ "anonymous", NULL, NULL, MAP_PRIVATE, true, false, false },
	{ "named anonymous", NULL, "etmem of mine", MAP_PRIVATE, true, true, false },
	{ "anonymous with another name", NULL, "my etmem", MAP_PRIVATE, true, false, false },
	{ "memfd", "etmem", NULL, MAP_SHARED, false, true, false },
	{ "memfd with a longer name", "etmem-cold", NULL, MAP_SHARED, false, true, false },
	{ "private mapping of a memfd", "etmem2", NULL, MAP_PRIVATE, true, true, false },
	{ "memfd with a shorter name", "etme", NULL, MAP_SHARED, false, false, false },
	{ "memfd with another name", "other", NULL, MAP_SHARED, false, false, true },
};
#define NR ((int)(sizeof(mappings) / sizeof(mappings[0])))

static pid_t child;
static bool has_names; /* the kernel has CONFIG_ANON_VMA_NAME */

static char *addr_of(int i)
{
	return (char *)MARK_ADDR + i * DISTANCE;
}

static int set_name(char *addr, const char *name)
{
	return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, addr, PAGE, name);
}

static int map_one(int i)
{
	const struct mapping *m = &mappings[i];
	int fd = m->memfd ? memfd_create(m->memfd, 0) : -1;

	if (m->memfd && (fd < 0 || ftruncate(fd, PAGE)))
		return 1;
	if (mmap(addr_of(i), PAGE, PROT_READ | PROT_WRITE,
		 m->flags | MAP_FIXED | (m->memfd ? 0 : MAP_ANONYMOUS), fd, 0) != addr_of(i))
		return 1;
	*addr_of(i) = 1;
	return m->name && set_name(addr_of(i), m->name) && has_names;
}

static int map_all(void *arg)
{
	int i;

	for (i = 0; i < NR; i++)
		if (map_one(i))
			return 1;
	return 0;
}

static bool is_told(int fd, int i)
{
	unsigned char buf[64];

	return pread(fd, buf, sizeof(buf), (off_t)addr_of(i)) == 10;
}

/* Is what @fd tells what it has to, for the mapping @i? */
static void check(const char *how, int fd, int i, bool expected)
{
	if (mappings[i].name && !has_names)
		return;
	tap_ok(is_told(fd, i) == expected, "%s: %s: %stold", how, mappings[i].what,
	       expected ? "" : "not ");
}

/* Once as it was before, and once with the flag. */
static void test_default(int fd)
{
	int i;

	for (i = 0; i < NR; i++)
		check("no flag", fd, i, mappings[i].is_default);
}

static void test_marked(const char *how, int fd)
{
	int i;

	for (i = 0; i < NR; i++)
		check(how, fd, i, mappings[i].is_marked);
}

static int set_mark(const char *mark)
{
	int fd = open(PARAMETER, O_WRONLY);
	int ret = fd >= 0 && write(fd, mark, strlen(mark)) == (ssize_t)strlen(mark) ? 0 : -1;

	close(fd);
	return ret;
}

static bool mark_is(const char *expected)
{
	char buf[128] = {};
	int fd = open(PARAMETER, O_RDONLY);
	ssize_t len = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	return len > 0 && buf[len - 1] == '\n' && !strncmp(buf, expected, len - 1) &&
	       strlen(expected) == (size_t)len - 1;
}

static void test_other_mark(int fd)
{
	int i;

	tap_equal(set_mark("other\n"), 0, "another mark is set");
	tap_ok(mark_is("other"), "and told");
	for (i = 0; i < NR; i++)
		check("mark=other", fd, i, mappings[i].is_other);
	tap_equal(set_mark("etmem"), 0, "the first mark is set again");
	check("mark=etmem", fd, 3, true);
}

static void test_bad_marks(void)
{
	char longest[LONGEST + 2];

	memset(longest, 'e', sizeof(longest));
	longest[LONGEST + 1] = '\0';
	tap_errno(set_mark("\n"), EINVAL, "an empty mark");
	tap_errno(set_mark("a/b"), EINVAL, "a mark with a slash");
	tap_errno(set_mark("a[b"), EINVAL, "a mark with a bracket");
	tap_errno(set_mark("a\tb"), EINVAL, "a mark with a tab");
	tap_errno(set_mark(longest), EINVAL, "a mark of 64 bytes");
	tap_ok(mark_is("etmem"), "the mark is as before");
	longest[LONGEST] = '\0';
	tap_equal(set_mark(longest), 0, "a mark of 63 bytes");
	tap_ok(mark_is(longest), "and told");
	tap_equal(set_mark("etmem"), 0, "the first mark is set again");
}

static void test_ioctls(void)
{
	uint32_t flag = EBB_VMA_SCAN_FLAG;
	int fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY);

	tap_equal(ioctl(fd, EBB_VMA_SCAN_ADD_FLAGS, &flag), 0, "VMA_SCAN_FLAG added");
	test_marked("VMA_SCAN_FLAG added", fd);
	test_other_mark(fd);
	tap_equal(ioctl(fd, EBB_VMA_SCAN_REMOVE_FLAGS, &flag), 0, "VMA_SCAN_FLAG removed");
	check("VMA_SCAN_FLAG removed", fd, 0, true);
	check("VMA_SCAN_FLAG removed", fd, 3, false);
	close(fd);
}

static void test_open(void)
{
	int fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY | EBB_VMA_SCAN_FLAG);

	tap_ok(fd >= 0, "open with VMA_SCAN_FLAG");
	test_marked("VMA_SCAN_FLAG at open", fd);
	close(fd);
}

/* Tells once what is left out below. */
static void find_names(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	has_names = !set_name(page, "etmem");
	munmap(page, PAGE);
	if (!has_names)
		tap_skip("mappings named by prctl", "the kernel has no CONFIG_ANON_VMA_NAME");
}

int main(void)
{
	int fd;

	find_names();
	child = child_start(map_all, NULL);
	fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY);
	if (fd < 0)
		tap_bail("%s: %s", IDLE_PAGES, strerror(errno));
	test_default(fd);
	close(fd);
	test_ioctls();
	test_open();
	test_bad_marks();
	child_end(child);
	return tap_end();
}
