/* --help of elementd-exporter. Included by its main alone. */
#pragma once

#include "model/settings.h"

static const char help[] =
    "usage: elementd-exporter [flags]\n"
    "Serves the snapshot that elementd writes: Prometheus, JSON, a status page, SNMP.\n\n"
    "  --config FILE               settings (default: " EL_CONFIG_FILE " if it is there); flags win over it\n"
    "  --config.check              says whether it could serve with these settings, web configuration and\n"
    "                              certificates, and ends: 0 or 1\n"
    "  --snapshot FILE             what to serve (default: snapshot in the runtime directory of the settings)\n"
    "  --state-dir DIR             its own memory (default: $STATE_DIRECTORY)\n"
    "  --user NAME                 whose rights to take when started by root (" EL_EXPORTER_USER ";\n"
    "                              when there is no such user: those of user id 65534)\n"
    "  --sandbox auto|require|off  auto: as much as this kernel can; require: all of it or exit 1\n"
    "  --web.listen-address A      HOST:PORT, may be given several times (default: [::]:10450 and 0.0.0.0:10450)\n"
    "  --web.config.file FILE      TLS, users, headers: the Prometheus exporters' format\n"
    "  --web.telemetry-path PATH   path of the metrics (/metrics)\n"
    "  --collect GROUPS            metric groups, comma separated; see `elementd metrics`\n"
    "  --snmp.agentx off|auto|on|SOCKET\n"
    "                              be a subagent of snmpd (auto); a socket means on, there\n"
    "  --snmp.agentx-socket PATH   where snmpd listens for subagents (default: the usual places)\n"
    "  --snmp.standalone ADDRESS   be an agent of one's own, such as udp:127.0.0.1:1161\n"
    "  --snmp.base-oid OID         where the MIB is rooted\n"
    "  --snmp.entity off|auto|on   ENTITY-MIB and sensors (auto)\n"
    "  --snmp.users-file FILE      SNMPv3 users of the agent of one's own\n"
    "  --snmp.sink ADDRESS         where its notifications go, may be given several times\n"
    "  --log.level LEVEL           error, warning, info, debug\n"
    "  --log.format FORMAT         auto, text, logfmt, json, journal\n"
    "  --version, --help\n\n"
    "SIGHUP reloads settings, users and certificates; SIGTERM ends it.\n";
