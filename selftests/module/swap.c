// SPDX-License-Identifier: GPL-2.0
/*
 * What is written to swap_pages: forms of a line, lines cut by the end of a write, lines that are no
 * address. What reclaim does to which page is selftests/reclaim's business.
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "pagemap.h"
#include "sys.h"
#include "tap.h"

#define PAGE 4096UL
#define NR_PAGES 700
#define TRIES 50

static pid_t child;
static int fd;

static uint64_t page(size_t i)
{
	return MARK_ADDR + i * PAGE;
}

static unsigned char content(size_t i, size_t offset)
{
	return i * 31 + offset * 7 + 1;
}

static int map_pages(void *arg)
{
	unsigned char *pages = mmap((void *)MARK_ADDR, NR_PAGES * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	size_t i, offset;

	(void)arg;
	if (pages == MAP_FAILED || madvise(pages, NR_PAGES * PAGE, MADV_NOHUGEPAGE))
		return 1;
	for (i = 0; i < NR_PAGES; i++)
		for (offset = 0; offset < PAGE; offset++)
			pages[i * PAGE + offset] = content(i, offset);
	return 0;
}

static bool is_in(size_t i)
{
	return pagemap_present(child, page(i), 1);
}

/* Reading the child's memory brings the page back. */
static bool is_intact(size_t i)
{
	unsigned char found[PAGE];
	struct iovec to = { found, PAGE }, from = { (void *)page(i), PAGE };
	size_t offset;

	if (process_vm_readv(child, &to, 1, &from, 1, 0) != (ssize_t)PAGE)
		return false;
	for (offset = 0; offset < PAGE; offset++)
		if (found[offset] != content(i, offset))
			return false;
	return true;
}

static bool put(const void *text, size_t len)
{
	return write(fd, text, len) == (ssize_t)len;
}

/*
 * A page may be busy at the very moment, with the machine's own work: try for a while. What @text says
 * beside page @i is said every time.
 */
static bool goes_out(size_t i, const void *text, size_t len)
{
	int try;

	for (try = 0; try < TRIES; try++) {
		if (!put(text, len))
			return false;
		if (!is_in(i))
			return true;
		usleep(10000);
	}
	return false;
}

__attribute__((format(printf, 3, 4))) static void check_line(size_t i, const char *what,
							     const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	tap_ok(is_in(i) && goes_out(i, line, strlen(line)) && is_in(i - 1) && is_in(i + 1) &&
		       is_intact(i),
	       "%s: that page goes, its neighbours stay, the data comes back", what);
}

static void test_forms(void)
{
	check_line(2, "0x and small letters", "0x%lx\n", page(2) | 0xabc);
	check_line(4, "no 0x", "%lx\n", page(4));
	check_line(6, "capital letters", "%lX\n", page(6) | 0xABC);
	check_line(8, "blanks around", "  \t%lx  \n", page(8));
	check_line(10, "carriage return", "%lx\r\n", page(10));
	check_line(12, "an address inside the page", "%lx\n", page(12) + 4095);
	check_line(14, "leading zeros", "0x00000000%lx\n", page(14));
	check_line(16, "empty lines around", "\n\n\n%lx\n\n", page(16));
}

/* Lines that are no address, then one that is. */
static void test_bad_lines(void)
{
	static const char *const bad[] = { "nonsense",	    "0x",
					   "-1000",	    "12 34",
					   "200000020000,", "0x0x200000020000",
					   "2000000200zz",  "g",
					   "1.5",	    "fffffffffffffffff",
					   "0b1",	    "'; DROP TABLE pages" };
	char line[256];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int len = snprintf(line, sizeof(line), "%s\n", bad[i]);

		tap_ok(put(line, len) && is_in(32), "'%s' is left out", bad[i]);
	}
	check_line(34, "a line behind a bad one", "nonsense\n%lx\n", page(34));
	memset(line, '0', 200);
	tap_ok(put(line, 200) && put("200000024000\n", 13) && is_in(36),
	       "a line that is too long is left out");
	tap_ok(put("200000026000\0\n", 14) && is_in(38), "a line with a zero byte is left out");
	tap_equal(write(fd, "", 0), 0, "nothing written");
	tap_ok(put("0\nffffffffffffffff\nffffffffff600000\n8000000000000000\n", 53),
	       "addresses that no process has do no harm");
}

/* The line for page @i, written in two parts. */
static bool goes_out_cut(size_t i, size_t at)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%lx\n", page(i)), try;

	for (try = 0; try < TRIES && is_in(i); try++)
		if (!put(line, at) || !put(line + at, len - at))
			return false;
	return !is_in(i);
}

static void test_cut_lines(void)
{
	size_t at, bad = 0;

	for (at = 1; at < 13; at++)
		bad += !goes_out_cut(40 + 2 * at, at);
	tap_equal(bad, 0, "lines cut in two at each place whose page did not go");
	for (at = 1; at < 13; at++)
		bad += !is_in(40 + 2 * at + 1) + !is_intact(40 + 2 * at);
	tap_equal(bad, 0, "pages beside them that went, or lost data");
}

static void test_single_bytes(void)
{
	char lines[64];
	int i, len = snprintf(lines, sizeof(lines), "%lx\n0x%lx\n", page(70), page(72)), try;

	for (try = 0; try < TRIES && (is_in(70) || is_in(72)); try++)
		for (i = 0; i < len; i++)
			put(lines + i, 1);
	tap_ok(!is_in(70) && !is_in(72) && is_in(71), "two lines written byte by byte");
}

static void test_last_line(void)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%lx", page(74)), try;

	tap_ok(put(line, len) && is_in(74), "a line without its end does nothing yet");
	for (try = 0; try < TRIES && is_in(74); try++) {
		close(fd);
		fd = open_entry("/proc", child, SWAP_PAGES, O_WRONLY);
		if (is_in(74))
			put(line, len);
	}
	tap_ok(!is_in(74), "closing the file ends it");
}

/* More lines than the module takes at a time, most of them cut somewhere in its chunks. */
static void test_many(void)
{
	static char text[NR_PAGES * 16];
	size_t i, len = 0, in = NR_PAGES;
	int try;

	for (i = 100; i < NR_PAGES; i++)
		len += sprintf(text + len, "%lx\n", page(i));
	for (try = 0; try < TRIES; try++) {
		if (!put(text, len))
			break;
		in = pagemap_present(child, page(100), NR_PAGES - 100);
		if (!in)
			break;
	}
	tap_equal(in, 0, "pages of 600 in one write that stay");
	for (i = 100; i < NR_PAGES && is_intact(i); i++)
		;
	tap_equal(i, NR_PAGES, "of which all have their data");
}

static void test_faults(void)
{
	void *volatile nowhere = (void *)8;
	char *two =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char line[32];
	int len = snprintf(line, sizeof(line), "%lx\n", page(80));

	tap_errno(write(fd, nowhere, 10), EFAULT, "write of a bad pointer");
	munmap(two + PAGE, PAGE);
	tap_errno(write(fd, two + PAGE - 5, 10), EFAULT, "write whose end is a bad pointer");
	tap_ok(goes_out(80, line, len), "the next write works");
	munmap(two, PAGE);
}

static void test_ioctls(void)
{
	uint32_t arg = 0;

	tap_errno(ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &arg), EOPNOTSUPP, "an ioctl of idle_pages");
}

int main(void)
{
	sys_swap_on();
	child = child_start(map_pages, NULL);
	fd = open_entry("/proc", child, SWAP_PAGES, O_WRONLY);
	if (fd < 0)
		tap_bail("%s: %s", SWAP_PAGES, strerror(errno));
	test_forms();
	test_bad_lines();
	test_cut_lines();
	test_single_bytes();
	test_last_line();
	test_many();
	test_faults();
	test_ioctls();
	close(fd);
	child_end(child);
	return tap_end();
}
