# SPDX-License-Identifier: Apache-2.0
# usage: [every_s=N] sh samples.sh
# A line of each GPU every so many seconds until it is ended; src/check/samples.c reads them. nvidia_smi is a function
# that assay puts before it and that replaces its shell, so that what is ended is the tool.
. "$(dirname "$0")/nvidia_smi.sh"
# Drivers before 535 know the reasons by their old name only, and older ones no T.Limit. A question may also fail for a moment: what it
# asks for is only done without where the tool has answered the same question otherwise.
r=clocks_event_reasons.active o=clocks_throttle_reasons.active t=,temperature.gpu.tlimit
knows() { (nvidia_smi --query-gpu="$1" --format=csv) >/dev/null 2>&1; }
knows "$r$t" || {
    if ! knows "$r" && knows "$o"; then r=$o; fi
    if ! knows "$r$t" && knows "$r" && ! knows "$r$t"; then t=; fi
}
nvidia_smi --query-gpu=timestamp,index,temperature.gpu,temperature.memory,power.draw,clocks.sm,pcie.link.gen.current,utilization.gpu,$r,clocks.max.sm,enforced.power.limit$t --format=csv,noheader,nounits -l "${every_s:=2}"
