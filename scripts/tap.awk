# SPDX-License-Identifier: GPL-2.0
#
# The reader of TAP for scripts/test and selftests/run. A stream needs a plan (first or last), as
# many results as planned, and at least one.
#
#	mode=sum	prints "PASSED FAILED SKIPPED [PROBLEM]"
#	mode=nest	copies the results, numbered from first + 1 and named prefix: NAME; all other
#			lines become comments; writes the sums into the file named sums

function result(good, text)
{
	number++
	sub(/^(not )?ok[ \t]*[0-9]*[ \t]*(- )?/, "", text)
	if (!good)
		failed++
	else if (text ~ /#[ \t]*[Ss][Kk][Ii][Pp]/)
		skipped++
	else
		passed++
	if (mode == "nest")
		print (good ? "ok " : "not ok ") (first + number) " " prefix ": " text
}

function problem()
{
	if (bailed)
		return "bailed out"
	if (plan == "")
		return "no plan: it ended early or prints no TAP"
	if (plan != number)
		return "planned " plan " results, gave " number + 0
	if (number == 0 && !skipall)
		return "no results"
	return ""
}

{ sub(/\r$/, "") }
/^not ok([ \t]|$)/ { result(0, $0); next }
/^ok([ \t]|$)/ { result(1, $0); next }
/^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	if (plan == 0 && /#[ \t]*[Ss][Kk][Ii][Pp]/)
		skipall = $0
}
/^Bail out!/ { bailed = 1 }
mode == "nest" {
	if (!/^#/ && !/^TAP version/ && !/^1\.\./)
		print "# " $0
	else if (/^#/)
		print
	fflush()
}

END {
	line = passed + 0 " " failed + 0 " " skipped + 0 " " problem()
	if (mode == "nest")
		print line >sums
	else
		print line
}
