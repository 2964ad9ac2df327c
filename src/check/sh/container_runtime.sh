# SPDX-License-Identifier: Apache-2.0
# usage: sh container_runtime.sh [METRIC PROGRAM]...
# The versions of the programs, and how docker is set up, as rows of key-value. By hand:
#     sh container_runtime.sh docker.version docker containerd.version containerd
. "$(dirname "$0")/key_value.sh"

# "containerd github.com/containerd/containerd/v2 v2.0.1 ...": the last word that is a version.
# shellcheck disable=SC2317 # `take` calls it
version() { timeout 20 "$1" --version | sed -n 's/.*[ v]\([0-9][0-9]*\.[0-9][0-9.]*\).*/\1/p'; }
while [ $# -ge 2 ]; do
    take "$1" '' version "$2"
    shift 2
done
take docker.cgroup_driver '' timeout 20 docker info --format '{{.CgroupDriver}}'
take docker.default_runtime '' timeout 20 docker info --format '{{.DefaultRuntime}}'
echo 'key-value end'
