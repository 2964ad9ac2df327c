# SPDX-License-Identifier: Apache-2.0
# usage: sh storage_gds.sh
# Whether GPUs read from storage without the detour by the host's memory (GPUDirect Storage), as rows of key-value:
#
#   storage.gds.driver      version of the module nvidia-fs, or "not loaded"
#   storage.gds.rdma        "PeerDirect: True", as nvidia-fs says it of itself; "not loaded"
#   storage.gds.supported   what gdscheck calls supported, "NVMe, NFS"; "none" of it; "not installed"
. "$(dirname "$0")/key_value.sh"

nvidia_fs=$ASSAY_LAB_ROOT/proc/driver/nvidia-fs
# "version: 2.24"; of the statistics "NVFS Driver(version: 2:24:2)" or "2.24.2"
# shellcheck disable=SC2317 # `take` calls it
version()
{
    if [ -r "$nvidia_fs/version" ]; then sed -n 's/^[^0-9]*\([0-9][0-9.:]*\).*/\1/p' "$nvidia_fs/version"
    else sed -n 's/^NVFS Driver(version: *\([0-9][0-9.:]*\)).*/\1/p' "$nvidia_fs/stats"; fi
}
# shellcheck disable=SC2317 # `take` calls it
peer_direct() { sed -n 's/^Mellanox PeerDirect Supported: *\([A-Za-z]*\).*/PeerDirect: \1/p' "$nvidia_fs/stats"; }
# CUDA puts it into no folder of PATH.
gdscheck=$(command -v gdscheck || command -v gdscheck.py || ls "$ASSAY_LAB_ROOT"/usr/local/cuda/gds/tools/gdscheck 2>/dev/null)
# shellcheck disable=SC2317 # `take` calls it
supported()
{
    told=$(timeout 60 "$gdscheck" -p) || { echo 'gdscheck -p ended with an error' >&2; return 1; }
    # Without such rows it is not that tool, or one that was changed.
    printf '%s\n' "$told" | grep -q ' : *\(Supported\|Unsupported\|compat\)' || { echo 'gdscheck -p lists no storage' >&2; return 1; }
    told=$(printf '%s\n' "$told" | sed -n 's/^ *\([A-Za-z].*[^ ]\) *: *Supported *$/\1/p' | paste -s -d , - | sed 's/,/, /g')
    echo "${told:-none}"
}

if [ -e "$nvidia_fs" ]; then
    take storage.gds.driver '' version
    take storage.gds.rdma '' peer_direct
else
    put storage.gds.driver '' 'not loaded'
    put storage.gds.rdma '' 'not loaded'
fi
if [ -n "$gdscheck" ]; then take storage.gds.supported '' supported; else put storage.gds.supported '' 'not installed'; fi
echo 'key-value end'
