// SPDX-License-Identifier: GPL-2.0
/*
 * The walk over a process's page tables: tells which pages were accessed and clears their
 * accessed bits, so that the next walk tells what was accessed since this one.
 *
 * Skipping. x86 sets the accessed bit at every level of the page table on the way to a page. A
 * page table whose PMD entry has the bit clear was not walked through, and all of its pages are
 * idle without a look at them. That holds only under this rule:
 *
 *	(R) when an accessed bit in a page table is set, so is the bit of the PMD entry above it.
 *
 * The CPU breaks it when it has cached the PMD entry as accessed: it then sets the bit below and
 * not the one above. So the bits of PMD entries are taken first, for a window of up to 1 GiB, then
 * the TLB, and with it the cache of upper levels, is flushed, and only then the page tables whose
 * bits were taken are visited:
 *
 *	- what was touched before the flush has its accessed bit set, and is told by this visit;
 *	- what is touched after the flush sets the PMD entry's bit again, whether the visit has
 *	  seen the touch or not. The next scan visits the table, at worst in vain.
 *
 * A table that is not visited to its end after all (no room, reader gone) gets its bit back. The
 * bit is taken only where everything in the table's 2 MiB is going to be visited: not at the ends
 * of a range, and not where a mapping is left out. Walks that must not flush take no PMD bits.
 *
 * (R) does not cover page table entries that the kernel moves or fills on its own, with no access
 * by the process: mremap() into a table that is idle, MAP_POPULATE, and the end of a migration.
 * Such a page is told young at the next visit of its table. Also, the kernel's own reclaim takes
 * accessed bits for itself when memory is short.
 *
 * A touch through a TLB entry older than the clearing of the page's own bit sets no bit. The flush
 * at the end of a scan ends that; touches between clearing and flush may be lost, later ones are
 * not.
 *
 * Guests. What a virtual machine touches sets no bit in the process's page tables, at no level. So
 * where the memory may have guests and they are asked, no table is skipped and no bit of a PMD
 * entry is taken; each page that is present is asked for by itself.
 */
#include <linux/hugetlb.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "cap.h"
#include "compat/mm.h"
#include "guest.h"
#include "hold.h"
#include "ksym.h"
#include "table.h"
#include "walk.h"

/* entries looked at while mmap_lock is held at a stretch: 0.5 ms where all of them are young */
#define SLICE_ENTRIES (16 * 1024)
#define NOTHING (-1)

/* neighbouring pages of one kind, collected before they are put into the sink */
struct run {
	int kind; /* enum ebb_walk_kind or NOTHING */
	unsigned long addr;
	unsigned long nr;
};

static bool clears_tables(const struct ebb_walk *walk)
{
	return !walk->asks_guests &&
	       !(walk->flags & (EBB_WALK_KEEP | EBB_WALK_NO_FLUSH | EBB_WALK_ONLY_HUGE)) &&
	       ebb_cap_available(EBB_CAP_SKIP_TABLES);
}

/* Is the mapping one that the scan looks at? */
static bool is_scanned(const struct ebb_walk *walk, struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_PFNMAP | VM_IO | VM_MIXEDMAP))
		return false;
	if (walk->flags & EBB_WALK_ONLY_MARKED)
		return ebb_mark_is_on(vma, walk->mark);
	if (is_vm_hugetlb_page(vma) || vma_is_anonymous(vma))
		return true;
	if (!vma->vm_file)
		return false;
	if (walk->flags & EBB_WALK_ALL_VMAS)
		return true;
	return (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;
}

/*
 * The window: taking and giving back the accessed bits of PMD entries
 */

static unsigned int block_of(unsigned long addr)
{
	return pmd_index(addr);
}

/* Set the bits of the 2 MiB blocks of the window that [start, end) touches. */
static void mark_blocks(unsigned long *map, const struct ebb_walk *walk, unsigned long start,
			unsigned long end)
{
	start = max(start, walk->window);
	end = min(end, walk->window + PUD_SIZE);
	if (start < end)
		bitmap_set(map, block_of(start), block_of(end - 1) - block_of(start) + 1);
}

/* Find the blocks of the window that will be visited whole. */
static void find_whole_blocks(const struct ebb_walk *walk, unsigned long *whole)
{
	DECLARE_BITMAP(left_out, PTRS_PER_PMD);
	unsigned long addr = walk->window;
	struct vm_area_struct *vma;

	bitmap_zero(whole, PTRS_PER_PMD);
	bitmap_zero(left_out, PTRS_PER_PMD);
	while (addr < walk->window + PUD_SIZE) {
		vma = find_vma(walk->mm, addr);
		if (!vma)
			break;
		if (!is_scanned(walk, vma))
			mark_blocks(left_out, walk, vma->vm_start, vma->vm_end);
		else if (!is_vm_hugetlb_page(vma))
			mark_blocks(whole, walk, vma->vm_start, vma->vm_end);
		addr = vma->vm_end;
	}
	mark_blocks(left_out, walk, walk->window, walk->start);
	mark_blocks(left_out, walk, walk->end, walk->window + PUD_SIZE);
	bitmap_andnot(whole, whole, left_out, PTRS_PER_PMD);
}

static unsigned long block_addr(const struct ebb_walk *walk, unsigned int block)
{
	return walk->window + block * PMD_SIZE;
}

/* Take the accessed bits of the blocks' page tables, and note where it was set. */
static void take_blocks(struct ebb_walk *walk, const unsigned long *blocks)
{
	unsigned int block = find_first_bit(blocks, PTRS_PER_PMD);
	unsigned long next;
	spinlock_t *lock;
	pmd_t *table;

	if (block == PTRS_PER_PMD)
		return;
	table = ebb_table_pmd(walk->mm, block_addr(walk, block), &next);
	if (!table)
		return;
	table -= block;
	lock = pmd_lock(walk->mm, table);
	for_each_set_bit(block, blocks, PTRS_PER_PMD) {
		if (ebb_pmd_is_table(table[block]) && ebb_entry_take_young(&table[block]))
			__set_bit(block, walk->untold);
	}
	spin_unlock(lock);
}

/**
 * ebb_walk_flush() - flush the TLB when accessed bits were cleared
 * @walk: the walk
 *
 * Context: process context, caller has a reference on the users of walk->mm.
 */
void ebb_walk_flush(struct ebb_walk *walk)
{
	if (!walk->cleared)
		return;
	ebb_call(flush_tlb_mm_range)(walk->mm, 0, TLB_FLUSH_ALL, 0, false);
	walk->cleared = false;
	walk->stats.v[EBB_STAT_FLUSHES]++;
}

/**
 * ebb_walk_flush_guests() - have the guests' TLBs flushed when accessed bits of theirs were cleared
 * @walk: the walk
 *
 * Context: process context, sleeps; takes mmap_lock. The caller has a reference on the users of
 * walk->mm.
 */
void ebb_walk_flush_guests(struct ebb_walk *walk)
{
	if (!walk->guest_young)
		return;
	ebb_guest_flush(walk->mm, walk->guest_young);
	walk->guest_young = 0;
	walk->stats.v[EBB_STAT_FLUSHES]++;
}

static void give_back(struct ebb_walk *walk, unsigned int block)
{
	unsigned long next, addr = block_addr(walk, block);
	struct vm_area_struct *vma = find_vma_intersection(walk->mm, addr, addr + PMD_SIZE);
	spinlock_t *lock;
	pmd_t *pmd;

	if (!vma)
		return;
	pmd = ebb_table_pmd(walk->mm, max(addr, vma->vm_start), &next);
	if (!pmd)
		return;
	lock = pmd_lock(walk->mm, pmd);
	if (ebb_pmd_is_table(*pmd))
		set_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmd);
	spin_unlock(lock);
}

/*
 * A mapping is left out. Some of its tables' bits may have been taken, before it was renamed or
 * protected.
 */
static void give_back_left_out(struct ebb_walk *walk, const struct vm_area_struct *vma)
{
	DECLARE_BITMAP(left_out, PTRS_PER_PMD);
	unsigned int block;

	if (!walk->has_window)
		return;
	bitmap_zero(left_out, PTRS_PER_PMD);
	mark_blocks(left_out, walk, vma->vm_start, vma->vm_end);
	bitmap_and(left_out, left_out, walk->untold, PTRS_PER_PMD);
	for_each_set_bit(block, left_out, PTRS_PER_PMD)
		give_back(walk, block);
}

/* Leave the window: tables that were not visited to their end count as accessed again. */
static void close_window(struct ebb_walk *walk)
{
	unsigned int block;

	if (!walk->has_window)
		return;
	mmap_assert_locked(walk->mm);
	for_each_set_bit(block, walk->untold, PTRS_PER_PMD) {
		if (block_addr(walk, block) + PMD_SIZE > walk->pos)
			give_back(walk, block);
	}
	walk->has_window = false;
}

/* Enter the window that the walk's position is in. */
static void open_window(struct ebb_walk *walk)
{
	DECLARE_BITMAP(whole, PTRS_PER_PMD);

	walk->window = walk->pos & PUD_MASK;
	walk->has_window = true;
	bitmap_zero(walk->untold, PTRS_PER_PMD);
	if (!clears_tables(walk))
		return;
	find_whole_blocks(walk, whole);
	take_blocks(walk, whole);
	walk->budget -= PTRS_PER_PMD;
	if (bitmap_empty(walk->untold, PTRS_PER_PMD))
		return;
	walk->cleared = true;
	ebb_walk_flush(walk);
}

static void go_to_window(struct ebb_walk *walk)
{
	if (walk->has_window && walk->window == (walk->pos & PUD_MASK))
		return;
	close_window(walk);
	open_window(walk);
}

static bool is_untold(const struct ebb_walk *walk, unsigned long addr)
{
	return test_bit(block_of(addr), walk->untold);
}

/*
 * Pages
 */

static void count_pages(struct ebb_walk *walk, int kind, unsigned int shift, unsigned long nr)
{
	nr <<= shift - PAGE_SHIFT;
	if (kind == EBB_WALK_YOUNG || kind == EBB_WALK_DIRTY)
		walk->stats.v[EBB_STAT_PAGES_YOUNG] += nr;
	else if (kind == EBB_WALK_IDLE)
		walk->stats.v[EBB_STAT_PAGES_IDLE] += nr;
}

static void put(struct ebb_walk *walk, int kind, unsigned int shift, unsigned long addr,
		unsigned long nr)
{
	count_pages(walk, kind, shift, nr);
	walk->sink->put(walk->sink, kind, shift, addr, nr);
}

static void put_run(struct ebb_walk *walk, struct run *run)
{
	if (run->kind != NOTHING)
		put(walk, run->kind, PAGE_SHIFT, run->addr, run->nr);
	run->kind = NOTHING;
}

static void add_page(struct ebb_walk *walk, struct run *run, int kind, unsigned long addr)
{
	if (kind != run->kind) {
		put_run(walk, run);
		run->kind = kind;
		run->addr = addr;
		run->nr = 0;
	}
	run->nr++;
}

/* Did a guest touch the page of @size bytes at @addr, which is present? */
static bool take_guest_young(struct ebb_walk *walk, unsigned long addr, unsigned long size)
{
	if (!walk->asks_guests)
		return false;
	walk->budget -= EBB_GUEST_COST;
	if (walk->flags & EBB_WALK_KEEP)
		return ebb_guest_is_young(walk->mm, addr, size);
	if (!ebb_guest_take_young(walk->mm, addr, size))
		return false;
	walk->guest_young = addr;
	return true;
}

static bool asks_host(const struct ebb_walk *walk)
{
	return !walk->asks_guests || !(walk->flags & EBB_WALK_NO_HOST);
}

static bool take_host_young(struct ebb_walk *walk, void *entry)
{
	if (!asks_host(walk))
		return false;
	if (walk->flags & EBB_WALK_KEEP)
		return *(unsigned long *)entry & _PAGE_ACCESSED;
	if (!ebb_entry_take_young(entry))
		return false;
	walk->cleared = true;
	return true;
}

static bool take_young(struct ebb_walk *walk, void *entry, unsigned long addr, unsigned long size)
{
	bool host = take_host_young(walk, entry);

	return take_guest_young(walk, addr, size) || host;
}

static int kind_of(const struct ebb_walk *walk, bool young, bool dirty)
{
	if (!young)
		return EBB_WALK_IDLE;
	return dirty && (walk->flags & EBB_WALK_TELL_DIRTY) ? EBB_WALK_DIRTY : EBB_WALK_YOUNG;
}

/* A page that is being migrated is there; it comes back with its bit set if it was young. */
static int look_at_absent(pte_t pte)
{
	swp_entry_t entry;

	if (pte_none(pte))
		return NOTHING;
	entry = pte_to_swp_entry(pte);
	if (!non_swap_entry(entry))
		return EBB_WALK_SWAP;
	return is_migration_entry(entry) ? EBB_WALK_YOUNG : NOTHING;
}

/* Tell the kernel's reclaim of a bit that was taken. The zero pages belong to no mapping. */
static void hand_back(struct ebb_walk *walk, struct page *page)
{
	struct folio *folio = page_folio(page);

	if (!(walk->flags & EBB_WALK_KEEP) && folio->mapping)
		ebb_folio_mark_young(folio);
}

static int look_at_pte(struct ebb_walk *walk, pte_t *ptep, unsigned long addr)
{
	pte_t pte = READ_ONCE(*ptep);
	bool young;

	if (!pte_present(pte))
		return look_at_absent(pte);
	if (pte_devmap(pte))
		return NOTHING;
	young = take_young(walk, ptep, addr, PAGE_SIZE);
	if (young && !pte_special(pte))
		hand_back(walk, pte_page(pte));
	return kind_of(walk, young, pte_dirty(pte));
}

static void look_at_ptes(struct ebb_walk *walk, pte_t *pte, unsigned long addr, unsigned long nr)
{
	struct run run = { .kind = NOTHING };

	for (; nr; nr--, pte++, addr += PAGE_SIZE)
		add_page(walk, &run, look_at_pte(walk, pte, addr), addr);
	put_run(walk, &run);
}

/*
 * Look at the pages [walk->pos, end) of one page table.
 * Return: 0, -ENOSPC, or -EAGAIN: the table is gone, look again what is there.
 */
static int visit_table(struct ebb_walk *walk, pmd_t *pmd, unsigned long end)
{
	unsigned long nr;
	spinlock_t *lock;
	pte_t *pte;

	walk->stats.v[EBB_STAT_TABLES_VISITED]++;
	while (walk->pos < end) {
		nr = min(walk->sink->room(walk->sink, walk->pos), (end - walk->pos) >> PAGE_SHIFT);
		if (!nr)
			return -ENOSPC;
		pte = ebb_table_lock(walk->mm, pmd, walk->pos, &lock);
		if (!pte)
			return -EAGAIN;
		look_at_ptes(walk, pte, walk->pos, nr);
		ebb_table_unlock(lock);
		walk->stats.v[EBB_STAT_PTES_VISITED] += nr;
		walk->budget -= nr;
		walk->pos += nr << PAGE_SHIFT;
	}
	return 0;
}

/* May [walk->pos, end) be told as idle, by the PMD entry above it alone? */
static bool may_skip(const struct ebb_walk *walk, pmd_t pmd, unsigned long end)
{
	bool whole = !((walk->pos | end) & ~PMD_MASK);

	if (walk->asks_guests)
		return false;
	if ((pmd_flags(pmd) & _PAGE_ACCESSED) || is_untold(walk, walk->pos))
		return false;
	if (walk->flags & (EBB_WALK_KEEP | EBB_WALK_NO_IDLE_TABLE))
		return false;
	if ((walk->flags & EBB_WALK_WHOLE_IDLE) && !whole)
		return false;
	return ebb_cap_available(EBB_CAP_SKIP_TABLES);
}

static int skip_table(struct ebb_walk *walk, unsigned long end)
{
	unsigned long nr = (end - walk->pos) >> PAGE_SHIFT;

	if (!walk->sink->room(walk->sink, walk->pos))
		return -ENOSPC;
	put(walk, EBB_WALK_IDLE_TABLE, PAGE_SHIFT, walk->pos, nr);
	walk->stats.v[EBB_STAT_TABLES_SKIPPED]++;
	walk->stats.v[EBB_STAT_PTES_SKIPPED] += nr;
	walk->pos = end;
	return 0;
}

/* A page mapped by a PMD is told whole, also when the range has only a part of it. */
static int visit_huge(struct ebb_walk *walk, pmd_t *pmdp, unsigned long block)
{
	spinlock_t *lock;
	bool young;
	pmd_t pmd;

	if (!walk->sink->room(walk->sink, block))
		return -ENOSPC;
	lock = pmd_lock(walk->mm, pmdp);
	pmd = READ_ONCE(*pmdp);
	if (!pmd_present(pmd) || !pmd_leaf(pmd)) {
		spin_unlock(lock);
		return -EAGAIN;
	}
	if (!pmd_devmap(pmd)) {
		young = take_young(walk, pmdp, block, PMD_SIZE);
		if (young)
			hand_back(walk, pmd_page(pmd));
		put(walk, kind_of(walk, young, pmd_dirty(pmd)), PMD_SHIFT, block, 1);
	}
	spin_unlock(lock);
	walk->pos = block + PMD_SIZE;
	return 0;
}

/* An entry that is not present and not empty: a huge page that is being migrated. */
static int tell_migrating_huge(struct ebb_walk *walk, unsigned long block)
{
	if (!walk->sink->room(walk->sink, block))
		return -ENOSPC;
	put(walk, EBB_WALK_YOUNG, PMD_SHIFT, block, 1);
	walk->pos = block + PMD_SIZE;
	return 0;
}

/* Go on by one PMD entry at most; [walk->pos, end) is inside a mapping that is scanned. */
static int walk_block(struct ebb_walk *walk, unsigned long end)
{
	unsigned long next, block = walk->pos & PMD_MASK;
	pmd_t pmd, *pmdp;

	pmdp = ebb_table_pmd(walk->mm, walk->pos, &next);
	end = min(next, end);
	pmd = pmdp ? READ_ONCE(*pmdp) : __pmd(0);
	walk->budget--;
	if (ebb_pmd_is_table(pmd)) {
		if (may_skip(walk, pmd, end))
			return skip_table(walk, end);
		if (!(walk->flags & EBB_WALK_ONLY_HUGE))
			return visit_table(walk, pmdp, end);
	} else if (pmd_present(pmd) && pmd_leaf(pmd)) {
		return visit_huge(walk, pmdp, block);
	} else if (is_pmd_migration_entry(pmd)) {
		return tell_migrating_huge(walk, block);
	}
	walk->pos = end;
	return 0;
}

/*
 * hugetlb. The tables may be shared between processes and then be taken away at any time: a table
 * that was found stays in memory as long as interrupts are off, as for get_user_pages_fast(), and
 * an entry is changed only by compare and exchange, so that it is not mistaken for another.
 */

static unsigned long *huge_entry(struct mm_struct *mm, unsigned long addr, unsigned long size)
{
	p4d_t *p4d;
	pgd_t *pgd = pgd_offset(mm, addr);
	pud_t *pud, val;

	if (pgd_none(*pgd) || pgd_bad(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(*p4d) || p4d_bad(*p4d))
		return NULL;
	pud = pud_offset(p4d, addr);
	if (size == PUD_SIZE)
		return (unsigned long *)pud;
	val = READ_ONCE(*pud);
	if (!pud_present(val) || pud_leaf(val) || pud_bad(val))
		return NULL;
	return (unsigned long *)pmd_offset(&val, addr);
}

static bool is_huge_page(unsigned long val)
{
	return (val & (_PAGE_PRESENT | _PAGE_PROTNONE)) && (val & _PAGE_PSE);
}

static int look_at_hugetlb(struct ebb_walk *walk, unsigned long *entry, unsigned long size)
{
	unsigned long val = entry ? READ_ONCE(*entry) : 0;
	bool clear = !(walk->flags & EBB_WALK_KEEP);

	do {
		if (!is_huge_page(val))
			return NOTHING;
		if (size == PUD_SIZE && (walk->flags & EBB_WALK_BLIND_PUD))
			return EBB_WALK_UNKNOWN;
		if (!(val & _PAGE_ACCESSED) || !asks_host(walk))
			return EBB_WALK_IDLE;
	} while (clear && !try_cmpxchg(entry, &val, val & ~_PAGE_ACCESSED));
	walk->cleared |= clear;
	return kind_of(walk, true, val & _PAGE_DIRTY);
}

static int walk_hugetlb(struct ebb_walk *walk, unsigned long size)
{
	unsigned long irq, base = walk->pos & ~(size - 1);
	bool guest_young;
	int kind;

	if (!walk->sink->room(walk->sink, base))
		return -ENOSPC;
	/* not with interrupts off: KVM's lock may wait for this CPU to answer one */
	guest_young = take_guest_young(walk, base, size);
	local_irq_save(irq);
	kind = look_at_hugetlb(walk, huge_entry(walk->mm, base, size), size);
	if (kind == EBB_WALK_IDLE && guest_young)
		kind = EBB_WALK_YOUNG;
	if (kind != NOTHING)
		put(walk, kind, __ffs(size), base, 1);
	local_irq_restore(irq);
	walk->budget--;
	walk->pos = base + size;
	return 0;
}

/*
 * Slices
 */

static bool is_slice_over(struct ebb_walk *walk)
{
	return walk->budget <= 0 || need_resched() || mmap_lock_is_contended(walk->mm);
}

static int walk_step(struct ebb_walk *walk, struct vm_area_struct *vma)
{
	unsigned long end = min(vma->vm_end, walk->end);

	go_to_window(walk);
	if (!is_vm_hugetlb_page(vma))
		return walk_block(walk, end);
	return walk_hugetlb(walk, vma_kernel_pagesize(vma));
}

/* Skip to the next address that is in a mapping to be scanned. */
static struct vm_area_struct *next_vma(struct ebb_walk *walk)
{
	struct vm_area_struct *vma;

	while (walk->pos < walk->end) {
		vma = find_vma(walk->mm, walk->pos);
		if (!vma || vma->vm_start >= walk->end)
			break;
		walk->pos = max(walk->pos, vma->vm_start);
		if (is_scanned(walk, vma))
			return vma;
		give_back_left_out(walk, vma);
		walk->pos = vma->vm_end;
	}
	walk->pos = max(walk->pos, walk->end);
	return NULL;
}

static int walk_locked(struct ebb_walk *walk)
{
	struct vm_area_struct *vma;
	int err;

	while ((vma = next_vma(walk))) {
		while (walk->pos < min(vma->vm_end, walk->end)) {
			err = walk_step(walk, vma);
			if (err && err != -EAGAIN)
				return err;
			if (is_slice_over(walk))
				return -EAGAIN;
		}
	}
	close_window(walk);
	return 0;
}

static int walk_slice(struct ebb_walk *walk)
{
	u64 start, held, *stat = walk->stats.v;
	int err;

	if (ebb_hold_begin(walk->mm, &start))
		return -EINTR;
	walk->budget = SLICE_ENTRIES;
	err = walk_locked(walk);
	held = ebb_hold_end(walk->mm, start);
	stat[EBB_STAT_LOCK_HOLDS]++;
	stat[EBB_STAT_LOCK_MAX_NS] = max(stat[EBB_STAT_LOCK_MAX_NS], held);
	return err;
}

/**
 * ebb_walk_init() - begin a walk
 * @walk: the walk
 * @mm: whose page tables
 * @start: first address, a multiple of the page size
 * @end: end of the range, a multiple of the page size
 * @flags: &enum ebb_walk_flag
 * @sink: takes what is found
 *
 * Context: any.
 */
void ebb_walk_init(struct ebb_walk *walk, struct mm_struct *mm, unsigned long start,
		   unsigned long end, u32 flags, struct ebb_sink *sink)
{
	*walk = (struct ebb_walk){
		.mm = mm,
		.start = start,
		.pos = start,
		.end = min(end, TASK_SIZE_MAX),
		.flags = flags,
		.sink = sink,
		.asks_guests = !(flags & EBB_WALK_NO_GUEST) && ebb_guest_has(mm),
	};
	ebb_mark_get(walk->mark);
}

/**
 * ebb_walk_run() - go on with a walk until it is through or the sink is full
 * @walk: the walk
 *
 * What was told has its accessed bits cleared, and nothing else has. walk->pos is where it goes
 * on; a page that is larger than 4 KiB is told whole and may end behind the range.
 *
 * Context: process context, sleeps. Takes mmap_lock for reading, in slices. The caller has a
 * reference on the users of walk->mm, and is the only one who walks it.
 * Return: 0 when the range is done, -ENOSPC when the sink is full, -EINTR when killed.
 */
int ebb_walk_run(struct ebb_walk *walk)
{
	u64 start = ktime_get_ns();
	int err;

	for (;;) {
		err = walk_slice(walk);
		if (err != -EAGAIN)
			break;
		cond_resched();
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
	}
	walk->stats.v[EBB_STAT_SCAN_NS] += ktime_get_ns() - start;
	return err;
}

/**
 * ebb_walk_stop() - end a walk, at any position
 * @walk: the walk
 *
 * Context: as ebb_walk_run(). Needed unless that returned 0, so that the next walk skips no table
 * that this one did not get to.
 */
void ebb_walk_stop(struct ebb_walk *walk)
{
	u64 start;

	if (!walk->has_window)
		return;
	ebb_hold_begin_always(walk->mm, &start);
	close_window(walk);
	ebb_hold_end(walk->mm, start);
}

/**
 * ebb_walk_caps() - switch off the capabilities that the CPU or the kernel's options do not allow
 *
 * Context: module init.
 */
void ebb_walk_caps(void)
{
	if (!arch_has_hw_nonleaf_pmd_young())
		ebb_cap_off(EBB_CAP_SKIP_TABLES,
			    "needs a CPU that sets accessed bits in upper levels; all are visited");
	if (!IS_ENABLED(CONFIG_PAGE_IDLE_FLAG))
		ebb_cap_off(EBB_CAP_YOUNG_HANDBACK, "needs a kernel with CONFIG_PAGE_IDLE_FLAG");
	if (!IS_ENABLED(CONFIG_HUGETLB_PAGE))
		ebb_cap_off(EBB_CAP_HUGETLB, "needs a kernel with CONFIG_HUGETLB_PAGE");
}
