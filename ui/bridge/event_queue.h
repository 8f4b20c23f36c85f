// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "engine/session.h"

namespace ww::ui {

/// Engine events on their way to the window: pushed on the engine's thread, taken as one batch on the GUI's. Thread-safe.
/// One queued signal per event would cost the GUI thread a thousand times more.
class EventQueue {
public:
    void push(const engine::SessionEvent& event) {
        const std::lock_guard lock(m_mutex);
        m_events.push_back(event);
    }

    [[nodiscard]] std::vector<engine::SessionEvent> take() {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_events, {});
    }

private:
    std::mutex m_mutex;
    std::vector<engine::SessionEvent> m_events;
};

}  // namespace ww::ui
