/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/host_fields.h"

#include <string.h>

#include "assay/base/cleanup.h"

static const char *rails_text(struct arena *arena, const struct host *host)
{
    const char *text = "";

    for (size_t i = 0; i < host->rails.count; i++)
        text = arena_printf(arena, "%s%s%s=%s:%s", text, *text != '\0' ? " " : "", host->rails.items[i].hca,
                            host->rails.items[i].switch_name, host->rails.items[i].port);
    return text;
}

/* Only one of its own says anything. */
static const char *own_mpi_address(const struct host *host)
{
    bool own =
        host->mpi_address != NULL && host->address != NULL && strcmp(host->mpi_address, host->address) != 0;

    return own ? host->mpi_address : NULL;
}

static const char *lines_text(struct arena *arena, const struct host *host)
{
    const char *text = "";

    list_each (line, host->lines) {
        cleanup_free char *end = host_line_text(line);

        text = arena_printf(arena, "%s%s%s=%s", text, *text != '\0' ? " " : "", line->name, end);
    }
    return text;
}

void host_fields(struct arena *arena, const struct host *host, struct host_field ret_fields[HOST_FIELDS])
{
    const struct host_field all[HOST_FIELDS] = {
        {"platform", FIELD_QUESTION, host->platform},
        {"unit", FIELD_PLACE, host->unit},
        {"rack", FIELD_QUESTION, host->rack},
        {"leaf", FIELD_QUESTION, host->leaf},
        {"role", FIELD_PLACE, host->role == ROLE_SPARE ? "spare" : "compute"},
        {"slots", FIELD_QUESTION, arena_printf(arena, "%u", host->slots)},
        {"timescale", FIELD_QUESTION, arena_printf(arena, "%g", host->timescale)},
        {"rail", FIELD_QUESTION, rails_text(arena, host)},
        {"line", FIELD_QUESTION, lines_text(arena, host)},
        {"fabric", FIELD_QUESTION, host->fabric},
        {"mounts", FIELD_QUESTION, host->mounts},
        {"object_store", FIELD_QUESTION, host->object_store},
        {"uplinks", FIELD_QUESTION, host->uplinks},
        {"switch_counters", FIELD_QUESTION, host->switch_counters},
        {"probe", FIELD_QUESTION, host->probe},
        {"bmc", FIELD_PLACE, host_bmc_kind(host)},
        {"address", FIELD_MACHINE, host->address},
        {"mpi_address", FIELD_WAY, own_mpi_address(host)},
        {"user", FIELD_WAY, host->user},
        {"port", FIELD_WAY, arena_printf(arena, "%u", host->port)},
        {"identity", FIELD_WAY, host->identity},
        {"jump", FIELD_WAY, host->jump},
        {"transport", FIELD_WAY, host->transport},
        {"become", FIELD_WAY, host->become_root ? "sudo" : ""},
        {"bmc", FIELD_WAY, host->bmc},
    };

    for (size_t i = 0; i < HOST_FIELDS; i++) {
        ret_fields[i] = all[i];
        if (ret_fields[i].text == NULL || *ret_fields[i].text == '\0')
            ret_fields[i].text = "none";
    }
}
