#include "control/poll.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "model/fill.h"
#include "model/nvme_layout.h"

#define SANICAP_ANY          7u
#define VERSION_1_2          0x10200u
#define UNDER_TEMPERATURE    (1u << 20) /* Feature 04h dword 11: THSEL 1 */
#define SUPPORTED_PAGES_SIZE 1024

static int64_t now_us(const struct el_poll *p)
{
    return p->dev.ops->now_us ? p->dev.ops->now_us(p->dev.dev) : el_clock_boottime_us();
}

static int admin(struct el_poll *p, struct el_admin *cmd)
{
    int r = p->dev.ops->admin(p->dev.dev, p->key, cmd);

    p->row.admin_commands[cmd->kind]++;
    if (r > 0)
        p->refused_count++;
    return r;
}

static int get_log(struct el_poll *p, enum el_nvme_lid lid, uint32_t specific, void *page, uint32_t size)
{
    memset(page, 0, size);
    return admin(p, &(struct el_admin){.kind = EL_ADMIN_GET_LOG,
                                       .id = (uint8_t)lid,
                                       .nsid = EL_NVME_NSID_ALL,
                                       .value = specific,
                                       .data = page,
                                       .size = size});
}

static bool wanted(const struct el_poll *p, enum el_read what)
{
    return !(p->refused & 1u << what);
}

/* An optional page came in, or not: a refusal is for good. */
static void take_page(struct el_poll *p, enum el_read what, int r, const uint8_t *page, size_t size)
{
    if (r > 0)
        p->refused |= 1u << what;
    if (r != 0)
        el_fill_unread(&p->row, what, r);
    else if (el_fill_page(&p->row, what, page, size, now_us(p)) == -EPROTONOSUPPORT)
        p->refused |= 1u << what; /* another vendor's page under the same number */
}

static void read_log(struct el_poll *p, enum el_read what, enum el_nvme_lid lid, uint32_t specific)
{
    uint8_t page[EL_NVME_SELF_TEST_SIZE];
    uint32_t size = what == EL_READ_ERROR_LOG ? 64 : (uint32_t)el_fill_size(what);

    if (wanted(p, what))
        take_page(p, what, get_log(p, lid, specific, page, size), page, size);
}

/* Vendor pages are asked only of drives that list them: others would log an error for each question. */
static void probe_supported(struct el_poll *p)
{
    uint8_t page[SUPPORTED_PAGES_SIZE];

    if (!(p->row.identify.lpa & EL_LPA_SUPPORTED_PAGES) ||
        get_log(p, EL_NVME_LID_SUPPORTED, 0, page, sizeof page) != 0 || !(page[EL_NVME_LID_OCP_SMART * 4] & 1))
        p->refused |= 1u << EL_READ_OCP;
}

static int security_receive(struct el_poll *p, uint8_t protocol, uint16_t specific, uint8_t *page, uint32_t size)
{
    memset(page, 0, size);
    return admin(p,
                 &(struct el_admin){
                     .kind = EL_ADMIN_SECURITY_RECEIVE, .id = protocol, .value = specific, .data = page, .size = size});
}

/* Discovery is asked only of drives that list its protocol; the others are known to have no locks. */
static void probe_security(struct el_poll *p)
{
    bool any = p->row.identify.oacs & EL_OACS_SECURITY;
    uint8_t page[EL_NVME_LOG_SIZE];
    int r = any ? security_receive(p, EL_SECP_INFORMATION, 0, page, sizeof page) : 0;

    if (r == 0 && any && el_nvme_security_lists(page, sizeof page, EL_SECP_TCG))
        return;
    p->refused |= 1u << EL_READ_SECURITY;
    if (r == 0)
        el_fill_no_security(&p->row, now_us(p));
    else
        el_fill_unread(&p->row, EL_READ_SECURITY, r);
}

/* Read only: discovery needs no session and disturbs none. Again with the logs, for locks open and close. */
static void read_security(struct el_poll *p)
{
    uint8_t page[EL_NVME_SECURITY_SIZE];

    if (wanted(p, EL_READ_SECURITY))
        take_page(p, EL_READ_SECURITY, security_receive(p, EL_SECP_TCG, EL_TCG_DISCOVERY, page, sizeof page), page,
                  sizeof page);
}

static void read_periodic_logs(struct el_poll *p)
{
    const struct el_nvme_identify *id = &p->row.identify;

    if (id->oacs & EL_OACS_SELF_TEST)
        read_log(p, EL_READ_SELF_TEST, EL_NVME_LID_SELF_TEST, 0);
    p->row.logs.endurance.group = p->endurance_group;
    if ((id->ctratt & EL_CTRATT_ENDURANCE_GROUPS) && p->endurance_group)
        read_log(p, EL_READ_ENDURANCE, EL_NVME_LID_ENDURANCE_GROUP, p->endurance_group);
    if (id->sanicap & SANICAP_ANY)
        read_log(p, EL_READ_SANITIZE, EL_NVME_LID_SANITIZE, 0);
    read_log(p, EL_READ_OCP, EL_NVME_LID_OCP_SMART, 0);
    read_security(p);
}

static void read_feature(struct el_poll *p, enum el_nvme_fid fid, uint32_t dword11)
{
    struct el_admin cmd = {.kind = EL_ADMIN_GET_FEATURE, .id = (uint8_t)fid, .value = dword11};

    if (admin(p, &cmd) == 0)
        el_fill_feature(&p->row, (uint8_t)fid, dword11, cmd.result, now_us(p));
}

/* Thresholds of single sensors are left alone: drives that have the sensors refuse the question often enough. */
static void read_features(struct el_poll *p)
{
    const struct el_nvme_identify *id = &p->row.identify;

    read_feature(p, EL_NVME_FID_POWER_MANAGEMENT, 0);
    read_feature(p, EL_NVME_FID_TEMPERATURE_THRESHOLD, 0);
    if (id->version >= VERSION_1_2)
        read_feature(p, EL_NVME_FID_TEMPERATURE_THRESHOLD, UNDER_TEMPERATURE);
    if (id->vwc & EL_VWC_PRESENT)
        read_feature(p, EL_NVME_FID_VOLATILE_WRITE_CACHE, 0);
    if (id->hctm)
        read_feature(p, EL_NVME_FID_HCTM, 0);
    p->features_read = true;
}

static void read_namespaces(struct el_poll *p, uint8_t page[EL_NVME_IDENTIFY_SIZE])
{
    struct el_nvme_namespace n;

    p->endurance_group = 0;
    for (uint32_t i = 0; i < p->request.namespaces; i++) {
        struct el_admin cmd = {.kind = EL_ADMIN_IDENTIFY,
                               .id = 0,
                               .nsid = p->request.nsid[i],
                               .data = page,
                               .size = EL_NVME_IDENTIFY_SIZE};

        p->ns[i] = (struct el_namespace){.nsid = p->request.nsid[i]};
        memset(page, 0, EL_NVME_IDENTIFY_SIZE);
        if (admin(p, &cmd) != 0)
            continue;
        (void)el_fill_namespace(&p->ns[i], page); /* a senseless page leaves size 0: not read */
        el_nvme_decode_namespace(&n, page);
        if (!p->endurance_group)
            p->endurance_group = n.endurance_group;
    }
}

static int read_identity(struct el_poll *p)
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE] = {0};
    struct el_admin cmd = {.kind = EL_ADMIN_IDENTIFY, .id = 1, .data = page, .size = sizeof page};
    struct el_nvme_identify before = p->row.identify;
    int r = admin(p, &cmd);

    if (r != 0) {
        el_fill_unread(&p->row, EL_READ_IDENTIFY, r);
        return r;
    }
    r = el_fill_page(&p->row, EL_READ_IDENTIFY, page, sizeof page, now_us(p));
    if (r < 0)
        return r;
    if (before.serial[0] && strcmp(before.serial, p->row.identify.serial) != 0) {
        struct el_nvme_identify fresh = p->row.identify;
        struct el_stamp stamp = p->row.stamp[EL_READ_IDENTIFY];

        p->row.identify = before;
        el_fill_forget(&p->row); /* another drive: nothing of the old one may stand beside its serial */
        p->row.identify = fresh;
        p->row.stamp[EL_READ_IDENTIFY] = stamp;
    } else if (p->request.confirm) {
        p->identified = true;
        return 0;
    }
    p->refused = 0;
    p->features_read = p->error_entries_known = false;
    p->identified = true;
    read_namespaces(p, page);
    return 0;
}

/* Entries that came while questions of ours were refused are laid at our door. */
static void account_errors(struct el_poll *p)
{
    uint64_t now = (uint64_t)p->row.smart.error_log_entries;

    if (p->error_entries_known && p->refused_count && now > p->error_entries)
        p->row.error_log_growth_caused += EL_MIN(now - p->error_entries, (uint64_t)p->refused_count);
    if (p->error_entries_known && now != p->error_entries) {
        read_log(p, EL_READ_ERROR_LOG, EL_NVME_LID_ERROR, 0);
        p->more = true;
    }
    p->error_entries = now;
    p->error_entries_known = true;
    p->refused_count = 0;
}

static int read_smart(struct el_poll *p)
{
    uint8_t page[EL_NVME_SMART_SIZE];
    int r = get_log(p, EL_NVME_LID_SMART, 0, page, sizeof page);

    if (r == 0)
        r = el_fill_page(&p->row, EL_READ_SMART, page, sizeof page, now_us(p));
    else
        el_fill_unread(&p->row, EL_READ_SMART, r);
    if (r == 0)
        account_errors(p);
    return r;
}

void el_poll_run(void *arg)
{
    struct el_poll *p = arg;

    p->start_us = now_us(p);
    p->identified = false;
    p->more = p->request.identify || p->request.logs || !p->features_read;
    p->result = p->request.identify || !p->row.identify.serial[0] ? read_identity(p) : 0;
    if (p->result == 0)
        p->result = read_smart(p);
    if (p->result == 0 && !p->features_read) {
        read_features(p);
        probe_supported(p);
        probe_security(p);
        read_log(p, EL_READ_FIRMWARE, EL_NVME_LID_FIRMWARE, 0);
        read_log(p, EL_READ_ERROR_LOG, EL_NVME_LID_ERROR, 0);
        p->request.logs = true;
    }
    if (p->result == 0 && p->request.logs)
        read_periodic_logs(p);
    p->end_us = now_us(p);
}

static void copy_members(const struct el_poll *p, struct el_slot *slot, size_t from, size_t to)
{
    memcpy((char *)slot + from, (const char *)&p->row + from, to - from);
}

void el_poll_take(const struct el_poll *p, struct el_slot *slot)
{
    /* Everything between the stamps and io is what the drive itself said; of it, SMART and what follows from it at
     * each poll. */
    if (p->more) {
        copy_members(p, slot, offsetof(struct el_slot, stamp), offsetof(struct el_slot, io));
    } else {
        slot->stamp[EL_READ_SMART] = p->row.stamp[EL_READ_SMART];
        copy_members(p, slot, offsetof(struct el_slot, smart), offsetof(struct el_slot, threshold_mc));
        if (p->result != 0)
            memcpy(slot->read_faults, p->row.read_faults, sizeof slot->read_faults);
    }
    memcpy(slot->admin_commands, p->row.admin_commands, sizeof slot->admin_commands);
    slot->error_log_growth_caused = p->row.error_log_growth_caused;
    slot->polls++;
    slot->poll_errors += p->result != 0;
    slot->poll_duration_us = p->end_us - p->start_us;
}
