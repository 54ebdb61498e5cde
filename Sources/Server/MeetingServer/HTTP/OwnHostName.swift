import Basics
import Glibc

/// Decides which `Host` headers are trusted when no `--public-url` is set.
///
/// A name that a stranger's DNS points at this server must not count as its own, or a foreign page would pass the
/// origin check (DNS rebinding, threat 28). Addresses can't be rebound, and `localhost` and the machine's own name
/// belong to no stranger.
enum OwnHostName {
  /// Whether `host`, without its port, may be this server's own name.
  static func accepts(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    if IPAddress(host) != nil { return true }
    if host.hasPrefix("["), host.hasSuffix("]"), IPAddress(host.dropFirst().dropLast()) != nil { return true }
    let machine = machine
    return host == machine || host == machine + ".local"
  }

  /// Asked each time: it may be changed while the server runs.
  private static var machine: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
  }
}
