#include "model/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SNAPSHOT_MAX      (256u << 20) /* no machine comes near it; keeps a wrong size from eating memory */
#define STALE_PERIODS     3LL          /* one may be late; assumed */
#define PERIOD_MS_DEFAULT 2000
#define PRIME             0x100000001b3ULL
#define ROW_ALIGN         16 /* what a 128-bit counter needs, and malloc and mmap give */
_Static_assert(_Alignof(struct el_slot) <= ROW_ALIGN, "rows are laid out for this");

struct table {
    size_t offset, count, row; /* of struct el_snapshot, of struct el_snapshot_counts; bytes of one row */
};

#define TABLE(name, type)                                                                                              \
    {                                                                                                                  \
        offsetof(struct el_snapshot, name), offsetof(struct el_snapshot_counts, name), sizeof(struct type)             \
    }
static const struct table tables[] = {
    TABLE(cards, el_card),     TABLE(slots, el_slot),   TABLE(namespaces, el_namespace), TABLE(links, el_link),
    TABLE(sensors, el_sensor), TABLE(events, el_event), TABLE(alarms, el_alarm),
};

struct extent {
    uint32_t offset, count;
};

static size_t align_row(size_t n)
{
    return (n + ROW_ALIGN - 1) & ~(size_t)(ROW_ALIGN - 1);
}

static uint32_t layout_id(void)
{
    uint32_t h = (uint32_t)sizeof(struct el_snapshot);

    for (size_t i = 0; i < EL_ARRAY_SIZE(tables); i++)
        h = h * 16777619u ^ (uint32_t)tables[i].row;
    return h;
}

/* FNV-1a over 8-byte words, four at a time because each step waits for its own multiplication. Finds torn and foreign
 * files; it is no signature. */
static uint64_t checksum(const struct el_snapshot *s)
{
    const uint64_t *p = (const uint64_t *)(const void *)&s->seq,
                   *end = p + (s->size - offsetof(struct el_snapshot, seq)) / sizeof *p;
    uint64_t a = 0xcbf29ce484222325ULL, b = 1, c = 2, d = 3; /* not an array: they stay in registers */

    for (; end - p >= 4; p += 4) {
        a = (a ^ p[0]) * PRIME;
        b = (b ^ p[1]) * PRIME;
        c = (c ^ p[2]) * PRIME;
        d = (d ^ p[3]) * PRIME;
    }
    for (; p < end; p++)
        a = (a ^ *p) * PRIME;
    a = (a ^ b) * PRIME;
    a = (a ^ c) * PRIME;
    return (a ^ d) * PRIME;
}

struct el_snapshot *el_snapshot_new(const struct el_snapshot_counts *n)
{
    size_t size = align_row(sizeof(struct el_snapshot));
    struct extent extents[EL_ARRAY_SIZE(tables)];
    struct el_snapshot *s;

    for (size_t i = 0; i < EL_ARRAY_SIZE(tables); i++) {
        uint32_t count = *(const uint32_t *)((const char *)n + tables[i].count);

        extents[i] = (struct extent){.offset = (uint32_t)size, .count = count};
        size += align_row(tables[i].row * count);
        if (size > SNAPSHOT_MAX)
            return NULL;
    }
    s = calloc(1, size);
    if (!s)
        return NULL;
    s->size = size;
    for (size_t i = 0; i < EL_ARRAY_SIZE(tables); i++)
        memcpy((char *)s + tables[i].offset, &extents[i], sizeof extents[i]);
    return s;
}

struct el_snapshot *el_snapshot_free(struct el_snapshot *s)
{
    free(s);
    return NULL;
}

void el_snapshot_seal(struct el_snapshot *s)
{
    memcpy(s->magic, EL_SNAPSHOT_MAGIC, sizeof s->magic);
    s->version = EL_SNAPSHOT_VERSION;
    s->layout = layout_id();
    s->checksum = checksum(s);
}

static const char *check_header(const struct el_snapshot *s, size_t n)
{
    if (n < sizeof *s || memcmp(s->magic, EL_SNAPSHOT_MAGIC, sizeof s->magic) != 0)
        return "not an elementd snapshot";
    if (s->version != EL_SNAPSHOT_VERSION || s->layout != layout_id())
        return "written by another version of elementd";
    if (s->size != n || n % ROW_ALIGN)
        return "cut short";
    for (size_t i = 0; i < EL_ARRAY_SIZE(tables); i++) {
        struct extent e;

        memcpy(&e, (const char *)s + tables[i].offset, sizeof e);
        if (e.offset % ROW_ALIGN || e.offset < sizeof *s || e.offset > n || e.count > (n - e.offset) / tables[i].row)
            return "table outside the file";
    }
    if (s->checksum != checksum(s))
        return "checksum wrong";
    return NULL;
}

/* Row references, so that views may follow them without looking. */
static const char *check_references(const struct el_snapshot *s)
{
    const struct el_card *cards = el_snapshot_cards(s);
    const struct el_slot *slots = el_snapshot_slots(s);
    const struct el_namespace *namespaces = el_snapshot_namespaces(s);
    const struct el_link *links = el_snapshot_links(s);
    const struct el_sensor *sensors = el_snapshot_sensors(s);
    int64_t n_cards = s->cards.count, n_slots = s->slots.count;

    for (uint32_t i = 0; i < s->cards.count; i++)
        if (cards[i].first_slot > s->slots.count || cards[i].slots > s->slots.count - cards[i].first_slot ||
            cards[i].first_link > s->links.count || cards[i].links > s->links.count - cards[i].first_link)
            return "card points outside the slots or links";
    for (uint32_t i = 0; i < s->slots.count; i++)
        if (slots[i].card >= n_cards || slots[i].identify.power_states > EL_NVME_POWER_STATES)
            return "slot points outside the cards";
    for (uint32_t i = 0; i < s->namespaces.count; i++)
        if (namespaces[i].slot >= n_slots)
            return "namespace points outside the slots";
    for (uint32_t i = 0; i < s->links.count; i++) {
        if (links[i].card >= n_cards || links[i].slot < -1 || links[i].slot >= n_slots)
            return "link points outside the cards";
        if (links[i].aer_errors > EL_AER_ERRORS)
            return "link has too many errors";
    }
    for (uint32_t i = 0; i < s->sensors.count; i++)
        if (sensors[i].card < -1 || sensors[i].card >= n_cards)
            return "sensor points outside the cards";
    for (uint32_t i = 0; i < s->events.count; i++)
        if (el_snapshot_events(s)[i].card < -1 || el_snapshot_events(s)[i].card >= n_cards ||
            el_snapshot_events(s)[i].slot < -1 || el_snapshot_events(s)[i].slot >= n_slots)
            return "event points outside the slots";
    for (uint32_t i = 0; i < s->alarms.count; i++)
        if (el_snapshot_alarms(s)[i].card < -1 || el_snapshot_alarms(s)[i].card >= n_cards ||
            el_snapshot_alarms(s)[i].slot < -1 || el_snapshot_alarms(s)[i].slot >= n_slots)
            return "alarm points outside the slots";
    return NULL;
}

/* Every text of every row: `n` of them, `size` bytes each, one every `stride` bytes. */
struct text {
    enum { CARDS, SLOTS, NAMESPACES, LINKS, SENSORS, EVENTS, ALARMS } table; /* index of `tables` */
    size_t offset, size, n, stride;
};

#define MEMBER(type, member) (((struct type *)0)->member)
#define TEXTS(table, type, member, n, stride)                                                                          \
    {                                                                                                                  \
        table, offsetof(struct type, member), sizeof MEMBER(type, member), n, stride                                   \
    }
#define TEXT(table, type, member) TEXTS(table, type, member, 1, 0)
static const struct text texts[] = {
    TEXT(CARDS, el_card, name),
    TEXT(CARDS, el_card, profile),
    TEXT(CARDS, el_card, title),
    TEXT(CARDS, el_card, address),
    TEXT(CARDS, el_card, serial),
    TEXT(CARDS, el_card, law),
    TEXT(SLOTS, el_slot, reason),
    TEXT(SLOTS, el_slot, controller),
    TEXT(SLOTS, el_slot, address),
    TEXT(SLOTS, el_slot, label),
    TEXT(SLOTS, el_slot, transport),
    TEXT(SLOTS, el_slot, ctrl_state),
    TEXT(SLOTS, el_slot, driver),
    TEXT(SLOTS, el_slot, profile),
    TEXT(SLOTS, el_slot, last_serial),
    TEXT(SLOTS, el_slot, array),
    TEXT(SLOTS, el_slot, identify.serial),
    TEXT(SLOTS, el_slot, identify.model),
    TEXT(SLOTS, el_slot, identify.firmware),
    TEXT(SLOTS, el_slot, identify.subnqn),
    TEXTS(SLOTS, el_slot, logs.firmware.revision[0], 7, sizeof MEMBER(el_slot, logs.firmware.revision[0])),
    TEXT(NAMESPACES, el_namespace, block),
    TEXT(LINKS, el_link, address),
    TEXT(LINKS, el_link, parent),
    TEXT(LINKS, el_link, physical_slot),
    TEXT(LINKS, el_link, power_state),
    TEXTS(LINKS, el_link, aer_error[0].name, EL_AER_ERRORS, sizeof MEMBER(el_link, aer_error[0])),
    TEXT(SENSORS, el_sensor, name),
    TEXT(SENSORS, el_sensor, label),
    TEXT(EVENTS, el_event, text),
    TEXT(ALARMS, el_alarm, text),
};

static bool row_text_ends(const char *row, const struct text *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (!memchr(row + t->offset + i * t->stride, '\0', t->size))
            return false;
    return true;
}

static const char *check_texts(const struct el_snapshot *s)
{
    if (!memchr(s->daemon.version, '\0', sizeof s->daemon.version) ||
        !memchr(s->daemon.backend, '\0', sizeof s->daemon.backend) || !memchr(s->boot_id, '\0', sizeof s->boot_id))
        return "text without an end";
    for (size_t i = 0; i < EL_ARRAY_SIZE(texts); i++) {
        const struct table *table = &tables[texts[i].table];
        struct extent e;

        memcpy(&e, (const char *)s + table->offset, sizeof e);
        for (uint32_t row = 0; row < e.count; row++)
            if (!row_text_ends((const char *)s + e.offset + row * table->row, &texts[i]))
                return "text without an end";
    }
    return NULL;
}

const struct el_snapshot *el_snapshot_check(const void *bytes, size_t n, const char **why)
{
    const struct el_snapshot *s = bytes;

    *why = check_header(s, n);
    if (!*why)
        *why = check_references(s);
    if (!*why)
        *why = check_texts(s);
    return *why ? NULL : s;
}

const struct el_link *el_snapshot_link(const struct el_snapshot *s, uint32_t slot, enum el_link_role role)
{
    const struct el_card *c = &el_snapshot_cards(s)[el_snapshot_slots(s)[slot].card];
    const struct el_link *first = el_snapshot_links(s) + c->first_link;

    for (const struct el_link *l = first; l < first + c->links; l++)
        if (l->role == role && (role != EL_LINK_DRIVE || l->slot == (int32_t)slot))
            return l;
    return NULL;
}

bool el_snapshot_fresh(const struct el_snapshot *s, int64_t now_us)
{
    return now_us - s->time_us <= STALE_PERIODS * (s->period_ms ? s->period_ms : PERIOD_MS_DEFAULT) * EL_USEC_PER_MSEC;
}

static int read_at(int fd, void *out, size_t n, off_t at)
{
    for (size_t got = 0; got < n;) {
        ssize_t r = pread(fd, (char *)out + got, n - got, at + (off_t)got);

        if (r < 0 && errno != EINTR)
            return -errno;
        if (r == 0)
            return -EBADMSG;
        got += r < 0 ? 0 : (size_t)r;
    }
    return 0;
}

static bool is_snapshot(const struct el_snapshot *head)
{
    return memcmp(head->magic, EL_SNAPSHOT_MAGIC, sizeof head->magic) == 0;
}

/* Copies the snapshot with this head, of at most `room` bytes, into a block of its own. */
static int read_frame(int fd, const struct el_snapshot *head, off_t at, off_t room, struct el_snapshot **out,
                      const char **why)
{
    struct el_snapshot *s;
    int r;

    *why = "not an elementd snapshot";
    if (!is_snapshot(head))
        return -EBADMSG;
    *why = "cut short";
    if (head->size < sizeof *head || head->size > (uint64_t)room || head->size > SNAPSHOT_MAX)
        return -EBADMSG;
    s = malloc(head->size);
    if (!s)
        return -ENOMEM;
    r = read_at(fd, s, head->size, at);
    if (r == 0 && !el_snapshot_check(s, head->size, why))
        r = -EBADMSG;
    if (r < 0)
        el_snapshot_free(s);
    else
        *out = s;
    return r;
}

int el_snapshot_read(int dirfd, const char *path, struct el_snapshot **out, const char **why)
{
    EL_AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *why = NULL;
    return fd < 0 ? -errno : el_snapshot_read_open(fd, out, why);
}

int el_snapshot_read_open(int fd, struct el_snapshot **out, const char **why)
{
    struct el_snapshot head[2] = {0};
    const char *unsaid;
    struct stat st;
    off_t room;
    int r, newer;

    *why = NULL;
    if (fstat(fd, &st) < 0)
        return -errno;
    *why = "not an elementd snapshot";
    r = read_at(fd, &head[0], sizeof head[0], 0);
    if (r < 0)
        return r;
    if (head[0].size == (uint64_t)st.st_size) /* it stands alone */
        return read_frame(fd, &head[0], 0, st.st_size, out, why);
    room = st.st_size / 2;
    newer = read_at(fd, &head[1], sizeof head[1], room) == 0 && is_snapshot(&head[1]) && head[1].seq > head[0].seq;
    r = read_frame(fd, &head[newer], newer * room, room, out, why);
    if (r == -EBADMSG && read_frame(fd, &head[!newer], !newer * room, room, out, &unsaid) == 0)
        r = 0; /* the newer one is being written: take the other */
    return r;
}
