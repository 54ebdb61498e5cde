import Basics
import Meetings
import Options

/// The options of meetings and tenants that say what becomes of the chat.
extension CommandOptions {
  /// Options that meetings and tenants have in common.
  static let chatRules: [Option] = [
    Option("chat", .choice(["everyone", "hosts", "nobody"]), "who may write in the chat, as far as tokens grant it"),
    Option("chat-history", .truth, "whether who comes later is told what was written before"),
    Option(
      "chat-keep", .either(.number(0...ChatPolicy.messages), "none"), otherwise: "2000",
      "how many chat messages are kept while the meeting runs"),
    Option(
      "chat-keep-for", .either(.time(), "none"), otherwise: "as long as the meeting runs",
      "how long a chat message is kept, like 30m"),
    Option(
      "chat-file-limit", .either(.number(0...4_194_304, "KIB"), "none"), otherwise: "the server's --chat-file-limit",
      "KiB of one file in the chat, 0 for no files"),
  ]

  /// The options of ``chatRules`` that were given, over `policy`.
  func chat(over policy: ChatPolicy) -> ChatPolicy {
    var age = policy.maximumAge
    if self["chat-keep-for"] == "none" {
      age = nil
    } else if let seconds = seconds("chat-keep-for") {
      age = .seconds(Int64(seconds))
    }
    return ChatPolicy(
      writers: self["chat"].flatMap { ChatWriters(rawValue: $0) } ?? policy.writers,
      history: truth("chat-history") ?? policy.history,
      maximumMessages: number("chat-keep", over: policy.maximumMessages), maximumAge: age,
      fileLimit: number("chat-file-limit", over: policy.fileLimit.map { $0 >> 10 }).map { $0 << 10 })
  }

  /// A whole number, nil for `none`, or what was there before.
  func number(_ name: String, over value: Int?) -> Int? { limit(name) ?? value }
}
