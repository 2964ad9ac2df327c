# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_TOOLS=FOLDER version=SHORT file=bin/NAME sha256=SHA256 sh staged_same.sh
# Ends with 127, as if the tool were missing, where the file is not what was staged.
: "${version:=}" "${file:?}" "${sha256:?}"
[ -n "$ASSAY_TOOLS" ] || { echo "tools $version are not on this host: \`assay stage\` copies them" >&2; exit 127; }
[ "$(sha256sum <"$ASSAY_TOOLS/$file" | cut -c 1-64)" = "$sha256" ] ||
    { echo "$ASSAY_TOOLS/$file is not what was staged: \`assay stage\` fixes it" >&2; exit 127; }
