/* SPDX-License-Identifier: GPL-2.0 */
/* What every cmocka program needs, in the order that cmocka wants it. */
#ifndef EBB_TESTS_UNIT_H
#define EBB_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
