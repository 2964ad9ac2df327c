/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/judge/derive_platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/base/json.h"
#include "assay/base/scan.h"
#include "assay/model/plan.h"

struct names {
    LIST_OF(const char *) items;
};

/* What the host said, by the readings of its attempts. */
struct host_said {
    struct arena *arena;
    LIST_OF(const struct reading *) readings; /* the last first */
};

struct found {
    unsigned gpus, links, generation, lanes;
    struct names models, pci_ids, hcas;
    double memory_mib, power_w, link_gbs, hca_gbits;
    bool nvswitch, fabric_state, retires_pages;
    const struct platform *twin; /* the built-in platform with the same parts; NULL: there is none */
};

static void hear(const struct record *record, const char *host, struct host_said *said)
{
    for (size_t i = record->attempts.count; i-- > 0;) {
        const struct attempt *attempt = &record->attempts.items[i];
        const struct step *step = &record->plan->steps.items[attempt->step];

        if (attempt->state == ATTEMPT_ENDED && step->member_count == 1 &&
            strcmp(step->members[0]->name, host) == 0 && attempt->reading.status == READING_COMPLETE)
            *list_push(said->arena, &said->readings) = &attempt->reading;
    }
}

static bool has_fact(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, name) == 0)
            return true;
    return false;
}

static bool has_metric(const struct reading *reading, const char *metric)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, metric) == 0)
            return true;
    return false;
}

/* The last reading that tells it; NULL: none does. */
static const struct reading *who_tells(const struct host_said *said, const char *name)
{
    for (size_t i = 0; i < said->readings.count; i++)
        if (has_fact(said->readings.items[i], name) || has_metric(said->readings.items[i], name))
            return said->readings.items[i];
    return NULL;
}

static void add_name(struct arena *arena, struct names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i], name) == 0)
            return;
    *list_push(arena, &names->items) = name;
}

/* The same number for everything that it is told of; NAN: nobody tells it. -1 where they differ. */
static int one_number(const struct host_said *said, const char *metric, double *ret_number, struct error *err)
{
    const struct reading *reading = who_tells(said, metric);

    *ret_number = NAN;
    for (size_t i = 0; reading != NULL && i < reading->measurements.count; i++) {
        const struct measurement *at = &reading->measurements.items[i];

        if (strcmp(at->metric, metric) != 0)
            continue;
        if (!isnan(*ret_number) && at->value != *ret_number)
            return error_set(err, ERROR_USAGE, "%s is %.6g of %s and %.6g before: this host is odd in itself",
                             metric, at->value, at->subject, *ret_number);
        *ret_number = at->value;
    }
    return 0;
}

static int needed_number(const struct host_said *said, const char *metric, const char *check,
                         double *ret_number, struct error *err)
{
    if (one_number(said, metric, ret_number, err) < 0)
        return -1;
    if (isnan(*ret_number) || *ret_number <= 0)
        return error_set(err, ERROR_USAGE, "no reading of this host has %s; the check %s reads it", metric,
                         check);
    return 0;
}

/* "NVIDIA Corporation GA100 [A100 SXM4 80GB] [10de:20b2] (rev a1)" -> "10de:20b2"; NULL: there is no such. */
static const char *pci_id(struct arena *arena, const char *text)
{
    const char *found = NULL;

    for (const char *at = strchr(text, '['); at != NULL; at = strchr(at + 1, '['))
        if (strspn(at + 1, "0123456789abcdef") == 4 && at[5] == ':' &&
            strspn(at + 6, "0123456789abcdef") == 4 && at[10] == ']')
            found = at + 1;
    return found != NULL ? arena_strndup(arena, found, 9) : NULL;
}

/* What lspci has of NVIDIA's: GPUs, and bridges, which are NVSwitches. */
static int find_pci(const struct host_said *said, struct found *found, struct error *err)
{
    const struct reading *pci = who_tells(said, "pci.gpu");
    const char *listed = pci != NULL ? reading_get_fact(pci, "pci.gpu.count", "") : NULL;

    for (size_t i = 0; pci != NULL && i < pci->facts.count; i++) {
        const struct fact *fact = &pci->facts.items[i];
        const char *class = reading_get_fact(pci, "pci.class", fact->subject), *id;

        if (strcmp(fact->name, "pci.name") != 0 || (id = pci_id(said->arena, fact->value)) == NULL)
            continue;
        if (reading_get_fact(pci, "pci.gpu", fact->subject) != NULL)
            add_name(said->arena, &found->pci_ids, id);
        else
            found->nvswitch |=
                strncmp(id, "10de:", 5) == 0 && class != NULL && slice_contains(slice_of(class), "[0680]");
    }
    if (listed == NULL || found->pci_ids.items.count == 0)
        return error_set(
            err, ERROR_USAGE,
            "no complete reading of this host has its GPUs by lspci -nn; the check gpu-inventory reads them");
    if (strcmp(listed, arena_printf(said->arena, "%u", found->gpus)) != 0)
        return error_set(err, ERROR_USAGE,
                         "lspci lists %s GPUs and nvidia-smi %u: this host is odd in itself", listed,
                         found->gpus);
    return 0;
}

/* In place of a row remapper. */
static bool retires_pages(const struct host_said *said)
{
    const struct reading *ecc = who_tells(said, "retired_pages.pending");
    const char *retired = ecc != NULL ? reading_get_fact(ecc, "retired_pages.pending", "gpu0") : NULL,
               *remapped = ecc != NULL ? reading_get_fact(ecc, "remapped_rows.pending", "gpu0") : NULL;

    return retired != NULL && remapped != NULL && strcmp(remapped, "N/A") == 0 && strcmp(retired, "N/A") != 0;
}

static int find_gpus(const struct host_said *said, struct found *found, struct error *err)
{
    const struct reading *smi = who_tells(said, "gpu.name"), *fabric = who_tells(said, "fabric.state");
    struct names gpus = {0}; /* several tools of one check may name them */

    if (smi == NULL)
        return error_set(err, ERROR_USAGE,
                         "no complete reading of this host has its GPUs; the check gpu-inventory reads them");
    for (size_t i = 0; i < smi->facts.count; i++)
        if (strcmp(smi->facts.items[i].name, "gpu.name") == 0) {
            add_name(said->arena, &found->models, smi->facts.items[i].value);
            add_name(said->arena, &gpus, smi->facts.items[i].subject);
        }
    found->gpus = (unsigned)gpus.items.count;
    if (found->models.items.count > 1)
        return error_set(err, ERROR_USAGE,
                         "it has GPUs of several models, %s and %s: this host is odd in itself",
                         found->models.items.items[0], found->models.items.items[1]);
    for (size_t i = 0; fabric != NULL && i < fabric->facts.count; i++)
        found->fabric_state |= strcmp(fabric->facts.items[i].name, "fabric.state") == 0 &&
                               strcmp(fabric->facts.items[i].value, "N/A") != 0;
    if (find_pci(said, found, err) < 0 ||
        needed_number(said, "gpu.memory_total", "gpu-inventory", &found->memory_mib, err) < 0 ||
        needed_number(said, "gpu.power_limit_default", "gpu-inventory", &found->power_w, err) < 0)
        return -1;
    found->nvswitch |= found->fabric_state;
    found->retires_pages = retires_pages(said);
    return 0;
}

/* Links that are down count as none, and would be owed by nobody. */
static int all_links_are_up(const struct host_said *said, struct error *err)
{
    const struct reading *reading = who_tells(said, "nvlink.link.state");

    for (size_t i = 0; reading != NULL && i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, "nvlink.link.state") == 0 &&
            strcmp(reading->facts.items[i].value, "active") != 0)
            return error_set(err, ERROR_USAGE,
                             "NVLink %s is %s: fix it, or write the platform by hand if this is intended",
                             reading->facts.items[i].subject, reading->facts.items[i].value);
    return 0;
}

static int find_links(const struct host_said *said, struct found *found, struct error *err)
{
    double links, speed, generation, lanes;

    if (all_links_are_up(said, err) < 0)
        return -1;
    if (one_number(said, "nvlink.link.active", &links, err) < 0 ||
        one_number(said, "nvlink.link.speed", &speed, err) < 0 ||
        needed_number(said, "pcie.generation.max", "gpu-inventory", &generation, err) < 0 ||
        needed_number(said, "pcie.width.max", "gpu-inventory", &lanes, err) < 0)
        return -1;
    found->links = links > 0 ? (unsigned)links : 0;
    found->link_gbs = found->links > 0 && speed > 0 ? speed : 0;
    found->generation = (unsigned)generation;
    found->lanes = (unsigned)lanes;
    if (isnan(links))
        return error_set(err, ERROR_USAGE,
                         "no complete reading of this host has its NVLinks; the check nvlink reads them");
    return 0;
}

/* mlx5_2 before mlx5_10. */
static int compare_hcas(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    size_t left_word = strcspn(left, "_"), right_word = strcspn(right, "_");
    long order = left_word == right_word && strncmp(left, right, left_word) == 0 && left[left_word] != '\0'
                     ? strtol(left + left_word + 1, NULL, 10) - strtol(right + right_word + 1, NULL, 10)
                     : 0;

    return order != 0 ? (order > 0) - (order < 0) : strcmp(left, right);
}

/* Whether it stands among the names, with commas between them. */
static bool is_named(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name))
        if ((at == names || strchr(", ", at[-1]) != NULL) && strchr(", ", at[length]) != NULL)
            return true;
    return false;
}

/* One that is slower, or not active, is one of storage or management, or a fault of this host: somebody has to say. */
static int find_hcas(const struct host_said *said, const char *without, struct found *found,
                     struct platform_notes *notes, struct error *err)
{
    const struct reading *ports = who_tells(said, "ib.rate");

    for (size_t i = 0; ports != NULL && i < ports->measurements.count; i++) {
        const struct measurement *at = &ports->measurements.items[i];

        if (strcmp(at->metric, "ib.rate") == 0 &&
            !is_named(without, arena_strndup(said->arena, at->subject, strcspn(at->subject, "/"))))
            found->hca_gbits = fmax(found->hca_gbits, at->value);
    }
    for (size_t i = 0; ports != NULL && i < ports->measurements.count; i++) {
        const struct measurement *at = &ports->measurements.items[i];
        const char *state = reading_get_fact(ports, "ib.state", at->subject);
        const char *hca = arena_strndup(said->arena, at->subject, strcspn(at->subject, "/"));

        if (strcmp(at->metric, "ib.rate") != 0 || is_named(without, hca))
            continue;
        if (at->value < found->hca_gbits || state == NULL || strcmp(state, "Active") != 0)
            return error_set(
                err, ERROR_USAGE,
                "%s is %s at %.6g Gb/s, and others carry %.6g: fix it and derive from a run after that, or "
                "leave it out by --without %s if it is not a compute HCA",
                hca, state != NULL ? state : "in no known state", at->value, found->hca_gbits, hca);
        add_name(said->arena, &found->hcas, hca);
    }
    if (found->hcas.items.count > 0)
        qsort(found->hcas.items.items, found->hcas.items.count, sizeof(char *), compare_hcas);
    *list_push(said->arena, &notes->items) =
        ports == NULL ? "no HCA is known: the check ib-port reads them"
                      : "HCAs are in the order of their numbers; put them into the order of the rails";
    return 0;
}

static void put_names(struct json_writer *writer, const char *key, const struct names *names)
{
    json_member_array(writer, key);
    for (size_t i = 0; i < names->items.count; i++)
        json_put_string(writer, names->items.items[i]);
    json_close_array(writer);
}

static void put_parts(struct json_writer *writer, const struct found *found)
{
    json_member_object(writer, "gpus");
    json_member_number(writer, "count", found->gpus);
    put_names(writer, "models", &found->models);
    put_names(writer, "pci_ids", &found->pci_ids);
    json_member_number(writer, "memory_gib", floor(found->memory_mib / 1024));
    if (found->retires_pages) {
        json_member_boolean(writer, "row_remapper", false);
    }
    json_member_number(writer, "power_limit_w", found->power_w);
    json_close_object(writer);
    json_member_object(writer, "nvlink");
    json_member_number(writer, "links", found->links);
    if (found->link_gbs > 0)
        json_member_number(writer, "link_gbs", found->link_gbs);
    if (found->twin != NULL && found->twin->nvlink_ceiling_gbs > 0)
        json_member_number(writer, "ceiling_gbs", found->twin->nvlink_ceiling_gbs);
    if (found->twin != NULL && found->twin->nvlink_domain_hosts > 0)
        json_member_number(writer, "domain_hosts", found->twin->nvlink_domain_hosts);
    json_close_object(writer);
    json_member_object(writer, "pcie");
    json_member_number(writer, "generation", found->generation);
    json_member_number(writer, "lanes", found->lanes);
    json_close_object(writer);
    json_member_boolean(writer, "nvswitch", found->nvswitch);
    json_member_boolean(writer, "fabric_state", found->fabric_state);
    if (found->twin != NULL && found->twin->driver_minimum != NULL)
        json_member(writer, "driver_minimum", found->twin->driver_minimum);
    if (found->hcas.items.count == 0)
        return;
    json_member_object(writer, "hcas");
    put_names(writer, "names", &found->hcas);
    json_member_number(writer, "gbits", found->hca_gbits);
    json_close_object(writer);
}

static void put_document(struct arena *arena, const struct record *record, const char *host, const char *name,
                         const struct found *found, struct text *out)
{
    const time_t started = (time_t)record->started;
    struct json_writer writer;
    struct tm day;
    char date[16] = "?";

    if (gmtime_r(&started, &day) != NULL)
        (void)strftime(date, sizeof date, "%Y-%m-%d", &day);
    json_writer_init(&writer, out, false);
    json_open_object(&writer);
    json_member(&writer, "name", name);
    json_member(&writer, "title", arena_printf(arena, "%u x %s", found->gpus, found->models.items.items[0]));
    json_member(
        &writer, "source",
        arena_printf(arena, "what host %s said of itself in run %s of %s%s%s", host, record->uuid, date,
                     found->twin != NULL ? "; the oldest driver, and what NVLinks carry by datasheet: as "
                                         : "",
                     found->twin != NULL ? found->twin->name : ""));
    if (found->twin != NULL)
        json_member(&writer, "like", found->twin->name);
    put_parts(&writer, found);
    json_close_object(&writer);
    text_put(out, "\n");
}

/* Of a host that is of a known kind the limits are known. */
static const struct platform *twin_of(struct arena *arena, const char *name, const struct found *found)
{
    struct platform itself = {
        .name = name, .gpu_count = found->gpus, .nvlink_links = found->links, .nvswitch = found->nvswitch};

    *list_push(arena, &itself.gpu_models) = found->models.items.items[0];
    return platform_twin(arena, &itself);
}

static void add_notes(struct arena *arena, const struct found *found, struct platform_notes *notes)
{
    if (found->twin != NULL) {
        *list_push(arena, &notes->items) = arena_printf(
            arena, "its GPUs, NVLinks and NVSwitches are those of %s, whose limits hold for it (\"like\")%s",
            found->twin->name,
            found->twin->hca_count == found->hcas.items.count && found->twin->hca_gbits == found->hca_gbits
                ? ""
                : "; those of several hosts do not: it has other HCAs");
        return;
    }
    if (found->links > 0)
        *list_push(arena, &notes->items) = "no host says what its NVLinks carry by datasheet: "
                                           "nvlink.ceiling_gbs. Where no baseline has a limit, gates are "
                                           "computed from it, and without it a delivery is refused";
    *list_push(arena, &notes->items) = "no host says the oldest driver that will do: driver_minimum";
}

int platform_derive(struct arena *arena, const struct record *record, const char *host, const char *without,
                    const char *name, struct text *out, struct platform_notes *ret_notes, struct error *err)
{
    struct host_said said = {.arena = arena};
    struct found found = {0};

    *ret_notes = (struct platform_notes){0};
    hear(record, host, &said);
    if (said.readings.count == 0)
        return error_set(err, ERROR_USAGE, "run %lld has nothing of host '%s' alone that was read in full",
                         record->number, host);
    if (find_gpus(&said, &found, err) < 0 || find_links(&said, &found, err) < 0 ||
        find_hcas(&said, without, &found, ret_notes, err) < 0)
        return -1;
    found.twin = twin_of(arena, name, &found);
    add_notes(arena, &found, ret_notes);
    put_document(arena, record, host, name, &found, out);
    return 0;
}
