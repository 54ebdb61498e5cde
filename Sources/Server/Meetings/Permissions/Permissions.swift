/// Rights of a participant in a meeting. A role brings some of them, and a token can name them one by one.
public struct Permissions: OptionSet, Sendable, Hashable {
  /// The bits; rely on ``names`` rather than on their order.
  public let rawValue: UInt16
  /// Wraps bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let publishAudio = Permissions(rawValue: 1 << 0)
  public static let publishVideo = Permissions(rawValue: 1 << 1)
  /// Send a screen, and its audio.
  public static let publishScreen = Permissions(rawValue: 1 << 2)
  /// Receive what others send: tracks, chat and data.
  public static let subscribe = Permissions(rawValue: 1 << 3)
  /// Write in the chat.
  public static let chat = Permissions(rawValue: 1 << 4)
  public static let data = Permissions(rawValue: 1 << 5)
  /// Look after the others.
  public static let moderate = Permissions(rawValue: 1 << 6)

  /// Send whatever there is.
  public static let publish: Permissions = [.publishAudio, .publishVideo, .publishScreen]
  public static let all: Permissions = [.publish, .subscribe, .chat, .data, .moderate]

  private static let table: [(String, Permissions)] = [
    ("publishAudio", .publishAudio), ("publishVideo", .publishVideo), ("publishScreen", .publishScreen),
    ("subscribe", .subscribe), ("chat", .chat), ("data", .data), ("moderate", .moderate),
  ]

  /// Every name, as tokens and the signalling protocol spell them.
  public static var allNames: [String] { table.map(\.0) }

  /// The names of those that are granted, always in the same order.
  public var names: [String] { Self.table.filter { contains($0.1) }.map(\.0) }

  /// The permissions of these names; nil when one of them is unknown, so that a misspelt name never passes for a grant.
  public init?(names: [String]) {
    var all: Permissions = []
    for name in names {
      guard let known = Self.table.first(where: { $0.0 == name }) else { return nil }
      all.insert(known.1)
    }
    self = all
  }
}

extension Permissions: Codable {
  public init(from decoder: any Decoder) throws {
    let names = try [String](from: decoder)
    guard let known = Permissions(names: names) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "There is no permission of one of these names: \(names)"))
    }
    self = known
  }

  public func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}
