/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by touch.c and its library. */
#ifndef TOUCH_H
#define TOUCH_H

#include <stddef.h>

/** touch_in_library() - read one byte of each page */
int touch_in_library(volatile char *pages, size_t nr);

#endif
