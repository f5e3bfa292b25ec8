#include <math.h>
#include <signal.h>

#include "fuzz.h"
#include "twin/external.h"

/* A plant that answers with these bytes, whatever it is asked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct el_external_command command = {.t_s = 2};
    struct el_external_facts facts;
    struct el_external_state state;
    struct el_external *x;
    char run[160], why[256];

    signal(SIGPIPE, SIG_IGN);
    snprintf(run, sizeof run, "exec cat %s/answers", fuzz_dir("answers", data, n));
    if (el_external_start(run, &x, why, sizeof why) < 0)
        return 0;
    if (el_external_hello(x, "c", 4, 2, &facts) == 0)
        for (int i = 0; i < 4 && el_external_step(x, &facts, &command, &state) == 0; i++)
            command.t_s += 2;
    el_external_free(x);
    return 0;
}
