/* Planning: what share of its full throughput a card can sustain over inlet and airflow. From the oracle on the twin
 * after it has settled (20 minutes, measured over the 20 after that): what physics allows, whichever governor gets near
 * it. */
#pragma once

#include "control/simulate.h"

#define EL_ENVELOPE_FULL 0.995 /* this share and more counts as all of it */

/* Share 0..1 at one point; `o` gives the card, workload, limits, array and seed, but not inlet and airflow. NAN for an
 * idle workload. 0 or -errno with the reason in `why`. */
int el_envelope_share(const struct el_simulate_options *o, double inlet_c, double airflow_lfm, double *share, char *why,
                      size_t why_size);

/* Least airflow that gives all of it at this inlet, to 5 LFM; NAN when even `most_lfm` does not. */
int el_envelope_least_airflow(const struct el_simulate_options *o, double inlet_c, double most_lfm, double *airflow_lfm,
                              char *why, size_t why_size);

/* The card's mean power while it does all of this work, at 25 C and 400 LFM without a governor; NAN when its own
 * firmware throttles it even there. 0 or -errno with the reason in `why`. */
int el_envelope_full_watts(const struct el_simulate_options *o, double *watts, char *why, size_t why_size);
