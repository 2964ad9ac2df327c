/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_JUDGE_ACCEPTANCE_PRIVATE_H
#define ASSAY_JUDGE_ACCEPTANCE_PRIVATE_H

#include "assay/model/acceptance.h"

/* acceptance_touch.c. What (enum concern of check.h, added up) is void behind a change, and behind an event. */
unsigned change_touches(enum item_kind kind);
unsigned event_touches(const struct acceptance_event *event);
/* Whether that is something that the check measures, on a host alone or with others. */
bool check_is_touched(unsigned touches, const char *check, bool alone);
/* Whether the event says of a thing of that kind that it may be another one since. */
bool event_records(const struct acceptance_event *event, enum item_kind kind);
/* What an event was about: its item by the name of its place; all of the host where it names none, or one that is
   neither gpu... nor mlx...: nobody knows then what it goes with. */
enum item_kind event_item_kind(const struct acceptance_event *event);

/* acceptance_changes.c: fills changes and conflicts of the acceptance. */
void find_changes(struct acceptance *acceptance);
/* Why what the run showed of the host is nobody's: its hardware changed while the run went on, or another host showed it too. NULL:
   it is the host's. */
const struct reason *conflict_of(const struct acceptance *acceptance, size_t run, const struct host *host);

/* acceptance_shown.c: fills `shown` of the requirements, those of one run behind those of the one before. */
void find_shown(struct acceptance *acceptance);
/* The worst of the step's gates in that run, of which `first` is the first outcome; whom isolation accuses failed. */
enum outcome_word shown_word(const struct record *record, size_t first, size_t step);

/* acceptance_void.c. Whether the step measures something that such work or change touches. */
bool step_is_touched(const struct step *step, unsigned touches);
/* What has made void what was shown of the requirement's step. NULL: nothing has. */
const struct reason *voided_by(const struct acceptance *acceptance, const struct step *step,
                               const struct shown *shown);
/* Since when what was `shown` is void (void_since). */
void find_voids(struct acceptance *acceptance);
/* The last pass that there was of it when that run ended, and that nothing had made void. NULL: there was none. */
struct shown *pass_at(const struct requirement *requirement, size_t run);

/* When it was sent, or began where nobody noted that. */
double attempt_asked(const struct attempt *attempt);

/* acceptance_looks.c: marks what was `shown` by last looks of a host that have nothing to be compared with (lone). */
void find_lone_looks(struct acceptance *acceptance);

/* acceptance_alone.c: marks what was `shown` of one host in a run without others that it is judged beside (lone). */
void find_without_company(struct acceptance *acceptance);

/* acceptance_unread.c: marks what was `shown` without what nobody in its run could read, and somebody in another could (lone). */
void find_unread(struct acceptance *acceptance);

/* acceptance_doubles.c: adds to the conflicts what two names showed in different runs, and only one can have. */
void find_doubles(struct acceptance *acceptance);

/* acceptance_asked.c: marks what was `shown` of another question than the acceptance's (asked). */
void find_asked_otherwise(struct acceptance *acceptance);

/* acceptance_peers.c: the misses of passes that were slow beside those of other hosts, in whichever runs. */
void compare_peers(struct acceptance *acceptance);
/* acceptance_same.c: the misses of passes with a value that most hosts never had, and must have in common. */
void compare_values(struct acceptance *acceptance);
/* What must be the same on all hosts, of what each showed last: fails those that have something else. */
void compare_all_hosts(struct acceptance *acceptance);
/* acceptance_crashes.c: the misses of hosts on which a test crashed or hung again and again, in whichever runs. */
void compare_crashes(struct acceptance *acceptance);

#endif
