import Basics
import Meetings
import Transport

/// The requests of commands on this machine: all of the admin interface, and notices of what a command changed itself.
struct ControlEndpoints: Sendable {
  let api: AdminAPI

  /// The addresses besides those of the administration's interface.
  private static let routes = RouteTable([Route("POST", "/changed/meetings/<id>", handler: Action.takeUp)])

  private enum Action { case takeUp }

  /// The paths of ``routes``.
  static var paths: [String] { routes.all.map(\.path) }

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    if request.path.hasPrefix("/api/v1/") { return await api.respond(to: request) }
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    do throws(Refusal) {
      _ = try api.gate.admit(request)
      let match = Self.routes.find(request.method, Array(path))
      if case .notFound = match { throw Refusal(404, "notFound", "This socket serves /api/v1 and /changed/meetings.") }
      let (route, segments) = try match.get()
      switch route.handler {
      case .takeUp: return try await takeUp(MeetingID(rawValue: segments.first ?? ""))
      }
    } catch {
      return .refusal(error)
    }
  }

  /// Applies to a running meeting the change that a command has made in the database, with its audit entry.
  private func takeUp(_ id: MeetingID) async throws(Refusal) -> HTTPResponse {
    let meeting: MeetingRecord?
    do throws(MeetingStoreError) { meeting = try await api.store.meeting(id: id) } catch { throw Refusal(error) }
    guard let meeting else { throw AdminAPI.noSuchMeeting }
    await api.directory.changed(meeting)
    return AdminAPI.done
  }
}
