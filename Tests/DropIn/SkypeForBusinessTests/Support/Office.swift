import Basics
import Foundation
import MeetingServer
import Meetings
import NetworkGate
import Parley
import TestTenants
import Testing
import Transport

@testable import SkypeForBusiness

/// Looks for a moment that is soon over, as often as there is a turn, for a second.
@MainActor func spin(until condition: () -> Bool) async -> Bool {
  let end = MonotonicClock.now + .seconds(1)
  while !condition(), MonotonicClock.now < end { await Task.yield() }
  return condition()
}

/// A server with real media on loopback, the two calls that an app makes before it joins, and a guest's application.
@MainActor final class Office {
  let server: Server
  let folder: String
  private let mediaPort: UInt16
  let application = SfBApplication()
  var url: String { "http://127.0.0.1:\(server.port)" }
  private var others: [Meeting] = []
  private var isDown = false

  private init(_ server: Server, _ folder: String, _ mediaPort: UInt16) {
    self.server = server
    self.folder = folder
    self.mediaPort = mediaPort
    application.devicesManager.usesTestDevices = true
    application.configurationManager.setEndUserAcceptedVideoLicense()
  }

  /// Runs `body` with a fresh server and shuts it down.
  static func run(
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: @MainActor (Office) async throws -> Void
  ) async throws {
    let folder = NSTemporaryDirectory() + "parley-skype-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/web", withIntermediateDirectories: true)
    for page in ["index.html", "meeting.html"] {
      try "page".write(toFile: folder + "/web/" + page, atomically: true, encoding: .utf8)
    }
    var configuration = ServerConfiguration(workers: 1)
    configuration.port = 0
    configuration.host = IPAddress(v4: 0x7F00_0001)
    configuration.mediaHosts = [configuration.host]
    configuration.adminPort = nil
    configuration.dataFolder = folder + "/data"
    configuration.webFolder = folder + "/web"
    configuration.logLevel = .error
    change(&configuration)
    try await TestTenants.makeDefault(in: configuration.dataFolder)
    let log = Log(level: .error) { _ in }
    let media = try await SFUMediaPlane.start(configuration, log: log)
    let server = try await Server.start(configuration, media: media, program: "", log: log)
    let office = Office(server, folder, media.ports[0])
    var failure: (any Error)?
    do { try await body(office) } catch { failure = error }
    await office.close()
    if let failure { throw failure }
  }

  /// As ``run(_:_:)``, with a network that can be cut for whoever joins through it.
  static func runBehindAGate(
    _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: @MainActor (Office, Gate) async throws -> Void
  ) async throws {
    try await run(change) { office in
      let gate = try await Gate.open(port: office.server.port, mediaPort: office.mediaPort)
      defer { gate.close() }
      try await body(office, gate)
    }
  }

  /// The server goes away.
  func shutDown() async {
    guard !isDown else { return }
    isDown = true
    await server.shutdown(grace: .milliseconds(300))
  }

  private func close() async {
    for meeting in others { await meeting.leave() }
    await application.everythingIsLeft()
    await shutDown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A call of the trusted application, whose answer's values are all strings.
  func call(_ job: String, _ form: String) async throws -> [String: String] {
    let answer = try await HTTPClient.request("POST", "\(url)/\(job)", body: Array(form.utf8))
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String])
  }

  /// The app's knowledge before it joins: the meeting's address, the discover address and the token.
  func invitation(_ form: String = "Subject=Loan&AccessLevel=") async throws -> Invitation {
    let meeting = try await call("GetAdhocMeetingJob", form)
    let join = try #require(meeting["JoinUrl"])
    let token = try await call(
      "GetAnonTokenJob", "ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f&MeetingUrl=\(join)")
    let discover = try #require(token["DiscoverUri"])
    return Invitation(
      join: try #require(URL(string: join)), discover: try #require(URL(string: discover)),
      token: try #require(token["Token"]), organizer: meeting["OrganizerToken"].map { Secret($0) })
  }

  /// Joins as the guest app does, through a gate when there is one.
  func join(_ invitation: Invitation, name: String = "Jake", through gate: Gate? = nil) throws -> SfBConversation {
    let address = invitation.discover.absoluteString
    let discover = gate.map { address.replacing(url, with: $0.url) } ?? address
    return try application.joinMeetingAnonymous(
      withDiscover: URL(string: discover), authToken: invitation.token, displayName: name
    ).conversation
  }

  /// Somebody else in the meeting, with a test picture and a tone when `publishes`; by a token for `role` instead of as
  /// its organizer.
  func agent(
    _ invitation: Invitation, name: String = "Agent", role: Role? = nil, publishes: Bool = false
  ) async throws -> Meeting {
    var token = invitation.organizer
    if let role { token = try await self.token(invitation, role) }
    let meeting = try Meeting(invitation.join.absoluteString, token: token, name: name)
    others.append(meeting)
    if publishes {
      try await meeting.local.publish(LocalVideoTrack(TestPictureSource(.bars, sourceID: 3)))
      try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
    }
    try await meeting.join()
    return meeting
  }

  /// The meeting is removed: the server knows it no more.
  func remove(_ invitation: Invitation) async throws {
    let store = try await MeetingStores.open(folder: folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    let name = try RoomName(invitation.join.lastPathComponent)
    let meeting = try #require(try await store.meeting(room: name, tenant: tenant.id))
    #expect(try await store.transaction { try $0.removeMeeting(meeting.id) })
    await store.close()
  }

  private func token(_ invitation: Invitation, _ role: Role) async throws -> Secret<String> {
    let store = try await MeetingStores.open(folder: folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    let token = JoinToken(
      tenant: tenant.id, target: .room(try RoomName(invitation.join.lastPathComponent)), role: role,
      notBefore: Date() - 10, expires: Date() + 3_600)
    let signed = try JoinAuthority(store: store).sign(token, tenant: tenant)
    await store.close()
    return signed
  }
}

struct Invitation {
  var join: URL
  var discover: URL
  var token: String
  var organizer: Secret<String>?
}

@MainActor final class Alarm: SfBAlertDelegate {
  private(set) var alerts: [SfBAlert] = []
  func didReceive(_ alert: SfBAlert) { alerts.append(alert) }
}

/// Notes what happens in a meeting, in words.
@MainActor final class Witness {
  private(set) var lines: [String] = []
  private var reader: Task<Void, Never>?

  /// Begins to note what `words` has words for.
  init(_ meeting: Meeting, _ words: @escaping @MainActor (MeetingEvent) -> String?) {
    let events = meeting.events
    reader = Task { [weak self] in
      for await event in events {
        if let line = words(event) { self?.lines.append(line) }
      }
    }
  }

  deinit { reader?.cancel() }
}

/// The code of what is thrown; 0 for nothing.
@MainActor func code(_ body: () throws -> Void) -> Int {
  do { try body() } catch {
    let error = error as NSError
    return error.domain == SfBErrorDomain ? error.code : -1
  }
  return 0
}
