#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/pair.h"
#include "model/snapshot.h"
#include "support/scratch.h"

static const struct el_snapshot_counts counts = {
    .cards = 1, .slots = 2, .namespaces = 1, .links = 1, .sensors = 1, .events = 1, .alarms = 1};

static struct el_snapshot *sound(void)
{
    struct el_snapshot *s = el_snapshot_new(&counts);

    assert_non_null(s);
    el_snapshot_cards(s)->slots = 2;
    el_snapshot_cards(s)->links = 1;
    el_snapshot_slots(s)[1].number = 1;
    el_snapshot_sensors(s)->card = -1;
    el_snapshot_seal(s);
    return s;
}

static const char *reason(struct el_snapshot *s, size_t n)
{
    const char *why = NULL;
    const struct el_snapshot *checked = el_snapshot_check(s, n, &why);

    assert_true((checked == NULL) == (why != NULL));
    return why ? why : "";
}

static void a_sound_one_passes_and_comes_back_from_its_file(void **state)
{
    struct el_snapshot *s = sound(), *back = NULL;
    char path[SCRATCH_PATH];
    const char *why;

    scratch_path(path, "snapshot");
    assert_string_equal(reason(s, s->size), "");
    assert_int_equal(el_file_replace(AT_FDCWD, path, s, s->size, 0600, false), 0);
    assert_int_equal(el_snapshot_read(AT_FDCWD, path, &back, &why), 0);
    assert_memory_equal(s, back, s->size);
    el_snapshot_free(back);
    assert_int_equal(el_file_replace(AT_FDCWD, path, s, s->size / 2, 0600, false), 0);
    assert_int_equal(el_snapshot_read(AT_FDCWD, path, &back, &why), -EBADMSG);
    assert_string_equal(why, "cut short");
    el_snapshot_free(s);
}

static void a_changed_byte_is_found(void **state)
{
    struct el_snapshot *s = sound();

    ((char *)s)[s->size - 9] ^= 1;
    assert_string_equal(reason(s, s->size), "checksum wrong");
    el_snapshot_free(s);
}

/* Whoever reads may follow rows and print texts without looking: each lie is found though the checksum is right. */
static void lies_are_found(void **state)
{
    static const char *const want[] = {"table outside the file",
                                       "card points outside the slots or links",
                                       "slot points outside the cards",
                                       "namespace points outside the slots",
                                       "link has too many errors",
                                       "sensor points outside the cards",
                                       "event points outside the slots",
                                       "text without an end",
                                       "text without an end",
                                       "text without an end",
                                       "text without an end"};

    for (size_t i = 0; i < EL_ARRAY_SIZE(want); i++) {
        struct el_snapshot *s = sound();

        switch (i) {
        case 0:
            s->links.count = 1000000;
            break;
        case 1:
            el_snapshot_cards(s)->slots = 3;
            break;
        case 2:
            el_snapshot_slots(s)[1].card = UINT32_MAX;
            break;
        case 3:
            el_snapshot_namespaces(s)->slot = 2;
            break;
        case 4:
            el_snapshot_links(s)->aer_errors = EL_AER_ERRORS + 1;
            break;
        case 5:
            el_snapshot_sensors(s)->card = -2;
            break;
        case 6:
            el_snapshot_events(s)->slot = 2;
            break;
        case 7:
            memset(el_snapshot_cards(s)->name, 'x', sizeof el_snapshot_cards(s)->name);
            break;
        case 8:
            memset(el_snapshot_slots(s)[1].identify.model, 'x', sizeof el_snapshot_slots(s)->identify.model);
            break;
        case 9:
            memset(el_snapshot_links(s)->aer_error[EL_AER_ERRORS - 1].name, 'x',
                   sizeof el_snapshot_links(s)->aer_error[EL_AER_ERRORS - 1].name);
            break;
        default:
            memset(s->daemon.version, 'x', sizeof s->daemon.version);
            break;
        }
        el_snapshot_seal(s);
        assert_string_equal(reason(s, s->size), want[i]);
        el_snapshot_free(s);
    }
}

/* Of two that are written in turns the newer comes, and the older while the newer is half written. */
static void of_two_the_newer_whole_one_comes(void **state)
{
    struct el_snapshot *s = sound(), *back;
    char path[SCRATCH_PATH];
    const char *why;
    int fd;
    const struct {
        uint64_t seq[2]; /* 0: nothing was written there */
        int torn;        /* bit per frame */
        uint64_t want;   /* 0: none */
    } cases[] = {{{1, 0}, 0, 1}, {{1, 2}, 0, 2}, {{3, 2}, 0, 3}, {{3, 2}, 1, 2}, {{3, 4}, 2, 3},
                 {{3, 4}, 1, 4}, {{3, 4}, 3, 0}, {{1, 0}, 1, 0}, {{0, 5}, 0, 5}, {{0, 0}, 0, 0}};

    scratch_path(path, "two");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (size_t i = 0; i < EL_ARRAY_SIZE(cases); i++) {
        off_t room = (off_t)s->size + 4096;

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(ftruncate(fd, 2 * room), 0);
        for (int k = 0; k < 2; k++) {
            size_t part = cases[i].torn & 1 << k ? s->size / 2 : s->size;

            s->seq = cases[i].seq[k];
            el_snapshot_seal(s);
            if (s->seq)
                assert_int_equal(pwrite(fd, s, part, k * room), (ssize_t)part);
        }
        if (cases[i].want) {
            assert_int_equal(el_snapshot_read(AT_FDCWD, path, &back, &why), 0);
            assert_int_equal(back->seq, cases[i].want);
            el_snapshot_free(back);
        } else {
            assert_int_equal(el_snapshot_read(AT_FDCWD, path, &back, &why), -EBADMSG);
        }
    }
    close(fd);
    el_snapshot_free(s);
}

struct readers {
    int dir;
    atomic_bool over;
    atomic_uint good, mixed;
};

/* As an exporter that never pauses: what passes the check is one round, whole. */
static void *read_on(void *arg)
{
    struct readers *r = arg;
    struct el_snapshot *s;
    uint64_t last = 0;
    const char *why;

    while (!atomic_load(&r->over)) {
        bool whole;

        if (el_snapshot_read(r->dir, EL_SNAPSHOT_FILE, &s, &why) < 0)
            continue; /* both were overtaken while they were read: the check refuses them */
        whole = s->seq >= last && s->alarms.count == s->seq / 8 % 3;
        for (uint32_t i = 0; i < s->slots.count; i++)
            whole = whole && el_snapshot_slots(s)[i].polls == s->seq;
        r->mixed += !whole;
        r->good++;
        last = s->seq;
        el_snapshot_free(s);
    }
    return NULL;
}

static void readers_see_whole_rounds(void **state)
{
    static const struct el_snapshot_counts many = {.cards = 1, .slots = 16, .alarms = 2};
    struct el_snapshot *s = el_snapshot_new(&many);
    struct readers r = {.over = false};
    struct el_file_pair pair;
    int64_t deadline_us = el_clock_monotonic_us() + 60 * EL_USEC_PER_SEC;
    pthread_t thread;

    assert_non_null(s);
    r.dir = open(scratch, O_RDONLY | O_DIRECTORY);
    el_file_pair_init(&pair);
    for (uint64_t seq = 1; seq < 4000 || atomic_load(&r.good) < 100; seq++) {
        assert_true(el_clock_monotonic_us() < deadline_us);
        s->seq = seq;
        s->alarms.count = (uint32_t)(seq / 8 % 3); /* shorter and longer, too: mapped rounds and written ones */
        s->size = (s->alarms.offset + s->alarms.count * sizeof(struct el_alarm) + 15) & ~15ULL;
        for (uint32_t i = 0; i < many.slots; i++)
            el_snapshot_slots(s)[i].polls = seq;
        el_snapshot_seal(s);
        assert_int_equal(el_file_pair_write(&pair, r.dir, EL_SNAPSHOT_FILE, s, s->size, 0644), 0);
        if (seq == 1)
            assert_int_equal(pthread_create(&thread, NULL, read_on, &r), 0);
    }
    atomic_store(&r.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(r.mixed, 0);
    el_file_pair_remove(&pair, r.dir, EL_SNAPSHOT_FILE);
    close(r.dir);
    el_snapshot_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_one_passes_and_comes_back_from_its_file),
        cmocka_unit_test(a_changed_byte_is_found),
        cmocka_unit_test(lies_are_found),
        cmocka_unit_test(of_two_the_newer_whole_one_comes),
        cmocka_unit_test(readers_see_whole_rounds),
    };

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
