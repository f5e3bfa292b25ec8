#include "model/settings.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void el_card_settings_default(struct el_card_settings *c)
{
    *c = (struct el_card_settings){
        .limit_c = NAN,
        .sensor_limit_c = NAN,
        .card_limit_w = NAN,
        .switch_limit_c = NAN,
        .margin_c = NAN,
        .floor_ratio = 0.05,
        .airflow_lfm = NAN,
        .inlet_c = NAN,
    };
    for (int i = 0; i < EL_CARD_SLOTS_MAX; i++)
        c->weight[i] = 1;
}

void el_settings_default(struct el_settings *s)
{
    memset(s, 0, sizeof *s);
    el_text_copy(s->profiles_dir, sizeof s->profiles_dir, "/usr/share/elementd/profiles");
    el_text_copy(s->state_dir, sizeof s->state_dir, EL_STATE_DIR);
    el_text_copy(s->runtime_dir, sizeof s->runtime_dir, EL_RUNTIME_DIR);
    s->log_level = EL_LOG_INFO;
    s->poll.tick_ms = s->poll.hot_ms = 2000;
    s->poll.normal_ms = 5000;
    s->poll.idle_ms = 30000;
    s->poll.timeout_ms = 5000;
    s->poll.logs_ms = 300000;
    s->poll.hot_within_c = 8;
    s->governor.mode = EL_MODE_ADVISE;
    s->governor.write_budget_per_hour = 120;
    s->governor.use_io_budget = s->governor.use_power_state = true;
    for (uint32_t i = 0; i < EL_CARD_SETTINGS_MAX; i++)
        el_card_settings_default(&s->card[i]);
    for (uint32_t i = 0; i < EL_SENSOR_MAPS_MAX; i++)
        s->sensor[i] = (struct el_sensor_map){.scale = 1, .min = NAN, .max = NAN, .max_age_s = 60};
    el_text_copy(s->web.telemetry_path, sizeof s->web.telemetry_path, "/metrics");
    s->web.max_connections = 256;
    s->web.header_timeout_ms = 3000;
    s->web.total_timeout_ms = 30000;
    s->snmp.agentx = 1;
    s->snmp.entity = 1;
    el_text_copy(s->snmp.base_oid, sizeof s->snmp.base_oid, "1.3.6.1.4.1.8072.9999.9999.10450");
}
