import Glibc

/// How many cores there are to spread work over.
enum ProcessorCount {
  /// Cores that are online, at least 1; read once.
  static let value = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
}
