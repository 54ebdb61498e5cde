public import Basics
import Meetings
import Transport

/// The server that runs on a data folder, as a command of the same user sees it.
public struct RunningServer: Sendable {
  public struct Answer: Sendable {
    /// The status code of HTTP.
    public var status: Int
    /// The body; errors are JSON with a sentence (`Error`) and a `code`.
    public var body: [UInt8]
  }

  /// The server is there and gives no answer.
  public struct Unreachable: Error, CustomStringConvertible {
    /// The problem, and what to do about it.
    public let description: String
  }

  private let socket: String

  /// The server that runs on `dataFolder`; nil when none does.
  public static func find(dataFolder: String) -> RunningServer? {
    let folder = ControlFolder(data: dataFolder)
    return folder.isHeld ? RunningServer(socket: folder.socket) : nil
  }

  /// Sends a request of the admin interface.
  ///
  /// - Parameters:
  ///   - path: The path behind `/api/v1/`.
  ///   - actor: The caller for the audit log: `cli` and the user of the machine.
  public func ask(_ method: String, _ path: String, by actor: String) async throws(Unreachable) -> Answer {
    try await send(method, "api/v1/\(path)", by: actor)
  }

  /// Notifies the server of a change of a meeting in the database. False when the server refused.
  public func takeUp(_ meeting: MeetingID, by actor: String) async throws(Unreachable) -> Bool {
    try await send("POST", "changed/meetings/\(meeting)", by: actor).status == 204
  }

  private func send(_ method: String, _ path: String, by actor: String) async throws(Unreachable) -> Answer {
    do throws(TransportError) {
      let answer = try await HTTPClient.request(
        method, "http://localhost/\(path)", headers: [AdminGate.actorHeader: actor], limit: 256 << 20,
        timeout: .seconds(30), socket: socket)
      return Answer(status: answer.status, body: answer.body)
    } catch {
      throw Unreachable(description: "The server that runs on this data does not answer: \(error.description)")
    }
  }
}
