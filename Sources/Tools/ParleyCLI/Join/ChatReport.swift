import Parley

/// An event of the chat, as a line for programs and in words.
@MainActor struct ChatReport {
  let name: String
  let line: JSONLine
  /// Nil for events that people needn't hear of.
  let words: String?

  init(_ event: ChatEvent) {
    switch event {
    case .changed(let message):
      name = "chatChanged"
      line = [
        "id": .integer(message.id), "from": .text(message.from), "text": .text(message.text),
        "deleted": JSONLine.Value(message.deleted?.rawValue),
      ]
      words = message.deleted == nil ? "\(message.name) (changed): \(message.text)" : "\(message.name): (deleted)"
    case .typing(let participant, let isTyping, let isPrivate):
      name = "typing"
      line = ["participant": .text(participant.id), "active": .truth(isTyping), "private": .truth(isPrivate)]
      words = nil
    }
  }

  /// A message in words: of a file, what it is.
  static func words(_ message: ChatMessage) -> String {
    let sender = "\(message.name)\(message.to == nil ? "" : " (privately)")"
    if message.deleted != nil { return "\(sender): (deleted)" }
    guard let file = message.file else { return "\(sender): \(message.text)" }
    return "\(sender) sends the file \(file.name) (\(file.type), \(size(file.size)))"
  }

  /// A message as a line for programs.
  static func line(_ message: ChatMessage, isHistory: Bool) -> JSONLine {
    var line: JSONLine = [
      "id": .integer(message.id), "from": .text(message.from), "name": .text(message.name), "text": .text(message.text),
      "history": .truth(isHistory), "to": JSONLine.Value(message.to),
    ]
    if let file = message.file {
      line.add(
        "file",
        .object([
          "id": .text(file.id), "name": .text(file.name), "type": .text(file.type), "size": .integer(file.size),
        ]))
    }
    return line
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1_000 ? "\(bytes) bytes" : bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
  }
}
