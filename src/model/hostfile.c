/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is a name (with ranges) and assignments. Each key is a row: where its value goes and which function
 * reads it; that function says what it expected, and the line reader says where.
 */
#include "assay/model/hostfile.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "hostlist_private.h"

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/options.h"
#include "assay/model/reading.h"

enum { FILE_LIMIT = 16 * 1024 * 1024, KEY_LIMIT = 32 };

/* Puts the value into the host; NULL, or what was expected instead. */
typedef const char *set_value(struct arena *arena, struct host *host, size_t offset, const char *value);

struct key {
    const char *name;
    set_value *set;
    size_t offset;
    bool own; /* belongs to one host and may not stand in a defaults line */
};

/* key=value as it stands in a line. */
struct assignment {
    const struct key *key;
    const char *label; /* of label.NAME, rail.HCA */
    struct hostlist values;
    unsigned line, column, value_column;
};

struct parser {
    struct arena *arena;
    struct arena *aside; /* of lists that grow, and of each line's words */
    struct hostfile *file;
    struct error *err;
    struct slice text; /* the line at hand, without its comment */
    size_t at;
    unsigned line;
    bool keys_told; /* which there are, in an error */
    bool foreign;   /* YAML, or no text: no line of it can be one of ours */
    LIST_OF(struct assignment) defaults;
};

static int refuse(const struct parser *parser, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int refuse(const struct parser *parser, unsigned line, unsigned column, const char *format, ...)
{
    char message[800];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_add(parser->err, ERROR_USAGE, "%s:%u:%u: %s", parser->file->path, line, column, message);
}

/* --- values --- */

#define field(host, offset, type) ((type *)(void *)((char *)(host) + (offset)))

static const char *set_text(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    (void)arena;
    *field(host, offset, const char *) = value;
    return NULL;
}

/* No name may begin with '-': it would be an option where it is handed to a program. */
static bool is_name(const char *value, const char *others)
{
    if (!isalnum((unsigned char)value[0]) && value[0] != '_' && value[0] != ':')
        return false;
    for (; *value != '\0'; value++)
        if (!isalnum((unsigned char)*value) && strchr(others, *value) == NULL)
            return false;
    return true;
}

#define IPV4 "four numbers from 0 to 255"

/* 10.0.0.999 would be looked up as a name, and tell of that only when the host is asked. */
static bool is_wrong_ipv4(const char *value)
{
    struct in_addr address;

    return strchr(value, '.') != NULL && value[strspn(value, "0123456789.")] == '\0' &&
           inet_pton(AF_INET, value, &address) != 1;
}

static const char *set_address(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    if (!is_name(value, "._-:%"))
        return "a host name or an IP address";
    if (is_wrong_ipv4(value))
        return "an IPv4 address, " IPV4;
    return set_text(arena, host, offset, value);
}

static const char *set_user(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    if (!is_name(value, "._-@\\"))
        return "a user name";
    return set_text(arena, host, offset, value);
}

static const char *set_jump(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    if (!is_name(value, "._-:@,"))
        return "[user@]host[:port], several with ',' between";
    return set_text(arena, host, offset, value);
}

static const char *set_platform(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    if (value[0] == '-')
        return "the name of a platform or a file";
    return set_text(arena, host, offset, value);
}

static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    const struct passwd *entry;

    if (home != NULL && home[0] == '/')
        return home;
    entry = getpwuid(getuid());
    return entry != NULL ? entry->pw_dir : NULL;
}

static const char *set_path(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    const char *home;

    if (value[0] == '-')
        return "a file";
    if (value[0] != '~')
        return set_text(arena, host, offset, value);
    home = home_folder();
    if (value[1] != '/' || home == NULL)
        return "a file; of '~' only '~/' is known";
    return set_text(arena, host, offset, arena_printf(arena, "%s%s", home, value + 1));
}

static const char *set_count(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    uint64_t number;

    (void)arena;
    if (!scan_u64(slice_of(value), &number) || number < 1 || number > 4096)
        return "a whole number from 1 to 4096";
    *field(host, offset, unsigned) = (unsigned)number;
    return NULL;
}

/* Open MPI's limit of oversubscription says nothing to us, but a wrong one is still a wrong one. */
static const char *set_nothing(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    struct host ignored = *host;

    return set_count(arena, &ignored, offset, value);
}

static const char *set_port(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    uint64_t number;

    (void)arena;
    if (!scan_u64(slice_of(value), &number) || number < 1 || number > 65535)
        return "a whole number from 1 to 65535";
    *field(host, offset, unsigned) = (unsigned)number;
    return NULL;
}

static const char *set_role(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    (void)arena;
    if (strcmp(value, "compute") != 0 && strcmp(value, "spare") != 0)
        return "compute or spare";
    *field(host, offset, enum host_role) = value[0] == 's' ? ROLE_SPARE : ROLE_COMPUTE;
    return NULL;
}

bool host_is_over_slurm(const struct host *host)
{
    return host->transport != NULL && strcmp(host->transport, "slurm") == 0;
}

static const char *const scheduler_names[] = {"none", "slurm", "kubernetes"};

const char *host_scheduler_name(enum host_scheduler scheduler)
{
    return scheduler_names[scheduler];
}

bool host_scheduler_find(const char *word, enum host_scheduler *ret_scheduler)
{
    for (size_t i = 0; i < ARRAY_SIZE(scheduler_names); i++)
        if (strcmp(scheduler_names[i], word) == 0) {
            *ret_scheduler = (enum host_scheduler)i;
            return true;
        }
    return false;
}

static const char *set_scheduler(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    (void)arena;
    return host_scheduler_find(value, field(host, offset, enum host_scheduler)) ? NULL
                                                                                : "slurm, kubernetes or none";
}

static const char *set_use(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    (void)arena;
    if (strcmp(value, "production") != 0 && strcmp(value, "acceptance") != 0)
        return "production or acceptance";
    *field(host, offset, bool) = value[0] == 'p';
    return NULL;
}

static const char *set_become(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    (void)arena;
    if (strcmp(value, "sudo") != 0 && strcmp(value, "none") != 0)
        return "sudo or none";
    *field(host, offset, bool) = value[0] == 's';
    return NULL;
}

static const char *set_transport(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    static const char *const words[] = {"auto", "ssh", "openssh", "local", "slurm"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(words[i], value) == 0)
            return set_text(arena, host, offset, value);
    return "auto, ssh, openssh, local or slurm";
}

static const char *set_fabric(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    if (strcmp(value, "infiniband") != 0 && strcmp(value, "ethernet") != 0)
        return "infiniband or ethernet";
    return set_text(arena, host, offset, value);
}

static const char *set_probe(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    return strcmp(value, "gpu") == 0 ? set_text(arena, host, offset, value) : "gpu";
}

/* A word without any of these is a misspelt "none" rather than a name. */
static const char *set_bmc(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    host->without_bmc = strcmp(value, "none") == 0;
    *field(host, offset, const char *) = NULL;
    if (host->without_bmc || strcmp(value, "ipmi") == 0)
        return NULL;
    if (strpbrk(value, ".:-0123456789") == NULL || set_address(arena, host, offset, value) != NULL)
        return "ipmi, none, or the name or IP address of the BMC";
    return NULL;
}

const char *host_bmc_kind(const struct host *host)
{
    return host->without_bmc ? "none" : host->bmc != NULL ? "redfish" : "ipmi";
}

static const char *set_mounts(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    for (const char *at = value; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (*at != '/' || strpbrk(at, " \t\\") != NULL)
            return "mount points, each with '/' at its beginning, several with ',' between";
    return set_text(arena, host, offset, value);
}

#define URL_BYTES "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:-_~/%[]"
bool host_is_object_store(const char *url)
{
    const char *rest = strncmp(url, "https://", 8) == 0  ? url + 8
                       : strncmp(url, "http://", 7) == 0 ? url + 7
                                                         : "";
    const char *path = strchr(rest, '/');

    return path != NULL && path != rest && path[1] != '\0' && url[strspn(url, URL_BYTES)] == '\0' &&
           rest[strlen(rest) - 1] != '/';
}

static const char *set_object_store(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    return host_is_object_store(value) ? set_text(arena, host, offset, value) : HOST_OBJECT_STORE_FORM;
}

#define PATH_BYTES "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_+/@:,%="
bool host_is_file(const char *path)
{
    return path[0] == '/' && path[1] != '\0' && path[strspn(path, PATH_BYTES)] == '\0';
}

static const char *set_file(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    return host_is_file(value) ? set_text(arena, host, offset, value) : HOST_FILE_FORM;
}

static const char *set_timescale(struct arena *arena, struct host *host, size_t offset, const char *value)
{
    double number;

    (void)arena;
    if (!scan_double(slice_of(value), &number) || number < 1 || number > 100000)
        return "a number from 1 to 100000";
    *field(host, offset, double) = number;
    return NULL;
}

const char *host_add_rail(struct arena *arena, struct host *host, const char *hca, const char *value)
{
    const char *colon = strchr(value, ':');
    size_t length = colon != NULL ? (size_t)(colon - value) : strlen(value);
    const char *switch_name = arena_strndup(arena, value, length);

    if (!is_name(switch_name, "._-") || (colon != NULL && !is_name(colon + 1, "._-/:")))
        return "SWITCH or SWITCH:PORT, such as leaf3:12";
    *list_push(arena, &host->rails) =
        (struct host_rail){.hca = hca, .switch_name = switch_name, .port = colon != NULL ? colon + 1 : ""};
    return NULL;
}

bool host_is_line_end(const char *text)
{
    static const char bytes[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:-_%";

    return text[0] != '\0' && text[0] != '-' && text[strspn(text, bytes)] == '\0';
}

/* Of an IPv6 address the colons are its own. */
const char *host_add_line(struct arena *arena, struct host *host, const char *name, const char *value)
{
    const char *colon = strchr(value, ':');
    bool with_port = colon != NULL && strchr(colon + 1, ':') == NULL;
    uint64_t port = 0;

    if (!host_is_line_end(value) || value[0] == ':' ||
        (with_port && (!scan_u64(slice_of(colon + 1), &port) || port < 1 || port > UINT16_MAX)))
        return "ADDRESS or ADDRESS:PORT, such as archive.example:5201; an IPv6 address alone";
    *list_push(arena, &host->lines) = (struct host_line){
        .name = name,
        .address = with_port ? arena_strndup(arena, value, (size_t)(colon - value)) : value,
        .port = (unsigned)port};
    return NULL;
}

char *host_line_text(const struct host_line *line)
{
    return line->port > 0 ? mem_printf("%s:%u", line->address, line->port) : mem_strdup(line->address);
}

static const struct key keys[] = {
    {"slots", set_count, offsetof(struct host, slots), false},
    {"max_slots", set_nothing, offsetof(struct host, slots), false},
    {"max-slots", set_nothing, offsetof(struct host, slots), false},
    {"user", set_user, offsetof(struct host, user), false},
    {"become", set_become, offsetof(struct host, become_root), false},
    {"port", set_port, offsetof(struct host, port), false},
    {"address", set_address, offsetof(struct host, address), true},
    {"mpi_address", set_address, offsetof(struct host, mpi_address), true},
    {"identity", set_path, offsetof(struct host, identity), false},
    {"known_hosts", set_path, offsetof(struct host, known_hosts), false},
    {"jump", set_jump, offsetof(struct host, jump), false},
    {"platform", set_platform, offsetof(struct host, platform), false},
    {"unit", set_text, offsetof(struct host, unit), false},
    {"rack", set_text, offsetof(struct host, rack), false},
    {"leaf", set_text, offsetof(struct host, leaf), false},
    {"fabric", set_fabric, offsetof(struct host, fabric), false},
    {"mounts", set_mounts, offsetof(struct host, mounts), false},
    {"object_store", set_object_store, offsetof(struct host, object_store), false},
    {"uplinks", set_file, offsetof(struct host, uplinks), false},
    {"switch_counters", set_file, offsetof(struct host, switch_counters), false},
    {"probe", set_probe, offsetof(struct host, probe), false},
    {"bmc", set_bmc, offsetof(struct host, bmc), false},
    {"role", set_role, offsetof(struct host, role), false},
    {"scheduler", set_scheduler, offsetof(struct host, scheduler), false},
    {"use", set_use, offsetof(struct host, production), false},
    {"transport", set_transport, offsetof(struct host, transport), false},
    {"timescale", set_timescale, offsetof(struct host, timescale), false},
};

enum { KEY_COUNT = ARRAY_SIZE(keys) };

/* Keys with a name of their own behind the point. */
static const struct key named_keys[] = {
    {"label.NAME", NULL, 0, false}, {"rail.HCA", NULL, 0, false}, {"line.NAME", NULL, 0, false}};

enum { NAMED_KEY_COUNT = ARRAY_SIZE(named_keys) };

static const struct key *const rail_key = &named_keys[1], *const line_key = &named_keys[2];

/* Of "label.NAME" that is "label.". */
static size_t prefix_length(const struct key *key)
{
    return strcspn(key->name, ".") + 1;
}

/* --- one line --- */

static unsigned column_at(const struct parser *parser, size_t offset)
{
    return hostlist_column(parser->text, offset);
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->text.length && strchr(" \t\r", parser->text.bytes[parser->at]) != NULL)
        parser->at++;
}

/* The bytes up to a blank, or up to `end` when that is not 0. */
static struct slice take_word(struct parser *parser, char end)
{
    size_t start = parser->at;

    while (parser->at < parser->text.length && strchr(" \t\r", parser->text.bytes[parser->at]) == NULL &&
           (end == 0 || parser->text.bytes[parser->at] != end))
        parser->at++;
    return (struct slice){parser->text.bytes + start, parser->at - start};
}

static int take_value(struct parser *parser, struct slice *ret_value)
{
    size_t start = parser->at;

    if (start >= parser->text.length || parser->text.bytes[start] != '"') {
        *ret_value = take_word(parser, 0);
        return 0;
    }
    for (parser->at++; parser->at < parser->text.length; parser->at++) {
        if (parser->text.bytes[parser->at] == '"') {
            *ret_value = (struct slice){parser->text.bytes + start + 1, parser->at - start - 1};
            parser->at++;
            return 0;
        }
    }
    return refuse(parser, parser->line, column_at(parser, start), "this '\"' has no closing one");
}

/* What Ansible calls otherwise, and what people misspell. */
static const char *near_key(const char *name, const char *const *names)
{
    static const struct {
        const char *other, *ours;
    } others[] = {{"ansible_host", "address"},
                  {"ansible_ssh_host", "address"},
                  {"ansible_user", "user"},
                  {"ansible_ssh_user", "user"},
                  {"ansible_port", "port"},
                  {"ansible_ssh_port", "port"},
                  {"ansible_become", "become"},
                  {"ansible_ssh_private_key_file", "identity"},
                  {"ansible_private_key_file", "identity"},
                  {"ansible_connection", "transport"}};

    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (strcmp(others[i].other, name) == 0)
            return others[i].ours;
    return nearest_word(name, names, KEY_COUNT);
}

static int find_key(struct parser *parser, struct slice word, unsigned column, struct assignment *assignment)
{
    const char *names[KEY_COUNT + NAMED_KEY_COUNT] = {NULL};
    const char *near, *name = arena_strndup(parser->arena, word.bytes, word.length);
    struct text list;

    for (size_t i = 0; i < KEY_COUNT; i++) {
        names[i] = keys[i].name;
        if (strcmp(keys[i].name, name) == 0)
            assignment->key = &keys[i];
    }
    for (size_t i = 0; i < NAMED_KEY_COUNT; i++) {
        size_t length = prefix_length(&named_keys[i]);

        names[KEY_COUNT + i] = named_keys[i].name;
        if (strncmp(name, named_keys[i].name, length) == 0 && is_name(name + length, "._-")) {
            assignment->key = &named_keys[i];
            assignment->label = name + length;
        }
    }
    if (assignment->key != NULL)
        return 0;
    near = near_key(name, names);
    text_init(&list, 400);
    for (size_t i = 0; i < KEY_COUNT + NAMED_KEY_COUNT && !parser->keys_told; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : " the keys are ", names[i]);
    refuse(parser, parser->line, column, "unknown key '%.80s'%s%s%s%s", name,
           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
           near != NULL        ? "'?"
           : parser->keys_told ? ""
                               : ";",
           list.length > 0 ? list.bytes : "");
    parser->keys_told = true;
    text_release(&list);
    return -1;
}

static bool same_key(const struct assignment *a, const struct assignment *b)
{
    return a->key == b->key && (a->label == NULL || strcmp(a->label, b->label) == 0);
}

/* "slots", "label.row" */
static const char *full_name(const struct parser *parser, const struct assignment *assignment)
{
    const struct key *key = assignment->key;

    if (assignment->label == NULL)
        return key->name;
    return arena_printf(parser->arena, "%.*s%s", (int)prefix_length(key), key->name, assignment->label);
}

static bool is_clean(struct arena *arena, struct slice word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((unsigned char)word.bytes[i] < ' ' || word.bytes[i] == 0x7f)
            return false;
    return slice_equal(word, utf8_clean(arena, word));
}

static int expand(struct parser *parser, struct slice word, struct hostlist *list)
{
    struct error inner = {0};
    size_t offset, start = (size_t)(word.bytes - parser->text.bytes);

    if (!is_clean(parser->arena, word))
        return refuse(parser, parser->line, column_at(parser, start),
                      "a word with a control byte or with bytes that are not UTF-8");
    if (hostlist_expand_word(parser->arena, word, list, &offset, &inner) < 0)
        return refuse(parser, parser->line, column_at(parser, start + offset), "%s", inner.text);
    return 0;
}

/* key=value, with blanks around '=' where Open MPI's users write them. */
static int read_assignment(struct parser *parser, struct assignment *assignment)
{
    size_t start = parser->at;
    struct slice word = take_word(parser, '='), value;
    bool known;

    assignment->line = parser->line;
    assignment->column = column_at(parser, start);
    skip_blanks(parser);
    if (parser->at >= parser->text.length || parser->text.bytes[parser->at] != '=')
        return refuse(parser, parser->line, assignment->column, "found '%.*s'; expected KEY=VALUE",
                      slice_print(word));
    known = find_key(parser, word, assignment->column, assignment) == 0;
    parser->at++;
    skip_blanks(parser);
    assignment->value_column = column_at(parser, parser->at);
    if (take_value(parser, &value) < 0 || !known)
        return -1;
    if (value.length == 0)
        return refuse(parser, parser->line, assignment->column, "'%.*s=' has no value", slice_print(word));
    return expand(parser, value, &assignment->values);
}

struct assignments {
    LIST_OF(struct assignment) list;
};

static const struct assignment *find_assignment(const struct assignments *assignments,
                                                const struct assignment *like)
{
    for (size_t i = 0; i < assignments->list.count; i++)
        if (same_key(&assignments->list.items[i], like))
            return &assignments->list.items[i];
    return NULL;
}

/* Behind what is wrong it goes on with the next word. */
static int read_assignments(struct parser *parser, struct assignments *ret_assignments)
{
    int result = 0;

    for (skip_blanks(parser); parser->at < parser->text.length; skip_blanks(parser)) {
        struct assignment assignment = {0};

        if (read_assignment(parser, &assignment) < 0) {
            result = -1;
        } else if (find_assignment(ret_assignments, &assignment) != NULL) {
            result = refuse(parser, parser->line, assignment.column, "key '%s' appears twice in this line",
                            full_name(parser, &assignment));
        } else {
            *list_push(parser->aside, &ret_assignments->list) = assignment;
        }
    }
    return result;
}

/* The value for the index-th host of the line. */
static int apply(const struct parser *parser, const struct assignment *assignment, size_t index,
                 struct host *host)
{
    const char *value = assignment->values.names.items[assignment->values.names.count > 1 ? index : 0];
    const char *expected = NULL;

    if (assignment->key == rail_key) {
        expected = host_add_rail(parser->arena, host, assignment->label, value);
        if (expected == NULL) {
            host->rails.items[host->rails.count - 1].line = assignment->line;
            host->rails.items[host->rails.count - 1].column = assignment->column;
        }
    } else if (assignment->key == line_key) {
        expected = host_add_line(parser->arena, host, assignment->label, value);
    } else if (assignment->label != NULL) {
        *list_push(parser->arena, &host->labels) = (struct host_label){assignment->label, value};
    } else {
        expected = assignment->key->set(parser->arena, host, assignment->key->offset, value);
    }
    if (expected == NULL)
        return 0;
    return refuse(parser, assignment->line, assignment->value_column, "%s is '%.80s'; expected %s",
                  full_name(parser, assignment), value, expected);
}

static int read_default(struct parser *parser, const struct assignment *assignment)
{
    struct host scratch = {0};
    size_t at = 0;

    if (assignment->key->own)
        return refuse(parser, assignment->line, assignment->column,
                      "key '%s' in a defaults line; each host has its own", assignment->key->name);
    if (assignment->values.names.count > 1)
        return refuse(parser, assignment->line, assignment->value_column,
                      "a range of %zu values in a defaults line; expected one value",
                      assignment->values.names.count);
    if (apply(parser, assignment, 0, &scratch) < 0)
        return -1;
    while (at < parser->defaults.count && !same_key(&parser->defaults.items[at], assignment))
        at++;
    if (at == parser->defaults.count)
        list_push(parser->arena, &parser->defaults);
    parser->defaults.items[at] = *assignment;
    return 0;
}

static int read_defaults(struct parser *parser)
{
    struct assignments assignments = {0};
    int result = read_assignments(parser, &assignments);

    for (size_t i = 0; i < assignments.list.count; i++)
        if (read_default(parser, &assignments.list.items[i]) < 0)
            result = -1;
    return result;
}

static int fill_host(struct parser *parser, const struct assignments *own, size_t index, struct host *host)
{
    int result = 0;

    for (size_t i = 0; i < parser->defaults.count; i++) {
        bool overridden = false;

        for (size_t j = 0; j < own->list.count; j++)
            overridden |= same_key(&parser->defaults.items[i], &own->list.items[j]);
        if (!overridden && apply(parser, &parser->defaults.items[i], 0, host) < 0)
            return -1;
    }
    for (size_t i = 0; i < own->list.count; i++)
        if (apply(parser, &own->list.items[i], index, host) < 0)
            result = -1;
    if (host->address == NULL)
        host->address = host->name;
    if (host->mpi_address == NULL)
        host->mpi_address = host->address;
    return result;
}

/* user@name, as Open MPI reads it. */
static int split_user(struct parser *parser, struct slice *word, unsigned column,
                      struct assignments *assignments)
{
    const char *at = memchr(word->bytes, '@', word->length);
    struct assignment user = {.line = parser->line, .column = column, .value_column = column};

    if (at == NULL)
        return 0;
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].name, "user") == 0)
            user.key = &keys[i];
    if (expand(parser, (struct slice){word->bytes, (size_t)(at - word->bytes)}, &user.values) < 0)
        return -1;
    *list_push(parser->aside, &assignments->list) = user;
    *word = slice_from(*word, (size_t)(at - word->bytes) + 1);
    return 0;
}

static int check_ranges(const struct parser *parser, const struct assignments *assignments,
                        const struct hostlist *names)
{
    int result = 0;

    list_each (assignment, assignments->list) {
        size_t count = assignment->values.names.count;

        if (count > 1 && count != names->names.count)
            result = refuse(parser, assignment->line, assignment->value_column,
                            "a range of %zu values for %zu host%s; expected as many, or one value for all",
                            count, names->names.count, names->names.count == 1 ? "" : "s");
    }
    return result;
}

static int add_host(struct parser *parser, unsigned column, const char *name,
                    const struct assignments *assignments, size_t index)
{
    struct host *host = list_push(parser->aside, &parser->file->hosts);

    *host = (struct host){.name = name,
                          .unit = "",
                          .rack = "",
                          .leaf = "",
                          .transport = "auto",
                          .timescale = 1,
                          .line = parser->line,
                          .column = column};
    if (!is_name(name, "._-:"))
        return refuse(parser, parser->line, column,
                      "'%.80s' is not a host name; expected letters, digits and '.', '-', '_', ':'", name);
    if (fill_host(parser, assignments, index, host) < 0)
        return -1;
    if (host->address == host->name && is_wrong_ipv4(name))
        return refuse(parser, parser->line, column, "'%.80s' is not an IPv4 address; expected " IPV4, name);
    return 0;
}

/* node[1-4],node7: what other tools call a hostlist. */
static int expand_list(struct parser *parser, struct slice word, struct hostlist *list)
{
    size_t start = 0, depth = 0;

    for (size_t i = 0; i <= word.length; i++) {
        char byte = i < word.length ? word.bytes[i] : ',';

        depth += byte == '[' ? 1 : byte == ']' && depth > 0 ? (size_t)-1 : 0;
        if (byte != ',' || (depth > 0 && i < word.length))
            continue;
        if (expand(parser, (struct slice){word.bytes + start, i - start}, list) < 0)
            return -1;
        start = i + 1;
    }
    return 0;
}

/* A line that is wrong is told of its first host only, and leaves no host. */
static int read_hosts(struct parser *parser, struct slice word)
{
    unsigned column = column_at(parser, (size_t)(word.bytes - parser->text.bytes));
    size_t before = parser->file->hosts.count;
    struct assignments assignments = {0};
    struct hostlist names = {0};
    bool sound = split_user(parser, &word, column, &assignments) == 0;

    sound &= expand_list(parser, word, &names) == 0;
    sound &= read_assignments(parser, &assignments) == 0;
    if (sound)
        sound = check_ranges(parser, &assignments, &names) == 0;
    for (size_t i = 0; i < names.names.count && (sound || i == 0); i++)
        sound &= add_host(parser, column, names.names.items[i], &assignments, i) == 0;
    if (sound)
        return 0;
    parser->file->hosts.count = before;
    return -1;
}

/* One word of a report line. */
static int read_name(struct parser *parser, struct hostfile_names *names)
{
    const struct {
        const char *key;
        const char **value;
    } known[] = {{"title", &names->title}, {"customer", &names->customer}, {"site", &names->site}};
    enum { KNOWN = ARRAY_SIZE(known) };
    unsigned column = column_at(parser, parser->at);
    struct slice word = take_word(parser, '='), value = {"", 0};
    bool given;
    size_t i = 0;

    while (i < KNOWN && !slice_equal(word, known[i].key))
        i++;
    skip_blanks(parser);
    given = parser->at < parser->text.length && parser->text.bytes[parser->at] == '=';
    if (given) {
        parser->at++;
        skip_blanks(parser);
        if (take_value(parser, &value) < 0)
            return -1;
    }
    if (i == KNOWN || !given)
        return refuse(
            parser, parser->line, column,
            "found '%.*s' in a report line; expected title=, customer= or site=", slice_print(word));
    if (value.length == 0 || !is_clean(parser->arena, value))
        return refuse(parser, parser->line, column, "'%s=' needs a value of printable characters",
                      known[i].key);
    *known[i].value = arena_strndup(parser->arena, value.bytes, value.length);
    return 0;
}

/* report title="Iron" customer="Acme": words for people, taken as they stand. */
static int read_names(struct parser *parser)
{
    int result = 0;

    for (skip_blanks(parser); parser->at < parser->text.length; skip_blanks(parser))
        if (read_name(parser, &parser->file->names) < 0)
            result = -1;
    return result;
}

/* A line of its own in an inventory of Ansible. */
static int refuse_group(const struct parser *parser)
{
    return refuse(parser, parser->line, column_at(parser, parser->at),
                  "'%.*s' begins a group of an Ansible inventory; expected a host, such as gpu1 "
                  "address=10.0.0.1 user=ops (ansible_host, ansible_user)",
                  slice_print(slice_from(parser->text, parser->at)));
}

/* The first line of an inventory in YAML, such as "all:", of which each further line would be a riddle. */
static int refuse_yaml(struct parser *parser)
{
    parser->foreign = true;
    return refuse(
        parser, parser->line, 1,
        "'%.*s' begins YAML; expected a line for each host, such as gpu1 address=10.0.0.1 user=ops; "
        "of an inventory of Ansible: ansible-inventory --list tells its hosts",
        slice_print(parser->text));
}

static int read_line(struct parser *parser, struct slice line)
{
    const char *comment = memchr(line.bytes, '#', line.length);
    struct slice word;

    parser->line++;
    if (memchr(line.bytes, '\0', line.length) != NULL) {
        parser->foreign = true; /* each line of a program would be said to be none */
        return refuse(parser, parser->line, 1, "this line holds a NUL byte; expected text");
    }
    if (comment != NULL)
        line.length = (size_t)(comment - line.bytes);
    parser->text = line;
    parser->at = 0;
    skip_blanks(parser);
    if (parser->at == parser->text.length)
        return 0;
    /* Of hosts that are called by numbers a range may stand at the beginning. */
    if (line.bytes[parser->at] == '[' && parser->at + 1 < line.length &&
        isalpha((unsigned char)line.bytes[parser->at + 1]))
        return refuse_group(parser);
    if (parser->file->hosts.count == 0 && memchr(line.bytes, '=', line.length) == NULL &&
        (line.bytes[line.length - 1] == ':' || slice_equal(line, "---")))
        return refuse_yaml(parser);
    word = take_word(parser, 0);
    if (slice_equal(word, "report"))
        return read_names(parser);
    if (slice_equal(word, "default"))
        return refuse(parser, parser->line, 1,
                      "'default' would be a host of that name; did you mean defaults?");
    return slice_equal(word, "defaults") ? read_defaults(parser) : read_hosts(parser, word);
}

/* --- the whole file --- */

static int compare_places(const struct host *a, const struct host *b)
{
    return (a > b) - (a < b); /* both in the same array, in file order */
}

static int compare_names(const void *a, const void *b)
{
    const struct host *left = *(const struct host *const *)a, *right = *(const struct host *const *)b;
    int order = strcmp(left->name, right->name);

    return order != 0 ? order : compare_places(left, right);
}

static unsigned port_of(const struct host *host)
{
    return host->port != 0 ? host->port : 22;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct host *left = *(const struct host *const *)a, *right = *(const struct host *const *)b;
    int order = strcmp(left->address, right->address);

    if (order == 0)
        order = (port_of(left) > port_of(right)) - (port_of(left) < port_of(right));
    return order != 0 ? order : compare_places(left, right);
}

/* One end of a cable, and whose it is. */
struct plug {
    const struct host *host;
    const struct host_rail *rail;
};

static int compare_plugs(const void *a, const void *b)
{
    const struct plug *left = a, *right = b;
    int order = strcmp(left->rail->switch_name, right->rail->switch_name);

    if (order == 0)
        order = strcmp(left->rail->port, right->rail->port);
    if (order == 0)
        order = compare_places(left->host, right->host);
    return order != 0 ? order : (left->rail > right->rail) - (left->rail < right->rail);
}

/* Two cables do not fit into one port. */
static int refuse_plugs_twice(const struct parser *parser)
{
    const struct hostfile *file = parser->file;
    struct {
        LIST_OF(struct plug) plugs;
    } all = {0};
    int result = 0;

    for (size_t i = 0; i < file->hosts.count; i++)
        for (size_t k = 0; k < file->hosts.items[i].rails.count; k++)
            if (*file->hosts.items[i].rails.items[k].port != '\0')
                *list_push(parser->arena, &all.plugs) =
                    (struct plug){&file->hosts.items[i], &file->hosts.items[i].rails.items[k]};
    if (all.plugs.count > 1)
        qsort(all.plugs.items, all.plugs.count, sizeof *all.plugs.items, compare_plugs);
    for (size_t i = 1; i < all.plugs.count; i++) {
        const struct plug *plug = &all.plugs.items[i], *first = plug - 1;

        if (strcmp(first->rail->switch_name, plug->rail->switch_name) == 0 &&
            strcmp(first->rail->port, plug->rail->port) == 0)
            result = refuse(parser, plug->rail->line, plug->rail->column,
                            "port %s of %s is for %s of host '%s', and already for %s of '%s' on line %u",
                            plug->rail->port, plug->rail->switch_name, plug->rail->hca, plug->host->name,
                            first->rail->hca, first->host->name, first->rail->line);
    }
    return result;
}

static int refuse_names_twice(const struct parser *parser, const struct host **sorted, size_t count)
{
    int result = 0;

    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            result =
                refuse(parser, sorted[i]->line, sorted[i]->column,
                       "host '%s' appears twice; first on line %u", sorted[i]->name, sorted[i - 1]->line);
    return result;
}

static int refuse_addresses_twice(const struct parser *parser, const struct host **sorted, size_t count)
{
    int result = 0;

    qsort(sorted, count, sizeof *sorted, compare_addresses);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->address, sorted[i]->address) == 0 &&
            port_of(sorted[i - 1]) == port_of(sorted[i]) &&
            strcmp(sorted[i - 1]->name, sorted[i]->name) != 0) /* that was told */
            result = refuse(parser, sorted[i]->line, sorted[i]->column,
                            "address %s port %u of host '%s' is already that of '%s' on line %u",
                            sorted[i]->address, port_of(sorted[i]), sorted[i]->name, sorted[i - 1]->name,
                            sorted[i - 1]->line);
    return result;
}

/* "169.254.3.1", "fe80::1": each host has its own there, as its USB or PCIe to the BMC (DMTF DSP0270) mostly does. */
static bool is_link_local(const char *address)
{
    char plain[INET6_ADDRSTRLEN]; /* without a zone */
    unsigned char bytes[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, address, bytes) == 1)
        return bytes[0] == 169 && bytes[1] == 254;
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(address, "%"), address);
    return inet_pton(AF_INET6, plain, bytes) == 1 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

static const char *bmc_of(const struct host *host)
{
    return host->bmc != NULL && !is_link_local(host->bmc) ? host->bmc : "";
}

/* Names without regard to case and to a dot at the end. */
static int compare_bmc_names(const char *left, const char *right)
{
    size_t left_length = strlen(left), right_length = strlen(right), least;
    int order;

    left_length -= left_length > 0 && left[left_length - 1] == '.';
    right_length -= right_length > 0 && right[right_length - 1] == '.';
    least = left_length < right_length ? left_length : right_length;
    order = strncasecmp(left, right, least);
    return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

static int compare_bmcs(const void *a, const void *b)
{
    const struct host *left = *(const struct host *const *)a, *right = *(const struct host *const *)b;
    int order = compare_bmc_names(bmc_of(left), bmc_of(right));

    return order != 0 ? order : compare_places(left, right);
}

/* One would be judged for two hosts, and the other's not at all. */
static int refuse_bmcs_twice(const struct parser *parser, const struct host **sorted, size_t count)
{
    int result = 0;

    qsort(sorted, count, sizeof *sorted, compare_bmcs);
    for (size_t i = 1; i < count; i++)
        if (*bmc_of(sorted[i]) != '\0' && compare_bmc_names(bmc_of(sorted[i - 1]), bmc_of(sorted[i])) == 0)
            result = refuse(parser, sorted[i]->line, sorted[i]->column,
                            "bmc %s of host '%s' is already that of '%s' on line %u", sorted[i]->bmc,
                            sorted[i]->name, sorted[i - 1]->name, sorted[i - 1]->line);
    return result;
}

static int refuse_twice(const struct parser *parser)
{
    const struct hostfile *file = parser->file;
    size_t count = file->hosts.count;
    cleanup_free const struct host **sorted = mem_alloc((count + 1) * sizeof *sorted);
    bool sound;

    for (size_t i = 0; i < count; i++)
        sorted[i] = &file->hosts.items[i];
    sound = refuse_names_twice(parser, sorted, count) == 0;
    sound &= refuse_addresses_twice(parser, sorted, count) == 0;
    sound &= refuse_bmcs_twice(parser, sorted, count) == 0;
    sound &= refuse_plugs_twice(parser) == 0;
    return sound ? 0 : -1;
}

/* Hosts are gathered aside: a list that grows leaves behind more than it takes in the end. */
static bool read_file(struct parser *parser)
{
    struct slice rest = parser->file->bytes, line;
    bool sound = true;

    parser->aside = arena_create();
    /* The byte order mark that editors of Windows put before UTF-8. */
    (void)scan_text(&rest, "\xef\xbb\xbf");
    while (!parser->foreign && scan_line(&rest, &line))
        sound &= read_line(parser, line) == 0;
    if (!parser->foreign && rest.length > 0)
        sound &= read_line(parser, rest) == 0;
    list_settle(parser->arena, &parser->file->hosts);
    parser->aside = arena_destroy(parser->aside);
    return sound;
}

struct hostfile *hostfile_parse(struct arena *arena, const char *path, struct slice bytes, struct error *err)
{
    struct hostfile *file = arena_new(arena, struct hostfile);
    struct parser parser = {.arena = arena, .file = file, .err = err};
    bool sound;

    error_clear(err);
    file->path = arena_strdup(arena, path);
    file->bytes = (struct slice){arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};
    sound = read_file(&parser);
    if (sound && file->hosts.count == 0) {
        refuse(&parser, parser.line > 0 ? parser.line : 1, 1,
               "no host in this file; expected a line for each");
        return NULL;
    }
    sound &= refuse_twice(&parser) == 0;
    return sound ? file : NULL;
}

struct hostfile *hostfile_load(struct arena *arena, const char *path, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, FILE_LIMIT);
    if (file_read(path, &text, err) < 0) {
        if (strpbrk(path, "[,") != NULL)
            (void)error_add(
                err, ERROR_USAGE,
                "expected a file; a list of hosts becomes one with: echo '%s platform=NAME' > hostfile",
                path);
        else if (access(path, F_OK) != 0)
            (void)error_add(
                err, ERROR_USAGE,
                "write a hostfile, a line for each host, as hostfiles/README.md has it; of nodes of "
                "Slurm or Kubernetes `assay inventory` writes one");
        return NULL;
    }
    return hostfile_parse(arena, strcmp(path, "-") == 0 ? "standard input" : path,
                          (struct slice){text.bytes, text.length}, err);
}

const struct host *hostfile_find(const struct hostfile *hostfile, const char *name)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (strcmp(hostfile->hosts.items[i].name, name) == 0)
            return &hostfile->hosts.items[i];
    return NULL;
}
