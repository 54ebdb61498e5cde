import CQRCode

/// An address as a QR code for terminals, drawn with half blocks: two rows of modules a line.
public struct QRCode: Sendable {
  private let width: Int
  private let modules: [Bool]

  /// Encodes `text`; nil when it is too long (some 2,900 bytes).
  public init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard width > 0, let data = code.pointee.data else { return nil }
    self.width = width
    // libqrencode promises width × width modules, the lowest bit of each being its colour.
    modules = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Dark on light, with the quiet zone that readers need, in colours of its own so that it works on dark terminals.
  public var text: String {
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
