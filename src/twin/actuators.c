/* What can be moved on a card that is not there: I/O budget and power state belong to drives, the fan to a sensor key.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/text.h"
#include "twin/machine.h"

static int refuse(char *why, size_t size, int error, const char *text)
{
    el_text_copy(why, size, text);
    return error;
}

int el_twin_actuator_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t why_size)
{
    struct el_twin *t = dev;
    struct el_twin_card *card;
    uint32_t slot, operational = 0;

    if (a == EL_ACTUATOR_FAN) {
        if (!t->scenario.drive_fans)
            return refuse(why, why_size, -ENOTSUP, "the chassis drives its own fans");
        return key / EL_TWIN_CARD_KEYS < t->cards ? 0 : refuse(why, why_size, -ENODEV, "no such fan");
    }
    card = el_twin_drive(t, key, &slot);
    if (!card || !card->plant.drive[slot].present)
        return refuse(why, why_size, -ENODEV, "no drive in this slot");
    if (t->scenario.no_caps && (a == EL_ACTUATOR_IO_BUDGET || a == EL_ACTUATOR_IO_MAX))
        return refuse(why, why_size, -ENOTSUP, "the kernel has no io controller");
    switch (a) {
    case EL_ACTUATOR_IO_BUDGET:
        return t->scenario.io_max ? refuse(why, why_size, -ENOTSUP, "the kernel has no io.cost") : 0;
    case EL_ACTUATOR_IO_MAX:
        return t->scenario.io_max ? 0 : refuse(why, why_size, -ENOTSUP, "not needed: the I/O budget works");
    case EL_ACTUATOR_POWER_STATE:
        for (uint32_t i = 0; i < t->drives[slot].power_states; i++)
            operational += t->drives[slot].power_state[i].operational;
        return operational > 1 ? 0 : refuse(why, why_size, -ENOTSUP, "the drive has a single operational power state");
    case EL_ACTUATOR_HCTM:
        return t->drives[slot].hctm
                   ? 0
                   : refuse(why, why_size, -ENOTSUP, "the drive has no host controlled thermal management");
    default:
        return refuse(why, why_size, -ENOTSUP, "not an actuator of a drive");
    }
}

static int set_feature(void *dev, uint32_t key, uint8_t fid, uint32_t value)
{
    struct el_admin cmd = {.kind = EL_ADMIN_SET_FEATURE, .id = fid, .value = value};
    int r = el_twin_admin(dev, key, &cmd);

    return r > 0 ? -EIO : r;
}

int el_twin_actuator_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    struct el_twin *t = dev;
    struct el_twin_card *card;
    uint32_t slot;
    int r;

    if (a == EL_ACTUATOR_FAN) {
        if (!t->scenario.drive_fans || key / EL_TWIN_CARD_KEYS >= t->cards)
            return -ENOTSUP;
        el_twin_sync(t);
        card = &t->card[key / EL_TWIN_CARD_KEYS];
        card->pwm_ratio = EL_CLAMP(v->pwm_ratio, 0, 1);
        el_twin_set_airflow(t, card);
        return 0;
    }
    switch (a) {
    case EL_ACTUATOR_POWER_STATE:
        return v->power_state < 0 ? -EINVAL
                                  : set_feature(dev, key, EL_NVME_FID_POWER_MANAGEMENT, (uint32_t)v->power_state);
    case EL_ACTUATOR_HCTM:
        return set_feature(dev, key, EL_NVME_FID_HCTM,
                           (uint32_t)(v->tmt1_c ? v->tmt1_c + 273 : 0) << 16 |
                               (uint32_t)(v->tmt2_c ? v->tmt2_c + 273 : 0));
    case EL_ACTUATOR_IO_BUDGET:
    case EL_ACTUATOR_IO_MAX:
        if ((a == EL_ACTUATOR_IO_MAX) != t->scenario.io_max)
            return -ENOTSUP;
        break;
    default:
        return -ENOTSUP;
    }
    r = el_twin_reach(t, key, &card, &slot);
    if (r == -ETIMEDOUT) /* the block layer's budget needs no answer from the drive */
        r = 0;
    if (r < 0)
        return r;
    if (card->controller[slot].actuator_refused)
        return -EIO;
    if (!(v->cap.ratio > 0) || !(v->cap.budget_w >= 0))
        return -EINVAL;
    card->plant.drive[slot].cap = v->cap;
    card->plant.drive[slot].cap_ignored = card->controller[slot].actuator_ignored; /* settings echo, I/O runs free */
    return 0;
}

int el_twin_actuator_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    struct el_twin *t = dev;
    struct el_twin_card *card;
    struct el_admin cmd = {.kind = EL_ADMIN_GET_FEATURE};
    uint32_t slot;
    int r;

    memset(out, 0, sizeof *out);
    if (a == EL_ACTUATOR_FAN) {
        if (key / EL_TWIN_CARD_KEYS >= t->cards)
            return -ENODEV;
        out->pwm_ratio = t->card[key / EL_TWIN_CARD_KEYS].pwm_ratio;
        return 0;
    }
    r = el_twin_reach(t, key, &card, &slot);
    switch (a) {
    case EL_ACTUATOR_IO_BUDGET:
    case EL_ACTUATOR_IO_MAX:
        if (r == -ENODEV)
            return r;
        out->cap = card->plant.drive[slot].cap;
        return 0;
    case EL_ACTUATOR_POWER_STATE:
        cmd.id = EL_NVME_FID_POWER_MANAGEMENT;
        r = el_twin_admin(dev, key, &cmd);
        out->power_state = (int32_t)EL_FEAT_POWER_STATE(cmd.result);
        return r > 0 ? -EIO : r;
    case EL_ACTUATOR_HCTM:
        cmd.id = EL_NVME_FID_HCTM;
        r = el_twin_admin(dev, key, &cmd);
        out->tmt1_c = EL_FEAT_HCTM_TMT1(cmd.result) ? EL_FEAT_HCTM_TMT1(cmd.result) - 273 : 0;
        out->tmt2_c = EL_FEAT_HCTM_TMT2(cmd.result) ? EL_FEAT_HCTM_TMT2(cmd.result) - 273 : 0;
        return r > 0 ? -EIO : r;
    default:
        return -ENOTSUP;
    }
}

/* One line of numbers: ratio, watts and the four prices; or the one value of the other actuators. */
int el_twin_actuator_save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size)
{
    EL_AUTO_BUF struct el_buf b = {0};
    struct el_actuator_value v;
    int r = el_twin_actuator_read(dev, a, key, &v);
    const double all[] = {v.cap.ratio,         v.cap.budget_w,      v.cap.read_j_per_byte, v.cap.write_j_per_byte,
                          v.cap.read_j_per_op, v.cap.write_j_per_op};

    if (r < 0)
        return r;
    if (a == EL_ACTUATOR_FAN)
        el_buf_double(&b, v.pwm_ratio);
    else if (a == EL_ACTUATOR_POWER_STATE)
        el_buf_i64(&b, v.power_state);
    else if (a == EL_ACTUATOR_HCTM)
        el_buf_printf(&b, "%d %d", v.tmt1_c, v.tmt2_c);
    else
        for (size_t i = 0; i < EL_ARRAY_SIZE(all); i++) {
            el_buf_puts(&b, i ? " " : "");
            el_buf_double(&b, all[i]);
        }
    if (b.failed)
        return -ENOMEM;
    return el_text_copy(text, size, b.data) ? 0 : -ENOSPC;
}

int el_twin_actuator_restore(void *dev, enum el_actuator a, uint32_t key, const char *text)
{
    struct el_actuator_value v = {0};
    double n[6] = {0};
    char copy[256], *rest = copy, *word;
    size_t count = 0;

    if (!el_text_copy(copy, sizeof copy, text))
        return -EINVAL;
    while (count < EL_ARRAY_SIZE(n) && (word = strsep(&rest, " ")))
        if (el_num_parse_double(word, &n[count++]) < 0)
            return -EINVAL;
    if (count != (a == EL_ACTUATOR_IO_BUDGET || a == EL_ACTUATOR_IO_MAX ? 6 : a == EL_ACTUATOR_HCTM ? 2 : 1))
        return -EINVAL;
    v.pwm_ratio = n[0];
    v.power_state = (int32_t)n[0];
    v.tmt1_c = (int32_t)n[0];
    v.tmt2_c = (int32_t)n[1];
    v.cap = (struct el_cap){.ratio = n[0],
                            .budget_w = n[1],
                            .read_j_per_byte = n[2],
                            .write_j_per_byte = n[3],
                            .read_j_per_op = n[4],
                            .write_j_per_op = n[5]};
    return el_twin_actuator_write(dev, a, key, &v);
}
