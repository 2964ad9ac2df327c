/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts and doors of a host as it is handed over: what listens, who may log in, by which keys, who becomes root, and
 * whose time it takes. What is right was agreed between the parties: without the lists of the suite it is recorded, and
 * with them what lies beyond is named. A second account of uid 0, and one without a password, are remarked on anyhow.
 *
 *   posture.port (22/tcp) = program       posture.user (alice) = uid        posture.key (alice) = fingerprint and comment
 *   posture.sudoer (alice) = group or file of rules     posture.X_read     all of it was read
 *   posture.partition (0xffff) = ports of InfiniBand    posture.m_key      of their subnet: "not set", "set, protection 1"
 *
 *   posture.sm_key, posture.sa_key                      of a subnet manager on the host: "the usual one", "its own", "none"
 *   posture.vs_key, posture.cc_key, posture.n2n_key     "not set", "disabled", "enabled, protection 1"
 *   posture.sa_key_tried                                what the subnet answers to the usual one
 *
 * Ports that the kernel has handed out differ from host to host: posture.ports_fixed is without them, and alike.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "rules.h"
#include "script.h"

enum { TOLD_MOST = 20 /* of what is beyond the agreed: a cause is read by people */, PORT_HIGHEST = 65535 };

/* Rows of one kind, and the items made of them. */
static const struct door {
    const char *row, *item;
    enum shown { NAMES, BOTH, VALUE_FIRST } shown;
    const char *argument, *agreed; /* NULL: nothing is agreed of it */
} doors[] = {
    {"posture.port", "posture.ports", BOTH, "ports", "posture.ports_agreed"},
    {"posture.user", "posture.users", BOTH, "users", "posture.users_agreed"},
    {"posture.sudoer", "posture.sudoers", BOTH, "sudoers", "posture.sudoers_agreed"},
    {"posture.key", "posture.keys", VALUE_FIRST, "keys", "posture.keys_agreed"},
    {"posture.root", "posture.uid_0", NAMES, NULL, NULL},
    {"posture.open_account", "posture.passwordless", NAMES, NULL, NULL},
    {"posture.nopasswd", "posture.nopasswd", NAMES, NULL, NULL},
    {"posture.partition", "posture.partitions", BOTH, "partitions", "posture.partitions_agreed"},
    {"posture.time_source", "posture.time_sources", BOTH, NULL, NULL},
};

/* -- What was agreed -- */

struct ports {
    uint64_t first, last;
    bool udp;
};

/* "22/tcp", or ports from one to another: "30000-30100/udp". */
static bool scan_ports(const char *text, struct ports *ret_ports)
{
    struct slice rest = slice_of(text);

    if (!scan_digits(&rest, &ret_ports->first))
        return false;
    ret_ports->last = ret_ports->first;
    if (scan_text(&rest, "-") && !scan_digits(&rest, &ret_ports->last))
        return false;
    ret_ports->udp = slice_equal(rest, "/udp");
    return slice_equal_one(rest, "/tcp", "/udp") && ret_ports->first <= ret_ports->last &&
           ret_ports->last <= PORT_HIGHEST;
}

static bool is_of(const struct fact *row, const char *agreed)
{
    struct slice value = slice_of(row->value), word;
    struct ports port, ports;

    if (strcmp(row->name, "posture.port") == 0)
        return scan_ports(row->subject, &port) && scan_ports(agreed, &ports) && port.udp == ports.udp &&
               port.first >= ports.first && port.first <= ports.last;
    if (strcmp(row->name, "posture.key") == 0)
        return scan_word(&value, &word) && slice_equal(word, agreed);
    return strcmp(row->subject, agreed) == 0;
}

static const struct json *agreed_on(const struct check_context *context, const struct door *door)
{
    return door->argument != NULL ? json_get(context->step->arguments, door->argument) : NULL;
}

static bool is_agreed(const struct json *agreed, const struct fact *row)
{
    json_each (word, agreed)
        if (is_of(row, word->string))
            return true;
    return false;
}

static bool is_there(const struct reading *out, const char *rows, const char *agreed)
{
    for (size_t i = 0; i < out->facts.count; i++)
        if (strcmp(out->facts.items[i].name, rows) == 0 && is_of(&out->facts.items[i], agreed))
            return true;
    return false;
}

static const char *arguments_fault(const struct check_context *context)
{
    struct ports ports;

    json_each (word, json_get(context->step->arguments, "ports"))
        if (!scan_ports(word->string, &ports))
            return arena_printf(context->arena,
                                "port '%s' is not written as \"22/tcp\" or \"30000-30100/udp\"",
                                word->string);
    json_each (word, json_get(context->step->arguments, "keys"))
        if (strncmp(word->string, "SHA256:", 7) != 0)
            return arena_printf(context->arena,
                                "key '%s' is not a fingerprint as `ssh-keygen -l` shows it, SHA256:...",
                                word->string);
    return NULL;
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, "ss -lntup; cat of files below /etc; ssh-keygen -l of authorized keys");
    script_set_number(out, "try_sa_key", check_flag(context, "try_sa_key"), 0);
    text_put(out, script_posture);
}

/* -- Reading -- */

/* "22/tcp (sshd)", "alice", "SHA256:... ops@login (alice)" */
static const struct reason *row_shown(struct arena *arena, const struct fact *row, enum shown shown)
{
    if (shown == VALUE_FIRST)
        return reason(arena, noted, row->value, row->subject);
    if (shown == NAMES || strcmp(row->value, "?") == 0)
        return reason_text(arena, row->subject);
    return reason(arena, noted, row->subject, row->value);
}

static bool is_read(const struct reading *out, const struct door *door)
{
    return reading_get_fact(out, arena_printf(out->arena, "%s_read", door->item), "") != NULL &&
           !reading_is_unread(out, door->item);
}

/* All of one kind in one line, those that `taken` takes. That there is none, only who has read all can say. */
static void tell_all(struct reading *out, const struct door *door, const char *item,
                     bool (*taken)(const struct reading *out, const struct fact *row))
{
    const char *text = "";

    if (!is_read(out, door))
        return;
    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *row = &out->facts.items[i];

        if (strcmp(row->name, door->row) == 0 && (taken == NULL || taken(out, row)))
            text = arena_printf(out->arena, "%s%s%s", text, *text != '\0' ? ", " : "",
                                reason_english(out->arena, row_shown(out->arena, row, door->shown)));
    }
    reading_fact(out, item, "", slice_of(*text != '\0' ? text : "none"));
}

static bool is_fixed(const struct reading *out, const struct fact *row)
{
    const char *from = reading_get_fact(out, "posture.any_port_from", "");
    struct ports port;
    uint64_t first;

    return !scan_ports(row->subject, &port) || from == NULL || !scan_u64(slice_of(from), &first) ||
           port.first < first;
}

/* "root 2, alice 1": rows of one account follow one another. */
static void tell_key_counts(struct reading *out, const struct door *keys)
{
    const char *text = "", *account = NULL;
    size_t count = 0;

    if (!is_read(out, keys))
        return;
    for (size_t i = 0; i <= out->facts.count; i++) {
        const struct fact *row = i < out->facts.count ? &out->facts.items[i] : NULL;

        if (row != NULL && strcmp(row->name, keys->row) != 0)
            continue;
        if (count > 0 && (row == NULL || strcmp(row->subject, account) != 0)) {
            text = arena_printf(out->arena, "%s%s%s %zu", text, *text != '\0' ? ", " : "", account, count);
            count = 0;
        }
        count++;
        account = row != NULL ? row->subject : NULL;
    }
    reading_fact(out, "posture.key_counts", "", slice_of(*text != '\0' ? text : "none"));
}

/* What is there beyond the list, and of accounts what is not there. */
static void hold_against(struct reading *out, const struct door *door, const struct json *agreed)
{
    const struct reason *said = NULL;
    size_t count = 0;

    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *row = &out->facts.items[i];

        if (strcmp(row->name, door->row) == 0 && !is_agreed(agreed, row) && count++ < TOLD_MOST)
            said = reason_also(out->arena, said,
                               reason(out->arena, not_agreed, row_shown(out->arena, row, door->shown)));
    }
    if (strcmp(door->argument, "users") == 0 && is_read(out, door))
        json_each (word, agreed)
            if (!is_there(out, door->row, word->string) && count++ < TOLD_MOST)
                said = reason_also(out->arena, said, reason(out->arena, agreed_and_missing, word->string));
    if (count > TOLD_MOST)
        said = reason(out->arena, and_more, said, count - TOLD_MOST);
    if (said != NULL)
        reading_fact_said(out, door->agreed, "", said);
    else if (is_read(out, door))
        reading_fact_said(out, door->agreed, "", REASON(as_agreed));
}

static void read_posture(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    read_parts(context, attempt, out);
    for (size_t i = 0; i < ARRAY_SIZE(doors); i++) {
        const struct door *door = &doors[i];
        const struct json *agreed = agreed_on(context, door);

        tell_all(out, door, door->item, NULL);
        if (strcmp(door->row, "posture.port") == 0)
            tell_all(out, door, "posture.ports_fixed", is_fixed);
        if (strcmp(door->row, "posture.key") == 0)
            tell_key_counts(out, door);
        if (agreed != NULL)
            hold_against(out, door, agreed);
    }
}

/* -- What is owed -- */

#define ALIKE "assay: hosts of one platform are set up alike"

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    for (size_t i = 0; i < ARRAY_SIZE(doors); i++)
        if (agreed_on(context, &doors[i]) != NULL)
            slot_add(context, slots, doors[i].agreed, "", NULL, DUTY_RECORD,
                     rules_new(context, LIMITS RULES_EQUAL(doors[i].agreed, "as agreed",
                                                           arena_printf(context->arena, "assay: argument %s",
                                                                        doors[i].argument))));
    if (check_flag(context, "try_sa_key"))
        slot_add(context, slots, "posture.sa_key_tried", "", NULL, DUTY_RECORD,
                 rules_new(context, LIMITS RULES_EQUAL("posture.sa_key_tried", "the usual one is not trusted",
                                                       "NVIDIA UFM manual, security features: SA_Key")));
}

const struct check check_posture = {
    .name = "posture",
    .title = "Accounts and ports",
    .summary =
        "ports that listen, accounts, sudo, authorized keys, P_Keys, time servers; against what the suite says was agreed",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .passive = true,
    .as_root = true,
    .arguments = ARGUMENTS(
        {"ports", ARGUMENT_LIST, NULL,
         "what may listen beyond loopback: \"22/tcp\", \"30000-30100/udp\"; without the list it is recorded",
         GIVEN_IS_MORE},
        {"users", ARGUMENT_LIST, NULL, "accounts that may log in, root among them, and must be there",
         GIVEN_IS_MORE},
        {"sudoers", ARGUMENT_LIST, NULL,
         "who may become root: accounts, and groups of rules as sudoers has them (\"%ops\")", GIVEN_IS_MORE},
        {"keys", ARGUMENT_LIST, NULL,
         "fingerprints of keys that may log in, as `ssh-keygen -l` shows them: \"SHA256:...\"",
         GIVEN_IS_MORE},
        {"partitions", ARGUMENT_LIST, NULL,
         "P_Keys that ports of InfiniBand may have, as the kernel shows them: \"0xffff\", of full members; \"0x7fff\", of limited ones",
         GIVEN_IS_MORE},
        {"try_sa_key", ARGUMENT_FLAG, NULL,
         "true: asks the InfiniBand subnet with the usual SA_Key, 1, whether it is trusted; a subnet with a key of its own may write that down",
         GIVEN_IS_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items = ITEMS(
        {"posture.uid_0", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_EQUAL("posture.uid_0", "root", "assay: one account of uid 0")},
        {"posture.passwordless", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_EQUAL("posture.passwordless", "none",
                            "assay: no account without a password, see shadow(5)")},
        {"posture.ports", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.ports_fixed", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("posture.ports_fixed", ALIKE)},
        {"posture.users", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.users", ALIKE)},
        {"posture.sudoers", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.sudoers", ALIKE)},
        {"posture.nopasswd", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.nopasswd", ALIKE)},
        {"posture.key_counts", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.key_counts", ALIKE)},
        {"posture.keys", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.partitions", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.partitions", ALIKE)},
        {"posture.m_key", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_SAME("posture.m_key", ALIKE)},
        {"posture.sm_key", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.sa_key", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.sa_trust", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.vs_key", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.cc_key", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.n2n_key", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"posture.time_sources", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("posture.time_sources", ALIKE)},
        {"posture.account_sources", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_SAME("posture.account_sources", ALIKE)}),
    .remedies = REMEDIES(
        {"posture.ports*", REASON(close_port)}, {"posture.users*", REASON(remove_account)},
        {"posture.uid_0", REASON(remove_account)}, {"posture.passwordless", REASON(lock_open_account)},
        {"posture.sudoers*", REASON(take_out_of_sudo)}, {"posture.nopasswd", REASON(take_out_of_sudo)},
        {"posture.key*", REASON(remove_authorized_key)},
        {"posture.partitions*", REASON(take_out_of_partition)}, {"posture.m_key", REASON(set_keys_of_subnet)},
        {"posture.s?_key*", REASON(set_keys_of_subnet)}, {"posture.sa_trust", REASON(set_keys_of_subnet)},
        {"posture.vs_key", REASON(set_keys_of_subnet)}, {"posture.cc_key", REASON(set_keys_of_subnet)},
        {"posture.n2n_key", REASON(set_keys_of_subnet)},
        {"posture.time_sources", REASON(set_same_time_servers)}),
    .more_slots = more_slots,
    .expected_s = 10,
    .read = read_posture,
};
