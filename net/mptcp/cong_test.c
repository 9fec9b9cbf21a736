// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "cong.h"
MODULE_LICENSE("GPL");
