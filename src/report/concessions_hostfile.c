/* SPDX-License-Identifier: Apache-2.0 */
/* What a hostfile keeps out of a delivery by what it does not declare: tests that need a word of it, and hosts that are spares. */
#include <string.h>

#include "assay/model/hostfile.h"
#include "concessions.h"

static size_t hosts_to_accept(const struct hostfile *hostfile)
{
    size_t count = 0;

    for (size_t i = 0; i < hostfile->hosts.count; i++)
        count += hostfile->hosts.items[i].role == ROLE_COMPUTE;
    return count;
}

/* Every host has a root file system, and those of its kernel: who names no other mount has declared none. */
static bool declares_mounts(const struct host *host)
{
    static const char *const of_every_host[] = {"proc", "sys", "dev", "run", "boot"};
    const char *rest = host->mounts != NULL ? host->mounts : "";

    for (rest += strspn(rest, "/.,"); *rest != '\0'; rest += strspn(rest, "/.,")) {
        struct slice mount = {rest, strcspn(rest, ",")}, first = {rest, strcspn(rest, "/,")};
        bool known = false;

        for (size_t i = 0; i < ARRAY_SIZE(of_every_host); i++)
            known |= slice_equal(first, of_every_host[i]);
        if (!known)
            return true;
        rest += mount.length;
    }
    return false;
}

/* Whether the step would be for the host, or for as many as there are, were the word there that the hostfile lacks. On the
   other kind of fabric, and over fewer hosts, there is nothing to declare. The word to add; NULL: it waits for none. */
static const char *word_it_waits_for(const struct json *when, const struct host *host, size_t hosts)
{
    const char *fabric = host->fabric != NULL ? host->fabric : "infiniband";

    if (strcmp(json_string(when, "fabric", fabric), fabric) != 0 ||
        (double)hosts < json_number(when, "hosts_min", 0) ||
        (double)hosts > json_number(when, "hosts_max", (double)hosts) ||
        (double)hosts < json_number(when, "leaves_min", 0))
        return NULL;
    return json_get(when, "bmc") != NULL && host->without_bmc                     ? "bmc="
           : json_get(when, "mounts") != NULL && !declares_mounts(host)           ? "mounts="
           : json_get(when, "object_store") != NULL && host->object_store == NULL ? "object_store="
           : json_get(when, "uplinks") != NULL && host->uplinks == NULL           ? "uplinks="
           : json_get(when, "lines") != NULL && host->lines.count == 0            ? "line.NAME="
           : json_get(when, "probe") != NULL && host->probe == NULL               ? "probe=gpu"
           : json_get(when, "cabling") != NULL && host->rails.count == 0          ? "rail.HCA="
           : json_get(when, "leaves_min") != NULL && *host->leaf == '\0'          ? "leaf="
                                                                                  : NULL;
}

static const char *undeclared_word(const struct suite_step *step, const struct hostfile *hostfile)
{
    size_t hosts = hosts_to_accept(hostfile);
    const char *word = NULL;

    for (size_t i = 0; step->when != NULL && word == NULL && i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE)
            word = word_it_waits_for(step->when, &hostfile->hosts.items[i], hosts);
    return word;
}

static bool is_tested(const struct plan *plan, const char *host)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < plan->steps.items[i].member_count; k++)
            if (strcmp(plan->steps.items[i].members[k]->name, host) == 0)
                return true;
    return false;
}

static void add_name(struct arena *arena, const char **names, const char *name)
{
    *names = *names != NULL ? arena_printf(arena, "%s, %s", *names, name) : name;
}

void concessions_of_hostfile(struct arena *arena, const struct plan *plan, const struct hostfile *hostfile,
                             const struct suite *suite, struct concessions *concessions)
{
    LIST_OF(const char *) spares = {0};

    for (size_t i = 0; i < suite->steps.count; i++) {
        const char *word = undeclared_word(&suite->steps.items[i], hostfile);

        if (word != NULL)
            add_name(arena, &concessions->undeclared,
                     arena_printf(arena, "%s (%s)", suite->steps.items[i].name, word));
    }
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_SPARE && !is_tested(plan, hostfile->hosts.items[i].name))
            *list_push(arena, &spares) = hostfile->hosts.items[i].name;
    concessions->spares = spares.count;
    if (spares.count > 0)
        concessions->spare_names = hostlist_fold(arena, spares.items, spares.count);
}
