# SPDX-License-Identifier: Apache-2.0
# usage: [mlxlink=PROGRAM] sh ib_phy.sh HCA..., as root
# Of each HCA "== HCA/1 ==" and what mlxlink or, where that is not there, mstlink (mstflint) tells of its port and module;
# "== HCA/1 not read: WHY" where neither does. Of a port without a module it is asked once more, for the link alone.
: "${mlxlink:=mlxlink}"
# The function of that name, which assay puts before it, is always there.
has() { (unset -f mlxlink; command -v "$1") >/dev/null; }
ask() { if has mstlink && ! has "$mlxlink"; then timeout -k 1 20 mstlink "$@"; else mlxlink "$@"; fi; }
for d in "$@"; do
    if answer=$(ask -d "$d" -p 1 -m -c 2>&1) || answer=$(ask -d "$d" -p 1 -c 2>&1); then
        printf '== %s/1 ==\n%s\n' "$d" "$answer"
    else
        printf '== %s/1 not read: %s\n' "$d" "$(printf '%s\n' "$answer" | sed '/^[[:space:]]*$/d' | head -n 1)"
    fi
done
