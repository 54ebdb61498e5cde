import Basics
import FoundationEssentials
import Meetings
import Transport

/// The list of tokens.
extension AdminAPI {
  /// `GET tokens`: those that were made here or that somebody came in with, never the tokens themselves.
  func listTokens(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let before = try call.query.before()
    let name = try Self.tenantParameter(&call.query)
    let room = try call.query.text("room", "a text of 1 to \(RoomName.maximumSessionLength) characters") {
      (1...RoomName.maximumSessionLength).contains($0.unicodeScalars.count)
    }
    try call.query.finish()
    var only: TenantID?
    if let name { only = try await tenant(name).id }
    let names = try await tenantNames()
    let tokens = try await store.tokens(tenant: only, room: room, before: before, limit: limit + 1)
    let now = call.now
    return .json(
      Self.page(tokens.map { SeenTokenView($0, tenant: names[$0.tenant] ?? "", at: now) }, limit: limit) {
        String($0.sequence)
      })
  }
}

/// A token as the administration lists it.
struct SeenTokenView: Encodable {
  var id: String
  var tenant: String
  var form: String
  var room: String
  var name: String?
  var user: String?
  var role: String
  var state: String
  var expires: Date
  var issued: Date?
  var used: Date?
  var uses: Int
  /// For the page's end; not part of the answer.
  var sequence: Int

  enum CodingKeys: String, CodingKey {
    case id, tenant, form, room, name, user, role, state, expires, issued, used, uses
  }

  init(_ token: TokenRecord, tenant: String, at now: Date) {
    id = token.id.rawValue
    self.tenant = tenant
    form = token.form.rawValue
    room = token.room
    name = token.name
    user = token.user
    role = token.role.rawValue
    state = token.state(at: now).rawValue
    expires = token.expires
    issued = token.issued
    used = token.used
    uses = token.uses
    sequence = token.sequence
  }
}
