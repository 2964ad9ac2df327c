/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "mpi_launch.h"

#include <string.h>

#include "launcher.h"

const char *mpi_launch_size(struct arena *arena, size_t size)
{
    return arena_printf(arena, "%zu hosts", size);
}

static void put_fact(struct reading *out, const char *metric, const char *subject, const char *value)
{
    reading_fact(out, metric, subject, slice_of(value));
}

/* "255 ssh: connect to host ..." -> its number, and what was said; "" where nothing was. */
static const char *split_status(const char *told, uint64_t *ret_status)
{
    struct slice rest = slice_of(told);

    *ret_status = 0;
    scan_digits(&rest, ret_status);
    return slice_trim(rest).bytes;
}

enum {
    STATUS_TIMEOUT = 124,
    STATUS_NO_TOOL = 126, /* or 127: it could not be executed on the head */
    STATUS_KILLED = 137,  /* by timeout -k */
};

static bool was_ended(uint64_t status)
{
    return status == STATUS_TIMEOUT || status == STATUS_KILLED;
}

/* --- logins --- */

/* Who is asked for a key says nothing of the host's health, and a person mends it. */
static bool is_about_keys(const char *said)
{
    return strstr(said, "Host key verification failed") != NULL || strstr(said, "Permission denied") != NULL;
}

static bool is_reached(const struct reading *out, const struct host *host)
{
    const char *told = reading_get_fact(out, "launch.ssh", host->name);

    return told != NULL && strcmp(told, "ok") == 0;
}

static void read_login(struct reading *out, const struct host *host)
{
    const char *told = reading_get_fact(out, "launch.ssh", host->name), *said;
    uint64_t status;

    if (told == NULL || is_reached(out, host)) {
        if (told != NULL)
            put_fact(out, "launch.login", host->name, "ok");
        return;
    }
    said = split_status(told, &status);
    if (is_about_keys(said) || status == STATUS_NO_TOOL || status == STATUS_NO_TOOL + 1)
        reading_unread(out, "launch.login", host->name, reason_text(out->arena, said));
    else if (was_ended(status))
        reading_fact_said(out, "launch.login", host->name, REASON(no_answer_in_time));
    else if (*said != '\0')
        put_fact(out, "launch.login", host->name, said);
    else
        reading_fact_said(out, "launch.login", host->name,
                          reason(out->arena, failed_with_exit_status, status));
}

/* What was not asked because nobody could log in is said of the login. */
static void read_machine(struct reading *out, const struct host *host)
{
    if (reading_get_fact(out, "launch.machine", host->name) == NULL &&
        reading_why_unread(out, "launch.machine", host->name) == NULL)
        reading_unread(out, "launch.machine", host->name, REASON(not_asked_see_login));
}

/* --- alike on all --- */

/* The value that most members have; of two with as many, the one that the head has, or the first. */
static const char *common_value(const struct check_context *context, const struct reading *out,
                                const char *metric)
{
    const char *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < context->member_count; i++) {
        const char *value = reading_get_fact(out, metric, context->members[i]->name);
        size_t count = 0;

        for (size_t k = 0; value != NULL && k < context->member_count; k++) {
            const char *other = reading_get_fact(out, metric, context->members[k]->name);

            count += other != NULL && strcmp(other, value) == 0;
        }
        if (count > most) {
            most = count;
            best = value;
        }
    }
    return best;
}

/* From the facts `told` of all members the fact `metric` of each that has none yet. */
static void compare(const struct check_context *context, struct reading *out, const char *told,
                    const char *metric)
{
    const char *common = common_value(context, out, told);

    for (size_t i = 0; i < context->member_count; i++) {
        const char *name = context->members[i]->name, *value = reading_get_fact(out, told, name);
        const struct reason *why = reading_why_unread(out, told, name);

        if (reading_get_fact(out, metric, name) != NULL)
            continue;
        if (value == NULL)
            reading_unread(out, metric, name, why != NULL ? why : REASON(not_asked_see_login));
        else if (strcmp(value, common) == 0)
            reading_fact_said(out, metric, name, REASON(as_on_the_others));
        else
            reading_fact_said(out, metric, name, reason(out->arena, while_most_hosts_have, value, common));
    }
}

/* --- interfaces --- */

/* "10.0.0.5/24" as a number and the length of its prefix. */
static bool read_network(struct slice text, uint32_t *ret_address, uint64_t *ret_bits)
{
    uint64_t byte;

    *ret_address = 0;
    for (int i = 0; i < 4; i++) {
        if ((i > 0 && !scan_text(&text, ".")) || !scan_digits(&text, &byte) || byte > 255)
            return false;
        *ret_address = *ret_address << 8 | (uint32_t)byte;
    }
    return scan_text(&text, "/") && scan_digits(&text, ret_bits) && *ret_bits <= 32 && text.length == 0;
}

static uint32_t mask_of(uint64_t bits)
{
    return bits == 0 ? 0 : (uint32_t)0xffffffff << (32 - bits);
}

static const char *network_text(struct arena *arena, uint32_t address, uint64_t bits)
{
    uint32_t net = address & mask_of(bits);

    return arena_printf(arena, "%u.%u.%u.%u/%llu", net >> 24, net >> 16 & 255, net >> 8 & 255, net & 255,
                        (unsigned long long)bits);
}

/* The network of an interface, or the first of the host's addresses that lies in the network; NULL: there is none.
   addresses: "eth0 10.0.0.5/24 ib0 192.168.1.5/24 ". */
static const char *network_of(struct arena *arena, const char *addresses, const char *wanted)
{
    struct slice rest = slice_of(addresses), name, word;
    uint32_t address, net;
    uint64_t bits, net_bits = 0;
    bool by_network = read_network(slice_of(wanted), &net, &net_bits);

    while (scan_word(&rest, &name) && scan_word(&rest, &word)) {
        if (!read_network(word, &address, &bits))
            continue;
        if (by_network ? (address & mask_of(net_bits)) == (net & mask_of(net_bits))
                       : slice_equal(name, wanted))
            return network_text(arena, address, bits);
    }
    return NULL;
}

static bool has_interface(const char *addresses, const char *wanted)
{
    struct slice rest = slice_of(addresses), name, word;

    while (scan_word(&rest, &name) && scan_word(&rest, &word))
        if (slice_equal(name, wanted))
            return true;
    return false;
}

/* What is wrong with an interface, or a network, that the host has no address of. */
static const struct reason *lack_of(struct arena *arena, const char *addresses, const char *wanted)
{
    if (strchr(wanted, '/') != NULL)
        return reason(arena, no_address_in_network, wanted);
    return has_interface(addresses, wanted) ? reason(arena, no_ipv4_address, wanted)
                                            : reason(arena, no_interface_address, wanted);
}

/* The i-th that the suite names, for either kind of messages; NULL when there are no more. */
static const char *nth_wanted(const struct suite_launcher *launcher, size_t i)
{
    if (i < launcher->oob_interfaces.count)
        return launcher->oob_interfaces.items[i];
    i -= launcher->oob_interfaces.count;
    return i < launcher->btl_interfaces.count ? launcher->btl_interfaces.items[i] : NULL;
}

/* It may be named for both kinds. */
static bool is_named_before(const struct suite_launcher *launcher, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(nth_wanted(launcher, k), nth_wanted(launcher, i)) == 0)
            return true;
    return false;
}

/* Fact launch.networks, "eth0 in 10.0.0.0/24, eth1 in 10.1.0.0/24", of a host that has them all, and else what is
   wrong: also where it is wrong on every host. */
static void look_at(const struct check_context *context, const char *name, const char *addresses,
                    struct reading *out)
{
    const struct suite_launcher *launcher = &context->suite->launcher;
    const char *networks = "", *wanted;
    const struct reason *lacks = NULL;

    for (size_t i = 0; (wanted = nth_wanted(launcher, i)) != NULL; i++) {
        const char *network = network_of(out->arena, addresses, wanted);

        if (is_named_before(launcher, i))
            continue;
        if (network != NULL)
            networks = arena_printf(out->arena, "%s%s%s in %s", networks, *networks != '\0' ? ", " : "",
                                    wanted, network);
        else if (lacks == NULL)
            lacks = lack_of(out->arena, addresses, wanted);
        else
            lacks = reason(out->arena, clause, lacks, lack_of(out->arena, addresses, wanted));
    }
    if (lacks != NULL)
        reading_fact_said(out, "launch.interfaces", name, lacks);
    else
        put_fact(out, "launch.networks", name, networks);
}

static void read_interfaces(const struct check_context *context, struct reading *out)
{
    for (size_t i = 0; i < context->member_count; i++) {
        const char *name = context->members[i]->name;
        const char *addresses = reading_get_fact(out, "launch.addresses", name);
        const struct reason *why = reading_why_unread(out, "launch.addresses", name);

        if (addresses != NULL)
            look_at(context, name, addresses, out);
        else if (why != NULL)
            reading_unread(out, "launch.networks", name, why);
    }
    compare(context, out, "launch.networks", "launch.interfaces");
}

/* --- launches --- */

/* The names of the hosts whose ranks spoke, "answers: n1 n2" without its first word; NULL: it was not tried. */
static const char *answers_of(const struct reading *out, const char *launch)
{
    const char *told = reading_get_fact(out, "launch.answers", launch);
    struct slice rest = slice_of(told != NULL ? told : "");

    return scan_text(&rest, "answers:") ? rest.bytes : NULL;
}

/* What the launcher said; NULL: nothing was wrong. */
static const struct reason *trouble_of(const struct reading *out, const char *launch)
{
    const char *told = reading_get_fact(out, "launch.trouble", launch), *said;
    uint64_t status;

    if (told == NULL)
        return NULL;
    said = split_status(told, &status);
    if (was_ended(status))
        return *said != '\0' ? reason(out->arena, launch_hung_saying, said) : REASON(launch_hung);
    if (*said != '\0')
        return reason(out->arena, text, said);
    /* Fewer hosts answered than were asked. */
    return status == 0 ? REASON(launch_ran_on_fewer_hosts)
                       : reason(out->arena, exit_status_without_a_word, status);
}

static bool has_word(const char *words, const char *word)
{
    struct slice rest = slice_of(words != NULL ? words : ""), next;

    while (scan_word(&rest, &next))
        if (slice_equal(next, word))
            return true;
    return false;
}

static size_t count_words(const char *words)
{
    struct slice rest = slice_of(words), next;
    size_t count = 0;

    while (scan_word(&rest, &next))
        count++;
    return count;
}

struct launches {
    size_t reached;               /* members that the head logged in to, itself included */
    size_t tried, sound;          /* the largest size that was launched, and that all of answered */
    const struct reason *trouble; /* of the one that was tried and is not sound */
};

static struct launches find_launches(const struct check_context *context, const struct reading *out)
{
    struct launches launches = {0};

    for (size_t i = 0; i < context->member_count; i++)
        launches.reached += is_reached(out, context->members[i]);
    for (size_t size = 1; size <= launches.reached; size++) {
        const char *launch = arena_printf(out->arena, "%zu", size);

        if (answers_of(out, launch) == NULL)
            continue;
        launches.tried = size;
        launches.trouble = trouble_of(out, launch);
        if (launches.trouble == NULL)
            launches.sound = size;
    }
    return launches;
}

/* What stood in the way of the launches that were not tried. */
static const struct reason *why_not_tried(struct reading *out, const struct launches *launches)
{
    if (launches->tried == 0)
        return REASON(no_launch_was_tried);
    if (launches->trouble == NULL)
        return REASON(not_all_could_be_logged_in_to);
    if (launches->tried == 1)
        return reason(out->arena, no_rank_starts_on_the_head, launches->trouble);
    return reason(out->arena, not_tried_after_launch_on, launches->tried, launches->trouble);
}

static void read_size(struct reading *out, const struct launches *launches, size_t size)
{
    const char *launch = arena_printf(out->arena, "%zu", size), *subject = mpi_launch_size(out->arena, size);
    const char *answers = answers_of(out, launch);
    const struct reason *trouble = trouble_of(out, launch);

    if (answers == NULL)
        reading_unread(out, "launch.hosts", subject, why_not_tried(out, launches));
    else if (trouble == NULL)
        reading_fact_said(out, "launch.hosts", subject, REASON(all_answered));
    else
        reading_fact_said(out, "launch.hosts", subject,
                          reason(out->arena, launch_answered_by, count_words(answers), size, trouble));
}

/* place: of the member among those that were reached, from 0, the head's. */
static void read_start(struct reading *out, const struct launches *launches, const struct host *host,
                       size_t place)
{
    const char *pair = arena_printf(out->arena, "pair.%s", host->name), *largest;
    const char *hostname = reading_get_fact(out, "launch.hostname", host->name);

    largest = answers_of(out, arena_printf(out->arena, "%zu", launches->tried));
    if (place < launches->sound || (hostname != NULL && has_word(largest, hostname)) ||
        (answers_of(out, pair) != NULL && trouble_of(out, pair) == NULL))
        put_fact(out, "launch.started", host->name, "yes");
    else if (answers_of(out, pair) != NULL)
        reading_fact_said(out, "launch.started", host->name,
                          reason(out->arena, not_with_the_head_alone, trouble_of(out, pair)));
    else if (launches->tried == 2 && place == 1)
        reading_fact_said(out, "launch.started", host->name,
                          reason(out->arena, not_with_the_head_alone, launches->trouble));
    else
        reading_unread(out, "launch.started", host->name, why_not_tried(out, launches));
}

static void read_launches(const struct check_context *context, struct reading *out)
{
    struct launches launches = find_launches(context, out);
    size_t place = 0;

    for (size_t size = 2; size < context->member_count; size *= 2)
        read_size(out, &launches, size);
    read_size(out, &launches, context->member_count);
    for (size_t i = 0; i < context->member_count; i++)
        if (is_reached(out, context->members[i]))
            read_start(out, &launches, context->members[i], place++);
        else
            reading_unread(out, "launch.started", context->members[i]->name,
                           REASON(could_not_be_logged_in_to));
}

void mpi_launch_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    read_parts(context, attempt, out);
    if (out->status != READING_COMPLETE)
        return;
    for (size_t i = 0; i < context->member_count; i++) {
        read_login(out, context->members[i]);
        read_machine(out, context->members[i]);
    }
    if (!launcher_is_srun(context))
        compare(context, out, "launch.mpi_version", "launch.mpi");
    compare(context, out, "launch.nccl_version", "launch.nccl");
    read_interfaces(context, out);
    read_launches(context, out);
}
