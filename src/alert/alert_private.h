/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ALERT_PRIVATE_H
#define ASSAY_ALERT_PRIVATE_H

#include "assay/alert/alert.h"

/* Of a word that the schema lets through. */
enum alert_kind alert_kind_named(const char *name);

/* The URL as curl means it, in the arena: NULL. Or what is wrong with it, which never says the URL itself: it is a secret. In
   the open (http://) it leads to this machine only. */
const char *alert_url_read(struct arena *arena, const char *url, const char **ret_url);

#endif
