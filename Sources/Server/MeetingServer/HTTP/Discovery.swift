import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// The discover document: where and how to join.
struct Discovery: Sendable {
  let anonymousJoin: AnonymousJoin
  let counters: ServerCounters
  /// Only for callers who may join.
  let iceServers: @Sendable () -> IceServerSettings
  /// The devices that every link may open without a click; a join token may name more.
  let linkDevices: Set<LinkDevice>
  /// Whether meetings may be encrypted, where the tenant doesn't say.
  let encryption: EncryptionPolicy

  /// `GET /discover/<room>`: the document of an open meeting, with a fresh token for a guest. Reading makes no meeting:
  /// joining does.
  func document(room text: some StringProtocol, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    let room: RoomName
    do throws(RoomNameError) {
      room = try RoomName(text)
    } catch {
      throw Refusal(error)
    }
    do {
      guard
        let (meeting, tenant, token, expires) = try await anonymousJoin.token(
          room: room, session: "web", base: base, now: now)
      else { throw JoinRefusal.noSuchMeeting }
      counters.tokens.add(1)
      let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
      return document(meeting, addresses, of: tenant, token: token.value, expires: expires)
    } catch let error as JoinRefusal {
      throw Refusal(error)
    } catch let error as MeetingStoreError {
      throw Refusal(error)
    } catch {
      throw Refusal(500, "internal", "No token could be signed. The server's log says why.")
    }
  }

  /// `GET /discover` with `Authorization: Bearer` or `?anonymousMeetingJoinContext=psat%3d…`: the document of the
  /// token's meeting.
  ///
  /// `GET /discover/<room>` requires that the token is for that room: otherwise people would end up elsewhere without
  /// knowing why. A token for every room needs this form. Reading makes no meeting; joining does.
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
      admission = try await anonymousJoin.authority.admit(
        token: Secret(Self.unwrap(context)), room: room, origin: origin, ownOrigin: base, opening: false, now: now)
    } catch {
      throw Refusal(error)
    }
    let addresses = MeetingAddresses(base: base, meeting: admission.meeting, tenant: admission.tenant)
    return document(
      admission.meeting, addresses, of: admission.tenant, token: nil, expires: admission.grant.expires,
      granted: admission.grant.linkDevices)
  }

  /// When the meeting takes place, if it is scheduled.
  private static func schedule(
    _ meeting: MeetingRecord, _ addresses: MeetingAddresses, at now: Date
  ) -> DiscoverDocument.Schedule? {
    guard let schedule = meeting.schedule, let phase = try? schedule.phase(at: now) else { return nil }
    let (state, occurrence): (DiscoverDocument.Schedule.State, Occurrence?) =
      switch phase {
      case .open(let occurrence): (.open, occurrence)
      // If one may join at any time before the start, there is nothing to wait for.
      case .before(let occurrence): (schedule.doors.early == .open ? .open : .before, occurrence)
      case .over: (.over, nil)
      case .cancelled: (.cancelled, nil)
      }
    return .init(
      state: state, start: occurrence?.start, end: occurrence?.end,
      opens: occurrence.map { $0.start - Double(schedule.doors.opensBefore) }, timeZone: schedule.zone,
      repeats: schedule.rule != nil, calendar: addresses.calendar)
  }

  /// Takes off further layers of percent-encoding: the original service encoded the token twice, and so do its clients.
  private static func unwrap(_ text: String) -> String {
    var text = text
    for _ in 0..<3 where !text.hasPrefix(JoinToken.prefix) { text = FormBody.decode(text, plusIsBlank: false) }
    return text
  }

  /// The document of a meeting; `signedInAs` is the name that the token holds its bearer to, `granted` the devices that
  /// it lets a link open.
  func document(
    _ meeting: MeetingRecord, _ addresses: MeetingAddresses, of tenant: Tenant, token: String?, expires: Date,
    signedInAs: String? = nil, granted: Set<LinkDevice> = []
  ) -> HTTPResponse {
    let policy = tenant.policy.encryption ?? encryption
    let devices = linkDevices.union(granted)
    return .json(
      DiscoverDocument(
        meeting: meeting.room.display, subject: meeting.subject, signaling: addresses.signaling, token: token,
        expires: expires, signedInAs: signedInAs, linkDevices: devices.isEmpty ? nil : devices.names,
        e2ee: policy.mode(decided: meeting.isEncrypted), encryption: policy.rawValue,
        iceServers: iceServers().servers(
          now: Int64(Date().timeIntervalSince1970), lifetime: IceServerSettings.lifetimeAtTheDoor),
        conferenceId: addresses.conference, schedule: Self.schedule(meeting, addresses, at: Date()),
        links: [
          "self": .init(href: addresses.discover), "anonApplications": .init(href: addresses.applications),
          "signaling": .init(href: addresses.signaling),
        ]))
  }
}
