/* Log lines in each form: to standard error, and to a journald that this test plays. */
#include <sys/socket.h>
#include <sys/un.h>

#include "base/log.h"
#include "support/scratch.h"

static const struct el_log_field fields[] = {
    {"MESSAGE_ID", "9e92"}, {"ELEMENTD_CARD", "a\"b"}, {"ELEMENTD_SLOT", ""}, {"ELEMENTD_SERIAL", NULL}};

static struct sockaddr_un journald = {.sun_family = AF_UNIX};
static int journald_fd, pipe_fd[2], stderr_fd;

static int set_up(void **state)
{
    if (scratch_set_up(state) < 0 || pipe2(pipe_fd, O_NONBLOCK | O_CLOEXEC) < 0)
        return -1;
    snprintf(journald.sun_path, sizeof journald.sun_path, "%s/s", scratch);
    journald_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(journald_fd, (struct sockaddr *)&journald, sizeof journald) < 0)
        return -1;
    stderr_fd = dup(STDERR_FILENO);
    return dup2(pipe_fd[1], STDERR_FILENO) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    dup2(stderr_fd, STDERR_FILENO);
    close(stderr_fd);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    close(journald_fd);
    return scratch_tear_down(state);
}

/* What there is to read now, as text; NULs become dots. */
static const char *take(int fd)
{
    static char text[4096];
    ssize_t n = read(fd, text, sizeof text - 1);

    n = n < 0 ? 0 : n;
    for (ssize_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : '.';
    text[n] = '\0';
    return text;
}

static void said(enum el_log_format format, const char *head, const char *tail)
{
    const char *line;

    el_log_setup("elementd test", EL_LOG_INFO, format);
    if (format == EL_LOG_JOURNAL)
        assert_int_equal(el_log_open_journal(journald.sun_path), 0);
    el_log_debug("unheard");
    el_log_with(EL_LOG_WARNING, fields, EL_ARRAY_SIZE(fields), "drive \033%s", "hot");
    line = take(format == EL_LOG_JOURNAL ? journald_fd : pipe_fd[0]);
    if (strncmp(line, head, strlen(head)) != 0 || strcmp(line + strlen(line) - strlen(tail), tail) != 0)
        fail_msg("%s", line);
    assert_string_equal(take(pipe_fd[0]), "");
}

static void forms(void **state)
{
    said(EL_LOG_TEXT, "elementd test: warning: drive  hot\n", "");
    said(EL_LOG_LOGFMT,
         "ts=", "level=warn program=elementd test msg=\"drive  hot\" message_id=\"9e92\" card=\"a\\\"b\"\n");
    said(EL_LOG_JSON, "{\"ts\":\"",
         "\"level\":\"warn\",\"program\":\"elementd test\",\"msg\":\"drive  hot\",\"message_id\":\"9e92\","
         "\"card\":\"a\\\"b\"}\n");
    said(EL_LOG_JOURNAL,
         "PRIORITY=4\nSYSLOG_IDENTIFIER=elementd\nMESSAGE=drive  hot\nMESSAGE_ID=9e92\nELEMENTD_CARD=a\"b\n", "");
}

static void several_lines_stay_one_entry(void **state)
{
    el_log_setup("elementd", EL_LOG_INFO, EL_LOG_JOURNAL);
    assert_int_equal(el_log_open_journal(journald.sun_path), 0);
    el_log_error("a\nPRIORITY=7");
    assert_string_equal(take(journald_fd),
                        "PRIORITY=3\nSYSLOG_IDENTIFIER=elementd\nMESSAGE\n\x0c.......a\nPRIORITY=7\n");
}

/* None there, or one that reads nothing: standard error, and no waiting. */
static void journald_gone_or_stuck(void **state)
{
    char big[900];

    el_log_setup("elementd", EL_LOG_INFO, EL_LOG_JOURNAL);
    assert_true(el_log_open_journal("/nowhere/at/all") < 0);
    el_log_info("quiet");
    assert_string_equal(take(pipe_fd[0]), "<6>quiet\n");

    assert_int_equal(el_log_open_journal(journald.sun_path), 0);
    memset(big, 'x', sizeof big);
    for (int i = 0; i < 2000 && !*take(pipe_fd[0]); i++) /* a socket's queue is a few hundred at most */
        el_log_info("%.*s", (int)sizeof big, big);
    el_log_info("stuck");
    assert_string_equal(take(pipe_fd[0]), "<6>stuck\n");
    while (*take(journald_fd))
        ;
    el_log_info("well again");
    assert_non_null(strstr(take(journald_fd), "MESSAGE=well again\n"));
}

/* $JOURNAL_STREAM is inherited by whatever a session starts: only the descriptor itself says whose it is. */
static void default_form(void **state)
{
    struct stat st;
    char stream[64];

    unsetenv("JOURNAL_STREAM");
    assert_int_equal(el_log_auto(), EL_LOG_TEXT);
    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    assert_int_equal(el_log_auto(), EL_LOG_JOURNAL);
    setenv("JOURNAL_STREAM", "1:2", 1);
    assert_int_equal(el_log_auto(), EL_LOG_TEXT);
    setenv("JOURNAL_STREAM", "x", 1);
    assert_int_equal(el_log_auto(), EL_LOG_TEXT);
    unsetenv("JOURNAL_STREAM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_lines_stay_one_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(journald_gone_or_stuck, set_up, tear_down),
        cmocka_unit_test_setup_teardown(default_form, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
