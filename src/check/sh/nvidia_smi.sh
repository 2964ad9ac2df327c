# SPDX-License-Identifier: Apache-2.0
# The tool as the suite has it is the function nvidia_smi, which assay puts before a script (script_tool). By hand it is the
# one in PATH.
command -v nvidia_smi >/dev/null || nvidia_smi() { nvidia-smi "$@"; }
