# SPDX-License-Identifier: Apache-2.0
# usage: sh monitors.sh, as root
# A line for each program that asks the GPUs again and again, "dcgm-exporter (pid 4711)"; see src/check/monitors.h. The
# kernel keeps 15 letters of a program's name.
# shellcheck disable=SC2013 # no path of these has a blank
for f in $(grep -lsxE 'dcgm-exporter|nvidia_gpu_expo|nvtop|nvitop|nv-hostengine|nvidia-smi|dcgmi' "$ASSAY_LAB_ROOT"/proc/[0-9]*/comm); do
    process=${f%/comm}
    read -r name <"$f" || continue
    words=$(tr '\0' ' ' <"$process/cmdline") || continue
    case $name in
    nv-hostengine) grep -qs libdcgmmoduleprofiling "$process/maps" || continue; name='nv-hostengine with profiling' ;;
    nvidia-smi)
        case " $words" in
        *' dmon '* | *' pmon '* | *' daemon '* | *' -l '* | *' -l='* | *' -lms '* | *' -lms='* | *' --loop'*) name='nvidia-smi loop' ;;
        *) continue ;;
        esac
        ;;
    dcgmi) case " $words" in *' dmon '*) name='dcgmi dmon' ;; *) continue ;; esac ;;
    nvidia_gpu_expo) name=nvidia_gpu_exporter ;;
    esac
    echo "$name (pid ${process##*/})"
done 2>/dev/null
