#include "exporter/auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/base.h"
#include "base/text.h"

#define QUEUE_MAX 32 /* checks waiting or under way: at 43 ms each (cost 10, measured) the last one waits 1.4 s */
#define CACHE_MAX 64
#define KEY_SIZE  32

enum check_state { CHECK_FREE = 0, CHECK_WAITING, CHECK_RUNNING, CHECK_DECIDED };

struct check {
    enum check_state state;
    uint64_t order;
    const void *ticket; /* NULL: nobody waits any more */
    bool granted;
    uint8_t key[KEY_SIZE];
    char password[128]; /* bcrypt reads 72 bytes */
    const char *hash;
    bool known;
};

struct el_auth {
    const struct el_web_config *config;
    const char *dummy; /* the dearest hash, for unknown users */
    uint8_t secret[KEY_SIZE];

    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t worker;
    bool stop;
    int event_fd;
    uint64_t orders;
    struct check check[QUEUE_MAX];
    struct {
        uint8_t key[KEY_SIZE];
        uint64_t used; /* 0 = free */
    } cache[CACHE_MAX];
};

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return gnutls_memcmp(a, b, n) == 0; /* constant time */
}

/* The oldest waiting check, or NULL. */
static struct check *next_waiting(struct el_auth *a, enum check_state state)
{
    struct check *first = NULL;

    for (int i = 0; i < QUEUE_MAX; i++)
        if (a->check[i].state == state && (!first || a->check[i].order < first->order))
            first = &a->check[i];
    return first;
}

static void remember(struct el_auth *a, const uint8_t key[KEY_SIZE])
{
    int oldest = 0;

    for (int i = 1; i < CACHE_MAX; i++)
        if (a->cache[i].used < a->cache[oldest].used)
            oldest = i;
    memcpy(a->cache[oldest].key, key, KEY_SIZE);
    a->cache[oldest].used = ++a->orders;
}

static bool remembered(struct el_auth *a, const uint8_t key[KEY_SIZE])
{
    for (int i = 0; i < CACHE_MAX; i++)
        if (a->cache[i].used && same_bytes(a->cache[i].key, key, KEY_SIZE)) {
            a->cache[i].used = ++a->orders;
            return true;
        }
    return false;
}

/* bcrypt does 2^cost rounds, cost being the two digits of "$2y$10$...". */
static int cost_of(const char *hash)
{
    return 10 * (hash[4] - '0') + hash[5] - '0';
}

static bool hashes_to(const char *password, const char *hash, struct crypt_data *scratch)
{
    const char *out = crypt_r(password, hash, scratch);

    return out && strlen(out) == strlen(hash) && same_bytes(out, hash, strlen(out));
}

/* A refusal costs as much as the dearest hash, whoever's it is: 2^c and 2^c, 2^(c+1), ... up to 2^(d-1) make 2^d. */
static bool is_right(const struct el_auth *a, const struct check *c, struct crypt_data *scratch)
{
    char hash[128];

    if (hashes_to(c->password, c->hash, scratch) && c->known)
        return true;
    el_text_copy(hash, sizeof hash, c->hash);
    for (int cost = cost_of(c->hash); cost < cost_of(a->dummy); cost++) {
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
        struct check *c = next_waiting(a, CHECK_WAITING);
        bool right;

        if (!c) {
            pthread_cond_wait(&a->work, &a->lock);
            continue;
        }
        c->state = CHECK_RUNNING;
        pthread_mutex_unlock(&a->lock);
        right = scratch && is_right(a, c, scratch);
        pthread_mutex_lock(&a->lock);
        explicit_bzero(c->password, sizeof c->password);
        c->granted = right;
        c->state = c->ticket ? CHECK_DECIDED : CHECK_FREE;
        if (right)
            remember(a, c->key);
        eventfd_write(a->event_fd, 1);
    }
    pthread_mutex_unlock(&a->lock);
    if (scratch)
        explicit_bzero(scratch, sizeof *scratch);
    free(scratch);
    return NULL;
}

static const char *dearest(const struct el_web_config *c)
{
    const char *best = c->users[0].hash;

    for (size_t i = 1; i < c->users_n; i++)
        if (cost_of(c->users[i].hash) > cost_of(best))
            best = c->users[i].hash;
    return best;
}

struct el_auth *el_auth_new(const struct el_web_config *c)
{
    struct el_auth *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->config = c;
    a->dummy = dearest(c);
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
    close(a->event_fd);
    pthread_cond_destroy(&a->work);
    pthread_mutex_destroy(&a->lock);
    explicit_bzero(a, sizeof *a);
    free(a);
    return NULL;
}

int el_auth_fd(const struct el_auth *a)
{
    return a->event_fd;
}

/* Name and password under a secret of this process: nothing that could be guessed from a memory image of the cache
 * alone. */
static int key_of(const struct el_auth *a, const char *user, const char *password, uint8_t key[KEY_SIZE])
{
    gnutls_hmac_hd_t h;

    if (gnutls_hmac_init(&h, GNUTLS_MAC_SHA256, a->secret, sizeof a->secret) < 0)
        return -ENOMEM;
    gnutls_hmac(h, user, strlen(user) + 1);
    gnutls_hmac(h, password, strlen(password) + 1);
    gnutls_hmac_deinit(h, key);
    return 0;
}

static const char *hash_of(const struct el_web_config *c, const char *user)
{
    for (size_t i = 0; i < c->users_n; i++)
        if (strcmp(c->users[i].name, user) == 0)
            return c->users[i].hash;
    return NULL;
}

enum el_verdict el_auth_check(struct el_auth *a, const char *user, const char *password, void *ticket)
{
    const char *hash = hash_of(a->config, user);
    enum el_verdict v = EL_VERDICT_PENDING;
    uint8_t key[KEY_SIZE];
    struct check *c;

    if (strlen(password) >= sizeof c->password)
        return EL_VERDICT_DENIED; /* bcrypt would cut it: the exporters' own tools refuse to make such a hash */
    if (key_of(a, user, password, key) < 0)
        return EL_VERDICT_BUSY;
    pthread_mutex_lock(&a->lock);
    c = next_waiting(a, CHECK_FREE);
    if (hash && remembered(a, key)) {
        v = EL_VERDICT_GRANTED;
    } else if (!c) {
        v = EL_VERDICT_BUSY;
    } else {
        *c = (struct check){.state = CHECK_WAITING,
                            .order = ++a->orders,
                            .ticket = ticket,
                            .hash = hash ? hash : a->dummy,
                            .known = hash};
        memcpy(c->key, key, KEY_SIZE);
        memcpy(c->password, password, strlen(password) + 1);
        pthread_cond_signal(&a->work);
    }
    pthread_mutex_unlock(&a->lock);
    return v;
}

bool el_auth_next(struct el_auth *a, void **ticket, enum el_verdict *verdict)
{
    struct check *c;
    eventfd_t drained;

    eventfd_read(a->event_fd, &drained);
    pthread_mutex_lock(&a->lock);
    c = next_waiting(a, CHECK_DECIDED);
    if (c) {
        *ticket = (void *)(uintptr_t)c->ticket;
        *verdict = c->granted ? EL_VERDICT_GRANTED : EL_VERDICT_DENIED;
        c->state = CHECK_FREE;
    }
    pthread_mutex_unlock(&a->lock);
    return c;
}

void el_auth_forget(struct el_auth *a, const void *ticket)
{
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < QUEUE_MAX; i++) {
        struct check *c = &a->check[i];

        if (c->ticket != ticket)
            continue;
        c->ticket = NULL;
        if (c->state == CHECK_WAITING || c->state == CHECK_DECIDED)
            c->state = CHECK_FREE;
    }
    pthread_mutex_unlock(&a->lock);
}
