#include "model/scenario.h"

#include <math.h>
#include <string.h>

const char *const el_scenario_arrays[] = {"none", "raid0", "raid1", NULL};

void el_scenario_clear(struct el_scenario *s)
{
    memset(s, 0, sizeof *s);
    s->inlet_c = s->airflow_lfm = s->hours = s->limit_c = s->card_watts = s->switch_limit_c = s->margin_c = NAN;
    s->seed = 1; /* 0 means the nominal card */
}
