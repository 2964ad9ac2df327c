# SPDX-License-Identifier: Apache-2.0
# usage: [every_s=N] sh samples.sh
# A line of each GPU every so many seconds until it is ended; src/check/samples.c reads them. nvidia_smi is a function
# that assay puts before it and that replaces its shell, so that what is ended is the tool.
. "$(dirname "$0")/nvidia_smi.sh"
# Drivers before 535 know the reasons by their old name only.
r=clocks_event_reasons.active
(nvidia_smi --query-gpu=$r --format=csv) >/dev/null 2>&1 || r=clocks_throttle_reasons.active
nvidia_smi --query-gpu=timestamp,index,temperature.gpu,temperature.memory,power.draw,clocks.sm,pcie.link.gen.current,utilization.gpu,$r,clocks.max.sm,enforced.power.limit --format=csv,noheader,nounits -l "${every_s:=2}"
