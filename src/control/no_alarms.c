/* Until the alarm table is built: no alarm is ever active. */
#include "base/base.h"
#include "model/alarm.h"

struct el_alarm_table {
    char unused;
};

struct el_alarm_table *el_alarm_table_new(void)
{
    return calloc(1, sizeof(struct el_alarm_table));
}

struct el_alarm_table *el_alarm_table_free(struct el_alarm_table *t)
{
    free(t);
    return NULL;
}

void el_alarm_table_step(struct el_alarm_table *t, const struct el_snapshot *s, el_alarm_emit *emit, void *ctx)
{
}

uint32_t el_alarm_table_active(const struct el_alarm_table *t, struct el_alarm *out, uint32_t max)
{
    return 0;
}
