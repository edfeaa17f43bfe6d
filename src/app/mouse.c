/* From cells of the screen to times and devices: see mouse.h. */
#include "app/mouse.h"

/* Two devices can share a row of half blocks: the second click on it means the lower one. */
static uint32_t device_under(const struct frame *frame, const struct snapshot *snapshot, int row)
{
    uint32_t device = chart_device_at(&frame->layout, snapshot, row);
    const struct selection *item = &snapshot->selection;

    if (frame->layout.is_halved && device != PG_NONE && !item->is_all && item->device == device &&
        device + 1 < snapshot->outcome->plan.devices)
        return device + 1;
    return device;
}

void mouse_take(struct session *session, const struct frame *frame, const struct pointer *pointer,
                int *drag_x)
{
    const struct layout *layout = &frame->layout;
    struct snapshot snapshot;

    session_snapshot(session, &snapshot);
    if (layout->is_too_small || (snapshot.mode != MODE_CHART && snapshot.mode != MODE_BUILD))
        return;
    int row = pointer->y - layout->lanes.y;
    bool is_in_lanes = row >= 0 && row < layout->lanes.rows;
    double time = axis_time(&frame->axis, pointer->x - layout->gutter + 0.5);
    if (snapshot.mode == MODE_BUILD) { /* a click chooses the device, there is no window to move */
        snapshot.lane_top = snapshot.build->lane_top;
        if (pointer->is_pressed && is_in_lanes)
            session_select_at(session, device_under(frame, &snapshot, row), 0);
        return;
    }
    if (pointer->wheel != 0)
        session_zoom_at(session, pointer->wheel > 0 ? 1.25 : 1 / 1.25, time);
    if (pointer->is_pressed && layout->ruler.rows > 0 && pointer->y == layout->ruler.y)
        session_select_all(session); /* the row above stage 0 */
    if (pointer->is_pressed && is_in_lanes) {
        uint32_t device = device_under(frame, &snapshot, row);
        if (device != PG_NONE)
            session_select_at(session, device, time < 0 ? 0 : time);
        *drag_x = pointer->x;
    } else if (pointer->is_released) {
        *drag_x = -1;
    } else if (pointer->is_moved && *drag_x >= 0) {
        session_pan_by(session, (*drag_x - pointer->x) * 8 / frame->axis.eighths);
        *drag_x = pointer->x;
    }
}
