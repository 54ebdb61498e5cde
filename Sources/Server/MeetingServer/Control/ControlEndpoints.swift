import Meetings
import Transport

/// What commands of this machine may ask for: all that the administration's interface has, and to look at what they have changed themselves.
struct ControlEndpoints: Sendable {
  let api: AdminAPI

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    if request.path.hasPrefix("/api/v1/") { return await api.respond(to: request) }
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    do throws(Refusal) {
      _ = try api.gate.admit(request)
      guard path.count == 3, path.starts(with: ["changed", "meetings"]), let id = path.last else {
        throw Refusal(404, "notFound", "This socket serves /api/v1 and /changed/meetings.")
      }
      guard request.method == "POST" else { throw Refusal(405, "methodNotAllowed", "Send a POST.") }
      return try await takeUp(MeetingID(rawValue: String(id)))
    } catch {
      var response = HTTPResponse.refusal(error)
      if error.status == 405 { response.headers["Allow"] = "POST" }
      return response
    }
  }

  /// Has the room of a meeting that runs go by what a command has changed in the database, and has written down.
  private func takeUp(_ id: MeetingID) async throws(Refusal) -> HTTPResponse {
    let meeting: MeetingRecord?
    do throws(MeetingStoreError) { meeting = try await api.store.meeting(id: id) } catch { throw Refusal(error) }
    guard let meeting else { throw AdminAPI.noSuchMeeting }
    await api.directory.changed(meeting)
    return AdminAPI.done
  }
}
