import FoundationEssentials

/// The network that this machine uses.
///
/// ```swift
/// if NetworkPath.isCellular { print("Video may cost money here.") }
/// ```
public enum NetworkPath {
  /// Whether the way to everywhere else leads over a mobile network: a modem, or a telephone that serves as one. False
  /// when that is not known.
  public static var isCellular: Bool {
    guard let table = try? String(contentsOfFile: "/proc/net/route", encoding: .utf8) else { return false }
    return isCellular(table)
  }

  static func isCellular(_ table: String) -> Bool {
    // Interface, destination, gateway, flags, …, metric; the default route has the destination 0.
    let routes = table.split(separator: "\n").dropFirst().map { $0.split { $0 == "\t" || $0 == " " } }
    let defaults = routes.filter { $0.count > 6 && $0[1] == "00000000" }
    guard let best = defaults.min(by: { Int($0[6]) ?? .max < Int($1[6]) ?? .max }) else { return false }
    return ["ww", "ppp", "rmnet"].contains { best[0].hasPrefix($0) }
  }
}
