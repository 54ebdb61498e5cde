import Basics
import Meetings

/// The options of meetings and tenants that say what becomes of the chat.
extension CommandOptions {
  /// What meetings and tenants have in common.
  static let chatRules: [Option] = [
    .init("chat", "everyone|hosts|nobody", "who may write in the chat, as far as tokens grant it"),
    .init("chat-history", "yes|no", "whether who comes later is told what was written before"),
    .init("chat-keep", "N|none", "how many chat messages are kept while the meeting runs (2000)"),
    .init("chat-keep-for", "TIME|none", "how long a chat message is kept, like 30m (as long as the meeting runs)"),
    .init(
      "chat-file-limit", "KIB|none", "KiB of one file in the chat, 0 for no files (the server's --chat-file-limit)"),
  ]

  /// The options of ``chatRules`` that were given, over `policy`.
  func chat(over policy: ChatPolicy) throws(Problem) -> ChatPolicy {
    var writers = policy.writers
    if let text = self["chat"] {
      guard let known = ChatWriters(rawValue: text) else {
        throw Problem(description: "--chat \(text): everyone, hosts or nobody is expected.")
      }
      writers = known
    }
    var age = policy.maximumAge
    if self["chat-keep-for"] == "none" {
      age = nil
    } else if let seconds = try seconds("chat-keep-for") {
      age = .seconds(Int64(seconds))
    }
    return ChatPolicy(
      writers: writers, history: try truth("chat-history") ?? policy.history,
      maximumMessages: try number("chat-keep", 0...ChatPolicy.messages, over: policy.maximumMessages), maximumAge: age,
      fileLimit: try number("chat-file-limit", 0...4_194_304, over: policy.fileLimit.map { $0 >> 10 }).map { $0 << 10 })
  }

  /// A whole number, `none`, or what was there before.
  func number(_ name: String, _ range: ClosedRange<Int>, over value: Int?) throws(Problem) -> Int? {
    guard let text = self[name] else { return value }
    if text == "none" { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem(
        description: "--\(name) \(text): none or a number from \(range.lowerBound) to \(range.upperBound) is expected.")
    }
    return number
  }
}
