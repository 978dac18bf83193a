// SPDX-License-Identifier: GPL-2.0
/*
 * Does a scan tell what a guest touches? A process runs a virtual machine, whose code touches a set
 * of pages that is known beforehand. The guest's view must be exactly that set, the host's exactly
 * what the process itself touched, and both together their union; for small and for huge pages, by
 * SCAN and by idle_pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nl.h"
#include "pipdec.h"
#include "sys.h"
#include "tap.h"
#include "toucher.h"

#define PAGE 4096UL
#define HUGE_PAGES 512 /* in a huge one */
#define NR_PAGES 8192
#define LIST_PAGE 1 /* the guest's list of addresses; its code is in page 0 */
#define FIRST_HOT HUGE_PAGES /* what lies below is code and lists */
#define HOST_PAGE (NR_PAGES - 1) /* only the process touches it */
#define WRITE_CODE 0x100
#define ROUNDS 10

/* 32-bit: touch each address of the list at esi, edi of them, then stop */
static const unsigned char read_code[] = {
	0x8b, 0x06, /* next: mov (%esi),%eax */
	0x8a, 0x18, /* mov (%eax),%bl */
	0x83, 0xc6, 0x04, /* add $4,%esi */
	0x4f, /* dec %edi */
	0x75, 0xf6, /* jnz next */
	0xf4, /* hlt */
};
static const unsigned char write_code[] = {
	0x8b, 0x06, /* next: mov (%esi),%eax */
	0xfe, 0x00, /* incb (%eax) */
	0x83, 0xc6, 0x04, /* add $4,%esi */
	0x4f, /* dec %edi */
	0x75, 0xf6, /* jnz next */
	0xf4, /* hlt */
};

static struct nl nl;
static struct toucher target;
static bool young[NR_PAGES];
static bool is_huge; /* the memory consists of huge pages */
static unsigned long bad_units;

/* what the process is to do; shared with it */
static struct order {
	int round;
	bool with_host; /* the process touches a page of its own too */
	char problem[80];
} * order;

/* The sets: computed by the process and by the test. */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15ULL ^ b * 0xbf58476d1ce4e5b9ULL;

	x ^= x >> 29;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 32;
}

/* In small pages a sixteenth is hot, in huge ones one small page in every other of them. */
static bool is_hot(int page, int round)
{
	int unit = page / HUGE_PAGES;

	if (page < FIRST_HOT || unit == HOST_PAGE / HUGE_PAGES)
		return false;
	if (is_huge)
		return mix(unit, round) % 2 &&
		       page % HUGE_PAGES == (int)(mix(unit, 7) % HUGE_PAGES);
	return unit % 4 != round % 4 && mix(page, round) % 16 == 0;
}

static int nr_hot(int round)
{
	int page, nr = 0;

	for (page = 0; page < NR_PAGES; page++)
		nr += is_hot(page, round);
	return nr;
}

/* The process and its guest */

static int vcpu;
static struct kvm_run *run;

static void give_up(const char *what)
{
	snprintf(order->problem, sizeof(order->problem), "%s: %s", what, strerror(errno));
	_exit(1);
}

static void set_flat_mode(void)
{
	struct kvm_sregs sregs;

	if (ioctl(vcpu, KVM_GET_SREGS, &sregs))
		give_up("KVM_GET_SREGS");
	sregs.cr0 |= 1;
	sregs.cs = (struct kvm_segment){
		.limit = ~0U,
		.selector = 8,
		.type = 11,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	sregs.ds = (struct kvm_segment){
		.limit = ~0U,
		.selector = 16,
		.type = 3,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	sregs.es = sregs.fs = sregs.gs = sregs.ss = sregs.ds;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs))
		give_up("KVM_SET_SREGS");
}

static void start_guest(struct toucher *toucher)
{
	struct kvm_userspace_memory_region region = {
		.memory_size = NR_PAGES * PAGE,
		.userspace_addr = (uint64_t)toucher->mem,
	};
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);

	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		give_up("a virtual machine");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0)
		give_up("KVM_CREATE_VCPU");
	run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED,
		   vcpu, 0);
	if (run == MAP_FAILED)
		give_up("mmap of a vcpu");
	set_flat_mode();
	memcpy(toucher->mem, read_code, sizeof(read_code));
	memcpy(toucher->mem + WRITE_CODE, write_code, sizeof(write_code));
}

static void run_guest(uint32_t nr, bool is_write)
{
	struct kvm_regs regs = {
		.rip = is_write ? WRITE_CODE : 0,
		.rflags = 2,
		.rsi = LIST_PAGE * PAGE,
		.rdi = nr,
	};

	if (ioctl(vcpu, KVM_SET_REGS, &regs))
		give_up("KVM_SET_REGS");
	while (ioctl(vcpu, KVM_RUN, 0))
		if (errno != EINTR)
			give_up("KVM_RUN");
	if (run->exit_reason != KVM_EXIT_HLT) {
		errno = run->exit_reason;
		give_up("an exit of the guest by another reason");
	}
}

/* Once all, so that the guest's tables are complete. */
static void touch_all(struct toucher *toucher)
{
	uint32_t i, *list = (uint32_t *)(toucher->mem + LIST_PAGE * PAGE);

	for (i = 0; i < NR_PAGES; i++)
		list[i] = i * PAGE + 0x800;
	run_guest(NR_PAGES, false);
}

static void touch_hot(struct toucher *toucher)
{
	uint32_t page, nr = 0, *list = (uint32_t *)(toucher->mem + LIST_PAGE * PAGE);

	for (page = 0; page < NR_PAGES; page++)
		if (is_hot(page, order->round))
			list[nr++] = page * PAGE + 0x800;
	run_guest(nr, order->round % 2);
	if (order->with_host)
		(void)*(volatile char *)(toucher->mem + HOST_PAGE * PAGE);
}

/* The test's side */

static void have_done(void (*fn)(struct toucher *toucher))
{
	if (!toucher_do(&target, fn))
		tap_bail("the guest: %s", order->problem);
}

static void mark(uint64_t addr, uint64_t bytes, bool huge)
{
	uint64_t first = (uint64_t)target.mem;

	for (; bytes; addr += PAGE, bytes -= PAGE) {
		if (addr < first || addr >= first + NR_PAGES * PAGE)
			continue;
		young[(addr - first) / PAGE] = true;
		bad_units += huge != is_huge;
	}
}

static void take_run(const struct ebb_run *run, void *arg)
{
	if (run->kind == EBB_RUN_YOUNG)
		mark(run->start, (uint64_t)run->nr_pages << run->page_shift, run->page_shift == 21);
}

static void take_unit(const struct pip_unit *unit, void *arg)
{
	if (unit->type == EBB_PIP_PTE_ACCESSED || unit->type == EBB_PIP_PMD_ACCESSED)
		mark(unit->addr, unit->bytes, unit->type == EBB_PIP_PMD_ACCESSED);
}

static void scan_by_netlink(uint32_t flags)
{
	int err = nl_scan(&nl, target.pid, 0, 0, flags, take_run, NULL, NULL);

	if (err)
		tap_bail("SCAN: %s (%s)", nl.text, strerror(-err));
}

static void scan_by_idle_pages(uint32_t flags)
{
	uint64_t pos = (uint64_t)target.mem, end = pos + NR_PAGES * PAGE;
	static unsigned char buf[4096];
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/idle_pages", target.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (flags && ioctl(fd, EBB_IDLE_SCAN_ADD_FLAGS, &flags)))
		tap_bail("%s: %s", path, strerror(errno));
	for (lseek(fd, pos, SEEK_SET); pos < end; pos = lseek(fd, 0, SEEK_CUR)) {
		len = read(fd, buf, (end - pos) / PAGE / 8 < 20 ? 20 : (end - pos) / PAGE / 8);
		if (len < 0 || pip_decode(buf, len, take_unit, NULL))
			tap_bail("idle_pages at %#lx: %s", (long)pos, strerror(errno));
	}
	close(fd);
}

/* which views a scan has */
enum view {
	GUEST = 1,
	HOST = 2
};

/* The guest runs its code, reads the list, and touches the hot pages. */
static bool guest_touches(int page, int nr_list_pages)
{
	return page == 0 || (page >= LIST_PAGE && page < LIST_PAGE + nr_list_pages) ||
	       is_hot(page, order->round);
}

/* The process writes the list, and in some rounds touches a page of its own. */
static bool host_touches(int page, int nr_list_pages)
{
	return (page == HOST_PAGE && order->with_host) ||
	       (page >= LIST_PAGE && page < LIST_PAGE + nr_list_pages);
}

/* Which pages are touched as a scan with these views sees it: a huge page is touched whole. */
static void find_touched(bool *touched, enum view view)
{
	int nr_list_pages = (nr_hot(order->round) * 4 + PAGE - 1) / PAGE;
	int page, unit = is_huge ? HUGE_PAGES : 1;

	memset(touched, 0, NR_PAGES * sizeof(*touched));
	for (page = 0; page < NR_PAGES; page++) {
		if (((view & GUEST) && guest_touches(page, nr_list_pages)) ||
		    ((view & HOST) && host_touches(page, nr_list_pages)))
			memset(touched + page / unit * unit, true, unit);
	}
}

/*
 * KVM may read the instruction that halted by itself, for the host: that page says nothing then.
 * Return: how many pages were told wrong.
 */
static int check_round(enum view view, unsigned long *nr_young)
{
	static bool touched[NR_PAGES];
	int page, wrong = 0;

	find_touched(touched, view);
	for (page = view == HOST ? LIST_PAGE : 0; page < NR_PAGES; page++) {
		*nr_young += touched[page];
		if (young[page] != touched[page] && wrong++ < 3)
			tap_note("round %d: page %d: told %s, is %s", order->round, page,
				 young[page] ? "young" : "idle", touched[page] ? "young" : "idle");
	}
	return wrong;
}

static void check_view(const char *name, void (*scan)(uint32_t flags), uint32_t flags,
		       enum view view, bool with_host)
{
	unsigned long nr_young = 0;
	int i, wrong = 0;
	static int round;

	order->with_host = with_host;
	have_done(touch_all);
	scan_by_netlink(EBB_SCAN_NO_GUEST);
	scan(flags);
	bad_units = 0;
	for (i = 0; i < ROUNDS; i++, round++) {
		order->round = round;
		have_done(touch_hot);
		memset(young, 0, sizeof(young));
		scan(flags);
		wrong += check_round(view, &nr_young);
	}
	tap_ok(!wrong && !bad_units && nr_young,
	       "%s pages, %s: %d rounds, %lu young: exact (%d wrong, %lu of another size)",
	       is_huge ? "huge" : "small", name, ROUNDS, nr_young, wrong, bad_units);
}

/* A look that keeps the bits says the same twice, and then the scan that takes them. */
static void check_keep(void)
{
	unsigned long nr_young = 0;
	int i, wrong = 0;

	scan_by_netlink(0);
	order->round = 1000;
	have_done(touch_hot);
	for (i = 0; i < 3; i++) {
		memset(young, 0, sizeof(young));
		scan_by_netlink(EBB_SCAN_NO_HOST | (i < 2 ? EBB_SCAN_KEEP : 0));
		wrong += check_round(GUEST, &nr_young);
	}
	tap_equal(wrong, 0, "wrong pages of two looks that keep the bits and one that takes them");
}

static void check_memory(bool huge)
{
	is_huge = huge;
	toucher_start(&target, NR_PAGES, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	have_done(start_guest);
	check_view("the guest's view", scan_by_netlink, EBB_SCAN_NO_HOST, GUEST, true);
	check_view("the host's view", scan_by_netlink, EBB_SCAN_NO_GUEST, HOST, true);
	check_view("both views", scan_by_netlink, 0, GUEST | HOST, true);
	check_view("idle_pages, SCAN_IGN_HOST", scan_by_idle_pages, EBB_SCAN_IGN_HOST, GUEST, true);
	check_view("idle_pages, VM_SCAN_HOST", scan_by_idle_pages, EBB_VM_SCAN_HOST, HOST, true);
	check_view("idle_pages", scan_by_idle_pages, 0, GUEST | HOST, false);
	if (!huge)
		check_keep();
	toucher_stop(&target);
}

static void test_refusals(void)
{
	int err = nl_scan(&nl, getpid(), 0, 0, EBB_SCAN_NO_HOST | EBB_SCAN_NO_GUEST, NULL, NULL,
			  NULL);

	tap_equal(err, -EINVAL, "neither view");
	tap_ok(nl.text[0], "and why: %s", nl.text);
}

int main(void)
{
	if (nl_open(&nl))
		tap_bail("the family ebb: is the module loaded?");
	sys_run("modprobe kvm-amd && test -c /dev/kvm");
	sys_run("echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
	order = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_refusals();
	check_memory(false);
	check_memory(true);
	nl_close(&nl);
	return tap_end();
}
