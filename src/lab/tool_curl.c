/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curl, its options on standard input. As the check object-store calls it: one request or several gets. The store is a folder of
 * the host's own; an object's name is the last word of its URL. As the check redfish does: see tool_redfish.c.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/files.h"
#include "assay/base/scan.h"
#include "lab_private.h"

#define STORE_GBS 1.1     /* of one stream */
#define STORE_GET_S 0.004 /* until a small object begins to come */

enum {
    OPTIONS_BYTES = 256 * 1024,
    OBJECT_BYTES = 64 << 20,
    HTTP_OK = 200,
    HTTP_GONE = 204,
    HTTP_MISSING = 404,
    ENDED_BY_HTTP = 22,
    ENDED_BY_WRITING = 23,
    TIMED_OUT = 28,
    CONNECT_S = 5
};

struct request {
    const char *url, *upload, *output, *verb;
};

static const char *object_path(const struct tool *tool, const struct request *request)
{
    const char *slash = strrchr(request->url, '/');

    return lab_meeting_place(tool->arena, tool->lab, tool->host->number,
                             arena_printf(tool->arena, "object.%s", slash != NULL ? slash + 1 : ""));
}

/* As `-w '%{stderr}ended %{http_code} %{time_total}\n'` has it, behind curl's complaint. */
static int ended(unsigned status, double seconds)
{
    if (status >= 400)
        fprintf(stderr, "curl: (%d) The requested URL returned error: %u\n", ENDED_BY_HTTP, status);
    fprintf(stderr, "ended %u %.6f\n", status, seconds);
    return status >= 400 ? ENDED_BY_HTTP : 0;
}

/* Who reads it has seen enough. */
static int cannot_write(double seconds)
{
    fprintf(stderr, "curl: (%d) Failure writing output to destination\n", ENDED_BY_WRITING);
    ended(HTTP_OK, seconds);
    return ENDED_BY_WRITING;
}

/* Of each four objects the third. */
static bool is_corrupted(const struct tool *tool, const char *path)
{
    size_t length = strlen(path);

    return fault_find(tool->lab, tool->host->number, FAULT_OBJECT_CORRUPT) != NULL && path[length - 1] == '3';
}

static int transfer(const struct tool *tool, const struct request *request, double pace)
{
    const char *path = object_path(tool, request);
    bool put = request->upload != NULL;
    cleanup_text struct text bytes;
    struct error err = {0};
    double seconds;

    text_init(&bytes, OBJECT_BYTES);
    if (file_read(put ? request->upload : path, &bytes, &err) < 0)
        return ended(HTTP_MISSING, STORE_GET_S);
    if (put && file_write(path, bytes.bytes, bytes.length, 0600, &err) < 0)
        return ended(500, STORE_GET_S);
    seconds = (STORE_GET_S + (double)bytes.length / STORE_GBS / 1e9) * pace;
    if (!put && is_corrupted(tool, path) && bytes.length > 0)
        bytes.bytes[bytes.length / 2] ^= 1;
    if (!put && request->output == NULL &&
        (fwrite(bytes.bytes, 1, bytes.length, stdout) < bytes.length || fflush(stdout) != 0))
        return cannot_write(seconds);
    lab_sleep(tool->lab, seconds);
    return ended(HTTP_OK, seconds);
}

static int answer(const struct tool *tool, const struct request *request)
{
    const struct fault *denied = fault_find(tool->lab, tool->host->number, FAULT_OBJECT_DENIED),
                       *slow = fault_find(tool->lab, tool->host->number, FAULT_OBJECT_SLOW);

    if (denied != NULL)
        return ended((unsigned)denied->number, STORE_GET_S);
    if (request->verb != NULL)
        return ended(unlink(object_path(tool, request)) == 0 ? HTTP_GONE : HTTP_MISSING, STORE_GET_S);
    return transfer(tool, request, slow != NULL ? 100 / (100 - slow->number) : 1);
}

/* `name = "value"`: the value in the arena; NULL: another option. */
static const char *option(const struct tool *tool, struct slice line, const char *name)
{
    if (!scan_text(&line, name) || !scan_text(&line, " = \"") || line.length == 0)
        return NULL;
    return arena_strndup(tool->arena, line.bytes, line.length - 1);
}

/* "node3-bmc" of the last word "https://node3-bmc:443/"; "": it is no such URL. */
static const char *name_in_url(const struct tool *tool)
{
    struct slice rest = slice_of(tool->argv[tool->argc - 1]);

    return scan_text(&rest, "https://") ? arena_strndup(tool->arena, rest.bytes, strcspn(rest.bytes, ":/"))
                                        : "";
}

/* As the check bmc-network tries who answers: "https://node3-bmc:443/", with --verbose. */
static int try_bmc(const struct tool *tool)
{
    const char *name = name_in_url(tool);

    if (lab_bmc_answers(tool->lab, name)) {
        printf(
            "*   Trying 10.9.0.1:443...\n* Connected to %s (10.9.0.1) port 443 (#0)\n\nconnected 0.000412\n",
            name);
        return 0;
    }
    lab_sleep(tool->lab, CONNECT_S);
    printf("*   Trying 10.9.0.1:443...\n* Connection timed out after 5001 milliseconds\n"
           "curl: (28) Connection timed out after 5001 milliseconds\n\nconnected 0.000000\n");
    return TIMED_OUT;
}

int tool_curl(struct tool *tool)
{
    cleanup_text struct text options;
    struct request request = {0};
    struct slice rest, line;
    const char *url;
    char piece[4096];
    size_t got;
    int rc = 0;

    if (tool->argc > 1 && *name_in_url(tool) != '\0')
        return try_bmc(tool);
    signal(SIGPIPE, SIG_IGN);
    text_init(&options, OPTIONS_BYTES);
    while ((got = fread(piece, 1, sizeof piece, stdin)) > 0)
        text_add(&options, piece, got);
    rest = (struct slice){options.bytes, options.length};
    if (slice_find(rest, "/redfish/v1") != (size_t)-1)
        return curl_redfish(tool, rest);
    while (scan_line(&rest, &line)) {
        request.upload = request.upload != NULL ? request.upload : option(tool, line, "upload-file");
        request.output = request.output != NULL ? request.output : option(tool, line, "output");
        request.verb = request.verb != NULL ? request.verb : option(tool, line, "request");
    }
    rest = (struct slice){options.bytes, options.length};
    while (rc == 0 && scan_line(&rest, &line))
        if ((url = option(tool, line, "url")) != NULL) {
            request.url = url;
            rc = answer(tool, &request);
        }
    return rc;
}
