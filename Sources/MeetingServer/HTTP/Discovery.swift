import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The discover document: where and how to join.
struct Discovery: Sendable {
  let desk: AnonymousJoin
  let counters: ServerCounters
  /// Given to whoever is given a way to join, no sooner.
  let iceServers: IceServerSettings

  /// `GET /discover/<room>`: the document of an open meeting, with a fresh token for a guest.
  func document(room text: some StringProtocol, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    let room: RoomName
    do throws(RoomNameError) {
      room = try RoomName(text)
    } catch {
      throw Refusal(error)
    }
    do {
      guard let (meeting, tenant) = try await desk.meeting(room: room, now: now), meeting.tenant == tenant.id else {
        throw Refusal(JoinRefusal.noSuchMeeting)
      }
      guard !meeting.isExpired(at: now) else { throw Refusal(JoinRefusal.meetingExpired) }
      let (secret, token) = try await desk.token(
        for: meeting, tenant: tenant, session: "web", origins: [base], base: base, now: now)
      counters.tokens.add(1)
      let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
      return document(
        meeting, base: base, signaling: addresses.signaling, conference: addresses.conference,
        applications: addresses.applications, own: addresses.discover, token: secret.value, expires: token.expires)
    } catch let error as Refusal {
      throw error
    } catch let error as MeetingStoreError {
      throw Refusal(error)
    } catch {
      throw Refusal(500, "internal", "No token could be signed. The server's log says why.")
    }
  }

  /// `GET /discover?anonymousMeetingJoinContext=psat%3d…`: the document of the token's meeting. With a room,
  /// `GET /discover/<room>?anonymousMeetingJoinContext=…`, it must be that one: whoever follows an address and finds
  /// themselves elsewhere would not know why.
  func document(
    context: String, room text: Substring?, origin: String?, base: WebOrigin, now: Date
  ) async throws(Refusal) -> HTTPResponse {
    let room: RoomName?
    do throws(RoomNameError) {
      room = try text.map { text throws(RoomNameError) in try RoomName(text) }
    } catch {
      throw Refusal(error)
    }
    let admission: Admission
    do throws(JoinRefusal) {
      admission = try await desk.authority.admit(
        token: Secret(Self.unwrap(context)), origin: origin, ownOrigin: base, room: room, now: now)
    } catch {
      throw Refusal(error)
    }
    let signaling = (base.scheme == "https" ? "wss" : "ws") + base.description.dropFirst(base.scheme.utf8.count)
    return document(
      admission.meeting, base: base, signaling: signaling + "/signal", conference: admission.token.conference,
      applications: admission.token.applications, own: "\(base)/discover/\(admission.meeting.room.pathSegment)",
      token: nil, expires: admission.token.expires)
  }

  /// Takes off further layers of percent-encoding: the original service encoded the token twice, and so do its clients.
  private static func unwrap(_ text: String) -> String {
    var text = text
    for _ in 0..<3 where !text.hasPrefix(JoinToken.prefix) { text = FormBody.decode(text, plusIsBlank: false) }
    return text
  }

  private func document(
    _ meeting: MeetingRecord, base: WebOrigin, signaling: String, conference: String, applications: String,
    own: String, token: String?, expires: Date
  ) -> HTTPResponse {
    .json(
      DiscoverDocument(
        meeting: meeting.room.display, subject: meeting.subject, signaling: signaling, token: token, expires: expires,
        iceServers: iceServers.servers(
          user: String(UInt64.random(in: 0...UInt64.max), radix: 36), now: Int64(Date().timeIntervalSince1970)),
        conferenceId: conference,
        links: [
          "self": .init(href: own), "anonApplications": .init(href: applications),
          "signaling": .init(href: signaling),
        ]))
  }
}
