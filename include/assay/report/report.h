/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: what changes hands. Pure: a record in, bytes out; the same record gives the same bytes. What hosts
 * printed is escaped everywhere. Nothing is fetched from outside when a report is opened.
 */
#ifndef ASSAY_REPORT_H
#define ASSAY_REPORT_H

#include "assay/base/error.h"
#include "assay/base/json.h"
#include "assay/base/text.h"
#include "assay/model/acceptance.h"
#include "assay/model/compare.h"
#include "assay/model/history.h"
#include "assay/model/reason.h"
#include "assay/model/record.h"
#include "assay/periodic/periodic.h"
#include "assay/worth/worth.h"

/* "en", "zh", also with region and character set as locales have them: "zh-CN", "zh_CN.UTF-8". Not "zh-TW", which is written
   otherwise, and no other character set than UTF-8. */
bool report_language_find(const char *name, enum report_language *ret_language);

struct report_format {
    const char *name;      /* "html" */
    const char *extension; /* ".html" */
    const char *help;
    void (*write)(const struct record *record, enum report_language language, struct text *out);
};

/* What is on paper only where it is asked for, so that a report of any size can be printed: bits of record->appendices. */
enum { APPENDIX_HOSTS = 1, APPENDIX_EVIDENCE = 2, APPENDIX_HARDWARE = 4, APPENDIX_COMMANDS = 8 };
struct appendix_row {
    const char *name; /* "hosts" */
    unsigned bit;
};
size_t report_appendices(const struct appendix_row **ret_rows);

/* Whether a report shows this fact of a part that the tool wrote: the others of parts need not be loaded. */
bool report_rests_on(const char *tool, const char *fact);

const struct report_format *report_format_find(const char *name);
const struct report_format *report_format_list(size_t *ret_count);

/*
 * What the first page says, shared by all formats and by the end of `assay run`: failures grouped so that one
 * fault is one entry, worst first.
 */
enum report_extent {
    EXTENT_PARTS, /* what the entry names is at fault, as far as one knows */
    EXTENT_HOST,  /* all parts of the host miss a limit: what they share is */
    EXTENT_RUN    /* all that were measured in the run do: the limit is wrong, or the whole cluster is */
};
struct report_entry {
    enum outcome_word word;
    enum report_extent extent;
    bool
        not_asked; /* all that --steps left out of this run, in one entry: not run, and nothing is wrong with it */
    size_t step;
    const struct reason *target;   /* "node3", "8 hosts: node[1-8]" */
    const char *check;             /* the step's name */
    const struct reason *subjects; /* "gpu2->gpu5, gpu5->gpu2"; NULL the target as a whole */
    const struct reason *cause, *remedy;
    const struct reason *gate, *source;
    const struct reason *waiver;     /* of a fail that one covers: who, why, until when; NULL */
    size_t items;                    /* outcomes in this entry */
    const struct outcome **outcomes; /* these, in plan order; each gate that did not pass is in one entry */
    const struct accusation
        *accusation; /* of whom isolation names, and then there are no outcomes; else NULL */
};
/*
 * Entries for all gates that did not pass, in the arena: fail, then inconclusive, then not run. Before all of them
 * stands whom isolation names, and the tests that it made slow point there.
 *
 * A limit that all parts of a host miss is one entry of that host, and one that nothing in the run meets is one of them all.
 * Other failures of one step fold by the part that they point to: the items of one GPU, the two directions of one GPU pair, all
 * pairs of a GPU that is slow towards several others, one metric that fails alike on most GPUs. Equal entries
 * fold over hosts. What could not be decided folds by its cause; what was not run also over the steps of one
 * target; all that --steps left out is one entry.
 */
size_t report_entries(struct arena *arena, const struct record *record, struct report_entry **ret_entries);

/*
 * The answer, for all forms and the end of `assay run`: one line for each cause, what is to be fixed first, then what is
 * open, then what is waived; and how many hosts are fit. In the language, all in the arena. The headline is "" where
 * nothing was judged.
 */
struct report_line {
    enum outcome_word word;
    bool waived;
    enum report_extent extent;
    const char *target;         /* "node[150-152]" */
    const char *part;           /* "GPU 4"; "" the host as a whole */
    const char *marks;          /* "serial 1654476904161"; "" nothing is known of what is printed on it */
    const char *problem;        /* "GPU 4 computes wrong results: 137 errors in gpu_burn" */
    const struct reason *hands; /* who acts, as the pages of repair say it; NULL: none does */
    const char *remedy;         /* or by whom it is waived */
    size_t blocked;             /* gates that were not run because of it */
    bool not_asked;             /* nothing is wrong: what --steps left out */
    bool stopped;               /* not a fault: the run was stopped before */
};
size_t report_answer(struct arena *arena, const struct record *record, enum report_language language,
                     struct report_line **ret_lines, const char **ret_headline);

/* The text report's beginning: the verdict, units, and what is to be fixed or settled, up to a screen or two. */
void report_summary(const struct record *record, enum report_language language, struct text *out);

/* What a vendor is written about one host of a run, as plain text: what failed there, with the numbers and what was required,
   and which parts it has, by their serial numbers. Nothing of other hosts but of tests that they ran together. */
void report_letter(struct arena *arena, const struct record *record, const struct host *host,
                   enum report_language language, struct text *out);

/* What stands on top of a report of hosts whose time runs so many times as fast, and in the place of its lines to sign; NULL: of 1. Their
   tests were that much shorter, so nobody can sign what they showed. */
const struct reason *simulated_sentence(struct arena *arena, double timescale);

/* How much less these documents ask for than those that are built in, or than a hostfile that declares all; NULL: no less,
   or nobody signs it. judged_by: what it was judged by in their place; NULL: nothing. */
const struct reason *caveat_of_documents(struct arena *arena, const struct plan *plan,
                                         const struct documents *documents,
                                         const struct documents *judged_by);
/* A row of "Not judged" of a report: what its caveat points to, and the rest. */
struct not_judged {
    const char *kind;            /* for programs: "weaker_limit" */
    const char *step, *metric;   /* "": every test; the whole step */
    const char *platform;        /* "": any */
    const struct reason *detail; /* NULL: there is none */
    const char *line;            /* all of it, as the text of a report has it */
    bool conceded;               /* the documents ask for less than what is built in */
};
/* Of a run, or of one that is only planned. */
size_t report_not_judged(struct arena *arena, const struct record *record, enum report_language language,
                         struct not_judged **ret_rows);
/*
 * What has to stand beside the verdict of a run that may be accepted, or of an acceptance, and of a soak that it was shorter
 * than the built-in one, or hastened; NULL: nothing. Of a record without attempts, a plan, it is what is known before the run.
 * How much less its documents ask for; what nobody has a limit for; that it was judged again by other documents than its own;
 * what passed only when it was tried again; which deliveries before it were rejected, waived or broken off, as far as
 * record->earlier, or the acceptance's others, tell. The report lists the first two under "Not judged".
 */
const struct reason *caveat_of_run(struct arena *arena, const struct record *record);
const struct reason *caveat_of_acceptance(struct arena *arena, const struct acceptance *acceptance);

/* Acceptances: the same, of an acceptance that was judged, with its story. */
struct acceptance_format {
    const char *name; /* "html", "text", "json" (schema 1) */
    void (*write)(const struct acceptance *acceptance, enum report_language language, struct text *out);
};
const struct acceptance_format *acceptance_format_find(const char *name);
/* What is not passed, failed first, equal lines folded over hosts, and over steps of the same hosts; and everything that ever failed, with what each run
   showed of it. In the arena. */
struct acceptance_line {
    enum requirement_state state;
    const char *step;             /* "ecc", "ecc, nccl-all-gather" */
    const struct reason *targets; /* "node3", "4 hosts: node[5-8]" */
    const struct reason *why;
    size_t count;
};
size_t acceptance_lines(struct arena *arena, const struct acceptance *acceptance,
                        struct acceptance_line **ret_lines);
size_t acceptance_retests(struct arena *arena, const struct acceptance *acceptance,
                          struct acceptance_line **ret_lines);
/* "accept with exceptions: 2 waived"; "12 passed, 0 waived, ..." */
const struct reason *acceptance_verdict_text(struct arena *arena, const struct acceptance *acceptance);
const struct reason *acceptance_counts_text(struct arena *arena, const struct acceptance_verdict *verdict);
/* Runs that were left out, and the command that adds them; NULL when there are none. */
const struct reason *acceptance_left_out_text(struct arena *arena, const struct acceptance *acceptance);
/* "run 3: ...", of the conflict with this index. */
const struct reason *acceptance_conflict_text(struct arena *arena, const struct acceptance *acceptance,
                                              size_t conflict);

/* "node5", "leaf l2", "path node3 - node7". */
const struct reason *accused_text(struct arena *arena, const struct accusation *accusation);
/* What it did and how that is known, as one sentence for people. */
const struct reason *accusation_text(struct arena *arena, const struct record *record,
                                     const struct accusation *accusation);

/* Several runs: who gets worse, and the numbers of what is chosen. */
struct history_choice {
    const char *name;   /* identity, "node5" or "node5 gpu3"; NULL: all */
    const char *metric; /* NULL: all */
};
bool history_subject_chosen(const struct history_findings *findings, const struct history_choice *choice,
                            size_t subject);
/* With no choice made: what gets worse. */
bool history_chosen(const struct history_findings *findings, const struct history_choice *choice,
                    size_t series);
/* "gpu-burn gpu_burn.gflops: -4.2% over 7 runs, ..." */
const char *history_finding_text(struct arena *arena, const struct history *history,
                                 const struct history_findings *findings,
                                 const struct history_finding *finding);
/* "/var/log grew by 12.4 GiB since run 6, to 31.0 GiB; ..." */
const char *history_growth_text(struct arena *arena, const struct history *history,
                                const struct history_growth *growth);
void report_history_text(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct history_choice *choice,
                         struct text *out);
void report_history_json(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct history_choice *choice,
                         struct text *out);
/* The same as a value inside of another document. */
void report_history_put(struct arena *arena, const struct history *history,
                        const struct history_findings *findings, const struct history_choice *choice,
                        struct json_writer *json);
void report_history_svg(struct arena *arena, const struct history *history,
                        const struct history_findings *findings, const struct history_choice *choice,
                        struct text *out);

/* Two runs: history and findings are of just these. */
void report_compare_text(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct comparison *comparison,
                         struct text *out);
void report_compare_json(struct arena *arena, const struct history *history,
                         const struct history_findings *findings, const struct comparison *comparison,
                         struct text *out);

/* What the cluster of a run is worth, as an answer says it; measured is what the run has. */
void report_worth_text(struct arena *arena, const struct record *record,
                       const struct worth_measured *measured, const struct worth_answer *answer,
                       enum report_language language, struct text *out);
/* Schema 1; null is what was not measured, or not asked. */
void report_worth_json(struct arena *arena, const struct record *record,
                       const struct worth_measured *measured, const struct worth_answer *answer,
                       struct text *out);

/* A contract as a table for both parties, with a place in each row for what they agree on. The file is told by its SHA-256. */
void report_contract_html(const struct contract *contract, enum report_language language, struct text *out);
void report_contract_text(const struct contract *contract, enum report_language language, struct text *out);

/* Which tests to repeat tonight. */
struct report_periodic {
    const struct periodic_fleet *fleet;
    const struct periodic_rates *rates;
    const struct periodic_choice *choice;
    struct periodic_tonight tonight;
    LIST_OF(const char *) commands; /* one a group; none: no suite was written */
};
void report_periodic_text(struct arena *arena, const struct report_periodic *periodic,
                          enum report_language language, struct text *out);
/* Schema 1. */
void report_periodic_json(struct arena *arena, const struct report_periodic *periodic, struct text *out);

/* What a host printed, as text for people: a line for each time that a tool began one, what steers a terminal as U+FFFD. A
   line of ours that begins with '#' is a heading; the mark around a part is one too, without its secret. */
/* "# run 6, gpu-burn, attempt 1 on node3: ran, exit status 0" */
void output_heading(const struct record *record, const struct attempt *attempt, struct text *out);
/* Of one that is too long to be kept whole its head and its tail; of one that broke off that it did. The bytes are loaded. */
void output_capture(const struct capture *capture, struct text *out);
/* One line of it, and the next of what is left. */
void output_line(struct slice line, struct text *out);
bool output_next_line(struct slice *rest, struct slice *ret_line);

/* "1h 02m 03s", "3.2 s". */
const char *duration_text(struct arena *arena, double seconds);
/* "2026-03-01 12:00:00 UTC". */
const char *time_text(struct arena *arena, double unix_time);
/* The verdict that reports show of the run: the judgement's word, unless its own outcomes forbid it. */
enum verdict_word report_verdict(const struct record *record);
/* "imported 2026-03-01 12:00:00 UTC from b.tar.zst, unsigned": how another party's run came here, in one line. */
const struct reason *run_origin_said(struct arena *arena, const struct run_origin *origin);
/* The same in English. */
const char *run_origin_text(struct arena *arena, const struct run_origin *origin);

#endif
