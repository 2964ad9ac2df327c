/* SPDX-License-Identifier: Apache-2.0 */
#include "xid_catalog.h"

#include <stddef.h>

#include "assay/reasons/parse.h"

#define IGNORED XID_IGNORE, SEVERITY_INFO
#define FAULT(action) action, SEVERITY_FAULT
#define WARNING(action) action, SEVERITY_WARNING
#define INFO(action) action, SEVERITY_INFO

static const struct xid_meaning xids[] = {
    {1, REASON(push_buffer_stream_corrupted), WARNING(XID_INVESTIGATE)},
    {2, REASON(push_buffer_stream_corrupted), WARNING(XID_INVESTIGATE)},
    {3, REASON(push_buffer_stream_corrupted), WARNING(XID_INVESTIGATE)},
    {4, REASON(push_buffer_stream_corrupted), WARNING(XID_INVESTIGATE)},
    {6, REASON(push_buffer_stream_corrupted), WARNING(XID_INVESTIGATE)},
    {7, REASON(push_buffer_address_corrupted), WARNING(XID_INVESTIGATE)},
    {8, REASON(gpu_stopped_processing), WARNING(XID_RESTART_APP)},
    {9, REASON(driver_error_programming_gpu), WARNING(XID_INVESTIGATE)},
    {11, REASON(push_buffer_stream_corrupted), WARNING(XID_RESTART_APP)},
    {12, REASON(driver_error_handling_exception), WARNING(XID_INVESTIGATE)},
    {13, REASON(graphics_engine_exception), WARNING(XID_RESTART_APP)},
    {16, REASON(display_engine_hung), WARNING(XID_INVESTIGATE)},
    {18, REASON(bus_mastering_disabled), WARNING(XID_INVESTIGATE)},
    {19, REASON(display_engine_error), WARNING(XID_INVESTIGATE)},
    {24, REASON(gpu_semaphore_timeout), WARNING(XID_INVESTIGATE)},
    {25, REASON(push_buffer_stream_illegal), WARNING(XID_RESTART_APP)},
    {31, REASON(gpu_page_fault), WARNING(XID_RESTART_APP)},
    {32, REASON(push_buffer_stream_or_pcie_signal), WARNING(XID_RESTART_APP)},
    {37, REASON(driver_firmware_error), WARNING(XID_INVESTIGATE)},
    {38, REASON(driver_firmware_error), WARNING(XID_INVESTIGATE)},
    {39, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {40, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {41, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {42, REASON(video_processor_exception), WARNING(XID_INVESTIGATE)},
    {43, REASON(channel_stopped_after_fault), WARNING(XID_IGNORE)},
    {44, REASON(graphics_engine_switch_fault), INFO(XID_IGNORE)},
    {45, REASON(channels_torn_down), WARNING(XID_INVESTIGATE)},
    {46, REASON(gpu_stopped_processing), FAULT(XID_RESET_GPU)},
    {47, REASON(video_processor_exception), WARNING(XID_INVESTIGATE)},
    {48, REASON(double_bit_ecc_error), FAULT(XID_INVESTIGATE)},
    {54, REASON(auxiliary_power_not_connected), FAULT(XID_CHECK_POWER)},
    {56, REASON(display_engine_error), WARNING(XID_INVESTIGATE)},
    {57, REASON(memory_interface_programming_error), WARNING(XID_INVESTIGATE)},
    {58, REASON(memory_interface_unstable), WARNING(XID_INVESTIGATE)},
    {59, REASON(microcontroller_error), WARNING(XID_INVESTIGATE)},
    {60, REASON(video_processor_exception), WARNING(XID_INVESTIGATE)},
    {61, REASON(microcontroller_warning), WARNING(XID_INVESTIGATE)},
    {62, REASON(microcontroller_halt), FAULT(XID_RESET_GPU)},
    {63, REASON(row_remap_recorded), INFO(XID_RESET_GPU)},
    {64, REASON(row_remap_not_recorded), FAULT(XID_RESET_GPU)},
    {65, REASON(video_processor_exception), WARNING(XID_INVESTIGATE)},
    {66, REASON(driver_illegal_access), IGNORED},
    {67, REASON(driver_illegal_access), IGNORED},
    {68, REASON(video_decoder_exception), WARNING(XID_RESTART_APP)},
    {69, REASON(graphics_engine_class_error), WARNING(XID_RESTART_APP)},
    {70, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {71, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {72, REASON(copy_engine_exception), WARNING(XID_RESTART_APP)},
    {73, REASON(video_encoder_exception), WARNING(XID_INVESTIGATE)},
    {74, REASON(nvlink_error), FAULT(XID_INVESTIGATE)},
    {76, REASON(video_processor_violation), INFO(XID_INVESTIGATE)},
    {77, REASON(video_processor_violation), INFO(XID_INVESTIGATE)},
    {78, REASON(vgpu_start_error), WARNING(XID_UPDATE)},
    {79, REASON(gpu_fell_off_the_bus), FAULT(XID_RESTART_NODE)},
    {80, REASON(corrupted_data_sent_to_gpu), WARNING(XID_RESTART_APP)},
    {81, REASON(vga_subsystem_error), WARNING(XID_INVESTIGATE)},
    {82, REASON(jpeg_engine_error), WARNING(XID_INVESTIGATE)},
    {83, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {84, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {88, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {89, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {92, REASON(single_bit_ecc_errors_many), WARNING(XID_IGNORE)},
    {93, REASON(inforom_wear_limit), IGNORED},
    {94, REASON(contained_ecc_error), WARNING(XID_RESTART_APP)},
    {95, REASON(uncontained_ecc_error), FAULT(XID_RESET_GPU)},
    {96, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {97, REASON(video_decoder_error), WARNING(XID_INVESTIGATE)},
    {98, REASON(jpeg_engine_error), WARNING(XID_INVESTIGATE)},
    {99, REASON(optical_flow_error), WARNING(XID_INVESTIGATE)},
    {106, REASON(smbus_message_test), IGNORED},
    {107, REASON(smbus_message_test), IGNORED},
    {109, REASON(context_switch_timeout), FAULT(XID_RESET_GPU)},
    {110, REASON(gpu_security_fault), FAULT(XID_RESET_GPU)},
    {119, REASON(gsp_did_not_answer), FAULT(XID_RESET_GPU)},
    {120, REASON(gsp_reported_an_error), FAULT(XID_RESET_GPU)},
    {121, REASON(chip_link_error_corrected), INFO(XID_IGNORE)},
    {122, REASON(spi_flash_read_failure), WARNING(XID_CONTACT_SUPPORT)},
    {123, REASON(spi_flash_write_failure), WARNING(XID_RESET_GPU)},
    {124, REASON(spi_flash_erase_failure), WARNING(XID_RESET_GPU)},
    {125, REASON(inforom_file_system_failure), WARNING(XID_CONTACT_SUPPORT)},
    {136, REASON(link_training_failed), WARNING(XID_RESET_GPU)},
    {137, REASON(nvlink_peer_access_refused), WARNING(XID_IGNORE)},
    {140, REASON(unrecovered_ecc_error), FAULT(XID_RESET_GPU)},
    {141, REASON(page_fault_handled), IGNORED},
    {143, REASON(gpu_not_initialised), FAULT(XID_RESET_GPU)},
    {144, REASON(nvlink5_saw_error), FAULT(XID_INVESTIGATE)},
    {145, REASON(nvlink5_rlw_error), FAULT(XID_INVESTIGATE)},
    {146, REASON(nvlink5_tlw_error), FAULT(XID_INVESTIGATE)},
    {147, REASON(nvlink5_trex_error), FAULT(XID_INVESTIGATE)},
    {148, REASON(nvlink5_control_error), FAULT(XID_INVESTIGATE)},
    {149, REASON(nvlink5_netir_error), FAULT(XID_INVESTIGATE)},
    {150, REASON(nvlink5_mse_error), FAULT(XID_INVESTIGATE)},
    {151, REASON(key_rotation_error), WARNING(XID_RESTART_APP)},
    {154, REASON(recovery_action_changed), WARNING(XID_FOLLOW_TEXT)},
    {155, REASON(nvlink_switched_off), WARNING(XID_RESET_GPU)},
    {156, REASON(resource_retirement_recorded), WARNING(XID_RESET_GPU)},
    {157, REASON(resource_retirement_not_recorded), WARNING(XID_IGNORE)},
    {158, REASON(gpu_fatal_timeout), WARNING(XID_RESET_GPU)},
    {160, REASON(channel_retirement_recorded), IGNORED},
    {161, REASON(channel_retirement_not_recorded), INFO(XID_IGNORE)},
};

static const struct xid_meaning sxids[] = {
    {11004, REASON(ingress_address_invalid), WARNING(XID_INVESTIGATE)},
    {11012, REASON(ingress_ecc_errors_many), WARNING(XID_INVESTIGATE)},
    {12028, REASON(egress_privilege_error), WARNING(XID_IGNORE)},
    {14017, REASON(transmit_buffer_ecc_limit), WARNING(XID_INVESTIGATE)},
    {19084, REASON(an1_heartbeat_timeout), WARNING(XID_INVESTIGATE)},
    {20001, REASON(transmit_replay), WARNING(XID_INVESTIGATE)},
    {20009, REASON(receive_error_rate), WARNING(XID_INVESTIGATE)},
    {20012, REASON(link_trained_again), WARNING(XID_INVESTIGATE)},
    {22013, REASON(minion_link_interrupt), WARNING(XID_INVESTIGATE)},
    {24007, REASON(source_track_timeout), WARNING(XID_INVESTIGATE)},
    {28006, REASON(multicast_credit_timeout), WARNING(XID_INVESTIGATE)},
};

static const struct xid_meaning unknown_xid = {0, REASON(xid_not_in_catalog), WARNING(XID_INVESTIGATE)};
static const struct xid_meaning fatal_sxid = {0, REASON(nvswitch_fatal_error), FAULT(XID_INVESTIGATE)};
static const struct xid_meaning unknown_sxid = {0, REASON(sxid_not_in_catalog), WARNING(XID_INVESTIGATE)};

static const struct xid_meaning *find(const struct xid_meaning *rows, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

const struct xid_meaning *xid_find(unsigned number)
{
    const struct xid_meaning *row = find(xids, ARRAY_SIZE(xids), number);

    return row != NULL ? row : &unknown_xid;
}

const struct xid_meaning *sxid_find(unsigned number, bool fatal)
{
    const struct xid_meaning *row = find(sxids, ARRAY_SIZE(sxids), number);

    if (fatal)
        return &fatal_sxid;
    return row != NULL ? row : &unknown_sxid;
}

const struct reason *xid_action_said(enum xid_action action)
{
    static const struct reason *const texts[] = {
        [XID_IGNORE] = REASON(none_needed_if_alone),
        [XID_RESTART_APP] = REASON(restart_the_program),
        [XID_RESET_GPU] = REASON(reset_the_gpu),
        [XID_RESTART_NODE] = REASON(restart_host_then_replace),
        [XID_CHECK_POWER] = REASON(check_power_and_seating),
        [XID_UPDATE] = REASON(update_driver_and_firmware),
        [XID_INVESTIGATE] = REASON(follow_vendor_steps),
        [XID_FOLLOW_TEXT] = REASON(do_what_message_says),
        [XID_CONTACT_SUPPORT] = REASON(contact_vendor_support),
    };

    return texts[action];
}
