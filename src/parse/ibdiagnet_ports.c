/* SPDX-License-Identifier: Apache-2.0 */
#include "ibdiagnet_ports.h"

#include "ib_port.h"

static const struct {
    enum ib_value value;
    const char *fact;
} facts[] = {
    {IB_STATE, "phy.state"},
    {IB_FEC, "phy.fec"},
    {IB_RETRANSMISSION, "phy.retransmission"},
    {IB_VENDOR, "module.vendor"},
    {IB_PART, "module.part"},
    {IB_SERIAL, "module.serial"},
    {IB_REVISION, "module.revision"},
    {IB_FIRMWARE, "module.firmware"},
    {IB_MODULE, "module.type"},
    {IB_CABLE, "module.cable"},
    {IB_LENGTH, "module.length"},
};

static const struct {
    enum ib_value value;
    const char *metric, *unit;
} numbers[] = {
    {IB_RAW_BER, "phy.ber.raw", ""},
    {IB_EFFECTIVE_BER, "phy.ber.effective", ""},
    {IB_SYMBOL_BER, "phy.ber.symbol", ""},
    {IB_EFFECTIVE_ERRORS, "phy.errors.effective", ""},
    {IB_SYMBOL_ERRORS, "phy.errors.symbol", ""},
    {IB_TEMPERATURE, "module.temperature", "C"},
};

static void put_row(const struct ib_port_row *row, struct reading *reading)
{
    struct arena *arena = reading->arena;
    const char *subject =
        ib_subject(arena, slice_of(arena_printf(arena, "0x%016llx", (unsigned long long)row->guid)),
                   row->values[IB_PORT]);
    double number, low, high;

    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        if (row->values[facts[i].value].length > 0)
            reading_fact(reading, facts[i].fact, subject, row->values[facts[i].value]);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (ib_value_number(row, numbers[i].value, &number))
            reading_measure(reading, numbers[i].metric, subject, number, numbers[i].unit);
    if (ib_value_number(row, IB_TEMPERATURE_LOW, &low) && ib_value_number(row, IB_TEMPERATURE_HIGH, &high))
        reading_fact(reading, "module.temperature.range", subject,
                     slice_of(arena_printf(arena, "%g..%g", low, high)));
}

bool ibdiagnet_read_port(struct ibdiagnet_ports *ports, struct slice line, struct reading *reading)
{
    struct ib_port_row row;

    switch (ib_ports_take(&ports->table, slice_trim(line), &row)) {
    case IB_PORTS_ROW:
        ports->count++;
        put_row(&row, reading);
        return true;
    case IB_PORTS_LACKING:
    case IB_PORTS_DAMAGED:
        ports->unread = ports->unread.length > 0 ? ports->unread : line;
        return true;
    case IB_PORTS_HEADING:
        return true;
    case IB_PORTS_OTHER:
    default:
        return false;
    }
}
