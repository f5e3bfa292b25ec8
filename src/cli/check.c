/* elementd check: says everything that is wrong with a settings file. */
#include <netdb.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "config/config.h"
#include "config/yaml.h"
#include "exporter/snmp_plan.h"

static const char help[] =
    "usage: elementd check [--json] FILE\n"
    "       elementd check --example\n"
    "Says all that is wrong with a settings file as FILE:LINE: what was expected; exit 1.\n"
    "A host of snmp.sinks that is not found here and now is a warning.\n"
    "  --json     {\"good\":true,\"problems\":[{\"line\":1,\"text\":\"...\"}],\"warnings\":[...]} for programs\n"
    "  --example  prints the commented file with every setting at its default\n";

/* Of lines "FILE:LINE: what is wrong"; one about the whole file has no number. */
static json_t *list_of(const char *path, char *lines)
{
    json_t *list = json_array();
    char none[] = "", *rest;

    for (char *line = strtok_r(lines ? lines : none, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *o = json_object();
        int number = 0, text = 0;

        if (strncmp(line, path, strlen(path)) == 0 && sscanf(line + strlen(path), ":%d: %n", &number, &text) == 1 &&
            text)
            json_object_set_new(o, "line", json_integer(number));
        json_object_set_new(o, "text", json_string(text ? line + strlen(path) + text : line));
        json_array_append_new(list, o);
    }
    return list;
}

const char *el_sink_unfound(const char *sink)
{
    const char *at = strrchr(sink, '@');
    struct addrinfo *found = NULL;
    struct el_snmp_address a;
    int r = 0;

    if (at && el_snmp_address_parse(at + 1, &a) && a.named)
        r = getaddrinfo(a.host, NULL, &(struct addrinfo){.ai_family = a.six ? AF_INET6 : AF_INET}, &found);
    if (found)
        freeaddrinfo(found);
    return r ? gai_strerror(r) : NULL;
}

/* The exporter starts all the same and asks again: nothing to refuse. */
static void warn_of_sinks(const char *path, const struct el_settings *s, struct el_buf *out)
{
    EL_AUTO_YAML struct el_yaml *root = NULL;
    struct el_config_error err;
    const struct el_yaml *sinks;

    el_yaml_load(path, &root, &err);
    sinks = el_yaml_get(el_yaml_get(root, "snmp"), "sinks");
    for (uint32_t i = 0; sinks && i < s->snmp.sinks; i++) {
        const char *why = el_sink_unfound(s->snmp.sink[i]);

        if (!why)
            continue;
        el_yaml_error(sinks->child[i], &err, "warning: \"%s\" is not found: %s; nothing is sent there until it is",
                      strrchr(s->snmp.sink[i], '@') + 1, why);
        el_buf_printf(out, "%s\n", err.text);
    }
}

/* What the exporter would refuse, said where it stands in the file. */
static bool check_snmp(const char *path, const struct el_settings *s, struct el_config_error *err)
{
    EL_AUTO_FREE struct el_snmp_plan *plan = malloc(sizeof *plan);
    EL_AUTO_YAML struct el_yaml *root = NULL;
    const struct el_yaml *snmp, *at;
    char why[400], *reason;

    if (!plan || !el_snmp_plan_wanted(s) || el_snmp_plan_read(s, "/", plan, why, sizeof why) == 0)
        return true;
    el_yaml_load(path, &root, err);
    snmp = el_yaml_get(root, "snmp");
    reason = strstr(why, ": ");
    if (reason && strncmp(why, "snmp.", 5) == 0) {
        *reason = '\0';
        at = el_yaml_get(snmp, why + 5);
        reason += 2;
    } else {
        reason = why;
        at = NULL;
    }
    el_yaml_error(at ? at : snmp ? snmp : root, err, "%s", reason);
    return false;
}

/* A profile that cannot be read: the daemon would go on without it. */
static bool check_profiles(const char *path, struct el_settings *s, struct el_config_error *err)
{
    EL_AUTO_FREE struct el_card_profile *p = malloc(sizeof *p);
    EL_AUTO_YAML struct el_yaml *root = NULL;
    struct el_config_error why;

    el_cli_find_profiles(s);
    for (uint32_t i = 0; p && i < s->cards; i++) {
        const struct el_yaml *card, *at;

        if (!s->card[i].profile[0] || el_config_load_card(s->profiles_dir, s->card[i].profile, p, &why) == 0)
            continue;
        el_yaml_load(path, &root, err);
        card = el_yaml_get(root, "cards")->child[i];
        at = el_yaml_get(card, "profile");
        el_yaml_error(at ? at : card, err, "%s", why.text);
        return false;
    }
    return true;
}

static int check(const char *path, bool as_json)
{
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    EL_AUTO_BUF struct el_buf warnings = {0};
    struct el_config_error err = {"elementd check: out of memory"};
    bool good = s && el_config_load(path, s, &err) == 0 && check_snmp(path, s, &err) && check_profiles(path, s, &err);

    if (good)
        warn_of_sinks(path, s, &warnings);
    if (as_json) {
        json_t *root = json_pack("{s:s, s:b, s:o, s:o}", "file", path, "good", good, "problems",
                                 list_of(path, good ? NULL : err.text), "warnings", list_of(path, warnings.data));

        return el_json_print(root) == EL_EXIT_OK && good ? EL_EXIT_OK : EL_EXIT_BAD;
    }
    fputs(warnings.data ? warnings.data : "", stderr);
    if (good)
        printf("%s: good\n", path);
    else
        fprintf(stderr, "%s\n", err.text);
    return good ? EL_EXIT_OK : EL_EXIT_BAD;
}

int el_cmd_check(int argc, char **argv)
{
    EL_AUTO_BUF struct el_buf b = {0};
    bool example = false, as_json = false;
    const struct el_flag flags[] = {{"example", EL_FLAG_SWITCH, &example}, {"json", EL_FLAG_SWITCH, &as_json}, {0}};
    int r = el_flags_read(argc, argv, flags, help, true);

    if (r >= 0)
        return r;
    if (example) {
        el_config_example(&b);
        return el_cli_print(&b);
    }
    return argv[optind] ? check(argv[optind], as_json) : el_flags_usage(argv[0], "expected one file");
}
