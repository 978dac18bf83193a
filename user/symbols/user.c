// SPDX-License-Identifier: GPL-2.0
#include "symbols/user.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "symbols/user_private.h"

#define REFRESH_NS 1000000000ULL

/* a file that was deleted or replaced is still to be had by its mapping */
static int open_map_file(pid_t pid, GElf_Addr base)
{
	char path[64], prefix[32];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/map_files", pid);
	snprintf(prefix, sizeof(prefix), "%" PRIx64 "-", (uint64_t)base);
	dir = opendir(path);
	while (dir && fd < 0 && (entry = readdir(dir))) {
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* in the process's own mount namespace; the vDSO and the like come from its memory */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		    char **file_name, Elf **elfp)
{
	const struct ebb_usyms *syms = *userdata;
	char path[4096];
	int fd;

	if (modname[0] != '/' || !syms)
		return dwfl_linux_proc_find_elf(mod, userdata, modname, base, file_name, elfp);
	snprintf(path, sizeof(path), "/proc/%d/root%s", syms->pid, modname);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open_map_file(syms->pid, base);
	if (fd >= 0)
		*file_name = strdup(modname);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* now, since the files are out of reach once the process is gone */
static int open_module(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		       void *arg)
{
	GElf_Addr bias;

	*userdata = arg;
	dwfl_module_getelf(mod, &bias);
	return DWARF_CB_OK;
}

static int read_mappings(struct ebb_usyms *syms)
{
	int err = dwfl_linux_proc_report(syms->dwfl, syms->pid);

	if (dwfl_report_end(syms->dwfl, NULL, NULL))
		return -EINVAL;
	dwfl_getmodules(syms->dwfl, open_module, syms, 0);
	syms->refreshed_ns = ebb_now_ns();
	ebb_chains_drop(syms);
	return err > 0 ? -err : err ? -EINVAL : 0;
}

int ebb_usyms_refresh(struct ebb_usyms *syms)
{
	/* "add": a process that has just ended has no mappings, its old ones are wanted then */
	dwfl_report_begin_add(syms->dwfl);
	return read_mappings(syms);
}

int ebb_usyms_refresh_all(struct ebb_usyms *syms)
{
	dwfl_report_begin(syms->dwfl);
	return read_mappings(syms);
}

struct ebb_usyms *ebb_usyms_open(pid_t pid)
{
	struct ebb_usyms *syms = calloc(1, sizeof(*syms));
	int err;

	if (!syms)
		return NULL;
	/* else libdw asks a server on the network for debug files of every program it meets */
	unsetenv("DEBUGINFOD_URLS");
	syms->pid = pid;
	syms->dwfl = dwfl_begin(&callbacks);
	err = syms->dwfl ? 0 : -ENOMEM;
	if (!err)
		err = ebb_usyms_refresh_all(syms);
	if (!err)
		return syms;
	ebb_usyms_close(syms);
	errno = -err;
	return NULL;
}

void ebb_usyms_close(struct ebb_usyms *syms)
{
	if (!syms)
		return;
	ebb_chains_drop(syms);
	free(syms->chains);
	if (syms->dwfl)
		dwfl_end(syms->dwfl);
	free(syms);
}

static Dwfl_Module *find_module(struct ebb_usyms *syms, uint64_t addr)
{
	Dwfl_Module *mod = dwfl_addrmodule(syms->dwfl, addr);

	if (mod || ebb_now_ns() - syms->refreshed_ns < REFRESH_NS)
		return mod;
	ebb_usyms_refresh(syms);
	return dwfl_addrmodule(syms->dwfl, addr);
}

#ifdef __x86_64__
#define CALL_MAX 7

/* call: E8 with 4 bytes, or FF /2 with its operand, which takes 2 to 7 bytes */
static bool ends_in_call(const unsigned char *code, size_t len)
{
	if (code[len - 5] == 0xe8)
		return true;
	for (size_t size = 2; size <= CALL_MAX; size++) {
		if (code[len - size] == 0xff && (code[len - size + 1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* from the file, since the process may be gone */
bool ebb_usyms_is_return(struct ebb_usyms *syms, uint64_t addr)
{
	Dwfl_Module *mod = find_module(syms, addr);
	Dwarf_Addr at = addr, bias;
	Elf_Data *data = NULL;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	scn = mod ? dwfl_module_address_section(mod, &at, &bias) : NULL;
	if (scn && gelf_getshdr(scn, &shdr))
		data = elf_rawdata(scn, NULL);
	/* what it leaves in "at" is the offset in the section */
	if (!data || !(shdr.sh_flags & SHF_EXECINSTR) || at < CALL_MAX || at > data->d_size)
		return false;
	return ends_in_call((const unsigned char *)data->d_buf + at - CALL_MAX, CALL_MAX);
}
#else
bool ebb_usyms_is_return(struct ebb_usyms *syms, uint64_t addr)
{
	return find_module(syms, addr) != NULL;
}
#endif

static const char *file_of(Dwfl_Module *mod, uint64_t addr, uint64_t *offset)
{
	Dwarf_Addr start = 0;
	const char *name = dwfl_module_info(mod, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	const char *slash = strrchr(name, '/');

	*offset = addr - start;
	/* libdwfl writes "[vdso: PID]" */
	if (!strncmp(name, "[vdso", 5))
		return "[vdso]";
	return slash ? slash + 1 : name;
}

void ebb_usyms_find(struct ebb_usyms *syms, uint64_t addr, bool is_return, struct ebb_usym *sym)
{
	Dwfl_Module *mod = find_module(syms, addr);
	uint64_t lookup = addr - (is_return && addr ? 1 : 0);
	const char *name;
	GElf_Off offset;
	GElf_Sym elf;

	memset(sym, 0, sizeof(*sym));
	if (!mod)
		return;
	sym->file = file_of(mod, addr, &sym->offset);
	name = dwfl_module_addrinfo(mod, lookup, &offset, &elf, NULL, NULL, NULL);
	/* libdwfl takes the nearest one too; a stripped program has few, far from each other */
	if (!name || !name[0] || GELF_ST_TYPE(elf.st_info) == STT_SECTION || offset >= elf.st_size)
		return;
	sym->name = name;
	sym->offset = offset + (addr - lookup);
}
