#pragma once
// The border to SQLite 3.
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline sqlite3_destructor_type parley_sqlite_transient(void) { return SQLITE_TRANSIENT; }
