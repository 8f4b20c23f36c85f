// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ww::device {

/// Makes faults inside kernels end the process with one line on stderr and a code of cpu_exit_codes.h; faults elsewhere keep
/// their default effect. Process-wide, idempotent.
void installFaultHandlers();

/// An alternate signal stack for the calling OS thread, without which a stack overflow could not be reported. Lives as long as
/// this object; create and destroy it on the thread itself.
class SignalStack {
public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    void* m_memory = nullptr;
};

}  // namespace ww::device
