/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/parse/ib_ports.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"

static const struct column {
    const char *name;
    enum ib_value value;
} columns[] = {
    {"GUID", IB_GUID},
    {"#IB", IB_PORT},
    {"Sta", IB_STATE},
    {"FEC mode", IB_FEC},
    {"RTR", IB_RETRANSMISSION},
    {"Retran", IB_RETRANSMISSION},
    {"Raw BER", IB_RAW_BER},
    {"Effective BER", IB_EFFECTIVE_BER},
    {"Eff BER", IB_EFFECTIVE_BER},
    {"Symbol BER", IB_SYMBOL_BER},
    {"Effective Err", IB_EFFECTIVE_ERRORS},
    {"Eff Err", IB_EFFECTIVE_ERRORS},
    {"Symbol Err", IB_SYMBOL_ERRORS},
};

static const struct column cable_columns[] = {
    {"NodeGuid", IB_GUID},
    {"PortNum", IB_PORT},
    {"Vendor", IB_VENDOR},
    {"PN", IB_PART},
    {"SN", IB_SERIAL},
    {"Rev", IB_REVISION},
    {"FWVersion", IB_FIRMWARE},
    {"IdentifierStr", IB_MODULE},
    {"TypeDesc", IB_CABLE},
    {"LengthDesc", IB_LENGTH},
    {"Temperature", IB_TEMPERATURE},
    {"AlarmTemperatureLowThresh", IB_TEMPERATURE_LOW},
    {"AlarmTemperatureHighThresh", IB_TEMPERATURE_HIGH},
    {"RXPowerLowThresh", IB_RX_LOW},
    {"RXPowerHighThresh", IB_RX_HIGH},
    {"TXPowerLowThresh", IB_TX_LOW},
    {"TXPowerHighThresh", IB_TX_HIGH},
    {"HighTemperatureAlarm", IB_ALARM_HOT},
    {"LowTemperatureAlarm", IB_ALARM_COLD},
};

/* "RX1Power", "HighTX4PowerAlarm": a row for each lane. */
static const struct lane_column {
    const char *before, *behind;
    enum ib_value value;
} lane_columns[] = {
    {"RX", "Power", IB_RX_POWER},
    {"TX", "Power", IB_TX_POWER},
    {"HighRX", "PowerAlarm", IB_ALARM_RX_HIGH},
    {"LowRX", "PowerAlarm", IB_ALARM_RX_LOW},
    {"HighTX", "PowerAlarm", IB_ALARM_TX_HIGH},
    {"LowTX", "PowerAlarm", IB_ALARM_TX_LOW},
};

static unsigned char value_of_lane(struct slice name)
{
    for (size_t i = 0; i < ARRAY_SIZE(lane_columns); i++) {
        struct slice rest = name;
        uint64_t lane;

        if (scan_text(&rest, lane_columns[i].before) && scan_digits(&rest, &lane) &&
            slice_equal(rest, lane_columns[i].behind) && lane >= 1 && lane <= IB_LANES)
            return (unsigned char)(lane_columns[i].value + lane);
    }
    return 0;
}

static unsigned char value_of(bool cables, struct slice name)
{
    const struct column *known = cables ? cable_columns : columns;
    size_t count = cables ? ARRAY_SIZE(cable_columns) : ARRAY_SIZE(columns);

    for (size_t i = 0; i < count; i++)
        if (slice_equal_nocase(name, known[i].name))
            return (unsigned char)(known[i].value + 1);
    return cables ? value_of_lane(name) : 0;
}

/* The next cell of a row. Quotes around it do not belong to it, and a comma between them parts nothing. */
static struct slice cut_cable_cell(struct slice *rest)
{
    bool quoted = false;
    size_t i = 0;
    struct slice cell;

    for (; i < rest->length && (quoted || rest->bytes[i] != ','); i++)
        quoted ^= rest->bytes[i] == '"';
    cell = slice_trim((struct slice){rest->bytes, i});
    *rest = slice_from(*rest, i < rest->length ? i + 1 : i);
    if (cell.length >= 2 && slice_starts(cell, "\"") && slice_ends(cell, "\""))
        cell = slice_trim((struct slice){cell.bytes + 1, cell.length - 2});
    return cell;
}

static struct slice cut_port_cell(struct slice *rest, bool last)
{
    size_t end = last ? (size_t)-1 : slice_find(*rest, " :");
    struct slice cell = {rest->bytes, end == (size_t)-1 ? rest->length : end};

    *rest = slice_from(*rest, end == (size_t)-1 ? rest->length : end + strlen(" :"));
    return slice_trim(cell);
}

static bool is_told(struct slice cell)
{
    return cell.length > 0 && !slice_equal_nocase(cell, "N/A") && !slice_equal_nocase(cell, "NA");
}

static enum ib_ports_line take_heading(struct ib_ports *table, struct slice line)
{
    bool has[IB_VALUES + 1] = {false};

    table->columns = 0;
    for (struct slice rest = line; rest.length > 0 && table->columns < IB_COLUMNS_MOST;) {
        struct slice name = table->cables ? cut_cable_cell(&rest) : cut_port_cell(&rest, false);
        unsigned char value = value_of(table->cables, name);

        table->value_of[table->columns++] = value;
        has[value] = true;
    }
    if (has[IB_GUID + 1] && has[IB_PORT + 1] &&
        (table->cables ? has[IB_PART + 1] : has[IB_EFFECTIVE_BER + 1] && has[IB_FEC + 1]))
        return IB_PORTS_HEADING;
    *table = (struct ib_ports){.columns = 0};
    return IB_PORTS_LACKING;
}

static bool scan_guid(struct slice text, uint64_t *ret_guid)
{
    char digits[20] = "";

    if (!scan_text(&text, "0x") || text.length == 0 || text.length > 16)
        return false;
    memcpy(digits, text.bytes, text.length);
    *ret_guid = strtoull(digits, NULL, 16);
    return strspn(digits, "0123456789abcdefABCDEF") == text.length;
}

static enum ib_ports_line take_row(const struct ib_ports *table, struct slice line,
                                   struct ib_port_row *ret_row)
{
    struct slice rest = line;
    unsigned cells = 0;

    for (size_t i = 0; i < IB_VALUES; i++)
        ret_row->values[i] = slice_of("");
    for (; cells < table->columns && rest.length > 0; cells++) {
        struct slice cell =
            table->cables ? cut_cable_cell(&rest) : cut_port_cell(&rest, cells + 1 == table->columns);

        if (table->value_of[cells] > 0 && is_told(cell))
            ret_row->values[table->value_of[cells] - 1] = cell;
    }
    return cells == table->columns && rest.length == 0 &&
                   scan_guid(ret_row->values[IB_GUID], &ret_row->guid) &&
                   scan_u64(ret_row->values[IB_PORT], &ret_row->port)
               ? IB_PORTS_ROW
               : IB_PORTS_DAMAGED;
}

/* "Ty         : #       : #IB : GUID ..." */
static bool is_port_heading(struct slice line)
{
    struct slice rest = line;

    return slice_equal(cut_port_cell(&rest, false), "Ty") && slice_contains(rest, "GUID");
}

enum ib_ports_line ib_ports_take(struct ib_ports *table, struct slice line, struct ib_port_row *ret_row)
{
    if (slice_equal(line, "START_CABLE_INFO")) {
        *table = (struct ib_ports){.cables = true};
        return IB_PORTS_HEADING;
    }
    if (table->cables && slice_equal(line, "END_CABLE_INFO")) {
        *table = (struct ib_ports){.columns = 0};
        return IB_PORTS_HEADING;
    }
    if (table->cables && table->columns == 0)
        return take_heading(table, line);
    if (!table->cables && is_port_heading(line))
        return take_heading(table, line);
    return table->columns == 0 || line.length == 0 || slice_starts(line, "#")
               ? IB_PORTS_OTHER
               : take_row(table, line, ret_row);
}

bool ib_value_number(const struct ib_port_row *row, unsigned value, double *ret_number)
{
    struct slice text = row->values[value];

    if (slice_ends(text, "C"))
        text = slice_trim((struct slice){text.bytes, text.length - 1});
    return scan_double(text, ret_number);
}

bool ib_value_flag(const struct ib_port_row *row, unsigned value)
{
    double number;

    return ib_value_number(row, value, &number) && number != 0;
}
