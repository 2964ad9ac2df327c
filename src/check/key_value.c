/* SPDX-License-Identifier: Apache-2.0 */
#include "key_value.h"

void key_value_start(struct text *out)
{
    /* Without files: a passive check has no folder of its own. So what a failed command complains of is asked
       for by a second call. */
    text_put(
        out,
        "put() { printf '%s\\t%s\\t%s\\n' \"$1\" \"$2\" \"$3\"; }\n"
        "lack() { printf '%s\\t%s\\t\\t%s\\n' \"$1\" \"$2\" \"$3\"; }\n"
        "first() { sed '/^[[:space:]]*$/d' | head -n 1 | tr '\\t' ' '; }\n"
        "take() {\n"
        "    name=$1 subject=$2; shift 2\n"
        "    value=$(\"$@\" 2>/dev/null); rc=$?\n"
        "    value=$(printf '%s\\n' \"$value\" | first)\n"
        "    if [ $rc -eq 0 ] && [ -n \"$value\" ]; then put \"$name\" \"$subject\" \"$value\"; return; fi\n"
        "    why=$(\"$@\" 2>&1 >/dev/null | first)\n"
        "    lack \"$name\" \"$subject\" \"${why:-it printed nothing, exit status $rc}\"\n"
        "}\n");
}

void key_value_end(struct text *out)
{
    text_put(out, "echo 'key-value end'");
}

void key_value_memlock(struct text *out)
{
    /* A process that may lock memory whatever the limit (root) is not bound by it: bit 14 of CapEff. */
    text_put(out, "limit() { awk -v what=\"$1\" 'index($0, what) == 1 { sub(what \" *\", \"\"); print $1 }' "
                  "\"$ASSAY_LAB_ROOT\"/proc/self/limits; }\n"
                  "memlock() {\n"
                  "    soft=$(limit 'Max locked memory')\n"
                  "    case $soft in\n"
                  "    '') echo \"no such line in /proc/self/limits\" >&2; return 1 ;;\n"
                  "    unlimited) echo unlimited; return ;;\n"
                  "    esac\n"
                  "    case $(awk '$1 == \"CapEff:\" { print substr($2, length($2) - 3, 1) }' "
                  "\"$ASSAY_LAB_ROOT\"/proc/self/status) in\n"
                  "    [4-7c-f]) echo 'unlimited (CAP_IPC_LOCK)' ;;\n"
                  "    *) echo \"$soft bytes\" ;;\n"
                  "    esac\n"
                  "}\n");
}
