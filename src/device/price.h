/* From an energy budget to the numbers the kernel's I/O controllers take. Pure. */
#pragma once

#include "model/device.h"

/* No cap goes below this share of full power: a device that stands still looks broken to everything above it. */
#define EL_PRICE_FLOOR_RATIO 0.05

/* The budget in watts actually set for `cap`: not below the floor. NAN when the cap makes no sense (not finite, <= 0).
 */
double el_price_budget_w(const struct el_cap *cap);

/* The prices of a linear io.cost model at `watts`, sequential and random ones alike. The kernel takes each iops price
 * as that of a whole 4 KiB request, so it contains one page: iops = W / (J_op + 4096 J_byte). Each is at least 1. */
struct el_price_model {
    uint64_t rbps, riops, wbps, wiops;
};
struct el_price_model el_price_model(const struct el_cap *cap, double watts);

/* The limits of io.max for `watts`, when the requests are like `io` (bytes and operations since some time; none: 4 KiB
 * requests, half of each). Reads and writes get their shares of the budget; a size that changes can only save energy.
 */
struct el_price_max {
    uint64_t rbps, riops, wbps, wiops;
};
struct el_price_max el_price_max(const struct el_cap *cap, double watts, const struct el_slot_io *io);

/* Splits 1 among `n` by demand; one without demand keeps a tenth of an even share, so that it can start. */
void el_price_split(const double *demand, uint32_t n, double *share);
