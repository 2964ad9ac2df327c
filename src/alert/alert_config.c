/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told: a file that holds secrets. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alert_private.h"
#include "assay/base/files.h"
#include "assay/base/json.h"
#include "assay/model/platform.h"

enum { CONFIG_BYTES = 1 << 20, TIMEOUT_S = 10, LONGEST_TIMEOUT_S = 60 };

/* What others may read is no secret. Root may have put it there for us. */
static int check_private(const char *path, struct error *err)
{
    struct stat found;

    if (stat(path, &found) < 0)
        return error_set(err, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    if ((found.st_mode & 077) != 0)
        return error_set(err, ERROR_USAGE, "%s can be read by others, and holds secrets: chmod 600 %s", path,
                         path);
    if (found.st_uid != geteuid() && found.st_uid != 0)
        return error_set(err, ERROR_USAGE, "%s belongs to another user", path);
    return 0;
}

static int read_private(const char *path, struct text *text, struct error *err)
{
    text_init(text, CONFIG_BYTES);
    return check_private(path, err) < 0 ? -1 : file_read(path, text, err);
}

static int first_line(struct arena *arena, const char *path, const char **ret_line, struct error *err)
{
    cleanup_text struct text text = {0};

    if (read_private(path, &text, err) < 0)
        return -1;
    *ret_line = arena_strndup(arena, text.bytes, strcspn(text.bytes, "\r\n"));
    return 0;
}

/* KEY, or the first line of the file that KEY_file names; NULL: neither. */
static int take_secret(struct arena *arena, const struct json *row, const char *key, const char **ret_value,
                       struct error *err)
{
    const char *file = json_string(row, arena_printf(arena, "%s_file", key), NULL);

    *ret_value = json_string(row, key, NULL);
    if (file != NULL && *ret_value != NULL)
        return json_error(err, row, "it has both %s and %s_file", key, key);
    if (file != NULL && first_line(arena, file, ret_value, err) < 0)
        return json_error(err, row, "%s_file: %s", key, arena_strdup(arena, err->text));
    return 0;
}

static enum alert_severity severity_named(const char *name)
{
    enum alert_severity severity = ALERT_CRITICAL;

    while (severity > ALERT_INFO && strcmp(alert_severity_name(severity), name) != 0)
        severity--;
    return severity;
}

static int take_receiver(struct arena *arena, const struct json *row, struct alert_config *config,
                         struct error *err)
{
    struct alert_receiver receiver = {.name = json_string(row, "name", ""),
                                      .kind = alert_kind_named(json_string(row, "kind", "")),
                                      .least = severity_named(json_string(row, "least", "warning"))};
    double timeout = json_number(row, "timeout_s", TIMEOUT_S);
    const char *url, *fault;

    for (size_t i = 0; i < config->receivers.count; i++)
        if (strcmp(config->receivers.items[i].name, receiver.name) == 0)
            return json_error(err, row, "receiver '%s' appears twice", receiver.name);
    if (take_secret(arena, row, "url", &url, err) < 0 ||
        take_secret(arena, row, "secret", &receiver.secret, err) < 0)
        return -1;
    if (url == NULL)
        return json_error(err, row, "receiver '%s' has neither url nor url_file", receiver.name);
    fault = alert_url_read(arena, url, &receiver.url);
    if (fault != NULL)
        return json_error(err, row, "the URL of receiver '%s' %s", receiver.name, fault);
    if (receiver.secret != NULL && receiver.kind != ALERT_DINGTALK)
        return json_error(err, row, "receiver '%s' has a secret, and only dingtalk signs", receiver.name);
    receiver.timeout_s = (unsigned)(timeout < LONGEST_TIMEOUT_S ? timeout : LONGEST_TIMEOUT_S);
    *list_push(arena, &config->receivers) = receiver;
    return 0;
}

/* A file that does not speak of growth has a warning of what will be full within a month. */
enum { USUAL_DAYS_LEFT = 30, MIB_OF_GIB = 1024 };

static void take_growth(const struct json *growth, struct alert_grade *grades)
{
    for (enum alert_severity severity = ALERT_INFO; severity <= ALERT_CRITICAL; severity++) {
        const struct json *row = json_get(growth, alert_severity_name(severity));
        bool usual = growth == NULL && severity == ALERT_WARNING;

        grades[severity] =
            (struct alert_grade){.days_left = json_number(row, "days_left", usual ? USUAL_DAYS_LEFT : 0),
                                 .filled = json_number(row, "filled_percent", INFINITY),
                                 .grown = MIB_OF_GIB * json_number(row, "grown_gib", INFINITY)};
    }
}

struct alert_config *alert_config_load(struct arena *arena, const char *path, struct error *err)
{
    struct alert_config *config = arena_new(arena, struct alert_config);
    cleanup_text struct text text = {0};
    const struct json *document;

    if (read_private(path, &text, err) < 0)
        return NULL;
    document = document_parse(arena, path, (struct slice){text.bytes, text.length}, "alert", err);
    if (document == NULL)
        return NULL;
    config->no_run_after = 3600 * json_number(document, "no_run_after_h", 0);
    take_growth(json_get(document, "growth"), config->growth);
    json_each (row, json_get(document, "receivers"))
        if (take_receiver(arena, row, config, err) < 0)
            return NULL;
    return config;
}
