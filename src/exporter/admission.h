/* Who may stay connected. Pure bookkeeping: no socket, no clock; the server tells what happens and asks whom to cut.
 *
 * Nobody is refused: when the house is full, the newcomer comes in and the least deserving leaves. It is one of the
 * address that holds most connections, if that is more than a 64th of the house (so a crowd from one address only hurts
 * itself, and loopback is never crowded out by the network), and rather of one that never had a right password; of
 * these, in this order: one that still owes its request, or a right password, after a grace, one that does not read its
 * answer, one that is idle, one that has just come, one that gets on with its handshake; and of equals the one that has
 * got no further for longest. In a crowd of one address, of which only so many passwords are checked at a time, those
 * few are the last to leave: one of them may be the right one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Checks of one address waiting or under way, at most; as many again with a password that was right before. At 43 ms
 * each (cost 10, measured) a third of a second. */
#define EL_CHECKS_MAX 8

enum el_phase {
    EL_PHASE_HEADER, /* a request header is expected or under way */
    EL_PHASE_IDLE,   /* kept alive between requests, nothing of the next one has come */
    EL_PHASE_CHECK,  /* its password is being checked */
    EL_PHASE_REPLY,  /* an answer is under way */
    EL_PHASE_CUT,    /* shut down, not yet gone */
};

struct el_guest {
    struct el_guest *prev, *next;
    int fd;
    uint64_t bytes_mark; /* received when the last request was answered */
    uint8_t address[16]; /* IPv4 mapped; IPv6 by /64: one host owns all of it */
    uint32_t peers;      /* how many there are of its address, itself included */
    enum el_phase phase;
    bool proven;        /* completed a request before */
    bool heard;         /* under TLS: its first words were answered, or more */
    bool excused;       /* its words waited to be read when it stood to leave, once since it last got on */
    bool trusted;       /* its address had a right password before */
    bool granted;       /* it has itself had a right password */
    int64_t since_us;   /* in this phase, or when it last got on in it */
    int64_t request_us; /* first sign of the request under way */
};

struct el_admission {
    struct el_guest *head;
    uint32_t count; /* all but those cut */
    uint32_t limit;
    int64_t header_us, total_us, idle_us; /* deadlines: whole header; whole request; silence between requests */
};

/* An address as guests have it: of this machine. */
bool el_admission_is_local(const uint8_t address[16]);

/* Makes `g` known, in phase HEADER. */
void el_admission_enter(struct el_admission *a, struct el_guest *g, const struct sockaddr *from, int64_t now_us);
void el_admission_leave(struct el_admission *a, struct el_guest *g);
void el_admission_phase(struct el_admission *a, struct el_guest *g, enum el_phase phase, int64_t now_us);

/* It got on within its phase, without being through with it. */
void el_admission_progress(struct el_guest *g, int64_t now_us);

/* Under TLS: it has said something that was not read yet, whatever that will turn out to be. True: then it deserves
 * more, once until it gets on. Bytes alone displace nobody who got on later than they came. */
bool el_admission_excuse(struct el_guest *g, int64_t now_us);

/* Whom to cut so that one more fits; NULL while there is room. */
struct el_guest *el_admission_victim(const struct el_admission *a, int64_t now_us);

/* True when `g` has used up the time of its phase. */
bool el_admission_overdue(const struct el_admission *a, const struct el_guest *g, int64_t now_us);

/* A rate limit (GCRA): one request each `interval_us` (0: no limit) on average, `burst` at once. True: this one may
 * pass. `*due_us` is its memory. */
bool el_admission_rate(int64_t interval_us, uint32_t burst, int64_t *due_us, int64_t now_us);
