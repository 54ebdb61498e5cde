#pragma once
// The border to libargon2 (keys from passcodes).
#include <argon2.h>
