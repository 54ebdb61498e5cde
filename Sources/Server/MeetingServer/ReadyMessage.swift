import Basics
import Meetings

/// The message of `parley serve` when it accepts joins.
public struct ReadyMessage: Sendable {
  /// The address on this machine.
  public var url: String
  /// An address that other devices of the network reach, when the server is open to them and browsers will give them a
  /// camera (HTTPS).
  public var urlForOtherDevices: String?

  /// A message for the given addresses.
  public init(url: String, urlForOtherDevices: String? = nil) {
    self.url = url
    self.urlForOtherDevices = urlForOtherDevices
  }

  /// The lines; the first is the contract `Parley is ready: <url>`. The QR code is only for people, so for terminals.
  public func text(onTerminal: Bool) -> String {
    var text = "Parley is ready: \(url)\n"
    if let other = urlForOtherDevices {
      text += "On other devices of this network: \(other)\n"
      if onTerminal, let code = QRCode(other) { text += code.text }
    }
    return text
  }
}
