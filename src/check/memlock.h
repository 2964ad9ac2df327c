/* SPDX-License-Identifier: Apache-2.0 */
/* What sh/memlock.sh says of locked memory where it will do. */
#ifndef ASSAY_CHECK_MEMLOCK_H
#define ASSAY_CHECK_MEMLOCK_H

#define MEMLOCK_WORDS "unlimited|unlimited (CAP_IPC_LOCK)"
/* For a preflight: what makes it so. */
#define MEMLOCK_COMMAND                                                  \
    "printf '* soft memlock unlimited\\n* hard memlock unlimited\\n' | " \
    "sudo tee /etc/security/limits.d/assay.conf"

#endif
