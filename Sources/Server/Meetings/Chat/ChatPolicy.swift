public import Basics

/// The participants who may write in the chat of a meeting from the start. A host can give or take the right later, one
/// by one.
public enum ChatWriters: String, Sendable, Hashable, Codable, CaseIterable {
  /// Whoever's token grants `chat`.
  case everyone
  /// Of those, hosts only.
  case hosts
  case nobody
}

/// The rules for the chat of a meeting. All of it ends with the meeting.
public struct ChatPolicy: Sendable, Hashable {
  public var writers: ChatWriters
  /// Whether later participants get earlier messages.
  public var history: Bool
  /// How many messages are kept; nil for as many as the server keeps.
  public var maximumMessages: Int?
  /// How long a message is kept; nil for as long as the meeting runs.
  public var maximumAge: TimeSpan?
  /// The most bytes of one file; nil for as many as the server takes, 0 for no files.
  public var fileLimit: Int?

  /// The shortest and the longest age that can be set.
  public static let ageRange = TimeSpan.seconds(1)...TimeSpan.seconds(31_536_000)
  /// The most messages that can be kept.
  public static let messages = 2_000

  /// A policy. The age is kept in whole seconds, within ``ageRange``.
  public init(
    writers: ChatWriters = .everyone, history: Bool = true, maximumMessages: Int? = nil, maximumAge: TimeSpan? = nil,
    fileLimit: Int? = nil
  ) {
    self.writers = writers
    self.history = history
    self.maximumMessages = maximumMessages.map { min(max($0, 0), Self.messages) }
    let range = Self.ageRange
    self.maximumAge = maximumAge.map {
      .seconds(min(max($0, range.lowerBound), range.upperBound).nanoseconds / 1_000_000_000)
    }
    self.fileLimit = fileLimit.map { max($0, 0) }
  }

  /// What of the chat a token's permissions leave to its holder when they come.
  public func permissions(_ granted: Permissions) -> Permissions {
    switch writers {
    case .everyone: granted
    case .hosts: granted.contains(.moderate) ? granted : granted.subtracting(.chat)
    case .nobody: granted.subtracting(.chat)
    }
  }
}

extension ChatPolicy {
  /// The text that the store keeps: `writers=hosts history=0 messages=200 seconds=60 bytes=0`, what is not set left
  /// out.
  var stored: String {
    var parts: [String] = []
    if writers != .everyone { parts.append("writers=\(writers.rawValue)") }
    if !history { parts.append("history=0") }
    if let maximumMessages { parts.append("messages=\(maximumMessages)") }
    if let maximumAge { parts.append("seconds=\(maximumAge.nanoseconds / 1_000_000_000)") }
    if let fileLimit { parts.append("bytes=\(fileLimit)") }
    return parts.joined(separator: " ")
  }

  /// Reads ``stored``. Values of later versions are skipped, but unknown writers count as hosts only.
  init(stored: String) {
    self.init()
    for part in stored.split(separator: " ") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      let number = Int(pair[1])
      switch pair[0] {
      case "writers": writers = ChatWriters(rawValue: String(pair[1])) ?? .hosts
      case "history": history = number != 0
      case "messages": maximumMessages = number
      case "seconds": maximumAge = number.map { .seconds(Int64($0)) }
      case "bytes": fileLimit = number
      default: break
      }
    }
    self = ChatPolicy(
      writers: writers, history: history, maximumMessages: maximumMessages, maximumAge: maximumAge,
      fileLimit: fileLimit)
  }
}
