// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/pragma.h"
#include "spec/spec.h"

namespace ww::spec {

/// The spec of an annotated kernel; `plain` gives file and folder. What the pragmas leave open (values of the sizes, data of the
/// arguments) is proposed as for a bare kernel. Errors: InvalidSpec.
[[nodiscard]] Result<Spec> fromPragmas(const source::SourceModel& model, const PragmaKernel& kernel, Spec plain);

}  // namespace ww::spec
