/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object store, as a host sees it: what it takes and gives by several streams at once, how long a small object takes, and
 * whether what comes back is what was put, byte by byte. By curl: S3 where credentials are named, else plain HTTP. What was
 * made is deleted.
 *
 * Credentials are a file on the host, which its shell reads and hands to curl (sh/object_store.sh): no command of assay's and
 * nothing that it stores has them. There are no figures that fit all stores: a contract's are limits of the step.
 */
#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

#define CREDENTIALS_BYTES "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/._-+@:"
#define NAME_BYTES "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

enum {
    STREAMS_MOST = 256,
    GETS_MOST = 1000,
    CALL_S = 1, /* a small object, put, got or deleted */
    EXPECTED_MOST_S = 1000000
};

static const char *endpoint_of(const struct check_context *context)
{
    const char *given = check_text(context, "endpoint");

    return given != NULL ? given : context->members[0]->object_store;
}

/* A path that stands in curl's options: without what those would read otherwise. */
static bool is_file(const char *path)
{
    return path == NULL ||
           ((path[0] == '/' || strncmp(path, "~/", 2) == 0) && path[strspn(path, "~")] != '\0' &&
            path[1 + strspn(path + 1, CREDENTIALS_BYTES)] == '\0');
}

static bool is_word(const char *word)
{
    return word[0] != '\0' && word[strspn(word, NAME_BYTES)] == '\0';
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *endpoint = check_text(context, "endpoint"), *ca = check_text(context, "ca");

    if (endpoint != NULL && !host_is_object_store(endpoint))
        return "\"endpoint\" is not " HOST_OBJECT_STORE_FORM;
    if (!is_file(check_text(context, "credentials")))
        return "\"credentials\" is not a path as \"~/.aws/credentials\" or \"/etc/store.keys\"";
    if (ca != NULL && (ca[0] != '/' || !is_file(ca)))
        return "\"ca\" is not a path as \"/etc/ssl/store.pem\"";
    if (!is_word(check_text(context, "profile")) || !is_word(check_text(context, "region")))
        return "\"profile\" and \"region\" are words of letters, digits, '.', '_' and '-'";
    if (check_number(context, "streams") < 1 || check_number(context, "streams") > STREAMS_MOST ||
        check_number(context, "gets") < 2 || check_number(context, "gets") > GETS_MOST)
        return "\"streams\" must be 1 to 256, \"gets\" 2 to 1000";
    if (check_number(context, "size") < 1 || check_number(context, "seconds") < 1)
        return "\"size\" and \"seconds\" must be at least 1";
    return NULL;
}

static int host_valid(const struct check_context *context, const char *hostfile, struct error *err)
{
    const struct host *host = context->members[0];

    if (endpoint_of(context) != NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s:%u:%u: host '%s' declares no object store, and step '%s' names none; expected "
        "object_store=URL on its line or on a defaults line, or \"endpoint\" in the step's arguments",
        hostfile, host->line, host->column, host->name, context->step->name);
}

static void command(const struct check_context *context, struct text *out)
{
    static const char *const texts[] = {"credentials", "profile", "region", "ca"};

    script_begin(out, arena_printf(context->arena, "curl: put, get and delete objects below %s",
                                   endpoint_of(context)));
    script_set(out, "url", endpoint_of(context));
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        script_set(out, texts[i], check_text(context, texts[i]));
    script_set_number(out, "streams", check_number(context, "streams"), 0);
    script_set_number(out, "bytes", check_number(context, "size"), 0);
    script_set_number(out, "gets", check_number(context, "gets"), 0);
    script_set_number(out, "within_s", check_number(context, "seconds"), 0);
    script_tool(context, out, "curl_tool", "curl");
    text_put(out, script_object_store);
}

/* -- Reading -- */

/* "536870912 1.25": bytes and seconds. */
static void tell_bandwidth(struct reading *out, const char *row, const char *op)
{
    const char *told = reading_get_fact(out, row, "");
    struct slice rest = slice_of(told != NULL ? told : ""), word;
    struct measurement *measurement;
    double bytes, seconds;

    if (!scan_word(&rest, &word) || !scan_double(word, &bytes) || !scan_word(&rest, &word) ||
        !scan_double(word, &seconds) || seconds <= 0)
        return;
    measurement = reading_measure(out, "object.bandwidth", "", round(bytes / seconds / 1e3) / 1e6, "GB/s");
    reading_at_text(out, measurement, "op", slice_of(op));
}

static void tell_latency(const struct check_context *context, struct reading *out)
{
    const char *told = reading_get_fact(out, "object.times", "");
    struct slice rest = slice_of(told != NULL ? told : ""), word;
    size_t most = (size_t)check_number(context, "gets"), count = 0;
    double *times = arena_array(out->arena, double, most), largest = 0;

    while (count < most && scan_word(&rest, &word) && scan_double(word, &times[count]))
        largest = fmax(largest, times[count++]);
    if (count < most)
        return;
    reading_at_text(out, reading_measure(out, "object.latency", "", robust_median(times, count) * 1e6, "us"),
                    "stat", slice_of("median"));
    reading_at_text(out, reading_measure(out, "object.latency", "", largest * 1e6, "us"), "stat",
                    slice_of("max"));
}

static void read_store(const struct check_context *context, const struct attempt *attempt,
                       struct reading *out)
{
    read_parts(context, attempt, out);
    tell_bandwidth(out, "object.put", "put");
    tell_bandwidth(out, "object.get", "get");
    tell_latency(context, out);
}

/* -- What is required -- */

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const char *const rows[][2] = {{"object.bandwidth", "op=put"},
                                          {"object.bandwidth", "op=get"},
                                          {"object.latency", "stat=median"},
                                          {"object.latency", "stat=max"}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        slot_add(context, slots, rows[i][0], "", rows[i][1], rules_duty(context, rows[i][0], ""), NULL);
}

/* All streams put at once and get at once, each within "seconds", and the deadline is more than twice this; small objects
   are got, and all deleted, one after the other. */
static unsigned expected_s(const struct check_context *context)
{
    double calls = check_number(context, "streams") + check_number(context, "gets") + 2;

    return (unsigned)fmin(check_number(context, "seconds") + CALL_S * calls, EXPECTED_MOST_S);
}

const struct check check_object_store = {
    .name = "object-store",
    .title = "Object store",
    .summary =
        "an object store by S3 or HTTP: what it takes and gives, latency, and whether what comes back is right",
    .concerns = OF_HOST,
    .arguments = ARGUMENTS(
        {"endpoint", ARGUMENT_TEXT, NULL,
         "URL of the store, with bucket and prefix: \"https://store.example/bucket/assay\"; default: the hostfile's object_store="},
        {"credentials", ARGUMENT_TEXT, NULL,
         "file on the hosts with the keys, as the AWS tools have it: \"~/.aws/credentials\"; without it nothing is signed"},
        {"profile", ARGUMENT_TEXT, "default", "section of that file"},
        {"region", ARGUMENT_TEXT, "us-east-1", "that requests are signed for"},
        {"ca", ARGUMENT_TEXT, NULL,
         "file on the hosts with the certificates that are trusted; default: the system's"},
        {"streams", ARGUMENT_COUNT, "8", "objects at once", MORE_IS_MORE},
        {"size", ARGUMENT_SIZE, "64M", "of each", MORE_IS_MORE},
        {"gets", ARGUMENT_COUNT, "20", "of a small object, one after the other", MORE_IS_MORE},
        {"seconds", ARGUMENT_COUNT, "120", "how long one transfer may take", MORE_IS_MORE}),
    .arguments_fault = arguments_fault,
    .host_valid = host_valid,
    .parts = PARTS({"values", "key-value", command, NULL}),
    .items = ITEMS({"object.same", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("object.same", "yes", "assay: what is read is what was written")},
                   {"object.removed", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("object.removed", "yes", "assay: nothing of a test is left",
                                       .inconclusive = true)}),
    .remedies =
        REMEDIES({"object.same", REASON(trust_no_such_store)},
                 {"object.removed", REASON(remove_what_is_left)}, {"object.*", REASON(look_at_way_to_store)}),
    .more_slots = more_slots,
    .expected = expected_s,
    .read = read_store,
};
