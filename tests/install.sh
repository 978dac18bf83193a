#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `make install` into a folder: everything is there, ebb runs from there, and a client of libebb
# compiles against it, shared and static.

set -uo pipefail

TREE=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cd "$TREE" || exit 1
# shellcheck source=selftests/lib/tap.sh
. selftests/lib/tap.sh
DEST=$(mktemp -d)
trap 'rm -rf "$DEST"' EXIT
ROOT=$DEST/opt/ebb

write_client()
{
	cat >"$DEST/client.c" <<-'END'
	#include <ebb/libebb.h>
	#include <stdio.h>
	#include <string.h>

	static int take(const struct ebb_pip_run *run, void *arg)
	{
		*(unsigned int *)arg += run->nr_units;
		return 0;
	}

	int main(void)
	{
		static const unsigned char stream[] = { 0xa0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0x53 };
		struct ebb_pip_decoder decoder = { 0 };
		struct ebb_client *client = NULL;
		struct ebb_heat *heat = ebb_heat_new();
		unsigned int units = 0;
		int err = ebb_client_open(&client);

		if (!heat || ebb_pip_decode(&decoder, stream, sizeof(stream), take, &units))
			return 1;
		printf("%u units, module: %s\n", units, err ? strerror(-err) : "there");
		ebb_client_close(client);
		ebb_heat_free(heat);
		return 0;
	}
	END
}

# flags WORD...: of pkg-config, as if $DEST were the root
flags()
{
	PKG_CONFIG_PATH=$ROOT/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST pkg-config "$@" libebb
}

# the client prints what it decoded
check_output()
{
	tap_equal "$(LD_LIBRARY_PATH=$ROOT/lib "$1" 2>&1 | cut -d, -f1)" "3 units" "$2"
}

check_clients()
{
	write_client
	# shellcheck disable=SC2046
	gcc -Wall -Wextra -Werror $(flags --cflags) -o "$DEST/shared" "$DEST/client.c" \
		$(flags --libs) 2>"$DEST/log"
	tap_ok $? "a client compiles with pkg-config" || cat "$DEST/log"
	check_output "$DEST/shared" "the client runs with libebb.so"
	readelf -d "$DEST/shared" | grep -q 'NEEDED.*libebb.so.0'
	tap_ok $? "it needs libebb.so.0"
	# shellcheck disable=SC2046
	gcc $(flags --cflags) -o "$DEST/static" "$DEST/client.c" "$ROOT/lib/libebb.a" \
		$(pkg-config --libs libnl-genl-3.0)
	tap_ok $? "a client compiles with libebb.a"
	check_output "$DEST/static" "the client runs without libebb.so"
	# shellcheck disable=SC2046
	gcc -xc++ -Wall -Werror $(flags --cflags) -fsyntax-only - <<<'#include <ebb/libebb.h>'
	tap_ok $? "the header is good for C++"
}

# what the library offers is what its header declares
check_symbols()
{
	local offered declared

	offered=$(nm -D --defined-only "$ROOT/lib/libebb.so" | awk '$2 == "T" { print $3 }' |
		sed 's/@.*//' | sort | xargs)
	declared=$(grep -hoE '\bebb_(client|heat|pip)_[a-z0-9_]+\(' "$ROOT"/include/ebb/*.h |
		tr -d '(' | sort -u | xargs)
	tap_note "$(wc -w <<<"$offered") functions"
	[ -n "$offered" ]
	tap_ok $? "libebb.so offers something"
	tap_equal "$offered" "$declared" "libebb.so offers what the headers declare"
}

check_modules()
{
	local kernel release

	for kernel in $(scripts/kernels list); do
		release=$(modinfo -F vermagic "build/kmod/$kernel/ebb.ko" | cut -d' ' -f1)
		cmp -s "build/kmod/$kernel/ebb.ko" "$DEST/lib/modules/$release/updates/ebb.ko"
		tap_ok $? "the module for $kernel is in lib/modules/$release/updates"
	done
	cmp -s kmod/modprobe.conf "$DEST/etc/modprobe.d/ebb.conf"
	tap_ok $? "the rules for modprobe are in etc/modprobe.d"
}

check_programs()
{
	local expected page

	expected=$(sed -n 's/^VERSION := /ebb /p' user/Makefile)
	tap_equal "$("$ROOT/bin/ebb" --version)" "$expected" "ebb runs from there"
	tap_equal "$("$ROOT/sbin/ebbd" --version)" "ebbd ${expected#ebb }" "ebbd runs from there"
	"$ROOT/sbin/ebbd" --check -c "$DEST/etc/ebb/ebbd.conf"
	tap_ok $? "the sample configuration is right"
	grep -q '^ExecStart=/opt/ebb/sbin/ebbd$' "$ROOT/lib/systemd/system/ebbd.service"
	tap_ok $? "the unit starts it from there"
	cmp -s build/doc/ebbd.8 "$ROOT/share/man/man8/ebbd.8"
	tap_ok $? "the page ebbd.8 is there"
	for page in build/doc/*.1; do
		cmp -s "$page" "$ROOT/share/man/man1/${page##*/}"
		tap_ok $? "the page ${page##*/} is there"
	done
}

make -s install DESTDIR="$DEST" prefix=/opt/ebb >"$DEST/log" 2>&1
tap_ok $? "make install DESTDIR=... prefix=/opt/ebb"
tap_note "$(tail -n 20 "$DEST/log")"
check_programs
check_clients
check_symbols
check_modules
tap_end
