/* SPDX-License-Identifier: Apache-2.0 */
/* Where a URL leads, as libcurl itself reads it: what it makes of it is what curl is given, so that both mean one host. */
#include <curl/curl.h>
#include <string.h>
#include <strings.h>

#include "alert_private.h"

enum { LONGEST = 8192 };

static bool is_here(const char *host)
{
    static const char *const here[] = {"127.0.0.1", "localhost", "[::1]"};

    for (size_t i = 0; i < ARRAY_SIZE(here); i++)
        if (strcasecmp(host, here[i]) == 0)
            return true;
    return false;
}

/* "" where there is none. */
static const char *part_of(struct arena *arena, CURLU *parts, CURLUPart part)
{
    char *text = NULL;
    const char *copy =
        curl_url_get(parts, part, &text, 0) == CURLUE_OK && text != NULL ? arena_strdup(arena, text) : "";

    curl_free(text);
    return copy;
}

/* Secrets go in the open to this machine only. */
static const char *fault_of(struct arena *arena, CURLU *parts)
{
    const char *scheme = part_of(arena, parts, CURLUPART_SCHEME);
    const char *host = part_of(arena, parts, CURLUPART_HOST);

    if (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0)
        return "begins neither with https:// nor, on this machine, with http://";
    if (*host == '\0')
        return "names no host";
    if (strcmp(scheme, "http") == 0 && !is_here(host))
        return "would send its secret in the open: https:// is needed for other machines";
    return NULL;
}

static const char *read_url(struct arena *arena, CURLU *parts, const char *url, const char **ret_url)
{
    CURLUcode code = curl_url_set(parts, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
    const char *fault;

    if (code != CURLUE_OK)
        return code == CURLUE_NO_HOST ? "names no host" : "is none that curl reads";
    fault = fault_of(arena, parts);
    /* What stands behind '#' is never sent, nor would be what is added behind it. */
    if (fault == NULL && curl_url_set(parts, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK)
        *ret_url = part_of(arena, parts, CURLUPART_URL);
    return fault != NULL || **ret_url != '\0' ? fault : "is none that curl reads";
}

const char *alert_url_read(struct arena *arena, const char *url, const char **ret_url)
{
    CURLU *parts;
    const char *fault;

    *ret_url = "";
    if (strlen(url) > LONGEST)
        return "is longer than 8,192 characters";
    for (const char *at = url; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7F || *at == '"' || *at == '\\')
            return "has a character that no URL has";
    parts = curl_url();
    if (parts == NULL)
        return "cannot be read: out of memory";
    fault = read_url(arena, parts, url, ret_url);
    curl_url_cleanup(parts);
    return fault;
}
