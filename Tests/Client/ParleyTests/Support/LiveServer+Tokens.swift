import Basics
import Foundation
import Meetings

extension LiveServer {
  /// A token of the default tenant that names a person, for a room.
  func token(of user: String, room: String) async throws -> Secret<String> {
    let store = try await MeetingStores.open(folder: folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    let secret = try await store.apiKeys(of: tenant.id).first?.secret ?? Secret("")
    await store.close()
    let end = Int(Date().timeIntervalSince1970) + 3_600
    let claims = #"{"iss":"\#(tenant.apiKey)","exp":\#(end),"room":"\#(room)","sub":"\#(user)"}"#
    return Secret(try SharedKey(secret).sign(Array(claims.utf8)))
  }
}
