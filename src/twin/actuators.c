/* The actuators of a simulated card: I/O budget, power state and HCTM go by drive key, the fan by sensor key. */
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
    if (t->scenario.no_caps && el_actuator_is_cap(a))
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

static struct el_twin_card *card_of_fan(struct el_twin *t, uint32_t key)
{
    return key / EL_TWIN_CARD_KEYS < t->cards ? &t->card[key / EL_TWIN_CARD_KEYS] : NULL;
}

static int write_fan(struct el_twin *t, uint32_t key, double pwm_ratio)
{
    struct el_twin_card *card = card_of_fan(t, key);

    if (!t->scenario.drive_fans || !card)
        return -ENOTSUP;
    el_twin_sync(t);
    card->pwm_ratio = EL_CLAMP(pwm_ratio, 0, 1);
    el_twin_set_airflow(t, card);
    return 0;
}

static int feature(struct el_twin *t, uint32_t key, struct el_admin *cmd)
{
    int r = el_twin_admin(t, key, cmd);

    return r > 0 ? -EIO : r;
}

static int write_cap(struct el_twin *t, uint32_t key, const struct el_cap *cap)
{
    struct el_twin_card *card;
    uint32_t slot;
    int r = el_twin_reach(t, key, &card, &slot);

    if (r < 0 && r != -ETIMEDOUT) /* the block layer's budget needs no answer from the drive */
        return r;
    if (card->controller[slot].actuator_refused)
        return -EIO;
    if (!(cap->ratio > 0) || !(cap->budget_w >= 0))
        return -EINVAL;
    card->plant.drive[slot].cap = *cap;
    card->plant.drive[slot].cap_ignored = card->controller[slot].actuator_ignored; /* settings echo, I/O runs free */
    return 0;
}

int el_twin_actuator_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    struct el_twin *t = dev;
    struct el_admin cmd = {.kind = EL_ADMIN_SET_FEATURE, .id = el_actuator_feature(a)};

    if (a == EL_ACTUATOR_FAN)
        return write_fan(t, key, v->pwm_ratio);
    if (el_actuator_is_cap(a))
        return (a == EL_ACTUATOR_IO_MAX) == t->scenario.io_max ? write_cap(t, key, &v->cap) : -ENOTSUP;
    if (a == EL_ACTUATOR_POWER_STATE && v->power_state < 0)
        return -EINVAL;
    cmd.value = el_actuator_to_feature(a, v);
    return feature(t, key, &cmd);
}

int el_twin_actuator_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    struct el_twin *t = dev;
    struct el_admin cmd = {.kind = EL_ADMIN_GET_FEATURE, .id = el_actuator_feature(a)};
    struct el_twin_card *card = card_of_fan(t, key);
    uint32_t slot;
    int r = 0;

    memset(out, 0, sizeof *out);
    if (a == EL_ACTUATOR_FAN && !card)
        return -ENODEV;
    if (a == EL_ACTUATOR_FAN) {
        out->pwm_ratio = card->pwm_ratio;
    } else if (el_actuator_is_cap(a)) {
        if (el_twin_reach(t, key, &card, &slot) == -ENODEV)
            return -ENODEV;
        out->cap = card->plant.drive[slot].cap;
    } else {
        r = feature(t, key, &cmd);
        el_actuator_from_feature(a, cmd.result, out);
    }
    return r;
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
    if (count != (el_actuator_is_cap(a) ? 6 : a == EL_ACTUATOR_HCTM ? 2 : 1))
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
