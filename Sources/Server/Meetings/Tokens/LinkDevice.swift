/// A device that a link may open without a click, where the server or the join token says so.
///
/// An address by itself opens none: whoever follows a link that skips the page before joining comes in with both off.
public enum LinkDevice: String, Sendable, Hashable, CaseIterable {
  case microphone
  case camera

  /// The devices of these names; others are as absent.
  public static func named(_ names: [String]) -> Set<LinkDevice> { Set(names.compactMap(LinkDevice.init(rawValue:))) }
}

extension Set<LinkDevice> {
  /// Their names, always in the same order.
  public var names: [String] { LinkDevice.allCases.filter(contains).map(\.rawValue) }
}
