# SPDX-License-Identifier: Apache-2.0
# usage: ASSAY_DIR=FOLDER sh fabric_phy_cables.sh
# Of the sweep's database the section of modules and cables, and of its hundred columns those that are asked for: a fifth of the
# bytes, of which there are many. Quotes are left where there is a comma between them. Fails where there is no such section.
cat "$ASSAY_DIR"/*/ibdiagnet2.db_csv | awk '
    function part(line,    piece, count, i) {
        count = split(line, piece, "\"")
        line = piece[1]
        for (i = 2; i <= count; i++) {
            if (i % 2 == 0) gsub(/,/, "\001", piece[i])
            line = line piece[i]
        }
        return split(line, cell, ",")
    }
    function row(    i, one, out) {
        for (i = 1; i <= kept; i++) {
            one = cell[at[i]]
            if (gsub(/\001/, ",", one)) one = "\"" one "\""
            out = out (i > 1 ? "," : "") one
        }
        print out
    }
    { sub(/\r$/, "") }
    /^START_CABLE_INFO$/ { inside = found = 1; columns = 0; print; next }
    /^END_CABLE_INFO$/ { if (inside) print; inside = 0; next }
    !inside || /^$/ { next }
    !columns {
        columns = part($0)
        for (i = 1; i <= columns; i++)
            if (cell[i] ~ /^(NodeGuid|PortNum|Vendor|PN|SN|Rev|FWVersion|IdentifierStr|TypeDesc|LengthDesc|Temperature)$/ ||
                cell[i] ~ /^(AlarmTemperature|[RT]XPower)(High|Low)Thresh$/ ||
                cell[i] ~ /^(High|Low)(Temperature|[RT]X[1-4]Power)Alarm$/ || cell[i] ~ /^[RT]X[1-4]Power$/)
                at[++kept] = i
        row()
        next
    }
    part($0) == columns { row(); next }
    { print "not of the same columns: " $0 }
    END { exit !found }'
