#include "base/confine.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <pwd.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#include "base/base.h"
#include "base/log.h"

/* Landlock as of ABI 6; Debian 12's headers end at 2. */
#define ACCESS_FS_REFER        (1ULL << 13)
#define ACCESS_FS_TRUNCATE     (1ULL << 14)
#define ACCESS_FS_IOCTL_DEV    (1ULL << 15)
#define ACCESS_NET_BIND_TCP    (1ULL << 0)
#define ACCESS_NET_CONNECT_TCP (1ULL << 1)
#define SCOPE_ABSTRACT_UNIX    (1ULL << 0)
#define SCOPE_SIGNAL           (1ULL << 1)

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

#define READ_ACCESS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_ACCESS                                                                                                   \
    (READ_ACCESS | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)

static bool is_kept(const struct el_confine *c, unsigned cap)
{
    return cap < 64 && c->capabilities >> cap & 1 && capng_have_capability(CAPNG_PERMITTED, cap);
}

/* What the next capng_apply sets: the capabilities that are kept, in these sets. */
static void choose_capabilities(const struct el_confine *c, capng_type_t sets)
{
    uint64_t kept = 0;

    capng_get_caps_process();
    for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++)
        kept |= (uint64_t)is_kept(c, cap) << cap;
    capng_clear(CAPNG_SELECT_ALL);
    for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++)
        if (kept >> cap & 1)
            capng_update(CAPNG_ADD, sets, cap);
}

/* Root becomes the user, with the user's groups (snmpd's socket may need one). */
static int become(const char *name)
{
    const struct passwd *pw = getpwnam(name);
    uid_t uid = pw ? pw->pw_uid : EL_NOBODY;
    gid_t gid = pw ? pw->pw_gid : EL_NOBODY;

    if (!pw)
        el_log_warning(
            "there is no user %s: running as user id %d; make it with `systemd-sysusers` or `useradd --system %s`",
            name, EL_NOBODY, name);
    if ((pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL)) < 0 || setresgid(gid, gid, gid) < 0 ||
        setresuid(uid, uid, uid) < 0)
        return -errno;
    return 0;
}

/* A user other than root stays who it is. */
static int drop_rights(const struct el_confine *c)
{
    int r = 0, with_parent = 0;

    /* A launcher asks the kernel to end us when it ends; a change of user would make the kernel forget that. */
    prctl(PR_GET_PDEATHSIG, &with_parent, 0, 0, 0);
    if (geteuid() == 0) {
        choose_capabilities(c, CAPNG_BOUNDING_SET);
        capng_apply(CAPNG_SELECT_BOUNDS); /* needs CAP_SETPCAP, so it comes before that is dropped; without it
                                             no_new_privs is enough */
        r = c->user ? become(c->user) : 0;
    }
    choose_capabilities(c, CAPNG_EFFECTIVE | CAPNG_PERMITTED);
    if (capng_apply(CAPNG_SELECT_CAPS) < 0 && r == 0)
        r = -EPERM;
    if (with_parent)
        prctl(PR_SET_PDEATHSIG, with_parent, 0, 0, 0);
    return r;
}

static int no_new_privileges(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

static int allow_path(int ruleset, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access};
    EL_AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode))
        rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
    rule.parent_fd = fd;
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

/* Everything that this kernel's Landlock can forbid. */
static struct ruleset_attr all_of(int abi, const struct el_confine *c)
{
    struct ruleset_attr a = {.fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};

    if (abi >= 2)
        a.fs |= ACCESS_FS_REFER;
    if (abi >= 3)
        a.fs |= ACCESS_FS_TRUNCATE;
    if (c->launcher)
        a.fs &= ~LANDLOCK_ACCESS_FS_REMOVE_DIR; /* its own, at the end */
    if (abi >= 4 && !c->launcher)
        a.net = ACCESS_NET_BIND_TCP | (c->tcp_connect ? 0 : ACCESS_NET_CONNECT_TCP);
    if (abi >= 5)
        a.fs |= ACCESS_FS_IOCTL_DEV;
    if (abi >= 6)
        a.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
    return a;
}

static int confine_files(const struct el_confine *c)
{
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION), r = 0;
    struct ruleset_attr attr;
    size_t size = abi >= 6   ? sizeof attr
                  : abi >= 4 ? offsetof(struct ruleset_attr, scoped)
                             : offsetof(struct ruleset_attr, net);

    if (abi < 0)
        return -errno;
    attr = all_of(abi, c);
    EL_AUTO_CLOSE int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (ruleset < 0)
        return -errno;
    for (const char *const *p = c->read; r == 0 && p && *p; p++)
        r = allow_path(ruleset, *p, READ_ACCESS | (c->launcher ? LANDLOCK_ACCESS_FS_EXECUTE : 0));
    for (const char *const *p = c->write; r == 0 && p && *p; p++)
        r = allow_path(ruleset, *p, WRITE_ACCESS | (abi >= 3 ? ACCESS_FS_TRUNCATE : 0));
    if (r == 0 && c->devices)
        r = allow_path(ruleset, c->devices, READ_ACCESS | (abi >= 5 ? ACCESS_FS_IOCTL_DEV : 0));
    if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
        r = -errno;
    return r;
}

/* What every program of ours and its libraries call. */
static const int allowed[] = {
    /* memory, threads, time */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(prlimit64),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
    SCMP_SYS(arch_prctl),
    /* files: Landlock says which */
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(close),
    SCMP_SYS(lseek),
    SCMP_SYS(stat),
    SCMP_SYS(fstat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(getdents64),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(getcwd),
    SCMP_SYS(fcntl),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(fallocate),
    SCMP_SYS(utimensat),
    SCMP_SYS(fsync),
    SCMP_SYS(umask),
    SCMP_SYS(eventfd2),
    SCMP_SYS(signalfd4),
    /* waiting, and using sockets that are already open */
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(select),
    SCMP_SYS(pselect6),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
};

static int allow(scmp_filter_ctx f, const struct el_confine_call *c)
{
    struct scmp_arg_cmp cmp[2];
    unsigned n = 0;

    for (unsigned i = 0; i < 2; i++)
        if (c->mask[i])
            cmp[n++] = SCMP_CMP(i, SCMP_CMP_MASKED_EQ, c->mask[i], c->value[i]);
    return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, c->number, n, cmp);
}

/* No file of ours runs with rights of others, and no memory becomes code: what is loaded is loaded by now. None of
 * these bits may be set in that argument; of a mode that only counts where a file is made, `flags` are where it says
 * so. */
#define SETID   (S_ISUID | S_ISGID)
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)
static const struct guard {
    int call;
    bool listed; /* a call of all programs of ours; these first */
    unsigned arg, flags;
    uint64_t bits;
} guards[] = {
    {SCMP_SYS(fchmod), true, 1, 0, SETID},   {SCMP_SYS(open), true, 2, 1, SETID},
    {SCMP_SYS(openat), true, 3, 2, SETID},   {SCMP_SYS(mprotect), true, 2, 0, PROT_EXEC},
    {SCMP_SYS(open), false, 1, 0, UNNAMED},  {SCMP_SYS(openat), false, 2, 0, UNNAMED},
    {SCMP_SYS(chmod), false, 1, 0, SETID},   {SCMP_SYS(fchmodat), false, 2, 0, SETID},
    {SCMP_SYS(creat), false, 1, 0, SETID},   {SCMP_SYS(mkdir), false, 1, 0, SETID},
    {SCMP_SYS(mkdirat), false, 2, 0, SETID},
};

static int add_masked(scmp_filter_ctx f, uint32_t action, int call, unsigned arg, uint64_t mask, uint64_t value)
{
    return seccomp_rule_add(f, action, call, 1, SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, value));
}

static int allow_guarded(scmp_filter_ctx f)
{
    int r = add_masked(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, PROT_EXEC, 0);

    for (const struct guard *g = guards; r == 0 && g < guards + EL_ARRAY_SIZE(guards) && g->listed; g++) {
        r = add_masked(f, SCMP_ACT_ALLOW, g->call, g->arg, g->bits, 0);
        if (r == 0 && g->flags)
            r = add_masked(f, SCMP_ACT_ALLOW, g->call, g->flags, O_CREAT | UNNAMED, 0);
    }
    return r;
}

/* Of programs that are still to be loaded: what is mapped is code or can be written. */
static int refuse_guarded(scmp_filter_ctx f)
{
    static const uint64_t bits[] = {S_ISUID, S_ISGID, PROT_EXEC, UNNAMED}, both = PROT_WRITE | PROT_EXEC;
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    int r = add_masked(f, refuse, SCMP_SYS(mmap), 2, both, both);

    for (const struct guard *g = guards; g < guards + EL_ARRAY_SIZE(guards); g++)
        for (size_t b = 0; r == 0 && b < EL_ARRAY_SIZE(bits); b++)
            if (g->bits & bits[b])
                r = seccomp_rule_add(f, refuse, g->call, g->flags ? 2 : 1,
                                     SCMP_CMP(g->arg, SCMP_CMP_MASKED_EQ, bits[b], bits[b]),
                                     SCMP_CMP(g->flags, SCMP_CMP_MASKED_EQ, O_CREAT, O_CREAT));
    return r;
}

/* clone only for threads; ioctl only what libraries ask of any descriptor. clone3 hides its flags in memory: glibc
 * falls back on ENOSYS. */
static int allow_careful(scmp_filter_ctx f)
{
    static const uint64_t asked[] = {TCGETS, FIONREAD, FIONBIO};
    const uint64_t thread = CLONE_VM | CLONE_THREAD;
    int r = allow_guarded(f);

    if (r == 0)
        r = allow(f, &(struct el_confine_call){SCMP_SYS(clone), {thread}, {thread}});
    if (r == 0)
        r = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    for (size_t i = 0; r == 0 && i < EL_ARRAY_SIZE(asked); i++)
        r = allow(f, &(struct el_confine_call){SCMP_SYS(ioctl), {0, UINT32_MAX}, {0, asked[i]}});
    return r;
}

static int allow_listed(scmp_filter_ctx f, const struct el_confine *c)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < EL_ARRAY_SIZE(allowed); i++)
        r = seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
    if (r == 0)
        r = allow_careful(f);
    for (size_t i = 0; r == 0 && i < c->calls_n; i++)
        r = allow(f, &c->calls[i]);
    return r;
}

/* What no program of ours calls, and through which rights could be abused: on the machine, other processes, other
 * namespaces. */
static const int refused[] = {
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsmount),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(reboot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
};

static int refuse_listed(scmp_filter_ctx f)
{
    static const uint64_t spaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                      CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};
    int r = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

    for (size_t i = 0; r == 0 && i < EL_ARRAY_SIZE(refused); i++)
        r = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
    for (size_t i = 0; r == 0 && i < EL_ARRAY_SIZE(spaces); i++)
        r = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, spaces[i], spaces[i]));
    if (r == 0)
        r = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                             SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
    return r < 0 ? r : refuse_guarded(f);
}

static int filter_calls(const struct el_confine *c)
{
    scmp_filter_ctx f = seccomp_init(c->launcher ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM));
    int r = !f ? -ENOMEM : c->launcher ? refuse_listed(f) : allow_listed(f, c);

    if (r == 0)
        r = seccomp_load(f);
    seccomp_release(f);
    return r;
}

/* True when the step was taken, or may be left out. */
static bool taken(const struct el_confine *c, const char *not_done, int r)
{
    if (r == 0)
        return true;
    el_log(c->mode == EL_SANDBOX_REQUIRE ? EL_LOG_ERROR : EL_LOG_WARNING, "sandbox: %s: %s%s", not_done, strerror(-r),
           c->mode == EL_SANDBOX_REQUIRE ? "; --sandbox auto goes on without it" : "");
    return c->mode != EL_SANDBOX_REQUIRE;
}

int el_confine(const struct el_confine *c)
{
    if (c->mode == EL_SANDBOX_OFF) {
        el_log_warning("sandbox: off");
        return 0;
    }
    if (taken(c, "user and capabilities were not given up", drop_rights(c)) &&
        taken(c, "new privileges are not ruled out", no_new_privileges()) &&
        taken(c, "files are not confined, this kernel's Landlock cannot", confine_files(c)) &&
        taken(c, "system calls are not filtered, this kernel's seccomp cannot", filter_calls(c)))
        return 0;
    return -ENOTSUP;
}
