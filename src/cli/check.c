/* elementd check: says everything that is wrong with a settings file. */
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "config/config.h"
#include "config/webconfig.h"
#include "config/yaml.h"
#include "exporter/snmp_plan.h"

static const char help[] =
    "usage: elementd check [--json] FILE\n"
    "       elementd check --example\n"
    "Says all that is wrong with a settings file as FILE:LINE: what was expected; exit 1.\n"
    "So does what is wrong with the web configuration file that it names (TLS, users), and with its\n"
    "certificates: those elementd-exporter --config.check looks at, as the user that it runs as.\n"
    "A host of snmp.sinks that is not found here and now is a warning.\n"
    "  --json     {\"good\":true,\"problems\":[{\"line\":1,\"text\":\"...\"}],\"warnings\":[...]} for programs\n"
    "  --example  prints the commented file with every setting at its default\n";

/* Of lines "FILE:LINE: what is wrong"; one about a whole file has no number. The web configuration is named. */
static json_t *list_of(const char *path, const char *web, char *lines)
{
    json_t *list = json_array();
    char none[] = "", *rest;

    for (char *line = strtok_r(lines ? lines : none, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_t *o = json_object();
        const char *file = web[0] && strncmp(line, web, strlen(web)) == 0 ? web : path;
        int number = 0, text = 0;

        if (file == web)
            json_object_set_new(o, "file", json_string(web));
        if (strncmp(line, file, strlen(file)) == 0 && sscanf(line + strlen(file), ":%d: %n", &number, &text) == 1 &&
            text)
            json_object_set_new(o, "line", json_integer(number));
        json_object_set_new(o, "text", json_string(text ? line + strlen(file) + text : line));
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

/* Only a hint: the exporter starts nevertheless and looks it up again later. */
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

/* What the exporter would refuse, reported with its line in the file. */
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

/* A profile that cannot be read, which the daemon would go on without. */
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

static void exec_exporter(char **args)
{
    char beside[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", beside, sizeof beside - strlen(args[0]) - 2);

    if (n > 0) {
        beside[n] = '\0';
        strcpy(strrchr(beside, '/') + 1, args[0]);
        execv(beside, args);
    }
    execvp(args[0], args);
    _exit(127);
}

/* What elementd-exporter says about these settings, without its name in front. Returns its exit code, or 127 when it
 * cannot be run. */
static int ask_exporter(char *path, struct el_buf *said)
{
    char name[] = "elementd-exporter", config[] = "--config", check[] = "--config.check",
         *args[] = {name, config, path, check, NULL}, line[1024];
    int ends[2], status = 0;
    pid_t pid;
    FILE *f;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return 127;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        exec_exporter(args);
    }
    close(ends[1]);
    f = fdopen(ends[0], "r");
    while (f && fgets(line, sizeof line, f))
        el_buf_puts(said, strncmp(line, name, strlen(name)) == 0 ? line + sizeof name + 1 : line);
    if (f)
        fclose(f);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* The file is read here, to report its lines; certificates need a library that only the exporter links. */
static bool check_web(char *path, const char *web, struct el_config_error *err, struct el_buf *warnings)
{
    EL_AUTO_BUF struct el_buf said = {0};
    struct el_web_config *c = NULL;
    bool tls;
    int code;

    if (!web[0])
        return true;
    if (el_web_config_load(web, &c, err) < 0)
        return false;
    tls = c->tls;
    el_web_config_free(c);
    code = tls ? ask_exporter(path, &said) : 0;
    if (code == 1)
        snprintf(err->text, sizeof err->text, "%s: %.*s", web, (int)strcspn(said.data ?: "", "\n"), said.data ?: "");
    else if (code)
        el_buf_printf(warnings, "%s: warning: certificates were not looked at: elementd-exporter cannot be asked\n",
                      web);
    return code != 1;
}

static int check(char *path, bool as_json)
{
    EL_AUTO_FREE struct el_settings *s = malloc(sizeof *s);
    EL_AUTO_BUF struct el_buf warnings = {0};
    struct el_config_error err = {"elementd check: out of memory"};
    bool good = s && el_config_load(path, s, &err) == 0 && check_snmp(path, s, &err) && check_profiles(path, s, &err) &&
                check_web(path, s->web.config_file, &err, &warnings);

    if (good)
        warn_of_sinks(path, s, &warnings);
    if (as_json) {
        const char *web = s ? s->web.config_file : "";
        json_t *root =
            json_pack("{s:s, s:b, s:o, s:o}", "file", path, "good", good, "problems",
                      list_of(path, web, good ? NULL : err.text), "warnings", list_of(path, web, warnings.data));

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
