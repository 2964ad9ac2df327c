# SPDX-License-Identifier: Apache-2.0
# The root of a simulated host's files is the lab's word alone; on any other host a variable of that name means nothing.
[ -n "$ASSAY_LAB_HOST" ] || unset ASSAY_LAB_ROOT
