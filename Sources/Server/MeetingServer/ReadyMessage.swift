import Basics
import CQRCode

/// What `parley serve` prints when it accepts joins.
public struct ReadyMessage: Sendable {
  /// The address on this machine.
  public var url: String
  /// An address that other devices of the network reach, when the server is open to them and browsers will give them a camera (HTTPS).
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

/// A QR code drawn with half blocks, two rows of modules a line.
struct QRCode {
  private let width: Int
  private let modules: [Bool]

  /// Encodes `text`; nil when it is too long (some 2,900 bytes).
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    self.width = width
    // libqrencode promises width × width modules, the lowest bit of each being its colour.
    modules = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Dark on light, with the quiet zone that readers need, in colours of its own so that it works on dark terminals.
  var text: String {
    func isDark(_ x: Int, _ y: Int) -> Bool {
      (0..<width).contains(x) && (0..<width).contains(y) && modules[y * width + x]
    }
    var text = ""
    for y in stride(from: -2, to: width + 2, by: 2) {
      text += "\u{1B}[30;107m"
      for x in -2..<(width + 2) {
        switch (isDark(x, y), isDark(x, y + 1)) {
        case (true, true): text += "█"
        case (true, false): text += "▀"
        case (false, true): text += "▄"
        case (false, false): text += " "
        }
      }
      text += "\u{1B}[0m\n"
    }
    return text
  }
}
