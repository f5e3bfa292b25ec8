/* One file, two frames that are written in turns: what is in each, and what happens when somebody meddles with the
 * file. */
#include "base/pair.h"
#include "support/scratch.h"

#include <sys/stat.h>

#define SIZE  9000
#define LARGE (2u << 20)

static char bytes[LARGE];
static int dirfd_;

static int set_up(void **state)
{
    if (scratch_set_up(state) < 0)
        return -1;
    dirfd_ = open(scratch, O_RDONLY | O_DIRECTORY);
    return dirfd_ < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    close(dirfd_);
    return scratch_tear_down(state);
}

static void fill_next(struct el_file_pair *p, char fill, size_t n)
{
    memset(bytes, fill, n);
    assert_int_equal(el_file_pair_write(p, dirfd_, "f", bytes, n, 0644), 0);
}

static struct stat status_of(const char *name)
{
    struct stat st = {0};

    (void)fstatat(dirfd_, name, &st, 0);
    return st;
}

/* The named file has this in its first (0) or second (1) frame; 0 = nothing. */
static void expect(int frame, char fill, size_t n)
{
    EL_AUTO_CLOSE int fd = openat(dirfd_, "f", O_RDONLY);
    off_t room = status_of("f").st_size / 2;
    char c;

    assert_true(n <= (size_t)room);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pread(fd, &c, 1, frame * room + (off_t)i), 1);
        assert_int_equal(c, fill);
    }
}

static void test_turns(void **state)
{
    struct el_file_pair p;
    struct stat first;

    el_file_pair_init(&p);
    fill_next(&p, 'a', SIZE);
    first = status_of("f");
    assert_int_equal(first.st_mode & 07777, 0644);
    expect(0, 'a', SIZE);
    expect(1, 0, SIZE);
    for (char c = 'b'; c < 'h'; c++) {
        fill_next(&p, c, SIZE + (size_t)c % 3); /* what is a little longer or shorter has room */
        expect(c % 2 == 0, c, SIZE);
        expect(c % 2, (char)(c - 1), SIZE);
    }
    assert_int_equal(status_of("f").st_ino, first.st_ino);
    fill_next(&p, 'h', 3 * SIZE);
    assert_int_not_equal(status_of("f").st_ino, first.st_ino);
    expect(0, 'h', 3 * SIZE);
    el_file_pair_remove(&p, dirfd_, "f");
    assert_int_equal(status_of("f").st_ino, 0);
    assert_int_equal(status_of("f.new").st_ino, 0);
}

/* Readers learn of a new round by its time, whether it was copied into a mapping or written. */
static void moves_time(size_t n, bool mapped)
{
    struct el_file_pair p;
    struct timespec old = {.tv_sec = 1};

    el_file_pair_init(&p);
    fill_next(&p, 'a', n);
    assert_true((p.map != NULL) == mapped);
    assert_int_equal(futimens(p.fd, (struct timespec[]){old, old}), 0);
    fill_next(&p, 'b', n);
    expect(1, 'b', 100);
    assert_true(status_of("f").st_mtim.tv_sec > old.tv_sec);
    el_file_pair_remove(&p, dirfd_, "f");
}

static void test_time(void **state)
{
    moves_time(SIZE, true);
    moves_time(LARGE, false);
}

/* Whatever happens to the file behind our back, the next round publishes what it was given. */
static void test_meddling(void **state)
{
    struct el_file_pair p;

    el_file_pair_init(&p);
    fill_next(&p, 'a', SIZE);
    assert_int_equal(unlinkat(dirfd_, "f", 0), 0);
    fill_next(&p, 'b', SIZE);
    expect(0, 'b', SIZE);
    EL_AUTO_CLOSE int foreign = openat(dirfd_, "foreign", O_RDWR | O_CREAT, 0600);
    assert_int_equal(renameat(dirfd_, "foreign", dirfd_, "f"), 0);
    fill_next(&p, 'c', SIZE);
    expect(0, 'c', SIZE);
    assert_int_equal(status_of("f").st_mode & 07777, 0644);
    EL_AUTO_CLOSE int fd = openat(dirfd_, "f", O_WRONLY);
    assert_int_equal(ftruncate(fd, 100), 0); /* what was mapped is no longer there to be written */
    fill_next(&p, 'd', SIZE);
    expect(0, 'd', SIZE);
    assert_int_equal(symlinkat("elsewhere", dirfd_, "f.new"), 0); /* in the way of the next file */
    fill_next(&p, 'e', 3 * SIZE);
    expect(0, 'e', 3 * SIZE);
    el_file_pair_remove(&p, dirfd_, "f");
}

static void test_no_room(void **state)
{
    struct el_file_pair p;

    el_file_pair_init(&p);
    assert_true(el_file_pair_write(&p, -1, "f", "x", 1, 0644) < 0);
    fill_next(&p, 'a', SIZE);
    el_file_pair_remove(&p, dirfd_, "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_meddling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_room, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
