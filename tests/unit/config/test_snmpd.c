/* What snmpd.conf lacks: Debian's own lacks everything, with our drop-in nothing. */
#include "config/snmpd.h"
#include "support/scratch.h"

#define BASE "1.3.6.1.4.1.8072.9999.9999.10450"
#define DEBIAN                                                                                                         \
    "sysServices    72\nmaster  agentx\nagentaddress  127.0.0.1,[::1]\n# view all included .1\n"                       \
    "view   systemonly  included   .1.3.6.1.2.1.1\nview   systemonly  included   .1.3.6.1.2.1.25.1\n"                  \
    "rocommunity  public default -V systemonly\nrouser authPrivUser authpriv -V systemonly\n"

static const char *socket_path = "";

static void expect(const char *text)
{
    EL_AUTO_BUF struct el_buf missing = {0};

    assert_int_equal(el_snmpd_missing(scratch, BASE, socket_path, &missing), 0);
    assert_string_equal(missing.data ? missing.data : "", text);
}

static void says_what_is_missing(void **state)
{
    EL_AUTO_BUF struct el_buf ours = {0}, none = {0};

    assert_int_equal(el_snmpd_missing(scratch, BASE, "", &none), -ENOENT);
    put("snmpd.conf", DEBIAN);
    expect("agentXSocket /run/agentx/master\nagentXPerms 0660 0755 Debian-snmp elementd-exporter\nview systemonly "
           "included "
           "." BASE "\nview systemonly included .1.3.6.1.2.1.47\nview systemonly included .1.3.6.1.2.1.99\n");
    assert_int_equal(el_file_read(AT_FDCWD, EL_SOURCE_DIR "/deploy/snmp/snmpd-elementd.conf", 65536, &ours), 0);
    put("snmpd.conf.d/elementd.conf", ours.data);
    expect("");
    put("snmpd.conf.d/elementd.conf", "agentxsocket /run/x\nagentxperms 0777\nview all included .1\n");
    expect("");
    put("snmpd.conf.d/elementd.conf",
        "agentXSocket /var/agentx/master\nagentXPerms 0660\nrocommunity secret 127.0.0.1\n");
    expect("agentXSocket /run/agentx/master\n");
    socket_path = "/srv/x"; /* by agentx_socket of the settings: no other one will do */
    expect("agentXSocket /srv/x\n");
    put("snmpd.conf.d/elementd.conf",
        "agentXSocket /srv/x,tcp:localhost:705\nagentXPerms 0660\nrocommunity secret 127.0.0.1\n");
    expect("");
    socket_path = NULL; /* a master takes us, however it was told to: only views can hide us */
    put("snmpd.conf.d/elementd.conf", "view all included .1.3.6.1.2\n");
    expect("view systemonly included ." BASE "\n");
    socket_path = "";
    put("snmpd.conf.d/elementd.conf", "agentXSocket /run/x\nagentXPerms 0660\nview all included .1\n"
                                      "view other excluded .1.3.6.1.2.1.47\nview all excluded .1.3.6.1.2.1.99\n");
    expect("view systemonly included .1.3.6.1.2.1.99\n");
    put("snmpd.conf", "");
    put("snmpd.conf.d/elementd.conf",
        "agentXSocket /run/x\nagentXPerms 0660\nview v included 1.3.6.1.4.1\nview v excluded .1.3.6.1.2.1.47");
    expect("master agentx\nview systemonly included .1.3.6.1.2.1.47\nview systemonly included .1.3.6.1.2.1.99\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_is_missing)};

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
