import Basics
import FoundationEssentials
import Meetings
import Transport

/// Explains a token to the operator.
extension AdminAPI {
  /// `POST token-inspection`: what a token grants, or what is wrong with it. The token comes in the body, since paths
  /// end up in logs, and no answer repeats it. The call changes nothing, so it has no audit entry.
  func inspectToken(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let text = Secret(try AdminFields.needed(fields.text("token", 1...JoinToken.maximumLength), "token"))
    try fields.finish()
    do {
      let (grant, tenant) = try await authority.inspect(token: text, now: call.now)
      let room =
        switch grant.target {
        case .anyRoom: "*"
        case .room(let name): name.display
        case .meeting(let id): try await store.meeting(id: id)?.room.display ?? "a meeting that is gone"
        }
      return .json(InspectedTokenView(grant, tenant: tenant.name, room: room))
    } catch let problem as TokenProblem {
      return .json(InspectedTokenView(problem))
    }
  }
}

/// A token as the administration explains it.
private struct InspectedTokenView: Encodable {
  var valid: Bool
  var problem: String?
  var form: String?
  var id: String?
  var tenant: String?
  var room: String?
  var role: String?
  var permissions: [String]?
  var name: String?
  var user: String?
  var guest: Bool?
  var expires: Date?

  init(_ grant: JoinGrant, tenant: String, room: String) {
    valid = true
    form = grant.form.rawValue
    id = grant.id.rawValue
    self.tenant = tenant
    self.room = room
    role = grant.role.rawValue
    permissions = grant.permissions.names
    name = grant.name
    user = grant.user
    guest = grant.isGuest
    expires = grant.expires
  }

  init(_ problem: TokenProblem) {
    valid = false
    self.problem = problem.description
  }
}
