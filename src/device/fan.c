#include "device/fan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define MANUAL   1 /* Documentation/hwmon/sysfs-interface.rst: 0 full speed, 1 manual, 2+ automatic */
#define FULL_PWM 255

static bool enable_path(const char *pwm, char out[EL_SYSFS_PATH])
{
    return (size_t)snprintf(out, EL_SYSFS_PATH, "%s_enable", pwm) < EL_SYSFS_PATH;
}

static int put(const struct el_sysfs *fs, const char *path, int64_t v)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)v);
    return el_file_write_attr(fs->root, path, text);
}

/* What no driver should tell could not be given back either: -ERANGE. */
static int state(const struct el_sysfs *fs, const char *pwm, int64_t *duty, int64_t *enable)
{
    char path[EL_SYSFS_PATH];
    int r = enable_path(pwm, path) ? el_sysfs_i64(fs, "", pwm, duty) : -ENAMETOOLONG;

    if (r == 0)
        r = el_sysfs_i64(fs, "", path, enable);
    return r == 0 && (*duty < 0 || *duty > FULL_PWM || *enable < 0 || *enable > INT32_MAX) ? -ERANGE : r;
}

int el_fan_usable(const struct el_sysfs *fs, const char *pwm, char *why, size_t why_size)
{
    char path[EL_SYSFS_PATH];
    int64_t duty, enable;
    int r = state(fs, pwm, &duty, &enable);

    el_text_copy(why, why_size, "");
    if (r < 0)
        snprintf(why, why_size, "its driver does not tell pwm and pwm_enable");
    else if (enable_path(pwm, path) &&
             (faccessat(fs->root, pwm, W_OK, AT_EACCESS) < 0 || faccessat(fs->root, path, W_OK, AT_EACCESS) < 0)) {
        r = -errno;
        snprintf(why, why_size, "pwm or pwm_enable cannot be written");
    }
    return r;
}

int el_fan_save(const struct el_sysfs *fs, const char *pwm, char *text, size_t size)
{
    int64_t duty, enable;
    int r = state(fs, pwm, &duty, &enable);

    if (r == 0)
        snprintf(text, size, "pwm=%lld enable=%lld", (long long)duty, (long long)enable);
    return r;
}

int el_fan_write(const struct el_sysfs *fs, const char *pwm, double ratio)
{
    char path[EL_SYSFS_PATH];
    int64_t duty, enable;
    int r;

    if (!isfinite(ratio) || ratio < 0 || ratio > 1)
        return -EINVAL;
    r = state(fs, pwm, &duty, &enable);
    if (r == 0 && enable != MANUAL && enable_path(pwm, path))
        r = put(fs, path, MANUAL);
    return r == 0 ? put(fs, pwm, llround(ratio * FULL_PWM)) : r;
}

int el_fan_read(const struct el_sysfs *fs, const char *pwm, double *ratio)
{
    int64_t duty, enable;
    int r = state(fs, pwm, &duty, &enable);

    if (r != 0)
        return r;
    if (enable != MANUAL)
        return -EBUSY;
    *ratio = (double)duty / FULL_PWM;
    return 0;
}

/* Duty first: a fan that goes back to manual control must not pass through a duty of ours. One that is not in manual
 * control any more was taken by someone else, or by its chip at a reboot. */
int el_fan_restore(const struct el_sysfs *fs, const char *pwm, const char *text)
{
    char path[EL_SYSFS_PATH];
    int duty, enable, r;
    int64_t duty_now, enable_now;
    char rest;

    if (sscanf(text, "pwm=%d enable=%d%c", &duty, &enable, &rest) != 2 || duty < 0 || duty > FULL_PWM || enable < 0)
        return -EINVAL;
    if (state(fs, pwm, &duty_now, &enable_now) == 0 && enable_now != MANUAL)
        return 0;
    r = put(fs, pwm, duty);
    if (r < 0 && enable == MANUAL)
        return r;
    return enable_path(pwm, path) ? put(fs, path, enable) : -ENAMETOOLONG;
}
