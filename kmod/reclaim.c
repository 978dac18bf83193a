// SPDX-License-Identifier: GPL-2.0
/*
 * Pages by address, pushed out.
 *
 * Works in batches: under mmap_lock each page is judged by its page table entry, and the ones that
 * may go are isolated; without any lock the kernel reclaims them; then, under mmap_lock again, the
 * page tables say which are out. Each page asked for is counted once.
 *
 * Only pages that are mapped once go, so that nobody else's memory is touched. A large folio goes
 * whole: where a range covers a part of it only, that part counts as busy; of an address alone
 * (swap_pages), the whole folio goes.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/page-flags.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/swapops.h>
#include <linux/userfaultfd_k.h>
#include <asm/tlbflush.h>

#include "cap.h"
#include "compat/mm.h"
#include "hold.h"
#include "ksym.h"
#include "reclaim.h"
#include "stats.h"
#include "table.h"

#define BATCH_PAGES 512 /* 2 MiB: a THP is a batch of its own at most */
#define SLICE_STEPS 1024 /* entries and mappings looked at while mmap_lock is held */

/* pages that were isolated and may have gone, or not */
struct candidate {
	unsigned long addr;
	unsigned long nr; /* pages asked for, of this folio */
};

/**
 * struct request - pages to be reclaimed
 * @mm: whose
 * @ranges: where they are, or NULL
 * @addrs: addresses of single pages, when @ranges is NULL
 * @nr: number of @ranges or @addrs
 * @flags: &enum ebb_reclaim_flag
 * @i: range that comes next
 * @has_pos: @pos is in range @i
 * @pos: address to go on at
 * @out: counts by &enum ebb_outcome
 * @steps: entries still to be looked at before mmap_lock is dropped
 * @cleared: accessed bits were cleared
 * @nr_pages: pages of the folios in the batch
 * @nr_candidates: used of @candidates
 * @candidates: the batch
 * @folios: isolated ones
 */
struct request {
	struct mm_struct *mm;
	const struct ebb_range *ranges;
	const unsigned long *addrs;
	size_t nr;
	u32 flags;
	size_t i;
	bool has_pos;
	unsigned long pos;
	u64 *out;
	long steps;
	bool cleared;
	size_t nr_pages;
	size_t nr_candidates;
	struct candidate candidates[BATCH_PAGES];
	struct list_head folios;
};

static void count(struct request *req, enum ebb_outcome outcome, u64 nr_pages)
{
	req->out[outcome] += nr_pages;
}

static bool is_whole_folio_meant(const struct request *req)
{
	return !req->ranges;
}

static bool is_batch_full(const struct request *req)
{
	return req->nr_pages >= BATCH_PAGES || req->nr_candidates == BATCH_PAGES;
}

static bool is_slice_over(struct request *req)
{
	return --req->steps < 0 || need_resched() || mmap_lock_is_contended(req->mm);
}

/*
 * Judging and isolating
 */

/* What speaks against a mapping as such; 0: nothing. */
static int judge_vma(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_PFNMAP | VM_IO | VM_MIXEDMAP | VM_HUGETLB))
		return EBB_OUTCOME_UNSUPPORTED;
	return userfaultfd_armed(vma) ? EBB_OUTCOME_UNSUPPORTED : 0;
}

/* What speaks against a page that is present; 0: nothing. */
static int judge_page(const struct request *req, struct vm_area_struct *vma, struct page *page,
		      bool young)
{
	struct folio *folio = page_folio(page);

	if (folio_is_zone_device(folio) || !folio->mapping)
		return EBB_OUTCOME_UNSUPPORTED;
	if ((vma->vm_flags & VM_LOCKED) || folio_test_mlocked(folio) ||
	    folio_test_unevictable(folio))
		return EBB_OUTCOME_LOCKED;
	if ((vma->vm_flags & VM_EXEC) && !(req->flags & EBB_RECLAIM_EXEC))
		return EBB_OUTCOME_EXEC;
	if (ebb_page_mapcount(page) != 1)
		return EBB_OUTCOME_SHARED;
	if (young && (req->flags & EBB_RECLAIM_ONLY_IDLE))
		return EBB_OUTCOME_YOUNG;
	return 0;
}

/*
 * Does anybody hold a reference on an isolated folio but its @nr_maps page table entries, its
 * cache and us? The kernel would unmap it first and find out later that it cannot be freed.
 */
static bool is_pinned(struct folio *folio, long nr_maps)
{
	long expected = nr_maps + 1;

	if (!folio_test_anon(folio))
		expected += folio_nr_pages(folio) + folio_test_private(folio);
	else if (folio_test_swapcache(folio))
		expected += folio_nr_pages(folio);
	return folio_ref_count(folio) > expected;
}

/*
 * Take the folio off its LRU list. The @nr_maps page table entries that map it, locked by the
 * caller, hold references.
 */
static int isolate(struct request *req, struct folio *folio, long nr_maps, unsigned long addr,
		   unsigned long nr)
{
	if (!ebb_isolated(ebb_call(folio_isolate_lru)(folio)))
		return EBB_OUTCOME_BUSY;
	if (is_pinned(folio, nr_maps)) {
		ebb_call(folio_putback_lru)(folio);
		return EBB_OUTCOME_BUSY;
	}
	folio_clear_referenced(folio);
	folio_test_clear_young(folio);
	list_add_tail(&folio->lru, &req->folios);
	req->candidates[req->nr_candidates++] = (struct candidate){ .addr = addr, .nr = nr };
	req->nr_pages += folio_nr_pages(folio);
	return 0;
}

static int judge_pte(const struct request *req, struct vm_area_struct *vma, pte_t pte)
{
	if (!pte_present(pte))
		return EBB_OUTCOME_ABSENT;
	if (pte_special(pte) || pte_devmap(pte))
		return EBB_OUTCOME_UNSUPPORTED;
	return judge_page(req, vma, pte_page(pte), pte_young(pte));
}

/* May all pages of a folio go? @pte maps the first; the others have to follow it. */
static int judge_row(const struct request *req, struct vm_area_struct *vma, pte_t *pte,
		     struct folio *folio)
{
	long i;
	int outcome;

	for (i = 0; i < folio_nr_pages(folio); i++) {
		if (!pte_present(pte[i]) || pte_special(pte[i]) ||
		    pte_page(pte[i]) != folio_page(folio, i))
			return EBB_OUTCOME_BUSY;
		outcome = judge_pte(req, vma, pte[i]);
		if (outcome)
			return outcome;
	}
	return 0;
}

static void make_old(struct request *req, pte_t *pte, long nr)
{
	for (; nr; nr--, pte++)
		req->cleared |= ebb_entry_take_young(pte);
}

/*
 * A large folio that is mapped page by page. [@start, @end) is the part of the page table that may
 * be taken with it. Counts one page, or all of a folio of which all pages are asked for.
 * Return: pages that were dealt with.
 */
static long take_large(struct request *req, struct vm_area_struct *vma, pte_t *pte,
		       unsigned long addr, unsigned long start, unsigned long end)
{
	struct folio *folio = page_folio(pte_page(*pte));
	long index = folio_page_idx(folio, pte_page(*pte)), nr = folio_nr_pages(folio);
	unsigned long first = addr - index * PAGE_SIZE;
	bool whole = is_whole_folio_meant(req);
	int outcome;

	if (first < start || first > addr || first + nr * PAGE_SIZE > end || (index && !whole)) {
		count(req, EBB_OUTCOME_BUSY, 1);
		return 1;
	}
	if (whole)
		nr = 1;
	outcome = judge_row(req, vma, pte - index, folio)
			  ?: isolate(req, folio, folio_nr_pages(folio), addr, nr);
	if (outcome)
		count(req, outcome, nr);
	else
		make_old(req, pte - index, folio_nr_pages(folio));
	return nr;
}

static void take_small(struct request *req, pte_t *pte, unsigned long addr)
{
	int outcome = isolate(req, page_folio(pte_page(*pte)), 1, addr, 1);

	if (outcome)
		count(req, outcome, 1);
	else
		make_old(req, pte, 1);
}

/* The part of the address space that may go along with a page of a large folio. */
static void limits(const struct request *req, struct vm_area_struct *vma, unsigned long end,
		   unsigned long *low, unsigned long *high)
{
	unsigned long table = req->pos & PMD_MASK;

	*low = max(vma->vm_start, table);
	*high = is_whole_folio_meant(req) ? min(vma->vm_end, table + PMD_SIZE) : end;
}

static void take_ptes(struct request *req, struct vm_area_struct *vma, pte_t *pte,
		      unsigned long end)
{
	unsigned long low, high;
	int outcome;
	long nr;

	limits(req, vma, end, &low, &high);
	while (req->pos < end && !is_batch_full(req)) {
		nr = 1;
		outcome = judge_pte(req, vma, *pte);
		if (outcome)
			count(req, outcome, 1);
		else if (folio_test_large(page_folio(pte_page(*pte))))
			nr = take_large(req, vma, pte, req->pos, low, high);
		else
			take_small(req, pte, req->pos);
		req->steps -= nr;
		req->pos += nr * PAGE_SIZE;
		pte += nr;
	}
}

/* Pages [req->pos, end) of one page table. */
static void take_table(struct request *req, struct vm_area_struct *vma, pmd_t *pmd,
		       unsigned long end)
{
	spinlock_t *lock;
	pte_t *pte = ebb_table_lock(req->mm, pmd, req->pos, &lock);

	if (!pte) /* something else is there now: looked at again */
		return;
	take_ptes(req, vma, pte, end);
	ebb_table_unlock(lock);
}

static int take_locked_huge(struct request *req, struct vm_area_struct *vma, pmd_t *pmd,
			    unsigned long nr)
{
	struct page *page = pmd_page(*pmd);
	bool covered = nr == HPAGE_PMD_NR || is_whole_folio_meant(req);
	int outcome;

	if (pmd_devmap(*pmd))
		return EBB_OUTCOME_UNSUPPORTED;
	outcome = judge_page(req, vma, page, pmd_young(*pmd));
	if (outcome)
		return outcome;
	outcome = covered ? isolate(req, page_folio(page), 1, req->pos, nr) : EBB_OUTCOME_BUSY;
	if (!outcome)
		req->cleared |= ebb_entry_take_young(pmd);
	return outcome;
}

/* The part [req->pos, end) of a page that a PMD maps. */
static void take_huge(struct request *req, struct vm_area_struct *vma, pmd_t *pmd,
		      unsigned long end)
{
	unsigned long nr = (end - req->pos) >> PAGE_SHIFT;
	spinlock_t *lock = pmd_lock(req->mm, pmd);
	bool is_huge = pmd_present(*pmd) && pmd_leaf(*pmd);
	int outcome = is_huge ? take_locked_huge(req, vma, pmd, nr) : 0;

	spin_unlock(lock);
	if (!is_huge)
		return;
	if (outcome)
		count(req, outcome, nr);
	req->pos = end;
}

static void pass(struct request *req, enum ebb_outcome outcome, unsigned long end)
{
	count(req, outcome, (end - req->pos) >> PAGE_SHIFT);
	req->pos = end;
}

/* One PMD entry at most; [req->pos, end) is inside @vma. */
static void take_block(struct request *req, struct vm_area_struct *vma, unsigned long end)
{
	unsigned long next;
	pmd_t val, *pmd = ebb_table_pmd(req->mm, req->pos, &next);

	end = min(next, end);
	val = pmd ? READ_ONCE(*pmd) : __pmd(0);
	if (ebb_pmd_is_table(val))
		take_table(req, vma, pmd, end);
	else if (pmd_present(val) && pmd_leaf(val))
		take_huge(req, vma, pmd, end);
	else
		pass(req, is_pmd_migration_entry(val) ? EBB_OUTCOME_BUSY : EBB_OUTCOME_ABSENT, end);
}

static void take_step(struct request *req, unsigned long end)
{
	struct vm_area_struct *vma = find_vma(req->mm, req->pos);
	int outcome;

	if (!vma || vma->vm_start > req->pos) {
		pass(req, EBB_OUTCOME_ABSENT, vma ? min(vma->vm_start, end) : end);
		return;
	}
	end = min(vma->vm_end, end);
	outcome = judge_vma(vma);
	if (outcome)
		pass(req, outcome, end);
	else
		take_block(req, vma, end);
}

/* Range @i, whole pages. */
static struct ebb_range nth_range(const struct request *req, size_t i)
{
	struct ebb_range range;

	if (req->ranges)
		return req->ranges[i];
	range.start = min(req->addrs[i] & PAGE_MASK, TASK_SIZE_MAX);
	range.end = range.start + PAGE_SIZE;
	return range;
}

/* Fill a batch. Return: true when all of the request has been looked at. */
static bool collect(struct request *req)
{
	struct ebb_range range;

	for (; req->i < req->nr; req->i++, req->has_pos = false) {
		range = nth_range(req, req->i);
		if (!req->has_pos) {
			req->has_pos = true;
			req->pos = range.start;
			count(req, EBB_OUTCOME_ASKED, (range.end - range.start) >> PAGE_SHIFT);
		}
		while (req->pos < range.end) {
			take_step(req, range.end);
			if (is_batch_full(req) || is_slice_over(req))
				return false;
		}
	}
	return true;
}

/*
 * What became of a batch
 */

static bool is_pte_resident(pte_t pte)
{
	if (pte_present(pte))
		return true;
	return !pte_none(pte) && is_migration_entry(pte_to_swp_entry(pte));
}

static bool is_page_resident(struct mm_struct *mm, unsigned long addr)
{
	unsigned long next;
	spinlock_t *lock;
	bool resident;
	pmd_t *pmd;
	pte_t *pte;

	if (!find_vma_intersection(mm, addr, addr + PAGE_SIZE))
		return false;
	pmd = ebb_table_pmd(mm, addr, &next);
	if (!pmd)
		return false;
	pte = ebb_table_lock(mm, pmd, addr, &lock);
	if (!pte)
		return !pmd_none(*pmd);
	resident = is_pte_resident(READ_ONCE(*pte));
	ebb_table_unlock(lock);
	return resident;
}

static void check_candidate(struct request *req, const struct candidate *candidate)
{
	unsigned long i;
	bool resident;

	for (i = 0; i < candidate->nr; i++) {
		resident = is_page_resident(req->mm, candidate->addr + i * PAGE_SIZE);
		count(req, resident ? EBB_OUTCOME_BUSY : EBB_OUTCOME_RECLAIMED, 1);
	}
}

static int check_batch(struct request *req)
{
	u64 start;
	size_t i;

	if (ebb_hold_begin(req->mm, &start))
		return -EINTR;
	for (i = 0; i < req->nr_candidates; i++)
		check_candidate(req, &req->candidates[i]);
	ebb_hold_end(req->mm, start);
	return 0;
}

static int push_out(struct request *req)
{
	int err;

	if (!req->nr_candidates)
		return 0;
	ebb_call(reclaim_pages)(&req->folios);
	err = check_batch(req);
	req->nr_candidates = 0;
	req->nr_pages = 0;
	return err;
}

/* Have all others let go of the memory? Then its owner waits for us to do so, too. */
static bool is_orphaned(struct mm_struct *mm)
{
	return atomic_read(&mm->mm_users) == 1;
}

static int run_batch(struct request *req, bool *done)
{
	u64 start;
	int err;

	if (is_orphaned(req->mm))
		return -ESRCH;
	if (ebb_hold_begin(req->mm, &start))
		return -EINTR;
	req->steps = SLICE_STEPS;
	*done = collect(req);
	ebb_hold_end(req->mm, start);
	err = push_out(req);
	if (err)
		return err;
	cond_resched();
	return !*done && fatal_signal_pending(current) ? -EINTR : 0;
}

static int run_request(struct request *req)
{
	bool done = false;
	int err = 0;

	/* pages that were faulted in lately wait in a CPU's batch and cannot be isolated there */
	if (ebb_has(lru_add_drain_all))
		ebb_call(lru_add_drain_all)();
	while (!done && !err)
		err = run_batch(req, &done);
	if (req->cleared)
		ebb_call(flush_tlb_mm_range)(req->mm, 0, TLB_FLUSH_ALL, 0, false);
	return err;
}

static int reclaim(struct request *req)
{
	int err;

	if (!ebb_cap_available(EBB_CAP_RECLAIM))
		return -EOPNOTSUPP;
	if (!mmget_not_zero(req->mm))
		return -ESRCH;
	INIT_LIST_HEAD(&req->folios);
	err = run_request(req);
	mmput(req->mm);
	ebb_outcomes_add(req->out);
	return err;
}

/**
 * ebb_reclaim_ranges() - push out the pages of ranges
 * @mm: whose memory
 * @ranges: where; checked by the caller: multiples of the page size, the end after the start
 * @nr: number of @ranges
 * @flags: &enum ebb_reclaim_flag
 * @outcomes: gets the counts by &enum ebb_outcome, pages of 4 KiB; complete unless killed
 *
 * Context: process context, sleeps; takes mmap_lock for reading, in slices.
 * Return: 0; -ESRCH when the process has exited; -EINTR when killed, -ENOMEM, -EOPNOTSUPP.
 */
int ebb_reclaim_ranges(struct mm_struct *mm, const struct ebb_range *ranges, size_t nr, u32 flags,
		       u64 outcomes[__EBB_OUTCOME_MAX])
{
	struct request *req = kvzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);
	int err;

	memset(outcomes, 0, __EBB_OUTCOME_MAX * sizeof(*outcomes));
	if (!req)
		return -ENOMEM;
	req->mm = mm;
	req->ranges = ranges;
	req->nr = nr;
	req->flags = flags;
	req->out = outcomes;
	err = reclaim(req);
	kvfree(req);
	return err;
}

/**
 * ebb_reclaim_addrs() - push out single pages
 * @mm: whose memory
 * @addrs: an address in each page; any value will do, what is not mapped counts as absent. Of a
 *	large folio the whole goes, and one page is counted.
 * @nr: number of @addrs
 * @flags: &enum ebb_reclaim_flag
 * @outcomes: as for ebb_reclaim_ranges()
 *
 * Context: as ebb_reclaim_ranges().
 * Return: as ebb_reclaim_ranges().
 */
int ebb_reclaim_addrs(struct mm_struct *mm, const unsigned long *addrs, size_t nr, u32 flags,
		      u64 outcomes[__EBB_OUTCOME_MAX])
{
	struct request *req = kvzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);
	int err;

	memset(outcomes, 0, __EBB_OUTCOME_MAX * sizeof(*outcomes));
	if (!req)
		return -ENOMEM;
	req->mm = mm;
	req->addrs = addrs;
	req->nr = nr;
	req->flags = flags;
	req->out = outcomes;
	err = reclaim(req);
	kvfree(req);
	return err;
}
