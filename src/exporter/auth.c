#include "exporter/auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/base.h"
#include "base/text.h"

#define CACHE_MAX     64
#define KEY_SIZE      32
#define BCRYPT_SALTED 29 /* "$2y$10$" and 22 characters of salt */

enum check_state { CHECK_WAITING, CHECK_RUNNING, CHECK_DECIDED };

/* Each is served as often as the others while somebody of it waits. */
enum origin { ORIGIN_RIGHT_BEFORE, ORIGIN_PROVEN, ORIGIN_LOCAL, ORIGIN_OTHER, ORIGINS };

/* There is at most one for each connection, and the one under way. */
struct check {
    struct check *next;
    enum check_state state;
    uint64_t turn;      /* of its address: the first in line of each address stand before the second ones */
    const void *ticket; /* NULL: nobody waits any more */
    uint8_t address[16];
    enum origin origin;
    bool granted;
    uint8_t key[KEY_SIZE], pair[KEY_SIZE];
    char password[128]; /* bcrypt reads 72 bytes */
    char hash[64];
    bool known; /* else the hash is anybody's */
    int cost;   /* what a refusal takes */
};

struct el_auth {
    const struct el_web_config *config;
    uint8_t secret[KEY_SIZE];

    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t worker;
    bool stop;
    int event_fd;
    uint64_t turn;            /* the highest of those that began */
    uint64_t served[ORIGINS]; /* when, by count */
    struct check *first;      /* in the order they came */
    uint64_t uses;
    struct {
        uint8_t key[KEY_SIZE], pair[KEY_SIZE], address[16];
        uint64_t used; /* 0 = free */
    } cache[CACHE_MAX];
};

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return gnutls_memcmp(a, b, n) == 0; /* constant time */
}

static struct check *find(const struct el_auth *a, enum check_state state)
{
    struct check *c = a->first;

    while (c && c->state != state)
        c = c->next;
    return c;
}

/* The one whose turn it is, or NULL. */
static struct check *next_waiting(const struct el_auth *a)
{
    struct check *best = NULL;

    for (struct check *c = a->first; c; c = c->next)
        if (c->state == CHECK_WAITING && (!best || a->served[c->origin] < a->served[best->origin] ||
                                          (c->origin == best->origin && c->turn < best->turn)))
            best = c;
    return best;
}

static void drop(struct el_auth *a, struct check *c)
{
    struct check **at = &a->first;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    explicit_bzero(c, sizeof *c);
    free(c);
}

static void remember(struct el_auth *a, const struct check *c)
{
    int oldest = 0;

    for (int i = 1; i < CACHE_MAX; i++)
        if (a->cache[i].used < a->cache[oldest].used)
            oldest = i;
    memcpy(a->cache[oldest].key, c->key, KEY_SIZE);
    memcpy(a->cache[oldest].pair, c->pair, KEY_SIZE);
    memcpy(a->cache[oldest].address, c->address, sizeof c->address);
    a->cache[oldest].used = ++a->uses;
}

/* An address that had a right password before is no guesser's, as a rule: a new password is not to wait behind those.
 */
static bool proven(const struct el_auth *a, const uint8_t address[16])
{
    for (int i = 0; i < CACHE_MAX; i++)
        if (a->cache[i].used && memcmp(a->cache[i].address, address, sizeof a->cache[i].address) == 0)
            return true;
    return false;
}

/* Was this name with this password right, under whichever hash? */
static bool right_before(const struct el_auth *a, const uint8_t pair[KEY_SIZE])
{
    for (int i = 0; i < CACHE_MAX; i++)
        if (a->cache[i].used && same_bytes(a->cache[i].pair, pair, KEY_SIZE))
            return true;
    return false;
}

static bool remembered(struct el_auth *a, const uint8_t key[KEY_SIZE])
{
    for (int i = 0; i < CACHE_MAX; i++)
        if (a->cache[i].used && same_bytes(a->cache[i].key, key, KEY_SIZE)) {
            a->cache[i].used = ++a->uses;
            return true;
        }
    return false;
}

/* bcrypt does 2^cost rounds, cost being the two digits of "$2y$10$...". */
static int cost_of(const char *hash)
{
    return 10 * (hash[4] - '0') + hash[5] - '0';
}

/* Two characters can end the same salt, of which crypt_r writes one: only what follows the salt is compared. */
static bool hashes_to(const char *password, const char *hash, struct crypt_data *scratch)
{
    const char *out = crypt_r(password, hash, scratch);
    size_t n = strlen(hash);

    return out && n > BCRYPT_SALTED && strlen(out) == n &&
           same_bytes(out + BCRYPT_SALTED, hash + BCRYPT_SALTED, n - BCRYPT_SALTED);
}

/* A refusal costs as much as the dearest hash, whoever's it is: 2^c and 2^c, 2^(c+1), ... up to 2^(d-1) make 2^d. */
static bool is_right(const struct check *c, struct crypt_data *scratch)
{
    char hash[sizeof c->hash];

    if (hashes_to(c->password, c->hash, scratch) && c->known)
        return true;
    el_text_copy(hash, sizeof hash, c->hash);
    for (int cost = cost_of(c->hash); cost < c->cost; cost++) {
        hash[4] = (char)('0' + cost / 10);
        hash[5] = (char)('0' + cost % 10);
        (void)hashes_to(c->password, hash, scratch);
    }
    return false;
}

static void *work(void *arg)
{
    struct el_auth *a = arg;
    struct crypt_data *scratch = calloc(1, sizeof *scratch);

    pthread_mutex_lock(&a->lock);
    while (!a->stop) {
        struct check *c = next_waiting(a);

        if (!c) {
            pthread_cond_wait(&a->work, &a->lock);
            continue;
        }
        c->state = CHECK_RUNNING;
        a->turn = EL_MAX(a->turn, c->turn);
        a->served[c->origin] = ++a->uses;
        pthread_mutex_unlock(&a->lock);
        c->granted = scratch && is_right(c, scratch);
        pthread_mutex_lock(&a->lock);
        c->state = CHECK_DECIDED;
        if (c->granted)
            remember(a, c);
        if (!c->ticket)
            drop(a, c);
        eventfd_write(a->event_fd, 1);
    }
    pthread_mutex_unlock(&a->lock);
    if (scratch)
        explicit_bzero(scratch, sizeof *scratch);
    free(scratch);
    return NULL;
}

struct el_auth *el_auth_new(void)
{
    struct el_auth *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->work, NULL);
    if (a->event_fd >= 0 && gnutls_rnd(GNUTLS_RND_RANDOM, a->secret, sizeof a->secret) == 0 &&
        pthread_create(&a->worker, NULL, work, a) == 0)
        return a;
    if (a->event_fd >= 0)
        close(a->event_fd);
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->lock);
    free(a);
    return NULL;
}

struct el_auth *el_auth_free(struct el_auth *a)
{
    if (!a)
        return NULL;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->work);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->worker, NULL);
    while (a->first)
        drop(a, a->first);
    close(a->event_fd);
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->lock);
    explicit_bzero(a, sizeof *a);
    free(a);
    return NULL;
}

void el_auth_configure(struct el_auth *a, const struct el_web_config *c)
{
    a->config = c;
}

int el_auth_fd(const struct el_auth *a)
{
    return a->event_fd;
}

/* Name, hash and password under a secret of this process: nothing that could be guessed from a memory image of the
 * cache alone, and nothing that is right for another hash. */
static int key_of(const struct el_auth *a, const char *user, const char *hash, const char *password,
                  uint8_t key[KEY_SIZE])
{
    gnutls_hmac_hd_t h;

    if (gnutls_hmac_init(&h, GNUTLS_MAC_SHA256, a->secret, sizeof a->secret) < 0)
        return -ENOMEM;
    gnutls_hmac(h, user, strlen(user) + 1);
    gnutls_hmac(h, hash, strlen(hash) + 1);
    gnutls_hmac(h, password, strlen(password) + 1);
    gnutls_hmac_deinit(h, key);
    return 0;
}

/* The user's hash, or NULL; and the dearest of all, which does for unknown ones. */
static const char *hash_of(const struct el_web_config *c, const char *user, const char **dearest)
{
    const char *found = NULL;

    *dearest = c->users[0].hash;
    for (size_t i = 0; i < c->users_n; i++) {
        if (cost_of(c->users[i].hash) > cost_of(*dearest))
            *dearest = c->users[i].hash;
        if (strcmp(c->users[i].name, user) == 0)
            found = c->users[i].hash;
    }
    return found;
}

/* Who it comes from, as far as can be said before it is checked. No guesser has had a right password, as a rule: who
 * has is not to wait behind guesses for a new one, even from its own address. */
static enum origin origin_of(const struct el_auth *a, const struct check *c, bool granted)
{
    if (granted || right_before(a, c->pair))
        return ORIGIN_RIGHT_BEFORE;
    if (proven(a, c->address))
        return ORIGIN_PROVEN;
    return el_admission_is_local(c->address) ? ORIGIN_LOCAL : ORIGIN_OTHER;
}

/* Into the queue, behind what waits there of the same address and kind. */
static enum el_verdict enqueue(struct el_auth *a, struct check *fresh)
{
    struct check **end = &a->first;
    int others = 0;

    fresh->turn = a->turn;
    for (; *end; end = &(*end)->next)
        if ((*end)->state != CHECK_DECIDED &&
            ((*end)->origin == ORIGIN_RIGHT_BEFORE) == (fresh->origin == ORIGIN_RIGHT_BEFORE) &&
            memcmp((*end)->address, fresh->address, sizeof fresh->address) == 0) {
            fresh->turn = EL_MAX(fresh->turn, (*end)->turn);
            others++;
        }
    if (others >= EL_CHECKS_MAX)
        return EL_VERDICT_BUSY;
    fresh->turn++;
    *end = fresh;
    pthread_cond_signal(&a->work);
    return EL_VERDICT_PENDING;
}

enum el_verdict el_auth_check(struct el_auth *a, const char *user, const char *password, const struct el_guest *guest,
                              void *ticket)
{
    const char *dearest, *hash = hash_of(a->config, user, &dearest);
    enum el_verdict v = EL_VERDICT_BUSY;
    struct check *c;

    if (strlen(password) >= sizeof c->password)
        return EL_VERDICT_DENIED; /* bcrypt would cut it: the exporters' own tools refuse to make such a hash */
    c = calloc(1, sizeof *c);
    if (!c || key_of(a, user, hash ? hash : dearest, password, c->key) < 0 ||
        key_of(a, user, "", password, c->pair) < 0) {
        free(c);
        return EL_VERDICT_BUSY;
    }
    c->ticket = ticket;
    c->known = hash;
    c->cost = cost_of(dearest);
    memcpy(c->address, guest->address, sizeof c->address);
    el_text_copy(c->hash, sizeof c->hash, hash ? hash : dearest);
    el_text_copy(c->password, sizeof c->password, password);
    pthread_mutex_lock(&a->lock);
    c->origin = origin_of(a, c, guest->granted);
    v = hash && remembered(a, c->key) ? EL_VERDICT_GRANTED : enqueue(a, c);
    pthread_mutex_unlock(&a->lock);
    if (v != EL_VERDICT_PENDING) {
        explicit_bzero(c, sizeof *c);
        free(c);
    }
    return v;
}

bool el_auth_proven(struct el_auth *a, const uint8_t address[16])
{
    bool found;

    pthread_mutex_lock(&a->lock);
    found = proven(a, address);
    pthread_mutex_unlock(&a->lock);
    return found;
}

bool el_auth_next(struct el_auth *a, void **ticket, enum el_verdict *verdict)
{
    struct check *c;
    eventfd_t drained;
    bool found;

    eventfd_read(a->event_fd, &drained);
    pthread_mutex_lock(&a->lock);
    c = find(a, CHECK_DECIDED);
    found = c;
    if (c) {
        *ticket = (void *)(uintptr_t)c->ticket;
        *verdict = c->granted ? EL_VERDICT_GRANTED : EL_VERDICT_DENIED;
        drop(a, c);
    }
    pthread_mutex_unlock(&a->lock);
    return found;
}

void el_auth_forget(struct el_auth *a, const void *ticket)
{
    struct check *c;

    pthread_mutex_lock(&a->lock);
    for (c = a->first; c && c->ticket != ticket; c = c->next)
        ;
    if (c && c->state == CHECK_RUNNING)
        c->ticket = NULL;
    else if (c)
        drop(a, c);
    pthread_mutex_unlock(&a->lock);
}
