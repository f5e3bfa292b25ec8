/* Events become journal entries that say which alarm, of what, raised or cleared. */
#include <sys/socket.h>
#include <sys/un.h>

#include "base/log.h"
#include "base/text.h"
#include "control/event_log.h"
#include "model/alarm.h"
#include "support/scratch.h"

static int journald_fd;

static const char *take(void)
{
    static char text[2048];
    ssize_t n = recv(journald_fd, text, sizeof text - 1, MSG_DONTWAIT);

    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static struct el_event event(uint64_t seq, uint32_t kind, enum el_severity severity, int32_t slot, bool raised)
{
    struct el_event e = {.seq = seq, .kind = kind, .severity = severity, .slot = slot, .raised = raised};

    e.card = slot < 0 ? -1 : 0;
    el_text_copy(e.text, sizeof e.text, "what happened");
    return e;
}

static void each_once_with_its_fields(void **state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct el_snapshot *s = el_snapshot_new(&(struct el_snapshot_counts){.cards = 1, .slots = 2, .events = 3});
    struct el_slot *slot = &el_snapshot_slots(s)[1];

    snprintf(to.sun_path, sizeof to.sun_path, "%s/s", scratch);
    journald_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(journald_fd, (struct sockaddr *)&to, sizeof to), 0);
    el_log_setup("elementd", EL_LOG_INFO, EL_LOG_JOURNAL);
    assert_int_equal(el_log_open_journal(to.sun_path), 0);

    strcpy(el_snapshot_cards(s)[0].name, "lqd4500-0");
    slot->number = 5;
    strcpy(slot->last_serial, "S1");
    strcpy(slot->controller, "nvme3");
    el_snapshot_events(s)[0] = event(7, EL_ALARM_DRIVE_LOST, EL_SEVERITY_CRITICAL, 1, true);
    el_snapshot_events(s)[1] = event(8, EL_ALARM_DRIVE_LOST, EL_SEVERITY_INFO, 1, false);
    el_snapshot_events(s)[2] = event(9, 0, EL_SEVERITY_WARNING, -1, true);
    s->event_next = 10;

    assert_int_equal(el_event_log(s, 7), 10);
    assert_string_equal(take(), "PRIORITY=3\nSYSLOG_IDENTIFIER=elementd\nMESSAGE=lqd4500-0 slot 5: what happened\n"
                                "MESSAGE_ID=9e9256e6255740b48d108650b79c0010\nELEMENTD_ALARM=drive_lost\n"
                                "ELEMENTD_STATE=raised\nELEMENTD_CARD=lqd4500-0\nELEMENTD_SLOT=5\nELEMENTD_SERIAL=S1\n"
                                "ELEMENTD_CONTROLLER=nvme3\n");
    assert_non_null(strstr(take(), "MESSAGE_ID=9e9256e6255740b48d108650b79c0011\nELEMENTD_ALARM=drive_lost\n"
                                   "ELEMENTD_STATE=cleared\n"));
    assert_string_equal(take(), "PRIORITY=4\nSYSLOG_IDENTIFIER=elementd\nMESSAGE=what happened\n");
    assert_int_equal(el_event_log(s, 10), 10);
    assert_int_equal(s->daemon.events_lost, 0);
    assert_int_equal(el_event_log(s, 4), 10); /* the ring has dropped 4, 5 and 6 */
    assert_int_equal(s->daemon.events_lost, 3);
    while (take()[0])
        ;
    assert_string_equal(take(), "");

    el_snapshot_free(s);
    close(journald_fd);
}

/* In one line, when it happens: its alarm comes a round later. */
static void refused_settings_are_told_once(void **state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct el_snapshot *s = el_snapshot_new(&(struct el_snapshot_counts){.events = 2});
    const char *said;

    snprintf(to.sun_path, sizeof to.sun_path, "%s/refused", scratch);
    journald_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(journald_fd, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(el_log_open_journal(to.sun_path), 0);
    el_event_log_refused("a.yaml:2: x: bad\na.yaml:3: y: bad\na.yaml:4: z: bad");
    said = take();
    assert_non_null(strstr(said, "MESSAGE=settings not reloaded, the old ones stay: a.yaml:2: x: bad (and 2 more: "
                                 "`elementd check` tells all); mend the file and reload again\nMESSAGE_ID="));
    assert_non_null(strstr(said, "ELEMENTD_ALARM=config_reload_failed\nELEMENTD_STATE=raised\n"));
    el_event_log_refused("a.yaml:2: x: bad\n");
    assert_non_null(strstr(take(), "stay: a.yaml:2: x: bad; mend"));
    el_snapshot_events(s)[0] = event(1, EL_ALARM_CONFIG_RELOAD_FAILED, EL_SEVERITY_WARNING, -1, true);
    el_snapshot_events(s)[1] = event(2, EL_ALARM_CONFIG_RELOAD_FAILED, EL_SEVERITY_INFO, -1, false);
    s->event_next = 3;
    assert_int_equal(el_event_log(s, 1), 3);
    assert_non_null(strstr(take(), "ELEMENTD_STATE=cleared\n"));
    assert_string_equal(take(), "");
    close(journald_fd);
    el_snapshot_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_once_with_its_fields),
                                       cmocka_unit_test(refused_settings_are_told_once)};

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
