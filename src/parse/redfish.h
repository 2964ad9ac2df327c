/* SPDX-License-Identifier: Apache-2.0 */
/* What single documents of Redfish say, for parse_redfish.c. */
#ifndef ASSAY_PARSE_REDFISH_H
#define ASSAY_PARSE_REDFISH_H

#include "assay/base/json.h"
#include "assay/model/reading.h"

/* path: behind "/redfish/v1/", without a query and a '/' at its end: "Chassis/1/Power". Of a stranger's document any member
   may be missing or of another type; what then is not known is a fact redfish.unread of the path. */
void redfish_tell(struct reading *reading, const char *path, const struct json *document);
/* Of that path, why something is not known. */
void redfish_unread(struct reading *reading, const char *path, const struct reason *why);

#endif
