/* What SNMP is to do, read from the settings and the users file, checked before anything is opened. */
#pragma once

#include "exporter/snmp_access.h"
#include "exporter/snmp_view.h"
#include "model/settings.h"

enum el_snmp_wish { EL_SNMP_OFF = 0, EL_SNMP_AUTO, EL_SNMP_ON };

struct el_snmp_plan {
    enum el_snmp_wish agentx, entity;
    char socket[EL_PATH_MAX];    /* of the master; "" = the usual places */
    char standalone[64];         /* address to listen on; "" = no agent of our own */
    char state_dir[EL_PATH_MAX]; /* "" = nothing is remembered */
    el_oid base[EL_OID_MAX];
    size_t base_len;
    struct el_snmp_access access;
    uint32_t sinks; /* at least one when there is anybody to tell */
    struct el_snmp_sink sink[EL_TRAP_SINKS_MAX];
};

/* Is there anything to do? */
bool el_snmp_plan_wanted(const struct el_settings *s);

/* Do these settings name hosts, so that somebody is to be asked for their numbers while it runs? */
bool el_snmp_plan_asks(const struct el_settings *s);

/* 0, or -errno with the reason in `why`: "snmp.SETTING: what is wrong". */
int el_snmp_plan_read(const struct el_settings *s, const char *state_dir, struct el_snmp_plan *out, char *why,
                      size_t why_size);

/* Where the master listens: as configured, or the first usual place where something is. */
const char *el_snmp_plan_socket(const struct el_snmp_plan *p);
