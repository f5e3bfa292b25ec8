/* Who may ask the standalone agent, and who is told: the users file and the addresses of notification sinks. Pure text
 * to values, but for el_snmp_access_load.
 *
 * Users file, one line each, # comments, words with blanks in double quotes:
 *   user NAME AUTH "PASSPHRASE" PRIV "PASSPHRASE"   AUTH: SHA-224 SHA-256 SHA-384 SHA-512; PRIV: AES AES-192 AES-256
 *   community TEXT                                  SNMPv2c may read with it; without such a line it may not
 * Passphrases have 8..64 bytes. Every user must encrypt. The file must not be readable by others than its owner.
 *
 * Sinks:
 *   "agentx"                                     through the AgentX master, to whomever snmpd.conf names
 *   "v2c:COMMUNITY@ADDRESS"                      trap
 *   "v3:USER@ADDRESS"                            trap, encrypted; USER from the users file
 *   "v2c-inform:COMMUNITY@ADDRESS"               acknowledged
 *   "v3-inform:USER/0xENGINEID@ADDRESS"          acknowledged; the engine id is the receiver's
 * ADDRESS: udp:192.0.2.1:162, udp6:[2001:db8::1]:162, udp:host.example:162. Not by TCP: connecting blocks, and whoever
 * connects to an agent could have it keep any number of bytes as one message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EL_SNMP_USERS_MAX 16
#define EL_SNMP_USER_LINE 512

struct el_snmp_user {
    char name[33]; /* SnmpAdminString (SIZE(1..32)), RFC 3414 */
    char auth[12], priv[12];
    char auth_pass[65], priv_pass[65];
};

struct el_snmp_access {
    uint32_t users;
    struct el_snmp_user user[EL_SNMP_USERS_MAX];
    char community[65]; /* "" = SNMPv2c is refused */
};

/* 0, or -EINVAL with line number and reason in `why`; `out` is untouched on failure. */
int el_snmp_access_parse(const char *text, struct el_snmp_access *out, char *why, size_t why_size);

/* The same from a file. -EPERM when others may read it; -errno with the reason in `why`. */
int el_snmp_access_load(const char *path, struct el_snmp_access *out, char *why, size_t why_size);

const struct el_snmp_user *el_snmp_access_user(const struct el_snmp_access *a, const char *name); /* NULL: unknown */

/* "NAME" AUTH "PASSPHRASE" PRIV "PASSPHRASE" as net-snmp reads it, quotes and backslashes escaped. */
void el_snmp_access_line(const struct el_snmp_user *u, char out[EL_SNMP_USER_LINE]);

/* True for the community that may read; never without one. */
bool el_snmp_access_community(const struct el_snmp_access *a, const void *community, size_t len);

/* What an address consists of, as far as can be told without asking for the host. */
struct el_snmp_address {
    char host[100];
    const char *port; /* in the text; NULL: the usual one */
    bool six;
    bool named; /* the host is a name: somebody must be asked for its number */
};

/* False when it cannot be an address. */
bool el_snmp_address_parse(const char *text, struct el_snmp_address *out);
#define EL_SNMP_ADDRESS_EXPECTED "expected an address such as udp:192.0.2.1:162 or udp6:[2001:db8::1]:162"

enum el_snmp_sink_kind { EL_SNMP_SINK_AGENTX, EL_SNMP_SINK_V2C, EL_SNMP_SINK_V3 };

struct el_snmp_sink {
    enum el_snmp_sink_kind kind;
    bool inform;
    char name[65];      /* community or user */
    uint8_t engine[32]; /* of the receiver, for v3 informs */
    size_t engine_len;
    char address[100];
};

/* 0, or -EINVAL with the reason in `why`; `out` is untouched on failure. */
int el_snmp_sink_parse(const char *text, struct el_snmp_sink *out, char *why, size_t why_size);
