import Basics
import NetworkEmulator

/// The conditions of a link as text: words and `name=value` pairs with commas between them, for instance
/// `loss=10%,delay=20ms,jitter=30ms,reorder,rate=300k,queue=300ms`.
enum ConditionsText {
  static let help = """
      loss=10%          each packet on its own        burst=10%x5      losses in runs of 5 on average, 10 % in all
      delay=20ms        what every packet takes       jitter=30ms      up to so much more
      reorder           jitter lets packets overtake  duplicate=1%     packets that arrive twice
      rate=300k         bottleneck, bits a second (k, M)
      queue=300ms       before the bottleneck: time at its rate, or bytes (queue=20000)
      outage            nothing arrives               perfect          no impairment
    """

  /// Reads `text`, on top of a perfect link.
  static func parse(_ text: String) throws(CommandLineError) -> LinkConditions {
    var conditions = LinkConditions.perfect
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      try apply(pair[0], pair.count > 1 ? pair[1] : nil, to: &conditions, whole: text)
    }
    return conditions
  }

  private static func apply(
    _ name: String, _ value: String?, to conditions: inout LinkConditions, whole: String
  ) throws(CommandLineError) {
    let wrong = CommandLineError("'\(whole)': cannot read '\(name)\(value.map { "=" + $0 } ?? "")'. It knows:\n\(help)")
    func required<T>(_ parsed: T?) throws(CommandLineError) -> T {
      guard let parsed else { throw wrong }
      return parsed
    }
    switch name {
    case "perfect" where value == nil: conditions = .perfect
    case "outage" where value == nil: conditions.loss = .random(1)
    case "reorder" where value == nil: conditions.reorders = true
    case "loss": conditions.loss = .random(try required(share(value)))
    case "burst":
      let parts = (value ?? "").split(separator: "x").map(String.init)
      guard parts.count == 2, let length = Double(parts[1]) else { throw wrong }
      conditions.loss = .bursty(try required(share(parts[0])), length: length)
    case "delay": conditions.delay = try required(time(value))
    case "jitter": conditions.jitter = try required(time(value))
    case "duplicate": conditions.duplication = try required(share(value))
    case "rate": conditions.capacity = try required(rate(value))
    case "queue":
      if let bytes = value.flatMap({ Int($0) }), bytes >= 0 {
        conditions.queue = .bytes(bytes)
      } else {
        conditions.queue = .time(try required(time(value)))
      }
    default: throw wrong
    }
  }

  /// `10%` or `0.1`.
  private static func share(_ text: String?) -> Double? {
    guard let text else { return nil }
    let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    return number.flatMap { (0...1).contains($0) ? $0 : nil }
  }

  /// `20ms` or `1.5s`, up to an hour.
  static func time(_ text: String?) -> TimeSpan? {
    guard let text else { return nil }
    let seconds =
      text.hasSuffix("ms")
      ? Double(text.dropLast(2)).map { $0 / 1_000 } : text.hasSuffix("s") ? Double(text.dropLast()) : nil
    return seconds.flatMap { (0...3_600).contains($0) ? TimeSpan(nanoseconds: Int64($0 * 1e9)) : nil }
  }

  /// `300k`, `1.5M` or bits a second.
  private static func rate(_ text: String?) -> DataRate? {
    guard let text else { return nil }
    let unit = text.hasSuffix("k") ? 1e3 : text.hasSuffix("M") ? 1e6 : 1
    let number = unit == 1 ? Double(text) : Double(text.dropLast())
    return number.flatMap { (0...1e11).contains($0 * unit) ? DataRate(bitsPerSecond: Int64($0 * unit)) : nil }
  }
}
