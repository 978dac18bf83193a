// SPDX-License-Identifier: GPL-2.0
/*
 * What the KUnit suites use of ebb.ko. Part of it only on kernels with CONFIG_KUNIT.
 */
#include <linux/mmdebug.h>
#include <linux/module.h>

#include "cap.h"
#include "hold.h"
#include "ksym.h"
#include "pip.h"
#include "reclaim.h"
#include "scan.h"
#include "stats.h"
#include "table.h"
#include "walk.h"

#define EXPORT_FOR_TESTS(symbol) EXPORT_SYMBOL_NS_GPL(symbol, EBB_TESTS)

#ifdef CONFIG_DEBUG_VM
EXPORT_FOR_TESTS(dump_mm);
#endif
EXPORT_FOR_TESTS(ebb_cap_available);
EXPORT_FOR_TESTS(ebb_cap_get);
EXPORT_FOR_TESTS(ebb_cap_name);
EXPORT_FOR_TESTS(ebb_hold_begin);
EXPORT_FOR_TESTS(ebb_hold_bucket);
EXPORT_FOR_TESTS(ebb_hold_end);
EXPORT_FOR_TESTS(ebb_hold_get);
EXPORT_FOR_TESTS(ebb_ksym_addr);
EXPORT_FOR_TESTS(ebb_ksym_missing);
EXPORT_FOR_TESTS(ebb_ksym_size);
EXPORT_FOR_TESTS(ebb_outcomes_add);
EXPORT_FOR_TESTS(ebb_outcomes_get);
EXPORT_FOR_TESTS(ebb_pip_init);
EXPORT_FOR_TESTS(ebb_pip_put);
EXPORT_FOR_TESTS(ebb_pip_room);
EXPORT_FOR_TESTS(ebb_pip_shift);
EXPORT_FOR_TESTS(ebb_reclaim_addrs);
EXPORT_FOR_TESTS(ebb_reclaim_ranges);
EXPORT_FOR_TESTS(ebb_scan_begin);
EXPORT_FOR_TESTS(ebb_scan_end);
EXPORT_FOR_TESTS(ebb_scan_flush);
EXPORT_FOR_TESTS(ebb_scan_pip);
EXPORT_FOR_TESTS(ebb_scan_read);
EXPORT_FOR_TESTS(ebb_scan_stats);
EXPORT_FOR_TESTS(ebb_stats_add);
EXPORT_FOR_TESTS(ebb_stats_get);
EXPORT_FOR_TESTS(ebb_table_lock);
EXPORT_FOR_TESTS(ebb_table_pmd);
EXPORT_FOR_TESTS(ebb_walk_flush);
EXPORT_FOR_TESTS(ebb_walk_init);
EXPORT_FOR_TESTS(ebb_walk_run);
EXPORT_FOR_TESTS(ebb_walk_stop);
