/* Feeds files, and cheap variations of each, to a fuzz target: usage: TARGET FILE-OR-DIRECTORY... */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rng.h"
#include "fuzz.h"

#define SIZE_MAX_READ (1u << 20)
#define VARIATIONS    64

static unsigned long runs;

static void feed(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1); /* its own block: a read past the end is caught by the sanitizers */

    if (!copy)
        abort();
    memcpy(copy, bytes, n);
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    runs++;
}

static void vary(uint8_t *bytes, size_t n)
{
    struct el_rng rng = el_rng_seed(n);

    for (int i = 0; i < VARIATIONS && n; i++) {
        size_t at = el_rng_u64(&rng) % n, cut = el_rng_u64(&rng) % n;
        uint8_t old = bytes[at];

        bytes[at] = (uint8_t)el_rng_u64(&rng);
        feed(bytes, i % 4 ? n : cut);
        bytes[at] = old;
    }
}

static int replay_file(const char *path)
{
    static uint8_t bytes[SIZE_MAX_READ];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f) {
        perror(path);
        return 1;
    }
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    feed(bytes, n);
    vary(bytes, n);
    return 0;
}

static int replay(const char *path)
{
    char inside[4096];
    struct dirent *entry;
    int bad = 0;
    DIR *dir = opendir(path);

    if (!dir)
        return replay_file(path);
    while ((entry = readdir(dir))) {
        struct stat st;

        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && stat(inside, &st) == 0 && S_ISREG(st.st_mode))
            bad |= replay_file(inside);
    }
    closedir(dir);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = argc < 2;

    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%lu inputs\n", runs);
    return bad || runs == 0;
}
