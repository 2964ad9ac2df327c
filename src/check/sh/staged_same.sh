# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_TOOLS=FOLDER version=SHORT file=bin/NAME sha256=SHA256 sh staged_same.sh
# Ends with 127, as if the tool were missing, where the file is not what was staged.
: "${version:=}" "${file:?}" "${sha256:?}"
[ -n "$ASSAY_TOOLS" ] || { printf 'tools_not_on_host\t%s\n' "$version" >&2; exit 127; }
[ "$({ sha256sum <"$ASSAY_TOOLS/$file"; } 2>/dev/null | cut -c 1-64)" = "$sha256" ] ||
    { printf 'file_not_as_staged\t%s\n' "$ASSAY_TOOLS/$file" >&2; exit 127; }
