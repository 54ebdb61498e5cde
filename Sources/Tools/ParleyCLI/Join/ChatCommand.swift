import Foundation
import Parley

/// Commands at standard input about the chat beyond writing, in `--json` mode.
@MainActor struct ChatCommand {
  /// The keys of such a line.
  struct Line: Decodable {
    var command: String
    var message: Int?
    var text: String?
    var active: Bool?
    var path: String?
  }

  /// The names of these commands.
  static let names = ["editChat", "deleteChat", "typing", "sendFile", "saveFile"]

  /// Carries a line out.
  static func run(_ line: Line, to participant: RemoteParticipant?, _ meeting: Meeting) async throws {
    func message() throws(RoomCommand.Problem) -> ChatMessage {
      guard let message = meeting.chat.first(where: { $0.id == line.message }) else {
        throw .init(description: "\(line.command) needs \"message\", the id of a chat message.")
      }
      return message
    }
    func path() throws(RoomCommand.Problem) -> String {
      guard let path = line.path else {
        throw .init(description: "\(line.command) needs \"path\", where the file is.")
      }
      return path
    }
    switch line.command {
    case "editChat": try await meeting.edit(message(), text: line.text ?? "")
    case "deleteChat": try await meeting.delete(message())
    case "typing": meeting.setTyping(line.active ?? true, to: participant)
    case "sendFile":
      let url = URL(filePath: try path())
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= meeting.chatFileLimit else {
        throw RoomCommand.Problem(description: "The file has more than \(meeting.chatFileLimit) bytes.")
      }
      try await meeting.send(file: [UInt8](Data(contentsOf: url)), name: url.lastPathComponent, to: participant)
    default:
      guard let file = try message().file else {
        throw RoomCommand.Problem(description: "No file hangs on this message.")
      }
      // Nothing that is there already is overwritten: the sender has chosen the content.
      try Data(await meeting.download(file)).write(to: URL(filePath: try path()), options: .withoutOverwriting)
    }
  }
}
