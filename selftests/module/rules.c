// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of idle_pages and swap_pages for reading, seeking, flags and ioctls, as etmem's interface
 * has them. What the stream says is selftests/scan's business.
 */
#include <fcntl.h>
#include <linux/ebb.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "tap.h"

#define PAGE 4096L
#define SPAN(count) ((count)*8 * PAGE) /* bytes that a read of count bytes covers */
static void *volatile no_addr = (void *)8; /* nothing is mapped there */
#define TOP (1LL << 56) /* not below the end of the address space, with four or five levels */

static pid_t child;
static int idle;
static char buf[65536];

static void test_read_size(void)
{
	tap_equal(pread(idle, buf, 0, MARK_ADDR), 0, "read of 0 bytes: an empty span");
	tap_errno(pread(idle, buf, 1, MARK_ADDR), EINVAL, "read of 1 byte");
	tap_errno(pread(idle, buf, 19, MARK_ADDR), EINVAL, "read of 19 bytes");
	tap_equal(pread(idle, buf, 20, MARK_ADDR), 10, "read of 20 bytes: an address and one page");
}

static void test_read_position(void)
{
	tap_errno(pread(idle, buf, 64, MARK_ADDR + 1), EINVAL, "read at a position inside a page");
	tap_errno(pread(idle, buf, 64, MARK_ADDR + 2048), EINVAL, "read in the middle of a page");
	tap_equal(pread(idle, buf, 64, TOP), 0, "read from the end of the address space");
	tap_equal(pread(idle, buf, 64, TOP + 1), 0, "read from behind it");
	tap_equal(pread(idle, buf, 64, TOP - PAGE), 0, "read of a span that goes over it");
	tap_errno(pread(idle, buf, 64, -PAGE), EINVAL, "read from before 0");
}

static void test_read_moves(void)
{
	const off_t hole = MARK_ADDR - SPAN(64);

	tap_equal(lseek(idle, hole, SEEK_SET), hole, "seek to a hole");
	tap_equal(read(idle, buf, 64), 0, "read of a hole");
	tap_equal(lseek(idle, 0, SEEK_CUR), MARK_ADDR, "the position behind its span");
	tap_equal(read(idle, buf, 64), 10, "read goes on at the page");
	tap_equal(lseek(idle, 0, SEEK_CUR), MARK_ADDR + SPAN(64), "the position behind its span");
	lseek(idle, 4096, SEEK_SET);
	pread(idle, buf, 64, MARK_ADDR);
	tap_equal(lseek(idle, 0, SEEK_CUR), 4096, "the position after a pread");
}

/* The page is young after a touch, and a failed read must not take that away. */
static void test_read_fault(void)
{
	int fd;

	child_end(child);
	child = child_start(map_mark, NULL);
	fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY);
	tap_errno(pread(fd, no_addr, 64, MARK_ADDR), EFAULT, "read to a bad pointer");
	tap_equal(lseek(fd, 0, SEEK_CUR), 0, "the position after it");
	tap_ok(sees_mark(fd), "the page is still told as touched after it");
	tap_ok(!sees_mark(fd), "but not twice");
	close(fd);
}

/* The first page of the buffer can be written, the next one not: what fits is told. */
static void test_read_partly(void)
{
	char *two =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(two + PAGE, PAGE);
	tap_errno(pread(idle, two + PAGE - 32, 64, MARK_ADDR), EFAULT,
		  "read to a buffer whose end is bad");
	tap_equal(pread(idle, two + PAGE - 32, 32, MARK_ADDR), 10, "read to the part that is good");
	munmap(two, PAGE);
}

static void test_seek(void)
{
	tap_equal(lseek(idle, 0x7000, SEEK_SET), 0x7000, "SEEK_SET");
	tap_equal(lseek(idle, 0x1000, SEEK_CUR), 0x8000, "SEEK_CUR");
	tap_equal(lseek(idle, -0x2000, SEEK_CUR), 0x6000, "SEEK_CUR back");
	tap_errno(lseek(idle, 0, SEEK_END), EINVAL, "SEEK_END");
	tap_errno(lseek(idle, 0, SEEK_DATA), EINVAL, "SEEK_DATA");
	tap_errno(lseek(idle, 0, SEEK_HOLE), EINVAL, "SEEK_HOLE");
	tap_errno(lseek(idle, -1, SEEK_SET), EINVAL, "SEEK_SET before 0");
	tap_errno(lseek(idle, -0x7000, SEEK_CUR), EINVAL, "SEEK_CUR before 0");
	tap_equal(lseek(idle, 0, SEEK_CUR), 0x6000, "the position after refusals");
}

/* Flags that this version takes, one by one; the others it knows are refused, not ignored. */
static const struct {
	uint32_t flag;
	bool is_taken;
	const char *name;
} flags[] = {
	{ EBB_SCAN_HUGE_PAGE, true, "SCAN_HUGE_PAGE" },
	{ EBB_SCAN_SKIM_IDLE, true, "SCAN_SKIM_IDLE" },
	{ EBB_SCAN_DIRTY_PAGE, true, "SCAN_DIRTY_PAGE" },
	{ EBB_SCAN_AS_HUGE, true, "SCAN_AS_HUGE" },
	{ EBB_VM_SCAN_HOST, true, "VM_SCAN_HOST" },
	{ EBB_SCAN_IGN_HOST, true, "SCAN_IGN_HOST" },
	{ EBB_VMA_SCAN_FLAG, false, "VMA_SCAN_FLAG as a scan flag" },
	{ 0x1, false, "bit 0" },
	{ 0x80000000, false, "bit 31" },
	{ EBB_SCAN_HUGE_PAGE | 0x400, false, "a good flag with a bad one" },
};

static void test_ioctl_flags(void)
{
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		uint32_t flag = flags[i].flag;
		int add = ioctl(idle, EBB_IDLE_SCAN_ADD_FLAGS, &flag) ? errno : 0;
		int remove = ioctl(idle, EBB_IDLE_SCAN_REMOVE_FLAGS, &flag) ? errno : 0;

		tap_equal(add, flags[i].is_taken ? 0 : EINVAL, "errno of adding %s", flags[i].name);
		tap_equal(remove, flags[i].is_taken ? 0 : EINVAL, "errno of removing %s",
			  flags[i].name);
	}
}

static void test_ioctl_vma_flags(void)
{
	uint32_t flag = EBB_SCAN_HUGE_PAGE, none = 0;

	tap_errno(ioctl(idle, EBB_VMA_SCAN_ADD_FLAGS, &flag), EINVAL, "a scan flag as VMA flag");
	tap_errno(ioctl(idle, EBB_VMA_SCAN_REMOVE_FLAGS, &flag), EINVAL, "the same removed");
	tap_equal(ioctl(idle, EBB_VMA_SCAN_ADD_FLAGS, &none), 0, "no VMA flag added");
	tap_equal(ioctl(idle, EBB_VMA_SCAN_REMOVE_FLAGS, &none), 0, "no VMA flag removed");
}

static void test_ioctl_errors(void)
{
	uint32_t flag = 0;

	tap_errno(ioctl(idle, EBB_IDLE_SCAN_ADD_FLAGS, NULL), EFAULT, "add with a null pointer");
	tap_errno(ioctl(idle, EBB_IDLE_SCAN_REMOVE_FLAGS, no_addr), EFAULT,
		  "remove with a bad one");
	tap_errno(ioctl(idle, EBB_VMA_SCAN_ADD_FLAGS, NULL), EFAULT, "VMA add with a null pointer");
	tap_errno(ioctl(idle, EBB_VMA_SCAN_REMOVE_FLAGS, NULL), EFAULT, "VMA remove with one");
	tap_errno(ioctl(idle, 0x40046604, &flag), EOPNOTSUPP, "an unknown ioctl");
	tap_errno(ioctl(idle, EBB_SWAPCACHE_RECLAIM_ON, &flag), EOPNOTSUPP,
		  "an ioctl of swap_pages on idle_pages");
}

/* A flag changes what is read: a 4 KiB page is not told when only huge pages are asked for. */
static void check_flag_works(const char *how, int fd, bool sees)
{
	tap_ok(fd >= 0 && pread(fd, buf, 64, MARK_ADDR) == (sees ? 10 : 0),
	       "%s: a small page is %stold", how, sees ? "" : "not ");
}

static void test_flag_effect(void)
{
	uint32_t huge = EBB_SCAN_HUGE_PAGE;
	int fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY);

	check_flag_works("no flag", fd, true);
	ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &huge);
	check_flag_works("SCAN_HUGE_PAGE added", fd, false);
	ioctl(fd, EBB_IDLE_SCAN_REMOVE_FLAGS, &huge);
	check_flag_works("SCAN_HUGE_PAGE removed", fd, true);
	close(fd);
	fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY | EBB_SCAN_HUGE_PAGE);
	check_flag_works("SCAN_HUGE_PAGE at open", fd, false);
	close(fd);
}

static void check_open(int flag, int expected, const char *name)
{
	int fd = open_entry("/proc", child, IDLE_PAGES, O_RDONLY | flag);

	tap_equal(fd < 0 ? errno : 0, expected, "errno of open with %s", name);
	if (fd >= 0)
		close(fd);
}

static void test_open_flags(void)
{
	check_open(EBB_SCAN_HUGE_PAGE, 0, "SCAN_HUGE_PAGE");
	check_open(EBB_SCAN_SKIM_IDLE, 0, "SCAN_SKIM_IDLE");
	check_open(EBB_SCAN_DIRTY_PAGE, 0, "SCAN_DIRTY_PAGE");
	check_open(EBB_VMA_SCAN_FLAG, 0, "VMA_SCAN_FLAG");
	check_open(O_LARGEFILE | O_APPEND, 0, "flags that are open's own");
}

static void test_wrong_direction(void)
{
	int fd = open_entry("/proc", child, IDLE_PAGES, O_RDWR);

	tap_errno(write(fd, "0\n", 2), EINVAL, "write to idle_pages");
	close(fd);
	fd = open_entry("/proc", child, SWAP_PAGES, O_RDWR);
	tap_errno(read(fd, buf, 64), EINVAL, "read of swap_pages");
	tap_ok(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENODEV,
	       "mmap of swap_pages: ENODEV");
	close(fd);
}

int main(void)
{
	child = child_start(map_mark, NULL);
	idle = open_entry("/proc", child, IDLE_PAGES, O_RDONLY);
	if (idle < 0)
		tap_bail("%s: %s", IDLE_PAGES, strerror(errno));
	test_read_size();
	test_read_position();
	test_read_moves();
	test_read_partly();
	test_seek();
	test_ioctl_flags();
	test_ioctl_vma_flags();
	test_ioctl_errors();
	test_flag_effect();
	test_open_flags();
	test_wrong_direction();
	test_read_fault();
	child_end(child);
	return tap_end();
}
