/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and tables of tools whose columns hold names. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "redact_private.h"

enum { MOST_FIELDS = 32, LONGEST_LINE = 4096 };

struct line {
    struct pass *pass;
    size_t begin, end, count;
    struct redact_mark fields[MOST_FIELDS]; /* their kind says nothing */
};

static int byte_at(const struct pass *pass, size_t at)
{
    return at < pass->in.length ? (unsigned char)pass->in.bytes[at] : '\0';
}

static struct slice field(const struct line *line, size_t n)
{
    if (n >= line->count)
        return (struct slice){"", 0};
    return (struct slice){line->pass->in.bytes + line->fields[n].at,
                          line->fields[n].end - line->fields[n].at};
}

static void split(struct line *line, const char *between)
{
    const char *bytes = line->pass->in.bytes;
    bool blanks = between[0] == ' ';

    line->count = 0;
    for (size_t at = line->begin; at < line->end && line->count < MOST_FIELDS;) {
        size_t end;

        while (blanks && at < line->end && strchr(between, bytes[at]) != NULL)
            at++;
        for (end = at; end < line->end && strchr(between, bytes[end]) == NULL; end++)
            ;
        if (end > at || !blanks)
            line->fields[line->count++] = (struct redact_mark){.at = at, .end = end};
        at = end + !blanks;
    }
}

static bool is_number(struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!isdigit((unsigned char)text.bytes[i]))
            return false;
    return text.length > 0;
}

static bool is_of(struct slice text, const char *set)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '\0' || strchr(set, text.bytes[i]) == NULL)
            return false;
    return text.length > 0;
}

static void learn_field(struct line *line, size_t n, enum redact_kind kind)
{
    if (n < line->count)
        redact_learn_name(line->pass, line->fields[n].at, kind, false);
}

/* "-rw-r--r--+ 1 carol staff 4096 Mar  1 12:00 x", with inode and blocks before it or not */
static bool learn_listing(struct line *line)
{
    size_t n = 0;
    struct slice mode;

    while (n < 2 && is_number(field(line, n)))
        n++;
    mode = field(line, n);
    if (mode.length < 10 || mode.length > 11 || strchr("-dlbcpsD", mode.bytes[0]) == NULL ||
        !is_of(slice_from(mode, 1), "rwxsStT-.+@") || !is_number(field(line, n + 1)) || line->count < n + 5)
        return false;
    learn_field(line, n + 2, REDACT_USER);
    learn_field(line, n + 3, REDACT_USER);
    return true;
}

/* A name in full: "Carol Smith,room 7". */
static void learn_person(struct line *line, size_t n)
{
    struct slice person = field(line, n);
    size_t length = 0;

    while (length < person.length && person.bytes[length] != ',')
        length++;
    if (length == 0 || length > 64)
        return;
    redact_mark(line->pass, line->fields[n].at, line->fields[n].at + length, REDACT_USER);
    redactor_know_person(line->pass->redactor,
                         arena_strndup(line->pass->redactor->arena, person.bytes, length));
}

/* "carol:x:1001:1001:Carol Smith:/home/carol:/bin/bash", "staff:x:50:carol,dave" */
static bool learn_account(struct line *line)
{
    enum { FIRST_PERSON = 1000, DIGITS = 4 };
    struct slice id;

    split(line, ":");
    id = field(line, 2);
    if (!is_number(id) || field(line, 0).length == 0 ||
        memchr(field(line, 0).bytes, ' ', field(line, 0).length) != NULL)
        return false;
    if (line->count == 7 && is_number(field(line, 3)) && slice_starts(field(line, 5), "/")) {
        learn_field(line, 0, REDACT_USER);
        if (id.length >= DIGITS && strncmp(id.bytes, "65534", 5) != 0)
            learn_person(line, 4);
        return true;
    }
    if (line->count != 4 || field(line, 1).length > 2 || is_number(field(line, 0)))
        return false;
    if (id.length >= DIGITS)
        learn_field(line, 0, REDACT_USER);
    for (size_t at = line->fields[3].at; at < line->fields[3].end; at++)
        at = redact_learn_name(line->pass, at, REDACT_USER, false);
    return true;
}

static bool is_terminal(struct slice text)
{
    return slice_starts(text, "pts/") || (slice_starts(text, "tty") && text.length > 3) ||
           slice_equal(text, "console") ||
           (text.length > 1 && text.bytes[0] == ':' && isdigit((unsigned char)text.bytes[1]));
}

static bool is_when(struct slice text)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

    for (size_t i = 0; i < ARRAY_SIZE(days); i++)
        if (slice_equal(text, days[i]))
            return true;
    return text.length >= 4 && isdigit((unsigned char)text.bytes[0]);
}

/* "carol pts/0 laptop.acme Sun Mar 1 12:00", "carol pts/0 2026-03-01 12:00 (laptop)": last, w, who */
static bool learn_terminal(struct line *line)
{
    struct slice last = field(line, line->count - 1);

    if (line->count < 4 || !is_terminal(field(line, 1)) || is_number(field(line, 0)))
        return false;
    learn_field(line, 0, REDACT_USER);
    if (last.length > 2 && last.bytes[0] == '(' && isalpha((unsigned char)last.bytes[1]))
        redact_learn_name(line->pass, line->fields[line->count - 1].at + 1, REDACT_HOST, false);
    else if (isalpha((unsigned char)field(line, 2).bytes[0]) && !is_when(field(line, 2)) &&
             is_when(field(line, 3)))
        learn_field(line, 2, REDACT_HOST);
    return true;
}

/* "0,30 * * * 1-5 carol /usr/bin/x", "@daily carol /usr/bin/x" */
static bool learn_cron(struct line *line)
{
    static const char *const when[] = {"@reboot", "@hourly", "@daily", "@weekly", "@monthly", "@yearly"};
    bool star = false;

    for (size_t i = 0; i < ARRAY_SIZE(when); i++)
        if (slice_equal(field(line, 0), when[i]) && line->count >= 3) {
            learn_field(line, 1, REDACT_USER);
            return true;
        }
    for (size_t i = 0; i < 5; i++) {
        if (!is_of(field(line, i), "0123456789*/,-"))
            return false;
        star |= memchr(field(line, i).bytes, '*', field(line, i).length) != NULL;
    }
    if (!star || line->count < 7)
        return false;
    learn_field(line, 5, REDACT_USER);
    return true;
}

/* "storage7:/export": no path of a list of paths, nor "https://". */
static bool is_source(struct slice text)
{
    size_t colon = slice_find(text, ":/");

    if (colon == (size_t)-1 || colon == 0 || slice_starts(slice_from(text, colon), "://") ||
        !isalpha((unsigned char)text.bytes[0]))
        return false;
    return memchr(text.bytes, '/', colon) == NULL && memchr(text.bytes, '=', colon) == NULL;
}

/* Of a mount the first word of a line; elsewhere a name that is no word. */
static void learn_sources(struct line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (is_source(field(line, i)))
            redact_learn_name(line->pass, line->fields[i].at, REDACT_HOST, i > 0 || line->count == 1);
}

/* resolv.conf; chronyc sources and ntp.conf. */
static bool learn_resolver(struct line *line)
{
    struct slice first = field(line, 0);
    const char *bytes = line->pass->in.bytes;

    if (slice_equal(first, "search") || slice_equal(first, "domain")) {
        for (size_t i = 1; i < line->count; i++) {
            const char *name =
                arena_strndup(line->pass->redactor->arena, field(line, i).bytes, field(line, i).length);

            if (strchr(name, '.') != NULL &&
                strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") ==
                    strlen(name))
                redactor_know_domain(line->pass->redactor, name);
        }
        return true;
    }
    if ((slice_equal(first, "server") || slice_equal(first, "pool")) && line->count >= 2 &&
        memchr(field(line, 1).bytes, '.', field(line, 1).length) != NULL)
        learn_field(line, 1, REDACT_HOST);
    if (first.length == 2 && strchr("^=#", first.bytes[0]) != NULL &&
        strchr("*+-?x~", first.bytes[1]) != NULL && line->count >= 6 &&
        isalpha((unsigned char)bytes[line->fields[1].at]))
        learn_field(line, 1, REDACT_HOST);
    return false;
}

/* /etc/hosts: "10.0.0.1 node1.acme.example node1" */
static bool learn_hosts_line(struct line *line)
{
    size_t names = 1;

    if (line->count < 2 || !isdigit((unsigned char)field(line, 0).bytes[0]) ||
        !is_of(field(line, 0), "0123456789.") ||
        memchr(field(line, 0).bytes, '.', field(line, 0).length) == NULL)
        return false;
    for (; names < line->count && field(line, names).bytes[0] != '#'; names++) {
        struct slice name = field(line, names);

        if (!isalpha((unsigned char)name.bytes[0]) || name.length > 253 ||
            redact_is_common(name.bytes, name.length) ||
            !is_of(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"))
            return false;
    }
    if (names == 1 || names > 6)
        return false;
    for (size_t i = 1; i < names; i++)
        learn_field(line, i, REDACT_HOST);
    return true;
}

/* A name that ends where the field does: no path, address or UUID in parts. */
static void learn_node(struct line *line, size_t n)
{
    static const char bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

    if (is_of(field(line, n), bytes))
        learn_field(line, n, REDACT_HOST);
}

/* ethernet-links: "leaf1,swp33,spine1,swp1,800", a cable, and "leaf1,swp33,91273460128,8123470032,0", what its port counts. */
static void learn_cable(struct line *line)
{
    static const char number[] = "0123456789.eE+-";

    if (memchr(line->pass->in.bytes + line->begin, ' ', line->end - line->begin) != NULL)
        return;
    split(line, ",");
    if (line->count == 5 && is_of(field(line, 4), number)) {
        learn_node(line, 0);
        learn_node(line, 2);
    } else if (line->count == 4 && is_of(field(line, 2), number) && is_of(field(line, 3), number)) {
        learn_node(line, 0);
    }
}

/* ethernet-links: behind "# counters 0" a row a port, as a program of the site writes it: "leaf1" , "swp33" , 91273460128, 8123470032.
   Also one that is refused names its switch; a heading has no digit. */
static void learn_counted(struct line *line)
{
    struct pass *pass = line->pass;
    struct slice whole = {pass->in.bytes + line->begin, line->end - line->begin};
    bool comment = slice_equal(field(line, 0), "#"), digit = false;
    size_t at = line->begin;

    pass->counted = comment ? pass->counted || slice_equal(field(line, 1), "counters")
                            : pass->counted && slice_find(whole, ",") != (size_t)-1;
    if (!pass->counted || comment)
        return;
    for (size_t i = 0; i < whole.length; i++)
        digit |= isdigit((unsigned char)whole.bytes[i]) != 0;
    while (at < line->end && strchr(" \t\"", byte_at(pass, at)) != NULL)
        at++;
    if (digit)
        redact_learn_name(pass, at, REDACT_HOST, false);
}

/* iblinkinfo: the GUID of a port begins its line; ibv_devices: "mlx5_0 506b4b0300cafe01". */
static void learn_guid_line(struct line *line)
{
    enum { DIGITS = 16 };
    struct slice first = field(line, 0);

    if (first.length == DIGITS + 2 && slice_starts(first, "0x") && line->count > 3)
        line->pass->guid_end = line->fields[0].end;
    if (line->count == 2 && redact_is_field(first.bytes, first.length) && field(line, 1).length == DIGITS)
        line->pass->guid_end = line->fields[1].end;
}

/* -- tables with a head ------------------------------------------------------------------------------------------ */

enum { A_NUMBER = REDACT_KINDS, ANCHOR };
static const struct {
    const char *head;
    int kind; /* of redact_kind, or one of those above */
} heads[] = {
    {"USER", REDACT_USER},
    {"User", REDACT_USER},
    {"UID", REDACT_USER},
    {"OWNER", REDACT_USER},
    {"owner", REDACT_USER},
    {"RUSER", REDACT_USER},
    {"EUSER", REDACT_USER},
    {"ACCOUNT", REDACT_USER},
    {"Account", REDACT_USER},
    {"FROM", REDACT_HOST},
    {"NODELIST", REDACT_HOST},
    {"NodeList", REDACT_HOST},
    {"NODE", REDACT_HOST},
    {"NODELIST(REASON)", REDACT_HOST},
    {"HOSTNAMES", REDACT_HOST},
    {"HOSTNAME", REDACT_HOST},
    {"EXEC_HOST", REDACT_HOST},
    {"NAMESPACE", REDACT_NAME},
    {"JobName", REDACT_NAME},
    {"NAME", REDACT_NAME},
    {"PID", A_NUMBER},
    {"JOBID", A_NUMBER},
    {"JobID", A_NUMBER},
    {"shmid", A_NUMBER},
    {"TTY", ANCHOR},
    {"AVAIL", ANCHOR},
    {"RESTARTS", ANCHOR},
    {"READY", ANCHOR},
    {"ROLES", ANCHOR},
    {"SEAT", ANCHOR},
    {"STATE", ANCHOR},
    {"State", ANCHOR},
    {"PPID", ANCHOR},
    {"%CPU", ANCHOR},
    {"ST", ANCHOR},
};

static int kind_of_head(struct slice word)
{
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
        if (slice_equal(word, heads[i].head))
            return heads[i].kind;
    return -1;
}

static bool has_head(const struct line *line, const char *word)
{
    for (size_t i = 0; i < line->count; i++)
        if (slice_equal(field(line, i), word))
            return true;
    return false;
}

/* NAME: of a node of Kubernetes, a pod or a job; of anything else it is no name. */
static int kind_of_column(const struct line *line, size_t n)
{
    static const char *const with[] = {"JOBID", "JobID", "NAMESPACE", "READY", "RESTARTS"};

    if (!slice_equal(field(line, n), "NAME"))
        return kind_of_head(field(line, n));
    if (has_head(line, "ROLES"))
        return REDACT_HOST;
    for (size_t i = 0; i < ARRAY_SIZE(with); i++)
        if (has_head(line, with[i]))
            return REDACT_NAME;
    return -1;
}

static bool begin_table(struct line *line)
{
    struct redact_column columns[REDACT_COLUMNS];
    size_t count = 0, names = 0, anchors = 0;

    for (size_t i = 0; i < line->count && count < REDACT_COLUMNS; i++) {
        int kind = kind_of_column(line, i);
        bool number = kind == A_NUMBER;

        names += kind >= 0 && kind < REDACT_KINDS;
        anchors += number || kind == ANCHOR;
        if (kind >= 0 && kind != ANCHOR)
            columns[count++] =
                (struct redact_column){line->fields[i].at - line->begin, line->fields[i].end - line->begin, i,
                                       number ? REDACT_NAME : (enum redact_kind)kind, number};
    }
    if (names == 0 || anchors == 0)
        return false;
    memcpy(line->pass->columns, columns, count * sizeof columns[0]);
    line->pass->column_count = count;
    return true;
}

/* The field below a head: of which most lies under it. line->count: none does. */
static size_t field_below(const struct line *line, const struct redact_column *column)
{
    size_t best = line->count, most = 0;

    for (size_t i = 0; i < line->count; i++) {
        size_t at = line->fields[i].at - line->begin, end = line->fields[i].end - line->begin;
        size_t from = at > column->at ? at : column->at, to = end < column->end ? end : column->end;

        if (to > from && to - from > most) {
            most = to - from;
            best = i;
        }
    }
    return best;
}

static void learn_cell(struct line *line, const struct redact_column *column, size_t n)
{
    if (column->kind == REDACT_HOST)
        redact_learn_hosts(line->pass, line->fields[n].at);
    else if (column->kind == REDACT_NAME && !redact_stays(field(line, n).bytes, field(line, n).length))
        redact_mark(line->pass, line->fields[n].at, line->fields[n].end, REDACT_NAME);
    else if (column->kind == REDACT_USER)
        learn_field(line, n, REDACT_USER);
}

static void learn_row(struct line *line)
{
    struct pass *pass = line->pass;
    struct slice whole = {pass->in.bytes + line->begin, line->end - line->begin};
    bool by_number = memchr(whole.bytes, '|', whole.length) != NULL;

    if (is_of(whole, "-+| "))
        return;
    if (by_number)
        split(line, "|");
    for (size_t i = 0; i < pass->column_count; i++) {
        size_t n = by_number ? pass->columns[i].n : field_below(line, &pass->columns[i]);

        if (pass->columns[i].number && (n >= line->count || !isdigit(byte_at(pass, line->fields[n].at)))) {
            pass->column_count = 0;
            return;
        }
    }
    for (size_t i = 0; i < pass->column_count; i++) {
        size_t n = by_number ? pass->columns[i].n : field_below(line, &pass->columns[i]);

        if (!pass->columns[i].number && n < line->count)
            learn_cell(line, &pass->columns[i], n);
    }
}

void redact_learn_line(struct pass *pass, size_t begin, size_t end)
{
    struct line line = {.pass = pass, .begin = begin, .end = end};

    if (end - begin > LONGEST_LINE)
        line.end = begin + LONGEST_LINE;
    split(&line, " \t|");
    if (line.count == 0) {
        pass->column_count = 0;
        return;
    }
    if (begin_table(&line) || learn_listing(&line) || learn_terminal(&line) || learn_cron(&line) ||
        learn_resolver(&line) || learn_hosts_line(&line))
        return;
    learn_counted(&line);
    learn_guid_line(&line);
    learn_sources(&line);
    if (pass->column_count > 0)
        learn_row(&line);
    else
        learn_account(&line);
    learn_cable(&line);
}
