/* snmp-agent [flags] SNAPSHOT: the SNMP side of the exporter alone, for tests. Looks at the file again whenever it
 * changed. Prints "ready" once it answers; ends on SIGTERM.
 * --agentx off|auto|on --socket PATH --standalone ADDRESS --users FILE --entity off|auto|on --base OID --sink TEXT
 * --state DIR
 * --descriptors N (open so many first) --debug */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"
#include "exporter/snmp.h"

struct file {
    const char *path;
    struct stat st;
    struct el_snapshot *now;
};

/* One reference is given out at a time: the SNMP thread holds it until it asks again, so the old one dies at its
 * release. */
static const struct el_snapshot *acquire(void *ctx, int64_t now_us, bool *stale)
{
    struct file *f = ctx;
    struct stat st;
    const char *why;

    if (stat(f->path, &st) == 0 && (st.st_ino != f->st.st_ino || st.st_ctim.tv_nsec != f->st.st_ctim.tv_nsec)) {
        f->st = st;
        f->now = NULL;
        el_snapshot_read(AT_FDCWD, f->path, &f->now, &why);
    }
    *stale = false;
    return f->now;
}

static void release(void *ctx, const struct el_snapshot *s)
{
    struct file *f = ctx;

    if (s != f->now)
        el_snapshot_free((struct el_snapshot *)(uintptr_t)s);
}

static uint32_t three(const char *text)
{
    return strcmp(text, "off") == 0 ? 0 : strcmp(text, "on") == 0 ? 2 : 1;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"agentx", 1, 0, 'a'},
                                            {"socket", 1, 0, 's'},
                                            {"standalone", 1, 0, 'l'},
                                            {"users", 1, 0, 'u'},
                                            {"entity", 1, 0, 'e'},
                                            {"base", 1, 0, 'b'},
                                            {"sink", 1, 0, 'k'},
                                            {"state", 1, 0, 'd'},
                                            {"descriptors", 1, 0, 'n'},
                                            {"debug", 0, 0, 'v'},
                                            {0}};
    struct el_settings set;
    struct file file = {0};
    struct el_snmp_source source = {acquire, release, &file};
    struct el_snmp *agent = NULL;
    const char *state = ".";
    char why[256] = "";
    sigset_t stop;
    int c, r;

    signal(SIGPIPE, SIG_IGN);
    el_settings_default(&set);
    set.snmp.agentx = 0;
    el_log_setup("snmp-agent", EL_LOG_INFO, EL_LOG_TEXT);
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'a':
            set.snmp.agentx = three(optarg);
            break;
        case 's':
            el_text_copy(set.snmp.agentx_socket, sizeof set.snmp.agentx_socket, optarg);
            break;
        case 'l':
            el_text_copy(set.snmp.standalone, sizeof set.snmp.standalone, optarg);
            break;
        case 'u':
            el_text_copy(set.snmp.users_file, sizeof set.snmp.users_file, optarg);
            break;
        case 'e':
            set.snmp.entity = three(optarg);
            break;
        case 'b':
            el_text_copy(set.snmp.base_oid, sizeof set.snmp.base_oid, optarg);
            break;
        case 'k':
            el_text_copy(set.snmp.sink[set.snmp.sinks++], sizeof set.snmp.sink[0], optarg);
            break;
        case 'd':
            state = optarg;
            break;
        case 'n':
            for (int i = atoi(optarg); i > 0; i--)
                if (open("/dev/null", O_RDONLY) < 0)
                    return 2;
            break;
        case 'v':
            el_log_set_level(EL_LOG_DEBUG);
            break;
        default:
            return 2;
        }
    }
    if (optind + 1 != argc)
        return 2;
    file.path = argv[optind];
    r = el_snmp_prepare(&set, state, &source, &agent, why, sizeof why);
    if (r < 0 || !agent) {
        fprintf(stderr, "snmp-agent: %s\n", r < 0 ? why : "off");
        return 1;
    }
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    if (el_snmp_start(agent) < 0)
        return 1;
    puts("ready");
    fflush(stdout);
    sigwait(&stop, &c);
    el_snmp_free(agent);
    el_snapshot_free(file.now);
    return 0;
}
