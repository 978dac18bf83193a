// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming of the swap cache: pages that no process maps any more and that are in swap as well, or
 * on their way there. When there are more of them than the high watermark, they are reclaimed until
 * there are fewer than the low one, or all have been looked at once.
 *
 * The kernel shows no list of them, so this goes by page frames, as idle page tracking does: a page
 * that may be one gets a reference, and only then is looked at; the kernel's own reclaim decides
 * what can go. No lock is held in between.
 */
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/workqueue.h>

#include "cap.h"
#include "compat/mm.h"
#include "ksym.h"
#include "swapcache.h"

#define BATCH_PAGES 512 /* reclaimed at a time */
#define STEP_FRAMES 4096 /* looked at between two looks at the state */

static void trim(struct work_struct *work);
static DECLARE_WORK(trim_work, trim);
static DEFINE_MUTEX(marks_lock);
static unsigned long low_pages, high_pages; /* written under the lock, read without */
static bool is_trimming; /* cleared to end it */
static struct workqueue_struct *queue; /* stands still while the machine is put to sleep */

static bool is_candidate(struct folio *folio)
{
	return folio_test_lru(folio) && folio_test_anon(folio) && folio_test_swapcache(folio) &&
	       !folio_test_unevictable(folio) && !folio_test_locked(folio) &&
	       !folio_test_writeback(folio) && !ebb_folio_is_mapped(folio);
}

/* The folio that begins with this page frame, with a reference; NULL: it is none of ours. */
static struct folio *get_candidate(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page || PageTail(page) || !PageLRU(page))
		return NULL;
	folio = page_folio(page);
	if (!folio_try_get(folio))
		return NULL;
	if (page_folio(page) == folio && folio_page(folio, 0) == page && is_candidate(folio))
		return folio;
	folio_put(folio);
	return NULL;
}

/* Return: pages isolated */
static long take_frame(unsigned long pfn, struct list_head *folios)
{
	struct folio *folio = get_candidate(pfn);
	long nr = 0;

	if (!folio)
		return 0;
	if (ebb_isolated(ebb_call(folio_isolate_lru)(folio))) {
		nr = folio_nr_pages(folio);
		folio_clear_referenced(folio);
		list_add_tail(&folio->lru, folios);
	}
	folio_put(folio);
	return nr;
}

/* Look at the frames [pfn, end), a batch at most. Return: where to go on. */
static unsigned long trim_step(unsigned long pfn, unsigned long end)
{
	LIST_HEAD(folios);
	long nr = 0;

	while (pfn < end && nr < BATCH_PAGES)
		nr += take_frame(pfn++, &folios);
	if (nr)
		ebb_call(reclaim_pages)(&folios);
	return pfn;
}

static bool is_done(void)
{
	return !READ_ONCE(is_trimming) || total_swapcache_pages() <= READ_ONCE(low_pages);
}

static void trim_node(int nid)
{
	unsigned long pfn = node_start_pfn(nid), end = node_end_pfn(nid);

	while (pfn < end && !is_done()) {
		pfn = trim_step(pfn, min(end, pfn + STEP_FRAMES));
		cond_resched();
	}
}

static void trim(struct work_struct *work)
{
	int nid;

	if (ebb_has(lru_add_drain_all))
		ebb_call(lru_add_drain_all)();
	for_each_node_state(nid, N_MEMORY) {
		trim_node(nid);
	}
}

/**
 * ebb_swapcache_init() - get ready
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int ebb_swapcache_init(void)
{
	queue = alloc_workqueue("ebb_swapcache", WQ_UNBOUND | WQ_FREEZABLE, 1);
	return queue ? 0 : -ENOMEM;
}

/**
 * ebb_swapcache_set_watermarks() - set when trimming begins and ends
 * @marks: percent of RAM: bits 0 to 7 the low one, 8 to 15 the high one; others are ignored
 *
 * Context: may sleep.
 * Return: 0; -EFAULT (as etmem has it) when one is above 100 or the low one above the high one.
 */
int ebb_swapcache_set_watermarks(u32 marks)
{
	unsigned long low = marks & 0xff, high = (marks >> 8) & 0xff;

	if (high > 100 || low > high)
		return -EFAULT;
	mutex_lock(&marks_lock);
	WRITE_ONCE(low_pages, totalram_pages() * low / 100);
	WRITE_ONCE(high_pages, totalram_pages() * high / 100);
	mutex_unlock(&marks_lock);
	return 0;
}

/**
 * ebb_swapcache_on() - begin to trim when the swap cache is at the high watermark
 *
 * The work goes on in the background, over all page frames once at most.
 *
 * Context: may sleep.
 * Return: 0, also when there is nothing to do; -EOPNOTSUPP when this kernel cannot reclaim.
 */
int ebb_swapcache_on(void)
{
	if (!ebb_cap_available(EBB_CAP_RECLAIM))
		return -EOPNOTSUPP;
	if (total_swapcache_pages() < READ_ONCE(high_pages))
		return 0;
	WRITE_ONCE(is_trimming, true);
	queue_work(queue, &trim_work);
	return 0;
}

/**
 * ebb_swapcache_off() - have the trimming end soon
 *
 * Context: any.
 */
void ebb_swapcache_off(void)
{
	WRITE_ONCE(is_trimming, false);
}

/**
 * ebb_swapcache_exit() - end the trimming
 *
 * Context: module exit, or init that failed; no file is open any more; sleeps.
 */
void ebb_swapcache_exit(void)
{
	ebb_swapcache_off();
	destroy_workqueue(queue);
}
