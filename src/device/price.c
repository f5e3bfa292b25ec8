#include "device/price.h"

#include <math.h>

#define PAGE_BYTES     4096.0
#define SMALLEST_SHARE 0.1

double el_price_budget_w(const struct el_cap *cap)
{
    if (!isfinite(cap->ratio) || !isfinite(cap->budget_w) || cap->ratio <= 0 || cap->budget_w <= 0)
        return NAN;
    return cap->ratio < EL_PRICE_FLOOR_RATIO ? cap->budget_w * (EL_PRICE_FLOOR_RATIO / cap->ratio) : cap->budget_w;
}

/* Rate that `watts` buy at `joules` each, as the kernel takes it: a positive integer. */
static uint64_t rate(double watts, double joules)
{
    double r = joules > 0 ? watts / joules : INFINITY;

    return r < 1 ? 1 : r > 1e15 ? (uint64_t)1e15 : (uint64_t)(r + 0.5);
}

struct el_price_model el_price_model(const struct el_cap *cap, double watts)
{
    return (struct el_price_model){
        .rbps = rate(watts, cap->read_j_per_byte),
        .riops = rate(watts, cap->read_j_per_op + PAGE_BYTES * cap->read_j_per_byte),
        .wbps = rate(watts, cap->write_j_per_byte),
        .wiops = rate(watts, cap->write_j_per_op + PAGE_BYTES * cap->write_j_per_byte),
    };
}

static double mean_size(uint64_t bytes, uint64_t ops)
{
    return ops ? EL_CLAMP((double)bytes / (double)ops, 512.0, 16777216.0) : PAGE_BYTES;
}

struct el_price_max el_price_max(const struct el_cap *cap, double watts, const struct el_slot_io *io)
{
    double read_j = (double)io->read_bytes * cap->read_j_per_byte + (double)io->read_ops * cap->read_j_per_op;
    double write_j = (double)io->write_bytes * cap->write_j_per_byte + (double)io->write_ops * cap->write_j_per_op;
    double demand[2] = {read_j, write_j}, share[2], size;
    struct el_price_max m;

    el_price_split(demand, 2, share);
    size = mean_size(io->read_bytes, io->read_ops);
    m.riops = rate(watts * share[0], cap->read_j_per_op + size * cap->read_j_per_byte);
    m.rbps = rate(watts * share[0] * size, cap->read_j_per_op + size * cap->read_j_per_byte);
    size = mean_size(io->write_bytes, io->write_ops);
    m.wiops = rate(watts * share[1], cap->write_j_per_op + size * cap->write_j_per_byte);
    m.wbps = rate(watts * share[1] * size, cap->write_j_per_op + size * cap->write_j_per_byte);
    return m;
}

void el_price_split(const double *demand, uint32_t n, double *share)
{
    double sum = 0, floors = 0, least = n ? SMALLEST_SHARE / n : 0, rest;

    for (uint32_t i = 0; i < n; i++)
        sum += demand[i] > 0 ? demand[i] : 0;
    if (!(sum > 0)) {
        for (uint32_t i = 0; i < n; i++)
            share[i] = 1.0 / n;
        return;
    }
    floors = least * n;
    rest = 1 - floors;
    for (uint32_t i = 0; i < n; i++)
        share[i] = least + rest * (demand[i] > 0 ? demand[i] : 0) / sum;
}
