import Glibc

/// How many files and sockets this process may have open.
public enum OpenFileLimit {
  /// Raises the limit to what the system lets this process have, and says so in the log. Shells and systemd give 1,024,
  /// for programs that still use `select`; a server with a thousand participants needs more. Returns the limit as it is
  /// then.
  @discardableResult public static func raise(log: Log) -> UInt64 {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    let before = limit.rlim_cur
    if before < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      guard setrlimit(resource, &limit) == 0 else {
        log.warning("openFiles.limit", ["limit": before, "reason": String(cString: strerror(errno))])
        return UInt64(before)
      }
    }
    log.info("openFiles.limit", ["before": before, "limit": limit.rlim_cur])
    return UInt64(limit.rlim_cur)
  }
}
