# SPDX-License-Identifier: Apache-2.0
# usage: mpirun=mpirun sh launch_ask_mpi.sh HOST
# Which Open MPI a login of the launcher finds, as rows of key-value with the subject HOST.
. "$(dirname "$0")/key_value.sh"
: "${mpirun:=mpirun}"

# Once, for it may hang.
told=$(timeout -k 1 5 "$mpirun" --version 2>&1)
version=$(printf '%s\n' "$told" | sed -n 's/^mpirun (\([^)]*\)) /\1 /p' | head -n 1)
if [ -n "$version" ]; then put launch.mpi_version "$1" "$version"
elif [ -n "$told" ]; then untabbed "$told"; lack launch.mpi_version "$1" "$first"
else lack launch.mpi_version "$1" mpirun_version_said_nothing; fi
take launch.mpi_path "$1" command -v "$mpirun"
