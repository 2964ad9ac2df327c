/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each host is asked what it has (probe), and then waits in the tree until somebody gives it the rest: the controller, in
 * blocks of which a few are under way at a time and `finish` at the end, or another host (pass). Whatever is found damaged
 * at the end is looked for by another probe, and what does not fit is sent again. Before any of that, hosts that Slurm reaches
 * wait for its broadcast, and only those that it fails for come to the tree.
 */
#include "assay/run/stage.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/check/check.h"
#include "assay/model/script_reason.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "assay/reasons/words.h"
#include "broadcast.h"
#include "remote_scripts.h"
#include "stage_tree.h"
#include "target.h"

enum {
    BLOCK = 4 << 20,
    BLOCKS_UNDER_WAY = 2,
    ROUNDS = 5, /* probes of one host: what is damaged that often stays so */
    PATIENCE_MS =
        3000, /* nothing is pushed as long as not all have said what they have, but not for longer */
    LOOK_S = 300,
    BLOCK_S = 600,
    SLOWEST = 1 << 20, /* bytes a second within the cluster, for deadlines */
    COMMAND_BYTES = 64 * 1024,
    LEFT_MOST = 1000, /* of what one host says that earlier stagings left there */
    BROADCASTS = 3,   /* failed ones, of which each leaves out the host whose fault it was */
};

/* A job's uuid begins so: what a staging that was killed has left in spools is known by it. */
#define JOB_MARK "stage-"

struct staging {
    struct arena *arena;
    const struct toolset *set;
    const struct stage_options *options;
    struct error *err;
    int rc;
    uv_loop_t loop;
    uv_signal_t signals[2];
    uv_timer_t patience;
    struct remote_pool *pool;
    struct stage_tree tree;
    struct broadcast
        *broadcast;   /* NULL: Slurm reaches none of the hosts, or the controller gives it to each */
    bool sending;     /* a broadcast is under way, or what came is being looked at, */
    size_t receiving; /* by so many hosts */
    unsigned misses;  /* broadcasts that failed */
    struct place *places;
    size_t count, asking, open; /* hosts without a first answer; hosts that are not done */
    size_t forgetting;
    bool over;
    const char *verb; /* of stage_ask; NULL: stage_push */
    const char *version;
    char (*hashes)[SHA256_HEX_SIZE]; /* of the stream's blocks; "" until somebody asks */
};

struct place {
    struct staging *all;
    size_t index;
    struct remote *remote;
    struct stage_host *result;
    struct stage_answer *answer;
    bool answered, done;
    bool by_session;         /* no broadcast, or no further one: said why */
    bool awaits, is_sent_to; /* a broadcast; by the one that is under way */
    unsigned rounds, lost;
    const struct reason *killed; /* a block was, on the host; NULL: none since it was probed */
    const char *root;
    size_t blocks, next, under_way; /* of the stream */
    bool *fits;
    char uuid[UUID_SIZE], listing[UUID_SIZE];
};

static void dispatch(struct staging *all);
static void probe(struct place *place);

/* -- Jobs -- */

static void forgotten(void *context, const struct remote_result *result)
{
    struct staging *all = context;

    (void)result;
    all->forgetting--;
    dispatch(all);
}

static void name_job(char uuid[UUID_SIZE])
{
    uuid_create(uuid);
    memcpy(uuid, JOB_MARK, strlen(JOB_MARK));
}

static void forget(struct place *place, const char *uuid)
{
    struct remote_job job = {.verb = REMOTE_FORGET, .uuid = uuid};

    if (place->all->over)
        return;
    place->all->forgetting++;
    remote_start(place->remote, &job, forgotten, place->all);
}

static const char *root_word(const struct staging *all)
{
    return all->options->root != NULL ? all->options->root : "-";
}

/* The script and the line that calls it. */
static void put_call(struct place *place, const char *verb, const char *words, struct text *out)
{
    struct staging *all = place->all;

    text_init(out, COMMAND_BYTES);
    text_put(out, script_stage);
    text_printf(out, "stage %s %s ", verb, all->version);
    text_shell_quote(out, root_word(all));
    text_printf(out, " %s\n", words);
}

static void start(struct place *place, struct remote_job job, const char *verb, const char *words,
                  remote_done_cb *done)
{
    cleanup_text struct text command = {0};

    /* The pool's end brings the ends of jobs, which must not start others. */
    if (place->all->over)
        return;
    put_call(place, verb, words, &command);
    name_job(place->uuid);
    job.uuid = place->uuid;
    job.command = command.bytes;
    remote_start(place->remote, &job, done, place);
}

/* The value of the first line "KEY VALUE"; false when there is none. */
static bool answer_of(struct slice out, const char *key, struct slice *ret_value)
{
    struct slice line;

    while (scan_line(&out, &line))
        if (scan_text(&line, key) && scan_text(&line, " ")) {
            *ret_value = line;
            return true;
        }
    return false;
}

/* With the job of Slurm that its session was in, say: neither the host's fault nor that of the tools, so it is done again. */
static bool is_killed(const struct remote_result *result)
{
    return result->end == REMOTE_ENDED && result->why == REMOTE_WHY_LOST;
}

/* NULL when the job ended as it should; else what went wrong. *ret_lost: with the line, not on the host. */
static const struct reason *trouble(struct place *place, const struct remote_result *result, bool *ret_lost)
{
    struct arena *arena = place->all->arena;
    struct slice rest = result->out, line, said;
    const struct reason *whys = NULL, *what;

    *ret_lost = result->end != REMOTE_ENDED;
    if (result->end != REMOTE_ENDED)
        return result->what != NULL ? reason_copy(arena, result->what) : REASON(word_no_answer);
    if (answer_of(result->out, "fail", &said)) {
        what = script_reason(arena, said, script_sentences);
        while (scan_line(&rest, &line))
            if (scan_text(&line, "why "))
                whys = reason_also(arena, whys, script_reason(arena, line, script_sentences));
        return whys != NULL ? reason(arena, about, what, whys) : what;
    }
    if (is_killed(result))
        return reason_copy(arena, result->what);
    if (result->why != REMOTE_WHY_EXIT || result->rc != 0 || result->cut)
        return reason(arena, command_ended_badly, result->rc, reason_copy(arena, result->what), result->err);
    return NULL;
}

/* -- The end of a host -- */

static void note(struct place *place, const struct reason *what)
{
    place->result->what = reason_also(place->all->arena, place->result->what, what);
}

static void settle(struct place *place, enum stage_end end, const struct reason *what)
{
    struct staging *all = place->all;
    struct stage_host *result = place->result;
    const struct tree_host *taker = &all->tree.hosts[place->index];
    bool has = end <= STAGE_PASSED;

    if (place->done || all->over)
        return;
    place->done = true;
    all->open--;
    if (end == STAGE_PUSHED && taker->state == TREE_TAKING && taker->from != TREE_CONTROLLER) {
        end = STAGE_PASSED;
        result->by = all->places[taker->from].result->host;
    }
    result->end = end;
    result->folder = has ? arena_printf(all->arena, "%s/%s", place->root, all->version) : "";
    note(place, what);
    tree_set(&all->tree, place->index, has ? TREE_HAS : TREE_OUT);
    if (all->options->progress != NULL)
        all->options->progress(all->options->context, result);
}

/* -- Pushing -- */

static void on_settled_push(void *context, const struct remote_result *result);
static void push_more(struct place *place);
static void try_again(struct place *place, const struct reason *what);

static size_t block_length(const struct place *place, size_t block)
{
    uint64_t left = place->all->set->bytes - (uint64_t)block * BLOCK;

    return left < BLOCK ? (size_t)left : BLOCK;
}

static void add_manifest(const struct staging *all, struct remote_job *job, struct remote_file *file)
{
    *file = (struct remote_file){"manifest", all->set->manifest.bytes, all->set->manifest.length};
    job->files = file;
    job->file_count = 1;
}

static unsigned long_enough_s(const struct staging *all)
{
    return LOOK_S + (unsigned)(all->set->bytes / SLOWEST);
}

static void finish(struct place *place)
{
    struct remote_job job = {.verb = REMOTE_ENSURE, .deadline_s = long_enough_s(place->all)};
    struct remote_file manifest;

    add_manifest(place->all, &job, &manifest);
    start(place, job, "finish", "", on_settled_push);
}

struct block_flight {
    struct place *place;
    size_t block;
    char uuid[UUID_SIZE];
};

static void on_block(void *context, const struct remote_result *result)
{
    struct block_flight *flight = context;
    struct place *place = flight->place;
    bool lost;
    const struct reason *what = trouble(place, result, &lost);

    place->under_way--;
    if (result->end == REMOTE_ENDED)
        forget(place, flight->uuid);
    free(flight);
    if (place->done)
        return;
    if (what != NULL && !is_killed(result)) {
        settle(place, lost ? STAGE_UNREACHED : STAGE_FAILED, what);
        dispatch(place->all);
        return;
    }
    if (what != NULL)
        place->killed = what;
    push_more(place);
}

/* Whether the block was sent. False: the tools cannot be read any more, which ends everything. */
static bool push_block(struct place *place, size_t block)
{
    struct staging *all = place->all;
    size_t length = block_length(place, block);
    cleanup_free char *bytes = mem_alloc(length);
    struct remote_file file = {"block", bytes, length};
    struct remote_job job = {.verb = REMOTE_ENSURE, .deadline_s = BLOCK_S, .files = &file, .file_count = 1};
    struct block_flight *flight;
    cleanup_text struct text command = {0};
    char words[64];

    if (toolset_read(all->set, (uint64_t)block * BLOCK, bytes, length, all->err) < 0) {
        all->rc = -1;
        return false;
    }
    flight = mem_alloc(sizeof *flight);
    flight->place = place;
    flight->block = block;
    name_job(flight->uuid);
    snprintf(words, sizeof words, "%zu %d", block, BLOCK);
    put_call(place, "block", words, &command);
    job.uuid = flight->uuid;
    job.command = command.bytes;
    place->under_way++;
    place->result->bytes += length;
    remote_start(place->remote, &job, on_block, flight);
    return true;
}

static void push_more(struct place *place)
{
    while (!place->all->over && place->killed == NULL && place->under_way < BLOCKS_UNDER_WAY &&
           place->next < place->blocks) {
        if (!place->fits[place->next] && !push_block(place, place->next)) {
            dispatch(place->all);
            return;
        }
        place->next++;
    }
    if (place->under_way > 0)
        return;
    if (place->killed != NULL)
        try_again(place, steal_pointer(place->killed));
    else if (place->next == place->blocks)
        finish(place);
}

/* -- Passing on -- */

static void pass(struct place *place, size_t source)
{
    struct staging *all = place->all;
    const struct place *giver = &all->places[source];
    struct remote_job job = {.verb = REMOTE_ENSURE, .deadline_s = long_enough_s(all)};
    struct remote_file manifest;
    cleanup_text struct text words = {0};
    uint64_t offset = 0;

    for (size_t i = 0; i < place->blocks && place->fits[i]; i++)
        offset += block_length(place, i);
    text_init(&words, COMMAND_BYTES);
    text_shell_quote(&words, giver->result->host->mpi_address);
    text_put(&words, " ");
    text_shell_quote(&words, giver->root);
    text_printf(&words, " %llu %llu", (unsigned long long)all->set->bytes, (unsigned long long)offset);
    add_manifest(all, &job, &manifest);
    start(place, job, "pass", words.bytes, on_settled_push);
}

static void ask_again(struct place *place)
{
    tree_set(&place->all->tree, place->index, TREE_OUT);
    place->all->asking++;
    place->answered = false;
    probe(place);
}

/* A transfer that another host gave failed, or what came is damaged. */
static void try_again(struct place *place, const struct reason *what)
{
    struct staging *all = place->all;
    const struct tree_host *taker = &all->tree.hosts[place->index];

    note(place, taker->from == TREE_CONTROLLER
                    ? reason(all->arena, from_controller, what)
                    : reason(all->arena, from_host, all->places[taker->from].result->host->name, what));
    if (taker->from == TREE_CONTROLLER && place->rounds >= ROUNDS)
        settle(place, STAGE_FAILED, NULL);
    else
        ask_again(place);
}

/* Of an answer that is not "whole": what came. */
static const struct reason *arrived_unfit(struct place *place, const struct remote_result *result)
{
    struct arena *arena = place->all->arena;
    struct slice damaged;

    return answer_of(result->out, "damaged", &damaged)
               ? reason(arena, file_arrived_damaged, script_reason(arena, damaged, script_sentences))
               : REASON(tools_arrived_cut);
}

/* `finish` and `pass` end alike. */
static void on_settled_push(void *context, const struct remote_result *result)
{
    struct place *place = context;
    bool lost, passed = place->all->tree.hosts[place->index].from != TREE_CONTROLLER;
    const struct reason *what = trouble(place, result, &lost);
    struct slice state;

    if (result->end == REMOTE_ENDED)
        forget(place, place->uuid);
    if (what == NULL && answer_of(result->out, "state", &state) && slice_equal(state, "whole"))
        settle(place, STAGE_PUSHED, NULL);
    else if (lost || (what != NULL && !passed && !is_killed(result)))
        settle(place, lost ? STAGE_UNREACHED : STAGE_FAILED, what);
    else if (what != NULL)
        try_again(place, what);
    else
        try_again(place, arrived_unfit(place, result));
    dispatch(place->all);
}

/* -- Broadcasting -- */

/* Over Slurm, and not by sbcast: that is said once. */
static void go_by_session(struct place *place, const struct reason *why)
{
    place->by_session = true;
    note(place, reason(place->all->arena, tools_not_broadcast, why));
}

/* The host lacks them. */
static void want_tools(struct place *place)
{
    const struct broadcast *broadcast = place->all->broadcast;
    const struct reason *fault;

    place->awaits = false;
    if (broadcast != NULL && host_is_over_slurm(place->result->host) && !place->by_session) {
        fault = broadcast_fault(broadcast, place->result->host);
        place->awaits = fault == NULL;
        if (fault != NULL)
            go_by_session(place, fault);
    }
    if (!place->awaits)
        tree_set(&place->all->tree, place->index, TREE_WANTS);
}

/* To all at once that keep it in the same folder. */
static void broadcast_next(struct staging *all)
{
    struct hostlist hosts = {0};
    const char *root = NULL;
    char uuid[UUID_SIZE];

    if (all->broadcast == NULL || all->sending || all->tree.waits)
        return;
    for (size_t i = 0; i < all->count; i++) {
        struct place *place = &all->places[i];

        if (place->awaits)
            want_tools(place); /* what it waits for may be over since */
        place->is_sent_to = place->awaits && (root == NULL || strcmp(root, place->root) == 0);
        if (!place->is_sent_to)
            continue;
        root = place->root;
        place->awaits = false;
        *list_push(all->arena, &hosts.names) = place->result->host->name;
    }
    all->sending = hosts.names.count > 0;
    name_job(uuid);
    if (all->sending)
        broadcast_send(all->broadcast, &hosts, root, arena_printf(all->arena, ".%s", uuid));
}

/* What came by sbcast is not the tools: the rest comes by the session. */
static void doubt(struct place *place, const struct reason *what)
{
    go_by_session(place, what);
    ask_again(place);
}

static void on_received(void *context, const struct remote_result *result)
{
    struct place *place = context;
    struct staging *all = place->all;
    bool lost;
    const struct reason *what = trouble(place, result, &lost);
    struct slice state;

    if (result->end == REMOTE_ENDED)
        forget(place, place->uuid);
    if (--all->receiving == 0 && !all->over) {
        broadcast_settle(all->broadcast);
        all->sending = false;
    }
    if (lost)
        settle(place, STAGE_UNREACHED, what);
    else if (what == NULL && answer_of(result->out, "state", &state) && slice_equal(state, "whole"))
        settle(place, STAGE_BROADCAST, NULL);
    else
        doubt(place, what != NULL ? what : arrived_unfit(place, result));
    dispatch(all);
}

static void receive(struct place *place, const char *name)
{
    struct staging *all = place->all;
    struct remote_job job = {.verb = REMOTE_ENSURE, .deadline_s = long_enough_s(all)};
    struct remote_file manifest;

    add_manifest(all, &job, &manifest);
    all->receiving++;
    start(place, job, "received",
          arena_printf(all->arena, "%s %llu", name, (unsigned long long)all->set->bytes), on_received);
}

/* One host's fault ends the broadcast for all: the others have another one. */
static void give_up(struct staging *all, const struct reason *why, struct slice blamed)
{
    bool known = false;

    for (size_t i = 0; i < all->count; i++)
        known |= all->places[i].is_sent_to && slice_equal(blamed, all->places[i].result->host->name);
    all->sending = false;
    known &= ++all->misses < BROADCASTS;
    for (size_t i = 0; i < all->count; i++) {
        struct place *place = &all->places[i];

        if (!place->is_sent_to)
            continue;
        place->awaits = known && !slice_equal(blamed, place->result->host->name);
        if (place->awaits)
            continue;
        go_by_session(place, why);
        tree_set(&all->tree, i, TREE_WANTS);
    }
}

static void on_sent(void *context, const char *name, const struct reason *why, struct slice blamed)
{
    struct staging *all = context;

    if (why != NULL)
        give_up(all, why, blamed);
    for (size_t i = 0; i < all->count && why == NULL; i++)
        if (all->places[i].is_sent_to)
            receive(&all->places[i], name);
    dispatch(all);
}

/* -- What a host has -- */

/* What a block of the stream must have; NULL: the tools cannot be read any more. Each is read once for all hosts. */
static const char *hash_of_block(struct place *place, size_t block)
{
    struct staging *all = place->all;
    size_t length = block_length(place, block);
    cleanup_free char *bytes = NULL;

    if (*all->hashes[block] != '\0')
        return all->hashes[block];
    bytes = mem_alloc(length);
    if (toolset_read(all->set, (uint64_t)block * BLOCK, bytes, length, all->err) < 0)
        return NULL;
    sha256_hex(bytes, length, all->hashes[block]);
    return all->hashes[block];
}

/* Which blocks of the stream are there, by the hashes that the host told. */
static int compare_blocks(struct place *place, struct slice out)
{
    struct slice line;
    size_t block = 0;

    memset(place->fits, 0, place->blocks * sizeof *place->fits);
    while (block < place->blocks && scan_line(&out, &line)) {
        const char *hash;

        if (!scan_text(&line, "have "))
            continue;
        hash = hash_of_block(place, block);
        if (hash == NULL)
            return -1;
        place->fits[block++] = slice_equal(line, hash);
    }
    place->next = 0;
    return 0;
}

/* As stage.sh takes folders: it goes onto command lines, here and on other hosts. */
#define FOLDER_BYTES "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._+/=,@:~-"
static bool is_plain_folder(struct slice root)
{
    for (size_t i = 0; i < root.length; i++)
        if (memchr(FOLDER_BYTES, root.bytes[i], sizeof FOLDER_BYTES - 1) == NULL)
            return false;
    return slice_starts(root, "/");
}

static void read_probe(struct place *place, const struct remote_result *result)
{
    struct staging *all = place->all;
    struct slice state = {0}, root = {0}, damaged;
    bool lost;
    const struct reason *what = trouble(place, result, &lost);

    /* A probe has no folder on the host and is not sent again by itself. */
    if (lost && result->end == REMOTE_UNREACHABLE && result->connections > 0 && place->lost++ == 0) {
        all->asking++;
        place->answered = false;
        probe(place);
        return;
    }
    if (what == NULL && (!answer_of(result->out, "root", &root) || !is_plain_folder(root) ||
                         !answer_of(result->out, "state", &state)))
        what = REASON(stage_answer_unfit);
    if (what != NULL) {
        settle(place, lost ? STAGE_UNREACHED : STAGE_FAILED, what);
        return;
    }
    place->root = arena_strndup(all->arena, root.bytes, root.length);
    if (answer_of(result->out, "damaged", &damaged))
        note(place, reason(all->arena, damaged_there, script_reason(all->arena, damaged, script_sentences)));
    if (slice_equal(state, "whole"))
        settle(place, STAGE_HAD, NULL);
    else if (compare_blocks(place, result->out) < 0)
        all->rc = -1;
    else
        want_tools(place);
}

/* -- What earlier stagings left -- */

/* A folder of a job that was under way when its controller ended. What runs yet is somebody's who is at work. */
static void on_listed(void *context, const struct remote_result *result)
{
    struct place *place = context;
    struct slice rest = result->out, line, uuid;
    unsigned left = LEFT_MOST;

    while (!place->all->over && left > 0 && result->end == REMOTE_ENDED && scan_line(&rest, &line))
        if (slice_starts(line, JOB_MARK) && scan_word(&line, &uuid) &&
            !slice_equal(slice_trim(line), "running") && left-- > 0)
            forget(place, arena_strndup(place->all->arena, uuid.bytes, uuid.length));
    forgotten(place->all, result);
}

static void tidy(struct place *place)
{
    struct remote_job job = {.verb = REMOTE_LIST, .uuid = place->listing};

    name_job(place->listing);
    place->all->forgetting++;
    remote_start(place->remote, &job, on_listed, place);
}

static void on_probed(void *context, const struct remote_result *result)
{
    struct place *place = context;

    place->answered = true;
    place->all->asking--;
    if (place->rounds == 1 && result->end == REMOTE_ENDED && !place->all->over)
        tidy(place);
    read_probe(place, result);
    dispatch(place->all);
}

static void probe(struct place *place)
{
    struct remote_job job = {.verb = REMOTE_READ, .deadline_s = LOOK_S};
    char words[64];

    place->rounds++;
    snprintf(words, sizeof words, "%llu %d", (unsigned long long)place->all->set->bytes, BLOCK);
    start(place, job, "probe", words, on_probed);
}

/* -- Listing and removing -- */

static void on_answer(void *context, const struct remote_result *result)
{
    struct place *place = context;
    struct staging *all = place->all;
    bool lost;
    const struct reason *what = trouble(place, result, &lost);

    if (all->over)
        return;
    place->answer->end = lost ? STAGE_UNREACHED : what != NULL ? STAGE_FAILED : STAGE_HAD;
    place->answer->what = what;
    place->answer->lines =
        what != NULL ? "" : arena_strndup(all->arena, result->out.bytes, result->out.length);
    if (!place->done) {
        place->done = true;
        all->open--;
    }
    dispatch(all);
}

static void ask(struct place *place)
{
    /* As root where that can be had: whoever removes must see root's processes too. */
    struct remote_job job = {
        .verb = REMOTE_READ, .deadline_s = LOOK_S, .as_root = place->answer->host->become_root};

    start(place, job, place->all->verb, "", on_answer);
}

/* -- All of them -- */

static void end(struct staging *all)
{
    all->over = true;
    broadcast_end(all->broadcast);
    remote_pool_destroy(steal_pointer(all->pool));
    uv_close((uv_handle_t *)&all->patience, NULL);
    for (size_t i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&all->signals[i], NULL);
}

/* After anything that happened: starts what may start, and ends when nothing is left. */
static void dispatch(struct staging *all)
{
    size_t target, source;
    enum tree_order order;

    if (all->over)
        return;
    if (all->rc < 0 || (all->open == 0 && all->forgetting == 0)) {
        end(all);
        return;
    }
    if (all->asking == 0)
        all->tree.waits = false;
    broadcast_next(all);
    while (all->verb == NULL && !all->over &&
           (order = tree_next(&all->tree, &target, &source)) != TREE_NOTHING) {
        if (order == TREE_PASS)
            pass(&all->places[target], source);
        else
            push_more(&all->places[target]);
    }
}

static void on_patience_over(uv_timer_t *timer)
{
    struct staging *all = timer->data;

    all->tree.waits = false;
    dispatch(all);
}

/* What runs on the hosts is short and ends by itself; what has arrived is resumed by the next staging. */
static void on_signal(uv_signal_t *handle, int number)
{
    struct staging *all = handle->data;

    (void)number;
    if (!all->over)
        end(all);
}

static const char *job_of(void *context, const char *host)
{
    const struct staging *all = context;

    return broadcast_own_job(all->broadcast, host);
}

/* A session has found that out, perhaps before salloc has; the next one is without that job. */
static const struct reason *job_is_over(void *context, const char *host)
{
    const struct staging *all = context;

    (void)host;
    broadcast_lose_job(all->broadcast);
    return NULL;
}

static int set_up(struct staging *all, const struct host *const *hosts)
{
    const struct stage_options *options = all->options;
    struct remote_options remote = options->remote;
    static const int numbers[] = {SIGINT, SIGTERM};
    int made = uv_loop_init(&all->loop);

    if (made < 0)
        return error_set(all->err, ERROR_INTERNAL, "no event loop can be made: %s", uv_strerror(made));
    remote.slurm_job = job_of;
    remote.slurm_refused = job_is_over;
    remote.slurm_context = all;
    all->pool = remote_pool_create(&all->loop, &remote);
    for (size_t i = 0; i < 2; i++) {
        uv_signal_init(&all->loop, &all->signals[i]);
        all->signals[i].data = all;
        uv_signal_start(&all->signals[i], on_signal, numbers[i]);
    }
    uv_timer_init(&all->loop, &all->patience);
    all->patience.data = all;
    all->places = arena_array(all->arena, struct place, all->count);
    all->tree = (struct stage_tree){.hosts = arena_array(all->arena, struct tree_host, all->count),
                                    .count = all->count,
                                    .seeds = options->seeds > 0 ? options->seeds : 1,
                                    .fan_out = options->fan_out > 0 ? options->fan_out : 3,
                                    .pushes = options->pushes > 0 ? options->pushes : 8,
                                    .direct = options->direct,
                                    .waits = true};
    for (size_t i = 0; i < all->count; i++) {
        struct remote_target target = target_of(hosts[i]);

        all->tree.hosts[i] = (struct tree_host){.leaf = hosts[i]->leaf, .unit = hosts[i]->unit};
        all->places[i] = (struct place){.all = all, .index = i, .root = ""};
        all->places[i].remote = remote_open(all->pool, &target);
    }
    all->open = all->count;
    return 0;
}

static int carry_out(struct staging *all)
{
    uv_run(&all->loop, UV_RUN_DEFAULT);
    uv_loop_close(&all->loop);
    return all->rc;
}

static void probe_all(void *context)
{
    struct staging *all = context;

    all->asking = all->count;
    uv_timer_start(&all->patience, on_patience_over, PATIENCE_MS, 0);
    for (size_t i = 0; i < all->count; i++)
        probe(&all->places[i]);
}

static const struct broadcast_events broadcast_events = {probe_all, on_sent};

int stage_push(struct arena *arena, const struct host *const *hosts, size_t count,
               const struct toolset *toolset, const struct stage_options *options,
               struct stage_host **ret_hosts, struct error *err)
{
    struct staging all = {.arena = arena,
                          .set = toolset,
                          .options = options,
                          .err = err,
                          .count = count,
                          .version = toolset->version};

    if (set_up(&all, hosts) < 0)
        return -1;
    all.hashes = arena_alloc(arena, (size_t)(toolset->bytes / BLOCK + 1) * sizeof *all.hashes);
    *ret_hosts = arena_array(arena, struct stage_host, count);
    for (size_t i = 0; i < count; i++) {
        struct place *place = &all.places[i];

        (*ret_hosts)[i] = (struct stage_host){.host = hosts[i], .end = STAGE_CANCELLED, .folder = ""};
        place->result = &(*ret_hosts)[i];
        place->blocks = (size_t)((toolset->bytes + BLOCK - 1) / BLOCK);
        place->fits = arena_array(arena, bool, place->blocks);
    }
    if (!options->direct)
        all.broadcast = broadcast_create(arena, &all.loop, hosts, count, toolset, &broadcast_events, &all);
    if (all.broadcast == NULL)
        probe_all(&all);
    return carry_out(&all);
}

int stage_ask(struct arena *arena, const struct host *const *hosts, size_t count, enum stage_ask ask_for,
              const char *version, const struct stage_options *options, struct stage_answer **ret_answers,
              struct error *err)
{
    struct staging all = {.arena = arena,
                          .options = options,
                          .err = err,
                          .count = count,
                          .version = version,
                          .verb = ask_for == STAGE_LIST ? "versions" : "forget_version"};

    if (set_up(&all, hosts) < 0)
        return -1;
    *ret_answers = arena_array(arena, struct stage_answer, count);
    for (size_t i = 0; i < count; i++) {
        (*ret_answers)[i] = (struct stage_answer){
            .host = hosts[i], .end = STAGE_CANCELLED, .lines = "", .what = REASON(host_not_asked)};
        all.places[i].answer = &(*ret_answers)[i];
        ask(&all.places[i]);
    }
    return carry_out(&all);
}
