/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by faults.bpf.c and userspace; includes nothing, needs __u8 to __u64. */
#ifndef EBB_FAULTS_BPF_H
#define EBB_FAULTS_BPF_H

#define EBB_KERNEL_FRAMES 32
#define EBB_USER_FRAMES 64
#define EBB_NR_REGS 17
#define EBB_STACK_CHUNK 1024
#define EBB_STACK_MAX 16384 /* a multiple of the chunk */
#define EBB_LATENCY_UNKNOWN (~0ULL)
#define EBB_LATENCY_SLOTS 40 /* slot i: 2^i to 2^(i+1)-1 nanoseconds; the last one: and more */

/**
 * enum ebb_fault_mode - from where the address was touched
 * @EBB_FAULT_USER: by an instruction of the program
 * @EBB_FAULT_KERNEL: by the kernel for the program, in a system call for instance
 */
enum ebb_fault_mode {
	EBB_FAULT_USER,
	EBB_FAULT_KERNEL,
};

/**
 * enum ebb_fault_lost - reasons why something of a fault was lost
 * @EBB_LOST_RING: event not delivered: the ring was full
 * @EBB_LOST_PAIR: fault whose end was not seen: neither counted nor delivered
 * @EBB_LOST_USER_STACK: no frame of the user stack could be read
 * @EBB_LOST_KERNEL_STACK: the kernel stack could not be read
 * @EBB_LOST_STACK_PIECE: nothing of the user stack could be copied (paged out)
 */
enum ebb_fault_lost {
	EBB_LOST_RING,
	EBB_LOST_PAIR,
	EBB_LOST_USER_STACK,
	EBB_LOST_KERNEL_STACK,
	EBB_LOST_STACK_PIECE,
	EBB_LOST_REASONS,
};

/**
 * struct ebb_fault_totals - all faults of one type of the watched processes
 * @count: faults
 * @latency_ns: sum of the known latencies, nanoseconds
 * @slots: faults by latency; all 0 when the source knows none
 */
struct ebb_fault_totals {
	__u64 count;
	__u64 latency_ns;
	__u64 slots[EBB_LATENCY_SLOTS];
};

/**
 * struct ebb_fault_event - one fault; @stack_bytes bytes of the user stack follow it
 * @time_ns: when it ended, nanoseconds of CLOCK_MONOTONIC
 * @start_boottime_ns: when the thread began, nanoseconds of CLOCK_BOOTTIME
 * @address: what was touched
 * @latency_ns: from the fault's begin to its end, retries included, or %EBB_LATENCY_UNKNOWN
 * @stack_start: address of the first byte of the piece of stack that follows
 * @regs: the user registers in DWARF's order on x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 to
 *	r15 rip. All 0 on other machines.
 * @tid: thread id
 * @tgid: process id
 * @stack_bytes: bytes of user stack that follow
 * @nr_kernel: used entries of @kernel
 * @nr_user: used entries of @user
 * @is_major: major or minor
 * @mode: &enum ebb_fault_mode
 * @reserved: 0
 * @kernel: return addresses in the kernel, innermost first
 * @user: the same of the program, found by frame pointers; the first one is exact
 */
struct ebb_fault_event {
	__u64 time_ns;
	__u64 start_boottime_ns;
	__u64 address;
	__u64 latency_ns;
	__u64 stack_start;
	__u64 regs[EBB_NR_REGS];
	__u32 tid;
	__u32 tgid;
	__u32 stack_bytes;
	__u16 nr_kernel;
	__u16 nr_user;
	__u8 is_major;
	__u8 mode;
	__u8 reserved[6];
	__u64 kernel[EBB_KERNEL_FRAMES];
	__u64 user[EBB_USER_FRAMES];
};

#endif /* EBB_FAULTS_BPF_H */
