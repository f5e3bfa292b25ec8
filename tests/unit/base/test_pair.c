/* Two files that change places: what a reader sees, and what happens when somebody holds the spare. */
#include <sys/mman.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/pair.h"
#include "support/unit.h"

#define SIZE 9000

static char dir[64];
static int dirfd_;

static int set_up(void **state)
{
    strcpy(dir, "/dev/shm/el-pair-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    dirfd_ = open(dir, O_RDONLY | O_DIRECTORY);
    return dirfd_ < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    unlinkat(dirfd_, "f", 0);
    unlinkat(dirfd_, "f.new", 0);
    close(dirfd_);
    return rmdir(dir);
}

static void put(struct el_file_pair *p, char fill, size_t n)
{
    char bytes[SIZE];

    memset(bytes, fill, n);
    assert_int_equal(el_file_pair_write(p, dirfd_, "f", bytes, n, 0644), 0);
}

static void expect(char fill, size_t n)
{
    EL_AUTO_BUF struct el_buf b = {0};

    assert_int_equal(el_file_read(dirfd_, "f", SIZE, &b), 0);
    assert_int_equal(b.len, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(b.data[i], fill);
}

static ino_t inode(const char *name)
{
    struct stat st = {0};

    return fstatat(dirfd_, name, &st, 0) == 0 ? st.st_ino : 0;
}

static int truncate_at(const char *name, off_t n)
{
    EL_AUTO_CLOSE int fd = openat(dirfd_, name, O_WRONLY);

    return ftruncate(fd, n);
}

static void test_content(void **state)
{
    struct el_file_pair p;
    struct stat st;

    el_file_pair_init(&p);
    for (int i = 0; i < 7; i++) {
        size_t n = i % 3 == 1 ? SIZE : SIZE / 2 + (size_t)i; /* longer and shorter than what the spare held */

        put(&p, (char)('a' + i), n);
        expect((char)('a' + i), n);
    }
    assert_int_equal(fstatat(dirfd_, "f", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    el_file_pair_remove(&p, dirfd_, "f");
    assert_int_equal(inode("f"), 0);
    assert_int_equal(inode("f.new"), 0);
}

static void test_places_change(void **state)
{
    struct el_file_pair p;
    ino_t first, second;

    el_file_pair_init(&p);
    put(&p, 'a', SIZE);
    first = inode("f");
    put(&p, 'b', SIZE);
    second = inode("f");
    put(&p, 'c', SIZE);
    assert_int_not_equal(first, second);
    assert_non_null(p.spare.map); /* the next round is copied, and told by the change time alone */
    assert_int_equal(inode("f"), first);
    put(&p, 'd', SIZE);
    assert_int_equal(inode("f"), second);
    el_file_pair_remove(&p, dirfd_, "f");
}

/* A reader that is slower than a round keeps what it opened, and so does one that has mapped it. */
static void test_slow_readers(void **state)
{
    struct el_file_pair p;
    char bytes[SIZE];
    int fd, other;
    char *map;

    el_file_pair_init(&p);
    put(&p, 'a', SIZE);
    put(&p, 'b', SIZE);
    fd = openat(dirfd_, "f", O_RDONLY);
    put(&p, 'c', SIZE);
    other = openat(dirfd_, "f", O_RDONLY);
    map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, other, 0);
    close(other); /* the mapping alone holds it */
    for (char c = 'd'; c < 'h'; c++)
        put(&p, c, SIZE);
    expect('g', SIZE);
    assert_int_equal(pread(fd, bytes, SIZE, 0), SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        assert_int_equal(bytes[i], 'b');
        assert_int_equal(map[i], 'c');
    }
    munmap(map, SIZE);
    close(fd);
    el_file_pair_remove(&p, dirfd_, "f");
}

/* Whatever happens to the names behind our back, the next round publishes what it was given. */
static void test_meddling(void **state)
{
    struct el_file_pair p;

    el_file_pair_init(&p);
    put(&p, 'a', SIZE);
    put(&p, 'b', SIZE);
    assert_int_equal(unlinkat(dirfd_, "f.new", 0), 0);
    put(&p, 'c', SIZE);
    expect('c', SIZE);
    assert_int_equal(unlinkat(dirfd_, "f", 0), 0);
    put(&p, 'd', SIZE);
    expect('d', SIZE);
    put(&p, 'e', SIZE);
    assert_int_equal(el_file_replace(dirfd_, "f.new", "foreign", 7, 0644, false), 0);
    put(&p, 'f', SIZE);
    expect('f', SIZE);
    assert_int_equal(el_file_replace(dirfd_, "f", "foreign", 7, 0644, false), 0);
    put(&p, 'g', SIZE);
    expect('g', SIZE);
    put(&p, 'h', SIZE);
    expect('h', SIZE);
    assert_int_equal(truncate_at("f.new", 100), 0); /* what was mapped is no longer there to be written */
    put(&p, 'i', SIZE);
    expect('i', SIZE);
    el_file_pair_remove(&p, dirfd_, "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_content, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_places_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slow_readers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_meddling, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
