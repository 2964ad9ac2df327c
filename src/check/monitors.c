/* SPDX-License-Identifier: Apache-2.0 */
#include "monitors.h"

/* The kernel keeps 15 letters of a program's name. */
void monitors_command(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out,
             "monitors() {\n"
             "    for f in $(grep -lsxE "
             "'dcgm-exporter|nvidia_gpu_expo|nvtop|nvitop|nv-hostengine|nvidia-smi|dcgmi' "
             "\"$ASSAY_LAB_ROOT\"/proc/[0-9]*/comm); do\n"
             "        process=${f%/comm}\n"
             "        read -r name <\"$f\" && words=$(tr '\\0' ' ' <\"$process/cmdline\") || continue\n"
             "        case $name in\n"
             "        nv-hostengine) grep -qs libdcgmmoduleprofiling \"$process/maps\" || continue; "
             "name='nv-hostengine with profiling' ;;\n"
             "        nvidia-smi) case \" $words\" in *' dmon '* | *' pmon '* | *' daemon '* | *' -l '* | *' "
             "-l='* | "
             "*' -lms '* | *' -lms='* | *' --loop'*) name='nvidia-smi loop' ;; *) continue ;; esac ;;\n"
             "        dcgmi) case \" $words\" in *' dmon '*) name='dcgmi dmon' ;; *) continue ;; esac ;;\n"
             "        nvidia_gpu_expo) name=nvidia_gpu_exporter ;;\n"
             "        esac\n"
             "        echo \"$name (pid ${process##*/})\"\n"
             "    done 2>/dev/null\n"
             "}\n"
             "monitors");
}
