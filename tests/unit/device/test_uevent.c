/* What kernel news mean: who came or went, who is told of, and what is only a reason to look. */
#include "support/unit.h"

#include "device/uevent.h"

/* A message with its NULs; `text` has a newline for each. */
static struct el_uevents take(struct el_uevents news, const char *text)
{
    char message[512];
    size_t n = strlen(text);

    memcpy(message, text, n + 1);
    for (size_t i = 0; i < n; i++)
        if (message[i] == '\n')
            message[i] = '\0';
    el_uevents_take(message, n, &news);
    return news;
}

static void arrivals_and_removals(void **state)
{
    static const char *const subsystems[] = {"nvme", "nvme-subsystem", "pci", "hwmon"};
    char text[128];

    (void)state;
    for (size_t i = 0; i < EL_ARRAY_SIZE(subsystems); i++) {
        snprintf(text, sizeof text, "remove@/devices/x\nACTION=remove\nDEVPATH=/devices/x\nSUBSYSTEM=%s\n",
                 subsystems[i]);
        assert_int_equal(take((struct el_uevents){0}, text).most, EL_UEVENT_DEVICE);
        assert_int_equal(take((struct el_uevents){0}, text).n, 0);
    }
    assert_int_equal(take((struct el_uevents){0}, "add@/x\nSUBSYSTEM=usb\n").most, EL_UEVENT_NONE);
    assert_int_equal(take((struct el_uevents){0}, "add@/x\nSUBSYSTEM=block\n").most, EL_UEVENT_NONE);
    assert_int_equal(take((struct el_uevents){0}, "add@/a/nvme0/nvme0n1\nSUBSYSTEM=block\n").most, EL_UEVENT_LOOK);
    assert_int_equal(take((struct el_uevents){0}, "").most, EL_UEVENT_NONE);
    assert_int_equal(take((struct el_uevents){0}, "SUBSYSTEM").most, EL_UEVENT_NONE);
}

static void a_change_names_its_controller_alone(void **state)
{
    static const char reset[] =
        "change@/devices/p/nvme/nvme3\nACTION=change\nDEVPATH=/devices/p/nvme/nvme3\nSUBSYSTEM=nvme\n"
        "NVME_EVENT=connected\n";
    struct el_uevents news = take((struct el_uevents){0}, reset);

    (void)state;
    for (int i = 0; i < 1000; i++)
        news = take(news, reset);
    assert_int_equal(news.n, 1);
    assert_true(el_uevents_name(&news, "nvme3") && !el_uevents_name(&news, "nvme30") &&
                !el_uevents_name(&news, "nvme1"));
    assert_int_equal(news.most, EL_UEVENT_LOOK);
}

static void a_trigger_is_only_a_reason_to_look(void **state)
{
    struct el_uevents news = {0};

    (void)state;
    for (int i = 0; i < 200; i++) {
        char text[200];

        snprintf(text, sizeof text, "%s@/d/nvme/nvme%d\nDEVPATH=/d/nvme/nvme%d\nSUBSYSTEM=%s\nSYNTH_UUID=0\n",
                 i % 2 ? "add" : "change", i, i, i % 3 ? "nvme" : "pci");
        news = take(news, text);
    }
    assert_int_equal(news.most, EL_UEVENT_LOOK);
    assert_true(news.n == 0 && !news.all && !el_uevents_name(&news, "nvme1"));
}

static void more_than_can_be_named_means_all(void **state)
{
    struct el_uevents news = {0};
    char text[128];

    (void)state;
    for (int i = 0; i <= EL_UEVENT_NAMES; i++) {
        snprintf(text, sizeof text, "change@/d/nvme%d\nDEVPATH=/d/nvme%d\nSUBSYSTEM=nvme\n", i, i);
        news = take(news, text);
    }
    assert_true(news.all && el_uevents_name(&news, "nvme999"));
    news =
        take((struct el_uevents){0}, "change@\nDEVPATH=/d/a-name-that-is-too-long-for-a-controller\nSUBSYSTEM=nvme\n");
    assert_true(news.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_and_removals),
        cmocka_unit_test(a_change_names_its_controller_alone),
        cmocka_unit_test(a_trigger_is_only_a_reason_to_look),
        cmocka_unit_test(more_than_can_be_named_means_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
