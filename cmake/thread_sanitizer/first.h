// SPDX-License-Identifier: Apache-2.0
// Included before everything in builds with SANITIZE=thread: a header of abseil's declares the
// distribution's Mutex, beside which the one of this folder could not be named.
#pragma once

#define Mutex DistributionMutex
#define CondVar DistributionCondVar
#include "absl/base/internal/low_level_scheduling.h"
#undef Mutex
#undef CondVar
