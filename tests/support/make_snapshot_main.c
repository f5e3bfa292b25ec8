/* make-snapshot [--drives N] [--sensors N] [--seq N] [--seed N] [--events N] [--alarms N] [--odd] [--turned]
 * [--kinds] FILE: writes a test snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "support/make_snapshot.h"

int main(int argc, char **argv)
{
    static const struct option options[] = {{"drives", 1, 0, 'd'}, {"sensors", 1, 0, 's'},
                                            {"seq", 1, 0, 'q'},    {"seed", 1, 0, 'r'},
                                            {"events", 1, 0, 'e'}, {"alarms", 1, 0, 'a'},
                                            {"odd", 0, 0, 'o'},    {"turned", 0, 0, 't'},
                                            {"kinds", 0, 0, 'k'},  {0}};
    struct el_test_snapshot o = {.drives = 8, .sensors = 2, .seq = 1};
    struct el_snapshot *s;
    uint64_t v = 0;
    int c, r;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == '?' || (!strchr("otk", c) && el_num_parse_u64(optarg, &v) < 0))
            return 2;
        switch (c) {
        case 'd':
            o.drives = (uint32_t)v;
            break;
        case 's':
            o.sensors = (uint32_t)EL_MIN(v, EL_NVME_SENSORS);
            break;
        case 'q':
            o.seq = v;
            break;
        case 'r':
            o.seed = v;
            break;
        case 'e':
            o.events = (uint32_t)v;
            break;
        case 'a':
            o.alarms = (uint32_t)v;
            break;
        case 'o':
            o.odd = true;
            break;
        case 't':
            o.turned = true;
            break;
        case 'k':
            o.kinds = true;
            break;
        }
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: make-snapshot [--drives N] [--sensors N] [--seq N] [--seed N] [--events N] [--alarms "
                        "N] [--odd] [--turned] [--kinds] FILE\n");
        return 2;
    }
    s = el_test_snapshot_new(&o);
    r = s ? el_file_replace(AT_FDCWD, argv[optind], s, s->size, 0644, false) : -ENOMEM;
    if (r < 0)
        fprintf(stderr, "make-snapshot: %s: %s\n", argv[optind], strerror(-r));
    el_snapshot_free(s);
    return r < 0;
}
