/* SPDX-License-Identifier: Apache-2.0 */
/* What a stored run says, for whom it may concern. */
#ifndef ASSAY_APP_ALERT_NEWS_H
#define ASSAY_APP_ALERT_NEWS_H

#include "assay/alert/alert.h"
#include "assay/model/record.h"

/* Of each host and of each test over several hosts, with what the run is compared with in record->earlier;
   what grew is graded by the config. In the arena. */
int alert_news_of(struct arena *arena, const struct record *record, const struct alert_config *config,
                  struct alert_news *ret_news, struct error *err) __attribute__((warn_unused_result));

#endif
