/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences of mm/ between the kernels.
 */
#ifndef EBB_COMPAT_MM_H
#define EBB_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/page_idle.h>
#include <linux/version.h>

/*
 * folio_isolate_lru() returns true for success since 6.4 (be2d57563822), before 0 for success.
 * Goes when 6.1 goes.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
typedef bool ebb_isolate_t;
#define ebb_isolated(ret) (ret)
#else
typedef int ebb_isolate_t;
#define ebb_isolated(ret) (!(ret))
#endif

/*
 * Mappings of a folio, all of its pages together. folio_mapcount() is inline since 6.10
 * (05c5323b2a34); before, a function for large folios that modules cannot call, and large anonymous
 * folios are THPs only. Goes when 6.1 goes.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
static inline int ebb_page_mapcount(struct page *page)
{
	struct folio *folio = page_folio(page);

	if (!folio_test_large(folio))
		return folio_mapcount(folio);
	return atomic_read(&page->_mapcount) + 1 + folio_entire_mapcount(folio);
}
#else
static inline int ebb_page_mapcount(struct page *page)
{
	return page_mapcount(page);
}
#endif

/* Tells the kernel's own reclaim that a page was young before its accessed bit was cleared. */
static inline void ebb_folio_mark_young(struct folio *folio)
{
	folio_set_young(folio);
	if (folio_test_idle(folio))
		folio_clear_idle(folio);
}

#endif /* EBB_COMPAT_MM_H */
