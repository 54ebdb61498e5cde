import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The chat of meetings: its rules, and its export.
extension AdminAPI {
  func exportChat(_ call: inout Call) async throws -> HTTPResponse {
    let format = try call.query.text("format", "text or json") { ChatExport.Format(rawValue: $0) != nil }
    try call.query.finish()
    let record = try await meeting(call.path[0])
    guard let room = await directory.room(of: record.id) else {
      throw Refusal(409, "notRunning", "Nobody is in the meeting, and its chat ended with it.")
    }
    let name = try await tenantNames()[record.tenant] ?? ""
    // Reading people's messages is audited.
    try await audit(call, "meeting.exportChat", record.id.rawValue, tenant: name, record.room.display)
    let messages = await room.openChat()
    return ChatExport(record: record, messages: messages).response(
      format.flatMap(ChatExport.Format.init) ?? .json)
  }

  /// The field `chat` of a meeting or a tenant, over `policy`.
  static func chat(over policy: ChatPolicy, _ fields: inout AdminFields) throws(Refusal) -> ChatPolicy {
    var policy = policy
    if let word = try fields.word("chatWriters", ChatWriters.allCases.map(\.rawValue)) {
      policy.writers = ChatWriters(rawValue: word) ?? policy.writers
    }
    if let history = try fields.truth("chatHistory") { policy.history = history }
    if let most = try fields.limit("chatMessages", 0...ChatPolicy.messages) { policy.maximumMessages = most }
    if let seconds = try fields.limit("chatSeconds", 1...31_536_000) {
      policy.maximumAge = seconds.map { .seconds(Int64($0)) }
    }
    if let bytes = try fields.limit("chatFileLimit", 0...4_294_967_296) { policy.fileLimit = bytes }
    return policy
  }
}

/// The rules of a chat, as the administration shows them.
struct ChatView: Encodable {
  var writers: String
  var history: Bool
  var messages: Int?
  var seconds: Int?
  var fileLimit: Int?

  init(_ policy: ChatPolicy) {
    writers = policy.writers.rawValue
    history = policy.history
    messages = policy.maximumMessages
    seconds = policy.maximumAge.map { Int($0.nanoseconds / 1_000_000_000) }
    fileLimit = policy.fileLimit
  }
}
