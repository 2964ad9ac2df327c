/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ALERT_PRIVATE_H
#define ASSAY_ALERT_PRIVATE_H

#include "assay/alert.h"

/* Of a word that the schema lets through. */
enum alert_kind alert_kind_named(const char *name);

#endif
