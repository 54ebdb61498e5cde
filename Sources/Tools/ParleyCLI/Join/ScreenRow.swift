import Parley

/// One participant's line of the live screen.
struct ScreenRow {
  var participant: String
  var name = ""
  var level = 0.0
  var quality = ConnectionQuality.excellent
  var bitrate = DataRate.zero
  var framesPerSecond = 0.0
  var loss = 0.0
  var size = ""
  private var pixels = 0

  init(participant: String) { self.participant = participant }

  /// Shows a video's figures; of several, the largest one's.
  mutating func show(_ framesPerSecond: Double, _ width: Int, _ height: Int) {
    guard width > 0, width * height >= pixels else { return }
    pixels = width * height
    size = "\(width)×\(height)"
    self.framesPerSecond = framesPerSecond
  }

  /// The line for a terminal of so many columns.
  func text(_ columns: Int) -> String {
    let meterWidth = 10
    let lit = Int((level * Double(meterWidth)).rounded())
    let meter =
      "\u{1B}[32m" + String(repeating: "█", count: lit) + "\u{1B}[0m" + String(repeating: "·", count: meterWidth - lit)
    // The error comes first: a narrow terminal cuts the end of the line.
    var figures: [String] = []
    if loss >= 0.001 { figures.append("lost \(Self.percent(loss))") }
    if quality != .excellent, quality != .good { figures.append(quality.rawValue) }
    if bitrate > .zero { figures.append(Self.rate(bitrate)) }
    if bitrate > .zero, !size.isEmpty { figures += [size, "\(Int(framesPerSecond.rounded())) fps"] }
    let nameWidth = min(max(columns * 3 / 10, 8), 24)
    let rest = max(columns - nameWidth - meterWidth - 4, 0)
    return " " + Self.fit(name, nameWidth) + " " + meter + "  " + Self.fit(figures.joined(separator: "  "), rest)
  }

  /// The rows of `count` that are shown where `room` of them fit: all, or the first one (oneself), then the speakers,
  /// then the others, with the last line left for the number of hidden ones.
  static func shown(of count: Int, room: Int, speaks: (Int) -> Bool) -> (rows: [Int], hidden: Int) {
    guard count > room else { return (Array(0..<count), 0) }
    let rest = 1..<max(count, 1)
    let order = [0] + rest.filter(speaks) + rest.filter { !speaks($0) }
    let rows = Array(order.prefix(max(room - 1, 0)))
    return (rows, count - rows.count)
  }

  /// A rate for people.
  static func rate(_ rate: DataRate) -> String {
    rate.bitsPerSecond >= 1_000_000
      ? "\(Double(rate.bitsPerSecond / 100_000) / 10) Mb/s" : "\(rate.bitsPerSecond / 1_000) kb/s"
  }

  /// A share for people.
  static func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }

  /// `text` in exactly `width` columns.
  static func fit(_ text: String, _ width: Int) -> String {
    guard width > 0 else { return "" }
    let count = columns(text)
    if count <= width { return text + String(repeating: " ", count: width - count) }
    var result = ""
    var used = 0
    for character in text {
      let next = columns(String(character))
      if used + next > width - 1 { break }
      result.append(character)
      used += next
    }
    return result + "…" + String(repeating: " ", count: max(width - 1 - used, 0))
  }

  /// How many columns a text takes: wide East Asian characters and emoji take two.
  static func columns(_ text: String) -> Int {
    text.reduce(0) { sum, character in
      let value = character.unicodeScalars.first?.value ?? 0
      let isWide =
        (0x1100...0x115F).contains(value) || (0x2E80...0xA4CF).contains(value) || (0xAC00...0xD7A3).contains(value)
        || (0xF900...0xFAFF).contains(value) || (0xFE30...0xFE6F).contains(value) || (0xFF00...0xFF60).contains(value)
        || (0x1F300...0x1FAFF).contains(value)
      return sum + (isWide ? 2 : 1)
    }
  }
}
