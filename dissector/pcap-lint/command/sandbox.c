/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.c - gives up the rights that pcap-lint does not need once it knows its files: Landlock and seccomp.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pcap-lint/base/file.h"
#include "sandbox.h"

/* A sanitizer opens, starts and traces what it wants when it has found something; a fuzzer has one process. */
#if defined(PL_NO_SANDBOX) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_OFF true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
	__has_feature(thread_sanitizer)
#define IS_OFF true
#endif
#endif
#ifndef IS_OFF
#define IS_OFF false
#endif

/*
 * Landlock as in linux/landlock.h, which may be older than the kernel. Its calls have these numbers on
 * every machine but Alpha, where the kernel does not know them.
 */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define ASK_ABI 1u
#define RULE_PATH_BENEATH 1

#define WRITE_FILE (UINT64_C(1) << 1)
#define READ_FILE (UINT64_C(1) << 2)
#define READ_DIR (UINT64_C(1) << 3)
#define REMOVE_FILE (UINT64_C(1) << 5)
#define MAKE_REG (UINT64_C(1) << 8)
#define REFER (UINT64_C(1) << 13)     /* since ABI 2 */
#define IOCTL_DEV (UINT64_C(1) << 15) /* since ABI 5 */
#define TCP UINT64_C(3)               /* to bind and to connect: since ABI 4 */
#define SCOPES UINT64_C(3)            /* abstract sockets and signals of others: since ABI 6 */

struct ruleset {
	uint64_t fs, net,
		scoped; /* what is refused without a rule; older kernels take zeros after it */
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* What a library may open at any time. */
static const char *const system_files[] = {
	"/dev/urandom",
	"/etc/ld.so.cache",
	"/etc/localtime",
	"/lib",
	"/lib64",
	"/proc/sys/vm/overcommit_memory",
	"/sys/devices/system/cpu/online",
	"/usr/lib",
	"/usr/lib64",
	"/usr/local/lib",
	"/usr/share/i18n",
	"/usr/share/locale",
	"/usr/share/locale-langpack",
	"/usr/share/zoneinfo",
};

/* And to learn what a name in a filter stands for. */
static const char *const name_files[] = {
	"/etc/ethers",   "/etc/gai.conf",      "/etc/host.conf",       "/etc/hosts",
	"/etc/networks", "/etc/nsswitch.conf", "/etc/protocols",       "/etc/resolv.conf",
	"/etc/services", "/run/nscd",          "/run/systemd/resolve",
};

/* What is on. */
static int landlock_abi; /* 0: it is not */
static bool seccomp_on;

void pl_sandbox_open(struct pl_sandbox *sandbox)
{
	*sandbox = (struct pl_sandbox){ .reads = g_ptr_array_new_with_free_func(g_free),
					.writes = g_ptr_array_new_with_free_func(g_free) };
}

void pl_sandbox_reads(struct pl_sandbox *sandbox, const char *file)
{
	if (file && strcmp(file, "-") != 0)
		g_ptr_array_add(sandbox->reads, g_strdup(file));
}

void pl_sandbox_writes(struct pl_sandbox *sandbox, const char *file)
{
	char *where = file ? pl_file_where(file) : NULL;

	if (where)
		g_ptr_array_add(sandbox->writes, where);
}

static uint64_t all_of(int abi)
{
	const unsigned int bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13;

	return (UINT64_C(1) << bits) - 1;
}

/* Of a directory what is beneath, too. False: it is there, and no rule is possible. */
static bool allow(int ruleset, const char *path, uint64_t of_file, uint64_t of_directory)
{
	struct path_beneath rule = { .parent = open(path, O_PATH | O_CLOEXEC) };
	struct stat st;
	bool ok;

	if (rule.parent < 0)
		return true;
	ok = fstat(rule.parent, &st) == 0;
	rule.allowed = ok && S_ISDIR(st.st_mode) ? of_directory : of_file;
	/* What has no place in a directory tree, e.g. a pipe by way of /dev/fd, is under no rule, either. */
	ok = ok &&
	     (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0u) == 0 || errno == EBADFD);
	close(rule.parent);
	return ok;
}

static bool allow_reads(int ruleset, const char *const *paths, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!allow(ruleset, paths[i], READ_FILE, READ_FILE | READ_DIR))
			return false;
	return true;
}

static bool allow_all(int ruleset, const struct pl_sandbox *sandbox, uint64_t known)
{
	const uint64_t directory = WRITE_FILE | MAKE_REG | REMOVE_FILE | REFER;
	unsigned int i;

	/* A directory that is given as a capture can be opened, to be refused as one. */
	for (i = 0; i < sandbox->reads->len; i++)
		if (!allow(ruleset, g_ptr_array_index(sandbox->reads, i), READ_FILE, READ_DIR))
			return false;
	for (i = 0; i < sandbox->writes->len; i++)
		if (!allow(ruleset, g_ptr_array_index(sandbox->writes, i),
			   known & (WRITE_FILE | IOCTL_DEV), known & directory))
			return false;
	return allow_reads(ruleset, system_files, G_N_ELEMENTS(system_files)) &&
	       (!sandbox->names || allow_reads(ruleset, name_files, G_N_ELEMENTS(name_files)));
}

static void enter_landlock(const struct pl_sandbox *sandbox)
{
	const int abi = (int)syscall(CREATE_RULESET, NULL, 0, ASK_ABI);
	struct ruleset attr = { .fs = all_of(abi) };
	int ruleset;

	if (abi < 1)
		return;
	attr.net = abi >= 4 && !sandbox->names ? TCP : 0;
	attr.scoped = abi >= 6 ? SCOPES : 0;
	ruleset = (int)syscall(CREATE_RULESET, &attr, sizeof(attr), 0u);
	if (ruleset < 0)
		return;
	if (allow_all(ruleset, sandbox, attr.fs) && syscall(RESTRICT_SELF, ruleset, 0u) == 0)
		landlock_abi = abi;
	close(ruleset);
}

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCH AUDIT_ARCH_X86_64
#define OTHER_CALLS 0x40000000u /* from here on those of x32 */
#elif defined(__aarch64__) && !defined(__ILP32__)
#define ARCH AUDIT_ARCH_AARCH64
#define OTHER_CALLS UINT32_MAX
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#define OTHER_CALLS UINT32_MAX
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#define OTHER_CALLS UINT32_MAX
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCH AUDIT_ARCH_PPC64LE
#define OTHER_CALLS UINT32_MAX
#endif

#ifdef ARCH
/* Two for the sockets first; those that an old kernel's headers do not name it does not have. */
static const uint32_t refused[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_unshare,
	SYS_setns,
	SYS_mount,
	SYS_umount2,
	SYS_chroot,
	SYS_pivot_root,
	SYS_open_by_handle_at,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
#ifdef SYS_userfaultfd
	SYS_userfaultfd,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_getfd
	SYS_pidfd_getfd,
#endif
};
#define SOCKETS 2u
#define FILTER_MAX (G_N_ELEMENTS(refused) + 6)

/* A jump to the last statement of all, of which there are @n. */
static struct sock_filter refuse(uint16_t code, uint32_t k, unsigned int at, unsigned int n,
				 bool is)
{
	const uint8_t far = (uint8_t)(n - 1 - at - 1);

	return (struct sock_filter){ (uint16_t)(BPF_JMP | code | BPF_K), is ? far : 0, is ? 0 : far,
				     k };
}

static void enter_seccomp(const struct pl_sandbox *sandbox)
{
	struct sock_filter filter[FILTER_MAX];
	unsigned int i = sandbox->names ? SOCKETS : 0, at = 0;
	const unsigned int n = (unsigned int)G_N_ELEMENTS(refused) - i + 6;
	const struct sock_fprog program = { (unsigned short)n, filter };

	filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, arch));
	filter[at] = refuse(BPF_JEQ, ARCH, at, n, false);
	at++;
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, nr));
	filter[at] = refuse(BPF_JGE, OTHER_CALLS, at, n, true);
	at++;
	for (; i < G_N_ELEMENTS(refused); i++, at++)
		filter[at] = refuse(BPF_JEQ, refused[i], at, n, true);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	/* Else older kernels make each branch slower, which nothing here needs. */
	seccomp_on = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
			     &program) == 0;
}
#else
static void enter_seccomp(const struct pl_sandbox *sandbox)
{
	(void)sandbox;
}
#endif

void pl_sandbox_enter(struct pl_sandbox *sandbox)
{
	if (!IS_OFF && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		enter_landlock(sandbox);
		enter_seccomp(sandbox);
	}
	g_ptr_array_unref(sandbox->reads);
	g_ptr_array_unref(sandbox->writes);
}

void pl_sandbox_say(struct ibw_out *o)
{
	ibw_out_str(o, "sandbox: ");
	if (landlock_abi) {
		ibw_out_str(o, "Landlock ABI ");
		ibw_out_dec(o, (uint64_t)landlock_abi);
	} else {
		ibw_out_str(o, "no Landlock");
	}
	ibw_out_str(o, seccomp_on ? ", seccomp\n" : ", no seccomp\n");
}
