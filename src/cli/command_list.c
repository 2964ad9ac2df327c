/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "assay/report/report.h"
#include "cli.h"

static void print_runs(struct store *store, struct arena *arena, const struct run_summary *runs, size_t count)
{
    cli_print("%5s  %-23s  %-11s  %-22s  %-10s  %5s  %5s  %-14s  %s\n", "run", "started", "state", "verdict",
              "kind", "hosts", "steps", "suite", "hostfile");
    for (size_t i = 0; i < count; i++) {
        struct standing standing;

        if (runs[i].damage != NULL) {
            cli_print("%5lld  %-23s  %-11s  %-22s  %-10s  it cannot be read: %s\n", runs[i].number,
                      time_text(arena, runs[i].started), "damaged", "-", "-", runs[i].damage);
            continue;
        }
        standing = store_run_standing(store, runs[i].number);
        cli_print("%5lld  %-23s  %-11s  %-22s  %-10s  %5zu  %5zu  %-14s  %s%s\n", runs[i].number,
                  time_text(arena, runs[i].started), run_state_name(runs[i].state),
                  runs[i].judged ? standing_verdict(&standing, runs[i].verdict) : "-",
                  run_kind_name(standing.kind), runs[i].hosts, runs[i].steps, runs[i].suite, runs[i].hostfile,
                  runs[i].imported ? arena_printf(arena, "  (imported, made on %s)", runs[i].controller)
                                   : "");
    }
}

int command_list(int argc, char **argv)
{
    const char *db = NULL;
    unsigned limit = 0;
    const struct option_row rows[] = {
        CLI_DB_ROW(&db),
        {"limit", 'n', OPTION_COUNT, "N", &limit, "only the newest N"},
        OPTION_END,
    };
    struct error err = {0};
    struct run_summary *runs;
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    size_t count;
    int first, status;

    if (!cli_options(rows, "list", argc, argv, &first, &status))
        return status;
    arena = arena_create();
    store = store_open(cli_database(db), true, &err);
    if (store == NULL || store_list_runs(store, arena, limit, &runs, &count, &err) < 0) {
        status = cli_fail(&err);
    } else {
        print_runs(store, arena, runs, count);
        status = EXIT_ACCEPT;
    }
    return status;
}
