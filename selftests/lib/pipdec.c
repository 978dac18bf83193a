// SPDX-License-Identifier: GPL-2.0
#include "pipdec.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)

/* by type: bytes of one unit */
static const uint64_t unit_bytes[] = {
	4 * KIB, 2 * MIB, 1024 * MIB, 4 * KIB, 2 * MIB, 4 * KIB, 2 * MIB, 2 * MIB, 4 * KIB, 2 * MIB,
};

const char *pip_decode(const unsigned char *stream, size_t size,
		       void (*fn)(const struct pip_unit *unit, void *arg), void *arg)
{
	struct pip_unit unit = { 0 };
	bool has_addr = false;
	size_t i = 0;
	int k;

	while (i < size) {
		unsigned char byte = stream[i++];

		if (byte == 0xa0) {
			if (size - i < 8)
				return "an address is cut off";
			for (unit.addr = 0, k = 0; k < 8; k++)
				unit.addr = unit.addr << 8 | stream[i++];
			has_addr = true;
			continue;
		}
		unit.type = byte >> 4;
		if (unit.type > 9)
			return "unknown type";
		if (!(byte & 15))
			return "a count of 0";
		if (!has_addr)
			return "no address at the beginning";
		if (unit.addr % unit_bytes[unit.type])
			return "an address is not a multiple of the unit";
		unit.bytes = unit_bytes[unit.type] * (byte & 15);
		fn(&unit, arg);
		unit.addr += unit.bytes;
	}
	return NULL;
}
