# SPDX-License-Identifier: Apache-2.0
# usage: sh fabric_manager.sh
# systemctl status of Fabric Manager. It exits 3 when the unit is not active, and 4 when there is none, which it says on
# stderr: that is an answer, not a failure to answer.
systemctl status nvidia-fabricmanager --no-pager --full --lines=0 2>&1
rc=$?
[ $rc -eq 3 ] || [ $rc -eq 4 ] || exit $rc
