// SPDX-License-Identifier: Apache-2.0
// The files of the web page, as the build has put them into the binary (embed.mjs). Any thread.
#pragma once

#include "ui/page.h"

namespace jaque::ui {

const PageFiles& EmbeddedPage();

}  // namespace jaque::ui
