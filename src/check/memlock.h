/* SPDX-License-Identifier: Apache-2.0 */
/* What sh/memlock.sh says of locked memory where it will do. */
#ifndef ASSAY_CHECK_MEMLOCK_H
#define ASSAY_CHECK_MEMLOCK_H

#define MEMLOCK_WORDS "unlimited|unlimited (CAP_IPC_LOCK)"

#endif
