import Basics
import FoundationEssentials
import Meetings
import Signaling
import Synchronization

/// Serves signalling sockets: the first message decides who a socket stands for, the rest goes to the meeting's room.
struct SignalingService: Sendable {
  /// The client's side of a socket.
  struct Peer: Sendable {
    /// The `Origin` header; nil unless the client is a browser.
    var origin: String?
    /// The origin under which the client reached this server.
    var ownOrigin: WebOrigin
    /// The address of the client, or of the proxy before it.
    var address = IPAddress(v4: 0)
    /// The address of this machine that the client connected to; nil where that is not known, as behind a proxy.
    var reached: IPAddress?
    /// Whether the server has room only for those who come back.
    var onlyResumes = false
  }

  let authority: JoinAuthority
  let directory: MeetingDirectory
  let store: any MeetingRecordStore
  let counters: ServerCounters
  let log: Log
  var tokens: TokenUsageLog?
  var passcodes = PasscodeGuard()
  /// How often one address may have a meeting made by joining; nil for any number.
  var limits: AddressLimits?
  var addressBans = AddressBans.off
  var joinTimeout: Duration = .seconds(SignalingLimits.joinSeconds)
  var rate = Rate()

  /// Messages a second that a client may send on average, and at once.
  struct Rate: Sendable {
    var perSecond = 50
    var burst = 200
    /// Messages with keys of an encrypted meeting, which are counted apart: a client answers what others send.
    var keys = (perSecond: 100, burst: 400)
  }

  /// The participant that a socket stands for, once it does.
  private struct Session {
    var room: MeetingRoom
    var participant: String
  }

  /// Serves one socket until it is closed.
  func serve(_ socket: any SignalingSocket, peer: Peer) async {
    counters.sockets.add(1)
    let channel = SignalingChannel(socket: socket)
    let first = FirstMessage()
    let timeout = Task { [joinTimeout] in
      guard (try? await Task.sleep(for: joinTimeout)) != nil else { return }
      if first.claim() { channel.fail(.init(.joinTimeout, "Neither join nor resume came in time.")) }
    }
    defer { timeout.cancel() }
    var limit = TokenBucket(perSecond: rate.perSecond, burst: rate.burst)
    var keys = TokenBucket(perSecond: rate.keys.perSecond, burst: rate.keys.burst)
    var renewals = TokenBucket(perSecond: 1, burst: 10)
    var session: Session?
    while let frame = await socket.next() {
      guard limit.consume(now: MonotonicClock.now) else {
        counters.tooFast.add(1)
        counters.limits.add(.messageRate)
        channel.fail(
          .init(.tooFast, "Too many messages: at most \(rate.perSecond) a second are accepted (messageRate)."))
        break
      }
      guard case .text(let bytes) = frame else {
        counters.badMessages.add(1)
        channel.refuse(.init(.badMessage, "Only text frames are understood."))
        continue
      }
      // Some clients and proxies keep a connection open with empty frames.
      if bytes.isEmpty { continue }
      counters.messages.add(1)
      let (message, id): (ClientMessage, Int?)
      do throws(SignalingError) {
        let sent = try ClientFrame(bytes)
        (message, id) = (sent.message, sent.id)
      } catch {
        let id = ClientFrame.id(of: bytes)
        counters.badMessages.add(1)
        if session == nil && error.code != .unknownType {
          channel.fail(.init(error.code, error.description), id: id)
          break
        }
        channel.refuse(.init(error.code, error.description), id: id)
        continue
      }
      if session != nil, message.carriesKeys {
        limit.giveBack()
        guard keys.consume(now: MonotonicClock.now) else {
          counters.tooFast.add(1)
          counters.limits.add(.messageRate)
          channel.fail(
            .init(
              .tooFast,
              "Too many messages with keys: at most \(rate.keys.perSecond) a second are accepted (messageRate)."))
          break
        }
      }
      if let session, case .renewToken(let token, let id) = message {
        guard renewals.consume(now: MonotonicClock.now) else {
          channel.refuse(.init(.tooFast, "The token was renewed too often. Wait a moment."), id: id)
          continue
        }
        await Task { await renew(token, id, session, channel, peer) }.value
      } else if let session {
        await session.room.handle(
          message, id: id, size: bytes.count, from: session.participant, channel: channel)
      } else {
        guard first.claim() else { break }
        timeout.cancel()
        // A task keeps the deepest stack it ever had, and joining needs the deepest: a task of its own gives it back.
        session = await Task { await enter(message, id, channel, peer) }.value
        if session == nil { break }
      }
    }
    if let session { await session.room.detach(participant: session.participant, channel: channel) }
  }

  /// Decides between the first message and the time limit for it: exactly one of the two wins.
  private final class FirstMessage: Sendable {
    private let isClaimed = Atomic(false)

    /// True for the first caller only.
    func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
  }

  private func enter(_ message: ClientMessage, _ id: Int?, _ channel: SignalingChannel, _ peer: Peer) async -> Session?
  {
    switch message {
    case .join where peer.onlyResumes:
      counters.limits.add(.connections)
      return refuse(
        .init(
          .quotaReached,
          "Too many connections are open, of your network or of all (connections). Try again in a moment."
        ), id, channel)
    case .join(let join): return await self.join(join, id, channel, peer)
    case .resume(let token): return await resume(token, id, channel, peer)
    default:
      channel.fail(.init(.notAllowed, "The first message must be join or resume."), id: id)
      return nil
    }
  }

  private func join(
    _ join: ClientMessage.Join, _ id: Int?, _ channel: SignalingChannel, _ peer: Peer
  ) async -> Session? {
    if let why = Self.problem(with: join.tracks) { return refuse(.bad(why), id, channel) }
    let room: RoomName?
    do throws(RoomNameError) {
      room = try join.room.map { text throws(RoomNameError) in try RoomName(text) }
    } catch {
      return refuse(.bad(error.description), id, channel)
    }
    let address = addressBans.address(peer.address)
    let (admission, present): (Admission, Admission)
    do throws(JoinRefusal) {
      let found = try await authority.admit(
        token: Secret(join.token), room: room, origin: peer.origin, ownOrigin: peer.ownOrigin, address: address,
        opening: false, now: .kept)
      if !found.isMade, found.grant.isGuest, let reached = limits?.writeRefusal(peer.address, now: MonotonicClock.now) {
        throw .limit(reached)
      }
      admission = found.isMade ? found : try await authority.make(found, address: address, now: .kept)
      present = try await directory.present(admission, for: .entering)
    } catch {
      if case .unavailable(let why) = error { log.error("admission.failed", ["reason": why]) }
      if case .limit(let reached) = error, reached.limit == .maximumStoredMeetings {
        counters.limits.add(reached.limit)
      }
      return refuse(SignalingRefusal(error), id, channel)
    }
    // A token that sets the name wins over what the client calls itself.
    guard let name = DisplayName.clean(admission.grant.name ?? join.name) else {
      return refuse(.init(.badName, "The name has no visible character."), id, channel)
    }
    if let refusal = await passcodes.refusal(of: join.passcode, for: present, from: peer.address) {
      switch refusal.code {
      case .passcodeBlocked: counters.limits.add(.passcodeAttempts)
      case .tooFast: counters.limits.add(.passcodeQueue)
      default: break
      }
      return refuse(refusal, id, channel)
    }
    var joinRequest = JoinRequest(
      admission: admission, name: name, origin: peer.origin, join: join, channel: channel, address: address,
      reached: peer.reached)
    joinRequest.join.passcode = nil
    // Hosts were not asked for it, and have shown to know none.
    joinRequest.passcode = present.grant.isHost ? nil : admission.meeting.passcode
    let url = "\(peer.ownOrigin)/\(admission.meeting.room.pathSegment)"
    do throws(MeetingRoom.Refusal) {
      let room = try await directory.join(joinRequest, url: url)
      tokens?.record(admission, name: name, now: .kept)
      // A write to disk; the client's next message does not wait for it.
      Task { [store] in try? await store.markUsed(admission.meeting.id, now: .kept) }
      // Participants in the lobby are served the same way: the room knows them by this name, in the lobby and later in
      // the meeting.
      return Session(room: room, participant: joinRequest.session.participant)
    } catch {
      return refuse(error, id, channel)
    }
  }

  private func resume(_ token: String, _ id: Int?, _ channel: SignalingChannel, _ peer: Peer) async -> Session? {
    do throws(MeetingRoom.Refusal) {
      let (room, participant) = try await directory.resume(token: token, channel: channel, origin: peer.origin)
      log.info("resumed", ["meeting": room.identity.id, "participant": participant])
      return Session(room: room, participant: participant)
    } catch {
      return refuse(error, id, channel)
    }
  }

  /// The same check as on joining, and then the room's own.
  private func renew(
    _ token: String, _ id: Int?, _ session: Session, _ channel: SignalingChannel, _ peer: Peer
  ) async {
    let admission: Admission
    do throws(JoinRefusal) {
      admission = try await authority.admit(
        token: Secret(token), room: session.room.identity.room, origin: peer.origin, ownOrigin: peer.ownOrigin,
        now: .kept)
    } catch {
      if case .unavailable(let why) = error { log.error("admission.failed", ["reason": why]) }
      channel.refuse(SignalingRefusal(error), id: id)
      return
    }
    await session.room.renew(admission, of: session.participant, id: id, channel)
    // It may have been revoked by now, before anybody had it.
    await directory.recheck(admission, session.room)
  }

  private func refuse(_ refusal: MeetingRoom.Refusal, _ id: Int?, _ channel: SignalingChannel) -> Session? {
    if case .over(let reason, let message) = refusal {
      channel.end(reason, message)
      return nil
    }
    if case .unavailable(let why) = refusal { log.error("join.failed", ["reason": why]) }
    return refuse(refusal.answer, id, channel)
  }

  private func refuse(_ refusal: SignalingRefusal, _ id: Int?, _ channel: SignalingChannel) -> Session? {
    counters.refusedJoins.add(1)
    log.info("join.refused", ["code": refusal.code.rawValue])
    channel.fail(refusal, id: id)
    return nil
  }

  /// The fault of a list of tracks; nil for a good one.
  static func problem(with tracks: [TrackDescription]) -> String? {
    if tracks.count > SignalingLimits.tracks { return "At most \(SignalingLimits.tracks) tracks can be sent." }
    if Set(tracks.map(\.mid)).count != tracks.count { return "Two tracks name the same m-section." }
    if tracks.contains(where: { $0.mid.isEmpty || $0.mid.utf8.count > 32 }) {
      return "The mid of a track has 1 to 32 bytes."
    }
    return nil
  }
}
