/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ibdiagnet tells of each port of a fabric below its links, in two tables whose columns are known by their names alone:
 *
 *   ibdiagnet2.net_dump_ext, of --get_phy_info: cells set off by " :", the last may have that too
 *     Ty : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID(#) : FEC mode : RTR : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc
 *     SW : 1/1/1 : 1 : 0x9c63c00300d1e2f0 : 12 : ACT : LINK UP : 4x : 100 : 341(1) : MLNX_RS_271_257_PLR : NO-RTR : 2e-09 : 1.5e-254 : 1.5e-254 : 0 : 0 : "MF0;leaf1:MQM9700/U1"
 *
 *   ibdiagnet2.db_csv, section CABLE_INFO, of --get_phy_info and, of modules without CMIS, --get_cable_info
 *     START_CABLE_INFO
 *     NodeGuid,PortGuid,PortNum,Vendor,OUI,PN,SN,Rev,...,LengthDesc,TypeDesc,...,Temperature,...,FWVersion,...
 *     0x9c63c00300d1e2f0,0x9c63c00300d1e2f0,1,"NVIDIA",0x48b02d,"MMA4Z00-NS","MT2334FT07714","A3",...,"52C",...
 *     END_CABLE_INFO
 *
 * Both columns and words are those of NVIDIA's ibutils2 (its header CableInfoRecord has those of CABLE_INFO; those of the other
 * table are read by name by several public tools). The files have comments ("# ..."), GUIDs without leading zeros, and "N/A" or
 * "NA" for what a port does not tell.
 */
#ifndef ASSAY_IB_PORTS_H
#define ASSAY_IB_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/base/scan.h"

enum { IB_LANES = 4 }; /* of whose light the tool tells alarms */

enum ib_value {
    IB_GUID,
    IB_PORT,
    /* of net_dump_ext */
    IB_STATE,
    IB_FEC,
    IB_RETRANSMISSION,
    IB_RAW_BER,
    IB_EFFECTIVE_BER,
    IB_SYMBOL_BER,
    IB_EFFECTIVE_ERRORS,
    IB_SYMBOL_ERRORS,
    /* of CABLE_INFO */
    IB_VENDOR,
    IB_PART,
    IB_SERIAL,
    IB_REVISION,
    IB_FIRMWARE,
    IB_MODULE,
    IB_CABLE,
    IB_LENGTH,
    IB_TEMPERATURE,
    IB_TEMPERATURE_LOW, /* where the module gives an alarm, as the three below */
    IB_TEMPERATURE_HIGH,
    IB_RX_LOW,
    IB_RX_HIGH,
    IB_TX_LOW,
    IB_TX_HIGH,
    IB_ALARM_HOT,
    IB_ALARM_COLD,
    IB_RX_POWER, /* of each lane; in the unit of the bounds above */
    IB_TX_POWER = IB_RX_POWER + IB_LANES,
    IB_ALARM_RX_HIGH = IB_TX_POWER + IB_LANES,
    IB_ALARM_RX_LOW = IB_ALARM_RX_HIGH + IB_LANES,
    IB_ALARM_TX_HIGH = IB_ALARM_RX_LOW + IB_LANES,
    IB_ALARM_TX_LOW = IB_ALARM_TX_HIGH + IB_LANES,
    IB_VALUES = IB_ALARM_TX_LOW + IB_LANES,
};

enum { IB_COLUMNS_MOST = 400 };

/* {0}: no heading was seen, and no line is a row. */
struct ib_ports {
    bool cables;                             /* it is CABLE_INFO */
    unsigned columns;                        /* 0: outside a table */
    unsigned char value_of[IB_COLUMNS_MOST]; /* enum ib_value + 1; 0: nothing that is asked for */
};

struct ib_port_row {
    uint64_t guid, port;
    struct slice values[IB_VALUES]; /* "": not told */
};

enum ib_ports_line {
    IB_PORTS_OTHER,   /* it is of no such table */
    IB_PORTS_HEADING, /* its heading, or a line that begins or ends it */
    IB_PORTS_LACKING, /* a heading without the columns that there is a table for: it is none that is known */
    IB_PORTS_ROW,
    IB_PORTS_DAMAGED, /* a row of another number of cells, or without a GUID and a port */
};
/* Takes a line of either file. Values point into the line. */
enum ib_ports_line ib_ports_take(struct ib_ports *table, struct slice line, struct ib_port_row *ret_row);

/* "52C", "75", "1.5e-254". False: none is told. */
bool ib_value_number(const struct ib_port_row *row, unsigned value, double *ret_number);
/* "0", "1", "N/A" */
bool ib_value_flag(const struct ib_port_row *row, unsigned value);

#endif
