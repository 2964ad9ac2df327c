/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <ctype.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "remote_scripts.h"

enum {
    NOISE_KEPT = 2048,
    HEADER_LIMIT = 16384,
    INPUT_LIMIT = 256 << 20,
    SECRET_LIMIT = 4096,
    FILES_LIMIT = 100, /* their names and sizes are in the exec line, and sshd takes 32 KiB of that */
};

static const char *verb_word(enum remote_verb verb)
{
    switch (verb) {
    case REMOTE_ENSURE:
        return "ensure";
    case REMOTE_READ:
        return "read";
    case REMOTE_CANCEL:
        return "cancel";
    case REMOTE_GONE:
        return "gone";
    case REMOTE_FORGET:
        return "forget";
    case REMOTE_LIST:
        return "list";
    default:
        return "none";
    }
}

static bool runs_command(enum remote_verb verb)
{
    return verb == REMOTE_ENSURE || verb == REMOTE_READ;
}

static uint64_t clip_of(const struct remote_job *job)
{
    if (job->clip_bytes > 0)
        return job->clip_bytes;
    return job->verb == REMOTE_READ ? REMOTE_READ_BYTES : REMOTE_FLOOD_BYTES;
}

static bool plain_word(const char *word, const char *also, size_t limit)
{
    size_t length = word != NULL ? strlen(word) : 0;

    if (length == 0 || length > limit)
        return false;
    for (; *word != '\0'; word++)
        if (!isalnum((unsigned char)*word) && strchr(also, *word) == NULL)
            return false;
    return true;
}

const struct reason *guard_job_fault(const struct remote_job *job)
{
    if (!plain_word(job->uuid, "-", 64))
        return REASON(job_uuid_unfit);
    if (!runs_command(job->verb))
        return NULL;
    if (job->command == NULL)
        return REASON(job_without_command);
    if (job->secret != NULL && !plain_word(job->secret, "- ", SECRET_LIMIT))
        return REASON(job_secret_unfit);
    if (job->verb == REMOTE_READ && strlen(job->command) > GUARD_READ_LIMIT)
        return REASON(command_too_long_for_light_path);
    if (job->verb == REMOTE_READ && job->file_count > 0)
        return REASON(light_path_takes_no_files);
    if (job->file_count > FILES_LIMIT)
        return REASON(too_many_files_for_job);
    for (size_t i = 0; i < job->file_count; i++)
        if (!plain_word(job->files[i].name, "._-", 100) || strchr("._-", job->files[i].name[0]) != NULL)
            return REASON(file_name_not_plain);
    return NULL;
}

/* See guard_root. $0 is the command for root's shell, "$@" its arguments. */
#define ASK_SUDO                                                                                            \
    "exec /bin/sh -c 'unset p;IFS= read -r p||exit 1;"                                                      \
    "if sudo -n /bin/sh -c : </dev/null 2>/dev/null;then unset p;exec sudo -n /bin/sh -c \"$0\" \"$@\";fi;" \
    "printf \"%%s\\n\" \"$p\"|sudo -k -S -p \"\" /bin/sh -c : >/dev/null||exit 1;"                          \
    "{ printf \"%%s\\n\" \"$p\";unset p;exec cat;}|sudo -k -S -p \"\" /bin/sh -c \"$0\" \"$@\"' "

#define SKIP_TO_BEGIN "until [ \"$l\" = @assay-begin ];do IFS= read -r l||exit 1;done;"

/* What the shell does with its stdin: the light guard is its script, the other is a part of it. */
static void put_shell(enum guard_root root, bool light, struct text *out)
{
    size_t length = strlen(script_guard);

    if (root == GUARD_SUDO_PASSWORD && light)
        text_printf(out, ASK_SUDO "'" SKIP_TO_BEGIN "exec /bin/sh -s \"$@\"' assay ");
    else if (root == GUARD_SUDO_PASSWORD)
        text_printf(out, ASK_SUDO "'" SKIP_TO_BEGIN "g=$(head -c %zu)&&eval \"$g\"' assay ", length);
    else if (light)
        text_printf(out, "exec %s/bin/sh -s ", root == GUARD_SUDO ? "sudo -n " : "");
    else
        text_printf(out, "exec %s/bin/sh -c 'g=$(head -c %zu)&&eval \"$g\"' assay ",
                    root == GUARD_SUDO ? "sudo -n " : "", length);
}

void guard_exec(const struct remote_job *job, enum guard_root root, struct text *out)
{
    bool light = job->verb == REMOTE_READ;
    const char *boot = plain_word(job->boot_id, "-", 64) ? job->boot_id : "-";
    unsigned deadline = job->deadline_s > 0 ? job->deadline_s : GUARD_DEADLINE_S;
    unsigned grace = job->grace_s > 0 ? job->grace_s : GUARD_GRACE_S;

    put_shell(root, light, out);
    text_printf(out, "%s %s %s %u %u ", verb_word(job->verb), job->uuid, boot, deadline, grace);
    if (light) {
        text_printf(out, "%d", GUARD_SWEEP_S);
        return;
    }
    text_printf(out, "%llu %d", (unsigned long long)clip_of(job), GUARD_SWEEP_S);
    if (job->verb != REMOTE_ENSURE)
        return;
    text_printf(out, " %zu", strlen(job->command));
    for (size_t i = 0; i < job->file_count; i++)
        text_printf(out, " %s %zu", job->files[i].name, job->files[i].length);
}

void guard_input(const struct remote_job *job, const struct guard_frame *frame, struct text *out)
{
    const char *secret = job->secret != NULL ? job->secret : "";

    if (job->verb == REMOTE_READ) {
        text_put(out, script_guard_read);
        text_printf(out, "begun=%s\nended=%s\nsecret='%s'\nlight_command=", frame->begun, frame->ended,
                    secret);
        text_shell_quote(out, job->command);
        text_put(out, "\nlight \"$@\"\nexit\n");
        return;
    }
    text_put(out, script_guard);
    text_printf(out, "%s\n", frame->ended);
    if (job->verb != REMOTE_ENSURE)
        return;
    text_printf(out, "%s\n", secret);
    text_put(out, job->command);
    for (size_t i = 0; i < job->file_count; i++)
        text_add(out, job->files[i].bytes, job->files[i].length);
}

unsigned guard_seconds(const struct remote_job *job)
{
    unsigned grace = job->grace_s > 0 ? job->grace_s : GUARD_GRACE_S;
    unsigned deadline = job->deadline_s > 0 ? job->deadline_s : GUARD_DEADLINE_S;

    switch (job->verb) {
    case REMOTE_ENSURE:
    case REMOTE_READ:
        return deadline + grace + GUARD_SWEEP_S;
    case REMOTE_CANCEL:
        return grace + 2 * GUARD_SWEEP_S;
    case REMOTE_GONE:
        return GUARD_SWEEP_S;
    case REMOTE_FORGET:
    case REMOTE_LIST:
    default:
        return 0;
    }
}

static void stream_init(struct guard_stream *stream, uint64_t clip)
{
    stream->state = GUARD_NOISE;
    text_init(&stream->noise, NOISE_KEPT);
    text_init(&stream->window, (size_t)1 << 40);
    stream->body = spool_create(clip);
}

void guard_reply_init(struct guard_reply *reply, const struct remote_job *job,
                      const struct guard_frame *frame)
{
    uint64_t clip = clip_of(job);

    *reply = (struct guard_reply){.verb = job->verb, .clip = clip};
    snprintf(reply->begun, sizeof reply->begun, "@assay %s begun", frame->begun);
    snprintf(reply->ended, sizeof reply->ended, "@assay %s ended", frame->ended);
    /* A spooled answer's two streams both come on stdout. */
    stream_init(&reply->streams[GUARD_STDOUT], job->verb == REMOTE_READ ? clip : 2 * clip);
    stream_init(&reply->streams[GUARD_STDERR], job->verb == REMOTE_READ ? clip : 1);
    text_init(&reply->header, HEADER_LIMIT);
}

void guard_reply_release(struct guard_reply *reply)
{
    for (int i = 0; i < 2; i++) {
        text_release(&reply->streams[i].noise);
        text_release(&reply->streams[i].window);
        spool_release(steal_pointer(reply->streams[i].body));
    }
    text_release(&reply->header);
}

static size_t find(const struct text *text, size_t from, const char *needle)
{
    const char *found =
        from < text->length ? memmem(text->bytes + from, text->length - from, needle, strlen(needle)) : NULL;

    return found != NULL ? (size_t)(found - text->bytes) : SIZE_MAX;
}

static void drop_front(struct text *text, size_t count)
{
    memmove(text->bytes, text->bytes + count, text->length - count);
    text->length -= count;
    text->bytes[text->length] = '\0';
}

/* The word behind " KEY=" (or at the front) in the header. `text` is the last and goes to the end. */
static bool field(struct slice header, const char *key, struct slice *ret_value)
{
    char needle[16];
    size_t at;

    snprintf(needle, sizeof needle, " %s=", key);
    if (scan_text(&header, needle + 1)) {
        at = 0;
    } else {
        at = slice_find(header, needle);
        if (at == (size_t)-1)
            return false;
        header = slice_from(header, at + strlen(needle));
    }
    if (strcmp(key, "text") != 0) {
        size_t end = slice_find(header, " ");

        if (end == (size_t)-1)
            return false;
        header.length = end;
    }
    *ret_value = header;
    return true;
}

static bool number_field(struct slice header, const char *key, uint64_t *ret_value)
{
    struct slice value;

    return field(header, key, &value) && scan_u64(value, ret_value);
}

/* "A,B" of two numbers. */
static bool double_pair(struct slice value, double *ret_first, double *ret_second)
{
    size_t comma = slice_find(value, ",");

    return comma != (size_t)-1 && scan_double((struct slice){value.bytes, comma}, ret_first) &&
           scan_double(slice_from(value, comma + 1), ret_second);
}

static bool read_why(struct slice word, enum remote_why *ret_why)
{
    static const struct {
        const char *word;
        enum remote_why why;
    } rows[] = {
        {"none", REMOTE_WHY_NONE},           {"exit", REMOTE_WHY_EXIT},
        {"signal", REMOTE_WHY_SIGNAL},       {"deadline", REMOTE_WHY_DEADLINE},
        {"cancelled", REMOTE_WHY_CANCELLED}, {"rebooted", REMOTE_WHY_REBOOTED},
        {"lost", REMOTE_WHY_LOST},           {"spool", REMOTE_WHY_SPOOL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(word, rows[i].word)) {
            *ret_why = rows[i].why;
            return true;
        }
    return false;
}

struct header {
    enum remote_why why;
    uint64_t rc, out, err;
    double up[2], clip[2];
    struct slice left, boot, text;
};

static bool header_read(struct slice line, struct header *ret)
{
    struct slice why, up, clip;

    return field(line, "why", &why) && read_why(why, &ret->why) && number_field(line, "rc", &ret->rc) &&
           ret->rc <= 255 && field(line, "up", &up) && double_pair(up, &ret->up[0], &ret->up[1]) &&
           field(line, "left", &ret->left) && number_field(line, "out", &ret->out) &&
           number_field(line, "err", &ret->err) && field(line, "clip", &clip) &&
           double_pair(clip, &ret->clip[0], &ret->clip[1]) && field(line, "boot", &ret->boot) &&
           field(line, "text", &ret->text);
}

/* Takes the line behind the mark out of the window: true when it is all there. A line longer than any of the
   guard's garbles the stream, in whatever pieces it came. */
static bool take_line(struct guard_stream *stream, size_t at, const char *mark, struct text *ret_rest)
{
    struct text *window = &stream->window;
    size_t start = at + strlen(mark);
    size_t end = find(window, start, "\n");

    if ((end == SIZE_MAX ? window->length : end) > start + HEADER_LIMIT)
        stream->state = GUARD_GARBLED;
    if (end == SIZE_MAX || stream->state == GUARD_GARBLED)
        return false;
    if (ret_rest != NULL) {
        size_t skip = window->bytes[start] == ' ' ? 1 : 0;

        text_reset(ret_rest);
        text_add(ret_rest, window->bytes + start + skip, end - start - skip);
    }
    drop_front(window, end + 1);
    return true;
}

/* Skips banners and profiles up to the mark; of what is skipped, the beginning is kept for people. */
static void skip_noise(struct guard_reply *reply, struct guard_stream *stream, const char *mark, bool keep)
{
    struct text *window = &stream->window;
    size_t at = find(window, 0, mark), tail = sizeof reply->ended;

    if (at == SIZE_MAX) {
        if (window->length > 4 * tail) {
            text_add(&stream->noise, window->bytes, window->length - tail);
            drop_front(window, window->length - tail);
        }
        return;
    }
    if (take_line(stream, at, mark, keep ? &reply->header : NULL))
        stream->state = GUARD_BODY;
}

/* A spooled answer: as many bytes as the header announces. */
static void take_announced(struct guard_reply *reply, struct guard_stream *stream)
{
    uint64_t wanted = reply->out_length + reply->err_length - spool_offered(stream->body);
    uint64_t taken = stream->window.length < wanted ? stream->window.length : wanted;

    spool_add(stream->body, stream->window.bytes, taken);
    text_reset(&stream->window);
    if (taken == wanted)
        stream->state = GUARD_DONE;
}

static void begin_announced(struct guard_reply *reply, struct guard_stream *stream)
{
    struct header header;

    if (!header_read((struct slice){reply->header.bytes, reply->header.length}, &header) ||
        header.out > reply->clip || header.err > reply->clip) {
        stream->state = GUARD_GARBLED;
        return;
    }
    reply->out_length = header.out;
    reply->err_length = header.err;
}

/* A light stream: everything up to the trailer, which is looked for in what is not decided yet. */
static void take_until_trailer(struct guard_reply *reply, struct guard_stream *stream, bool keep)
{
    char needle[96];
    struct text *window = &stream->window;
    size_t at, decided;

    snprintf(needle, sizeof needle, "\n%s", reply->ended);
    at = find(window, 0, needle);
    /* Undecided is at most a trailer line that has begun. */
    decided = at != SIZE_MAX ? at : window->length > sizeof needle ? window->length - sizeof needle : 0;
    spool_add(stream->body, window->bytes, decided);
    drop_front(window, decided);
    if (at == SIZE_MAX)
        return;
    if (take_line(stream, 1, reply->ended, keep ? &reply->header : NULL))
        stream->state = GUARD_DONE;
}

static void check_light_header(struct guard_reply *reply, struct guard_stream *stream)
{
    struct header header;

    if (!header_read((struct slice){reply->header.bytes, reply->header.length}, &header))
        stream->state = GUARD_GARBLED;
}

static void feed_light(struct guard_reply *reply, struct guard_stream *stream, bool first)
{
    if (stream->state == GUARD_NOISE)
        skip_noise(reply, stream, reply->begun, false);
    if (stream->state == GUARD_BODY)
        take_until_trailer(reply, stream, first);
    if (stream->state == GUARD_DONE && first)
        check_light_header(reply, stream);
}

static void feed_spooled(struct guard_reply *reply, struct guard_stream *stream)
{
    if (stream->state == GUARD_NOISE) {
        skip_noise(reply, stream, reply->ended, true);
        if (stream->state == GUARD_BODY)
            begin_announced(reply, stream);
    }
    if (stream->state == GUARD_BODY)
        take_announced(reply, stream);
}

void guard_reply_feed(struct guard_reply *reply, int index, const char *bytes, size_t length)
{
    struct guard_stream *stream = &reply->streams[index];

    if (stream->state == GUARD_DONE || stream->state == GUARD_GARBLED)
        return;
    if (reply->verb != REMOTE_READ && index == GUARD_STDERR) {
        text_add(&stream->noise, bytes, length);
        return;
    }
    text_add(&stream->window, bytes, length);
    if (reply->verb == REMOTE_READ)
        feed_light(reply, stream, index == GUARD_STDOUT);
    else
        feed_spooled(reply, stream);
}

bool guard_reply_whole(const struct guard_reply *reply)
{
    return reply->streams[GUARD_STDOUT].state == GUARD_DONE &&
           (reply->verb != REMOTE_READ || reply->streams[GUARD_STDERR].state == GUARD_DONE);
}

bool guard_reply_begun(const struct guard_reply *reply)
{
    return reply->streams[GUARD_STDOUT].state == GUARD_BODY ||
           reply->streams[GUARD_STDOUT].state == GUARD_DONE;
}

/* The streams of the light path; of a spooled answer, whose two come one behind the other, both. */
static void result_streams(struct guard_reply *reply, struct remote_result *result)
{
    struct spool *out = reply->streams[GUARD_STDOUT].body, *err = reply->streams[GUARD_STDERR].body;
    struct slice both = spool_bytes(out);
    size_t split = both.length;

    result->held[0] = out;
    if (reply->verb == REMOTE_READ) {
        result->held[1] = err;
        result->out = both;
        result->err = spool_bytes(err);
        result->out_clipped = spool_overflowed(out);
        result->err_clipped = spool_overflowed(err);
        return;
    }
    if (split > reply->out_length)
        split = (size_t)reply->out_length;
    result->out = (struct slice){both.bytes, split};
    result->err = slice_from(both, split);
}

/* errno of what this machine could not keep; 0: all is well. */
static int unkept(const struct guard_reply *reply)
{
    int failure = spool_failure(reply->streams[GUARD_STDOUT].body);

    return failure != 0 ? failure : spool_failure(reply->streams[GUARD_STDERR].body);
}

/* guard.sh says a word and what it is about, which stands behind a blank. Spools of an earlier assay say it in English. */
static const struct {
    const char *word;
    const struct sentence *sentence;
} said_by_guard[] = {
    {"no-space", &sentence_no_space_left},       {"not-writable", &sentence_spool_not_writable},
    {"no-folder", &sentence_no_private_folder},  {"not-removed", &sentence_folder_not_removed},
    {"another-boot", &sentence_another_boot_id}, {"too-early", &sentence_cancelled_before_begun},
    {"killed", &sentence_supervisor_killed},     {"still-runs", &sentence_command_still_runs},
};

/* What is behind a "; " is in the host's own words. */
static const struct reason *what_guard_says(struct arena *arena, struct slice said)
{
    static const char further[] = "; ";
    struct slice word, about = said;
    size_t end = slice_find(said, further);

    if (end != (size_t)-1)
        return reason_also(arena, what_guard_says(arena, (struct slice){said.bytes, end}),
                           reason_quote(arena, slice_from(said, end + strlen(further))));
    if (!scan_word(&about, &word))
        return NULL;
    about = slice_trim(about);
    for (size_t i = 0; i < ARRAY_SIZE(said_by_guard); i++) {
        const struct sentence *sentence = said_by_guard[i].sentence;

        if (slice_equal(word, said_by_guard[i].word) && (sentence->arguments > 0) == (about.length > 0))
            return sentence->arguments == 0
                       ? &sentence->plain
                       : reason_make(arena, sentence, (struct reason_value[]){REASON_VALUE(about)}, 1);
    }
    return reason_quote(arena, said);
}

static void result_from_header(const struct header *header, struct arena *arena, struct remote_result *result)
{
    result->end = REMOTE_ENDED;
    result->why = header->why;
    result->rc = (int)header->rc;
    result->up_began = header->up[0];
    result->up_ended = header->up[1];
    result->left = header->left.length > 0;
    result->left_text = arena_strndup(arena, header->left.bytes, header->left.length);
    result->boot_id = arena_strndup(arena, header->boot.bytes, header->boot.length);
    result->what = what_guard_says(arena, header->text);
    result->out_clipped |= header->clip[0] > 0;
    result->err_clipped |= header->clip[1] > 0;
}

/* Behind it the first line that says something. What sudo says of a name that it cannot resolve is none of that. */
static const struct reason *with_said(struct arena *arena, const struct reason *what,
                                      const struct text *noise, const struct text *window)
{
    enum { LONGEST = 200 };
    cleanup_text struct text all = {0};
    struct slice rest, line, said = {"", 0};

    text_init(&all, NOISE_KEPT);
    text_add(&all, noise->bytes, noise->length);
    if (window->bytes != NULL)
        text_add(&all, window->bytes, window->length);
    text_add(&all, "\n", 1);
    rest = (struct slice){all.bytes, all.length};
    while (said.length == 0 && scan_line(&rest, &line))
        if (slice_find(line, "unable to resolve host") == (size_t)-1)
            said = slice_trim(line);
    if (said.length == 0)
        return what;
    if (said.length > LONGEST)
        said.length = LONGEST;
    return reason(arena, about, what, said);
}

static bool says_sudo(const struct text *noise)
{
    return noise->bytes != NULL &&
           (strncmp(noise->bytes, "sudo:", 5) == 0 || strstr(noise->bytes, "\nsudo:") != NULL ||
            strstr(noise->bytes, "sudo: not found") != NULL ||
            strstr(noise->bytes, "sudo: command not found") != NULL);
}

/* With -n sudo asks for none, so only one that was given can be wrong. */
static bool says_wrong_password(const struct text *noise)
{
    return strstr(noise->bytes, "incorrect password") != NULL ||
           strstr(noise->bytes, "no password was provided") != NULL;
}

static void result_without_header(struct guard_reply *reply, struct arena *arena,
                                  struct remote_result *result)
{
    struct guard_stream *out = &reply->streams[GUARD_STDOUT], *err = &reply->streams[GUARD_STDERR];
    cleanup_text struct text said = {0};
    const struct reason *what;

    text_init(&said, 4 * NOISE_KEPT);
    text_add(&said, err->noise.bytes, err->noise.length);
    text_add(&said, err->window.bytes, err->window.length);
    if (says_sudo(&said)) {
        result->end = REMOTE_SUDO_REFUSED;
        what = says_wrong_password(&said) ? REASON(sudo_password_refused) : REASON(sudo_refused);
    } else {
        result->end = REMOTE_NO_ANSWER;
        what = out->state == GUARD_GARBLED ? REASON(guard_answer_garbled) : REASON(no_guard_answer);
    }
    what = with_said(arena, what, &said, &(struct text){0});
    result->what = with_said(arena, what, &out->noise, &out->window);
}

void guard_reply_result(struct guard_reply *reply, struct arena *arena, struct remote_result *ret_result)
{
    struct header header = {0};
    bool readable = reply->header.length > 0 && reply->streams[GUARD_STDOUT].state != GUARD_GARBLED &&
                    header_read((struct slice){reply->header.bytes, reply->header.length}, &header);

    *ret_result = (struct remote_result){.boot_id = "", .left_text = ""};
    if (!readable) {
        result_without_header(reply, arena, ret_result);
        return;
    }
    result_streams(reply, ret_result);
    result_from_header(&header, arena, ret_result);
    if (unkept(reply) != 0 && ret_result->what == NULL)
        ret_result->what = reason(arena, no_place_for_output, strerror(unkept(reply)));
    ret_result->cut = unkept(reply) != 0 || !guard_reply_whole(reply);
}
