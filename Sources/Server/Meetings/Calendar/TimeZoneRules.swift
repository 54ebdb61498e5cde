import Glibc

/// How the clocks of a place are set, from the system's time zone files (RFC 8536).
///
/// Read when a schedule is looked at and let go afterwards: a server without scheduled meetings holds none.
public struct TimeZoneRules: Sendable {
  /// A way clocks are set for a while.
  struct Kind: Sendable, Hashable {
    /// Seconds to add to UTC.
    var offset: Int
    var isDaylight: Bool
    /// Such as `CET`.
    var name: String
  }

  /// A change from one way to the next.
  struct Transition: Sendable, Hashable {
    /// In seconds since 1970, UTC.
    var time: Int
    var before: Kind
    var after: Kind
  }

  /// The name, such as `Europe/Berlin`.
  public let name: String
  /// What is in force before the first change.
  private let first: Kind
  /// The changes that the file lists, in their order.
  private let listed: [Transition]
  /// The rule for the time after them.
  let footer: PosixZone?

  static let folder = "/usr/share/zoneinfo"
  /// The largest file that is read; the system's have less than 4 kB.
  private static let maximumBytes = 65_536

  /// The rules of a place by its name in the IANA time zone database. `UTC` is known without any file.
  public init(_ name: String) throws(ScheduleProblem) {
    if name == "UTC" {
      self.init(name: name, first: Kind(offset: 0, isDaylight: false, name: "UTC"), listed: [], footer: nil)
      return
    }
    guard Self.isName(name), let bytes = Self.read(Self.folder + "/" + name),
      let rules = TimeZoneRules(name, file: bytes)
    else { throw .timeZone(name) }
    self = rules
  }

  private init(name: String, first: Kind, listed: [Transition], footer: PosixZone?) {
    self.name = name
    self.first = first
    self.listed = listed
    self.footer = footer
  }

  /// Whether a text can be a zone's name; never a path to elsewhere.
  static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return text.utf8.count <= 64 && (1...3).contains(parts.count)
      && parts.allSatisfy { part in
        guard let head = part.utf8.first, (65...90).contains(head) else { return false }
        return part.utf8.allSatisfy { byte in
          (48...57).contains(byte) || (97...122).contains(byte | 32) || "_-+".utf8.contains(byte)
        }
      }
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: maximumBytes)
    var count = 0
    while count < maximumBytes {
      let more = bytes[count...].withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if more <= 0 { break }
      count += more
    }
    return Array(bytes[..<count])
  }

  // MARK: The file

  /// Reads a file of version 2 or later; nil when it is none.
  init?(_ name: String, file: [UInt8]) {
    func big(_ place: Int, _ size: Int) -> Int? {
      guard place >= 0, place + size <= file.count else { return nil }
      var value = file[place] >= 0x80 ? -1 : 0
      for byte in file[place..<place + size] { value = value << 8 | Int(byte) }
      return value
    }
    func counts(_ place: Int) -> (utc: Int, std: Int, leap: Int, time: Int, type: Int, char: Int)? {
      guard file.count >= place + 44, file[place..<place + 4].elementsEqual("TZif".utf8),
        let utc = big(place + 20, 4), let std = big(place + 24, 4), let leap = big(place + 28, 4),
        let time = big(place + 32, 4), let type = big(place + 36, 4), let char = big(place + 40, 4),
        [utc, std, leap, time, type, char].allSatisfy({ (0...10_000).contains($0) })
      else { return nil }
      return (utc, std, leap, time, type, char)
    }
    guard file.count > 44, file[4] >= UInt8(ascii: "2"), let old = counts(0) else { return nil }
    // The block of version 1 has short times and is passed over.
    let head = 44 + old.time * 5 + old.type * 6 + old.char + old.leap * 8 + old.std + old.utc
    guard let count = counts(head), count.type > 0 else { return nil }
    let times = head + 44
    let types = times + count.time * 9
    let names = types + count.type * 6
    let end = names + count.char + count.leap * 12 + count.std + count.utc
    guard end < file.count else { return nil }
    var kinds: [Kind] = []
    for index in 0..<count.type {
      guard let offset = big(types + index * 6, 4), abs(offset) < 90_000 else { return nil }
      let start = names + Int(file[types + index * 6 + 5])
      guard start < names + count.char else { return nil }
      let name = file[start..<names + count.char].prefix { $0 != 0 }
      kinds.append(
        Kind(
          offset: offset, isDaylight: file[types + index * 6 + 4] != 0, name: String(decoding: name, as: UTF8.self)))
    }
    var listed: [Transition] = []
    var current = kinds[0]
    for index in 0..<count.time {
      let kind = Int(file[times + count.time * 8 + index])
      guard let time = big(times + index * 8, 8), kind < kinds.count, listed.last.map({ $0.time < time }) ?? true else {
        return nil
      }
      if kinds[kind] != current { listed.append(Transition(time: time, before: current, after: kinds[kind])) }
      current = kinds[kind]
    }
    let text = file[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    self.init(
      name: name, first: kinds[0], listed: listed, footer: PosixZone(String(decoding: text, as: UTF8.self)))
  }

  // MARK: Asking

  /// What is in force at a time, in seconds since 1970.
  func kind(at time: Int) -> Kind {
    if let last = listed.last, time < last.time || footer == nil {
      var low = 0
      var high = listed.count
      while low < high {
        let middle = (low + high) / 2
        if listed[middle].time <= time { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? first : listed[low - 1].after
    }
    guard let footer else { return first }
    guard footer.daylight != nil else { return footer.standard }
    let year = CivilTime.date(of: CivilTime(seconds: time).day).year
    let changes = (year - 1...year + 1).flatMap { footer.transitions(in: $0) }
    return changes.last { $0.time <= time }?.after ?? footer.standard
  }

  /// The changes in a span of time.
  func transitions(in span: ClosedRange<Int>) -> [Transition] {
    var all = listed.filter { span.contains($0.time) }
    let end = listed.last?.time ?? Int.min
    if let footer, span.upperBound > end, footer.daylight != nil {
      let from = CivilTime.date(of: CivilTime(seconds: max(span.lowerBound, end)).day).year
      let to = CivilTime.date(of: CivilTime(seconds: span.upperBound).day).year
      for year in from...max(from, to) {
        all += footer.transitions(in: year).filter { $0.time > end && span.contains($0.time) }
      }
    }
    return all
  }

  /// The time at which clocks show `local`. One that is passed over when clocks go forward is taken as if they had not
  /// been set yet; of one that comes twice the first counts (RFC 5545 section 3.3.5).
  func time(of local: CivilTime) -> Int {
    let before = kind(at: local.seconds - 86_400).offset
    let after = kind(at: local.seconds + 86_400).offset
    for offset in [before, after] where kind(at: local.seconds - offset).offset == offset {
      return local.seconds - offset
    }
    return local.seconds - before
  }

  /// The local time at a time in UTC.
  func local(_ time: Int) -> CivilTime { CivilTime(seconds: time + kind(at: time).offset) }
}
