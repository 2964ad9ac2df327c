/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on an HCA's port and can be carried away: its transceiver, and the switch port at the other end. */
#ifndef ASSAY_REPORT_PORTS_H
#define ASSAY_REPORT_PORTS_H

#include "language.h"
#include "view.h"

/* "transceiver MMA4Z00-NS400, serial MT23000103FT, switch port l1r3:2", as far as the run read it and the hostfile says it,
   and where the run did not see that it is plugged in there, or saw it elsewhere: "declared switch port l1r2:5, seen at MF0;l1r3 port 5",
   of "mlx5_3" or "mlx5_3/1"; "" where neither does, or it is no HCA. */
const char *port_text(struct arena *arena, enum report_language language, const struct view *view,
                      const struct host *host, const char *part);

#endif
