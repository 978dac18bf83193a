/* SPDX-License-Identifier: GPL-2.0 */
/* Setting up the machine that a test runs on. */
#ifndef EBB_SELFTESTS_SYS_H
#define EBB_SELFTESTS_SYS_H

/**
 * sys_run() - run a shell command that has to succeed
 * @command: the command; the program ends when it fails
 */
void sys_run(const char *command);

/* Have swap on zram, unless there is already. */
void sys_swap_on(void);

#endif /* EBB_SELFTESTS_SYS_H */
