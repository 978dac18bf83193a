#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ebb doctor with all that there is on a stock kernel.

set -uo pipefail
# shellcheck source=selftests/verbs/lib.sh
. selftests/verbs/lib.sh

# state NAME: of a finding
state()
{
	json "' '.join(f['state'] for f in d['findings'] if f['name'] == '$1')"
}

need_module
need_swap
run 0 "doctor" doctor
grep -q 'can be found and pushed out here' "$WORK/out"
tap_ok $? "doctor says that it is possible"
run 0 "doctor --json" doctor --json
tap_equal "$(json '[d["schema"], d["version"], d["verb"], d["possible"]]')" \
	"['ebb', 1, 'doctor', True]" "the document"
tap_equal "$(state mmap_lock)" info "how long mmap_lock was held"
run 0 "a scan" scan --json -i 10ms $$
run 0 "doctor --json, after it" doctor --json
tap_equal "$(json 'sum(d["lock_held_log2_ns"]) > 0 and len(d["lock_held_log2_ns"])')" 40 \
	"the histogram of it"
for name in kernel privilege ebb.ko scan skip_tables reclaim proc_entries "swap /dev/zram0" BTF \
	"BPF iter/task" "BPF tp_btf" "BPF fentry" "BPF kprobe" "BPF perf event"; do
	tap_equal "$(state "$name")" ok "$name"
done
tap_equal "$(json "[f['detail'] for f in d['findings'] if f['name'] == 'kernel'][0]")" \
	"Linux $(uname -r), $(uname -m)" "the kernel's name"
swapoff /dev/zram0
run 0 "doctor without swap" doctor --json
tap_equal "$(state swap)" missing "swap when there is none"
tap_end
