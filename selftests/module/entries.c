// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/idle_pages and swap_pages are entries like the kernel's own: owner, mode, listing, other
 * mounts and PID namespaces, the end of the process; and who may open them.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "entry.h"
#include "tap.h"

#define SOME_UID 12345
#define SOME_GID 23456

static const char *const names[] = { IDLE_PAGES, SWAP_PAGES };

#define EACH_NAME(name) \
	for (const char *const *n_ = names, *name = *n_; n_ < names + 2; name = *++n_)

static int stat_entry(const char *proc, pid_t pid, const char *name, struct stat *st)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	return stat(path, st);
}

static int become_user(void *arg)
{
	const int dumpable = *(int *)arg;

	return setresgid(SOME_GID, SOME_GID, SOME_GID) || setresuid(SOME_UID, SOME_UID, SOME_UID) ||
	       prctl(PR_SET_DUMPABLE, dumpable);
}

static void test_mode(void)
{
	pid_t pid = child_start(NULL, NULL);
	struct stat st;

	EACH_NAME(name)
	{
		memset(&st, 0, sizeof(st));
		tap_ok(!stat_entry("/proc", pid, name, &st), "%s is there", name);
		tap_ok(st.st_mode == (S_IFREG | 0600), "%s has mode 0600", name);
		tap_ok(st.st_nlink == 1 && st.st_size == 0, "%s has one link and no size", name);
	}
	child_end(pid);
}

/* The kernel's own entry "environ" has the owner that ours should have, whatever that is. */
static void check_owner(pid_t pid, uid_t uid, gid_t gid, const char *of)
{
	struct stat like, st;

	if (stat_entry("/proc", pid, "environ", &like))
		tap_bail("no /proc/PID/environ");
	tap_ok(like.st_uid == uid && like.st_gid == gid, "environ of %s has the owner we expect",
	       of);
	EACH_NAME(name)
	tap_ok(!stat_entry("/proc", pid, name, &st) && st.st_uid == uid && st.st_gid == gid,
	       "%s of %s has the owner of environ", name, of);
}

static void test_owner(void)
{
	int dumpable = 1;
	pid_t pid = child_start(NULL, NULL);

	check_owner(pid, 0, 0, "a process of root");
	child_end(pid);
	pid = child_start(become_user, &dumpable);
	check_owner(pid, SOME_UID, SOME_GID, "a process that became a user");
	child_end(pid);
	dumpable = 0;
	pid = child_start(become_user, &dumpable);
	check_owner(pid, 0, 0, "a process of a user that is not dumpable");
	child_end(pid);
}

static void test_listing(void)
{
	pid_t pid = child_start(NULL, NULL);
	char dir[64], task[64], path[128];

	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	snprintf(task, sizeof(task), "/proc/%d/task/%d", pid, pid);
	EACH_NAME(name)
	{
		tap_equal(count_entry(dir, name, 65536), 1, "%s in one readdir", name);
		tap_equal(count_entry(dir, name, 64), 1, "%s in many small readdirs", name);
		tap_equal(count_entry(task, name, 65536), 0, "%s in task/TID", name);
		snprintf(path, sizeof(path), "%s/%s", task, name);
		tap_errno(open(path, O_RDONLY), ENOENT, "open of task/TID/%s", name);
	}
	tap_equal(count_entry(dir, "maps", 64), 1, "the kernel's own maps in many small readdirs");
	tap_equal(count_entry(task, "maps", 64), 1, "the kernel's own maps in task/TID");
	child_end(pid);
}

static void test_right_process(void)
{
	pid_t with = child_start(map_mark, NULL), without = child_start(NULL, NULL);
	int fd_with = open_entry("/proc", with, IDLE_PAGES, O_RDONLY);
	int fd_without = open_entry("/proc", without, IDLE_PAGES, O_RDONLY);

	tap_ok(fd_with >= 0 && fd_without >= 0, "%s of two processes opens", IDLE_PAGES);
	tap_ok(sees_mark(fd_with), "one shows the page that only this process has");
	tap_ok(!sees_mark(fd_without), "the other does not");
	close(fd_with);
	close(fd_without);
	child_end(with);
	child_end(without);
}

static char *make_folder(void)
{
	static char folder[32];

	strcpy(folder, "/tmp/ebb.XXXXXX");
	if (!mkdtemp(folder))
		tap_bail("mkdtemp: %s", strerror(errno));
	return folder;
}

static void test_second_mount(void)
{
	char *folder = make_folder(), dir[64];
	pid_t pid = child_start(map_mark, NULL);
	struct stat st;
	int fd;

	if (mount("proc", folder, "proc", 0, NULL))
		tap_bail("mount: %s", strerror(errno));
	snprintf(dir, sizeof(dir), "%s/%d", folder, pid);
	EACH_NAME(name)
	{
		tap_ok(!stat_entry(folder, pid, name, &st) && st.st_mode == (S_IFREG | 0600),
		       "%s in a second mount of proc", name);
		tap_equal(count_entry(dir, name, 4096), 1, "%s in its readdir", name);
	}
	fd = open_entry(folder, pid, IDLE_PAGES, O_RDONLY);
	tap_ok(sees_mark(fd), "%s there shows the right process", IDLE_PAGES);
	close(fd);
	child_end(pid);
	tap_ok(!umount(folder), "the second mount goes");
	rmdir(folder);
}

/* Init of a PID namespace, in its own proc: it is process 1 there, and only what is inside exists. */
static int inside_namespace(void *arg)
{
	const pid_t outside = *(pid_t *)arg;
	struct stat st;
	int fd;

	if (getpid() != 1 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL) || map_mark(NULL))
		return 100;
	if (stat_entry("/proc", 1, IDLE_PAGES, &st) || st.st_mode != (S_IFREG | 0600))
		return 1;
	if (count_entry("/proc/1", SWAP_PAGES, 4096) != 1)
		return 2;
	if (!stat_entry("/proc", outside, IDLE_PAGES, &st))
		return 3;
	fd = open_entry("/proc", 1, IDLE_PAGES, O_RDONLY);
	if (fd < 0 || !sees_mark(fd))
		return 4;
	return 0;
}

static int enter_namespace(void *arg)
{
	if (unshare(CLONE_NEWPID | CLONE_NEWNS))
		return 101;
	return child_run(inside_namespace, arg);
}

static void test_pid_namespace(void)
{
	pid_t outside = child_start(NULL, NULL);

	tap_equal(child_run(enter_namespace, &outside), 0,
		  "in a PID namespace process 1 is its own first process");
	child_end(outside);
}

static void test_exit(void)
{
	pid_t pid = child_start(NULL, NULL);
	int idle = open_entry("/proc", pid, IDLE_PAGES, O_RDONLY);
	int swap = open_entry("/proc", pid, SWAP_PAGES, O_WRONLY);
	int zombie;
	char buf[64];
	siginfo_t info;

	kill(pid, SIGKILL);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	tap_errno(pread(idle, buf, sizeof(buf), 0), ESRCH, "read after the exit");
	tap_errno(write(swap, "1000\n", 5), ESRCH, "write after the exit");
	zombie = open_entry("/proc", pid, IDLE_PAGES, O_RDONLY);
	tap_ok(zombie >= 0, "%s of a zombie opens", IDLE_PAGES);
	tap_errno(read(zombie, buf, sizeof(buf)), ESRCH, "read of a zombie");
	close(zombie);
	waitpid(pid, NULL, 0);
	tap_errno(pread(idle, buf, sizeof(buf), 0), ESRCH, "read after the process is gone");
	tap_errno(open_entry("/proc", pid, IDLE_PAGES, O_RDONLY), ENOENT, "open after it is gone");
	close(idle);
	close(swap);
}

/* A process that execs when a byte comes, and then waits. */
static pid_t start_exec(int *go)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		tap_bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(fds[0], &byte, 1) == 1)
			execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

static bool wait_for_exec(pid_t pid)
{
	char path[64], exe[64];
	int i;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	for (i = 0; i < 3000; i++) {
		len = readlink(path, exe, sizeof(exe) - 1);
		if (len > 0) {
			exe[len] = '\0';
			if (strstr(exe, "sleep"))
				return true;
		}
		usleep(20000);
	}
	return false;
}

static void test_exec(void)
{
	int go, fd;
	pid_t pid = start_exec(&go);
	char buf[64];

	fd = open_entry("/proc", pid, IDLE_PAGES, O_RDONLY);
	tap_ok(pread(fd, buf, sizeof(buf), 0) >= 0, "read before the exec");
	if (write(go, "", 1) != 1 || !wait_for_exec(pid))
		tap_bail("the child does not exec");
	tap_errno(pread(fd, buf, sizeof(buf), 0), ESRCH, "read of the memory before the exec");
	close(fd);
	fd = open_entry("/proc", pid, IDLE_PAGES, O_RDONLY);
	tap_ok(pread(fd, buf, sizeof(buf), 0) >= 0, "read of the memory after the exec");
	close(fd);
	close(go);
	child_end(pid);
}

static void test_kernel_thread(void)
{
	int idle = open_entry("/proc", 2, IDLE_PAGES, O_RDONLY);
	int swap = open_entry("/proc", 2, SWAP_PAGES, O_WRONLY);
	char buf[64];

	tap_errno(read(idle, buf, sizeof(buf)), ESRCH, "read of a kernel thread");
	tap_errno(write(swap, "1000\n", 5), ESRCH, "write to a kernel thread");
	close(idle);
	close(swap);
}

/* errno of opening both entries of a process, when it is the same; else 200 */
static int errno_of_open(pid_t pid)
{
	int idle = open_entry("/proc", pid, IDLE_PAGES, O_RDONLY) < 0 ? errno : 0;
	int swap = open_entry("/proc", pid, SWAP_PAGES, O_WRONLY) < 0 ? errno : 0;

	return idle == swap ? idle : 200;
}

static int open_without_admin(void *arg)
{
	return drop_capability(CAP_SYS_ADMIN) ? 201 : errno_of_open(*(pid_t *)arg);
}

static int open_without_ptrace(void *arg)
{
	return drop_capability(CAP_SYS_PTRACE) ? 201 : errno_of_open(*(pid_t *)arg);
}

static int give_up_ptrace(void *arg)
{
	(void)arg;
	return drop_capability(CAP_SYS_PTRACE);
}

static int open_as_owner(void *arg)
{
	int dumpable = 1;

	(void)arg;
	return become_user(&dumpable) ? 201 : errno_of_open(getpid());
}

static int open_as_stranger(void *arg)
{
	int dumpable = 1;

	return become_user(&dumpable) ? 201 : errno_of_open(*(pid_t *)arg);
}

/* All capabilities, but of a user namespace. */
static int open_in_user_namespace(void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER) ? 201 : errno_of_open(getpid());
}

static void test_permission(void)
{
	int dumpable = 1;
	pid_t root = child_start(NULL, NULL), user = child_start(become_user, &dumpable);
	pid_t equal = child_start(give_up_ptrace, NULL);

	tap_equal(errno_of_open(user), 0, "root opens a user's");
	tap_equal(child_run(open_without_admin, &root), EPERM, "errno without CAP_SYS_ADMIN");
	tap_equal(child_run(open_as_owner, NULL), EPERM, "errno for the process's own user");
	tap_equal(child_run(open_as_stranger, &root), EACCES, "errno for a stranger");
	tap_equal(child_run(open_in_user_namespace, NULL), EPERM, "errno in a user namespace");
	tap_equal(child_run(open_without_ptrace, &user), EACCES,
		  "errno for a user's process without CAP_SYS_PTRACE");
	tap_equal(child_run(open_without_ptrace, &root), EACCES,
		  "errno for a process that has CAP_SYS_PTRACE without it");
	tap_equal(child_run(open_without_ptrace, &equal), 0,
		  "errno for a process with the same user and no more capabilities");
	child_end(root);
	child_end(user);
	child_end(equal);
}

int main(void)
{
	test_mode();
	test_owner();
	test_listing();
	test_right_process();
	test_second_mount();
	test_pid_namespace();
	test_exit();
	test_exec();
	test_kernel_thread();
	test_permission();
	return tap_end();
}
