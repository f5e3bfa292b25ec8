#include "cli/flags.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

#define FLAGS_MAX 64

const char *const el_sandbox_names[] = {"auto", "require", "off", NULL};

static int hint(const char *command)
{
    fprintf(stderr, "%s --help says how it is used\n", command);
    return EL_EXIT_USAGE;
}

int el_flags_usage(const char *command, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "%s: ", command);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return hint(command);
}

/* `--snmp.agentx SOCKET` says both that it is on and where. */
static int set(struct el_settings *s, const char *setting, const char *flag, const char *text,
               struct el_config_error *err)
{
    int r;

    if (strcmp(setting, "snmp.agentx") != 0 || !strpbrk(text, "/:"))
        return el_config_set(s, setting, flag, text, err);
    r = el_config_set(s, "snmp.agentx_socket", flag, text, err);
    return r < 0 ? r : el_config_set(s, setting, flag, "on", err);
}

int el_overrides_apply(const struct el_overrides *o, struct el_settings *s, struct el_config_error *err)
{
    int r = 0;

    for (size_t i = 0; i < o->n; i++) {
        if (strcmp(o->row[i].setting, "web.listen_addresses") == 0)
            s->web.listen_addresses = 0;
        if (strcmp(o->row[i].setting, "snmp.sinks") == 0)
            s->snmp.sinks = 0;
    }
    for (size_t i = 0; r == 0 && i < o->n; i++)
        r = set(s, o->row[i].setting, o->row[i].flag, o->row[i].text, err);
    return r;
}

static const char no_memory[] = "out of memory"; /* no wrong use */

/* Keeps it, and tries it on scratch settings: a wrong value is reported now, as wrong usage. */
static const char *take_setting(const struct el_flag *f, struct el_overrides *o, const char *flag, const char *arg,
                                struct el_config_error *err)
{
    EL_AUTO_FREE struct el_settings *scratch = calloc(1, sizeof *scratch);

    int r;

    if (o->n == EL_ARRAY_SIZE(o->row))
        return "too many flags";
    r = scratch ? set(scratch, f->setting, flag, arg, err) : -ENOMEM;
    if (r < 0)
        return r == -ENOMEM ? no_memory : err->text;
    o->row[o->n].setting = f->setting;
    o->row[o->n].flag = flag;
    o->row[o->n++].text = arg;
    return NULL;
}

static const char *take_choice(const struct el_flag *f, const char *flag, const char *arg, struct el_config_error *err)
{
    EL_AUTO_BUF struct el_buf list = {0};

    for (int i = 0; f->names[i]; i++) {
        if (strcmp(f->names[i], arg) == 0) {
            *(int *)f->into = i;
            return NULL;
        }
        el_buf_printf(&list, "%s%s", i == 0 ? "" : f->names[i + 1] ? ", " : " or ", f->names[i]);
    }
    snprintf(err->text, sizeof err->text, "%s: got \"%.80s\", expected %s", flag, arg, list.data ? list.data : "");
    return err->text;
}

/* NULL, or what is wrong with it. */
static const char *take(const struct el_flag *f, const char *flag, const char *arg, struct el_config_error *err)
{
    uint64_t count;
    double number;

    switch (f->kind) {
    case EL_FLAG_SWITCH:
        *(bool *)f->into = true;
        return NULL;
    case EL_FLAG_TEXT:
        if (*arg) {
            *(const char **)f->into = arg;
            return NULL;
        }
        snprintf(err->text, sizeof err->text, "%s: got nothing, expected a value", flag);
        return err->text;
    case EL_FLAG_NAME:
        if (*arg && el_text_copy(f->into, (size_t)f->hi, arg))
            return NULL;
        snprintf(err->text, sizeof err->text, "%s: \"%.60s\" is no name", flag, arg);
        return err->text;
    case EL_FLAG_NUMBER:
        if (el_num_parse_double(arg, &number) == 0 && number >= f->lo && number <= f->hi) {
            *(double *)f->into = number;
            return NULL;
        }
        break;
    case EL_FLAG_COUNT:
        if (el_num_parse_u64(arg, &count) == 0 && (double)count >= f->lo && (double)count <= f->hi) {
            *(uint64_t *)f->into = count;
            return NULL;
        }
        break;
    case EL_FLAG_CHOICE:
        return take_choice(f, flag, arg, err);
    case EL_FLAG_SETTING:
        return take_setting(f, f->into, flag, arg, err);
    }
    snprintf(err->text, sizeof err->text, "%s: got \"%.60s\", expected a %snumber from %g to %g", flag, arg,
             f->kind == EL_FLAG_COUNT ? "whole " : "", f->lo, f->hi);
    return err->text;
}

int el_flags_answered(const char *program, int code)
{
    bool cut = ferror(stdout);
    int error;

    if (cut)
        putchar('\n'); /* stdout's error flag does not keep the errno: ask again */
    error = fflush(stdout) == 0 ? 0 : errno;
    if (!cut && !error)
        return code;
    fprintf(stderr, "%s: cannot write the answer%s%s\n", program, error ? ": " : "", error ? strerror(error) : "");
    return code == EL_EXIT_OK ? EL_EXIT_BAD : code;
}

int el_flags_read(int argc, char **argv, const struct el_flag *flags, const char *help, bool operand)
{
    static char dashed[FLAGS_MAX][32]; /* kept by overrides */
    struct option options[FLAGS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    struct el_config_error err;
    const char *wrong;
    int n = 0, c;

    for (; n < FLAGS_MAX && flags[n].name; n++) {
        snprintf(dashed[n], sizeof dashed[n], "--%s", flags[n].name);
        options[n + 1] = (struct option){
            flags[n].name, flags[n].kind == EL_FLAG_SWITCH ? no_argument : required_argument, NULL, 0x100 + n};
    }
    optind = 0; /* from the start, whoever read before */
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EL_EXIT_OK;
        }
        if (c == '?') /* said by getopt */
            return hint(argv[0]);
        wrong = take(&flags[c - 0x100], dashed[c - 0x100], optarg, &err);
        if (wrong == no_memory) {
            fprintf(stderr, "%s: %s\n", argv[0], wrong);
            return EL_EXIT_BAD;
        }
        if (wrong)
            return el_flags_usage(argv[0], "%s", wrong);
    }
    if (argc - optind > operand)
        return el_flags_usage(argv[0], "unexpected \"%s\"", argv[optind + operand]);
    return -1;
}
