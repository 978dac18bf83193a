/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences of mm/ between the kernels.
 */
#ifndef EBB_COMPAT_MM_H
#define EBB_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
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

/* Is a folio mapped anywhere? Large ones count as mapped where modules cannot ask, see above. */
static inline bool ebb_folio_is_mapped(struct folio *folio)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	return folio_mapped(folio);
#else
	return folio_test_large(folio) || page_mapcount(&folio->page);
#endif
}

/* Tells the kernel's own reclaim that a page was young before its accessed bit was cleared. */
static inline void ebb_folio_mark_young(struct folio *folio)
{
	folio_set_young(folio);
	if (folio_test_idle(folio))
		folio_clear_idle(folio);
}

/*
 * A range of an MMU notifier has no mapping since 6.3 (7d4a8be0c4b2). Goes when 6.1 goes.
 */
static inline void ebb_range_init(struct mmu_notifier_range *range, struct mm_struct *mm,
				  unsigned long start, unsigned long end)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	mmu_notifier_range_init(range, MMU_NOTIFY_CLEAR, 0, mm, start, end);
#else
	mmu_notifier_range_init(range, MMU_NOTIFY_CLEAR, 0, NULL, mm, start, end);
#endif
}

/*
 * __mmu_notifier_invalidate_range_end() has one argument since 6.6 (ec8832d007cb). Goes when 6.1
 * goes.
 */
/* clang-format off */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define EBB_RANGE_END_ARGS (struct mmu_notifier_range *range)
#define ebb_range_end(range) ebb_call(__mmu_notifier_invalidate_range_end)(range)
#else
#define EBB_RANGE_END_ARGS (struct mmu_notifier_range *range, bool only_end)
#define ebb_range_end(range) ebb_call(__mmu_notifier_invalidate_range_end)(range, false)
#endif
/* clang-format on */

/*
 * The name that PR_SET_VMA_ANON_NAME gave to a mapping, NULL: none. Shared anonymous memory has one
 * since 6.2 (d09e8ca6cb93); before, the field is another one's where there is a file. The check
 * goes when 6.1 goes.
 */
static inline const char *ebb_vma_name(const struct vm_area_struct *vma)
{
#ifdef CONFIG_ANON_VMA_NAME
	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0) && vma->vm_file)
		return NULL;
	return vma->anon_name ? vma->anon_name->name : NULL;
#else
	return NULL;
#endif
}

#endif /* EBB_COMPAT_MM_H */
