// SPDX-License-Identifier: GPL-2.0
/* How resident memory by age is shown. */
#include <string.h>

#include "base/table.h"
#include "base/units.h"
#include "cmd/survey.h"

#define BAR_COLUMNS 30

/* ages first to last: 0, 1, 2-3, 4-7, ... */
struct bucket {
	unsigned int first;
	unsigned int last;
	uint64_t bytes;
};

static unsigned int oldest_age(const struct ebb_survey *survey)
{
	unsigned int age = survey->nr_scans ? survey->nr_scans - 1 : 0;

	return age < EBB_HEAT_AGE_MAX ? age : EBB_HEAT_AGE_MAX;
}

/* a scan that was cut short has made some pages older than the scans that ended */
static uint64_t bytes_of_age(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			     unsigned int age)
{
	uint64_t bytes = view->bytes[age];

	if (age == oldest_age(survey)) {
		while (++age <= EBB_HEAT_AGE_MAX)
			bytes += view->bytes[age];
	}
	return bytes;
}

/* the bucket behind @bucket; false: there is none */
static bool next_bucket(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			struct bucket *bucket, bool is_first)
{
	unsigned int oldest = oldest_age(survey);

	bucket->first = is_first ? 0 : bucket->last + 1;
	if (bucket->first > oldest)
		return false;
	bucket->last = bucket->first < 2 ? bucket->first : 2 * bucket->first - 1;
	if (bucket->last > oldest)
		bucket->last = oldest;
	bucket->bytes = 0;
	for (unsigned int age = bucket->first; age <= bucket->last; age++)
		bucket->bytes += bytes_of_age(survey, view, age);
	return true;
}

static uint64_t resident_bytes(const struct ebb_heat_view *view)
{
	uint64_t sum = 0;

	for (unsigned int age = 0; age <= EBB_HEAT_AGE_MAX; age++)
		sum += view->bytes[age];
	return sum;
}

static void describe(const struct ebb_survey *survey, const struct bucket *bucket, char *buf,
		     size_t size)
{
	char since[EBB_UNITS_MAX];

	if (!bucket->first) {
		snprintf(buf, size, "touched in the last %s",
			 ebb_format_duration(since, ebb_survey_idle_ns(survey, 1)));
		return;
	}
	snprintf(buf, size, "idle for %s or more%s",
		 ebb_format_duration(since, ebb_survey_idle_ns(survey, bucket->first)),
		 bucket->last == oldest_age(survey) ? ", since the first scan" : "");
}

static void add_row(struct ebb_table *table, const struct ebb_survey *survey,
		    const struct bucket *bucket, uint64_t whole)
{
	char text[96], size[EBB_UNITS_MAX], share[EBB_UNITS_MAX], bar[BAR_COLUMNS + 1];
	size_t columns =
		whole ? (size_t)((unsigned __int128)bucket->bytes * BAR_COLUMNS / whole) : 0;

	describe(survey, bucket, text, sizeof(text));
	memset(bar, '#', columns);
	bar[columns] = '\0';
	ebb_table_cell(table, "%s", text);
	ebb_table_cell(table, "%s", ebb_format_size(size, bucket->bytes));
	ebb_table_cell(table, "%s", ebb_format_percent(share, bucket->bytes, whole));
	ebb_table_cell(table, "%s", bar);
}

void ebb_survey_print_ages(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			   FILE *out)
{
	static const struct ebb_column columns[] = {
		{ "RESIDENT MEMORY", 0 }, { "SIZE", 1 }, { "SHARE", 1 }, { "", 0 }
	};
	struct ebb_table *table = ebb_table_new(columns, 4);
	uint64_t whole = resident_bytes(view);
	struct bucket bucket;

	if (!table)
		return;
	for (bool is_first = true; next_bucket(survey, view, &bucket, is_first); is_first = false)
		add_row(table, survey, &bucket, whole);
	ebb_table_print(table, out, ebb_terminal_width(out));
	ebb_table_free(table);
}

void ebb_survey_json_ages(const struct ebb_survey *survey, const struct ebb_heat_view *view,
			  struct ebb_json *json)
{
	ebb_json_array(json, "ages");
	for (unsigned int age = 0; age <= oldest_age(survey); age++) {
		ebb_json_object(json, NULL);
		ebb_json_u64(json, "scans", age);
		ebb_json_u64(json, "idle_ns", ebb_survey_idle_ns(survey, age));
		ebb_json_u64(json, "bytes", bytes_of_age(survey, view, age));
		ebb_json_end(json);
	}
	ebb_json_end(json);
}

void ebb_survey_json_stats(const struct ebb_survey *survey, struct ebb_json *json)
{
	static const char *const names[EBB_STAT_MAX + 1] = {
		[EBB_STAT_TABLES_VISITED] = "tables_visited",
		[EBB_STAT_TABLES_SKIPPED] = "tables_skipped",
		[EBB_STAT_PTES_VISITED] = "entries_visited",
		[EBB_STAT_PTES_SKIPPED] = "entries_skipped",
		[EBB_STAT_PAGES_YOUNG] = "pages_young",
		[EBB_STAT_PAGES_IDLE] = "pages_idle",
		[EBB_STAT_FLUSHES] = "tlb_flushes",
		[EBB_STAT_LOCK_HOLDS] = "lock_holds",
		[EBB_STAT_LOCK_MAX_NS] = "lock_max_ns",
		[EBB_STAT_SCAN_NS] = "scan_ns",
	};

	ebb_json_object(json, "last_scan");
	for (int i = 0; i <= EBB_STAT_MAX; i++) {
		if (names[i])
			ebb_json_u64(json, names[i], survey->last.counts[i]);
	}
	ebb_json_end(json);
}

void ebb_json_target(struct ebb_json *json, const struct ebb_target *target)
{
	ebb_json_object(json, "process");
	ebb_json_i64(json, "pid", target->pid);
	ebb_json_str(json, "name", target->comm);
	ebb_json_u64(json, "start_ticks", target->start_ticks);
	ebb_json_end(json);
}
